//! The model.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::explain::{ComparedPage, Offsets, explain_pair};
use retold::{Error, JudgeConfig, Judgement as Judged, OwnLimit};
use serde_json::{Map, Value};

use crate::drops::{shown, with_python_names};
use crate::error::{raise, usage};
use crate::job;
use crate::pages::{self, Pages};
use crate::plain;
use crate::values::{Judgement, Sketch, Text, Verdict};

/// A configuration, its method, and what was learnt from a collection; it judges pairs of pages. A model is immutable: learning makes a new
/// one. Options are those of `retold.dedup`.
///
/// A page is a str (plain text), bytes (an HTML document) or a dict with the fields of a record.
///
/// >>> import retold
/// >>> model = retold.Model()
/// >>> a = model.text("The ferry left the harbour in the morning and came back late at night, with nobody on board.")
/// >>> b = model.text({"html": "<p>The ferry left the harbour in the morning and came back late at night, with nobody on board."})
/// >>> model.judge(model.sketch(a), model.sketch(b))
/// <retold.Judgement: yes, duplicate 1.000000>
/// >>> model.compare(a, "A bridge was opened on Monday.") is None
/// True
#[pyclass(frozen, module = "retold")]
pub struct Model(pub retold::Model);

fn made(mut options: Map<String, Value>) -> retold::Result<retold::Model> {
    OwnLimit::expand(&mut options)?;
    retold::Model::new(JudgeConfig::from_map(options)?)
}

impl Model {
    /// The given model, or a new one with these options; not both.
    pub fn given(
        model: Option<&Bound<'_, Model>>,
        options: Map<String, Value>,
    ) -> PyResult<retold::Model> {
        match model {
            Some(_) if !options.is_empty() => {
                let names: Vec<&str> = options.keys().map(String::as_str).collect();
                Err(usage(format!(
                    "a model has its own options: leave out {}",
                    names.join(", ")
                )))
            }
            Some(model) => Ok(model.get().0.clone()),
            None => made(options).map_err(raise),
        }
    }

    /// The text of a page; a `Text` is returned as it is.
    fn read(&self, page: &Bound<'_, PyAny>) -> PyResult<Text> {
        let model = &self.0;
        let made = pages::page(page, &model.config().read)?;
        let (id, url, site, date) = (
            made.id.clone(),
            made.url.clone(),
            made.site(),
            made.date.clone(),
        );
        let text = page.py().detach(|| model.text(&made)).map_err(raise)?;
        let seen = model.seen(&made, &text, "");
        Ok(Text {
            text,
            model: model.clone(),
            id,
            site,
            date,
            url,
            seen,
        })
    }

    /// Calls `work` with the text of a page.
    fn with<T>(
        &self,
        page: &Bound<'_, PyAny>,
        make: impl FnOnce(&Text) -> PyResult<T>,
    ) -> PyResult<T> {
        match page.cast::<Text>() {
            Ok(text) => make(text.get()),
            Err(_) => make(&self.read(page)?),
        }
    }

