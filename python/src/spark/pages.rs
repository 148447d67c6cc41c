//! Pages, their sketches, and learning from sketches.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;
use retold::internal::{SketchedPage, date_seconds, text_hash};
use retold::read::{Outcome, Source};
use retold::{Collection, Error, Judgement, Page};
use xxhash_rust::xxh3::xxh3_64;

use super::numbers::Numbers;
use super::rows::{Rows, answer, work};
use crate::error::{in_python, raise};
use crate::model::Model;
use crate::pages::{columns, line};

/// The number of a text, which exact copies share. A page that cannot be an exact copy gets a number of its own. Among 10⁹ texts, the
/// chance that any two share a number by accident is 3 in 100; such texts would only be compared with each other.
fn node(model: &retold::Model, id: &str, text: Option<u128>) -> i64 {
    let name = match text {
        Some(text) if model.config().exact => xxh3_64(&text.to_le_bytes()),
        _ => xxh3_64(id.as_bytes()),
    };
    name as i64
}

fn page(
    columns: &[(String, ArrayRef)],
    row: usize,
    model: &retold::Model,
) -> std::result::Result<Page, String> {
    let read = &model.config().read;
    // The name for records without id and URL; the rows of a table without an order have no numbers.
    const NAMELESS: &str = "\u{0}";
    match Source::line(NAMELESS, 1, &line(columns, row), read) {
        Outcome::Page(page) if page.id.starts_with(NAMELESS) => Err(format!(
            "neither field `{}` nor `{}`: a page needs an id",
            read.id_field, read.url_field
        )),
        Outcome::Page(page) => Ok(page),
        Outcome::Rejected(reason) => {
            Err(in_python(reason.trim_start_matches("line 1: ")).into_owned())
        }
        Outcome::Skipped(kind) => Err(kind.into_owned()),
    }
}

/// Turns pages into sketches: `id`, `node`, `date`, `bytes`, `site`, `seen` (by rules other than the method), `sketch` (without its site),
/// and hashes of its `text`, of its `address` and of the one that it is `linked` to, if addresses are used; or a `reason`.
#[pyfunction]
pub fn sketch_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
) -> PyResult<Bound<'py, PyAny>> {
    let model = &model.get().0;
    work(py, rows, |rows| {
        let columns = columns(&rows.0, &model.config().read)?;
        let [mut ids, mut sites, mut reasons] = [0; 3].map(|_| StringBuilder::new());
        let [mut nodes, mut dates, mut sizes] = [0; 3].map(|_| Int64Builder::new());
        let [mut sketches, mut seen] = [0; 2].map(|_| BinaryBuilder::new());
        let mut hashes = [0; 3].map(|_| BinaryBuilder::new());
        for row in 0..rows.0.num_rows() {
            let page = page(&columns, row, model);
            let made = page.and_then(|page| {
                let text = model.text(&page).map_err(|e| e.to_string())?;
                Ok((text, page))
            });
            let (text, page) = match made {
                Ok(made) => made,
                Err(reason) => {
                    let id = columns
                        .iter()
                        .find(|(name, _)| *name == model.config().read.id_field);
                    let id = id.filter(|(_, column)| column.is_valid(row));
                    ids.append_option(id.map(|(_, column)| column.as_string::<i64>().value(row)));
                    nodes.append_null();
                    dates.append_null();
                    sizes.append_null();
                    sites.append_null();
                    sketches.append_null();
                    seen.append_null();
                    hashes.iter_mut().for_each(BinaryBuilder::append_null);
                    reasons.append_value(reason);
                    continue;
                }
            };
            let sketch = model.sketch(&text, None)?;
            let date = page.date.as_deref().and_then(date_seconds);
            ids.append_value(&page.id);
            nodes.append_value(node(model, &page.id, sketch.text_hash));
            dates.append_option(date.or_else(|| text.meta.date.as_deref().and_then(date_seconds)));
            sizes.append_value(page.content.len() as i64);
            sites.append_option(page.site());
            sketches.append_value(sketch.to_bytes());
            let numbers = model.seen(&page, &text, "");
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
            seen.append_value(bytes.collect::<Vec<u8>>());
            let [address, linked] = model.addresses(&numbers);
            let text = sketch.text_hash.filter(|_| address.is_some());
            for (column, hash) in hashes.iter_mut().zip([text, address, linked]) {
                column.append_option(hash.map(u128::to_le_bytes));
            }
            reasons.append_null();
        }
        let [text, address, linked] = hashes.map(|mut column| Arc::new(column.finish()));
        Ok(vec![
            ("id", Arc::new(ids.finish())),
            ("node", Arc::new(nodes.finish())),
            ("date", Arc::new(dates.finish())),
            ("bytes", Arc::new(sizes.finish())),
            ("site", Arc::new(sites.finish())),
            ("seen", Arc::new(seen.finish())),
            ("sketch", Arc::new(sketches.finish())),
            ("text", text),
            ("address", address),
            ("linked", linked),
            ("reason", Arc::new(reasons.finish())),
        ])
    })
}

/// Learns from sketches, given as batches with the columns `site` and `sketch`.
#[pyfunction]
pub fn learn_sketches<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: AnyRecordBatch,
) -> PyResult<Model> {
    let model = &model.get().0;
    let reader = rows.into_reader()?;
    let learnt = py.detach(|| {
        let mut collection = Collection::default();
        for rows in reader {
            let rows = Rows(rows.map_err(|error| Error::usage(error.to_string()))?);
            for row in 0..rows.0.num_rows() {
                collection.push(SketchedPage {
                    id: "",
                    title: None,
                    date: None,
                    bytes: 0,
                    seen: &[],
                    sketch: &rows.sketch_on_site(row)?,
                })?;
            }
        }
        Ok(match collection.knowledge(model)? {
            Some(known) => model.with_knowledge(known),
            None => model.clone(),
        })
    });
    learnt.map(Model).map_err(raise)
}

