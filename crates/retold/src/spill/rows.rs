//! Rows of values, end to end.

use std::borrow::Cow;
use std::iter::repeat_n;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;

use super::often::Often;
use super::{Held, Memory, Row};
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
    /// Rows of a file that are read often.
    often: Option<Often<T>>,
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
            often: None,
        }
    }

    /// From now on no more than `most` bytes of values are held in memory; more go to a file.
    pub fn within(mut self, most: u64) -> Rows<T> {
        self.values.bound(most);
        self
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

    /// How many values they have.
    pub fn values(&self) -> usize {
        self.values.len()
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

    /// Adds a value to the row that the next [`Rows::end`] ends.
    pub fn add(&mut self, value: T) -> Result<()> {
        self.values.push(value)
    }

    /// Adds values to it.
    pub fn extend(&mut self, values: &[T]) -> Result<()> {
        self.values.extend(values)
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
    pub fn get(&self, row: usize) -> Row<'_, T> {
        let places = self.places(row);
        match self.values.held(places.start, places.len()) {
            Some(values) => Row::Held(values),
            None => self.read(row, |_| ()),
        }
    }

    /// The same after [`Rows::change`], of which nothing comes if it is made twice: if rows are in a file, each is changed as it is read.
    pub fn get_changed(&self, row: usize, change: impl FnOnce(&mut [T])) -> Row<'_, T> {
        match self.values.is_in_file() {
            true => self.read(row, change),
            false => self.get(row),
        }
    }

    /// A row, read from the file and changed, unless it is read often.
    fn read(&self, row: usize, change: impl FnOnce(&mut [T])) -> Row<'_, T> {
        let read = || {
            let places = self.places(row);
            let mut values: Arc<[T]> = repeat_n(T::zeroed(), places.len()).collect();
            if let Some(values) = Arc::get_mut(&mut values) {
                self.values.read(places.start, values);
                change(values);
            }
            values
        };
        Row::Read(match &self.often {
            None => read(),
            Some(often) => often.get(row, read),
        })
    }

    /// Holds all rows in memory from now on, if that has room for them.
    pub fn recall(&mut self) {
        self.values.recall();
    }

    /// From now on, if rows are in a file, those of them that are read again and again are held in memory, as far as this `part`
    /// of what is left of it goes.
    pub fn read_often(&mut self, part: u64) {
        self.often = None;
        let is_in_file = self.values.is_in_file();
        self.often = is_in_file.then(|| Often::new(&self.memory, part)).flatten();
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
        self.often = None;
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

    /// Changes these rows, ascending, in place; but only if all rows are in memory ([`Rows::get_changed`]).
    pub fn change(&mut self, rows: &[usize], change: impl Fn(&mut [T]) + Sync)
    where
        T: Send,
    {
        let places: Vec<Range<usize>> = rows.iter().map(|&row| self.places(row)).collect();
        if let Some(mut values) = self.values.in_memory() {
            let mut start = 0;
            let slices = places.iter().map(|place| {
                let behind = std::mem::take(&mut values).split_at_mut(place.start - start);
                let (row, behind) = behind.1.split_at_mut(place.len());
                (values, start) = (behind, place.end);
                row
            });
            let mut slices: Vec<&mut [T]> = slices.collect();
            slices.par_iter_mut().for_each(|row| change(row));
        }
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
