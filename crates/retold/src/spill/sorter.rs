//! External sorting: sorts more records than fit into memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use bytemuck::Pod;
use rayon::prelude::*;

use super::memory::Memory;
use super::spill_vec::SpillVec;
use crate::error::{Error, Result};

/// Bytes that are read from a run, or passed on, at a time.
const BLOCK: usize = 1 << 16;
/// How many such blocks are merged ahead.
const AHEAD: usize = 4;

/// Sorts records in runs that fit into memory, then merges the runs. Equal records are all kept.
#[derive(Debug)]
pub struct Sorter<T: Pod + Ord + Send> {
    memory: Memory,
    records: Vec<T>,
    taken: u64,
    /// Sorted runs, if there are any.
    runs: Option<Runs<T>>,
}

/// Sorted runs, concatenated. The last one is sorted and written by another thread while the next one is filled.
#[derive(Debug)]
struct Runs<T: Pod + Ord + Send> {
    writing: JoinHandle<Result<Written<T>>>,
    ends: Vec<usize>,
    /// Records per run.
    length: usize,
}

/// Runs in a file, and the buffer of the last one.
type Written<T> = (SpillVec<T>, Vec<T>);

impl<T: Pod + Ord + Send> Sorter<T> {
    /// No records.
    pub fn new(memory: &Memory) -> Sorter<T> {
        Sorter {
            memory: memory.clone(),
            records: Vec::new(),
            taken: 0,
            runs: None,
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
    pub fn extend(&mut self, mut records: &[T]) -> Result<()> {
        while !records.is_empty() {
            let room = self
                .runs
                .as_ref()
                .map(|runs| runs.length - self.records.len());
            // In pieces, so that many records are not held twice.
            let room = room.unwrap_or(self.memory.sizes().run / size_of::<T>().max(1) + 1);
            let (some, rest) = records.split_at(records.len().min(room));
            self.records.extend_from_slice(some);
            self.account()?;
            records = rest;
        }
        Ok(())
    }

    /// Takes memory for the records, or writes them as a run.
    fn account(&mut self) -> Result<()> {
        if let Some(runs) = &self.runs {
            return match self.records.len() < runs.length {
                true => Ok(()),
                false => self.run(),
            };
        }
        let bytes = size_of_val(&self.records[..]) as u64;
        let (memory, taken) = (&self.memory, &mut self.taken);
        let is_short = *taken < bytes && (bytes > memory.share() || !memory.cover(bytes, taken));
        match is_short && bytes as usize >= memory.sizes().run {
            true => self.run(),
            false => Ok(()),
        }
    }

    /// The records in order. A separate thread merges runs slightly ahead.
    ///
    /// Errors: the temporary file cannot be written, or no thread can be started.
    pub fn finish(mut self) -> Result<Sorted<T>> {
        if self.runs.is_some() {
            self.run()?;
        }
        let Some(Runs { writing, ends, .. }) = self.runs.take() else {
            self.records.par_sort_unstable();
            return Ok(Sorted {
                next: std::mem::take(&mut self.records).into_iter(),
                merging: None,
                _taken: Some(self),
            });
        };
        let (held, last) = joined(writing)?;
        drop(last);
        let starts = [0].iter().chain(&ends);
        let runs = starts.zip(&ends).map(|(&start, &end)| Run {
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
            .map_err(cannot_start)?;
        Ok(Sorted {
            next: Vec::new().into_iter(),
            merging: Some((merged, thread)),
            _taken: None,
        })
    }

    /// Sorts and writes the records. The first run takes all available memory; afterwards one half is written while the other is filled.
    fn run(&mut self) -> Result<()> {
        let (runs, next, mut ends, length) = match self.runs.take() {
            Some(Runs {
                writing,
                ends,
                length,
            }) => {
                let (runs, next) = joined(writing)?;
                (runs, next, ends, length)
            }
            None => {
                let length = self.records.len().div_ceil(2);
                self.records.par_sort_unstable();
                let mut runs = SpillVec::on_disk(&self.memory)?;
                runs.extend(&self.records)?;
                let ends = vec![self.records.len()];
                self.records = Vec::with_capacity(length);
                (runs, Vec::with_capacity(length), ends, length)
            }
        };
        let records = std::mem::replace(&mut self.records, next);
        if !records.is_empty() {
            ends.push(runs.len() + records.len());
        }
        let writing = std::thread::Builder::new()
            .name("sorting".to_owned())
            .spawn(move || sorted(runs, records))
            .map_err(cannot_start)?;
        self.runs = Some(Runs {
            writing,
            ends,
            length,
        });
        Ok(())
    }
}

/// Sorts the records and appends them to the runs.
fn sorted<T: Pod + Ord + Send>(mut runs: SpillVec<T>, mut records: Vec<T>) -> Result<Written<T>> {
    records.sort_unstable();
    runs.extend(&records)?;
    records.clear();
    Ok((runs, records))
}

/// Waits for the thread and returns what it has written.
fn joined<T: Pod + Ord + Send>(writing: JoinHandle<Result<Written<T>>>) -> Result<Written<T>> {
    match writing.join() {
        Ok(written) => written,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn cannot_start(error: std::io::Error) -> Error {
    Error::Usage(format!("cannot start a thread: {error}"))
}

impl<T: Pod + Ord + Send> Drop for Sorter<T> {
    fn drop(&mut self) {
        self.memory.give(self.taken);
    }
}

/// Sorted records, as an iterator.
#[derive(Debug)]
pub struct Sorted<T: Pod + Ord + Send> {
    /// The next records, or all if they are in memory.
    next: std::vec::IntoIter<T>,
    /// The source of later records.
    merging: Option<(Receiver<Vec<T>>, JoinHandle<()>)>,
    /// Returns the memory of the records when dropped.
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
            // Everything was sent, or the thread panicked.
            Err(_) => match thread.join() {
                Ok(()) => None,
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
    }
}

/// The merge of runs.
struct Merging<T: Pod + Ord + Send> {
    runs: Vec<Run<T>>,
    /// The next record of each run.
    heap: BinaryHeap<Reverse<(T, usize)>>,
    held: SpillVec<T>,
}

impl<T: Pod + Ord + Send> Merging<T> {
    /// Sends all records, until the receiver has been dropped.
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

/// A run and its current block.
struct Run<T> {
    block: std::vec::IntoIter<T>,
    /// The first record after the block.
    next: usize,
    end: usize,
}

impl<T: Pod> Run<T> {
    /// The next record, read a block at a time.
    fn next(&mut self, held: &SpillVec<T>) -> Option<T> {
        if self.block.len() == 0 && self.next < self.end {
            let count = (BLOCK / size_of::<T>().max(1)).clamp(1, self.end - self.next);
            self.block = held.get(self.next, count).into_owned().into_iter();
            self.next += count;
        }
        self.block.next()
    }
}
