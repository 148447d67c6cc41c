//! The one loop over records: a thread reads ahead, all others work.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use rayon::prelude::*;

use super::{Outcome, ReadOptions, Record, Source};
use crate::error::{Error, Result};
use crate::page::Page;
use crate::spent::Stopwatch;
use crate::watch::Watch;

/// Records on their way from the reading thread to the others: about this many bytes at a time.
const BATCH_BYTES: u64 = 4 << 20;
const BATCH_RECORDS: usize = 4096;
/// Batches that wait in the channel at the most.
const BATCHES_AHEAD: usize = 2;
/// Files up to this size are read by the thread that works on them: to open many of them takes one thread too long.
const SMALL_FILE: u64 = BATCH_BYTES / 8;

/// Some records, each with its source's number, and the time that reading them took. Without a record it is a small file,
/// yet to be read.
#[derive(Default)]
struct Batch {
    records: Vec<(u32, Option<Record>)>,
    reading: Duration,
}

/// Hands what `make` makes of each record, given its source's number, to `take`, in the order of reading. One thread
/// reads ahead, all others make, while this one takes what was made of the batch before; memory is a few batches of records.
/// Returns the time that reading took.
///
/// Errors: those of `take`, and the run was cancelled.
pub fn each_record<T: Send>(
    sources: &[Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    stage: &'static str,
    make: impl Fn(u32, Record) -> T + Sync,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<Duration> {
    watch.begin(stage, sources.iter().map(|source| source.size).sum());
    let make = &make;
    // Nanoseconds that reading small files took.
    let small_files = AtomicU64::new(0);
    let read = |number: u32| {
        let (source, small_files) = (&sources[number as usize], &small_files);
        let mut records = None;
        std::iter::from_fn(move || {
            let mut stopwatch = Stopwatch::start();
            let records = records.get_or_insert_with(|| {
                watch.advance(source.size);
                source.records(options)
            });
            let record = records.next();
            small_files.fetch_add(stopwatch.lap().as_nanos() as u64, Relaxed);
            record
        })
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Batch>(BATCHES_AHEAD);
        scope.spawn(move || read_batches(sources, options, watch, sender));
        let mut reading = Duration::ZERO;
        let mut made = Vec::new();
        for batch in receiver {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            reading += batch.reading;
            let records = batch.records.into_par_iter();
            let making = records.flat_map_iter(|(number, record)| {
                let file = record.is_none().then(|| read(number));
                let records = record.into_iter().chain(file.into_iter().flatten());
                records.map(move |record| make(number, record))
            });
            let (last, next) = (std::mem::take(&mut made), &mut made);
            rayon::in_place_scope(|scope| {
                scope.spawn(move |_| *next = making.collect());
                last.into_iter().try_for_each(&mut take)
            })?;
        }
        made.into_iter().try_for_each(&mut take)?;
        // The reading thread stops early as well.
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(reading + Duration::from_nanos(small_files.load(Relaxed)))
    })
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
        |(source, number, made)| match made {
            Some(made) => take(&sources[source as usize], number, made),
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
        let goes_on = !watch.cancelled() && sender.send(std::mem::take(&mut batch)).is_ok();
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
        let mut found = Vec::new();
        let make = |number: u32, record: Record| (number, record.number, record.size);
        each_record(&sources, &options, &watch, "reading", make, |record| {
            found.push(record);
            Ok(())
        })
        .unwrap();
        assert_eq!(found, all);
        let size: u64 = sources.iter().map(|source| source.size).sum();
        assert_eq!(watch.0.load(Relaxed), size);
        // An error of who takes them ends it.
        let mut taken = 0;
        let ended = each_record(&sources, &options, &(), "reading", make, |_| {
            taken += 1;
            Err(Error::Cancelled)
        });
        assert!(ended.is_err());
        assert_eq!(taken, 1);
    }
}
