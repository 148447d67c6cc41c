//! The one loop over records: a thread reads ahead, all others work.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::{Outcome, ReadOptions, Record, Source};
use crate::error::{Error, Result};
use crate::page::Page;
use crate::spent::Stopwatch;
use crate::watch::Watch;

/// Records on their way from the reading thread to one of the others: about this many bytes at a time.
const BATCH_BYTES: u64 = 1 << 18;
const BATCH_RECORDS: usize = 1024;
/// Batches for each thread that wait to be worked on, at the most, and that are worked on or wait to be taken.
const BATCHES_AHEAD: usize = 2;
const BATCHES_OPEN: usize = 8;
/// Files up to this size are read by the thread that works on them: to open many of them takes one thread too long.
const SMALL_FILE: u64 = 1 << 19;

/// Some records, each with its source's number, and the time that reading them took. Without a record it is a small file,
/// yet to be read.
#[derive(Default)]
struct Batch {
    number: usize,
    records: Vec<(u32, Option<Record>)>,
    reading: Duration,
}

/// [`each_batch`], one record after the other.
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
    let make = |records: &mut dyn Iterator<Item = (u32, Record)>| -> Vec<T> {
        records
            .map(|(number, record)| make(number, record))
            .collect()
    };
    let take = |made: &mut Vec<T>| made.iter_mut().try_for_each(&mut take);
    each_batch(sources, options, watch, stage, make, take)
}

