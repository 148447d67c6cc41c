//! Plain values, through JSON.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
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
    serde_json::from_str(&json).map_err(|error| usage(format!("options: {error}")))
}
