//! The one loop over records: some threads read ahead, all others work.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use super::again::some_of;
use super::{Outcome, ReadOptions, Record, Source};
use crate::error::{Error, Result};
use crate::lane::in_order;
use crate::page::Page;
use crate::spent::Stopwatch;
use crate::watch::Watch;

/// Records on their way from who reads to who works on them: about this many bytes at a time; few in tests, which are small.
const BATCH_BYTES: u64 = if cfg!(test) { 1 << 12 } else { 1 << 18 };
const BATCH_RECORDS: usize = 1024;
/// Batches for each thread that wait to be worked on, at the most.
const BATCHES_AHEAD: usize = 2;
/// Threads that one that decompresses keeps up with.
const THREADS_A_READER: usize = 4;
/// Files up to this size are read by the thread that works on them: to open many of them takes one thread too long.
const SMALL_FILE: u64 = 1 << 19;

/// Some records, each with its source's number, and the time that reading them took. Without a record it is a small file,
/// yet to be read.
#[derive(Default)]
struct Batch {
    records: Vec<(u32, Option<Record>)>,
    reading: Duration,
}

/// [`each_batch`], one record after the other, in the order of the sources.
///
/// Errors: those of `take`, and the run was cancelled.
pub fn each_record<T: Send>(
    sources: &[Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    stage: &'static str,
    make: impl Fn(u32, Record) -> T + Sync,
    mut take: impl FnMut(&mut T) -> Result<()>,
) -> Result<Duration> {
    let make = |records: &mut Numbered<'_>| -> Vec<T> {
        records
            .map(|(number, record)| make(number, record))
            .collect()
    };
    let take = |made: &mut Vec<T>| made.iter_mut().try_for_each(&mut take);
    Reading::all(sources, options, watch, stage).run(Order::Listed, make, take)
}

/// Shows what `make` makes of batches of records, each given with its source's number, to `take`. One thread or several, where
/// files are compressed, read ahead, all others make, and this one takes what was made as well; memory is a few batches for each
/// thread. Records of a source come in order, and those of others between them if several files are read side by side. What
/// `take` leaves is dropped by the thread that made it, so that none waits for the memory of another. Returns the time that reading
/// took.
///
/// Errors: those of `take`, and the run was cancelled.
pub fn each_batch<B: Send>(
    sources: &[Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    stage: &'static str,
    make: impl Fn(&mut Numbered<'_>) -> B + Sync,
    take: impl FnMut(&mut B) -> Result<()>,
) -> Result<Duration> {
    Reading::all(sources, options, watch, stage).run(Order::Any, make, take)
}

/// Records, each with the number of its source.
pub type Numbered<'r> = dyn Iterator<Item = (u32, Record)> + 'r;

/// In which order records are handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As sources are listed, and records in them.
    Listed,
    /// Those of a source in order, and those of others between them if several files are read side by side.
    Any,
}

/// A pass over sources.
pub(super) struct Reading<'a> {
    pub(super) sources: &'a [Source],
    pub(super) options: &'a ReadOptions,
    pub(super) watch: &'a dyn Watch,
    /// The records that are wanted, (source, number within it), ascending; all if there is no list.
    pub(super) wanted: Option<&'a [(u32, u64)]>,
}

