//! What `retold.spark` does to batches of rows. Each function takes and gives one Arrow batch; the model decides.

mod decide;
mod keys;
mod numbers;
mod pages;
mod rows;

use pyo3::prelude::*;

/// Adds what `retold.spark` needs to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let limits = retold::internal::Limits::default();
    module.add("HEAVY", limits.heavy)?;
    module.add("FAMILY", limits.component)?;
    module.add_class::<numbers::Numbers>()?;
    module.add_class::<keys::Meeting>()?;
    module.add_class::<decide::Deciding>()?;
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
