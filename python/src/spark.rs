//! Functions on batches of rows for `retold.spark`. Each takes and returns one Arrow batch; the model decides.

mod decide;
mod keys;
mod numbers;
mod pages;
mod rows;
mod versions;

use pyo3::prelude::*;

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let limits = retold::internal::Limits::default();
    module.add("HEAVY", limits.heavy)?;
    module.add("FAMILY", limits.component)?;
    module.add_class::<numbers::Numbers>()?;
    module.add_class::<keys::Meeting>()?;
    module.add_class::<decide::Deciding>()?;
    module.add_class::<versions::Versions>()?;
    module.add_function(wrap_pyfunction!(pages::sketch_rows, module)?)?;
    module.add_function(wrap_pyfunction!(pages::learn_sketches, module)?)?;
    module.add_function(wrap_pyfunction!(pages::judge_rows, module)?)?;
    module.add_function(wrap_pyfunction!(pages::connected, module)?)?;
    module.add_function(wrap_pyfunction!(pages::more_fields, module)?)?;
    module.add_function(wrap_pyfunction!(pages::deletes, module)?)?;
    module.add_function(wrap_pyfunction!(pages::verifies, module)?)?;
    module.add_function(wrap_pyfunction!(pages::counts_own, module)?)?;
    module.add_function(wrap_pyfunction!(pages::name_rows, module)?)?;
    module.add_function(wrap_pyfunction!(pages::fingerprint_rows, module)?)?;
    module.add_function(wrap_pyfunction!(keys::unit_rows, module)?)?;
    module.add_function(wrap_pyfunction!(keys::key_rows, module)?)?;
    module.add_function(wrap_pyfunction!(keys::posting_rows, module)?)?;
    module.add_function(wrap_pyfunction!(keys::heavy_rows, module)?)
}
