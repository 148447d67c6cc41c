//! From sources to a [`Collection`]: every page sketched, every record accounted for.

use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::{Error, Result};
use crate::index::Sketches;
use crate::method::{Frequencies, Method, Sketch};
use crate::page::{Page, site_of};
use crate::read::{Outcome, ReadOptions, Record, Source};
use crate::spent::{Spent, Stopwatch};
use crate::text::{Extraction, Text, TextOptions, count_chars, text_of};
use crate::watch::Watch;

/// What is kept of all pages that were read.
#[derive(Debug, Default)]
pub struct Collection {
    /// The pages in the order of reading.
    pub pages: Vec<PageRow>,
    /// The different sketches that pages have.
    pub sketches: Sketches,
    /// The sites that pages have, by number.
    pub sites: Vec<String>,
    /// The records that could not be read, in the order of reading.
    pub rejects: Vec<Reject>,
    /// How many records were skipped, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// How many records were read.
    pub read: u64,
    /// Bytes of all records as read (decompressed).
    pub bytes: u64,
    /// What became of the wish for main text.
    pub extraction: ExtractionCounts,
    /// Where the time went.
    pub spent: Spent,
    site_numbers: BTreeMap<String, u32>,
}

/// Pages whose main text was wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractionCounts {
    /// Those that have one.
    pub main: u64,
    /// Those in which none was found, so that they count whole.
    pub fallback: u64,
    /// Those over the budget of bytes or nodes, which count whole.
    pub over_budget: u64,
}

/// One page, without its text.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRow {
    /// Its id, different from all others once [`Collection::settle_ids`] has run.
    pub id: Box<str>,
    /// The number of its source.
    pub source: u32,
    /// Its record's number within the source.
    pub record: u64,
    /// Its site's number.
    pub site: Option<u32>,
    /// Its date in seconds since 1970, if it has one that can be read.
    pub date: Option<i64>,
    /// Bytes of its record as read.
    pub bytes: u64,
    /// Characters of its folded text, white space left out.
    pub chars: u64,
    /// How much a page says itself (see [`own_chars_of`]).
    pub own_chars: u64,
    /// A hash of its folded text; `None` if that is empty.
    pub text: Option<u128>,
    /// The number of its sketch.
    pub sketch: u32,
    /// How many keys that sketch has.
    pub keys: u32,
}

/// A record that should have been a page and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// The number of its source.
    pub source: u32,
    /// Its number within the source.
    pub record: u64,
    /// Why, for people.
    pub reason: String,
}

/// A record after the part of the work that runs on all threads.
enum Sketched {
    Page(Box<PageRow>, Option<String>, Sketch, Extraction),
    Skipped(String),
    Rejected(Reject),
}

/// Records on their way from the reading thread to the others: about this many bytes at a time.
const BATCH_BYTES: u64 = 4 << 20;
const BATCH_RECORDS: usize = 4096;
/// Batches that wait in the channel at the most.
const BATCHES_AHEAD: usize = 2;

/// Some records, each with its source's number, and the time that reading them took.
#[derive(Default)]
struct Batch {
    records: Vec<(u32, Record)>,
    reading: Duration,
}

/// What a page goes through before it is a sketch.
pub struct Stages<'a> {
    /// How records become pages.
    pub read: &'a ReadOptions,
    /// How pages become texts.
    pub text: &'a TextOptions,
    /// What makes the sketches.
    pub method: &'a dyn Method,
}

impl Collection {
    /// Reads and sketches all `sources`, in order; memory is a few batches of records beside what is kept.
    pub fn read(sources: &[Source], stages: &Stages<'_>, watch: &dyn Watch) -> Result<Collection> {
        let mut collection = Collection::default();
        let make = |number: u32, record: Record| {
            let size = record.size;
            let (sketched, spent) = sketch(number, record, &sources[number as usize], stages);
            (size, sketched, spent)
        };
        let reading = each_record(
            sources,
            stages.read,
            watch,
            "reading",
            make,
            |(bytes, record, spent)| {
                collection.spent += spent;
                collection.add(bytes, record);
            },
        )?;
        collection.spent.reading += reading;
        Ok(collection)
    }

