//! Plain values, through JSON.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::JudgeConfig;
use serde_json::Value;

use crate::error::{raise, usage};

/// JSON as Python values.
pub fn to_python<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "json"))?
        .call_method1(intern!(py, "loads"), (json,))
}

/// Keyword arguments by the names of [`JudgeConfig`]; those left out have their defaults.
pub fn config(options: Option<&Bound<'_, PyDict>>) -> PyResult<JudgeConfig> {
    let Some(options) = options else {
        return Ok(JudgeConfig::default());
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
    let options: Value =
        serde_json::from_str(&json).map_err(|error| usage(format!("options: {error}")))?;
    JudgeConfig::from_value(options).map_err(raise)
}
