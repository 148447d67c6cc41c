//! Pages, their sketches and what is learnt from them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;
use retold::internal::{SketchedPage, date_seconds, text_hash};
use retold::read::{Outcome, Source};
use retold::{Collection, Error, Judgement, Page};
use xxhash_rust::xxh3::xxh3_64;

use super::numbers::Numbers;
use super::rows::{Rows, answer, work};
use crate::error::{in_python, raise};
use crate::model::Model;
use crate::pages::{columns, line};

/// The number of a text, which exact copies share; of a page that copies nothing by its text alone, a number of its own. Of
/// 10⁹ texts the chance that any two share one by accident is 3 in 100; they would then be looked at together, no more.
fn node(model: &retold::Model, id: &str, text: Option<u128>) -> i64 {
    let name = match text {
        Some(text) if model.config().exact => xxh3_64(&text.to_le_bytes()),
        _ => xxh3_64(id.as_bytes()),
    };
    name as i64
}

/// The page in a row, or why there is none.
fn page(
    columns: &[(String, ArrayRef)],
    row: usize,
    model: &retold::Model,
) -> std::result::Result<Page, String> {
    let read = &model.config().read;
    // What a record without id and URL would be called: in a table that nothing orders, it has no number.
    const NAMELESS: &str = "\u{0}";
    match Source::line(NAMELESS, 1, &line(columns, row), read) {
        Outcome::Page(page) if page.id.starts_with(NAMELESS) => Err(format!(
            "neither field `{}` nor `{}`: a page needs an id",
            read.id_field, read.url_field
        )),
        Outcome::Page(page) => Ok(page),
        Outcome::Rejected(reason) => {
            Err(in_python(reason.trim_start_matches("line 1: ")).into_owned())
        }
        Outcome::Skipped(kind) => Err(kind.into_owned()),
    }
}

/// Pages become sketches: `id`, `node`, `date`, `bytes`, `site`, `seen` (by rules beside the method's), `sketch` (without its site); or
/// a `reason`.
#[pyfunction]
pub fn sketch_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
) -> PyResult<Bound<'py, PyAny>> {
    let model = &model.get().0;
    work(py, rows, |rows| {
        let columns = columns(&rows.0, &model.config().read)?;
        let [mut ids, mut sites, mut reasons] = [0; 3].map(|_| StringBuilder::new());
        let [mut nodes, mut dates, mut sizes] = [0; 3].map(|_| Int64Builder::new());
        let [mut sketches, mut seen] = [0; 2].map(|_| BinaryBuilder::new());
        for row in 0..rows.0.num_rows() {
            let page = page(&columns, row, model);
            let made = page.and_then(|page| {
                let text = model.text(&page).map_err(|e| e.to_string())?;
                Ok((text, page))
            });
            let (text, page) = match made {
                Ok(made) => made,
                Err(reason) => {
                    let id = columns
                        .iter()
                        .find(|(name, _)| *name == model.config().read.id_field);
                    let id = id.filter(|(_, column)| column.is_valid(row));
                    ids.append_option(id.map(|(_, column)| column.as_string::<i64>().value(row)));
                    nodes.append_null();
                    dates.append_null();
                    sizes.append_null();
                    sites.append_null();
                    sketches.append_null();
                    seen.append_null();
                    reasons.append_value(reason);
                    continue;
                }
            };
            let sketch = model.sketch(&text, None)?;
            let date = page.date.as_deref().and_then(date_seconds);
            ids.append_value(&page.id);
            nodes.append_value(node(model, &page.id, sketch.text_hash));
            dates.append_option(date.or_else(|| text.meta.date.as_deref().and_then(date_seconds)));
            sizes.append_value(page.content.len() as i64);
            sites.append_option(page.site());
            sketches.append_value(sketch.to_bytes());
            let numbers = model.seen(&page, &text, "");
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
            seen.append_value(bytes.collect::<Vec<u8>>());
            reasons.append_null();
        }
        Ok(vec![
            ("id", Arc::new(ids.finish())),
            ("node", Arc::new(nodes.finish())),
            ("date", Arc::new(dates.finish())),
            ("bytes", Arc::new(sizes.finish())),
            ("site", Arc::new(sites.finish())),
            ("seen", Arc::new(seen.finish())),
            ("sketch", Arc::new(sketches.finish())),
            ("reason", Arc::new(reasons.finish())),
        ])
    })
}

/// The model with what it learns from sketches: batches with the columns `site` and `sketch`.
#[pyfunction]
pub fn learn_sketches<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: AnyRecordBatch,
) -> PyResult<Model> {
    let model = &model.get().0;
    let reader = rows.into_reader()?;
    let learnt = py.detach(|| {
        let mut collection = Collection::default();
        for rows in reader {
            let rows = Rows(rows.map_err(|error| Error::usage(error.to_string()))?);
            for row in 0..rows.0.num_rows() {
                collection.push(SketchedPage {
                    id: "",
                    title: None,
                    date: None,
                    bytes: 0,
                    seen: &[],
                    sketch: &rows.sketch_on_site(row)?,
                })?;
            }
        }
        Ok(match collection.knowledge(model)? {
            Some(known) => model.with_knowledge(known),
            None => model.clone(),
        })
    });
    learnt.map(Model).map_err(raise)
}

