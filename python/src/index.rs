//! The persistent index.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::explain::Offsets;
use retold::internal::date_seconds;
use retold::read::{Outcome, Source, each_record};
use retold::{Error, Result, RunConfig, Stage};
use retold_index::{Index as Library, Known, Match, Order, PageFilter, Prepared, Seen, Writer};
use serde_json::{Value, json};

use crate::drops::{shown, with_python_names};
use crate::error::{in_python, raise, usage};
use crate::findings::{PyFindings, numbers, some_decimals, some_strings, strings, table};
use crate::job;
use crate::model::Model;
use crate::pages::Pages;
use crate::plain;
use crate::table::Table;

const WHO: &str = "a Python program";

/// A persistent index of pages: which of them do we have already?
///
/// `Index(path)` opens an index for reading, `Index(path, write=True)` for writing, too; `Index.create` makes one. Readers see new commits
/// after `refresh`. Close the index, or use it in a `with` block, so that others can write.
///
/// >>> import retold, tempfile
/// >>> folder = tempfile.mkdtemp()
/// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
/// >>> with retold.Index.create(folder + "/index") as index:
/// ...     index.add([{"id": "original", "text": story}])
/// [{'id': 'original', 'matches': [], 'status': 'new'}]
/// >>> index = retold.Index(folder + "/index")
/// >>> [answer] = index.query([{"id": "reprint", "text": story + " Read more news tomorrow."}])
/// >>> answer["status"], answer["matches"][0]["id"], answer["matches"][0]["relation"]
/// ('new', 'original', 'duplicate')
#[pyclass(frozen, module = "retold")]
pub struct Index {
    index: Arc<Library>,
    /// `None` if it was opened for reading, or closed.
    writer: Mutex<Option<Writer>>,
}

/// A prepared page, or its id and why it cannot be read.
type Made = std::result::Result<Prepared, (String, String)>;

impl Index {
    fn of(writer: Writer) -> Index {
        Index {
            index: Arc::clone(writer.index()),
            writer: Mutex::new(Some(writer)),
        }
    }

    /// Runs `work` with the writer.
    fn write<T>(&self, work: impl FnOnce(&mut Writer) -> Result<T>) -> Result<T> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *writer {
            Some(writer) => work(writer),
            None => Err(Error::usage(format!(
                "{}: not open for writing; open it with write=True",
                self.index.folder().display()
            ))),
        }
    }

    fn prepare(&self, source: &Source, record: retold::read::Record) -> Option<Made> {
        let number = record.number;
        let nameless = || format!("{}#{number}", source.name);
        let model = self.index.model();
        let read = &model.config().read;
        Some(match record.parse(source, read) {
            Outcome::Skipped(_) => return None,
            Outcome::Rejected(reason) => Err((nameless(), reason)),
            Outcome::Page(page) => {
                let id = page.id.clone();
                self.index.prepare(page).map_err(|e| (id, e.to_string()))
            }
        })
    }

    /// Passes pages to `work`, at most `count` at a time, and collects its answers.
    fn each(
        &self,
        py: Python<'_>,
        pages: &Bound<'_, PyAny>,
        count: usize,
        progress: Option<Bound<'_, PyAny>>,
        work: impl Fn(&[Made]) -> Result<Vec<Value>> + Sync,
    ) -> PyResult<Vec<Value>> {
        let model = self.index.model();
        let read = &model.config().read;
        let pages = Pages::of(pages, read, None)?;
        job::run(py, progress, |watch| {
            let (mut group, mut answers) = (Vec::new(), Vec::new());
            let make = |source: u32, record| self.prepare(&pages.sources[source as usize], record);
            let stage = Stage::Read.name();
            each_record(&pages.sources, read, watch, stage, make, |made| {
                group.extend(made.take());
                if group.len() >= count.max(1) {
                    answers.extend(work(&std::mem::take(&mut group))?);
                }
                Ok(())
            })?;
            answers.extend(work(&group)?);
            Ok(answers)
        })
    }
}

/// The id of every text that is only asked about, which no page of the index has: also an equal text without an id is found.
const ASKED: &str = "\u{1}asked";

