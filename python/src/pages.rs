//! Converts pages given by callers to sources.
//!
//! Dicts and Arrow tables are spooled to a temporary JSONL file. So they follow the rules of that format exactly, and take no more memory
//! than a file.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use pyo3_arrow::input::AnyRecordBatch;
use retold::read::{Outcome, ReadOptions, Source, discover};
use retold::{Content, Error, Markup, Page, Result};
use serde_json::{Map, Value};
use tempfile::NamedTempFile;

use crate::error::{raise, usage};
use crate::job;

/// Sources, with the temporary file that holds spooled pages.
pub struct Pages {
    /// The sources to read.
    pub sources: Vec<Source>,
    /// Files and folders as given; empty for spooled pages.
    pub paths: Vec<PathBuf>,
    _spool: Option<NamedTempFile>,
}

pub fn fields(read: &ReadOptions) -> Vec<&str> {
    let named = [
        &read.text_field,
        &read.html_field,
        &read.id_field,
        &read.url_field,
        &read.date_field,
        &read.title_field,
    ];
    let named = named.into_iter().map(String::as_str);
    let more = read.more_fields.iter().map(String::as_str);
    let named = named.chain(read.site_field.as_deref());
    named.chain(more).collect()
}

impl Pages {
    /// Accepts one or several paths, anything with the Arrow PyCapsule interface, a dict of columns, or an iterable of dicts.
    pub fn of(
        pages: &Bound<'_, PyAny>,
        read: &ReadOptions,
        folder: Option<&PathBuf>,
    ) -> PyResult<Pages> {
        let py = pages.py();
        if let Some(path) = path(pages)? {
            check_path(pages, &path)?;
            return Pages::of_paths(vec![path], read);
        }
        let asked = py
            .import(intern!(py, "retold._pages"))?
            .call_method1(intern!(py, "given"), (pages, fields(read)))?;
        let pages = &asked;
        if pages.hasattr(intern!(py, "__arrow_c_stream__"))?
            || pages.hasattr(intern!(py, "__arrow_c_array__"))?
        {
            let spool = spool(folder)?;
            let batches: PyResult<AnyRecordBatch> = pages.extract();
            let batches = batches.map_err(|error| one_column(pages, &error).unwrap_or(error))?;
            let reader = batches.into_reader()?;
            check(&reader.schema(), read)?;
            job::run(py, None, |_| write_batches(reader, read, &spool))?;
            return Ok(Pages::spooled(spool));
        }
        let mut items = pages.try_iter().map_err(|_| {
            usage(format!(
                "pages: a path, an Arrow table, a dict of columns or an iterable of dicts is expected, not {}",
                pages.get_type()
            ))
        })?;
        let first = items.next().transpose()?;
        if let Some(first) = &first
            && path(first)?.is_some()
        {
            let all = std::iter::once(Ok(first.clone())).chain(items);
            let paths = all.map(|item| {
                let item = item?;
                let path = path(&item)?.ok_or_else(|| {
                    usage(format!(
                        "pages: a path is expected as the first one was, not {}",
                        item.get_type()
                    ))
                })?;
                check_path(&item, &path)?;
                Ok(path)
            });
            return Pages::of_paths(paths.collect::<PyResult<_>>()?, read);
        }
        let spool = spool(folder)?;
        let write = py
            .import(intern!(py, "retold._pages"))?
            .getattr(intern!(py, "spool"))?;
        write.call1((first, items, fields(read), spool.path()))?;
        Ok(Pages::spooled(spool))
    }

    fn of_paths(mut paths: Vec<PathBuf>, read: &ReadOptions) -> PyResult<Pages> {
        paths.sort();
        let sources = discover(&paths, read).map_err(raise)?;
        let pages = Pages {
            sources,
            paths,
            _spool: None,
        };
        if pages.sources.is_empty() {
            let names = pages.names().join(", ");
            return Err(usage(format!(
                "no page could be read from {names}: there are 0 files to read"
            )));
        }
        Ok(pages)
    }

