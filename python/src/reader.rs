//! The pages of files, one by one.

use std::sync::{Mutex, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::JudgeConfig;
use retold::read::{Outcome, ReadOptions, Record, Source};

use crate::error::{RetoldWarning, in_python, raise};
use crate::pages::{Pages, record};
use crate::plain;

/// An iterator over the pages of files; see `retold.read`.
#[pyclass(module = "retold")]
pub struct Reader {
    sources: std::vec::IntoIter<Source>,
    open: Option<(Source, Records)>,
    options: ReadOptions,
    on_reject: Option<Py<PyAny>>,
}

enum Next {
    Page(String),
    Rejected(String, u64, String),
}

/// Records of one file. Only one thread reads them at a time; the lock tells the compiler.
type Records = Mutex<Box<dyn Iterator<Item = Record> + Send>>;

impl Reader {
    fn step(&mut self) -> Option<Next> {
        loop {
            let Some((source, records)) = &mut self.open else {
                let source = self.sources.next()?;
                let records = Mutex::new(source.records(&self.options));
                self.open = Some((source, records));
                continue;
            };
            let records = records.get_mut().unwrap_or_else(PoisonError::into_inner);
            let Some(read) = records.next() else {
                self.open = None;
                continue;
            };
            let number = read.number;
            let reason = match read.parse(source, &self.options) {
                Outcome::Skipped(_) => continue,
                Outcome::Rejected(reason) => reason,
                Outcome::Page(page) => match record(page, &self.options) {
                    Ok(page) => return Some(Next::Page(page)),
                    Err(reason) => reason,
                },
            };
            let reason = in_python(&reason).into_owned();
            return Some(Next::Rejected(source.name.clone(), number, reason));
        }
    }
}

#[pymethods]
impl Reader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            py.check_signals()?;
            match py.detach(|| self.step()) {
                None => return Ok(None),
                Some(Next::Page(json)) => return plain::to_python(py, &json).map(Some),
                Some(Next::Rejected(source, record, reason)) => match &self.on_reject {
                    Some(told) => {
                        told.call1(py, (source, record, reason))?;
                    }
                    None => {
                        let message = format!("{source}, record {record}: {reason}");
                        let warn = py.import(intern!(py, "warnings"))?;
                        warn.call_method1(
                            intern!(py, "warn"),
                            (message, py.get_type::<RetoldWarning>()),
                        )?;
                    }
                },
            }
        }
    }
}

/// Reads the pages of files and folders one by one, as dicts with `id`, `html` (decoded) or `text`, and `url`, `date` and `title` if they
/// have them.
///
/// These are their names also if the record has others (`text_field="body"`). All other fields of a record of JSONL, CSV or Parquet are in
/// the dict too. Reads all formats of `retold dedup`, with its options. Repeated ids are not changed. `on_reject(source, record, reason)` is called for
/// records that cannot be read; by default they cause warnings.
///
/// >>> import retold, tempfile, pathlib
/// >>> file = pathlib.Path(tempfile.mkdtemp(), "pages.csv")
/// >>> _ = file.write_text("id,body,lang\n1,The ferry left late.,en\n")
/// >>> list(retold.read(file, text_field="body"))
/// [{'id': '1', 'text': 'The ferry left late.', 'lang': 'en'}]
#[pyfunction]
#[pyo3(
    signature = (paths, *, on_reject=None, **options),
    text_signature = "(paths, *, on_reject=None, text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864)"
)]
pub fn read(
    paths: &Bound<'_, PyAny>,
    on_reject: Option<Py<PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Reader> {
    let options = JudgeConfig::from_map(plain::options(options)?);
    let mut options = options.map_err(raise)?.read;
    options.all_fields = true;
    let pages = Pages::of(paths, &options, None)?;
    Ok(Reader {
        sources: pages.sources.into_iter(),
        open: None,
        options,
        on_reject,
    })
}
