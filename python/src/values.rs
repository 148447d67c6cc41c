//! Texts, sketches and verdicts.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use retold::{Judgement as Judged, Sketch as Sketched, Verdict as Said};

use crate::error::raise;

/// The text of a page; `str()` gives what methods see of it, one line a block.
#[pyclass(frozen, module = "retold")]
pub struct Text {
    pub text: retold::Text,
    pub id: String,
    pub site: Option<String>,
    pub date: Option<String>,
    pub url: Option<String>,
}

/// All that is kept of a page to judge it without its text; `to_bytes()` gives its stable byte form.
#[pyclass(frozen, module = "retold", eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Sketch(pub Sketched);

/// What one page is to another.
#[pyclass(frozen, module = "retold", get_all)]
pub struct Verdict {
    /// `duplicate`, `contains` or `contained_by`, read from the first page to the second.
    relation: &'static str,
    /// 0 to 1; what it measures is the method's own.
    similarity: f64,
    /// The shorter page's size over the longer's.
    length_ratio: f64,
    /// How many keys the sketches share.
    shared: u32,
}

/// What sketches tell of two pages: `answer` is `no`, `yes`, or `needs_verification`, and then the texts decide.
#[pyclass(frozen, module = "retold")]
pub struct Judgement(pub Judged);

impl From<Said> for Verdict {
    fn from(said: Said) -> Verdict {
        Verdict {
            relation: said.relation.name(),
            similarity: said.similarity,
            length_ratio: said.length_ratio,
            shared: said.shared,
        }
    }
}

#[pymethods]
impl Verdict {
    fn __repr__(&self) -> String {
        format!("<retold.Verdict: {} {:.6}>", self.relation, self.similarity)
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
        self.said().map(Verdict::from)
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
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// The sketch with that byte form.
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

    fn __repr__(&self) -> String {
        format!("<retold.Text of {} characters>", self.text.lengths().0)
    }
}
