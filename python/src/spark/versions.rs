//! Chooses the version that stands for each address.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use retold::internal::{date_text, find_versions_of};
use retold::{Collection, Model as Judge, Rank, Result};

use super::decide::ENOUGH;
use super::rows::{answer, work};
use crate::error::raise;
use crate::findings::{Columns, some_strings, strings};
use crate::model::Model;

/// Chooses among pages that come in the order of their addresses. The columns of the answer are `newest`, `id`, `date`.
#[pyclass(module = "retold._retold")]
pub struct Versions {
    model: Judge,
    address: Vec<u8>,
    collection: Collection,
    elsewhere: Vec<bool>,
}

#[pymethods]
impl Versions {
    #[new]
    fn new(model: &Bound<'_, Model>) -> Versions {
        Versions {
            model: model.get().0.clone(),
            address: Vec::new(),
            collection: Collection::default(),
            elsewhere: Vec::new(),
        }
    }

    /// The versions of addresses that end in this batch. Rows are pages (`address`, `id`, `date`, `bytes`, `site`, `seen`, `sketch`), and say
    /// whether their texts stand `elsewhere` too.
    fn push<'py>(&mut self, py: Python<'py>, rows: PyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        work(py, rows, |rows| {
            let mut found = Vec::new();
            let elsewhere: BooleanArray = rows.0["elsewhere"].as_boolean().clone();
            for row in 0..rows.0.num_rows() {
                let address = rows.bytes("address").value(row);
                if self.address != address {
                    self.address = address.to_owned();
                    if self.collection.pages.len() >= ENOUGH {
                        found.extend(self.choose()?);
                    }
                }
                rows.push_to(&mut self.collection, row)?;
                self.elsewhere
                    .push(elsewhere.is_valid(row) && elsewhere.value(row));
            }
            Ok(columns(&found))
        })
    }

    /// The versions of the remaining addresses.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = py.detach(|| self.choose());
        answer(py, columns(&found.map_err(raise)?))
    }
}

/// The newest page of an address, a page of it, and the date of that page.
type Version = (String, String, Option<String>);

impl Versions {
    fn choose(&mut self) -> Result<Vec<Version>> {
        let mut collection = std::mem::take(&mut self.collection);
        let elsewhere = std::mem::take(&mut self.elsewhere);
        find_versions_of(&mut collection, &self.model, &elsewhere)?;
        let by_id = collection.pages.by_id();
        let id = |rank: Rank| collection.id(by_id[rank.at()]).into_owned();
        let date = |rank: Rank| collection.page(by_id[rank.at()]).date.and_then(date_text);
        let versions = collection.versions.iter();
        let rows = versions.flat_map(|pages| {
            pages
                .iter()
                .map(|&page| (id(pages[0]), id(page), date(page)))
        });
        Ok(rows.collect())
    }
}

fn columns(found: &[Version]) -> Columns {
    vec![
        ("newest", strings(found.iter().map(|(newest, ..)| newest))),
        ("id", strings(found.iter().map(|(_, id, _)| id))),
        (
            "date",
            some_strings(found.iter().map(|(.., date)| date.clone())),
        ),
    ]
}
