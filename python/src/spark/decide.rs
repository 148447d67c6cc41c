//! Decides connected components with the code that decides a collection: pairs, kept pages, clusters.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, new_null_array};
use arrow_schema::DataType;
use arrow_select::concat::concat;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use retold::internal::{Take, TextSource};
use retold::method::Text;
use retold::{
    Collection, Dedup, Error, Findings, Model as Judge, PageNo, Result, RunConfig, Watch,
};
use tempfile::{SpooledTempFile, spooled_tempfile};

use super::rows::{answer, work};
use crate::error::raise;
use crate::findings::{Columns, agreements, clusters, dropped, pairs};
use crate::model::Model;

/// Components are decided together until they have this many pages.
pub(super) const ENOUGH: usize = 20_000;
/// Bytes of fingerprints held in memory before they go to a temporary file.
const HELD: usize = 256 << 20;

/// Fingerprints of texts, computed in other tasks.
struct Fingerprints {
    file: Mutex<SpooledTempFile>,
    end: u64,
    places: HashMap<u128, (u64, usize)>,
    texts: Vec<Option<u128>>,
    ids: Vec<String>,
    folder: PathBuf,
}

impl Fingerprints {
    fn new() -> Fingerprints {
        Fingerprints {
            file: Mutex::new(spooled_tempfile(HELD)),
            end: 0,
            places: HashMap::new(),
            texts: Vec::new(),
            ids: Vec::new(),
            folder: std::env::temp_dir(),
        }
    }

    fn add(&mut self, text: u128, fingerprint: &[u8]) -> std::io::Result<()> {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.write_all(fingerprint)?;
        self.places.insert(text, (self.end, fingerprint.len()));
        self.end += fingerprint.len() as u64;
        Ok(())
    }

    fn get(&self, text: u128) -> std::io::Result<Option<Vec<u64>>> {
        let Some(&(start, length)) = self.places.get(&text) else {
            return Ok(None);
        };
        let mut bytes = vec![0; length];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        let (numbers, _) = bytes.as_chunks::<8>();
        Ok(Some(
            numbers
                .iter()
                .map(|number| u64::from_le_bytes(*number))
                .collect(),
        ))
    }
}

impl TextSource for Fingerprints {
    fn each(
        &self,
        wanted: &[PageNo],
        _: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        watch: &dyn Watch,
    ) -> Result<()> {
        for (at, page) in wanted.iter().enumerate() {
            let failed = Error::io("cannot use a temporary file in", &self.folder);
            let fingerprint = match self.texts[page.at()] {
                Some(text) => self.get(text).map_err(failed)?,
                None => None,
            };
            let gone = || {
                let id = &self.ids[page.at()];
                Error::usage(format!(
                    "page `{id}`: its text is not what it was when it was sketched; the DataFrame changes from reading to \
                     reading, so write it to a file first"
                ))
            };
            take(at, fingerprint.ok_or_else(gone)?)?;
            watch.advance(1);
        }
        Ok(())
    }
}

/// Decides pages that come in the order of their components. The columns of the answer are `kind` (`pair`, `cluster` or `dropped`), `a`,
/// `b`, `relation`, `similarity`, `length_ratio`, `shared`, `own_a`, `own_b`, `lost`, `parts`, `members`, `pages`, `sites`, `inputs`,
/// `first_date`, `last_date`.
#[pyclass(module = "retold._retold")]
pub struct Deciding {
    model: Judge,
    component: Option<i64>,
    collection: Collection,
    fingerprints: Fingerprints,
    folder: PathBuf,
}

#[pymethods]
impl Deciding {
    #[new]
    fn new(model: &Bound<'_, Model>) -> Deciding {
        Deciding {
            model: model.get().0.clone(),
            component: None,
            collection: Collection::default(),
            fingerprints: Fingerprints::new(),
            folder: std::env::temp_dir(),
        }
    }

