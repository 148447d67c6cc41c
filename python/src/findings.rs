//! The results of a run.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::internal::{date_text, in_pool};
use retold::{Dedup, Dropped, Error, Findings, PageNo, Rank};
use retold_report::{Against, Agreement, Job, OutDir, OutputConfig, Request};

use crate::drops::{explained, parts, shown};
use crate::error::{InternalError, in_python, raise, usage};
use crate::job;
use crate::model::Model;
use crate::pages::Pages;
use crate::plain;
use crate::table::{Table, html_of};

/// The results of a run: tables like the JSONL files of `retold dedup`, and statistics.
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
    /// The pages were rows of one table, not records of files.
    are_rows: bool,
    /// The pages as they came, for `sample` and `explain`; a temporary file is held as long.
    _pages: Option<Pages>,
}

const FEW_SHOWN: usize = 5;

pub type Columns = Vec<(&'static str, ArrayRef)>;

pub fn batch(columns: Columns) -> std::result::Result<RecordBatch, ArrowError> {
    RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )
}

pub fn table(columns: Columns) -> PyResult<Table> {
    let made = batch(columns).map_err(|error| InternalError::new_err(error.to_string()))?;
    Ok(Table(made))
}

pub fn strings(values: impl Iterator<Item = impl AsRef<str>>) -> ArrayRef {
    let mut column = StringBuilder::new();
    values.for_each(|value| column.append_value(value));
    Arc::new(column.finish())
}

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

/// Rounded to six decimals, as in `pairs.jsonl`.
pub fn decimals(values: impl Iterator<Item = f32>) -> ArrayRef {
    let mut column = Float64Builder::new();
    for value in values {
        let written = format!("{value:.6}");
        column.append_value(written.parse().unwrap_or(f64::from(value)));
    }
    Arc::new(column.finish())
}

pub fn some_decimals(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    let mut column = Float64Builder::new();
    values.for_each(|value| column.append_option(value));
    Arc::new(column.finish())
}

pub fn lists<'a>(values: impl Iterator<Item = Vec<Cow<'a, str>>>) -> ArrayRef {
    let mut column = ListBuilder::new(StringBuilder::new());
    for list in values {
        list.iter().for_each(|id| column.values().append_value(id));
        column.append(true);
    }
    Arc::new(column.finish())
}

/// The columns of `pairs.jsonl`.
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

/// The columns of `clusters.jsonl`, without numbers.
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

/// How many agree on each cluster, as in `clusters.jsonl`.
pub fn agreements(findings: &Findings) -> Columns {
    let all = Agreement::of_clusters(findings);
    let number = |of: fn(&Agreement) -> u64| numbers(all.iter().map(|one| of(one) as i64));
    let date = |of: fn(&Agreement) -> Option<i64>| {
        some_strings(all.iter().map(|one| of(one).and_then(date_text)))
    };
    vec![
        ("pages", number(|one| one.pages)),
        ("sites", number(|one| one.sites)),
        ("inputs", number(|one| one.inputs)),
        ("first_date", date(|one| one.first_date)),
        ("last_date", date(|one| one.last_date)),
        ("lost", number(|one| one.lost)),
    ]
}

/// The columns of `dropped.jsonl`, without clusters; with `mark` nothing is dropped.
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
            numbers(dropped().map(|gone| parts(gone.relation).map(i64::from))),
        ),
    ]
}

impl PyFindings {
    /// Results for pages that came from no files.
    pub fn of(findings: Findings) -> PyFindings {
        PyFindings {
            findings,
            request: Request::default(),
            are_rows: false,
            _pages: None,
        }
    }

    /// The row of a page in the input, from 0; `None` for pages of files.
    fn row(&self, page: PageNo) -> Option<i64> {
        (self.are_rows).then(|| self.findings.collection.page(page).record as i64 - 1)
    }

    /// The dropped pages; with `mark` there are none.
    fn gone(&self) -> impl Iterator<Item = &Dropped> + Clone {
        let mark = self.request.output.mark;
        self.findings.dropped.iter().filter(move |_| !mark)
    }

    /// Explanations of these drops, for notebooks too.
    fn explanations<'py>(
        &self,
        py: Python<'py>,
        drops: &[Dropped],
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if self.findings.sources.is_empty() {
            return Err(usage(
                "these are pages of an index, which has their texts: ask its explain(a, b)",
            ));
        }
        let stories = job::run(py, None, |watch| explained(&self.findings, drops, watch))?;
        stories.iter().map(|story| shown(py, story)).collect()
    }
}

