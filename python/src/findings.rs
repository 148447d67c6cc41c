//! What a run found out.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::internal::{date_text, in_pool};
use retold::{Dedup, Dropped, DroppedAs, Error, Findings, PageNo, Rank};
use retold_report::{Against, Job, OutDir, OutputConfig, Request};

use crate::error::{InternalError, in_python, raise, usage};
use crate::job;
use crate::model::Model;
use crate::pages::Pages;
use crate::plain;
use crate::table::{Table, html_of};

/// What a run found out: tables as in the JSONL files of `retold dedup`, and the run in numbers.
///
/// >>> import retold
/// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
/// >>> found = retold.dedup([{"id": "a", "text": story}, {"id": "b", "text": story}])
/// >>> found.pairs.to_pylist()[0]["relation"], found.clusters.column("members"), found.kept.column("id"), len(found.rejects)
/// ('duplicate', [['a', 'b']], ['a'], 0)
/// >>> found.summary["records"]["dropped"], found.model.learnt
/// (1, 1)
#[pyclass(frozen, name = "Findings", module = "retold")]
pub struct PyFindings {
    findings: Findings,
    request: Request,
    /// The pages were passed as such and are the rows of one table, not records of files.
    are_rows: bool,
}

/// Rows of each table that a notebook shows of findings.
const FEW_SHOWN: usize = 5;

/// The columns of a table, in order.
pub type Columns = Vec<(&'static str, ArrayRef)>;

/// A batch of columns.
pub fn batch(columns: Columns) -> std::result::Result<RecordBatch, ArrowError> {
    RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )
}

fn table(columns: Columns) -> PyResult<Table> {
    let made = batch(columns).map_err(|error| InternalError::new_err(error.to_string()))?;
    Ok(Table(made))
}

pub fn strings(values: impl Iterator<Item = impl AsRef<str>>) -> ArrayRef {
    let mut column = StringBuilder::new();
    values.for_each(|value| column.append_value(value));
    Arc::new(column.finish())
}

/// Texts of which some may be missing.
pub fn some_strings(values: impl Iterator<Item = Option<String>>) -> ArrayRef {
    let mut column = StringBuilder::new();
    values.for_each(|value| column.append_option(value));
    Arc::new(column.finish())
}

pub fn numbers(values: impl Iterator<Item = impl Into<Option<i64>>>) -> ArrayRef {
    let mut column = Int64Builder::new();
    values.for_each(|value| column.append_option(value.into()));
    Arc::new(column.finish())
}

/// Six decimals, as in `pairs.jsonl`.
pub fn decimals(values: impl Iterator<Item = f32>) -> ArrayRef {
    let mut column = Float64Builder::new();
    for value in values {
        let written = format!("{value:.6}");
        column.append_value(written.parse().unwrap_or(f64::from(value)));
    }
    Arc::new(column.finish())
}

/// Lists of ids.
pub fn lists<'a>(values: impl Iterator<Item = Vec<Cow<'a, str>>>) -> ArrayRef {
    let mut column = ListBuilder::new(StringBuilder::new());
    for list in values {
        list.iter().for_each(|id| column.values().append_value(id));
        column.append(true);
    }
    Arc::new(column.finish())
}

/// `pairs.jsonl`.
pub fn pairs(findings: &Findings) -> Columns {
    let pairs = || findings.pairs.iter();
    vec![
        ("a", strings(pairs().map(|pair| findings.id(pair.a)))),
        ("b", strings(pairs().map(|pair| findings.id(pair.b)))),
        (
            "relation",
            strings(pairs().map(|pair| pair.relation.name())),
        ),
        ("similarity", decimals(pairs().map(|pair| pair.similarity))),
        (
            "length_ratio",
            decimals(pairs().map(|pair| pair.length_ratio)),
        ),
        (
            "shared",
            numbers(pairs().map(|pair| i64::from(pair.shared))),
        ),
        ("own_a", numbers(pairs().map(|pair| i64::from(pair.own_a)))),
        ("own_b", numbers(pairs().map(|pair| i64::from(pair.own_b)))),
    ]
}