    /// Reads all `sources` and keeps the texts, for those who sketch them again and again. Sketches are left empty.
    pub(crate) fn read_texts(
        sources: &[Source],
        read: &ReadOptions,
        text: &TextOptions,
        watch: &dyn Watch,
    ) -> Result<(Collection, Vec<Text>)> {
        let (mut collection, mut texts) = (Collection::default(), Vec::new());
        let make = |number: u32, record: Record| {
            let (at, bytes) = (record.number, record.size);
            let source = &sources[number as usize];
            match parse(number, record, source, read, text).0 {
                Parsed::Page(page, text) => {
                    let (row, site) = row_of(*page, &text, number, at, bytes);
                    Ok(Some((row, site, text)))
                }
                Parsed::Skipped(_) => Ok(None),
                Parsed::Rejected(reject) => Err(reject),
            }
        };
        each_record(sources, read, watch, "reading", make, |made| {
            collection.read += 1;
            match made {
                Ok(Some((mut row, site, text))) => {
                    row.site = site.map(|site| collection.site_number(site));
                    collection.pages.push(row);
                    texts.push(*text);
                }
                Ok(None) => {}
                Err(reject) => collection.rejects.push(reject),
            }
        })?;
        collection.settle_ids();
        Ok((collection, texts))
    }

    /// A collection of some of the pages, each with its sketch.
    pub(crate) fn with_sketches(&self, pages: &[u32], sketches: &[Sketch]) -> Collection {
        let mut part = Collection {
            sites: self.sites.clone(),
            ..Collection::default()
        };
        for (&page, sketch) in pages.iter().zip(sketches) {
            let mut row = self.pages[page as usize].clone();
            row.sketch = part.sketches.add(sketch.as_ref());
            row.keys = sketch.keys.len() as u32;
            part.pages.push(row);
        }
        part
    }

    fn add(&mut self, bytes: u64, record: Sketched) {
        self.read += 1;
        self.bytes += bytes;
        match record {
            Sketched::Page(mut row, site, sketch, extraction) => {
                match extraction {
                    Extraction::Whole => {}
                    Extraction::Main => self.extraction.main += 1,
                    Extraction::Fallback => self.extraction.fallback += 1,
                    Extraction::OverBudget => self.extraction.over_budget += 1,
                }
                row.sketch = self.sketches.add(sketch.as_ref());
                row.site = site.map(|site| self.site_number(site));
                self.pages.push(*row);
            }
            Sketched::Skipped(kind) => *self.skipped.entry(kind).or_default() += 1,
            Sketched::Rejected(reject) => self.rejects.push(reject),
        }
    }

    fn site_number(&mut self, site: String) -> u32 {
        let next = self.sites.len() as u32;
        *self.site_numbers.entry(site).or_insert_with_key(|site| {
            self.sites.push(site.clone());
            next
        })
    }

    /// Tells repeated ids apart: the second page of an id gets `#2`, the third `#3`, and so on, in the order of
    /// reading, passing over names that other pages have by themselves.
    pub fn settle_ids(&mut self) {
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        order.par_sort_by(|&a, &b| self.pages[a as usize].id.cmp(&self.pages[b as usize].id));
        let repeated: Vec<Vec<u32>> = order
            .chunk_by(|&a, &b| self.pages[a as usize].id == self.pages[b as usize].id)
            .filter(|run| run.len() > 1)
            .map(<[u32]>::to_vec)
            .collect();
        let taken = |pages: &[PageRow], name: &str| {
            order
                .binary_search_by(|&at| (*pages[at as usize].id).cmp(name))
                .is_ok()
        };
        let mut renamed = Vec::new();
        for run in repeated {
            let mut suffix = 1;
            for &page in &run[1..] {
                let name = loop {
                    suffix += 1;
                    let name = format!("{}#{suffix}", self.pages[page as usize].id);
                    if !taken(&self.pages, &name) {
                        break name;
                    }
                };
                renamed.push((page, name));
            }
        }
        for (page, name) in renamed {
            self.pages[page as usize].id = name.into();
        }
    }
}

/// The document frequencies that the method of `stages` asks for. Reads all `sources` once; equal texts count once.
pub fn frequencies(
    sources: &[Source],
    stages: &Stages<'_>,
    watch: &dyn Watch,
) -> Result<Frequencies> {
    let mut frequencies = Frequencies::default();
    let mut seen = FxHashSet::default();
    let make = |number: u32, record: Record| {
        let page = match record.parse(&sources[number as usize], stages.read) {
            Outcome::Page(page) => page,
            _ => return None,
        };
        let text = text_of(&page, stages.text).ok()?;
        Some((hash_of(&text)?, stages.method.counted(&text)))
    };
    each_record(
        sources,
        stages.read,
        watch,
        "counting words",
        make,
        |counted| {
            if let Some((text, features)) = counted
                && seen.insert(text)
            {
                frequencies.add(&features);
            }
        },
    )?;
    frequencies.freeze();
    Ok(frequencies)
}

