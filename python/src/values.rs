//! Texts, sketches and verdicts.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use retold::internal::date_seconds;
use retold::method::Sketch as Sketched;
use retold::{Error, JudgeConfig, Judgement as Judged, Scope, Verdict as Said};
use serde_json::Value;

use crate::error::{raise, usage};

/// The text of a page; `str()` gives what methods see of it, one line a block.
///
/// >>> import retold
/// >>> text = retold.text({"html": "<title>News</title><p>The ferry left late.", "url": "http://www.naxos.example/1", "date": "2026-11-01"})
/// >>> str(text), text.title, text.url, text.site
/// ('The ferry left late.', 'News', 'http://www.naxos.example/1', 'naxos.example')
#[pyclass(frozen, module = "retold")]
pub struct Text {
    pub text: retold::method::Text,
    /// What made it.
    pub model: retold::Model,
    pub id: String,
    pub site: Option<String>,
    pub date: Option<String>,
    pub url: Option<String>,
    /// What rules beside the method's saw of the page.
    pub seen: Vec<u64>,
}

impl Text {
    /// What pair filters look at in the page.
    pub fn scope(&self) -> Scope {
        let dates = [&self.date, &self.text.meta.date];
        let mut dates = dates
            .into_iter()
            .filter_map(|date| date_seconds(date.as_deref()?));
        self.model.scope(&self.seen, dates.next())
    }
}

/// All that is kept of a page to judge it without its text; `to_bytes()` gives its stable byte form.
///
/// >>> import retold
/// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
/// >>> model = retold.Model()
/// >>> sketch = model.sketch(story)
/// >>> sketch.chars, len(sketch.keys), sketch.site
/// (76, 10, None)
/// >>> retold.Sketch.from_bytes(sketch.to_bytes()) == sketch
/// True
#[pyclass(frozen, module = "retold", eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Sketch(pub Sketched);

/// What one page is to another.
///
/// >>> import retold
/// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
/// >>> model = retold.Model()
/// >>> verdict = model.compare(story, story)
/// >>> verdict.relation, verdict.similarity, verdict.length_ratio
/// ('duplicate', 1.0, 1.0)
#[pyclass(frozen, module = "retold")]
pub struct Verdict(pub Said);

/// What sketches tell of two pages: `answer` is `no`, `yes`, or `needs_verification`, and then the texts decide.
///
/// >>> import retold
/// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
/// >>> model = retold.Model()
/// >>> judged = model.judge(model.sketch(story), model.sketch(story))
/// >>> judged.answer, judged.verdict.relation
/// ('yes', 'duplicate')
#[pyclass(frozen, module = "retold")]
pub struct Judgement(pub Judged);

/// What `pickle` is told: the function that makes the value again, and of what.
pub type Pickled<'py, T> = PyResult<(Bound<'py, PyAny>, T)>;

/// What `pickle` keeps of a verdict: its fields in order.
type VerdictParts = (&'static str, f64, f64, u32, u32, u32);

/// What `pickle` keeps of a text: the options that it was made under and its stable byte form; id, site, date, URL, and what was seen.
type TextParts<'py> = (
    String,
    Bound<'py, PyBytes>,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Vec<u64>,
);

/// Adds the functions that make values of what `pickle` kept of them.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(verdict_of, module)?)?;
    module.add_function(wrap_pyfunction!(judgement_of, module)?)?;
    module.add_function(wrap_pyfunction!(text_of, module)?)
}

/// The function of that name, as `pickle` wants it.
pub fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("retold._retold")?.getattr(name)
}

fn parts(said: &Said) -> VerdictParts {
    (
        said.relation.name(),
        said.similarity,
        said.length_ratio,
        said.shared,
        said.own_a,
        said.own_b,
    )
}

