//! Why pages were dropped: their texts are read again and compared with those of the pages kept instead.

use std::collections::BTreeMap;

use pyo3::intern;
use pyo3::prelude::*;
use retold::explain::{ComparedPage, Offsets, explain_pair};
use retold::internal::{each_wanted, text_hash};
use retold::read::{Outcome, ReadOrder, Record, Source};
use retold::{Dropped, DroppedAs, Error, Findings, PageNo, Rank, Result, Watch};
use serde_json::{Value, json};

use crate::error::in_python;
use crate::plain;

/// Explains these drops, in their order. The first page of each explanation is the dropped one.
///
/// Errors: a text is no longer there.
pub fn explained(findings: &Findings, drops: &[Dropped], watch: &dyn Watch) -> Result<Vec<Value>> {
    let ranks = drops.iter().flat_map(|drop| [drop.page, drop.canonical]);
    let pages = read_again(findings, ranks, watch)?;
    let explain = |drop: &Dropped| {
        let [a, b] = [drop.page, drop.canonical].map(|page| &pages[&findings.by_id[page.at()]]);
        let mut story = explain_pair(a, b, &findings.model, Offsets::Chars)?.json(true);
        let told = json!({
            "method": findings.model.method().name,
            "dropped": {
                "id": findings.id(drop.page),
                "canonical": findings.id(drop.canonical),
                "relation": drop.relation.name(),
                "lost": drop.lost,
                "parts": parts(drop.relation),
            },
        });
        if let (Some(story), Value::Object(told)) = (story.as_object_mut(), told) {
            story.extend(told);
        }
        Ok(with_python_names(story))
    };
    drops.iter().map(explain).collect()
}

/// How many kept pages together have all of a collection; `None` for other drops.
pub fn parts(relation: DroppedAs) -> Option<u32> {
    match relation {
        DroppedAs::Collection { parts } => Some(parts),
        DroppedAs::Repeats(_) | DroppedAs::SameUrl => None,
    }
}

/// An explanation whose sentences have the names of Python's arguments.
pub fn with_python_names(mut story: Value) -> Value {
    let said = |value: &mut Value| {
        if let Value::String(text) = value {
            *text = in_python(text).into_owned();
        }
    };
    ["filter", "remark"]
        .into_iter()
        .filter_map(|name| story.get_mut(name).map(said))
        .for_each(drop);
    let notes = story.get_mut("notes").and_then(Value::as_array_mut);
    notes.into_iter().flatten().for_each(said);
    story
}

/// The pages with their texts.
fn read_again(
    findings: &Findings,
    ranks: impl Iterator<Item = Rank>,
    watch: &dyn Watch,
) -> Result<BTreeMap<PageNo, ComparedPage>> {
    let mut numbers: Vec<PageNo> = ranks.map(|rank| findings.by_id[rank.at()]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let (model, collection) = (&findings.model, &findings.collection);
    let read = &model.config().read;
    let row = |at: usize| collection.page(numbers[at]);
    let wanted: Vec<(u32, u64)> = (0..numbers.len())
        .map(|at| (row(at).source, row(at).record))
        .collect();
    watch.begin("texts", wanted.len() as u64);
    let make = |at: usize, source: &Source, record: Record| {
        let Outcome::Page(page) = record.parse(source, read) else {
            return None;
        };
        let text = model.text(&page).ok()?;
        let page = ComparedPage {
            id: collection.id(numbers[at]).into_owned(),
            scope: model.scope_of(&page, &text),
            site: page.site(),
            date: page.date,
            url: page.url,
            text,
        };
        // A different text in its place means that the file has changed.
        Some(page).filter(|page| text_hash(&page.text) == row(at).text_hash)
    };
    let mut pages = BTreeMap::new();
    let take = |at: usize, made: &mut Option<ComparedPage>| {
        watch.advance(1);
        let id = || collection.id(numbers[at]);
        let page = made.take().ok_or_else(|| {
            Error::usage(format!(
                "page `{}`: its text is not what it was in the run; run it again",
                id()
            ))
        })?;
        pages.insert(numbers[at], page);
        Ok(())
    };
    each_wanted(
        &findings.sources,
        read,
        &wanted,
        ReadOrder::Any,
        watch,
        make,
        take,
    )?;
    Ok(pages)
}

/// An explanation as the dict with a view for notebooks.
pub fn shown<'py>(py: Python<'py>, story: &Value) -> PyResult<Bound<'py, PyAny>> {
    let story = plain::to_python(py, &story.to_string())?;
    let module = py.import(intern!(py, "retold._drops"))?;
    module.call_method1(intern!(py, "Explanation"), (story,))
}
