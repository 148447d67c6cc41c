//! Rows of values, end to end.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::Pod;
use rayon::prelude::*;

use super::{Held, Memory};
use crate::error::Result;

/// Bytes between two rows of a file that it takes no longer to read than to read the rows one by one.
const GAP: usize = 1 << 13;
/// Bytes of a pile of rows that are brought into order together, about, and the most piles; few in tests, which are small.
const PILE: usize = if cfg!(test) { 64 } else { 32 << 20 };
const PILES: usize = 256;

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

    /// From now on no more than `most` bytes of values are held in memory; more go to a file.
    pub fn within(mut self, most: u64) -> Rows<T> {
        self.values.bound(most);
        self
    }

    /// What is held is taken from this.
    pub fn memory(&self) -> &Memory {
        &self.memory
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

    /// Several rows, where there are any. Those that stand near each other in a file are read together.
    pub fn several(&self, rows: impl Iterator<Item = Option<usize>>) -> Several<'_, T> {
        let places = rows.map(|row| row.map_or(0..0, |row| self.places(row)));
        let places: Vec<Range<usize>> = places.collect();
        if self.is_in_memory() {
            let values = self.values.get(0, self.values.len());
            return Several { values, places };
        }
        let mut order: Vec<usize> = (0..places.len())
            .filter(|&at| !places[at].is_empty())
            .collect();
        order.sort_unstable_by_key(|&at| places[at].start);
        let is_near = |&a: &usize, &b: &usize| {
            let gap = places[b].start.saturating_sub(places[a].end);
            gap * size_of::<T>() <= GAP
        };
        let (mut moved, mut read) = (places.clone(), Vec::new());
        let mut length = 0;
        for near in order.chunk_by(is_near) {
            let start = places[near[0]].start;
            let end = near.iter().map(|&at| places[at].end).max();
            for &at in near {
                let from = places[at].start - start + length;
                moved[at] = from..from + places[at].len();
            }
            read.push((start, length));
            length += end.unwrap_or(start) - start;
        }
        let mut values = vec![T::zeroed(); length];
        let mut rest = &mut values[..];
        for (start, from) in read.into_iter().rev() {
            let (before, read) = rest.split_at_mut(from);
            self.values.read(start, read);
            rest = before;
        }
        Several {
            values: Cow::Owned(values),
            places: moved,
        }
    }

    /// These rows in this order, each changed; for rows in files. They are dealt into piles of rows that come near each other, each of
    /// which fits into memory: two passes over all values, whatever the order.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn in_order(&self, order: &[u32], change: impl Fn(&mut [T]) + Sync) -> Result<Rows<T>>
    where
        T: Send + Sync,
    {
        let bytes = self.values.len() * size_of::<T>();
        let piles = bytes.div_ceil(PILE).clamp(1, PILES);
        let in_pile = order.len().div_ceil(piles).max(1);
        let mut place_of = vec![u32::MAX; self.len()];
        for (place, &row) in (0u32..).zip(order) {
            place_of[row as usize] = place;
        }
        let pile = || Ok((Held::on_disk(&self.memory)?, Vec::new()));
        let mut dealt: Vec<(Held<T>, Vec<u32>)> =
            (0..piles).map(|_| pile()).collect::<Result<_>>()?;
        let mut result = Ok(());
        self.each(|row, values| {
            let place = place_of[row];
            if place < u32::MAX && result.is_ok() {
                let (pile, places) = &mut dealt[place as usize / in_pile];
                places.push(place);
                result = pile.extend(values);
            }
        });
        result?;
        drop(place_of);
        let mut rows = Rows::new(&self.memory);
        for (pile, places) in dealt {
            let mut all = pile.get(0, pile.len()).into_owned();
            drop(pile);
            let mut rest = &mut all[..];
            let mut sorted = Vec::with_capacity(places.len());
            for place in places {
                let count = self.count(order[place as usize] as usize);
                let (row, behind) = rest.split_at_mut(count);
                sorted.push((place, row));
                rest = behind;
            }
            sorted.par_sort_unstable_by_key(|(place, _)| *place);
            sorted.par_iter_mut().for_each(|(_, row)| change(row));
            sorted.iter().try_for_each(|(_, row)| rows.push(row))?;
        }
        Ok(rows)
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

    /// True if all rows are in memory.
    pub fn is_in_memory(&self) -> bool {
        self.values.is_in_memory()
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

/// Several rows, in memory.
#[derive(Debug)]
pub struct Several<'a, T: Pod> {
    values: Cow<'a, [T]>,
    /// Of each, where its values are.
    places: Vec<Range<usize>>,
}

impl<T: Pod> Several<'_, T> {
    /// One of the rows; empty if there is none.
    pub fn row(&self, at: usize) -> &[T] {
        &self.values[self.places[at].clone()]
    }
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
