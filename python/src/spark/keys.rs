//! Keys by which nodes (texts, each with the pages that have it) meet.
//!
//! Of two related nodes the smaller one (as the method has it) has a key in its prefix that the other has at all: any n −
//! overlap(n) + 1 of its n keys will do, so the prefix is made of those that the model knows to be rarest. Heavy keys, those that
//! very many nodes have, come last: only nodes that share nothing else meet there.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int64Builder};
use arrow_array::cast::AsArray;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use retold::Model as Judge;
use retold::method::Sketch;

use super::numbers::Numbers;
use super::rows::{answer, work};
use crate::findings::Columns;
use crate::model::Model;

/// The sketch as it is judged, without its noise.
fn unit(model: &Judge, sketch: &Sketch) -> Sketch {
    let site = sketch.site.as_deref();
    let kept = sketch
        .as_ref()
        .retain(|place| !model.deletes(sketch.keys[place], site));
    Sketch {
        text_hash: sketch.text_hash,
        chars: sketch.chars,
        main_chars: sketch.main_chars,
        ..kept
    }
}

/// `node`, `site` and `sketch` become `node` and `sketch`, as it is judged.
#[pyfunction]
pub fn unit_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
) -> PyResult<Bound<'py, PyAny>> {
    let model = &model.get().0;
    work(py, rows, |rows| {
        let mut sketches = BinaryBuilder::new();
        for row in 0..rows.0.num_rows() {
            sketches.append_value(unit(model, &rows.sketch_on_site(row)?).to_bytes());
        }
        Ok(vec![
            ("node", Arc::new(rows.numbers("node").clone())),
            ("sketch", Arc::new(sketches.finish())),
        ])
    })
}

/// `sketch` becomes its keys, one a row, to be counted.
#[pyfunction]
pub fn key_rows<'py>(py: Python<'py>, rows: PyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
    work(py, rows, |rows| {
        let mut keys = Int64Builder::new();
        for row in 0..rows.0.num_rows() {
            let sketch = rows.sketch("sketch", row)?;
            sketch
                .keys
                .iter()
                .for_each(|&key| keys.append_value(key as i64));
        }
        Ok(vec![("key", Arc::new(keys.finish()))])
    })
}

/// The keys of a node, rarest first as far as the model knows, and heavy ones last.
struct Ordered {
    /// Keys that are not heavy.
    free: Vec<u64>,
    heavy: Vec<u64>,
    /// How many keys a larger node has to share.
    overlap: usize,
    /// The most keys of a node that can be related.
    reach: usize,
    /// How many of the keys are in the prefix.
    prefix: usize,
}

impl Ordered {
    fn of(model: &Judge, sketch: &Sketch, heavy: &Numbers) -> Ordered {
        let known = model.knowledge();
        let how_many = |key: u64| match known {
            Some(known) if known.is_common(key) => 3,
            Some(known) if known.is_frequent(key) => 2,
            Some(known) if known.is_several(key) => 1,
            _ => 0,
        };
        let keys = sketch.keys.iter().copied();
        let (heavy, mut free): (Vec<u64>, Vec<u64>) = keys.partition(|&key| heavy.has(key as i64));
        free.sort_by_key(|&key| how_many(key));
        let bounds = model.bounds(model.size(&sketch.keys));
        let overlap = bounds.overlap.max(1);
        Ordered {
            free,
            heavy,
            overlap,
            reach: bounds.reach,
            prefix: (sketch.keys.len() + 1).saturating_sub(overlap),
        }
    }

    /// True if the prefix has heavy keys and there are enough of them: the node may share nothing else with a larger one.
    fn probes(&self) -> bool {
        self.prefix > self.free.len() && self.heavy.len() >= self.overlap
    }
}

/// `node` and `sketch` become postings of keys that are not heavy: `key`, `node`, `size`, `reach`, `prefix`.
#[pyfunction]
pub fn posting_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
    heavy: &Bound<'py, Numbers>,
) -> PyResult<Bound<'py, PyAny>> {
    let (model, heavy) = (&model.get().0, heavy.get());
    work(py, rows, |rows| {
        let [mut keys, mut nodes, mut sizes, mut reaches] = [0; 4].map(|_| Int64Builder::new());
        let mut prefixes = BooleanBuilder::new();
        let numbers = rows.numbers("node");
        for row in 0..rows.0.num_rows() {
            let sketch = rows.sketch("sketch", row)?;
            let ordered = Ordered::of(model, &sketch, heavy);
            for (place, &key) in ordered.free.iter().enumerate() {
                keys.append_value(key as i64);
                nodes.append_value(numbers.value(row));
                sizes.append_value(model.size(&sketch.keys) as i64);
                reaches.append_value(i64::try_from(ordered.reach).unwrap_or(i64::MAX));
                prefixes.append_value(place < ordered.prefix);
            }
        }
        Ok(vec![
            ("key", Arc::new(keys.finish())),
            ("node", Arc::new(nodes.finish())),
            ("size", Arc::new(sizes.finish())),
            ("reach", Arc::new(reaches.finish())),
            ("prefix", Arc::new(prefixes.finish())),
        ])
    })
}