/// `clusters.jsonl` without the numbers.
pub fn clusters(findings: &Findings) -> Columns {
    let clusters = || findings.clusters.iter();
    let members = |members: &[Rank]| members.iter().map(|&page| findings.id(page)).collect();
    vec![
        (
            "canonical",
            strings(clusters().map(|cluster| findings.id(cluster.canonical))),
        ),
        (
            "members",
            lists(clusters().map(|cluster| members(&cluster.members))),
        ),
    ]
}

/// `dropped.jsonl` without the clusters; with `mark` nothing is dropped.
pub fn dropped(findings: &Findings, mark: bool) -> Columns {
    let dropped = || findings.dropped.iter().filter(|_| !mark);
    vec![
        ("id", strings(dropped().map(|gone| findings.id(gone.page)))),
        (
            "canonical",
            strings(dropped().map(|gone| findings.id(gone.canonical))),
        ),
        (
            "relation",
            strings(dropped().map(|gone| gone.relation.name())),
        ),
        ("lost", numbers(dropped().map(|gone| i64::from(gone.lost)))),
        (
            "parts",
            numbers(dropped().map(|gone| match gone.relation {
                DroppedAs::Collection { parts } => Some(i64::from(parts)),
                DroppedAs::Repeats(_) | DroppedAs::SameUrl => None,
            })),
        ),
    ]
}

impl PyFindings {
    /// Findings in pages that came from no files.
    pub fn of(findings: Findings) -> PyFindings {
        PyFindings {
            findings,
            request: Request::default(),
            are_rows: false,
        }
    }

    /// Which of the pages that were passed it is, from 0; `None` of a page of a file.
    fn row(&self, page: PageNo) -> Option<i64> {
        (self.are_rows).then(|| self.findings.collection.page(page).record as i64 - 1)
    }
}