impl<'a> Reading<'a> {
    fn all(
        sources: &'a [Source],
        options: &'a ReadOptions,
        watch: &'a dyn Watch,
        stage: &'static str,
    ) -> Reading<'a> {
        watch.begin(stage, sources.iter().map(|source| source.size).sum());
        Reading {
            sources,
            options,
            watch,
            wanted: None,
        }
    }

    /// See [`each_batch`].
    pub(super) fn run<B: Send>(
        &self,
        order: Order,
        make: impl Fn(&mut Numbered<'_>) -> B + Sync,
        mut take: impl FnMut(&mut B) -> Result<()>,
    ) -> Result<Duration> {
        // Nanoseconds that reading took.
        let reading = AtomicU64::new(0);
        let count = |time: Duration| reading.fetch_add(time.as_nanos() as u64, Relaxed);
        let read = |number: u32| {
            let mut records = None;
            std::iter::from_fn(move || {
                let mut stopwatch = Stopwatch::start();
                let records = records.get_or_insert_with(|| {
                    self.watch.advance(self.sources[number as usize].size);
                    self.records(number)
                });
                let record = records.next();
                count(stopwatch.lap());
                record
            })
        };
        let make_all = |batch: Batch| {
            count(batch.reading);
            let mut records = batch.records.into_iter().flat_map(|(number, record)| {
                let small = record.is_none().then(|| read(number));
                let records = record.into_iter().chain(small.into_iter().flatten());
                records.map(move |record| (number, record))
            });
            make(&mut records)
        };
        let threads = rayon::current_num_threads();
        let readers = self.readers(match order {
            Order::Listed => 1,
            Order::Any => threads.div_ceil(THREADS_A_READER),
        });
        std::thread::scope(|scope| {
            let ahead = (BATCHES_AHEAD * threads).div_ceil(readers.len());
            let reader = |numbers: Vec<u32>| {
                let (sender, receiver) = sync_channel(ahead);
                scope.spawn(move || self.read_batches(&numbers, sender));
                receiver
            };
            let batches = Turns {
                readers: readers.into_iter().map(reader).collect(),
                next: 0,
            };
            in_order(batches, make_all, |made| match self.watch.cancelled() {
                true => Err(Error::Cancelled),
                false => take(made),
            })
        })?;
        // Who reads stops early as well.
        match self.watch.cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(Duration::from_nanos(reading.into_inner())),
        }
    }

    /// The sources that each reader reads, by their numbers: about as much for each, in order. There is one reader for each file
    /// that is compressed, up to so many, and one at least.
    fn readers(&self, most: usize) -> Vec<Vec<u32>> {
        let is_wanted = |number: &u32| self.wanted_of(*number).is_none_or(|list| !list.is_empty());
        let wanted = (0..self.sources.len() as u32).filter(is_wanted);
        let numbers: Vec<u32> = wanted.collect();
        let source = |&number: &u32| &self.sources[number as usize];
        let packed = numbers.iter().map(source).filter(|s| is_packed(s)).count();
        let mut readers = vec![(0, Vec::new()); packed.clamp(1, most)];
        for number in numbers {
            if let Some((size, numbers)) = readers.iter_mut().min_by_key(|(size, _)| *size) {
                *size += source(&number).size;
                numbers.push(number);
            }
        }
        readers.into_iter().map(|(_, numbers)| numbers).collect()
    }

    /// The records of a source that are wanted, if not all are.
    fn wanted_of(&self, source: u32) -> Option<&'a [(u32, u64)]> {
        let wanted = self.wanted?;
        let of_source = wanted.partition_point(|record| record.0 < source)
            ..wanted.partition_point(|record| record.0 <= source);
        Some(&wanted[of_source])
    }

    fn records(&self, source: u32) -> Box<dyn Iterator<Item = Record> + Send + 'a> {
        let records = self.sources[source as usize].records(self.options);
        match self.wanted_of(source) {
            None => records,
            Some(wanted) => Box::new(some_of(records, wanted)),
        }
    }

    /// Reads the sources with these numbers, on a thread of its own, until they end or the receiver is gone.
    fn read_batches(&self, numbers: &[u32], sender: SyncSender<Batch>) {
        let watch = self.watch;
        let (mut batch, mut bytes) = (Batch::default(), 0);
        let mut stopwatch = Stopwatch::start();
        // False if nobody listens any more.
        let mut add = |number: u32, record: Option<Record>, size: u64| {
            bytes += size;
            batch.records.push((number, record));
            if bytes < BATCH_BYTES && batch.records.len() < BATCH_RECORDS {
                return true;
            }
            bytes = 0;
            batch.reading = stopwatch.lap();
            let full = std::mem::take(&mut batch);
            let goes_on = !watch.cancelled() && sender.send(full).is_ok();
            // The others may have been slower: waiting for them is not reading.
            stopwatch = Stopwatch::start();
            goes_on
        };
        for &number in numbers {
            let source = &self.sources[number as usize];
            if is_small(source) {
                if !add(number, None, source.size) {
                    return;
                }
                continue;
            }
            let mut done = 0;
            for record in self.records(number) {
                let (size, step) = (record.size, record.size.min(source.size - done));
                done += step;
                watch.advance(step);
                if !add(number, Some(record), size) {
                    return;
                }
            }
            watch.advance(source.size - done);
        }
        batch.reading = stopwatch.lap();
        // A failure means that the other side has stopped listening: nothing is left to do.
        let _ = sender.send(batch);
    }
}

