//! Batches of rows as input and output.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, BinaryArray, Int64Array, RecordBatch, StringArray};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use retold::internal::SketchedPage;
use retold::method::Sketch;
use retold::{Collection, Result};

use crate::error::{InternalError, raise};
use crate::findings::{Columns, batch};

/// A batch whose columns are known to exist.
pub(super) struct Rows(pub(super) RecordBatch);

impl Rows {
    pub(super) fn numbers(&self, name: &str) -> &Int64Array {
        self.0[name].as_primitive::<Int64Type>()
    }

    pub(super) fn bytes(&self, name: &str) -> &BinaryArray {
        self.0[name].as_binary::<i32>()
    }

    pub(super) fn strings(&self, name: &str) -> &StringArray {
        self.0[name].as_string::<i32>()
    }

    pub(super) fn sketch(&self, name: &str, row: usize) -> Result<Sketch> {
        Sketch::from_bytes(self.bytes(name).value(row))
    }

    pub(super) fn sketch_on_site(&self, row: usize) -> Result<Sketch> {
        let sites = self.strings("site");
        let site = sites.is_valid(row).then(|| sites.value(row).to_owned());
        Ok(Sketch {
            site,
            ..self.sketch("sketch", row)?
        })
    }

    /// Adds the page in that row, with `id`, `date`, `bytes`, `site`, `seen` and `sketch`, to a collection; returns its sketch.
    pub(super) fn push_to(&self, collection: &mut Collection, row: usize) -> Result<Sketch> {
        let sketch = self.sketch_on_site(row)?;
        let dates = self.numbers("date");
        let (seen, _) = self.bytes("seen").value(row).as_chunks::<8>();
        let seen = seen.iter().map(|number| u64::from_le_bytes(*number));
        collection.push(SketchedPage {
            id: self.strings("id").value(row),
            title: None,
            date: dates.is_valid(row).then(|| dates.value(row)),
            bytes: self.numbers("bytes").value(row) as u64,
            seen: &seen.collect::<Vec<u64>>(),
            sketch: &sketch,
        })?;
        Ok(sketch)
    }
}

/// Processes a batch without the interpreter's lock; the result is a pyarrow batch.
pub(super) fn work<'py>(
    py: Python<'py>,
    rows: PyRecordBatch,
    make: impl FnOnce(Rows) -> Result<Columns> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows(rows.into_inner());
    answer(py, py.detach(|| make(rows)).map_err(raise)?)
}

pub(super) fn answer(py: Python<'_>, columns: Columns) -> PyResult<Bound<'_, PyAny>> {
    let made = batch(columns).map_err(|error| InternalError::new_err(error.to_string()))?;
    PyRecordBatch::new(made).into_pyarrow(py)
}