/// What `seen` says, a row for each page; `None` for one that cannot be read.
fn seen_table(rows: &[Option<Seen>]) -> PyResult<Table> {
    let best = || {
        let rows = rows.iter().map(|row| row.as_ref()?.matches.first());
        rows.map(|found| found.map(Match::line))
    };
    let status = |row: &Option<Seen>| row.as_ref().map_or("rejected", |seen| seen.known.name());
    let added = |row: &Option<Seen>| {
        let seen = row.as_ref()?;
        match seen.known {
            Known::New => None,
            Known::Repeat => Some(0),
            Known::Adds => Some(seen.adds.as_ref()?.words as i64),
        }
    };
    table(vec![
        ("status", strings(rows.iter().map(status))),
        ("id", some_strings(best().map(|line| Some(line?.id)))),
        (
            "relation",
            some_strings(best().map(|line| Some(line?.relation.name().to_owned()))),
        ),
        (
            "similarity",
            some_decimals(best().map(|line| Some(line?.similarity))),
        ),
        ("added_words", numbers(rows.iter().map(added))),
    ])
}

fn answer(made: &Made, status: &str, matches: &[Match]) -> Value {
    let lines: Vec<_> = matches.iter().map(Match::line).collect();
    match made {
        Ok(page) => json!({"id": page.entry.id, "status": status, "matches": lines}),
        Err((id, reason)) => {
            json!({"id": id, "status": "rejected", "reason": in_python(reason), "matches": []})
        }
    }
}

/// A date or date string, in seconds since 1970.
fn moment(since: &Bound<'_, PyAny>) -> PyResult<i64> {
    let written: String = match since.hasattr("isoformat")? {
        true => since.call_method0("isoformat")?.extract()?,
        false => since.str()?.extract()?,
    };
    date_seconds(&written).ok_or_else(|| {
        usage(format!(
            "since={written}: a date expected, as in 2026-11-01 or 2026-11-01T08:00:00Z"
        ))
    })
}