    pub fn names(&self) -> Vec<String> {
        let names = self.paths.iter();
        names.map(|path| path.display().to_string()).collect()
    }

    fn spooled(spool: NamedTempFile) -> Pages {
        let mut source = Source::spooled(spool.path());
        source.name = "pages".into();
        Pages {
            sources: vec![source],
            paths: Vec::new(),
            _spool: Some(spool),
        }
    }
}

fn path(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    let py = value.py();
    if value.is_instance_of::<PyString>() || value.hasattr(intern!(py, "__fspath__"))? {
        return value.extract().map(Some);
    }
    Ok(None)
}

/// Checks that a path exists. If a text was passed instead, the message says how to pass texts.
fn check_path(given: &Bound<'_, PyAny>, path: &Path) -> PyResult<()> {
    const SHOWN: usize = 80;
    let Err(error) = std::fs::metadata(path) else {
        return Ok(());
    };
    let name = path.display().to_string();
    let mut shown: String = name.chars().take(SHOWN).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    let next = match given.is_instance_of::<PyString>() {
        true => "; a str is taken as a path, texts are passed as [{\"text\": ...}]",
        false => "",
    };
    Err(usage(format!(
        "pages: cannot read `{shown}`: {error}{next}"
    )))
}

/// The error for data that are a single column without a name, such as a series or an array.
fn one_column(pages: &Bound<'_, PyAny>, error: &PyErr) -> Option<PyErr> {
    let named = |name| pages.hasattr(name).unwrap_or(false);
    if named("columns") || named("schema") || !error.is_instance_of::<PyValueError>(pages.py()) {
        return None;
    }
    let told = pages
        .py()
        .import("retold._pages")
        .and_then(|helpers| helpers.call_method1("one_column", (pages,)));
    Some(told.map_or_else(|error| error, |error| PyErr::from_value(error)))
}

fn spool(folder: Option<&PathBuf>) -> PyResult<NamedTempFile> {
    let folder = folder.cloned().unwrap_or_else(std::env::temp_dir);
    let file = NamedTempFile::with_suffix_in(".jsonl", &folder);
    file.map_err(|error| {
        raise(Error::io("cannot write a temporary file in", &folder)(
            error,
        ))
    })
}