/// Batches from several readers, one of each in turn.
struct Turns {
    readers: Vec<Receiver<Batch>>,
    /// Whose turn it is.
    next: usize,
}

impl Iterator for Turns {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        while !self.readers.is_empty() {
            let turn = self.next % self.readers.len();
            if let Ok(batch) = self.readers[turn].recv() {
                self.next = turn + 1;
                return Some(batch);
            }
            self.readers.remove(turn);
            self.next = turn;
        }
        None
    }
}

/// What became of a record: what was made of its page, or the reason why it could not be read.
pub type Made<T> = std::result::Result<T, String>;

/// [`each_record`] for those who want pages only: `take` gets the source and the record's number with what `make` made of
/// the page, or with the reason for a reject. Records that are no pages are passed over.
pub fn each_page<'s, T: Send>(
    sources: &'s [Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    stage: &'static str,
    make: impl Fn(Page) -> Made<T> + Sync,
    mut take: impl FnMut(&'s Source, u64, Made<T>) -> Result<()>,
) -> Result<()> {
    let make = |source: u32, record: Record| {
        let number = record.number;
        let made = match record.parse(&sources[source as usize], options) {
            Outcome::Page(page) => Some(make(page)),
            Outcome::Skipped(_) => None,
            Outcome::Rejected(reason) => Some(Err(reason)),
        };
        (source, number, made)
    };
    each_record(
        sources,
        options,
        watch,
        stage,
        make,
        |(source, number, made)| match made.take() {
            Some(made) => take(&sources[*source as usize], *number, made),
            None => Ok(()),
        },
    )?;
    Ok(())
}

/// Whether a file is small, and its content too: what is made of all of it is held at once.
fn is_small(source: &Source) -> bool {
    source.pages.is_none() && source.size <= SMALL_FILE && !is_packed(source)
}