    fn side(text: &Text) -> ComparedPage {
        ComparedPage {
            id: text.id.clone(),
            site: text.site.clone(),
            date: text.date.clone(),
            url: text.url.clone(),
            scope: text.scope(),
            text: text.text.clone(),
        }
    }
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(
    signature = (**options),
    text_signature = "(*, text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864, across=None, within=[], window=None, same_url='off', versions='newest', fold=['nfkc', 'case', 'simplify'], extract=None, user_dict=None, synonyms=None, stop_words=None, knowledge=None, method='coverage', preset=None, params={}, own=None, exact=True, cluster='two-edge', canonical='longest', rank=None, drop='both', collections='parts')"
)]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Model> {
        Model::given(None, plain::options(options)?).map(Model)
    }

    /// The text of a page.
    ///
    /// >>> import retold
    /// >>> text = retold.Model().text({"html": "<title>News</title><p>The ferry left late.", "url": "http://www.naxos.example/1"})
    /// >>> str(text), text.title, text.site
    /// ('The ferry left late.', 'News', 'naxos.example')
    fn text(&self, page: &Bound<'_, PyAny>) -> PyResult<Text> {
        self.read(page)
    }

    /// The sketch of a page, or of its text.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> model = retold.Model()
    /// >>> model.sketch({"text": story, "url": "http://www.naxos.example/1"}).site
    /// 'naxos.example'
    /// >>> len(model.sketch(model.text(story)).keys)
    /// 10
    fn sketch(&self, page: &Bound<'_, PyAny>) -> PyResult<Sketch> {
        self.with(page, |text| {
            let sketch = page
                .py()
                .detach(|| self.0.sketch(&text.text, text.site.as_deref()));
            sketch.map(Sketch).map_err(raise)
        })
    }

    /// Judges two pages by their sketches alone. Sketches do not contain the fields for `across`, `within` and `window`.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> model = retold.Model()
    /// >>> model.judge(model.sketch(story), model.sketch("A bridge was opened.")).answer
    /// 'no'
    fn judge(&self, a: &Bound<'_, Sketch>, b: &Bound<'_, Sketch>) -> Judgement {
        Judgement(self.0.judge(&a.get().0, &b.get().0))
    }

    /// The verdict on two texts, for pages whose sketches do not decide; None if they are not related.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> model = retold.Model()
    /// >>> model.verify(story, story).relation
    /// 'duplicate'
    fn verify(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Option<Verdict>> {
        let py = a.py();
        self.with(a, |a| {
            self.with(b, |b| {
                Ok(py.detach(|| self.0.verify(&a.text, &b.text)).map(Verdict))
            })
        })
    }

    /// The verdict on two pages, as in a run: first by their sketches, then by their texts if necessary. None if the pages are not related,
    /// or if `across`, `within` or `window` exclude the comparison.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> model = retold.Model()
    /// >>> model.compare(story, story + " Read more news tomorrow.").relation
    /// 'duplicate'
    /// >>> model.compare(story, "A bridge was opened.") is None
    /// True
    fn compare(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Option<Verdict>> {
        let py = a.py();
        self.with(a, |a| {
            self.with(b, |b| {
                if self
                    .0
                    .config()
                    .filters
                    .forbids(&a.scope(), &b.scope())
                    .is_some()
                {
                    return Ok(None);
                }
                let verdict = py.detach(|| {
                    let [x, y] = [a, b].map(|side| self.0.sketch(&side.text, side.site.as_deref()));
                    Ok(match self.0.judge(&x?, &y?) {
                        Judged::No => None,
                        Judged::Yes(verdict) => Some(verdict),
                        Judged::NeedsVerification(_) => self.0.verify(&a.text, &b.text),
                    })
                });
                Ok(verdict.map_err(raise)?.map(Verdict))
            })
        })
    }

    /// Explains why two pages are related or not, as `retold explain --json` does.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> model = retold.Model()
    /// >>> why = model.explain(story, story + " Read more news tomorrow.")
    /// >>> why["relation"], why["exact"]
    /// ('duplicate', False)
    fn explain<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = a.py();
        self.with(a, |a| {
            self.with(b, |b| {
                let json = py.detach(|| {
                    let story =
                        explain_pair(&Model::side(a), &Model::side(b), &self.0, Offsets::Chars)?;
                    let mut json = story.json(true);
                    if let Some(object) = json.as_object_mut() {
                        object.insert("method".into(), self.0.method().name.into());
                    }
                    Ok::<_, Error>(with_python_names(json))
                });
                shown(py, &json.map_err(raise)?)
            })
        })
    }

    /// A new model that has learnt from these pages (as in `retold.dedup`), instead of what this one has learnt.
    ///
    /// >>> import retold
    /// >>> model = retold.Model().learn([{"text": "The ferry left late."}, {"text": "A new bridge was opened."}])
    /// >>> model.learnt
    /// 2
    #[pyo3(signature = (pages, *, threads=0, temp_dir=None, progress=None))]
    fn learn<'py>(
        &self,
        py: Python<'py>,
        pages: &Bound<'py, PyAny>,
        threads: usize,
        temp_dir: Option<PathBuf>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Model> {
        let model = &self.0;
        let pages = Pages::of(pages, &model.config().read, temp_dir.as_ref())?;
        let learnt = job::run(py, progress, |watch| {
            retold::internal::in_pool(threads, || model.learn_from(&pages.sources, watch))
        })?;
        Ok(Model(learnt))
    }

    /// Number of distinct texts that the model has learnt from; None if it has not learnt.
    #[getter]
    fn learnt(&self) -> Option<u64> {
        self.0.knowledge().map(|known| known.texts)
    }

    /// The name of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.method().name
    }

    /// All options, including defaults.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let options = serde_json::Value::from(self.0.config().to_map());
        plain::to_python(py, &options.to_string())
    }

    /// The model as JSON, for `from_json`.
    ///
    /// >>> import retold
    /// >>> model = retold.Model(canonical="first")
    /// >>> retold.Model.from_json(model.to_json()).options["canonical"]
    /// 'first'
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_json())
    }

    /// Reads a model from `to_json`. Relative paths in it refer to `directory`.
    ///
    /// >>> import retold
    /// >>> json = retold.Model().learn([{"text": "The ferry left late."}]).to_json()
    /// >>> retold.Model.from_json(json).learnt
    /// 1
    #[staticmethod]
    #[pyo3(signature = (json, directory=None))]
    fn from_json(py: Python<'_>, json: &str, directory: Option<PathBuf>) -> PyResult<Model> {
        let directory = directory.unwrap_or_default();
        let model = py.detach(|| retold::Model::from_json(json, &directory));
        model.map(Model).map_err(raise)
    }

    /// Writes the model to a file, in the form of `model.json` in an output folder.
    ///
    /// >>> import retold, tempfile
    /// >>> file = tempfile.mkdtemp() + "/model.json"
    /// >>> retold.Model().learn([{"text": "The ferry left late."}]).save(file)
    /// >>> retold.Model.load(file).learnt
    /// 1
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let json = self.0.to_json() + "\n";
        py.detach(|| std::fs::write(&path, json).map_err(Error::io("cannot write", &path)))
            .map_err(raise)
    }

    /// Reads a model that `save` wrote, or the `model.json` of an output folder.
    ///
    /// >>> import retold, tempfile
    /// >>> file = tempfile.mkdtemp() + "/model.json"
    /// >>> retold.Model(canonical="first").save(file)
    /// >>> retold.Model.load(file).options["canonical"]
    /// 'first'
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
        let directory = path.parent().map(PathBuf::from).unwrap_or_default();
        let model = py.detach(|| {
            let json = std::fs::read_to_string(&path).map_err(Error::io("cannot read", &path))?;
            retold::Model::from_json(&json, &directory).map_err(|error| match error {
                Error::Usage(reason) => Error::Corrupt {
                    path: path.clone(),
                    reason,
                },
                other => other,
            })
        });
        model.map(Model).map_err(raise)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let from_json = slf.get_type().getattr("from_json")?;
        Ok((from_json, (slf.get().0.to_json(),)))
    }

    fn __repr__(&self) -> String {
        match self.learnt() {
            Some(texts) => format!(
                "<retold.Model: {}, learnt from {texts} texts>",
                self.method()
            ),
            None => format!("<retold.Model: {}>", self.method()),
        }
    }
}