/// Checks that all columns have readable types, and that one of them has the pages.
fn check(schema: &Schema, read: &ReadOptions) -> PyResult<()> {
    let mut held = false;
    for name in [&read.text_field, &read.html_field] {
        let Ok(column) = schema.field_with_name(name) else {
            continue;
        };
        held = true;
        if !is_text(column.data_type()) {
            let kind = column.data_type();
            return Err(usage(format!("column `{name}` holds {kind}, not strings")));
        }
    }
    if !held {
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        return Err(usage(format!(
            "neither a column `{}` nor `{}` among {}: name it with text_field= or html_field=",
            read.text_field,
            read.html_field,
            names.join(", ")
        )));
    }
    Ok(())
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The columns to read, by name, as strings.
pub fn columns(batch: &RecordBatch, read: &ReadOptions) -> Result<Vec<(String, ArrayRef)>> {
    let mut columns = Vec::new();
    for name in fields(read) {
        if columns.iter().any(|(other, _)| other == name) {
            continue;
        }
        let Some(column) = batch.column_by_name(name) else {
            continue;
        };
        let kind = column.data_type();
        // A title of an unsupported type is ignored; the page is still read.
        if name == read.title_field && !is_text(kind) {
            continue;
        }
        let column = cast(column, &DataType::LargeUtf8).map_err(|_| {
            Error::usage(format!(
                "column `{name}` holds {kind}, which cannot be written as a string"
            ))
        })?;
        columns.push((name.to_owned(), column));
    }
    Ok(columns)
}

pub fn line(columns: &[(String, ArrayRef)], row: usize) -> Vec<u8> {
    let mut object = Map::new();
    for (name, column) in columns {
        if column.is_valid(row) {
            let value = column.as_string::<i64>().value(row);
            object.insert(name.clone(), Value::String(value.to_owned()));
        }
    }
    let mut line = Value::Object(object).to_string().into_bytes();
    line.push(b'\n');
    line
}

fn write_batches(
    reader: Box<dyn RecordBatchReader + Send>,
    read: &ReadOptions,
    spool: &NamedTempFile,
) -> Result<()> {
    let full = || Error::io("cannot write", spool.path());
    let mut file = BufWriter::with_capacity(1 << 20, spool.as_file());
    for batch in reader {
        let batch = batch.map_err(|error| Error::usage(format!("pages: {error}")))?;
        let columns = columns(&batch, read)?;
        for row in 0..batch.num_rows() {
            file.write_all(&line(&columns, row)).map_err(full())?;
        }
    }
    file.flush().map_err(full())
}

/// One page, given as plain text, bytes of an HTML document, or a dict with the fields of a record.
pub fn page(page: &Bound<'_, PyAny>, read: &ReadOptions) -> PyResult<Page> {
    let py = page.py();
    if let Ok(text) = page.cast::<PyString>() {
        return Ok(Page::text("page", text.extract::<String>()?));
    }
    if let Ok(bytes) = page.cast::<PyBytes>() {
        return Ok(Page::document(
            "page",
            bytes.as_bytes().to_vec(),
            Markup::Html,
        ));
    }
    let line = py
        .import(intern!(py, "retold._pages"))?
        .getattr(intern!(py, "line"))?;
    let line: Vec<u8> = line.call1((page, fields(read)))?.extract()?;
    match Source::line("page", 1, &line, read) {
        Outcome::Page(page) => Ok(page),
        Outcome::Rejected(reason) => Err(usage(reason.trim_start_matches("line 1: "))),
        Outcome::Skipped(kind) => Err(usage(format!("this is not a page but: {kind}"))),
    }
}

/// The page as JSON: `id`, `url`, `date`, `title`, and `html` or `text`; then the other fields of the record.
pub fn record(page: Page, read: &ReadOptions) -> std::result::Result<String, String> {
    let site = page.site();
    let (text, markup) = match page.content {
        Content::Unicode { text, markup } => (text, markup),
        Content::Bytes {
            bytes,
            charset,
            markup,
        } => {
            let decoded = retold::read::decode(&bytes, charset.as_deref())?;
            (decoded.text.into_owned(), markup)
        }
    };
    let content = match markup {
        Markup::Html => ("html", &read.html_field),
        Markup::Plain => ("text", &read.text_field),
    };
    // The name, the field of the record, the value.
    let named = [
        (("id", &read.id_field), Some(page.id)),
        (("url", &read.url_field), page.url),
        (("date", &read.date_field), page.date),
        (("title", &read.title_field), page.title),
        (content, Some(text)),
    ];
    let named = named.into_iter().filter(|(_, value)| value.is_some());
    let (names, values): (Vec<(&str, &String)>, Vec<Option<String>>) = named.unzip();
    let is_other = |field: &str| {
        let mut names = names.iter();
        !names.any(|(name, own)| *name == field || *own == field)
    };
    let mut others = page.fields;
    others.retain(|(field, _)| is_other(field));
    if let (Some(field), Some(site)) = (&read.site_field, site)
        && !others.iter().any(|(name, _)| name == field)
    {
        others.push((field.clone(), Value::from(site).to_string()));
    }
    let names = names.into_iter().map(|(name, _)| name.to_owned());
    let values = values
        .into_iter()
        .map(|value| Value::from(value).to_string());
    let members = names.zip(values).chain(others);
    let members = members.map(|(name, value)| format!("{}:{value}", Value::from(name)));
    Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}