/// `node` and `sketch` become postings of heavy keys: `key`, `node`, how many heavy keys the node `has`, and how many it
/// `wants` to share, if it may be the smaller one of two that share nothing else.
#[pyfunction]
pub fn heavy_rows<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    rows: PyRecordBatch,
    heavy: &Bound<'py, Numbers>,
) -> PyResult<Bound<'py, PyAny>> {
    let (model, heavy) = (&model.get().0, heavy.get());
    work(py, rows, |rows| {
        let [mut keys, mut nodes, mut has, mut wants] = [0; 4].map(|_| Int64Builder::new());
        let numbers = rows.numbers("node");
        for row in 0..rows.0.num_rows() {
            let ordered = Ordered::of(model, &rows.sketch("sketch", row)?, heavy);
            for &key in &ordered.heavy {
                keys.append_value(key as i64);
                nodes.append_value(numbers.value(row));
                has.append_value(ordered.heavy.len() as i64);
                wants.append_option(ordered.probes().then_some(ordered.overlap as i64));
            }
        }
        Ok(vec![
            ("key", Arc::new(keys.finish())),
            ("node", Arc::new(nodes.finish())),
            ("has", Arc::new(has.finish())),
            ("wants", Arc::new(wants.finish())),
        ])
    })
}

/// A node on the list of a key.
#[derive(Clone, Copy)]
struct Posting {
    node: i64,
    size: i64,
    reach: i64,
    prefix: bool,
}

/// Postings in the order of their keys become pairs of nodes that meet, `a` > `b`. A list may go over the end of a batch.
#[pyclass(module = "retold._retold")]
pub struct Meeting {
    key: i64,
    list: Vec<Posting>,
}

#[pymethods]
impl Meeting {
    #[new]
    fn new() -> Meeting {
        Meeting {
            key: 0,
            list: Vec::new(),
        }
    }

    /// The pairs of the lists that end in this batch.
    fn push<'py>(&mut self, py: Python<'py>, rows: PyRecordBatch) -> PyResult<Bound<'py, PyAny>> {
        work(py, rows, |rows| {
            let mut pairs = Vec::new();
            let [keys, nodes, sizes, reaches] =
                ["key", "node", "size", "reach"].map(|name| rows.numbers(name).values());
            let prefixes = rows.0["prefix"].as_boolean();
            for row in 0..rows.0.num_rows() {
                if keys[row] != self.key {
                    self.meet(&mut pairs);
                    self.key = keys[row];
                }
                self.list.push(Posting {
                    node: nodes[row],
                    size: sizes[row],
                    reach: reaches[row],
                    prefix: prefixes.value(row),
                });
            }
            Ok(columns(pairs))
        })
    }

    /// The pairs of the last list.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut pairs = Vec::new();
        self.meet(&mut pairs);
        answer(py, columns(pairs))
    }
}

impl Meeting {
    fn meet(&mut self, pairs: &mut Vec<(i64, i64)>) {
        for a in self.list.iter().filter(|posting| posting.prefix) {
            for b in &self.list {
                // Of two nodes that probe for each other, one finds the other.
                let larger =
                    a.size < b.size || (a.size == b.size && (!b.prefix || a.node > b.node));
                if larger && b.size <= a.reach && a.node != b.node {
                    pairs.push((a.node.max(b.node), a.node.min(b.node)));
                }
            }
        }
        self.list.clear();
    }
}

fn columns(mut pairs: Vec<(i64, i64)>) -> Columns {
    pairs.sort_unstable();
    pairs.dedup();
    let column = |numbers: &mut dyn Iterator<Item = i64>| {
        let mut column = Int64Builder::new();
        numbers.for_each(|number| column.append_value(number));
        Arc::new(column.finish())
    };
    vec![
        ("a", column(&mut pairs.iter().map(|pair| pair.0))),
        ("b", column(&mut pairs.iter().map(|pair| pair.1))),
    ]
}