/// Hands what `make` makes of each record, given its source's number, to `take`, in the order of reading. One thread
/// reads ahead, all others make. Returns the time that reading took.
fn each_record<T: Send>(
    sources: &[Source],
    read: &ReadOptions,
    watch: &dyn Watch,
    stage: &'static str,
    make: impl Fn(u32, Record) -> T + Sync,
    mut take: impl FnMut(T),
) -> Result<Duration> {
    watch.begin(stage, sources.iter().map(|source| source.size).sum());
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Batch>(BATCHES_AHEAD);
        scope.spawn(move || read_batches(sources, read, watch, sender));
        let mut reading = Duration::ZERO;
        for batch in receiver {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            reading += batch.reading;
            let made: Vec<T> = batch
                .records
                .into_par_iter()
                .map(|(number, record)| make(number, record))
                .collect();
            made.into_iter().for_each(&mut take);
        }
        // The reading thread stops early as well.
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(reading)
    })
}

/// Runs on a thread of its own until the sources end or nobody listens any more.
fn read_batches(
    sources: &[Source],
    options: &ReadOptions,
    watch: &dyn Watch,
    sender: SyncSender<Batch>,
) {
    let (mut batch, mut bytes) = (Batch::default(), 0);
    let mut stopwatch = Stopwatch::start();
    for (number, source) in sources.iter().enumerate() {
        let mut done = 0;
        for record in source.records(options) {
            let step = record.size.min(source.size - done);
            done += step;
            watch.advance(step);
            bytes += record.size;
            batch.records.push((number as u32, record));
            if bytes >= BATCH_BYTES || batch.records.len() >= BATCH_RECORDS {
                bytes = 0;
                batch.reading = stopwatch.lap();
                if watch.cancelled() || sender.send(std::mem::take(&mut batch)).is_err() {
                    return;
                }
                // The others may have been slower: waiting for them is not reading.
                stopwatch = Stopwatch::start();
            }
        }
        watch.advance(source.size - done);
    }
    batch.reading = stopwatch.lap();
    // A failure means that the other side has stopped listening: nothing is left to do.
    let _ = sender.send(batch);
}

/// A record after parsing.
enum Parsed {
    Page(Box<Page>, Box<Text>),
    Skipped(String),
    Rejected(Reject),
}

/// Makes a text of a record, and tells the time that this took.
fn parse(
    number: u32,
    record: Record,
    source: &Source,
    read: &ReadOptions,
    text: &TextOptions,
) -> (Parsed, Spent) {
    let (mut spent, mut stopwatch) = (Spent::default(), Stopwatch::start());
    let at = record.number;
    let reject = |reason| {
        Parsed::Rejected(Reject {
            source: number,
            record: at,
            reason,
        })
    };
    let outcome = record.parse(source, read);
    spent.parsing = stopwatch.lap();
    let parsed = match outcome {
        Outcome::Skipped(kind) => Parsed::Skipped(kind.to_string()),
        Outcome::Rejected(reason) => reject(reason),
        Outcome::Page(page) => match text_of(&page, text) {
            Err(reason) => reject(reason),
            Ok(text) => Parsed::Page(Box::new(page), Box::new(text)),
        },
    };
    spent.text = stopwatch.lap();
    (parsed, spent)
}

fn sketch(number: u32, record: Record, source: &Source, stages: &Stages<'_>) -> (Sketched, Spent) {
    let (at, bytes) = (record.number, record.size);
    let (parsed, mut spent) = parse(number, record, source, stages.read, stages.text);
    let sketched = match parsed {
        Parsed::Skipped(kind) => Sketched::Skipped(kind),
        Parsed::Rejected(reject) => Sketched::Rejected(reject),
        Parsed::Page(page, text) => {
            let mut stopwatch = Stopwatch::start();
            let sketch = stages.method.sketch(&text);
            spent.sketches = stopwatch.lap();
            let (mut row, site) = row_of(*page, &text, number, at, bytes);
            row.keys = sketch.keys.len() as u32;
            Sketched::Page(Box::new(row), site, sketch, text.extraction)
        }
    };
    (sketched, spent)
}