#[pymethods]
impl PyFindings {
    /// Related pages: `a`, `b` (a < b), `relation` of a to b, `similarity`, `length_ratio`, `shared`, `own_a` (words in passages that only
    /// a has) and `own_b`.
    #[getter]
    fn pairs(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| table(pairs(&self.findings)))
    }

    /// Pages that tell the same story: `cluster`, `canonical`, `members`, and how many agree: `pages` (exact copies of one site count once),
    /// `sites`, `inputs`, `first_date`, `last_date`, and the number of own words `lost`.
    #[getter]
    fn clusters(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| {
            let mut columns = clusters(&self.findings);
            columns.insert(
                0,
                ("cluster", numbers(0..self.findings.clusters.len() as i64)),
            );
            columns.extend(agreements(&self.findings));
            table(columns)
        })
    }

    /// Stories, as in `stories.jsonl`: `story` (the id of its first page), `part` (page, excerpt, longer or round_up), `id`.
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

    /// Dropped pages: `id`, the `canonical` page kept instead, their `relation`, the `cluster` and `cluster_size`, the number of words
    /// `lost`, for a collection the number of kept `parts`, and the `row` in the input, from 0 (None for pages of files).
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
            let gone = self.gone();
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

    /// With `same_url`, pages with the same URL, newest first: the `newest`, `id`, `date`.
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

    /// Kept pages in the order of reading: `id`, and the `row` in the input, from 0 (None for pages of files).
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

    /// Statistics of the run, as in `summary.json`.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let summary = py.detach(|| {
            serde_json::to_string(&retold_report::summary(&self.findings, &self.request))
        });
        let summary = summary.map_err(|error| InternalError::new_err(error.to_string()))?;
        plain::to_python(py, &summary)
    }

    /// The model of the run, with what it learnt.
    #[getter]
    fn model(&self) -> Model {
        Model(self.findings.model.clone())
    }

    /// Explains why the page with this id was dropped, as a dict that notebooks show as both texts side by side.
    ///
    /// It is what `retold.explain` says of the dropped page `a` and the page `b` that is kept instead (the largest of several that together
    /// have a collection), and has `dropped` (`id`, `canonical`, `relation`, `lost`, `parts`), and `only_a` and `only_b`, the passages that
    /// only one of them has. The texts are read again.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> found = retold.dedup([{"id": "a", "text": story + " Read more."}, {"id": "b", "text": "From our reporter. " + story}])
    /// >>> why = found.explain("a")
    /// >>> why["dropped"]["canonical"], why["only_a"], why["only_b"]
    /// ('b', ['Read more.'], ['From our reporter.'])
    fn explain<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Bound<'py, PyAny>> {
        let findings = &self.findings;
        let found = findings
            .by_id
            .binary_search_by(|&page| (*findings.collection.id(page)).cmp(id));
        let rank = found.map_err(|_| usage(format!("no page has the id `{id}`")))?;
        let mut drops = self.gone();
        let drop = drops.find(|drop| drop.page.at() == rank).ok_or_else(|| {
            usage(format!(
                "`{id}` was not dropped; the column `id` of `dropped` has those that were"
            ))
        })?;
        let mut all = self.explanations(py, &[*drop])?;
        all.pop()
            .ok_or_else(|| InternalError::new_err("an explanation is missing"))
    }

    /// Explains at most `n` random drops, as `explain` does, in a list that notebooks show with both texts side by side. Exact copies and
    /// older versions are left out. The same `seed` gives the same drops.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> found = retold.dedup({"text": [story, story + " Read more."]})
    /// >>> [drop["only_b"] for drop in found.sample(1)]
    /// [['Read more.']]
    #[pyo3(signature = (n=10, *, seed=0))]
    fn sample<'py>(&self, py: Python<'py>, n: usize, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        let drops = match self.request.output.mark {
            true => Vec::new(),
            false => retold_report::random_drops(&self.findings, n, seed),
        };
        let drops = self.explanations(py, &drops)?;
        let module = py.import(intern!(py, "retold._drops"))?;
        module.call_method1(intern!(py, "Sample"), (drops,))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "Findings hold all that is kept of the pages and cannot be pickled: pickle the tables (found.dropped and so on), found.summary \
             or found.model",
        ))
    }

    /// A summary line and the first rows of each non-empty table, for notebooks.
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
/// `pages` is a path or several (in any format that `retold dedup` reads), a table with the Arrow PyCapsule interface (pyarrow, polars,
/// pandas, DuckDB; a LazyFrame is collected), a dict of columns, or an iterable of dicts. A record has `text` (or `html`, str or bytes),
/// and may have `id`, `url` and `date`. Options are the long options of `retold dedup` with `_` for `-`; parameters of the method go into
/// `params`. A `model` is used with what it has learnt; then only options of the output can be set (`kept`, `mark`, `annotate`,
/// `annotate_as`, `stories`, `revisits`, `names`, `tables`, `report_text`, `alarm_size`, `stop_if`).
///
/// `out` is a folder to write, as in `retold dedup -o`; then `pages` must be paths, and RetoldError is raised before anything is written if a
/// limit of `stop_if` is reached (`["dropped=30%", "site-dropped=80%"]`). `threads` (0: one per core), `memory` (bytes for data
/// about the pages, as in 4000000000 or "4G") and `temp_dir` do not change the result. `progress` is True, or a callable that takes (stage,
/// done, total).
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
    text_signature = "(pages, *, model=None, out=None, force=False, threads=0, memory=None, temp_dir=None, allow_empty=False, progress=None, kept=True, mark=False, annotate=False, annotate_as=None, stories=False, revisits=False, names='retold', tables='jsonl', report_text=None, alarm_size=1000, stop_if=[], text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864, across=None, within=[], window=None, same_url='off', versions='newest', fold=['nfkc', 'case', 'simplify'], extract=None, user_dict=None, synonyms=None, stop_words=None, knowledge=None, method='coverage', preset=None, params={}, own=None, exact=True, cluster='two-edge', canonical='longest', rank=None, drop='both', collections='parts')"
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
        _pages: Some(pages),
    })
}
