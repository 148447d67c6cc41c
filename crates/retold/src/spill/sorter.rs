//! Records in order, more of them than fit into memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use bytemuck::Pod;
use rayon::prelude::*;

use super::{Held, Memory, PIECE};
use crate::error::{Error, Result};

/// Bytes that are sorted at a time at the least, whatever the limit; few in tests, which are small.
const RUN: usize = if cfg!(test) { 1 << 12 } else { 8 << 20 };
/// Bytes of a run that are read at a time, and of records that are handed on.
const BLOCK: usize = 1 << 16;
/// So many times these bytes are merged before anybody asks for them.
const AHEAD: usize = 4;

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
        self.account()
    }

    /// Adds records.
    ///
    /// Errors: the temporary file cannot be written.
    pub fn extend(&mut self, records: &[T]) -> Result<()> {
        self.records.extend_from_slice(records);
        self.account()
    }

    /// Takes memory for the records, or writes them.
    fn account(&mut self) -> Result<()> {
        let bytes = size_of_val(&self.records[..]) as u64;
        while self.taken < bytes {
            if bytes > self.memory.share() || !self.memory.take(PIECE) {
                return match bytes as usize >= RUN {
                    true => self.run(),
                    false => Ok(()),
                };
            }
            self.taken += PIECE;
        }
        Ok(())
    }

    /// The records in order. Runs are merged by a thread of its own, somewhat ahead.
    ///
    /// Errors: the temporary file cannot be written, and no thread can be started.
    pub fn finish(mut self) -> Result<Sorted<T>> {
        if self.runs.is_some() {
            self.run()?;
        }
        self.records.par_sort_unstable();
        let Some(held) = self.runs.take() else {
            return Ok(Sorted {
                next: std::mem::take(&mut self.records).into_iter(),
                merging: None,
                _taken: Some(self),
            });
        };
        let starts = [0].iter().chain(&self.ends);
        let runs = starts.zip(&self.ends).map(|(&start, &end)| Run {
            block: Vec::new().into_iter(),
            next: start,
            end,
        });
        let merging = Merging {
            runs: runs.collect(),
            heap: BinaryHeap::new(),
            held,
        };
        drop(self);
        let (send, merged) = sync_channel(AHEAD);
        let thread = std::thread::Builder::new()
            .name("merging".to_owned())
            .spawn(move || merging.send(&send))
            .map_err(|e| Error::Usage(format!("cannot start a thread: {e}")))?;
        Ok(Sorted {
            next: Vec::new().into_iter(),
            merging: Some((merged, thread)),
            _taken: None,
        })
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
pub struct Sorted<T: Pod + Ord + Send> {
    /// The next records: all of them, if they are in memory.
    next: std::vec::IntoIter<T>,
    /// Where those behind them come from.
    merging: Option<(Receiver<Vec<T>>, JoinHandle<()>)>,
    /// Gives back what was taken for records in memory.
    _taken: Option<Sorter<T>>,
}

impl<T: Pod + Ord + Send> Iterator for Sorted<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if let Some(record) = self.next.next() {
            return Some(record);
        }
        let (merged, thread) = self.merging.take()?;
        match merged.recv() {
            Ok(records) => {
                self.next = records.into_iter();
                self.merging = Some((merged, thread));
                self.next.next()
            }
            // All were sent, or the thread panicked.
            Err(_) => match thread.join() {
                Ok(()) => None,
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
    }
}

/// Runs that are merged.
struct Merging<T: Pod + Ord + Send> {
    runs: Vec<Run<T>>,
    /// The next record of each run.
    heap: BinaryHeap<Reverse<(T, usize)>>,
    held: Held<T>,
}

impl<T: Pod + Ord + Send> Merging<T> {
    /// Sends all records, until nobody wants them any more.
    fn send(mut self, to: &SyncSender<Vec<T>>) {
        for (number, run) in self.runs.iter_mut().enumerate() {
            let first = run.next(&self.held);
            self.heap
                .extend(first.map(|first| Reverse((first, number))));
        }
        loop {
            let mut records = Vec::with_capacity((BLOCK / size_of::<T>().max(1)).max(1));
            while records.len() < records.capacity()
                && let Some(record) = self.next()
            {
                records.push(record);
            }
            if records.is_empty() || to.send(records).is_err() {
                return;
            }
        }
    }

    fn next(&mut self) -> Option<T> {
        let mut first = self.heap.peek_mut()?;
        let Reverse((record, run)) = *first;
        match self.runs[run].next(&self.held) {
            Some(next) => *first = Reverse((next, run)),
            None => drop(PeekMut::pop(first)),
        }
        Some(record)
    }
}

/// A run, and the block of it that was read last.
struct Run<T> {
    block: std::vec::IntoIter<T>,
    /// The first record that is not in the block.
    next: usize,
    end: usize,
}

impl<T: Pod> Run<T> {
    /// The next record, read a block at a time.
    fn next(&mut self, held: &Held<T>) -> Option<T> {
        if self.block.len() == 0 && self.next < self.end {
            let count = (BLOCK / size_of::<T>().max(1)).clamp(1, self.end - self.next);
            self.block = held.get(self.next, count).into_owned().into_iter();
            self.next += count;
        }
        self.block.next()
    }
}