#[pymethods]
impl PyFindings {
    /// Related pages: `a`, `b` (a < b), `relation` of a to b, `similarity`, `length_ratio`, `shared`, and
    /// `own_a` and `own_b`, the words of a in passages that b does not have, and the other way round.
    #[getter]
    fn pairs(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| table(pairs(&self.findings)))
    }

    /// Pages that tell the same story: `cluster`, `canonical`, `members`.
    #[getter]
    fn clusters(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| {
            let mut columns = clusters(&self.findings);
            columns.insert(
                0,
                ("cluster", numbers(0..self.findings.clusters.len() as i64)),
            );
            table(columns)
        })
    }

    /// Stories, as `stories.jsonl` has them: `story` (the id of its first page), `part` (page, excerpt, longer or round_up), `id`.
    #[getter]
    fn stories(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| {
            let told = retold::stories(&self.findings);
            let rows = || told.iter().flat_map(|story| story.rows());
            table(vec![
                ("story", strings(rows().map(|row| row.story))),
                ("part", strings(rows().map(|row| row.part))),
                ("id", strings(rows().map(|row| row.id))),
            ])
        })
    }

    /// Pages that are dropped: `id`, the `canonical` page that is kept for it, the `relation` of the first to the second, the `cluster`
    /// and its `cluster_size`, how many words of its own are `lost` with it, of a collection how many `parts` stay, and the `row` of the page in the input that was passed, from 0 (None for pages of files).
    ///
    /// >>> import retold
    /// >>> texts = ["The ferry left late because of the storm.", "A bridge was opened.", "The ferry left late because of the storm."]
    /// >>> found = retold.dedup({"text": texts})
    /// >>> found.dropped.column("row"), [texts[row] for row in found.kept.column("row")]
    /// ([2], ['The ferry left late because of the storm.', 'A bridge was opened.'])
    #[getter]
    fn dropped(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| {
            let (findings, mark) = (&self.findings, self.request.output.mark);
            let mut columns = dropped(findings, mark);
            let mut of_clusters = Vec::new();
            let gone = findings.dropped.iter().filter(|_| !mark);
            let cluster_of = findings.cluster_of();
            let cluster = |gone: &Dropped| cluster_of[gone.page.at()];
            let size = |number: u32| findings.clusters[number as usize].members.len() as i64;
            of_clusters.push((
                "cluster",
                numbers(gone.clone().map(|gone| cluster(gone).map(i64::from))),
            ));
            let sizes = gone.clone().map(|gone| cluster(gone).map_or(1, size));
            of_clusters.push(("cluster_size", numbers(sizes)));
            // The order of `dropped.jsonl`.
            columns.splice(3..3, of_clusters);
            let rows = gone.map(|gone| self.row(findings.by_id[gone.page.at()]));
            columns.push(("row", numbers(rows)));
            table(columns)
        })
    }

    /// With `same_url`, the pages of each URL that several pages have, the newest first: the `newest`, `id`, `date`.
    #[getter]
    fn versions(&self, py: Python<'_>) -> PyResult<Table> {
        let findings = &self.findings;
        let rows = || {
            let versions = findings.collection.versions.iter();
            versions.flat_map(|pages| pages.iter().map(move |&page| (pages[0], page)))
        };
        let date = |page: Rank| findings.page(page).date.and_then(date_text);
        py.detach(|| {
            table(vec![
                (
                    "newest",
                    strings(rows().map(|(newest, _)| findings.id(newest))),
                ),
                ("id", strings(rows().map(|(_, page)| findings.id(page)))),
                ("date", some_strings(rows().map(|(_, page)| date(page)))),
            ])
        })
    }

    /// Pages that are kept: `id`, and the `row` of the page in the input that was passed, from 0 (None for pages of files); in the
    /// order of reading.
    #[getter]
    fn kept(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| {
            let findings = &self.findings;
            let mut is_dropped = vec![false; findings.by_id.len()];
            if !self.request.output.mark {
                findings
                    .dropped
                    .iter()
                    .for_each(|gone| is_dropped[findings.by_id[gone.page.at()].at()] = true);
            }
            let pages = PageNo::first(is_dropped.len()).zip(is_dropped);
            let kept: Vec<PageNo> = pages
                .filter_map(|(page, is_dropped)| (!is_dropped).then_some(page))
                .collect();
            table(vec![
                (
                    "id",
                    strings(kept.iter().map(|&page| findings.collection.id(page))),
                ),
                ("row", numbers(kept.iter().map(|&page| self.row(page)))),
            ])
        })
    }

    /// Records that could not be read: `source`, `record` (from 1), `reason`.
    #[getter]
    fn rejects(&self, py: Python<'_>) -> PyResult<Table> {
        let rejects = || self.findings.collection.rejects.iter();
        let source = |number: u32| self.findings.sources[number as usize].name.as_str();
        py.detach(|| {
            table(vec![
                (
                    "source",
                    strings(rejects().map(|reject| source(reject.source))),
                ),
                (
                    "record",
                    numbers(rejects().map(|reject| reject.record as i64)),
                ),
                (
                    "reason",
                    strings(rejects().map(|reject| in_python(&reject.reason).into_owned())),
                ),
            ])
        })
    }

    /// The run in numbers, as in `summary.json`.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let summary = py.detach(|| {
            serde_json::to_string(&retold_report::summary(&self.findings, &self.request))
        });
        let summary = summary.map_err(|error| InternalError::new_err(error.to_string()))?;
        plain::to_python(py, &summary)
    }

    /// The model that judged the pages, with what it learnt from them.
    #[getter]
    fn model(&self) -> Model {
        Model(self.findings.model.clone())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "Findings hold all that is kept of the pages and cannot be pickled: pickle the tables (found.dropped and so on), found.summary \
             or found.model",
        ))
    }

    /// The run in a line and the first rows of each table that has any, as notebooks show them.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let line = self.__repr__();
        let line = line.trim_matches(['<', '>']);
        let mut html = format!("<p>{line}</p>");
        let mark = self.request.output.mark;
        let tables = [
            ("pairs", pairs(&self.findings)),
            ("clusters", clusters(&self.findings)),
            ("dropped", dropped(&self.findings, mark)),
        ];
        for (name, columns) in tables {
            let Table(batch) = table(columns)?;
            if batch.num_rows() > 0 {
                html += &format!("<h4>{name}</h4>{}", html_of(py, &batch, FEW_SHOWN)?);
            }
        }
        Ok(html)
    }

    fn __repr__(&self) -> String {
        let gone = if self.request.output.mark {
            0
        } else {
            self.findings.dropped.len()
        };
        format!(
            "<retold.Findings: {} pages, {gone} dropped, {} pairs, {} clusters>",
            self.findings.by_id.len(),
            self.findings.pairs.len(),
            self.findings.clusters.len()
        )
    }
}

