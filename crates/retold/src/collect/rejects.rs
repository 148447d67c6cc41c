//! The records that could not be read, in memory or in a temporary file, because an input may have millions of them.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::Result;
use crate::spill::{Memory, SpillVec};

/// A record that should be a page but could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reject {
    /// The number of its source.
    pub source: u32,
    /// The number of the record within the source.
    pub record: u64,
    /// The reason, in words.
    pub reason: String,
}

/// Rejects in the order of sources and records, within a memory limit.
#[derive(Debug, Default)]
pub struct Rejects {
    /// For each reject its record (8 bytes), the length of its reason (4 bytes), and the reason.
    bytes: SpillVec<u8>,
    /// Consecutively added rejects of one source; the runs of a source are in the order of its records.
    runs: Vec<Run>,
    count: usize,
}

#[derive(Clone, Debug)]
struct Run {
    source: u32,
    bytes: Range<usize>,
}

/// Bytes before a reason.
const HEAD: usize = 12;
/// Bytes read at a time.
const BLOCK: usize = 1 << 16;

impl Rejects {
    pub(super) fn new(memory: &Memory) -> Rejects {
        Rejects {
            bytes: SpillVec::new(memory),
            ..Rejects::default()
        }
    }

    /// The number of rejects.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there are no rejects.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All rejects, in order.
    pub fn iter(&self) -> impl Iterator<Item = Reject> + Clone {
        self.runs.iter().flat_map(|run| self.of_run(run))
    }

    /// The first one.
    pub fn first(&self) -> Option<Reject> {
        self.iter().next()
    }

    /// The rejects of one source, in order.
    pub fn of_source(&self, source: u32) -> impl Iterator<Item = Reject> + Clone {
        let first = self.runs.partition_point(|run| run.source < source);
        let runs = self.runs[first..].iter();
        let runs = runs.take_while(move |run| run.source == source);
        runs.flat_map(|run| self.of_run(run))
    }

    /// Adds a reject. Rejects of one source come in the order of their records, perhaps with others in between.
    ///
    /// Errors: the temporary file cannot be written.
    pub(super) fn push(&mut self, reject: &Reject) -> Result<()> {
        let start = self.bytes.len();
        self.bytes.extend(&reject.record.to_le_bytes())?;
        self.bytes
            .extend(&(reject.reason.len() as u32).to_le_bytes())?;
        self.bytes.extend(reject.reason.as_bytes())?;
        self.count += 1;
        let end = self.bytes.len();
        match self.runs.last_mut() {
            Some(run) if run.source == reject.source => run.bytes.end = end,
            _ => self.runs.push(Run {
                source: reject.source,
                bytes: start..end,
            }),
        }
        Ok(())
    }

    /// Sorts the rejects by source.
    pub(super) fn settle(&mut self) {
        self.runs.sort_by_key(|run| run.source);
    }

    fn of_run(&self, run: &Run) -> OfRun<'_> {
        OfRun {
            all: &self.bytes,
            source: run.source,
            left: run.bytes.clone(),
            block: Cow::Borrowed(&[]),
            at: 0,
        }
    }
}

impl PartialEq for Rejects {
    fn eq(&self, other: &Rejects) -> bool {
        self.iter().eq(other.iter())
    }
}

/// The rejects of a run, read block by block.
#[derive(Clone)]
struct OfRun<'a> {
    all: &'a SpillVec<u8>,
    source: u32,
    left: Range<usize>,
    block: Cow<'a, [u8]>,
    /// Where in the block the next reject begins.
    at: usize,
}

impl OfRun<'_> {
    /// The next `count` bytes, or fewer at the end.
    fn take(&mut self, count: usize) -> &[u8] {
        if self.block.len() - self.at < count {
            let start = self.left.start - (self.block.len() - self.at);
            let length = count.max(BLOCK).min(self.left.end - start);
            (self.block, self.at) = (self.all.get(start, length), 0);
            self.left.start = start + length;
        }
        let end = (self.at + count).min(self.block.len());
        let taken = self.at..end;
        self.at = end;
        &self.block[taken]
    }
}

impl Iterator for OfRun<'_> {
    type Item = Reject;

    fn next(&mut self) -> Option<Reject> {
        let head: [u8; HEAD] = self.take(HEAD).try_into().ok()?;
        let (record, length) = (head.first_chunk()?, head.last_chunk()?);
        let (record, length) = (u64::from_le_bytes(*record), u32::from_le_bytes(*length));
        let reason = String::from_utf8_lossy(self.take(length as usize)).into_owned();
        Some(Reject {
            source: self.source,
            record,
            reason,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_are_in_the_order_of_sources_wherever_they_are_held() {
        let folder = tempfile::tempdir().unwrap();
        for memory in [Memory::default(), Memory::none(folder.path())] {
            let mut rejects = Rejects::new(&memory);
            let mut all = Vec::new();
            for n in 0..9_000u64 {
                let reject = Reject {
                    source: (n / 700 % 3) as u32,
                    record: n,
                    reason: "行 ".repeat(n as usize % 60),
                };
                rejects.push(&reject).unwrap();
                all.push(reject);
            }
            rejects.settle();
            all.sort_by_key(|reject| (reject.source, reject.record));
            assert_eq!(
                (rejects.len(), rejects.first().unwrap()),
                (9_000, all[0].clone())
            );
            assert!(rejects.iter().eq(all.iter().cloned()));
            let second = all.iter().filter(|reject| reject.source == 1);
            assert!(rejects.of_source(1).eq(second.cloned()));
            assert_eq!(rejects.of_source(3).count(), 0);
            memory.check().unwrap();
        }
    }
}
