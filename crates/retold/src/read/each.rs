//! The only loop over records: some threads read ahead, all others work.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::options::ReadOptions;
use super::record::{Outcome, Record};
use super::remote::Remote;
use super::source::Source;
use super::work::InWork;
use crate::error::{Error, Result};
use crate::ordered::in_order;
use crate::page::Page;
use crate::spent::Stopwatch;
use crate::watch::Watch;

/// How much is read at a time, and how far ahead.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Approximate bytes per batch of records.
    batch_bytes: u64,
    batch_records: usize,
    /// The most batches per thread that wait for work.
    batches_ahead: usize,
    /// The most bytes of records that a reader has handed on and that are still in work; a larger record is handed on alone.
    bytes_ahead: u64,
    /// How many worker threads one reader of compressed files can keep busy.
    threads_a_reader: usize,
    /// Files up to this size are read by the worker thread itself: a single reader would take too long to open many of them.
    small_file: u64,
}

impl Limits {
    /// Of what is read with these options.
    fn of(options: &ReadOptions) -> Limits {
        let limits = Limits::default();
        Limits {
            bytes_ahead: limits.bytes_ahead.min(options.work.memory / 16),
            ..limits
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            batch_bytes: 1 << 18,
            batch_records: 1024,
            batches_ahead: 2,
            bytes_ahead: 1 << 26,
            threads_a_reader: 4,
            small_file: 1 << 19,
        }
    }
}

/// Some records, each with its source's number, and the time spent reading them. `None` stands for a small file that the worker thread
/// reads itself.
#[derive(Default)]
struct RecordBatch {
    records: Vec<(u32, Option<Record>)>,
    reading: Duration,
    /// What the records hold, or the size of the small files.
    bytes: u64,
    /// Gives back its bytes when the records are done.
    ahead: Option<BytesAhead>,
}

/// The bytes of a reader's records that are in work or wait for it.
#[derive(Clone, Default)]
struct Ahead(Arc<(Mutex<u64>, Condvar)>);

impl Ahead {
    /// Waits until these bytes fit below the limit, or until there are no others.
    fn wait_for(&self, bytes: u64, limit: u64) -> BytesAhead {
        let (ahead, changed) = &*self.0;
        let ahead = ahead.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |ahead: &mut u64| *ahead > 0 && *ahead + bytes > limit;
        let ahead = changed.wait_while(ahead, is_full);
        *ahead.unwrap_or_else(PoisonError::into_inner) += bytes;
        BytesAhead {
            of: self.clone(),
            bytes,
        }
    }

    /// Waits while a record above the limit is in work, so that no other is read meanwhile.
    fn wait_for_large(&self, limit: u64) {
        let (ahead, changed) = &*self.0;
        let ahead = ahead.lock().unwrap_or_else(PoisonError::into_inner);
        drop(changed.wait_while(ahead, |ahead| *ahead > limit));
    }
}

struct BytesAhead {
    of: Ahead,
    bytes: u64,
}

impl Drop for BytesAhead {
    fn drop(&mut self) {
        let (ahead, changed) = &*self.of.0;
        *ahead.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        changed.notify_one();
    }
}

/// Runs `make` on all records in parallel and `take` on each result, in the order of the sources.
///
/// Errors: those of `take`, and that the run was cancelled.
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
    Reading::all(sources, options, watch, stage).run(ReadOrder::Listed, make, take)
}

