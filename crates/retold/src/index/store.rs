//! Sketches in columns: no allocation per sketch, equal sketches kept once.

use std::collections::HashMap;

use xxhash_rust::xxh3::Xxh3;

use crate::method::{Sketch, SketchRef};

/// Many sketches, each kept once, numbered in the order in which they were first seen.
#[derive(Debug, Default)]
pub struct Sketches {
    keys: Column,
    marks: Column,
    evidence: Column,
    numbers: HashMap<u128, u32>,
}

/// Rows of numbers, end to end.
#[derive(Debug, Default)]
struct Column {
    values: Vec<u64>,
    ends: Vec<usize>,
}

impl Column {
    fn push(&mut self, row: impl Iterator<Item = u64>) {
        self.values.extend(row);
        self.ends.push(self.values.len());
    }

    fn row(&self, number: usize) -> &[u64] {
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        &self.values[start..self.ends[number]]
    }
}

impl Sketches {
    /// The number of `sketch`, which is added if it is new. Two sketches are equal when their 128-bit hashes are.
    pub fn add(&mut self, sketch: SketchRef<'_>) -> u32 {
        let next = u32::try_from(self.len()).expect("fewer than 2^32 different sketches");
        let number = *self.numbers.entry(fingerprint(sketch)).or_insert(next);
        if number == next {
            self.push(sketch);
        }
        number
    }

    /// Adds a sketch under the next number, whether or not it is new.
    fn push(&mut self, sketch: SketchRef<'_>) {
        self.keys.push(sketch.keys.iter().copied());
        self.marks.push(sketch.marks.iter().copied());
        self.evidence.push(sketch.evidence.iter().copied());
    }

    /// The same sketches under the same numbers, with the keys that `keep` keeps.
    pub fn retain(&self, keep: impl Fn(u64) -> bool) -> Sketches {
        self.map(|sketch| retain(sketch, &keep))
    }

    /// What `change` makes of each sketch, under the same numbers. Different sketches must stay different.
    pub fn map(&self, change: impl Fn(SketchRef<'_>) -> Sketch) -> Sketches {
        let mut changed = Sketches::default();
        for number in 0..self.len() as u32 {
            changed.push(change(self.get(number)).as_ref());
        }
        changed
    }

    /// Forgets everything but the keys, for those who only count them.
    pub fn keys_only(mut self) -> Sketches {
        for column in [&mut self.marks, &mut self.evidence] {
            column.values = Vec::new();
            column.ends.fill(0);
        }
        self.numbers = HashMap::new();
        self
    }

    /// The sketch with that number.
    pub fn get(&self, number: u32) -> SketchRef<'_> {
        let number = number as usize;
        SketchRef {
            keys: self.keys.row(number),
            marks: self.marks.row(number),
            evidence: self.evidence.row(number),
        }
    }

    /// How many different sketches there are.
    pub fn len(&self) -> usize {
        self.keys.ends.len()
    }

    /// True if there is no sketch.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A copy of `sketch` with the keys that `keep` keeps, and their marks.
pub fn retain(sketch: SketchRef<'_>, mut keep: impl FnMut(u64) -> bool) -> Sketch {
    let mut kept = Sketch {
        evidence: sketch.evidence.to_vec(),
        ..Sketch::default()
    };
    for (i, &key) in sketch.keys.iter().enumerate() {
        if keep(key) {
            kept.keys.push(key);
            kept.marks.extend(sketch.marks.get(i));
        }
    }
    kept
}

fn fingerprint(sketch: SketchRef<'_>) -> u128 {
    let mut hash = Xxh3::new();
    for column in [sketch.keys, sketch.marks, sketch.evidence] {
        hash.update(&(column.len() as u64).to_le_bytes());
        for value in column {
            hash.update(&value.to_le_bytes());
        }
    }
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sketches_share_a_number() {
        let mut sketches = Sketches::default();
        let a = Sketch {
            keys: vec![1, 2],
            marks: vec![7, 8],
            evidence: vec![],
        };
        let b = Sketch {
            keys: vec![1, 2],
            marks: vec![],
            evidence: vec![7, 8],
        };
        assert_eq!(sketches.add(a.as_ref()), 0);
        assert_eq!(sketches.add(b.as_ref()), 1);
        assert_eq!(sketches.add(a.as_ref()), 0);
        assert_eq!(sketches.len(), 2);
        assert_eq!(sketches.get(1), b.as_ref());
    }

    #[test]
    fn marks_go_with_their_keys() {
        let a = Sketch {
            keys: vec![1, 2, 3],
            marks: vec![7, 8, 9],
            evidence: vec![5],
        };
        let kept = retain(a.as_ref(), |key| key != 2);
        assert_eq!(
            kept,
            Sketch {
                keys: vec![1, 3],
                marks: vec![7, 9],
                evidence: vec![5]
            }
        );
    }
}
