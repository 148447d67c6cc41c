//! Passages that pages have in common.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::BooleanBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::internal::{date_text, in_pool};
use retold::passages::PassageOptions;
use retold::{Dedup, Error, Findings};

use crate::error::{InternalError, raise};
use crate::findings::{Columns, batch, numbers, some_strings, strings};
use crate::job;
use crate::model::Model;
use crate::pages::Pages;
use crate::plain;
use crate::table::Table;

/// Passages that pages have in common, as tables like the JSONL files of `retold passages`.
///
/// >>> import retold
/// >>> verse = "the curfew tolls the knell of parting day the lowing herd wind slowly over the lea"
/// >>> found = retold.passages([{"id": "a", "text": "once more " + verse}, {"id": "b", "text": verse + " as they say"}], min_words=8)
/// >>> found.passages.column("id"), found.pairs.column("matched"), len(found.copies)
/// (['a', 'b'], [16], 0)
#[pyclass(frozen, module = "retold")]
pub struct Passages {
    passages: RecordBatch,
    pairs: RecordBatch,
    copies: RecordBatch,
    common: RecordBatch,
}

#[pymethods]
impl Passages {
    /// Places of passages: `cluster`, `size`, `id`, `begin`, `end`, `site`, `date`, `first`, `boilerplate`, and `text` if requested.
    #[getter]
    fn passages(&self) -> Table {
        Table(self.passages.clone())
    }

    /// Passages shared by two pages: `a`, `a_begin`, `a_end`, `a_begin_byte`, `a_end_byte`, the same for `b`, `matched`, `score`.
    #[getter]
    fn pairs(&self) -> Table {
        Table(self.pairs.clone())
    }

    /// Pages with the same text as another page, which stands for them: `id`, `of`.
    #[getter]
    fn copies(&self) -> Table {
        Table(self.copies.clone())
    }

    /// The most common word runs among those on more than `max_df` pages, for which `pairs` has only some of their pairs: number of `pages`, `id` of one of them, `text`.
    #[getter]
    fn common(&self) -> Table {
        Table(self.common.clone())
    }

    fn __repr__(&self) -> String {
        format!(
            "<retold.Passages: {} places, {} pairs, {} copies>",
            self.passages.num_rows(),
            self.pairs.num_rows(),
            self.copies.num_rows()
        )
    }
}

pub fn flags(values: impl Iterator<Item = bool>) -> ArrayRef {
    let mut column = BooleanBuilder::new();
    values.for_each(|value| column.append_value(value));
    Arc::new(column.finish())
}

fn places(findings: &Findings, found: &retold::passages::Passages, with_text: bool) -> Columns {
    let (rows, page) = (|| found.rows(), |page| findings.page(page));
    let site = |row: retold::passages::PassageRow| {
        let site = findings.collection.site(&page(row.page));
        site.map(str::to_owned)
    };
    let mut columns: Columns = vec![
        ("cluster", numbers(rows().map(|row| i64::from(row.cluster)))),
        ("size", numbers(rows().map(|row| i64::from(row.size)))),
        ("id", strings(rows().map(|row| findings.id(row.page)))),
        ("begin", numbers(rows().map(|row| i64::from(row.place.0)))),
        ("end", numbers(rows().map(|row| i64::from(row.place.1)))),
        (
            "begin_byte",
            numbers(rows().map(|row| row.bytes.map(|bytes| i64::from(bytes.0)))),
        ),
        (
            "end_byte",
            numbers(rows().map(|row| row.bytes.map(|bytes| i64::from(bytes.1)))),
        ),
        ("site", some_strings(rows().map(site))),
        (
            "date",
            some_strings(rows().map(|row| page(row.page).date.and_then(date_text))),
        ),
        ("first", flags(rows().map(|row| row.first))),
        ("boilerplate", flags(rows().map(|row| row.boilerplate))),
    ];
    if with_text {
        columns.push(("text", some_strings(rows().map(|row| row.text))));
    }
    columns
}