/// Whether a file's name says that it is compressed: then it may hold any number of pages, and takes long to read.
fn is_packed(source: &Source) -> bool {
    let name = source.kept.extension().unwrap_or_default();
    let packed = ["gz", "zst", "parquet"];
    packed
        .iter()
        .any(|packed| name.eq_ignore_ascii_case(packed))
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::super::tests::{Folder, gzip};
    use super::*;

    #[derive(Default)]
    struct Advanced(AtomicU64);

    impl Watch for Advanced {
        fn advance(&self, by: u64) {
            self.0.fetch_add(by, Relaxed);
        }
    }

    #[test]
    fn small_files_that_may_hold_much_are_not_small() {
        let folder = Folder::new(&[]);
        let is_small = |name: &str| {
            folder.write(name, b"{}");
            is_small(&folder.source(name))
        };
        assert!(is_small("a.jsonl") && is_small("page.html") && is_small("gz"));
        assert!(!is_small("a.jsonl.gz") && !is_small("a.ZST") && !is_small("a.parquet"));
    }

    #[test]
    fn compressed_files_are_read_side_by_side_and_each_in_order() {
        let folder = Folder::new(&[]);
        let lines = |count: usize| "{\"id\":\"x\",\"text\":\"a page\"}\n".repeat(count);
        let sizes = [3000, 10, 900, 0, 2000, 700, 1500];
        for (number, size) in sizes.into_iter().enumerate() {
            folder.write(&format!("{number}.jsonl.gz"), &gzip(lines(size).as_bytes()));
        }
        folder.write("8.jsonl", lines(100).as_bytes());
        let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
        let reading = Reading::all(&sources, &options, &(), "reading");
        assert_eq!(reading.readers(1), [[0, 1, 2, 3, 4, 5, 6, 7]]);
        assert_eq!(reading.readers(100).len(), sizes.len());
        let mut all = reading.readers(3).concat();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7]);
        let found = |threads: usize| {
            let make = |records: &mut Numbered<'_>| -> Vec<(u32, u64)> {
                records
                    .map(|(number, record)| (number, record.number))
                    .collect()
            };
            let mut found = Vec::new();
            let take = |made: &mut Vec<(u32, u64)>| {
                found.append(made);
                Ok(())
            };
            let watch = Advanced::default();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            pool.install(|| each_batch(&sources, &options, &watch, "reading", make, take))
                .unwrap();
            let size: u64 = sources.iter().map(|source| source.size).sum();
            assert_eq!(watch.0.load(Relaxed), size);
            found
        };
        let (one, side_by_side) = (found(1), found(12));
        assert!(one.is_sorted() && !side_by_side.is_sorted());
        assert_eq!(found(12), side_by_side);
        let mut sorted = side_by_side;
        sorted.sort_by_key(|(source, _)| *source);
        assert_eq!(sorted, one);
    }

    #[test]
    fn small_files_and_large_ones_are_read_in_order() {
        let large = "{\"id\":\"x\",\"text\":\"a page\"}\n".repeat(SMALL_FILE as usize / 20);
        let folder = Folder::new(&[]);
        for number in 0..40 {
            let name = format!("{number:02}.jsonl");
            match number % 7 {
                3 => folder.write(&name, large.as_bytes()),
                5 => folder.write(&name, b""),
                _ => folder.write(&name, &large.as_bytes()[..27 * number]),
            }
        }
        let sources = folder.sources(&["."]);
        assert!(sources.iter().any(|source| source.size > SMALL_FILE));
        let (options, watch) = (ReadOptions::default(), Advanced::default());
        // One after the other.
        let all = sources.iter().enumerate().flat_map(|(number, source)| {
            let records = source.records(&options);
            records.map(move |record| (number as u32, record.number, record.size))
        });
        let all: Vec<(u32, u64, u64)> = all.collect();
        let make = |number: u32, record: Record| (number, record.number, record.size);
        let found = || {
            let mut found = Vec::new();
            each_record(&sources, &options, &watch, "reading", make, |record| {
                found.push(*record);
                Ok(())
            })
            .unwrap();
            found
        };
        assert_eq!(found(), all);
        let size: u64 = sources.iter().map(|source| source.size).sum();
        assert_eq!(watch.0.load(Relaxed), size);
        // On a thread that makes as well.
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            assert_eq!(pool.build().unwrap().install(found), all);
        }
        // Who takes them may want the threads, inside of a pool and outside, and they wait for nobody.
        let count = || {
            let mut count = 0;
            let take = |record: &mut (u32, u64, u64)| {
                if record.1 % 500 == 1 {
                    let numbers: Vec<u64> = [record.1; 64].par_iter().map(|n| 2 * n).collect();
                    assert_eq!(numbers, [2 * record.1; 64]);
                }
                count += 1;
                Ok(())
            };
            each_record(&sources, &options, &(), "reading", make, take).unwrap();
            count
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
        assert_eq!(
            [count(), pool.build().unwrap().install(count)],
            [all.len(); 2]
        );
        // A panic ends it too.
        let panic = std::panic::AssertUnwindSafe(|| {
            let make = |number: u32, _| assert_ne!(number, 17);
            each_record(&sources, &options, &(), "reading", make, |_| Ok(()))
        });
        assert!(std::panic::catch_unwind(panic).is_err());
        // And an error of who takes them.
        let mut taken = 0;
        let ended = each_record(&sources, &options, &(), "reading", make, |_| {
            taken += 1;
            Err(Error::Cancelled)
        });
        assert!(ended.is_err());
        assert_eq!(taken, 1);
    }
}
