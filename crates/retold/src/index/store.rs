//! Sketches in columns: no allocation per sketch, equal sketches kept once.

use std::collections::HashMap;

use xxhash_rust::xxh3::Xxh3;

use crate::ids::SketchNo;
use crate::sketch::SketchRef;

/// Many sketches, each kept once, numbered in the order in which they were first seen.
#[derive(Debug, Default)]
pub struct Sketches {
    keys: Column<u64>,
    marks: Column<u64>,
    extra: Column<u64>,
    /// Whether keys are common; rows are empty where none is.
    common: Column<bool>,
    numbers: HashMap<u128, SketchNo>,
}

/// Rows of values, end to end.
#[derive(Debug, Default)]
struct Column<T> {
    values: Vec<T>,
    ends: Vec<usize>,
}

impl<T: Copy> Column<T> {
    fn push(&mut self, row: &[T]) {
        self.values.extend_from_slice(row);
        self.ends.push(self.values.len());
    }

    fn row(&self, number: usize) -> &[T] {
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        &self.values[start..self.ends[number]]
    }

    fn clear(&mut self) {
        self.values = Vec::new();
        self.ends.fill(0);
    }
}

impl Sketches {
    /// The number of `sketch`, which is added if it is new. Two sketches are equal when the 128-bit hashes of their
    /// keys, marks and evidence are.
    pub fn add(&mut self, sketch: SketchRef<'_>) -> SketchNo {
        let next = SketchNo::new(self.len());
        let number = *self.numbers.entry(fingerprint(sketch)).or_insert(next);
        if number == next {
            self.push(sketch);
        }
        number
    }

    /// Adds a sketch under the next number, whether or not it is new.
    pub fn push(&mut self, sketch: SketchRef<'_>) {
        self.keys.push(sketch.keys);
        self.marks.push(sketch.marks);
        self.extra.push(sketch.extra);
        self.common.push(sketch.common);
    }

    /// Sets which keys of each sketch are common. Sketches without a common key have no flags.
    pub fn flag_common(&mut self, is_common: impl Fn(u64) -> bool) {
        self.common = Column::default();
        for number in 0..self.len() {
            let flags = self.keys.row(number).iter().map(|&key| is_common(key));
            self.common.values.extend(flags);
            let start = self.common.ends.last().copied().unwrap_or(0);
            if !self.common.values[start..].contains(&true) {
                self.common.values.truncate(start);
            }
            self.common.ends.push(self.common.values.len());
        }
    }

    /// Keeps only the keys, for counting.
    pub fn keys_only(mut self) -> Sketches {
        self.marks.clear();
        self.extra.clear();
        self.common.clear();
        self.numbers = HashMap::new();
        self
    }

    /// The sketch with that number.
    pub fn get(&self, number: SketchNo) -> SketchRef<'_> {
        SketchRef {
            keys: self.keys.row(number.at()),
            marks: self.marks.row(number.at()),
            extra: self.extra.row(number.at()),
            common: self.common.row(number.at()),
        }
    }

    /// All sketches, by number.
    pub fn iter(&self) -> impl Iterator<Item = SketchRef<'_>> {
        SketchNo::first(self.len()).map(|number| self.get(number))
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

fn fingerprint(sketch: SketchRef<'_>) -> u128 {
    let mut hash = Xxh3::new();
    for column in [sketch.keys, sketch.marks, sketch.extra] {
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
        assert_eq!(sketches.add(a.as_ref()), SketchNo(0));
        assert_eq!(sketches.add(b.as_ref()), SketchNo(1));
        assert_eq!(sketches.add(a.as_ref()), SketchNo(0));
        assert_eq!(sketches.len(), 2);
        assert_eq!(sketches.get(SketchNo(1)), b.as_ref());
    }

    #[test]
    fn flags_stand_beside_the_keys() {
        let mut sketches = Sketches::default();
        for keys in [vec![1, 2], vec![3], vec![2, 4]] {
            let sketch = Sketch {
                keys,
                ..Sketch::default()
            };
            sketches.add(sketch.as_ref());
        }
        sketches.flag_common(|key| key == 2);
        let flags: Vec<&[bool]> = sketches.iter().map(|sketch| sketch.common).collect();
        assert_eq!(flags, [&[false, true][..], &[], &[true, false]]);
        // Learning again replaces them.
        sketches.flag_common(|key| key == 3);
        assert!(sketches.get(SketchNo(1)).is_common(0) && !sketches.get(SketchNo(0)).is_common(1));
    }
}