/// `node_a`, `sketch_a`, `node_b`, `sketch_b` become `a`, `b`: the nodes that may be related, as far as sketches tell.
#[pyfunction]
pub fn judge_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
) -> PyResult<Bound<'py, PyAny>> {
    let model = &model.get().0;
    work(py, rows, |rows| {
        let [mut a, mut b] = [0; 2].map(|_| Int64Builder::new());
        let nodes = [rows.numbers("node_a"), rows.numbers("node_b")];
        for row in 0..rows.0.num_rows() {
            let [x, y] = nodes.map(|column| column.value(row));
            let judged = || {
                Ok(model.judge(
                    &rows.sketch("sketch_a", row)?,
                    &rows.sketch("sketch_b", row)?,
                ))
            };
            if x != y && judged()? != Judgement::No {
                a.append_value(x.max(y));
                b.append_value(x.min(y));
            }
        }
        Ok(vec![
            ("a", Arc::new(a.finish())),
            ("b", Arc::new(b.finish())),
        ])
    })
}

/// Edges, `a` and `b`, become `node` and `component`: the smallest node of each connected component names it.
#[pyfunction]
pub fn connected<'py>(py: Python<'py>, rows: AnyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
    let reader = rows.into_reader()?;
    let made = py.detach(|| {
        let mut parent: HashMap<i64, i64> = HashMap::new();
        fn root(parent: &mut HashMap<i64, i64>, mut node: i64) -> i64 {
            loop {
                let up = *parent.entry(node).or_insert(node);
                if up == node {
                    return node;
                }
                let above = parent[&up];
                parent.insert(node, above);
                node = above;
            }
        }
        for rows in reader {
            let rows = Rows(rows.map_err(|error| Error::usage(error.to_string()))?);
            for (a, b) in rows
                .numbers("a")
                .values()
                .iter()
                .zip(rows.numbers("b").values())
            {
                let (a, b) = (root(&mut parent, *a), root(&mut parent, *b));
                parent.insert(a.max(b), a.min(b));
            }
        }
        let mut nodes: Vec<i64> = parent.keys().copied().collect();
        nodes.sort_unstable();
        let components: Int64Array = nodes
            .iter()
            .map(|&node| Some(root(&mut parent, node)))
            .collect();
        let nodes: ArrayRef = Arc::new(Int64Array::from(nodes));
        Ok(vec![
            ("node", nodes),
            ("component", Arc::new(components) as ArrayRef),
        ])
    });
    answer(py, made.map_err(raise)?)
}

/// The fields that options beside those of reading want.
#[pyfunction]
pub fn more_fields(model: &Bound<'_, Model>) -> Vec<String> {
    model.get().0.config().read.more_fields.clone()
}

/// Whether the model deletes keys from sketches.
#[pyfunction]
pub fn deletes(model: &Bound<'_, Model>) -> bool {
    let known = model.get().0.knowledge();
    known.is_some_and(|known| !known.deletes_nothing())
}

/// Whether the model verifies on texts what sketches leave in doubt.
#[pyfunction]
pub fn verifies(model: &Bound<'_, Model>) -> bool {
    model.get().0.verifier().is_some()
}

/// Whether the method counts what one page says and another does not.
#[pyfunction]
pub fn counts_own(model: &Bound<'_, Model>) -> bool {
    model.get().0.method().counts_own()
}

/// A number for each `id`.
#[pyfunction]
pub fn name_rows<'py>(py: Python<'py>, rows: PyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
    work(py, rows, |rows| {
        let ids = rows.strings("id").iter().flatten();
        let names: Int64Array = ids.map(|id| Some(xxh3_64(id.as_bytes()) as i64)).collect();
        let components = rows.numbers("component").clone();
        Ok(vec![
            ("name", Arc::new(names)),
            ("component", Arc::new(components)),
        ])
    })
}

/// Pages whose ids are among the numbers become `component` (the number beside), `id`, and `fingerprint`: the 16 bytes of the text's
/// hash, and the text's fingerprint.
#[pyfunction]
pub fn fingerprint_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
    wanted: &Bound<'py, Numbers>,
) -> PyResult<Bound<'py, PyAny>> {
    let (model, wanted) = (&model.get().0, wanted.get());
    work(py, rows, |rows| {
        let columns = columns(&rows.0, &model.config().read)?;
        let (mut components, mut ids, mut fingerprints) = (
            Int64Builder::new(),
            StringBuilder::new(),
            BinaryBuilder::new(),
        );
        let verifier = model
            .verifier()
            .ok_or_else(|| Error::usage("the model verifies nothing"))?;
        for row in 0..rows.0.num_rows() {
            let Ok(page) = page(&columns, row, model) else {
                continue;
            };
            let Some(component) = wanted.beside(xxh3_64(page.id.as_bytes()) as i64) else {
                continue;
            };
            let text = model.text(&page)?;
            let Some(hash) = text_hash(&text) else {
                continue;
            };
            let mut fingerprint = hash.to_le_bytes().to_vec();
            fingerprint.extend(
                verifier
                    .fingerprint(&text)
                    .iter()
                    .flat_map(|number| number.to_le_bytes()),
            );
            components.append_value(component);
            ids.append_value(page.id);
            fingerprints.append_value(fingerprint);
        }
        Ok(vec![
            ("component", Arc::new(components.finish())),
            ("id", Arc::new(ids.finish())),
            ("fingerprint", Arc::new(fingerprints.finish())),
        ])
    })
}