fn said(parts: (String, f64, f64, u32, u32, u32)) -> PyResult<Said> {
    let (name, similarity, length_ratio, shared, own_a, own_b) = parts;
    let relation = serde_json::from_value(name.into());
    Ok(Said {
        relation: relation.map_err(|error| usage(error.to_string()))?,
        similarity,
        length_ratio,
        shared,
        // Not shown.
        shared_chars: 0,
        own_a,
        own_b,
    })
}

#[pyfunction(name = "_verdict", signature = (relation, similarity, length_ratio, shared, own_a=0, own_b=0))]
fn verdict_of(
    relation: String,
    similarity: f64,
    length_ratio: f64,
    shared: u32,
    own_a: u32,
    own_b: u32,
) -> PyResult<Verdict> {
    said((relation, similarity, length_ratio, shared, own_a, own_b)).map(Verdict)
}

#[pyfunction(name = "_judgement")]
fn judgement_of(
    answer: &str,
    verdict: Option<(String, f64, f64, u32, u32, u32)>,
) -> PyResult<Judgement> {
    let verdict = verdict.map(said).transpose()?;
    Ok(Judgement(match (answer, verdict) {
        ("yes", Some(verdict)) => Judged::Yes(verdict),
        ("needs_verification", Some(verdict)) => Judged::NeedsVerification(verdict),
        _ => Judged::No,
    }))
}

/// The model that texts were last made again under: most come one after the other from one.
static MADE: Mutex<Option<(String, retold::Model)>> = Mutex::new(None);

#[pyfunction(name = "_text")]
#[allow(clippy::too_many_arguments)]
fn text_of(
    py: Python<'_>,
    options: String,
    bytes: &[u8],
    id: String,
    site: Option<String>,
    date: Option<String>,
    url: Option<String>,
    seen: Vec<u64>,
) -> PyResult<Text> {
    let made = py.detach(|| {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let model = match &*made {
            Some((known, model)) if *known == options => model.clone(),
            _ => {
                let map = serde_json::from_str(&options);
                let map = map.map_err(|error| Error::usage(error.to_string()))?;
                retold::Model::new(JudgeConfig::from_map(map)?)?
            }
        };
        *made = Some((options, model.clone()));
        drop(made);
        let text = retold::method::Text::from_bytes(bytes, model.text_options())?;
        Ok((text, model))
    });
    let (text, model) = made.map_err(raise)?;
    Ok(Text {
        text,
        model,
        id,
        site,
        date,
        url,
        seen,
    })
}

#[pymethods]
impl Verdict {
    /// `duplicate`, `contains`, `contained_by` or `overlaps`, read from the first page to the second.
    #[getter]
    fn relation(&self) -> &'static str {
        self.0.relation.name()
    }

    /// 0 to 1; what it measures is the method's own.
    #[getter]
    fn similarity(&self) -> f64 {
        self.0.similarity
    }

    /// The shorter page's size over the longer's.
    #[getter]
    fn length_ratio(&self) -> f64 {
        self.0.length_ratio
    }

    /// How many keys the sketches share.
    #[getter]
    fn shared(&self) -> u32 {
        self.0.shared
    }

    /// Words of the first page in its own passages, which the second does not have; 0 if the method does not count them.
    #[getter]
    fn own_a(&self) -> u32 {
        self.0.own_a
    }

    /// Words of the second page in its own passages.
    #[getter]
    fn own_b(&self) -> u32 {
        self.0.own_b
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py, VerdictParts> {
        Ok((function(py, "_verdict")?, parts(&self.0)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<retold.Verdict: {} {:.6}>",
            self.relation(),
            self.0.similarity
        )
    }
}

impl Judgement {
    fn said(&self) -> Option<Said> {
        match self.0 {
            Judged::No => None,
            Judged::Yes(verdict) | Judged::NeedsVerification(verdict) => Some(verdict),
        }
    }
}

#[pymethods]
impl Judgement {
    /// `no`, `yes` or `needs_verification`.
    #[getter]
    fn answer(&self) -> &'static str {
        match self.0 {
            Judged::No => "no",
            Judged::Yes(_) => "yes",
            Judged::NeedsVerification(_) => "needs_verification",
        }
    }

    /// The verdict, or what it seems to be until it is verified; None if the answer is no.
    #[getter]
    fn verdict(&self) -> Option<Verdict> {
        self.said().map(Verdict)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> Pickled<'py, (&'static str, Option<VerdictParts>)> {
        let verdict = self.said().as_ref().map(parts);
        Ok((function(py, "_judgement")?, (self.answer(), verdict)))
    }

    fn __repr__(&self) -> String {
        match self.said() {
            Some(said) => format!(
                "<retold.Judgement: {}, {} {:.6}>",
                self.answer(),
                said.relation.name(),
                said.similarity
            ),
            None => "<retold.Judgement: no>".into(),
        }
    }
}

