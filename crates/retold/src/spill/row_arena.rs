//! Rows of values, stored in the batches in which they were made.

use std::ops::Range;

use bytemuck::Pod;
use rayon::prelude::*;

use super::memory::Memory;
use super::row::Row;
use super::spill_rows::SpillRows;
use crate::error::Result;

/// Overhead per batch, in bytes.
const BESIDE: usize = 32;

/// Rows of values by number, stored in their batches, so that adding them copies nothing. If memory is short, all go to a file.
#[derive(Debug)]
pub struct RowArena<T: Pod> {
    memory: Memory,
    batches: Vec<Vec<T>>,
    places: Vec<RowPlace>,
    /// Used bytes of both, and bytes taken from the budget.
    used: u64,
    taken: u64,
    /// The most bytes held in memory.
    most: u64,
    file: Option<SpillRows<T>>,
}

/// The place of a row: its batch, first value and length.
#[derive(Clone, Copy, Debug)]
struct RowPlace {
    batch: u32,
    start: u32,
    count: u32,
}

impl RowPlace {
    fn values(&self) -> Range<usize> {
        let start = self.start as usize;
        start..start + self.count as usize
    }
}

impl<T: Pod + Send + Sync> Default for RowArena<T> {
    fn default() -> Self {
        RowArena::new(&Memory::default())
    }
}

impl<T: Pod + Send + Sync> RowArena<T> {
    /// No rows.
    pub fn new(memory: &Memory) -> RowArena<T> {
        RowArena {
            memory: memory.clone(),
            batches: Vec::new(),
            places: Vec::new(),
            used: 0,
            taken: 0,
            most: u64::MAX,
            file: None,
        }
    }

    /// Limits the bytes held in memory to `most`; more go to a file.
    pub fn within(mut self, most: u64) -> RowArena<T> {
        self.most = most;
        self
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.file.as_ref().map_or(self.places.len(), SpillRows::len)
    }

    /// Adds a row.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn push(&mut self, row: Vec<T>) -> Result<()> {
        let places = 0..row.len();
        self.push_all(row, std::iter::once(places).collect())
    }

    /// Adds rows that are parts of `batch`, ascending; it has fewer than 2³² values. If much of the batch is in no row, that part is
    /// removed.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn push_all(&mut self, mut batch: Vec<T>, mut rows: Vec<Range<usize>>) -> Result<()> {
        if let Some(file) = &mut self.file {
            return rows.into_iter().try_for_each(|row| file.push(&batch[row]));
        }
        let wanted: usize = rows.iter().map(Range::len).sum();
        if wanted < batch.len() / 4 * 3 {
            let parts: Vec<&[T]> = rows.iter().map(|row| &batch[row.clone()]).collect();
            let together = parts.concat();
            let mut end = 0;
            for row in &mut rows {
                let start = end;
                end += row.len();
                *row = start..end;
            }
            batch = together;
        }
        let place = |row: &Range<usize>| RowPlace {
            batch: self.batches.len() as u32,
            start: row.start as u32,
            count: row.len() as u32,
        };
        self.places.extend(rows.iter().map(place));
        let bytes = size_of_val(&batch[..]) + BESIDE + size_of::<RowPlace>() * rows.len();
        self.used += bytes as u64;
        self.batches.push(batch);
        let (bytes, taken) = (self.used, &mut self.taken);
        match *taken < bytes && (bytes > self.most || !self.memory.cover(bytes, taken)) {
            true => self.write(),
            false => Ok(()),
        }
    }

    /// Moves all rows to a file.
    fn write(&mut self) -> Result<()> {
        let mut file = SpillRows::on_disk(&self.memory)?;
        let mut places = std::mem::take(&mut self.places).into_iter().peekable();
        for (number, batch) in std::mem::take(&mut self.batches).into_iter().enumerate() {
            while let Some(place) = places.next_if(|place| place.batch as usize == number) {
                file.push(&batch[place.values()])?;
            }
        }
        self.file = Some(file);
        self.used = 0;
        self.memory.give(std::mem::take(&mut self.taken));
        Ok(())
    }

    /// If the rows are in memory, changes these rows (each once) in place, on all threads; returns whether they are.
    pub fn change(&mut self, rows: &[usize], change: impl Fn(&mut [T]) + Sync) -> bool {
        if self.file.is_some() {
            return false;
        }
        let mut places: Vec<RowPlace> = rows.iter().map(|&row| self.places[row]).collect();
        places.sort_unstable_by_key(|place| (place.batch, place.start, place.count));
        let mut rows = places.into_iter().peekable();
        let mut slices = Vec::new();
        for (number, batch) in self.batches.iter_mut().enumerate() {
            let (mut rest, mut passed) = (&mut batch[..], 0);
            while let Some(place) = rows.next_if(|place| place.batch as usize == number) {
                let row = place.values();
                let (_, behind) = rest.split_at_mut(row.start - passed);
                let (slice, behind) = behind.split_at_mut(row.len());
                slices.push(slice);
                (rest, passed) = (behind, row.end);
            }
        }
        slices.into_par_iter().for_each(&change);
        true
    }

    /// A row.
    pub fn get(&self, row: usize) -> Row<'_, T> {
        match &self.file {
            Some(file) => file.get(row),
            None => Row::Held(self.held(row)),
        }
    }

    /// A row after `change`; a row in a file that is read often is changed once.
    pub fn get_changed(&self, row: usize, change: impl FnOnce(&mut [T])) -> Row<'_, T> {
        match &self.file {
            Some(file) => file.get_changed(row, change),
            None => {
                let mut values = self.held(row).to_vec();
                change(&mut values);
                Row::Read(values.into())
            }
        }
    }

    fn held(&self, row: usize) -> &[T] {
        let place = self.places[row];
        &self.batches[place.batch as usize][place.values()]
    }

    /// See [`SpillRows::read_often`].
    pub fn read_often(&mut self, part: u64) {
        if let Some(file) = &mut self.file {
            file.read_often(part);
        }
    }
}

impl<T: Pod> Drop for RowArena<T> {
    fn drop(&mut self) {
        self.memory.give(self.taken);
    }
}