fn row_of(
    page: Page,
    text: &Text,
    source: u32,
    record: u64,
    bytes: u64,
) -> (PageRow, Option<String>) {
    let date = page.date.as_deref().and_then(seconds);
    let site = page.site.or_else(|| page.url.as_deref().and_then(site_of));
    let chars = chars_of(text);
    let row = PageRow {
        id: page.id.into(),
        source,
        record,
        site: None,
        date: date.or_else(|| text.meta.date.as_deref().and_then(seconds)),
        bytes,
        chars,
        own_chars: own_of(text, chars),
        text: hash_of(text),
        sketch: 0,
        keys: 0,
    };
    (row, site)
}

/// What equal texts have in common; `None` for an empty one.
fn hash_of(text: &Text) -> Option<u128> {
    (!text.folded.is_empty()).then(|| xxh3_128(text.folded.as_bytes()))
}

/// The length of a text: characters of its folded form, white space left out.
pub fn chars_of(text: &Text) -> u64 {
    count_chars(&text.folded)
}

/// The length of what a page says itself: of its main text, or of all but its blocks of links (menus, lists of other
/// pages) if methods see the whole page.
pub fn own_chars_of(text: &Text) -> u64 {
    own_of(text, chars_of(text))
}

fn own_of(text: &Text, chars: u64) -> u64 {
    if text.main.is_empty() {
        chars.saturating_sub(text.link_chars)
    } else {
        text.seen_chars()
    }
}

/// A date as people and machines write it, in seconds since 1970; a date without a zone is taken as UTC.
pub fn seconds(date: &str) -> Option<i64> {
    use jiff::civil::{Date, DateTime};
    use jiff::tz::TimeZone;
    let date = date.trim();
    let zoned = date
        .parse::<jiff::Timestamp>()
        .or_else(|_| jiff::fmt::rfc2822::parse(date).map(|zoned| zoned.timestamp()))
        .or_else(|_| jiff::Timestamp::strptime("%Y-%m-%d %H:%M:%S %z", date))
        .or_else(|_| jiff::Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", date));
    let civil = || {
        date.parse::<DateTime>()
            .or_else(|_| DateTime::strptime("%Y/%m/%d %H:%M:%S", date))
            .or_else(|_| DateTime::strptime("%Y/%m/%d %H:%M", date))
            .or_else(|_| DateTime::strptime("%Y-%m-%d %H:%M", date))
            .or_else(|_| DateTime::strptime("%Y年%m月%d日 %H:%M", date))
            .or_else(|_| Date::strptime("%Y年%m月%d日", date).map(Date::into))
            .or_else(|_| Date::strptime("%Y/%m/%d", date).map(Date::into))
            .and_then(|civil| civil.to_zoned(TimeZone::UTC))
            .map(|zoned| zoned.timestamp())
    };
    zoned
        .or_else(|_| civil())
        .ok()
        .map(jiff::Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_they_are_written() {
        let day = 1_325_376_000; // 2012-01-01T00:00:00Z, by `date -d`
        for text in [
            "2012-01-01",
            "2012-01-01T00:00:00Z",
            "2012/01/01",
            "2012年1月1日",
        ] {
            assert_eq!(seconds(text), Some(day), "{text}");
        }
        assert_eq!(seconds("2012-01-01T08:00:00+08:00"), Some(day));
        assert_eq!(seconds("2012-01-01T08:00:00+0800"), Some(day));
        assert_eq!(seconds("Sun, 01 Jan 2012 00:00:00 GMT"), Some(day));
        assert_eq!(seconds("2012-01-01 00:01"), Some(day + 60));
        assert_eq!(seconds("yesterday"), None);
        assert_eq!(seconds(""), None);
    }

    #[test]
    fn repeated_ids_are_told_apart() {
        let row = |id: &str| PageRow {
            id: id.into(),
            source: 0,
            record: 1,
            site: None,
            date: None,
            bytes: 0,
            chars: 0,
            own_chars: 0,
            text: None,
            sketch: 0,
            keys: 0,
        };
        let pages = ["a", "b", "a", "a#2", "a", "b"].map(row).to_vec();
        let mut collection = Collection {
            pages,
            ..Collection::default()
        };
        collection.settle_ids();
        let ids: Vec<&str> = collection.pages.iter().map(|p| &*p.id).collect();
        assert_eq!(ids, ["a", "b", "a#3", "a#2", "a#4", "b#2"]);
    }
}