#[pymethods]
impl Sketch {
    /// The stable byte form.
    ///
    /// >>> import retold
    /// >>> data = retold.Model().sketch("The ferry left late.").to_bytes()
    /// >>> data[0], len(data) > 50
    /// (1, True)
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// The sketch with that byte form.
    ///
    /// >>> import retold
    /// >>> sketch = retold.Model().sketch("The ferry left late.")
    /// >>> retold.Sketch.from_bytes(sketch.to_bytes()) == sketch
    /// True
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Sketch> {
        Sketched::from_bytes(bytes).map(Sketch).map_err(raise)
    }

    /// Hashes that make two pages a candidate pair when they share enough of them; ascending.
    #[getter]
    fn keys(&self) -> Vec<u64> {
        self.0.keys.clone()
    }

    /// The site of the page, for noise that is one site's only.
    #[getter]
    fn site(&self) -> Option<&str> {
        self.0.site.as_deref()
    }

    /// Characters of the folded text, white space left out.
    #[getter]
    fn chars(&self) -> u64 {
        self.0.chars
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (Bound<'py, PyBytes>,)> {
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        Ok((from_bytes, (slf.get().to_bytes(slf.py()),)))
    }

    fn __repr__(&self) -> String {
        format!("<retold.Sketch of {} keys>", self.0.keys.len())
    }
}

#[pymethods]
impl Text {
    fn __str__(&self) -> String {
        self.text.shown().collect::<Vec<_>>().join("\n")
    }

    /// All visible text, menus and footers included, one line a block.
    #[getter]
    fn visible(&self) -> &str {
        &self.text.visible
    }

    /// The id of the page.
    #[getter]
    fn id(&self) -> &str {
        &self.id
    }

    /// The page's title.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.text.meta.title.as_deref()
    }

    /// The language that the page names, or that its words tell.
    #[getter]
    fn lang(&self) -> Option<&str> {
        self.text.language()
    }

    /// The encoding that bytes were decoded with.
    #[getter]
    fn charset(&self) -> Option<&str> {
        self.text.meta.charset
    }

    /// The date of the record, else the one that the page names.
    #[getter]
    fn date(&self) -> Option<&str> {
        self.date.as_deref().or(self.text.meta.date.as_deref())
    }

    /// The address of the record, else the one that the page names.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.url.as_deref().or(self.text.meta.canonical.as_deref())
    }

    /// The site of the record.
    #[getter]
    fn site(&self) -> Option<&str> {
        self.site.as_deref()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py, TextParts<'py>> {
        let mut options = self.model.config().to_map();
        // No text depends on what is known of a collection.
        options.remove("knowledge");
        let parts = (
            Value::from(options).to_string(),
            PyBytes::new(py, &self.text.to_bytes()),
            self.id.clone(),
            self.site.clone(),
            self.date.clone(),
            self.url.clone(),
            self.seen.clone(),
        );
        Ok((function(py, "_text")?, parts))
    }

    fn __repr__(&self) -> String {
        format!("<retold.Text of {} characters>", self.text.lengths().0)
    }
}
