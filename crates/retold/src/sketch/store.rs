//! A store for many sketches, without an allocation for each. Equal sketches are stored once.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::types::SketchRef;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::spill::{Memory, Piece, Row, SpillRows};

/// Stores each different sketch once, numbered in order of first occurrence, in memory or in a temporary file.
///
/// Layout of a row: the number of keys and a flag for marks; a bit per key that says whether it is common; keys; marks; the rest.
#[derive(Debug, Default)]
pub struct Sketches {
    memory: Memory,
    rows: SpillRows<u64>,
    numbers: FxHashMap<u128, SketchNo>,
}

/// Flag in the first number of a row, beside the number of keys.
const HAS_MARKS: u64 = 1 << 63;

/// A sketch of a store.
#[derive(Clone, Debug)]
pub struct Stored<'a>(Row<'a, u64>);

impl Stored<'_> {
    /// The sketch as methods see it.
    pub fn as_ref(&self) -> SketchRef<'_> {
        sketch_of(&self.0)
    }
}

fn sketch_of(row: &[u64]) -> SketchRef<'_> {
    // An unreadable row counts as a sketch without keys.
    let (head, rest) = row.split_first().unwrap_or((&0, &[]));
    let count = (head & !HAS_MARKS) as usize;
    let (common, rest) = rest.split_at(count.div_ceil(64));
    let (keys, rest) = rest.split_at(count);
    let (marks, extra) = rest.split_at(if head & HAS_MARKS > 0 { count } else { 0 });
    let is_any = common.iter().any(|&bits| bits > 0);
    SketchRef {
        keys,
        marks,
        extra,
        common: if is_any { common } else { &[] },
    }
}

impl Sketches {
    /// An empty store.
    pub fn new(memory: &Memory) -> Sketches {
        Sketches {
            memory: memory.clone(),
            rows: SpillRows::new(memory),
            ..Sketches::default()
        }
    }

