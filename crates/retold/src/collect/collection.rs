//! The pages of a collection, with every record accounted for.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;

use super::batch::{Batch, Parsed, Sketched, parse, row_of};
use super::pages::{AmbiguousDates, NewPage, PageRow, Pages};
use super::rejects::Rejects;
use crate::date::DateOrder;
use crate::error::{Error, Result};
use crate::ids::{PageNo, Rank};
use crate::model::{Model, facts};
use crate::read::{Numbered, ReadOptions, Record, Source, each_batch, each_record};
use crate::sketch::{Sketch, Sketches};
use crate::spent::Spent;
use crate::spill::Memory;
use crate::stage::Stage;
use crate::text::{Extraction, Text, TextOptions};
use crate::verify::PartialFingerprints;
use crate::watch::Watch;

/// What is kept of all pages.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Collection {
    /// The pages, in the order of files and records.
    pub pages: Pages,
    /// The different sketches of the pages.
    pub sketches: Sketches,
    /// The sites of the pages, by number.
    pub sites: Vec<String>,
    /// The records that could not be read, in the order of files and records.
    pub rejects: Rejects,
    /// The number of skipped records, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// The number of records read.
    pub read: u64,
    /// Bytes of all records as read (decompressed).
    pub bytes: u64,
    /// How main text was found, if methods see only main text.
    pub extraction: ExtractionCounts,
    /// How dates with ambiguous day and month were read.
    pub ambiguous_dates: AmbiguousDates,
    /// Groups of two or more pages with one address, newest first ([`SameUrl`](crate::SameUrl)), in the order of their newest pages.
    pub versions: Vec<Vec<Rank>>,
    /// For each page, whether a newer page has its address, so that it is neither counted nor compared; empty if there are none.
    pub(crate) superseded: Vec<bool>,
    /// Time spent.
    pub spent: Spent,
    /// Partial fingerprints for verification, which most texts have.
    pub(crate) partial: PartialFingerprints,
    site_numbers: BTreeMap<String, u32>,
    memory: Memory,
}

/// A page that was sketched before.
#[derive(Clone, Copy, Debug)]
pub struct SketchedPage<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its title, if it has one.
    pub title: Option<&'a str>,
    /// Its date in seconds since 1970.
    pub date: Option<i64>,
    /// Bytes of its record.
    pub bytes: u64,
    /// The data for the model's other rules ([`Model::seen`]).
    pub seen: &'a [u64],
    /// Its sketch.
    pub sketch: &'a Sketch,
}

/// How the main text of pages was found; all counts are 0 with `--extract none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExtractionCounts {
    /// Pages with a main text.
    pub main: u64,
    /// Pages without a main text, which are used whole.
    pub fallback: u64,
    /// Pages above the limit of bytes or nodes, which are used whole.
    pub over_budget: u64,
}

impl Collection {
    /// An empty collection.
    pub fn new(memory: &Memory) -> Collection {
        Collection {
            pages: Pages::new(memory),
            sketches: Sketches::new(memory),
            rejects: Rejects::new(memory),
            partial: PartialFingerprints::new(memory),
            memory: memory.clone(),
            ..Collection::default()
        }
    }