    /// The results of components that end in this batch. Rows are pages (`component`, `id`, `date`, `bytes`, `site`, `seen`, `sketch`) or
    /// fingerprints of their texts (`component`, `fingerprint`).
    fn push<'py>(&mut self, py: Python<'py>, rows: PyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        work(py, rows, |rows| {
            let mut made = StackedTables::default();
            let components = rows.numbers("component");
            for row in 0..rows.0.num_rows() {
                let component = components.value(row);
                let is_next = self.component.replace(component) != Some(component);
                if is_next && self.collection.pages.len() >= ENOUGH {
                    made.add(&self.decide()?);
                }
                let fingerprints = rows.bytes("fingerprint");
                if let Some((text, fingerprint)) = fingerprints.value(row).split_first_chunk::<16>()
                {
                    let full = Error::io("cannot use a temporary file in", &self.folder);
                    self.fingerprints
                        .add(u128::from_le_bytes(*text), fingerprint)
                        .map_err(full)?;
                    continue;
                }
                let sketch = rows.push_to(&mut self.collection, row)?;
                self.fingerprints.texts.push(sketch.text_hash);
                let id = rows.strings("id").value(row);
                self.fingerprints.ids.push(id.to_owned());
            }
            made.columns()
        })
    }

    /// The results of the remaining components.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = py.detach(|| {
            let mut made = StackedTables::default();
            if !self.collection.pages.is_empty() {
                made.add(&self.decide()?);
            }
            made.columns()
        });
        answer(py, made.map_err(raise)?)
    }
}

impl Deciding {
    fn decide(&mut self) -> Result<Findings> {
        let collection = std::mem::take(&mut self.collection);
        let fingerprints = std::mem::replace(&mut self.fingerprints, Fingerprints::new());
        let mut resources = RunConfig::default();
        resources.threads = 1;
        resources.memory = 4 * HELD as u64;
        resources.temp_dir = Some(self.folder.clone());
        Dedup::new(self.model.clone())
            .resources(&resources)
            .run_sketched(collection, &fingerprints)
    }
}

/// Tables stacked in one answer: the kind of each, and its columns by name.
#[derive(Default)]
struct StackedTables(Vec<(&'static str, Columns)>);

impl StackedTables {
    fn add(&mut self, findings: &Findings) {
        let named = |table: Columns, names: &[&'static str]| {
            let columns = table.into_iter().map(|(_, column)| column);
            names.iter().copied().zip(columns).collect()
        };
        self.0.push(("pair", pairs(findings)));
        let mut columns: Columns = named(clusters(findings), &["a", "members"]);
        columns.extend(agreements(findings));
        self.0.push(("cluster", columns));
        self.0.push((
            "dropped",
            named(
                dropped(findings, false),
                &["a", "b", "relation", "lost", "parts"],
            ),
        ));
    }

    fn columns(self) -> Result<Columns> {
        let rows = |table: &Columns| table.first().map_or(0, |(_, column)| column.len());
        let mut kinds = StringBuilder::new();
        for (kind, table) in &self.0 {
            (0..rows(table)).for_each(|_| kinds.append_value(kind));
        }
        let mut made: Columns = vec![("kind", Arc::new(kinds.finish()))];
        for (name, kind) in [
            ("a", DataType::Utf8),
            ("b", DataType::Utf8),
            ("relation", DataType::Utf8),
            ("similarity", DataType::Float64),
            ("length_ratio", DataType::Float64),
            ("shared", DataType::Int64),
            ("own_a", DataType::Int64),
            ("own_b", DataType::Int64),
            ("lost", DataType::Int64),
            ("parts", DataType::Int64),
            ("members", DataType::new_list(DataType::Utf8, true)),
            ("pages", DataType::Int64),
            ("sites", DataType::Int64),
            ("inputs", DataType::Int64),
            ("first_date", DataType::Utf8),
            ("last_date", DataType::Utf8),
        ] {
            let mut parts = vec![new_null_array(&kind, 0)];
            for (_, table) in &self.0 {
                let column = table.iter().find(|(own, _)| *own == name);
                parts.push(match column {
                    Some((_, column)) => Arc::clone(column),
                    None => new_null_array(&kind, rows(table)),
                });
            }
            let parts: Vec<&dyn Array> = parts.iter().map(|part| &**part).collect();
            let column = concat(&parts).map_err(|error| Error::usage(error.to_string()))?;
            made.push((name, column));
        }
        Ok(made)
    }
}
