//! Python bindings of Retold: the module `retold._retold`, whose public names the package `retold` exports.
//!
//! The bindings only convert values; the library makes all decisions.

mod blocks;
mod corpus;
mod drops;
mod error;
mod findings;
mod index;
mod job;
mod model;
mod pages;
mod passages;
mod plain;
mod reader;
mod spark;
mod table;
mod values;

use pyo3::prelude::*;

#[pymodule]
fn _retold(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    module.add_class::<model::Model>()?;
    module.add_class::<values::Text>()?;
    module.add_class::<values::Sketch>()?;
    module.add_class::<values::Verdict>()?;
    module.add_class::<values::Judgement>()?;
    module.add_class::<findings::PyFindings>()?;
    module.add_class::<passages::Passages>()?;
    module.add_class::<blocks::Blocks>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<index::Index>()?;
    module.add_class::<reader::Reader>()?;
    module.add_function(wrap_pyfunction!(findings::dedup, module)?)?;
    module.add_function(wrap_pyfunction!(passages::passages, module)?)?;
    module.add_function(wrap_pyfunction!(blocks::blocks, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::decontaminate, module)?)?;
    module.add_function(wrap_pyfunction!(corpus::sample, module)?)?;
    module.add_function(wrap_pyfunction!(model::explain, module)?)?;
    module.add_function(wrap_pyfunction!(model::text_of, module)?)?;
    module.add_function(wrap_pyfunction!(reader::read, module)?)?;
    module.add_function(wrap_pyfunction!(decoded, module)?)?;
    values::add(module)?;
    module.add_function(wrap_pyfunction!(table::table_of, module)?)?;
    spark::add(module)
}

/// Decodes the bytes of a document as for pages.
#[pyfunction]
fn decoded(bytes: &[u8]) -> PyResult<String> {
    let decoded = retold::read::decode(bytes, None).map_err(error::usage)?;
    Ok(decoded.text.into_owned())
}