    /// Reads and sketches all `sources`, in order. Holds a few batches of records, and of the pages as much as `memory` allows.
    pub fn read(
        sources: &[Source],
        options: &ReadOptions,
        model: &Model,
        memory: &Memory,
        watch: &dyn Watch,
    ) -> Result<Collection> {
        let mut collection = Collection::new(memory);
        let make = |records: &mut Numbered<'_>| {
            let mut batch = Batch::new();
            for (number, record) in records {
                batch.sketch(number, record, &sources[number as usize], options, model)?;
            }
            batch.partial.shrink_to_fit();
            Ok(batch)
        };
        let mut unreadable = Unreadable::default();
        let take = |made: &mut Result<Batch>| match made {
            Ok(batch) => {
                unreadable.look(batch, sources, watch);
                collection.add_all(batch)
            }
            Err(error) => Err(std::mem::replace(error, Error::Cancelled)),
        };
        let reading = each_batch(sources, options, watch, Stage::Read.name(), make, take)?;
        collection.spent.reading += reading;
        collection.partial.seal();
        collection.in_order_of_sources()?;
        tell_of_longer(sources, watch);
        collection.ambiguous_dates = collection.pages.settle_dates()?;
        tell_of_dates(collection.ambiguous_dates, watch);
        collection.pages.settle(PageNo(0))?;
        Ok(collection)
    }

    /// Sorts pages, sites and rejects by source if sources were read side by side.
    fn in_order_of_sources(&mut self) -> Result<()> {
        self.rejects.settle();
        if self.pages.iter().is_sorted_by_key(|row| row.source) {
            return Ok(());
        }
        let mut pages = std::mem::take(&mut self.pages);
        let mut names = std::mem::take(&mut self.sites);
        self.site_numbers.clear();
        let mut numbers = vec![None; names.len()];
        let numbers = pages.in_order_of_sources(|site| {
            let (number, name) = (&mut numbers[site as usize], &mut names[site as usize]);
            *number.get_or_insert_with(|| self.site_number(std::mem::take(name)))
        })?;
        self.partial.renumber(|page| numbers[page.at()]);
        self.pages = pages;
        Ok(())
    }

    /// Reads all `sources` and keeps the texts, for callers that sketch them repeatedly, also with other methods: texts have sentences even
    /// if `model` does not read them. Sketches stay empty.
    pub fn read_texts(
        sources: &[Source],
        options: &ReadOptions,
        model: &Model,
        watch: &dyn Watch,
    ) -> Result<(Collection, Vec<Text>)> {
        let (mut collection, mut texts) = (Collection::default(), Vec::new());
        let whole = TextOptions {
            sentences: true,
            ..model.text_options().clone()
        };
        let make = |number: u32, record: Record| {
            let (at, bytes) = (record.number, record.size);
            let source = &sources[number as usize];
            match parse(number, record, source, options, &whole).0 {
                Parsed::Page(page, text) => {
                    let seen = Vec::new();
                    let (row, site) = row_of(*page, seen, &text, &facts(&text), number, at, bytes);
                    Ok(Some((row, site, text)))
                }
                Parsed::Skipped(_) => Ok(None),
                Parsed::Rejected(reject) => Err(reject),
            }
        };
        each_record(sources, options, watch, Stage::Read.name(), make, |made| {
            collection.read += 1;
            match made {
                Ok(Some((row, site, text))) => {
                    row.row.site = site.take().map(|site| collection.site_number(site));
                    collection
                        .pages
                        .push(&row.id, row.title.as_deref(), &[], &row.row)?;
                    texts.push(std::mem::take(&mut **text));
                }
                Ok(None) => {}
                Err(reject) => collection.rejects.push(reject)?,
            }
            Ok(())
        })?;
        collection.ambiguous_dates = collection.pages.settle_dates()?;
        collection.pages.settle(PageNo(0))?;
        Ok((collection, texts))
    }

    /// A collection of some of the pages with these sketches.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn with_sketches(&self, pages: &[PageNo], sketches: &[Sketch]) -> Result<Collection> {
        let mut part = Collection {
            sites: self.sites.clone(),
            ..Collection::new(&self.memory)
        };
        for (&page, sketch) in pages.iter().zip(sketches) {
            let mut row = self.page(page);
            row.sketch = part.sketches.add(sketch.as_ref())?;
            row.keys = sketch.keys.len() as u32;
            let (id, title) = (self.pages.id(page), self.pages.title(page));
            let seen = self.pages.seen(page);
            part.pages.push(&id, title.as_deref(), &seen, &row)?;
        }
        Ok(part)
    }

    /// Adds a page that was sketched before. Its site is the sketch's.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn push(&mut self, page: SketchedPage<'_>) -> Result<PageNo> {
        let SketchedPage { sketch, .. } = page;
        let number = PageNo::new(self.pages.len());
        let site = sketch.site.clone().map(|site| self.site_number(site));
        let row = PageRow {
            source: u32::MAX,
            record: 0,
            site,
            date: page.date,
            order: DateOrder::Unsaid,
            bytes: page.bytes,
            chars: sketch.chars,
            main_chars: sketch.main_chars,
            text_hash: sketch.text_hash,
            sketch: self.sketches.add(sketch.as_ref())?,
            keys: sketch.keys.len() as u32,
        };
        self.pages.push(page.id, page.title, page.seen, &row)?;
        Ok(number)
    }

    /// Adds the pages of another collection, whose sources are numbered from `first`. No other counts are added.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn append(&mut self, other: Collection, first: u32) -> Result<()> {
        for (page, mut row) in PageNo::first(other.pages.len()).zip(other.pages.iter()) {
            row.source = row.source.saturating_add(first);
            let sketch = other.sketches.get(row.sketch);
            row.sketch = self.sketches.add(sketch.as_ref())?;
            let site = row.site.map(|site| other.sites[site as usize].clone());
            row.site = site.map(|site| self.site_number(site));
            let (title, seen) = (other.pages.title(page), other.pages.seen(page));
            self.pages
                .push(&other.pages.id(page), title.as_deref(), &seen, &row)?;
        }
        Ok(())
    }

    /// The sketch of a page as the model made it.
    pub fn sketch(&self, page: &PageRow) -> Sketch {
        Sketch {
            text_hash: page.text_hash,
            chars: page.chars,
            main_chars: page.main_chars,
            site: self.site(page).map(str::to_owned),
            ..self.sketches.get(page.sketch).as_ref().to_owned()
        }
    }

    /// Makes ids unique. Pages from `first` on keep their ids, if these are distinct among themselves.
    pub(crate) fn settle_from(&mut self, first: PageNo) -> Result<()> {
        self.pages.settle(first)
    }

    /// The memory budget of the collection.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The page with that number.
    pub fn page(&self, number: PageNo) -> PageRow {
        self.pages.get(number)
    }

    /// The id of the page with that number.
    pub fn id(&self, number: PageNo) -> Cow<'_, str> {
        self.pages.id(number)
    }

    /// Whether a newer page has this page's address, so that it is neither counted nor compared.
    pub(crate) fn is_superseded(&self, page: PageNo) -> bool {
        self.superseded.get(page.at()).copied().unwrap_or(false)
    }

    /// The pages that are counted and compared, in the order of files and records.
    pub(super) fn counted(&self) -> impl Iterator<Item = PageRow> {
        let pages = PageNo::first(self.pages.len()).zip(self.pages.iter());
        pages.filter_map(|(page, row)| (!self.is_superseded(page)).then_some(row))
    }

    /// The name of a page's site.
    pub fn site(&self, page: &PageRow) -> Option<&str> {
        page.site.map(|site| self.sites[site as usize].as_str())
    }

    fn add_all(&mut self, batch: &mut Batch) -> Result<()> {
        self.spent += batch.spent;
        self.read += batch.records.len() as u64;
        self.bytes += batch.bytes;
        let mut wanted = Vec::with_capacity(batch.records.len());
        for record in &mut batch.records {
            self.add(record, &mut wanted)?;
        }
        self.partial
            .push(std::mem::take(&mut batch.partial), wanted)
    }

    /// Adds a record of a batch, and to `wanted` the range of its partial fingerprint if that is wanted.
    fn add(&mut self, record: &mut Sketched, wanted: &mut Vec<Range<usize>>) -> Result<()> {
        match record {
            Sketched::Page(made) => {
                match made.extraction {
                    Extraction::Whole => {}
                    Extraction::Main => self.extraction.main += 1,
                    Extraction::Fallback => self.extraction.fallback += 1,
                    Extraction::OverBudget => self.extraction.over_budget += 1,
                }
                let row = &mut made.page.row;
                row.sketch = self.sketches.add(made.sketch.as_ref())?;
                row.site = made.site.take().map(|site| self.site_number(site));
                if let (Some(partial), Some(text)) = (made.partial.take(), row.text_hash)
                    && (self.partial).wants(PageNo::new(self.pages.len()), text, row.sketch)
                {
                    wanted.push(partial);
                }
                let NewPage {
                    id,
                    title,
                    seen,
                    row,
                } = &made.page;
                self.pages.push(id, title.as_deref(), seen, row)?;
            }
            Sketched::Skipped(kind) => *self.skipped.entry(kind.clone()).or_default() += 1,
            Sketched::Rejected(reject) => self.rejects.push(reject)?,
        }
        Ok(())
    }

    fn site_number(&mut self, site: String) -> u32 {
        let next = self.sites.len() as u32;
        *self.site_numbers.entry(site).or_insert_with_key(|site| {
            self.sites.push(site.clone());
            next
        })
    }
}