/// Runs `make` on batches of records, each with its source's number, and `take` on each result. Returns the time spent reading.
///
/// One thread reads ahead (several if files are compressed), all others run `make`, and the calling thread runs `take` in between. Memory
/// is a few batches per thread, and as much for records in work as [`ReadOptions::work`] says; so `make` neither returns records nor uses
/// the pool. Records of one source come in order; if several files are read side by side, records of other sources may
/// come between them. What `take` leaves is dropped by the thread that made it, because freeing memory of another thread makes both wait
/// for the allocator.
///
/// Errors: those of `take`, and that the run was cancelled.
pub fn each_batch<B: Send>(
    sources: &[Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    stage: &'static str,
    make: impl Fn(&mut Numbered<'_>) -> B + Sync,
    take: impl FnMut(&mut B) -> Result<()>,
) -> Result<Duration> {
    Reading::all(sources, options, watch, stage).run(ReadOrder::Any, make, take)
}

/// Reads the `wanted` records once more and passes what `make` returns to `take`, each with its place in the list. `wanted` has (source,
/// record number), ascending and without repetition. A record that is gone because the file has changed counts as rejected. Threads and
/// memory are as in [`each_record`]; `take` reports progress.
///
/// Errors: those of `take`, and that the run was cancelled.
pub fn each_wanted<T: Send>(
    sources: &[Source],
    options: &ReadOptions,
    wanted: &[(u32, u64)],
    order: ReadOrder,
    watch: &dyn Watch,
    make: impl Fn(usize, &Source, Record) -> T + Sync,
    take: impl FnMut(usize, &mut T) -> Result<()>,
) -> Result<()> {
    let reading = Reading {
        sources,
        options,
        watch: &CancelOnly(watch),
        wanted: Some(wanted),
        limits: Limits::of(options),
    };
    reading.run_wanted(wanted, order, make, take)
}

/// Records, each with the number of its source.
pub type Numbered<'r> = dyn Iterator<Item = (u32, Record)> + 'r;

/// The order in which records are handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOrder {
    /// Sources as listed, and each source's records in order.
    Listed,
    /// Each source's records in order, perhaps with records of other sources between them.
    Any,
}

struct Reading<'a> {
    sources: &'a [Source],
    options: &'a ReadOptions,
    watch: &'a dyn Watch,
    /// The wanted records as (source, record number), ascending; all records if `None`.
    wanted: Option<&'a [(u32, u64)]>,
    limits: Limits,
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
            limits: Limits::of(options),
        }
    }

    fn run<B: Send>(
        &self,
        order: ReadOrder,
        make: impl Fn(&mut Numbered<'_>) -> B + Sync,
        mut take: impl FnMut(&mut B) -> Result<()>,
    ) -> Result<Duration> {
        // Nanoseconds spent reading.
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
        let work = &InWork::new(self.options.work, self.wanted.is_none());
        let make_all = |batch: RecordBatch| {
            count(batch.reading);
            let _ahead = batch.ahead;
            let claim = Arc::new(work.claim(batch.bytes));
            let mut records = batch.records.into_iter().flat_map(|(number, record)| {
                let small = record.is_none().then(|| read(number));
                let records = record.into_iter().chain(small.into_iter().flatten());
                let claim = &claim;
                records.map(move |record| (number, record.claiming(claim)))
            });
            make(&mut records)
        };
        let stores = self.stores();
        let sound = || stores.iter().try_for_each(|store| store.sound());
        let threads = rayon::current_num_threads();
        let readers = self.readers(match order {
            ReadOrder::Listed => 1,
            ReadOrder::Any => threads.div_ceil(self.limits.threads_a_reader),
        });
        std::thread::scope(|scope| {
            let ahead = (self.limits.batches_ahead * threads).div_ceil(readers.len());
            let reader = |numbers: Vec<u32>| {
                let (sender, receiver) = sync_channel(ahead);
                scope.spawn(move || self.read_batches(&numbers, work, sender));
                receiver
            };
            let batches = RoundRobin {
                readers: readers.into_iter().map(reader).collect(),
                next: 0,
            };
            in_order(batches, make_all, |made| match self.watch.cancelled() {
                true => Err(Error::Cancelled),
                false => sound().and_then(|()| take(made)),
            })
        })?;
        sound()?;
        // Readers also stop early when the run is cancelled, so records may be missing without an error.
        match self.watch.cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(Duration::from_nanos(reading.into_inner())),
        }
    }

    /// One remote source of each listing, because a listing's sources share their first failure.
    fn stores(&self) -> Vec<&'a Remote> {
        let mut stores: Vec<&Remote> = Vec::new();
        for remote in self.sources.iter().filter_map(|s| s.remote.as_ref()) {
            if !stores.iter().any(|store| store.fails_with(remote)) {
                stores.push(remote);
            }
        }
        stores
    }

    fn run_wanted<T: Send>(
        &self,
        wanted: &[(u32, u64)],
        order: ReadOrder,
        make: impl Fn(usize, &Source, Record) -> T + Sync,
        mut take: impl FnMut(usize, &mut T) -> Result<()>,
    ) -> Result<()> {
        let make = |records: &mut Numbered<'_>| -> Vec<(usize, T)> {
            let made = records.map(|(source, record)| {
                let at = wanted.partition_point(|&place| place < (source, record.number));
                (at, make(at, &self.sources[source as usize], record))
            });
            made.collect()
        };
        let take = |made: &mut Vec<(usize, T)>| {
            let mut made = made.iter_mut();
            made.try_for_each(|(at, made)| take(*at, made))
        };
        self.run(order, make, take)?;
        Ok(())
    }

    /// Divides the sources among readers, in order and with about the same number of bytes each. There are as many readers as compressed
    /// files, but at least one and at most `most`.
    fn readers(&self, most: usize) -> Vec<Vec<u32>> {
        let is_wanted = |number: &u32| self.wanted_of(*number).is_none_or(|list| !list.is_empty());
        let wanted = (0..self.sources.len() as u32).filter(is_wanted);
        let numbers: Vec<u32> = wanted.collect();
        let source = |&number: &u32| &self.sources[number as usize];
        let packed = numbers
            .iter()
            .map(source)
            .filter(|s| is_compressed(s))
            .count();
        let mut readers = vec![(0, Vec::new()); packed.clamp(1, most)];
        for number in numbers {
            if let Some((size, numbers)) = readers.iter_mut().min_by_key(|(size, _)| *size) {
                *size += source(&number).size;
                numbers.push(number);
            }
        }
        readers.into_iter().map(|(_, numbers)| numbers).collect()
    }

    /// The wanted records of a source, unless all are wanted.
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

    /// Reads these sources until they end or the receiver has been dropped. Runs on its own thread.
    fn read_batches(&self, numbers: &[u32], work: &InWork, sender: SyncSender<RecordBatch>) {
        let (watch, limits) = (self.watch, self.limits);
        let (mut batch, mut bytes) = (RecordBatch::default(), 0);
        let mut stopwatch = Stopwatch::start();
        let ahead = Ahead::default();
        // Returns false if the receiver has been dropped.
        let mut add = |number: u32, record: Option<Record>, size: u64| {
            bytes += size;
            batch.bytes += record.as_ref().map_or(size, Record::held);
            batch.records.push((number, record));
            if bytes < limits.batch_bytes && batch.records.len() < limits.batch_records {
                return true;
            }
            batch.reading = stopwatch.lap();
            batch.ahead = Some(ahead.wait_for(batch.bytes, limits.bytes_ahead));
            bytes = 0;
            let full = std::mem::take(&mut batch);
            let goes_on = !watch.cancelled() && sender.send(full).is_ok();
            ahead.wait_for_large(limits.bytes_ahead);
            // Sending may have waited for the workers, which is not reading time.
            stopwatch = Stopwatch::start();
            goes_on
        };
        for &number in numbers {
            let source = &self.sources[number as usize];
            if is_small(source, limits.small_file) {
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
                if !add(number, Some(record.within(work)), size) {
                    return;
                }
            }
            watch.advance(source.size - done);
        }
        batch.reading = stopwatch.lap();
        // Sending fails if the receiver has been dropped; then nothing is left to do.
        let _ = sender.send(batch);
    }
}