fn pairs(findings: &Findings, found: &retold::passages::Passages) -> Columns {
    let number = |of: fn(retold::passages::PassagePair) -> u32| {
        numbers(found.pairs().map(move |pair| i64::from(of(pair))))
    };
    let byte = |of: fn(retold::passages::PassagePair) -> Option<u32>| {
        numbers(found.pairs().map(move |pair| of(pair).map(i64::from)))
    };
    vec![
        ("a", strings(found.pairs().map(|pair| findings.id(pair.a)))),
        ("a_begin", number(|pair| pair.a_place.0)),
        ("a_end", number(|pair| pair.a_place.1)),
        ("a_begin_byte", byte(|pair| Some(pair.a_bytes?.0))),
        ("a_end_byte", byte(|pair| Some(pair.a_bytes?.1))),
        ("b", strings(found.pairs().map(|pair| findings.id(pair.b)))),
        ("b_begin", number(|pair| pair.b_place.0)),
        ("b_end", number(|pair| pair.b_place.1)),
        ("b_begin_byte", byte(|pair| Some(pair.b_bytes?.0))),
        ("b_end_byte", byte(|pair| Some(pair.b_bytes?.1))),
        ("matched", number(|pair| pair.matched)),
        ("score", number(|pair| pair.score)),
    ]
}

fn copies(findings: &Findings, found: &retold::passages::Passages) -> Columns {
    let copies = || found.copies.iter();
    vec![
        ("id", strings(copies().map(|(copy, _)| findings.id(*copy)))),
        ("of", strings(copies().map(|(_, of)| findings.id(*of)))),
    ]
}

fn common(findings: &Findings, found: &retold::passages::Passages) -> Columns {
    let common = || found.most_common.iter();
    vec![
        ("pages", numbers(common().map(|run| i64::from(run.df)))),
        ("id", strings(common().map(|run| findings.id(run.page)))),
        ("text", strings(common().map(|run| run.text.as_str()))),
    ]
}

/// Finds passages that pages have in common, with their places.
///
/// `pages` and the options for reading are as in `retold.dedup`. Finds every run of `min_words` words (`min_chars` characters in scripts
/// without spaces) that two pages share, unless it repeats one or two words. If it is on more than `max_df` pages, `passages` has all of
/// them, and `pairs` some of their pairs. A passage extends beyond the run across up to `gap` differing words. Offsets count characters of `retold.text(page)`. With `text`, the texts of passages are returned, too.
///
/// >>> import retold
/// >>> verse = "the curfew tolls the knell of parting day the lowing herd wind slowly over the lea"
/// >>> pages = [{"id": "poem", "text": verse}, {"id": "essay", "text": "Everybody knows how it begins: " + verse + ", and so on."}]
/// >>> found = retold.passages(pages, min_words=12)
/// >>> [(place["id"], place["begin"], place["end"]) for place in found.passages.to_pylist()]
/// [('essay', 31, 113), ('poem', 0, 82)]
#[pyfunction]
#[pyo3(
    signature = (pages, *, min_words=25, min_chars=40, max_df=20, gap=100, source_overlap=0.9, target_overlap=0.5, text=false, model=None, threads=0, memory=None, temp_dir=None, allow_empty=false, progress=None, **options),
    text_signature = "(pages, *, min_words=25, min_chars=40, max_df=20, gap=100, source_overlap=0.9, target_overlap=0.5, text=False, model=None, threads=0, memory=None, temp_dir=None, allow_empty=False, progress=None, **options)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn passages<'py>(
    py: Python<'py>,
    pages: &Bound<'py, PyAny>,
    min_words: u32,
    min_chars: u32,
    max_df: u32,
    gap: u32,
    source_overlap: f64,
    target_overlap: f64,
    text: bool,
    model: Option<&Bound<'py, Model>>,
    threads: usize,
    memory: Option<Bound<'py, PyAny>>,
    temp_dir: Option<PathBuf>,
    allow_empty: bool,
    progress: Option<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Passages> {
    let model = Model::given(model, plain::options(options)?)?;
    let wanted = PassageOptions {
        min_words,
        min_chars,
        max_df,
        gap,
        source_overlap,
        target_overlap,
        text,
    };
    wanted.check().map_err(raise)?;
    let run = job::resources(threads, memory, temp_dir.clone(), allow_empty)?;
    let mut pages = Pages::of(pages, &model.config().read, temp_dir.as_ref())?;
    let sources = std::mem::take(&mut pages.sources);
    let (findings, found) = job::run(py, progress, |watch| {
        let findings = Dedup::new(model)
            .resources(&run)
            .watch(watch)
            .run(sources)?;
        let found = in_pool(threads, || {
            retold::passages::passages(&findings, &wanted, watch)
        })?;
        Ok::<_, Error>((findings, found))
    })?;
    let tables = py.detach(|| {
        Ok::<_, arrow_schema::ArrowError>(Passages {
            passages: batch(places(&findings, &found, text))?,
            pairs: batch(pairs(&findings, &found))?,
            copies: batch(copies(&findings, &found))?,
            common: batch(common(&findings, &found))?,
        })
    });
    tables.map_err(|error| InternalError::new_err(error.to_string()))
}