/// Reports how dates with ambiguous day and month were read.
fn tell_of_dates(dates: AmbiguousDates, watch: &dyn Watch) {
    let AmbiguousDates {
        day_first,
        month_first,
        unknown,
    } = dates;
    let ways = [
        (
            day_first,
            "as day/month/year, like the other dates of their files",
        ),
        (
            month_first,
            "as month/day/year, like the other dates of their files",
        ),
        (
            unknown,
            "not at all, because no other date of their files decides",
        ),
    ];
    let ways = ways.iter().filter(|(count, _)| *count > 0);
    let ways: Vec<String> = ways
        .map(|(count, how)| format!("{count} read {how}"))
        .collect();
    if !ways.is_empty() {
        watch.warn(&format!(
            "dates in which day and month could be exchanged (04/01/2026): {}",
            ways.join("; ")
        ));
    }
}

/// Reports how many records are longer than they say, and where.
fn tell_of_longer(sources: &[Source], watch: &dyn Watch) {
    let mut with = sources.iter().filter(|source| source.facts.longer() > 0);
    let records: u64 = sources.iter().map(|source| source.facts.longer()).sum();
    if let Some(first) = with.next() {
        watch.warn(&format!(
            "{}{}: records that are longer than their Content-Length says are read to the end of their gzip members: {records}",
            first.name,
            match with.count() {
                0 => String::new(),
                1 => " and another file".to_owned(),
                others => format!(" and {others} other files"),
            }
        ));
    }
}

/// If a file begins with this many rejects and no page, a warning says at once what is wrong.
const HEAD_OF_REJECTS: u64 = 10_000;

/// Files with only rejects so far, so that a wrong field name shows early rather than after hours.
#[derive(Default)]
struct Unreadable {
    rejects: BTreeMap<u32, u64>,
}

impl Unreadable {
    fn look(&mut self, batch: &Batch, sources: &[Source], watch: &dyn Watch) {
        for record in &batch.records {
            match record {
                Sketched::Page(made) => {
                    self.rejects.remove(&made.page.row.source);
                }
                Sketched::Rejected(reject) if reject.record == 1 => {
                    self.rejects.insert(reject.source, 1);
                }
                Sketched::Rejected(reject) => {
                    let Some(count) = self.rejects.get_mut(&reject.source) else {
                        continue;
                    };
                    *count += 1;
                    if *count == HEAD_OF_REJECTS {
                        let name = &sources[reject.source as usize].name;
                        let reason = &reject.reason;
                        watch.warn(&format!(
                            "{name}: the first {HEAD_OF_REJECTS} records were all rejected, the last one because: {reason}"
                        ));
                    }
                }
                Sketched::Skipped(_) => {}
            }
        }
    }
}
