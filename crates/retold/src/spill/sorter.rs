//! Records in order, more of them than fit into memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use bytemuck::Pod;
use rayon::prelude::*;

use super::{Held, Memory, PIECE};
use crate::error::Result;

/// Bytes that are sorted at a time at the least, whatever the limit; few in tests, which are small.
const RUN: usize = if cfg!(test) { 1 << 12 } else { 8 << 20 };
/// Bytes of a run that are read at a time.
const BLOCK: usize = 1 << 16;

/// Sorts records: as many as memory holds at a time, then the sorted runs are merged. Equal records stay, side by side.
#[derive(Debug)]
pub struct Sorter<T: Pod + Ord + Send> {
    memory: Memory,
    records: Vec<T>,
    taken: u64,
    /// Sorted runs, end to end.
    runs: Option<Held<T>>,
    ends: Vec<usize>,
}

impl<T: Pod + Ord + Send> Sorter<T> {
    /// No records yet.
    pub fn new(memory: &Memory) -> Sorter<T> {
        Sorter {
            memory: memory.clone(),
            records: Vec::new(),
            taken: 0,
            runs: None,
            ends: Vec::new(),
        }
    }

    /// Adds a record.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn push(&mut self, record: T) -> Result<()> {
        self.records.push(record);
        let bytes = size_of_val(&self.records[..]) as u64;
        if self.taken >= bytes {
            return Ok(());
        }
        if bytes <= self.memory.share() && self.memory.take(PIECE) {
            self.taken += PIECE;
            return Ok(());
        }
        match bytes as usize >= RUN {
            true => self.run(),
            false => Ok(()),
        }
    }

    /// The records in order.
    pub fn finish(mut self) -> Result<Sorted<T>> {
        if self.runs.is_some() {
            self.run()?;
        }
        self.records.par_sort_unstable();
        let records = std::mem::take(&mut self.records).into_iter();
        let mut sorted = Sorted {
            records,
            runs: Vec::new(),
            heap: BinaryHeap::new(),
            held: self.runs.take(),
            memory: self.memory.clone(),
            taken: std::mem::take(&mut self.taken),
        };
        let starts = [0].iter().chain(&self.ends);
        for (&start, &end) in starts.zip(&self.ends) {
            sorted.runs.push(Run {
                block: Vec::new().into_iter(),
                next: start,
                end,
            });
        }
        for (number, run) in sorted.runs.iter_mut().enumerate() {
            let first = run.next(sorted.held.as_ref());
            sorted
                .heap
                .extend(first.map(|first| Reverse((first, number))));
        }
        Ok(sorted)
    }

    fn run(&mut self) -> Result<()> {
        self.records.par_sort_unstable();
        let mut runs = match self.runs.take() {
            Some(runs) => runs,
            None => Held::on_disk(&self.memory)?,
        };
        runs.extend(&self.records)?;
        self.ends.push(runs.len());
        self.runs = Some(runs);
        self.records.clear();
        Ok(())
    }
}

impl<T: Pod + Ord + Send> Drop for Sorter<T> {
    fn drop(&mut self) {
        self.memory.give(self.taken);
    }
}

/// Sorted records, one after the other.
#[derive(Debug)]
pub struct Sorted<T: Pod + Ord> {
    /// The records, if they are in memory.
    records: std::vec::IntoIter<T>,
    runs: Vec<Run<T>>,
    /// The next record of each run.
    heap: BinaryHeap<Reverse<(T, usize)>>,
    held: Option<Held<T>>,
    memory: Memory,
    taken: u64,
}

#[derive(Debug)]
struct Run<T> {
    block: std::vec::IntoIter<T>,
    /// The first record that is not in the block.
    next: usize,
    end: usize,
}

impl<T: Pod> Run<T> {
    /// The next record, read a block at a time.
    fn next(&mut self, held: Option<&Held<T>>) -> Option<T> {
        if self.block.len() == 0
            && self.next < self.end
            && let Some(held) = held
        {
            let count = (BLOCK / size_of::<T>().max(1)).clamp(1, self.end - self.next);
            self.block = held.get(self.next, count).into_owned().into_iter();
            self.next += count;
        }
        self.block.next()
    }
}

impl<T: Pod + Ord> Iterator for Sorted<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.held.is_none() {
            return self.records.next();
        }
        let mut first = self.heap.peek_mut()?;
        let Reverse((record, run)) = *first;
        match self.runs[run].next(self.held.as_ref()) {
            Some(next) => *first = Reverse((next, run)),
            None => drop(PeekMut::pop(first)),
        }
        Some(record)
    }
}

impl<T: Pod + Ord> Drop for Sorted<T> {
    fn drop(&mut self) {
        self.memory.give(self.taken);
    }
}
