//! Numbers that are sent to all tasks.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::input::AnyRecordBatch;
use retold::Error;

use crate::error::raise;

/// 64-bit numbers to look up, each optionally with a second number.
#[pyclass(frozen, module = "retold._retold")]
pub struct Numbers(Vec<(i64, i64)>);

#[pymethods]
impl Numbers {
    /// The numbers of the first column of these batches, with those of the second column, if there is one.
    #[new]
    fn new(py: Python<'_>, rows: AnyRecordBatch) -> PyResult<Numbers> {
        let reader = rows.into_reader()?;
        let numbers = py.detach(|| {
            let mut numbers = Vec::new();
            for rows in reader {
                let rows = rows.map_err(|error| Error::usage(error.to_string()))?;
                let column = |at: usize| {
                    rows.column(at)
                        .as_primitive::<Int64Type>()
                        .values()
                        .iter()
                        .copied()
                };
                match rows.num_columns() {
                    1 => numbers.extend(column(0).map(|number| (number, 0))),
                    _ => numbers.extend(column(0).zip(column(1))),
                }
            }
            numbers.sort_unstable();
            numbers.dedup();
            Ok(Numbers(numbers))
        });
        numbers.map_err(raise)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let numbers = self.0.iter().flat_map(|(number, beside)| [number, beside]);
        let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        PyBytes::new(py, &bytes)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> Numbers {
        let (numbers, _) = bytes.as_chunks::<8>();
        let numbers: Vec<i64> = numbers
            .iter()
            .map(|number| i64::from_le_bytes(*number))
            .collect();
        let (numbers, _) = numbers.as_chunks::<2>();
        Numbers(
            numbers
                .iter()
                .map(|&[number, beside]| (number, beside))
                .collect(),
        )
    }
}

impl Numbers {
    pub(super) fn has(&self, number: i64) -> bool {
        self.beside(number).is_some()
    }

    pub(super) fn beside(&self, number: i64) -> Option<i64> {
        let at = self
            .0
            .binary_search_by_key(&number, |&(number, _)| number)
            .ok()?;
        Some(self.0[at].1)
    }
}
