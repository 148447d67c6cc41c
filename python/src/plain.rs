//! Plain values, through JSON.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::internal::byte_count;
use serde_json::{Map, Value};

use crate::error::usage;

/// JSON as Python values.
pub fn to_python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "json"))?
        .call_method1(intern!(py, "loads"), (json,))
}

/// Keyword arguments by their names.
pub fn options(options: Option<&Bound<'_, PyDict>>) -> PyResult<Map<String, Value>> {
    let Some(options) = options else {
        return Ok(Map::new());
    };
    let py = options.py();
    let named = PyDict::new(py);
    named.set_item(
        "default",
        py.import(intern!(py, "os"))?
            .getattr(intern!(py, "fspath"))?,
    )?;
    let json: String = py
        .import(intern!(py, "json"))?
        .call_method(intern!(py, "dumps"), (options,), Some(&named))?
        .extract()?;
    let mut options: Map<String, Value> =
        serde_json::from_str(&json).map_err(|error| usage(format!("options: {error}")))?;
    let size = "max_record_size";
    if let Some(Value::String(text)) = options.get(size) {
        let bytes = bytes(size, text)?;
        options.insert(size.to_owned(), bytes.into());
    }
    Ok(options)
}

/// A number of bytes, perhaps with a suffix, as the value of an argument.
pub fn bytes(name: &str, text: &str) -> PyResult<u64> {
    byte_count(text).map_err(|reason| usage(format!("{name}={text}: {reason}")))
}