/// Shows what `make` makes of batches of records, each given with its source's number, to `take`, in the order of reading. One
/// thread reads ahead, all others make, and this one takes what was made as well; memory is a few batches for each thread.
/// What `take` leaves is dropped by the thread that made it, so that none waits for the memory of another. Returns the time that
/// reading took.
///
/// Errors: those of `take`, and the run was cancelled.
pub fn each_batch<B: Send>(
    sources: &[Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    stage: &'static str,
    make: impl Fn(&mut dyn Iterator<Item = (u32, Record)>) -> B + Sync,
    mut take: impl FnMut(&mut B) -> Result<()>,
) -> Result<Duration> {
    watch.begin(stage, sources.iter().map(|source| source.size).sum());
    // Nanoseconds that reading took.
    let reading = AtomicU64::new(0);
    let count = |time: Duration| reading.fetch_add(time.as_nanos() as u64, Relaxed);
    let read = |number: u32| {
        let (source, mut records) = (&sources[number as usize], None);
        std::iter::from_fn(move || {
            let mut stopwatch = Stopwatch::start();
            let records = records.get_or_insert_with(|| {
                watch.advance(source.size);
                source.records(options)
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
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(BATCHES_AHEAD * threads);
        scope.spawn(move || read_batches(sources, options, watch, sender));
        let lane = Lane::new(receiver, threads);
        rayon::in_place_scope(|scope| {
            let helper = || scope.spawn(|_| lane.help(make_all));
            lane.take_all(helper, make_all, |made| match watch.cancelled() {
                true => Err(Error::Cancelled),
                false => take(made),
            })
        })
    })?;
    // The reading thread stops early as well.
    match watch.cancelled() {
        true => Err(Error::Cancelled),
        false => Ok(Duration::from_nanos(reading.into_inner())),
    }
}

/// Where threads get batches and put down what they made of them, and one takes that in order.
struct Lane<T> {
    batches: Mutex<Receiver<Batch>>,
    state: Mutex<State<T>>,
    /// Tells the thread that takes.
    changed: Condvar,
    /// The threads of the pool.
    threads: usize,
}

struct State<T> {
    /// What was made of a batch, by its number, and by which thread.
    made: BTreeMap<usize, (usize, T)>,
    /// What was taken, by the thread that made it.
    used: Vec<Vec<T>>,
    taken: usize,
    /// Batches that were begun, or are to be, and are not taken.
    open: usize,
    /// Threads that make beside the one that takes.
    helpers: usize,
    /// There are no more.
    is_ended: bool,
    /// Nobody waits any longer.
    is_stopped: bool,
}

impl<T> Lane<T> {
    fn new(batches: Receiver<Batch>, threads: usize) -> Lane<T> {
        let state = State {
            made: BTreeMap::new(),
            used: (0..threads).map(|_| Vec::new()).collect(),
            taken: 0,
            open: 0,
            helpers: 0,
            is_ended: false,
            is_stopped: false,
        };
        Lane {
            batches: Mutex::new(batches),
            state: Mutex::new(state),
            changed: Condvar::new(),
            threads,
        }
    }

    /// Whether one more batch may be begun.
    fn has_room(&self, state: &State<T>) -> bool {
        !state.is_ended && !state.is_stopped && state.open < BATCHES_OPEN * self.threads
    }

    /// Makes of one batch after the other, as long as there is room: then the thread may be wanted for what is done with them.
    fn help(&self, make: impl Fn(Batch) -> T) {
        let _stopping = Stopping(self);
        let thread = rayon::current_thread_index().unwrap_or_default();
        let mut state = self.state();
        while self.has_room(&state) {
            state = self.work(state, thread, &make);
        }
        state.helpers -= 1;
    }

    /// Takes what was made in order, until all is; on a thread that makes as well, if it is one of the pool. `helper` has another
    /// one of the pool [help](Lane::help).
    fn take_all(
        &self,
        helper: impl Fn(),
        make: impl Fn(Batch) -> T,
        mut take: impl FnMut(&mut T) -> Result<()>,
    ) -> Result<()> {
        let _stopping = Stopping(self);
        let thread = rayon::current_thread_index();
        let helpers = self.threads - usize::from(thread.is_some());
        let mut state = self.state();
        loop {
            while state.helpers < helpers && self.has_room(&state) {
                state.helpers += 1;
                helper();
            }
            let next = state.taken;
            if let Some((maker, mut made)) = state.made.remove(&next) {
                drop(state);
                if let Err(error) = take(&mut made) {
                    self.stop();
                    return Err(error);
                }
                state = self.state();
                state.used[maker].push(made);
                state.taken += 1;
                state.open -= 1;
            } else if state.is_ended && state.open == 0 || state.is_stopped {
                return Ok(());
            } else if let Some(thread) = thread
                && self.has_room(&state)
            {
                state = self.work(state, thread, &make);
            } else {
                state = self.changed.wait(state).unwrap_or_else(|e| e.into_inner());
            }
        }
    }

    /// Makes of the next batch, if there is one.
    fn work<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<T>>,
        thread: usize,
        make: impl Fn(Batch) -> T,
    ) -> MutexGuard<'a, State<T>> {
        state.open += 1;
        let used = std::mem::take(&mut state.used[thread]);
        drop(state);
        drop(used);
        let next = self
            .batches
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .recv();
        let made = next.map(|batch| (batch.number, make(batch)));
        let mut state = self.state();
        match made {
            Ok((number, made)) => {
                state.made.insert(number, (thread, made));
            }
            Err(_) => {
                state.open -= 1;
                state.is_ended = true;
            }
        }
        self.changed.notify_one();
        state
    }

    fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// When its thread panics who takes does not wait for what it was to make.
struct Stopping<'a, T>(&'a Lane<T>);

impl<T> Drop for Stopping<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
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

/// Whether a file is small, and its content too: what is made of all of it is held at once. Files whose names say that they are compressed
/// may hold any number of pages.
fn is_small(source: &Source) -> bool {
    let name = source.kept.extension().unwrap_or_default();
    let is_compressed = ["gz", "zst", "parquet"]
        .iter()
        .any(|packed| name.eq_ignore_ascii_case(packed));
    source.pages.is_none() && source.size <= SMALL_FILE && !is_compressed
}

/// Runs on the reading thread until the sources end or the receiver is gone.
fn read_batches(
    sources: &[Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    sender: SyncSender<Batch>,
) {
    let (mut batch, mut bytes) = (Batch::default(), 0);
    let mut stopwatch = Stopwatch::start();
    // False if nobody listens any more.
    let mut add = |number: usize, record: Option<Record>, size: u64| {
        bytes += size;
        batch.records.push((number as u32, record));
        if bytes < BATCH_BYTES && batch.records.len() < BATCH_RECORDS {
            return true;
        }
        bytes = 0;
        batch.reading = stopwatch.lap();
        let next = Batch {
            number: batch.number + 1,
            ..Batch::default()
        };
        let full = std::mem::replace(&mut batch, next);
        let goes_on = !watch.cancelled() && sender.send(full).is_ok();
        // The others may have been slower: waiting for them is not reading.
        stopwatch = Stopwatch::start();
        goes_on
    };
    for (number, source) in sources.iter().enumerate() {
        if is_small(source) {
            if !add(number, None, source.size) {
                return;
            }
            continue;
        }
        let mut done = 0;
        for record in source.records(options) {
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

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::super::tests::Folder;
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
