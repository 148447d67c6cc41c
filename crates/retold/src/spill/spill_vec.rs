//! A vector in memory or in a temporary file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use bytemuck::Pod;

use super::memory::Memory;
use crate::error::Result;
use crate::ordered::in_order;
use crate::system::read_exact_at;

/// Bytes read at a time when all values are read in order.
const BLOCK: usize = 1 << 18;

/// Values by number, in memory, or in a temporary file when memory is short.
#[derive(Debug)]
pub struct SpillVec<T: Pod> {
    memory: Memory,
    /// All values, or those at the end that are not yet written.
    values: Vec<T>,
    /// The file, and the number of its values.
    file: Option<(File, usize)>,
    /// Bytes taken from the budget for `values`.
    taken: u64,
}

impl<T: Pod> Default for SpillVec<T> {
    fn default() -> Self {
        SpillVec::new(&Memory::default())
    }
}

impl<T: Pod> SpillVec<T> {
    /// No values.
    pub fn new(memory: &Memory) -> SpillVec<T> {
        SpillVec {
            memory: memory.clone(),
            values: Vec::new(),
            file: None,
            taken: 0,
        }
    }

    /// No values; they go to a file in any case.
    pub(super) fn on_disk(memory: &Memory) -> Result<SpillVec<T>> {
        let mut held = SpillVec::new(memory);
        held.file = Some((memory.file()?, 0));
        Ok(held)
    }

    /// This many zeros in memory, if they fit.
    pub(super) fn zeros(count: usize, memory: &Memory) -> Option<SpillVec<T>> {
        let mut held = SpillVec::new(memory);
        held.taken = memory.take_all(count * size_of::<T>())?;
        held.values = vec![T::zeroed(); count];
        Some(held)
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.written() + self.values.len()
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds values.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn extend(&mut self, values: &[T]) -> Result<()> {
        if self.file.is_some() && size_of_val(values) >= self.memory.sizes().tail {
            self.write()?;
            return self.append(values);
        }
        self.values.extend_from_slice(values);
        let bytes = size_of_val(&self.values[..]) as u64;
        if self.file.is_none() && !self.memory.cover(bytes, &mut self.taken) {
            self.file = Some((self.memory.file()?, 0));
        }
        match self.file.is_some() && bytes >= self.memory.sizes().tail as u64 {
            true => self.write(),
            false => Ok(()),
        }
    }

    /// Adds one value.
    pub fn push(&mut self, value: T) -> Result<()> {
        self.extend(std::slice::from_ref(&value))
    }

    /// `count` values from `start` on; the caller ensures that they exist.
    pub fn get(&self, start: usize, count: usize) -> Cow<'_, [T]> {
        if let Some(values) = self.held(start, count) {
            return Cow::Borrowed(values);
        }
        let mut values = vec![T::zeroed(); count];
        self.read(start, &mut values);
        Cow::Owned(values)
    }

    /// As [`SpillVec::get`], if all of them are in memory.
    pub(super) fn held(&self, start: usize, count: usize) -> Option<&[T]> {
        let at = start.checked_sub(self.written())?;
        Some(&self.values[at..][..count])
    }

    pub(super) fn read(&self, start: usize, values: &mut [T]) {
        let on_disk = values.len().min(self.written().saturating_sub(start));
        let behind = (start + on_disk).saturating_sub(self.written());
        let (on_disk, in_memory) = values.split_at_mut(on_disk);
        in_memory.copy_from_slice(&self.values[behind..][..in_memory.len()]);
        if let Some((file, _)) = &self.file {
            let (bytes, at) = (bytemuck::cast_slice_mut(on_disk), start * size_of::<T>());
            if let Err(error) = read_exact_at(file, bytes, at as u64) {
                self.memory.failed(error);
            }
        }
    }

    /// Keeps all values in memory from now on, if they fit.
    pub(crate) fn recall(&mut self) {
        if self.file.is_none() {
            return;
        }
        if let Some(taken) = self.memory.take_all(self.len() * size_of::<T>()) {
            self.values = self.get(0, self.len()).into_owned();
            (self.file, self.taken) = (None, self.taken + taken);
        }
    }

    /// Whether values are in a file, or will be when more are added.
    pub(super) fn is_in_file(&self) -> bool {
        self.file.is_some()
    }

    /// All values, if they are in memory.
    pub(super) fn in_memory(&mut self) -> Option<&mut [T]> {
        match self.file {
            None => Some(&mut self.values),
            Some(_) => None,
        }
    }

    /// One value.
    pub fn one(&self, number: usize) -> T {
        match number.checked_sub(self.written()) {
            Some(at) => self.values[at],
            None => self.get(number, 1)[0],
        }
    }

    /// All values in order, one block at a time.
    pub fn blocks(&self) -> impl Iterator<Item = Cow<'_, [T]>> + Clone {
        let block = match self.file {
            None => self.len().max(1),
            Some(_) => (BLOCK / size_of::<T>().max(1)).max(1),
        };
        let starts = (0..self.len()).step_by(block);
        starts.map(move |start| self.get(start, block.min(self.len() - start)))
    }

    /// Runs `make` on parts of the values, on all threads, and `take` on the results, in order.
    ///
    /// Errors: those of `take`.
    pub fn made<M: Send>(
        &self,
        make: impl Fn(&[T]) -> M + Sync,
        take: impl FnMut(&mut M) -> Result<()>,
    ) -> Result<()>
    where
        T: Send + Sync,
    {
        let count = (self.memory.sizes().part / size_of::<T>().max(1)).max(1);
        let starts = (0..self.len()).step_by(count);
        let part = |start: usize| self.get(start, count.min(self.len() - start));
        in_order(starts, |start| make(&part(start)), take)
    }

    /// All values in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + Clone {
        self.blocks()
            .flat_map(|block| (0..block.len()).map(move |at| block[at]))
    }

    fn written(&self) -> usize {
        self.file.as_ref().map_or(0, |(_, written)| *written)
    }

    /// Moves all values to the file.
    fn write(&mut self) -> Result<()> {
        let mut values = std::mem::take(&mut self.values);
        self.append(&values)?;
        if self.taken == 0 {
            values.clear();
            self.values = values;
        }
        self.memory.give(std::mem::take(&mut self.taken));
        Ok(())
    }

    fn append(&mut self, values: &[T]) -> Result<()> {
        if let Some((file, written)) = &mut self.file {
            let bytes: &[u8] = bytemuck::cast_slice(values);
            let at = *written * size_of::<T>();
            write_at(file, bytes, at).map_err(|e| self.memory.full(e))?;
            *written += values.len();
            self.memory.wrote(bytes.len() as u64);
        }
        Ok(())
    }
}

impl<T: Pod> Drop for SpillVec<T> {
    fn drop(&mut self) {
        self.memory.give(self.taken);
    }
}

/// Writes bytes at a position. Reading may have moved the file's own position (on Windows it does).
fn write_at(file: &mut File, bytes: &[u8], at: usize) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(at as u64))?;
    file.write_all(bytes)
}
