//! Tables for other packages, through the Arrow PyCapsule interface.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyIterator, PyList};
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

use crate::error::InternalError;
use crate::values::{Pickled, function};

/// A table of a run. `pyarrow.table(t)`, `polars.DataFrame(t)`, `pandas.DataFrame.from_arrow(t)` and DuckDB read it without a copy.
/// Iterating gives a dict for each row.
///
/// >>> import retold
/// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
/// >>> found = retold.dedup([{"id": "a", "text": story}, {"id": "b", "text": story}])
/// >>> found.dropped
/// <retold.Table of 1 row: id, canonical, relation, cluster, cluster_size, lost, parts, row>
/// >>> list(found.dropped)
/// [{'id': 'b', 'canonical': 'a', 'relation': 'duplicate', 'cluster': 0, 'cluster_size': 2, 'lost': 0, 'parts': None, 'row': 1}]
#[pyclass(frozen, module = "retold")]
pub struct Table(pub RecordBatch);

#[pymethods]
impl Table {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.0.schema().fields().clone(), false);
        let array: ArrayRef = Arc::new(StructArray::from(self.0.clone()));
        let arrays = std::iter::once(Ok::<_, ArrowError>(array));
        to_stream_pycapsule(
            py,
            Box::new(ArrayIterator::new(arrays, field.into())),
            requested_schema,
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.0.schema().as_ref())
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.to_pylist(py)?.try_iter()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.0.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// The values of a column.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> found = retold.dedup([{"id": "a", "text": story}, {"id": "b", "text": story}])
    /// >>> found.dropped.column("id")
    /// ['b']
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.0.column_by_name(name);
        let column = column.ok_or_else(|| {
            PyKeyError::new_err(format!(
                "no column `{name}`; there are: {}",
                self.column_names().join(", ")
            ))
        })?;
        let values: PyResult<Vec<_>> = (0..column.len())
            .map(|row| value(py, column, row))
            .collect();
        PyList::new(py, values?)
    }

    /// All rows as dicts.
    ///
    /// >>> import retold
    /// >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    /// >>> found = retold.dedup([{"id": "a", "text": story}, {"id": "b", "text": story}])
    /// >>> found.kept.to_pylist()
    /// [{'id': 'a', 'row': 0}]
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        let names = self.column_names();
        for row in 0..self.0.num_rows() {
            let made = PyDict::new(py);
            for (name, column) in names.iter().zip(self.0.columns()) {
                made.set_item(name, value(py, column, row)?)?;
            }
            rows.append(made)?;
        }
        Ok(rows)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py, (Vec<PickledColumn<'py>>,)> {
        let names = self.column_names().into_iter();
        let columns = names.zip(self.0.columns()).map(|(name, column)| {
            let values = self.column(py, &name)?;
            Ok((name, column.data_type().to_string(), values))
        });
        let columns: PyResult<_> = columns.collect();
        Ok((function(py, "_table")?, (columns?,)))
    }

    /// The first rows, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_of(py, &self.0, ROWS_SHOWN)
    }

    fn __repr__(&self) -> String {
        let rows = self.0.num_rows();
        let noun = if rows == 1 { "row" } else { "rows" };
        format!(
            "<retold.Table of {rows} {noun}: {}>",
            self.column_names().join(", ")
        )
    }
}

const ROWS_SHOWN: usize = 20;
const CHARS_SHOWN: usize = 200;

/// The first rows of a table as HTML, with the number of further rows below.
pub fn html_of(py: Python<'_>, batch: &RecordBatch, most: usize) -> PyResult<String> {
    let escape = py.import("html")?.getattr("escape")?;
    let escaped = |text: &str| -> PyResult<String> { escape.call1((text,))?.extract() };
    let cell = |column: &ArrayRef, row: usize| -> PyResult<String> {
        let shown = value(py, column, row)?.str()?.to_string();
        let mut cut: String = shown.chars().take(CHARS_SHOWN).collect();
        if cut.len() < shown.len() {
            cut.push('…');
        }
        Ok(format!("<td>{}</td>", escaped(&cut)?))
    };
    let mut html = String::from("<table><thead><tr>");
    for field in batch.schema().fields() {
        html += &format!("<th>{}</th>", escaped(field.name())?);
    }
    html += "</tr></thead><tbody>";
    for row in 0..batch.num_rows().min(most) {
        let cells: PyResult<Vec<String>> = batch
            .columns()
            .iter()
            .map(|column| cell(column, row))
            .collect();
        html += &format!("<tr>{}</tr>", cells?.concat());
    }
    html += "</tbody></table>";
    let more = batch.num_rows().saturating_sub(most);
    if more > 0 {
        let noun = if more == 1 { "row" } else { "rows" };
        html += &format!("<p>and {more} more {noun}</p>");
    }
    Ok(html)
}

type PickledColumn<'py> = (String, String, Bound<'py, PyList>);

/// Restores a pickled table.
#[pyfunction(name = "_table")]
pub fn table_of(columns: Vec<PickledColumn<'_>>) -> PyResult<Table> {
    let columns: PyResult<Vec<(String, ArrayRef)>> = columns
        .into_iter()
        .map(|(name, kind, values)| Ok((name, array(&kind, &values)?)))
        .collect();
    let columns = columns?.into_iter();
    let made = RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, column)| (name, column, true)),
    );
    made.map(Table)
        .map_err(|error| InternalError::new_err(error.to_string()))
}

/// A column with one of the types of tables.
fn array(kind: &str, values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    Ok(match kind {
        "Int64" => Arc::new(Int64Array::from(values.extract::<Vec<Option<i64>>>()?)),
        "Float64" => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
        "Boolean" => Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?)),
        "Utf8" => Arc::new(StringArray::from(values.extract::<Vec<Option<String>>>()?)),
        _ => {
            let mut column = ListBuilder::new(StringBuilder::new());
            for list in values.extract::<Vec<Vec<String>>>()? {
                column.append_value(list.into_iter().map(Some));
            }
            Arc::new(column.finish())
        }
    })
}

fn value<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match column.data_type() {
        DataType::Int64 => column
            .as_primitive::<Int64Type>()
            .value(row)
            .into_pyobject(py)?
            .into_any(),
        DataType::Float64 => column
            .as_primitive::<Float64Type>()
            .value(row)
            .into_pyobject(py)?
            .into_any(),
        DataType::Boolean => PyBool::new(py, column.as_boolean().value(row))
            .to_owned()
            .into_any(),
        DataType::List(_) => {
            let list = column.as_list::<i32>().value(row);
            let values: PyResult<Vec<_>> = (0..list.len()).map(|at| value(py, &list, at)).collect();
            PyList::new(py, values?)?.into_any()
        }
        _ => column
            .as_string::<i32>()
            .value(row)
            .into_pyobject(py)?
            .into_any(),
    })
}