/// Turns `node_a`, `sketch_a`, `node_b`, `sketch_b` into `a`, `b`: the nodes that may be related according to their sketches.
#[pyfunction]
pub fn judge_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
) -> PyResult<Bound<'py, PyAny>> {
    let model = &model.get().0;
    work(py, rows, |rows| {
        let [mut a, mut b] = [0; 2].map(|_| Int64Builder::new());
        let nodes = [rows.numbers("node_a"), rows.numbers("node_b")];
        for row in 0..rows.0.num_rows() {
            let [x, y] = nodes.map(|column| column.value(row));
            let judged = || {
                Ok(model.judge(
                    &rows.sketch("sketch_a", row)?,
                    &rows.sketch("sketch_b", row)?,
                ))
            };
            if x != y && judged()? != Judgement::No {
                a.append_value(x.max(y));
                b.append_value(x.min(y));
            }
        }
        Ok(vec![
            ("a", Arc::new(a.finish())),
            ("b", Arc::new(b.finish())),
        ])
    })
}

/// Turns edges, `a` and `b`, into `node` and `component`. A connected component is named after its smallest node.
#[pyfunction]
pub fn connected<'py>(py: Python<'py>, rows: AnyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
    let reader = rows.into_reader()?;
    let made = py.detach(|| {
        let mut parent: HashMap<i64, i64> = HashMap::new();
        fn root(parent: &mut HashMap<i64, i64>, mut node: i64) -> i64 {
            loop {
                let up = *parent.entry(node).or_insert(node);
                if up == node {
                    return node;
                }
                let above = parent[&up];
                parent.insert(node, above);
                node = above;
            }
        }
        for rows in reader {
            let rows = Rows(rows.map_err(|error| Error::usage(error.to_string()))?);
            for (a, b) in rows
                .numbers("a")
                .values()
                .iter()
                .zip(rows.numbers("b").values())
            {
                let (a, b) = (root(&mut parent, *a), root(&mut parent, *b));
                parent.insert(a.max(b), a.min(b));
            }
        }
        let mut nodes: Vec<i64> = parent.keys().copied().collect();
        nodes.sort_unstable();
        let components: Int64Array = nodes
            .iter()
            .map(|&node| Some(root(&mut parent, node)))
            .collect();
        let nodes: ArrayRef = Arc::new(Int64Array::from(nodes));
        Ok(vec![
            ("node", nodes),
            ("component", Arc::new(components) as ArrayRef),
        ])
    });
    answer(py, made.map_err(raise)?)
}

/// Fields needed by options other than those for reading.
#[pyfunction]
pub fn more_fields(model: &Bound<'_, Model>) -> Vec<String> {
    model.get().0.config().read.more_fields.clone()
}

/// Whether the model deletes keys from sketches.
#[pyfunction]
pub fn deletes(model: &Bound<'_, Model>) -> bool {
    let known = model.get().0.knowledge();
    known.is_some_and(|known| !known.deletes_nothing())
}

/// Whether the model verifies by texts what sketches leave open.
#[pyfunction]
pub fn verifies(model: &Bound<'_, Model>) -> bool {
    model.get().0.verifier().is_some()
}

/// Whether the method counts words that only one of two pages has.
#[pyfunction]
pub fn counts_own(model: &Bound<'_, Model>) -> bool {
    model.get().0.method().counts_own()
}

#[pyfunction]
pub fn name_rows<'py>(py: Python<'py>, rows: PyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
    work(py, rows, |rows| {
        let ids = rows.strings("id").iter().flatten();
        let names: Int64Array = ids.map(|id| Some(xxh3_64(id.as_bytes()) as i64)).collect();
        let components = rows.numbers("component").clone();
        Ok(vec![
            ("name", Arc::new(names)),
            ("component", Arc::new(components)),
        ])
    })
}

/// Turns pages whose ids are among the numbers into `component` (the second number), `id`, and `fingerprint`: the 16-byte hash of the text,
/// followed by its fingerprint.
#[pyfunction]
pub fn fingerprint_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
    wanted: &Bound<'py, Numbers>,
) -> PyResult<Bound<'py, PyAny>> {
    let (model, wanted) = (&model.get().0, wanted.get());
    work(py, rows, |rows| {
        let columns = columns(&rows.0, &model.config().read)?;
        let (mut components, mut ids, mut fingerprints) = (
            Int64Builder::new(),
            StringBuilder::new(),
            BinaryBuilder::new(),
        );
        let verifier = model
            .verifier()
            .ok_or_else(|| Error::usage("the model verifies nothing"))?;
        for row in 0..rows.0.num_rows() {
            let Ok(page) = page(&columns, row, model) else {
                continue;
            };
            let Some(component) = wanted.beside(xxh3_64(page.id.as_bytes()) as i64) else {
                continue;
            };
            let text = model.text(&page)?;
            let Some(hash) = text_hash(&text) else {
                continue;
            };
            let mut fingerprint = hash.to_le_bytes().to_vec();
            fingerprint.extend(
                verifier
                    .fingerprint(&text)
                    .iter()
                    .flat_map(|number| number.to_le_bytes()),
            );
            components.append_value(component);
            ids.append_value(page.id);
            fingerprints.append_value(fingerprint);
        }
        Ok(vec![
            ("component", Arc::new(components.finish())),
            ("id", Arc::new(ids.finish())),
            ("fingerprint", Arc::new(fingerprints.finish())),
        ])
    })
}