/// Explains why two pages are related or not, as `retold explain --json` does. Without a model, the two pages are the whole collection, in
/// which nothing is common.
///
/// >>> import retold
/// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
/// >>> why = retold.explain(story, story + " Read more news tomorrow.")
/// >>> why["relation"], why["exact"]
/// ('duplicate', False)
#[pyfunction]
#[pyo3(
    signature = (a, b, *, model=None, **options),
    text_signature = "(a, b, *, model=None, text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864, across=None, within=[], window=None, same_url='off', versions='newest', fold=['nfkc', 'case', 'simplify'], extract=None, user_dict=None, synonyms=None, stop_words=None, knowledge=None, method='coverage', preset=None, params={}, own=None, exact=True, cluster='two-edge', canonical='longest', rank=None, drop='both', collections='parts')"
)]
pub fn explain<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    model: Option<&Bound<'py, Model>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    use retold::method::Frequencies;
    use retold::method::Knowledge;
    let mut model = Model(Model::given(model, plain::options(options)?)?);
    if model.0.wants_words() {
        let words = model.with(a, |a| {
            model.with(b, |b| Ok([a, b].map(|side| model.0.words(&side.text))))
        })?;
        model = Model(
            model
                .0
                .with_knowledge(Knowledge::of_words(Frequencies::of(words))),
        );
    }
    model.explain(a, b)
}

/// The text of a page, as methods see it: the main text, if it is HTML and `extract` is not "none".
///
/// >>> import retold
/// >>> str(retold.text(b"<p>The ferry left late.<p>It came back."))
/// 'The ferry left late.\nIt came back.'
#[pyfunction]
#[pyo3(
    name = "text",
    signature = (page, **options),
    text_signature = "(page, *, text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864, across=None, within=[], window=None, same_url='off', versions='newest', fold=['nfkc', 'case', 'simplify'], extract=None, user_dict=None, synonyms=None, stop_words=None, knowledge=None, method='coverage', preset=None, params={}, own=None, exact=True, cluster='two-edge', canonical='longest', rank=None, drop='both', collections='parts')"
)]
pub fn text_of<'py>(
    page: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Text> {
    Model(Model::given(None, plain::options(options)?)?).read(page)
}