    /// The memory budget of the store.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Adds `sketch` if it is new, and returns its number. Two sketches are equal if the 128-bit hashes of their keys, marks and extra
    /// numbers are.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn add(&mut self, sketch: SketchRef<'_>) -> Result<SketchNo> {
        let next = SketchNo::new(self.len());
        let number = *self.numbers.entry(fingerprint(sketch)).or_insert(next);
        if number == next {
            self.push(sketch)?;
        }
        Ok(number)
    }

    /// Adds a sketch under the next number, even if it is not new.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn push(&mut self, sketch: SketchRef<'_>) -> Result<()> {
        let marks = if sketch.marks.is_empty() {
            0
        } else {
            HAS_MARKS
        };
        self.rows.add(sketch.keys.len() as u64 | marks)?;
        for word in 0..sketch.keys.len().div_ceil(64) {
            self.rows
                .add(sketch.common.get(word).copied().unwrap_or(0))?;
        }
        for values in [sketch.keys, sketch.marks, sketch.extra] {
            self.rows.extend(values)?;
        }
        self.rows.end();
        Ok(())
    }

    pub(crate) fn rows(&self) -> &SpillRows<u64> {
        &self.rows
    }

    /// Adds a sketch of [`Sketches::rows`] under the next number.
    pub(crate) fn load(&mut self, row: &[u64]) -> Result<()> {
        self.rows.push(row)
    }

    /// Marks which keys of each sketch are common.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn flag_common(&mut self, is_common: impl Fn(u64) -> bool + Sync) -> Result<()> {
        self.rows.update(|row| {
            let Some((head, rest)) = row.split_first_mut() else {
                return;
            };
            let count = (*head & !HAS_MARKS) as usize;
            let (common, keys) = rest.split_at_mut(count.div_ceil(64));
            for (bits, keys) in common.iter_mut().zip(keys[..count].chunks(64)) {
                let bit = |(place, &key): (usize, &u64)| u64::from(is_common(key)) << place;
                *bits = keys.iter().enumerate().map(bit).sum();
            }
        })
    }

    /// A copy with keys only, for counting.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn keys_only(self) -> Result<Sketches> {
        let mut keys = Sketches::new(&self.memory);
        self.each(|_, sketch| {
            keys.push(SketchRef {
                keys: sketch.keys,
                marks: &[],
                extra: &[],
                common: &[],
            })
        })?;
        Ok(keys)
    }

    /// See [`SpillRows::read_often`].
    pub(crate) fn read_often(&mut self, part: u64) {
        self.rows.read_often(part);
    }

    /// Frees what is needed to find equal sketches; no more sketches may be added.
    pub fn seal(&mut self) {
        self.numbers = FxHashMap::default();
    }

    /// The sketch with that number.
    pub fn get(&self, number: SketchNo) -> Stored<'_> {
        Stored(self.rows.get(number.at()))
    }

    /// Passes all sketches in order to `take`.
    ///
    /// Errors: the first error of `take`.
    pub fn each(&self, mut take: impl FnMut(SketchNo, SketchRef<'_>) -> Result<()>) -> Result<()> {
        let mut result = Ok(());
        self.rows.each(|number, row| {
            if result.is_ok() {
                result = take(SketchNo::new(number), sketch_of(row));
            }
        });
        result
    }

    /// Runs `make` on pieces of the sketches on all threads, and `take` on the results, in order.
    ///
    /// Errors: those of `take`, and a temporary file cannot be written.
    pub fn made<M: Send>(
        &self,
        make: impl Fn(&mut dyn Iterator<Item = (SketchNo, SketchRef<'_>)>) -> M + Sync,
        take: impl FnMut(&mut M) -> Result<()>,
    ) -> Result<()> {
        let make = |piece: &Piece<'_, u64>| {
            let sketches = piece.rows();
            make(&mut sketches.map(|(number, row)| (SketchNo::new(number), sketch_of(row))))
        };
        self.rows.made(make, take)
    }

    /// The results of `make` for each sketch, computed on all threads.
    pub fn map<M: Send>(&self, make: impl Fn(SketchRef<'_>) -> M + Sync) -> Result<Vec<M>> {
        let mut all = Vec::with_capacity(self.len());
        self.made(
            |piece| piece.map(|(_, sketch)| make(sketch)).collect::<Vec<M>>(),
            |made| {
                all.append(made);
                Ok(())
            },
        )?;
        Ok(all)
    }

    /// The number of different sketches.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// An upper bound on the number of keys of all sketches.
    pub(super) fn values(&self) -> usize {
        self.rows.values()
    }

    /// True if there is no sketch.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn fingerprint(sketch: SketchRef<'_>) -> u128 {
    let mut hash = Xxh3::new();
    for column in [sketch.keys, sketch.marks, sketch.extra] {
        hash.update(&(column.len() as u64).to_le_bytes());
        hash.update(bytemuck::cast_slice(column));
    }
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;

    #[test]
    fn equal_sketches_share_a_number() {
        let mut sketches = Sketches::default();
        let sketch = |marks: Vec<u64>, extra: Vec<u64>| Sketch {
            keys: vec![1, 2],
            marks,
            extra,
            ..Sketch::default()
        };
        let (a, b) = (sketch(vec![7, 8], vec![]), sketch(vec![], vec![7, 8]));
        assert_eq!(sketches.add(a.as_ref()).unwrap(), SketchNo(0));
        assert_eq!(sketches.add(b.as_ref()).unwrap(), SketchNo(1));
        assert_eq!(sketches.add(a.as_ref()).unwrap(), SketchNo(0));
        assert_eq!(sketches.len(), 2);
        assert_eq!(sketches.get(SketchNo(1)).as_ref(), b.as_ref());
    }

    #[test]
    fn flags_stand_beside_the_keys() {
        let mut sketches = Sketches::default();
        for keys in [vec![1, 2], vec![3], vec![2, 4]] {
            let sketch = Sketch {
                keys,
                ..Sketch::default()
            };
            sketches.add(sketch.as_ref()).unwrap();
        }
        sketches.flag_common(|key| key == 2).unwrap();
        let flags = |number| sketches.get(SketchNo(number)).as_ref().common.to_vec();
        assert_eq!([0, 1, 2].map(flags), [vec![0b10], vec![], vec![0b01]]);
        // Learning again replaces the marks.
        sketches.flag_common(|key| key == 3).unwrap();
        let is_common = |number, place| sketches.get(SketchNo(number)).as_ref().is_common(place);
        assert!(is_common(1, 0) && !is_common(0, 1));
    }
}
