//! Rows of values, end to end.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::Pod;

use super::{Held, Memory};
use crate::error::Result;

/// Rows of values, end to end, by number. In memory are 4 bytes a row beside what [`Held`] holds.
#[derive(Debug)]
pub struct Rows<T: Pod> {
    memory: Memory,
    values: Held<T>,
    /// The last 32 bits of the end of each row.
    ends: Vec<u32>,
    /// The rows at whose ends the number of values has passed another multiple of 2³².
    passed: Vec<usize>,
}

impl<T: Pod> Default for Rows<T> {
    fn default() -> Self {
        Rows::new(&Memory::default())
    }
}

impl<T: Pod> Rows<T> {
    /// No rows yet.
    pub fn new(memory: &Memory) -> Rows<T> {
        Rows {
            memory: memory.clone(),
            values: Held::new(memory),
            ends: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// So many rows at least, of values with the numbers of their rows, which ascend.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn gather(
        values: impl Iterator<Item = (u32, T)>,
        count: usize,
        memory: &Memory,
    ) -> Result<Rows<T>> {
        let mut rows = Rows::new(memory);
        for (row, value) in values {
            rows.end_all(row as usize);
            rows.add(value)?;
        }
        if !rows.values.is_empty() {
            rows.end();
        }
        rows.end_all(count);
        Ok(rows)
    }

    /// Ends rows until there are so many.
    fn end_all(&mut self, count: usize) {
        while self.len() < count {
            self.end();
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a row.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn push(&mut self, row: &[T]) -> Result<()> {
        self.values.extend(row)?;
        self.end();
        Ok(())
    }

    /// Adds a row if it stays in memory, and all rows together within `most` bytes; whether it did.
    ///
    /// Errors: as [`Rows::push`].
    pub fn push_within(&mut self, row: &[T], most: u64) -> Result<bool> {
        let fits = self.values.fits(row.len(), most);
        if fits {
            self.push(row)?;
        }
        Ok(fits)
    }

    /// Adds a value to the row that the next [`Rows::end`] ends.
    pub fn add(&mut self, value: T) -> Result<()> {
        self.values.push(value)
    }

    /// Ends a row.
    pub fn end(&mut self) {
        let end = self.values.len();
        while end >> 32 > self.passed.len() {
            self.passed.push(self.ends.len());
        }
        self.ends.push(end as u32);
    }

    /// A row.
    pub fn get(&self, row: usize) -> Cow<'_, [T]> {
        let places = self.places(row);
        self.values.get(places.start, places.len())
    }

    /// How many values a row has.
    pub fn count(&self, row: usize) -> usize {
        self.places(row).len()
    }

    /// All rows in order. Values are read a block at a time.
    pub fn each(&self, mut take: impl FnMut(usize, &[T])) {
        let (mut row, mut begun) = (0, Vec::new());
        let mut start = 0;
        for block in self.values.blocks() {
            let mut at = 0;
            while row < self.len() && self.end_of(row) <= start + block.len() {
                let end = self.end_of(row) - start;
                match begun.is_empty() {
                    true => take(row, &block[at..end]),
                    false => {
                        begun.extend_from_slice(&block[at..end]);
                        take(row, &begun);
                        begun.clear();
                    }
                }
                (row, at) = (row + 1, end);
            }
            begun.extend_from_slice(&block[at..]);
            start += block.len();
        }
        // Rows without values at the end.
        (row..self.len()).for_each(|row| take(row, &[]));
    }

    /// Changes all rows in place, in order.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn update(&mut self, mut change: impl FnMut(&mut [T])) -> Result<()> {
        let (ends, passed) = (&self.ends, &self.passed);
        if let Some(values) = self.values.in_memory() {
            let mut start = 0;
            for row in 0..ends.len() {
                let end = end_of(ends, passed, row);
                change(&mut values[start..end]);
                start = end;
            }
            return Ok(());
        }
        let (mut changed, mut result) = (Held::on_disk(&self.memory)?, Ok(()));
        let mut values = Vec::new();
        self.each(|_, row| {
            values.clear();
            values.extend_from_slice(row);
            change(&mut values);
            if result.is_ok() {
                result = changed.extend(&values);
            }
        });
        self.values = changed;
        result
    }

    /// These rows, ascending, to be changed in place; `None` if they are not in memory.
    pub fn some_mut(&mut self, rows: &[usize]) -> Option<Vec<&mut [T]>> {
        let places: Vec<Range<usize>> = rows.iter().map(|&row| self.places(row)).collect();
        let mut rest = self.values.in_memory()?;
        let mut begin = 0;
        let slices = places.into_iter().map(|place| {
            let behind = std::mem::take(&mut rest)
                .split_at_mut(place.start - begin)
                .1;
            let (row, behind) = behind.split_at_mut(place.len());
            (rest, begin) = (behind, place.end);
            row
        });
        Some(slices.collect())
    }

    /// All rows, held in memory for as long as they are looked at.
    pub fn whole(&self) -> Whole<'_, T> {
        Whole {
            values: self.values.get(0, self.values.len()),
            rows: self,
        }
    }

    /// Where the values of a row are.
    fn places(&self, row: usize) -> Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.end_of(before));
        start..self.end_of(row)
    }

    fn end_of(&self, row: usize) -> usize {
        end_of(&self.ends, &self.passed, row)
    }
}

fn end_of(ends: &[u32], passed: &[usize], row: usize) -> usize {
    let high = passed.partition_point(|&passed| passed <= row);
    (high << 32) + ends[row] as usize
}

/// All rows, in memory.
#[derive(Debug)]
pub struct Whole<'a, T: Pod> {
    values: Cow<'a, [T]>,
    rows: &'a Rows<T>,
}

impl<T: Pod> Whole<'_, T> {
    /// A row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[self.rows.places(row)]
    }
}