/// Finds near-duplicates, reprints and contained pages.
///
/// `pages` is a path or several (all formats that `retold dedup` reads), a table with the Arrow PyCapsule interface (pyarrow,
/// polars, pandas, DuckDB; a LazyFrame is collected), a dict of columns, or an iterable of dicts; a record has `text` (or `html`, str or bytes), and may have `id`, `url`
/// and `date`. Options are those of `retold dedup`, by their long names with `_` for `-`; parameters of the method go
/// into `params`. A `model` that has learnt judges by what it knows; with a model, only options of the output can be set (`kept`, `mark`,
/// `annotate`, `annotate_as`, `stories`, `revisits`, `names`, `tables`, `report_text`, `alarm_size`).
///
/// `out` is a folder to write, as in `retold dedup -o`; then `pages` must be paths. `threads` (0: one per core), `memory` (bytes
/// for the data about the pages, as in 4000000000 or "4G") and `temp_dir` do not change the result. `progress` is True, or a callable that takes (stage, done, total).
///
/// >>> import retold
/// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
/// >>> pages = [
/// ...     {"id": "original", "text": story},
/// ...     {"id": "reprint", "text": story + " Read more news tomorrow."},
/// ...     {"id": "other", "text": "A new bridge was opened on Monday. The mayor cut the ribbon in front of many people."},
/// ... ]
/// >>> found = retold.dedup(pages)
/// >>> found
/// <retold.Findings: 3 pages, 1 dropped, 1 pairs, 1 clusters>
/// >>> found.kept.column("id")
/// ['reprint', 'other']
/// >>> retold.dedup(pages, canonical="first", params={"threshold": 0.8}).kept.column("id")
/// ['original', 'other']
#[pyfunction]
#[pyo3(
    signature = (pages, *, model=None, out=None, force=false, threads=0, memory=None, temp_dir=None, allow_empty=false, progress=None, **options),
    text_signature = "(pages, *, model=None, out=None, force=False, threads=0, memory=None, temp_dir=None, allow_empty=False, progress=None, kept=True, mark=False, annotate=False, annotate_as=None, stories=False, revisits=False, names='retold', tables='jsonl', report_text=None, alarm_size=1000, text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864, across=None, within=[], window=None, same_url='off', versions='newest', fold=['nfkc', 'case', 'simplify'], extract=None, user_dict=None, synonyms=None, stop_words=None, knowledge=None, method='coverage', preset=None, params={}, own=None, exact=True, cluster='two-edge', canonical='longest', rank=None, drop='both', collections='parts')"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn dedup<'py>(
    py: Python<'py>,
    pages: &Bound<'py, PyAny>,
    model: Option<&Bound<'py, Model>>,
    out: Option<PathBuf>,
    force: bool,
    threads: usize,
    memory: Option<Bound<'py, PyAny>>,
    temp_dir: Option<PathBuf>,
    allow_empty: bool,
    progress: Option<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<PyFindings> {
    let mut options = plain::options(options)?;
    let output = OutputConfig::taken_from(&mut options).map_err(raise)?;
    let model = Model::given(model, options)?;
    let run = job::resources(threads, memory, temp_dir.clone(), allow_empty)?;
    let mut pages = Pages::of(pages, &model.config().read, temp_dir.as_ref())?;
    let inputs = pages.names();
    let mut sources = std::mem::take(&mut pages.sources);
    if let Some(out) = &out {
        if inputs.is_empty() {
            return Err(usage(
                "out= writes files without their copies: name files as pages, or leave it out",
            ));
        }
        sources = retold_report::sources(&Job {
            inputs: pages.paths.clone(),
            stdin: None,
            against: Against::Nothing,
            judge: model.config().clone(),
            run: run.clone(),
            output: output.clone(),
            out: out.clone(),
            force,
            resume: false,
        })
        .map_err(raise)?;
    }
    let are_rows = inputs.is_empty();
    let request = Request::new(inputs, &output, &run);
    let findings = job::run(py, progress, |watch| {
        let out = out
            .map(|out| OutDir::open(&out, force, false))
            .transpose()?;
        let findings = Dedup::new(model)
            .resources(&run)
            .watch(watch)
            .run(sources)?;
        if let Some(out) = out {
            in_pool(threads, || {
                retold_report::write(&findings, &request, out, watch)
            })?;
        }
        Ok::<_, Error>(findings)
    })?;
    Ok(PyFindings {
        findings,
        request,
        are_rows,
    })
}