fn some_of(
    mut records: Box<dyn Iterator<Item = Record> + Send>,
    wanted: &[(u32, u64)],
) -> impl Iterator<Item = Record> + Send {
    wanted.iter().map(move |&(_, number)| {
        let record = records.find(|record| record.number >= number);
        match record.filter(|record| record.number == number) {
            // Few records of a block are wanted, and each would keep the whole block in memory.
            Some(record) => record.detached(),
            None => Record::parsed(number, 0, Outcome::Rejected("it is no longer there".into())),
        }
    })
}

/// Passes on a cancellation, but shows no progress.
struct CancelOnly<'a>(&'a dyn Watch);

impl Watch for CancelOnly<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// Takes batches from several readers in turn.
struct RoundRobin {
    readers: Vec<Receiver<RecordBatch>>,
    /// The reader whose batch comes next.
    next: usize,
}

impl Iterator for RoundRobin {
    type Item = RecordBatch;

    fn next(&mut self) -> Option<RecordBatch> {
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

/// What was made from a page, or the reason why the page could not be read.
pub type PageResult<T> = std::result::Result<T, String>;

/// [`each_record`] for callers that want pages only: `take` gets the source, the record's number, and what `make` returned or the reason
/// for the reject. Records that are not pages are skipped.
pub fn each_page<'s, T: Send>(
    sources: &'s [Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    stage: &'static str,
    make: impl Fn(Page) -> PageResult<T> + Sync,
    mut take: impl FnMut(&'s Source, u64, PageResult<T>) -> Result<()>,
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

/// Whether a file and its content are small; results for the whole file are held at once.
fn is_small(source: &Source, limit: u64) -> bool {
    source.pages.is_none() && source.size <= limit && !is_compressed(source)
}

/// Whether a file's name says that it is compressed: it may then hold any number of pages and take long to read.
fn is_compressed(source: &Source) -> bool {
    let name = source.kept.extension().unwrap_or_default();
    let packed = ["gz", "zst", "parquet", "wacz"];
    packed
        .iter()
        .any(|packed| name.eq_ignore_ascii_case(packed))
}

#[cfg(test)]
mod tests;