fn python(py: Python<'_>, value: impl Into<Value>) -> PyResult<Bound<'_, PyAny>> {
    plain::to_python(py, &value.into().to_string())
}

#[pymethods]
impl Index {
    #[new]
    #[pyo3(signature = (path, *, write=false))]
    fn new(py: Python<'_>, path: PathBuf, write: bool) -> PyResult<Index> {
        let opened = py.detach(|| match write {
            true => Library::builder(&path)
                .writer_name(WHO)
                .write()
                .map(Index::of),
            false => Library::open(&path).map(|index| Index {
                index: Arc::new(index),
                writer: Mutex::new(None),
            }),
        });
        opened.map_err(raise)
    }

    /// Creates an empty index in a new folder, open for writing.
    ///
    /// It uses the given model, or a new one with these options. Without `texts`, verdicts are based on sketches only. The index learns
    /// again at 100 pages and whenever the number of pages has doubled, unless `learns` is false.
    ///
    /// >>> import retold, tempfile
    /// >>> with retold.Index.create(tempfile.mkdtemp() + "/index", canonical="first") as index:
    /// ...     len(index), index.model.options["canonical"]
    /// (0, 'first')
    #[staticmethod]
    #[pyo3(
    name = "create",
    signature = (path, *, model=None, texts=true, learns=true, **options),
    text_signature = "(path, *, model=None, texts=True, learns=True, text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864, across=None, within=[], window=None, same_url='off', versions='newest', fold=['nfkc', 'case', 'simplify'], extract=None, user_dict=None, synonyms=None, stop_words=None, knowledge=None, method='coverage', preset=None, params={}, own=None, exact=True, cluster='two-edge', canonical='longest', rank=None, drop='both', collections='parts')"
)]
    fn make(
        py: Python<'_>,
        path: PathBuf,
        model: Option<&Bound<'_, Model>>,
        texts: bool,
        learns: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Index> {
        let model = Model::given(model, plain::options(options)?)?;
        let builder = Library::builder(path).texts(texts).learns(learns);
        let builder = builder.writer_name(WHO);
        let made = py.detach(|| builder.create(&model));
        made.map(Index::of).map_err(raise)
    }

    /// Adds pages (as in `retold.dedup`), at most `commit` at a time.
    ///
    /// Returns for each page its `status` (`new`, `replaced`, `unchanged`, `rejected`) and at most `matches` pages that it repeats, best
    /// first. Committed pages survive a power cut. A page replaces the page with the same id.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> with retold.Index.create(tempfile.mkdtemp() + "/index") as index:
    /// ...     [a] = index.add([{"id": "a", "text": story}])
    /// ...     [b] = index.add([{"id": "b", "text": story}])
    /// >>> a["status"], a["matches"], b["matches"][0]["id"]
    /// ('new', [], 'a')
    #[pyo3(signature = (pages, *, matches=20, commit=1000, progress=None))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        pages: &Bound<'py, PyAny>,
        matches: usize,
        commit: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answers = self.each(py, pages, commit, progress, |made| {
            let good: Vec<Prepared> = made.iter().flatten().cloned().collect();
            let added = self.write(|writer| {
                let added = writer.add(&good, Some(matches))?;
                writer.learn_if_grown(&RunConfig::default(), &())?;
                Ok(added)
            })?;
            let mut added = added.iter();
            let answers =
                made.iter()
                    .map(|page| match page.as_ref().ok().and_then(|_| added.next()) {
                        Some(added) => answer(page, added.status.name(), &added.matches),
                        None => answer(page, "rejected", &[]),
                    });
            Ok(answers.collect())
        })?;
        python(py, answers)
    }

    /// Returns what pages repeat, as `add` does, without adding them. A page that is already in the index is `unchanged`.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> index = retold.Index.create(tempfile.mkdtemp() + "/index")
    /// >>> _ = index.add([{"id": "a", "text": story}, {"id": "b", "text": story + " Read more news tomorrow."}])
    /// >>> [answer] = index.query([{"id": "c", "text": story}], matches=1)
    /// >>> [match["relation"] for match in answer["matches"]], len(index)
    /// (['duplicate'], 2)
    ///
    /// With `adds=True` each answer says what the page adds: `words`, `passages` that no page of the index has, `complete`.
    ///
    /// >>> [answer] = index.query([{"id": "c", "text": story + " Nobody of the nineteen sailors was hurt, the company told reporters on Tuesday."}], adds=True)
    /// >>> [passage["text"] for passage in answer["adds"]["passages"]]
    /// ['Nobody of the nineteen sailors was hurt, the company told reporters on Tuesday.']
    #[pyo3(signature = (pages, *, matches=20, adds=false, progress=None))]
    fn query<'py>(
        &self,
        py: Python<'py>,
        pages: &Bound<'py, PyAny>,
        matches: usize,
        adds: bool,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answers = self.each(py, pages, 1000, progress, |made| {
            let answers = made.iter().map(|page| {
                let Ok(prepared) = page else {
                    return Ok(answer(page, "rejected", &[]));
                };
                let (status, matches) = self.index.query(prepared, Some(matches))?;
                let mut answer = answer(page, status.name(), &matches);
                if adds {
                    answer["adds"] = json!(self.index.adds(prepared)?);
                }
                Ok(answer)
            });
            answers.collect()
        })?;
        python(py, answers)
    }

    /// Says of each page whether the index knows its text, in a table with a row for each: `status` is `new`, `repeat` (the pages of the
    /// index have all that it says), `adds` (it says more) or `rejected` (it cannot be read); `id`, `relation` and `similarity` are those
    /// of the best match; `added_words` are in passages that no page of the index has (None if that is not known). Ids are ignored, so a
    /// page that is in the index repeats itself.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> more = " Nobody of the nineteen sailors was hurt, the company told reporters on Tuesday."
    /// >>> index = retold.Index.create(tempfile.mkdtemp() + "/index")
    /// >>> _ = index.add([{"id": "a", "text": story}])
    /// >>> index.seen({"text": [story, story + more, "A bridge was opened on Monday."]}).column("status")
    /// ['repeat', 'adds', 'new']
    #[pyo3(signature = (pages, *, progress=None))]
    fn seen<'py>(
        &self,
        py: Python<'py>,
        pages: &Bound<'py, PyAny>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Table> {
        let model = self.index.model();
        let read = &model.config().read;
        let pages = Pages::of(pages, read, None)?;
        let rows = job::run(py, progress, |watch| {
            let mut rows = Vec::new();
            let make = |source: u32, record| {
                let made = self.prepare(&pages.sources[source as usize], record)?;
                Some(made.ok().map(|mut page| {
                    page.entry.id = ASKED.into();
                    self.index.seen(&page, 1)
                }))
            };
            let stage = Stage::Read.name();
            each_record(&pages.sources, read, watch, stage, make, |made| {
                if let Some(seen) = made.take() {
                    rows.push(seen.transpose()?);
                }
                Ok(())
            })?;
            Ok(rows)
        })?;
        seen_table(&rows)
    }

    /// Removes the pages with these ids in one commit; returns for each whether it existed.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> index = retold.Index.create(tempfile.mkdtemp() + "/index")
    /// >>> _ = index.add([{"id": "a", "text": story}, {"id": "b", "text": story + " Read more news tomorrow."}])
    /// >>> index.remove(["a", "z"]), "a" in index
    /// ([True, False], False)
    fn remove(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<Vec<bool>> {
        py.detach(|| self.write(|writer| writer.remove(&ids)))
            .map_err(raise)
    }

    /// Runs `retold.dedup` over the pages of the index, with its model.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> index = retold.Index.create(tempfile.mkdtemp() + "/index")
    /// >>> _ = index.add([{"id": "a", "text": story}, {"id": "b", "text": story + " Read more news tomorrow."}])
    /// >>> index.export()
    /// <retold.Findings: 2 pages, 1 dropped, 1 pairs, 1 clusters>
    #[pyo3(signature = (*, threads=0, progress=None))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<PyFindings> {
        let mut resources = RunConfig::default();
        resources.threads = threads;
        let findings = job::run(py, progress, |watch| self.index.findings(&resources, watch))?;
        Ok(PyFindings::of(findings))
    }

    /// The page with this id, without its text: a dict with `id`, `url`, `date`, `title`, `site`. KeyError if there is none.
    fn __getitem__<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Bound<'py, PyAny>> {
        let entry = py.detach(|| self.index.get(id)).map_err(raise)?;
        let entry = entry.ok_or_else(|| PyKeyError::new_err(id.to_owned()))?;
        let page = json!({"id": entry.id, "url": entry.url, "date": entry.date, "title": entry.title, "site": entry.sketch.site});
        python(py, page)
    }

    fn __contains__(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        py.detach(|| Ok(self.index.get(id)?.is_some()))
            .map_err(raise)
    }

    fn __len__(&self) -> usize {
        self.index.len()
    }

    /// Explains why two pages of the index are related or not.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> index = retold.Index.create(tempfile.mkdtemp() + "/index")
    /// >>> _ = index.add([{"id": "a", "text": story}, {"id": "b", "text": story + " Read more news tomorrow."}])
    /// >>> index.explain("a", "b")["relation"]
    /// 'duplicate'
    fn explain<'py>(&self, py: Python<'py>, a: &str, b: &str) -> PyResult<Bound<'py, PyAny>> {
        let story = py
            .detach(|| self.index.explain(a, b, Offsets::Chars))
            .map_err(raise)?;
        shown(py, &with_python_names(story.json(true)))
    }

    /// Lists stories of at least two pages, as `retold index stories` does: dicts with `id`, `title`, `url`, `pages`, `excerpts`, `longer`,
    /// `round_ups`, `sites`, `first_seen`, `last_seen`.
    ///
    /// `sort` is "size" (most pages first), "recent" (latest page first) or "growth" (most pages within 24 hours first). `since` (a date or
    /// str) selects stories with a page since then. Returns at most `limit` stories after skipping `skip`.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> with retold.Index.create(tempfile.mkdtemp() + "/index") as index:
    /// ...     _ = index.add([{"id": "a", "text": story, "date": "2026-11-01"}, {"id": "b", "text": story, "date": "2026-11-02"}])
    /// >>> [(story["id"], story["pages"], story["last_seen"]) for story in index.stories(since="2026-11-02")]
    /// [('a', 2, '2026-11-02T00:00:00Z')]
    /// >>> [(page["id"], page["what"]) for page in index.story("b")["timeline"]]
    /// [('a', 'first'), ('b', 'copied')]
    #[pyo3(signature = (*, sort="size", since=None, limit=100, skip=0))]
    fn stories<'py>(
        &self,
        py: Python<'py>,
        sort: &str,
        since: Option<&Bound<'py, PyAny>>,
        limit: usize,
        skip: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let order = match sort {
            "size" => Order::Size,
            "recent" => Order::Recent,
            "growth" => Order::Growth,
            _ => {
                return Err(usage(format!(
                    "sort={sort}: \"size\", \"recent\" or \"growth\" expected"
                )));
            }
        };
        let filter = PageFilter {
            since: since.map(moment).transpose()?,
            ..PageFilter::default()
        };
        let stories = py.detach(|| self.index.stories(order, &filter, skip, limit));
        python(py, json!(stories.map_err(raise)?))
    }

    /// The story of the page with this id, as `retold index story` prints it: the fields of `stories`, and the `timeline` with its pages
    /// and related pages in order of time, or `limit` rows of it after skipping `skip`. With `edits`, each row has the numbers of words
    /// added, cut and replaced, compared with the first page.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> index = retold.Index.create(tempfile.mkdtemp() + "/index")
    /// >>> _ = index.add([{"id": "a", "text": story}, {"id": "b", "text": story + " Read more news tomorrow."}])
    /// >>> [(page["id"], page["what"]) for page in index.story("a")["timeline"]]
    /// [('a', 'first'), ('b', 'edited')]
    #[pyo3(signature = (id, *, limit=None, skip=0, edits=false))]
    fn story<'py>(
        &self,
        py: Python<'py>,
        id: &str,
        limit: Option<usize>,
        skip: usize,
        edits: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = skip..skip.saturating_add(limit.unwrap_or(usize::MAX));
        let story = py
            .detach(|| self.index.story(id, rows, edits))
            .map_err(raise)?;
        python(py, json!(story))
    }

    /// Statistics of the index, as `retold index stats` prints them.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stats = py.detach(|| self.index.stats()).map_err(raise)?;
        python(
            py,
            serde_json::to_value(stats).map_err(|error| usage(error.to_string()))?,
        )
    }

    /// The model of the index.
    #[getter]
    fn model(&self) -> Model {
        Model(self.index.model())
    }

    /// Loads what another writer has committed since.
    ///
    /// >>> import retold, tempfile
    /// >>> folder = tempfile.mkdtemp() + "/index"
    /// >>> with retold.Index.create(folder) as writer:
    /// ...     reader = retold.Index(folder)
    /// ...     _ = writer.add([{"id": "a", "text": "The ferry left late."}])
    /// >>> reader.refresh()
    /// >>> "a" in reader
    /// True
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.index.refresh()).map_err(raise)
    }

    /// Rewrites the index without removed and replaced pages.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> index = retold.Index.create(tempfile.mkdtemp() + "/index")
    /// >>> _ = index.add([{"id": "a", "text": story}, {"id": "b", "text": story + " Read more news tomorrow."}])
    /// >>> _ = index.remove(["a"])
    /// >>> index.compact()
    /// >>> len(index)
    /// 1
    #[pyo3(signature = (*, progress=None))]
    fn compact<'py>(&self, py: Python<'py>, progress: Option<Bound<'py, PyAny>>) -> PyResult<()> {
        job::run(py, progress, |watch| {
            self.write(|writer| writer.compact(watch))
        })
    }

    /// Learns again from the current pages, and uses the new model from now on.
    ///
    /// >>> import retold, tempfile
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
    /// >>> index = retold.Index.create(tempfile.mkdtemp() + "/index")
    /// >>> _ = index.add([{"id": "a", "text": story}, {"id": "b", "text": story + " Read more news tomorrow."}])
    /// >>> index.learn()
    /// >>> index.model.learnt
    /// 2
    #[pyo3(signature = (*, threads=0, progress=None))]
    fn learn<'py>(
        &self,
        py: Python<'py>,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let mut resources = RunConfig::default();
        resources.threads = threads;
        job::run(py, progress, |watch| {
            self.write(|writer| writer.learn(&resources, watch))
        })
    }

    /// Releases the lock, so that others can write. The index can still be read.
    ///
    /// >>> import retold, tempfile
    /// >>> folder = tempfile.mkdtemp() + "/index"
    /// >>> index = retold.Index.create(folder)
    /// >>> index.close()
    /// >>> retold.Index(folder, write=True).add([{"id": "a", "text": "The ferry left late."}])
    /// [{'id': 'a', 'matches': [], 'status': 'new'}]
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let writer = self
                .writer
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            writer.map_or(Ok(()), Writer::close)
        })
        .map_err(raise)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        format!(
            "<retold.Index of {} pages in {}>",
            self.index.len(),
            self.index.folder().display()
        )
    }
}
