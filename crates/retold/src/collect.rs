//! From sources to a [`Collection`]: every page sketched, every record accounted for.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::error::Result;
use crate::frequencies::Frequencies;
use crate::ids::{PageNo, SketchNo};
use crate::index::Sketches;
use crate::knowledge::{Census, Knowledge};
use crate::method::Learns;
use crate::model::{Model, facts};
use crate::page::Page;
pub use crate::page::seconds;
use crate::read::{Outcome, ReadOptions, Record, Source, each_page, each_record, settle};
use crate::sketch::Sketch;
use crate::spent::{Spent, Stopwatch};
use crate::text::{Extraction, Text, TextOptions, text_hash, text_of};
use crate::watch::Watch;

/// What is kept of all pages that were read.
#[derive(Debug, Default)]
#[non_exhaustive]
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
    /// How main text was found, if methods see main text only.
    pub extraction: ExtractionCounts,
    /// Where the time went.
    pub spent: Spent,
    site_numbers: BTreeMap<String, u32>,
}

/// How the main text of pages was found; all are 0 with `--extract none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExtractionCounts {
    /// Pages that have one.
    pub main: u64,
    /// Pages in which none was found, so that they count whole.
    pub fallback: u64,
    /// Pages over the budget of bytes or nodes, which count whole.
    pub over_budget: u64,
}

/// One page, without its text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageRow {
    /// Its id, different from all others.
    pub id: Box<str>,
    /// The number of its source; `u32::MAX` of a page that comes from no source ([`Collection::push`]).
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
    /// Characters of the page's own text ([`crate::sketch::Sketch::own_chars`]).
    pub own_chars: u64,
    /// A hash of its folded text; `None` if that is empty.
    pub text: Option<u128>,
    /// The number of its sketch.
    pub sketch: SketchNo,
    /// How many keys that sketch has.
    pub keys: u32,
}

/// A record that should have been a page and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl Collection {
    /// Reads and sketches all `sources`, in order; memory is a few batches of records beside what is kept.
    pub fn read(
        sources: &[Source],
        options: &ReadOptions,
        model: &Model,
        watch: &dyn Watch,
    ) -> Result<Collection> {
        let mut collection = Collection::default();
        let make = |number: u32, record: Record| {
            let size = record.size;
            let (sketched, spent) =
                sketch(number, record, &sources[number as usize], options, model);
            (size, sketched, spent)
        };
        let reading = each_record(
            sources,
            options,
            watch,
            "reading",
            make,
            |(bytes, sketched, spent)| {
                collection.spent += spent;
                collection.add(bytes, sketched?);
                Ok(())
            },
        )?;
        collection.spent.reading += reading;
        collection.settle_ids();
        Ok(collection)
    }

    /// Reads all `sources` and keeps the texts, for those who sketch them again and again, with other methods too: they
    /// have sentences whether `model` reads them or not. Sketches are left empty.
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
                    let (row, site) = row_of(*page, &text, &facts(&text), number, at, bytes);
                    Ok(Some((row, site, text)))
                }
                Parsed::Skipped(_) => Ok(None),
                Parsed::Rejected(reject) => Err(reject),
            }
        };
        each_record(sources, options, watch, "reading", make, |made| {
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
            Ok(())
        })?;
        collection.settle_ids();
        Ok((collection, texts))
    }

    /// A collection of some of the pages, each with its sketch.
    pub fn with_sketches(&self, pages: &[PageNo], sketches: &[Sketch]) -> Collection {
        let mut part = Collection {
            sites: self.sites.clone(),
            ..Collection::default()
        };
        for (&page, sketch) in pages.iter().zip(sketches) {
            let mut row = self.page(page).clone();
            row.sketch = part.sketches.add(sketch.as_ref());
            row.keys = sketch.keys.len() as u32;
            part.pages.push(row);
        }
        part
    }

    /// Adds a page that was sketched before, of which `bytes` are its record's. Its site is the sketch's.
    pub fn push(&mut self, id: &str, date: Option<i64>, bytes: u64, sketch: &Sketch) -> PageNo {
        let number = PageNo::new(self.pages.len());
        let site = sketch.site.clone().map(|site| self.site_number(site));
        self.pages.push(PageRow {
            id: id.into(),
            source: u32::MAX,
            record: 0,
            site,
            date,
            bytes,
            chars: sketch.chars,
            own_chars: sketch.own_chars,
            text: sketch.text,
            sketch: self.sketches.add(sketch.as_ref()),
            keys: sketch.keys.len() as u32,
        });
        number
    }

    /// Adds the pages of another collection, whose sources have numbers from `first` on. Nothing else of it is counted.
    pub fn append(&mut self, other: Collection, first: u32) {
        for mut row in other.pages {
            row.source = row.source.saturating_add(first);
            row.sketch = self.sketches.add(other.sketches.get(row.sketch));
            let site = row.site.map(|site| other.sites[site as usize].clone());
            row.site = site.map(|site| self.site_number(site));
            self.pages.push(row);
        }
    }

    /// The sketch of a page as the model made it.
    pub fn sketch(&self, page: &PageRow) -> Sketch {
        Sketch {
            text: page.text,
            chars: page.chars,
            own_chars: page.own_chars,
            site: self.site(page).map(str::to_owned),
            ..self.sketches.get(page.sketch).to_owned()
        }
    }

    /// Tells pages of one id apart: those from `first` on keep theirs, if no two of them are equal.
    pub(crate) fn settle_from(&mut self, first: PageNo) {
        self.pages.rotate_left(first.at());
        self.settle_ids();
        let count = self.pages.len() - first.at();
        self.pages.rotate_left(count);
    }

    /// The page with that number.
    pub fn page(&self, number: PageNo) -> &PageRow {
        &self.pages[number.at()]
    }

    /// The name of a page's site.
    pub fn site(&self, page: &PageRow) -> Option<&str> {
        page.site.map(|site| self.sites[site as usize].as_str())
    }

    /// For each of so many sketches, how many different texts have it.
    pub fn texts_per_sketch(&self, sketches: usize) -> Vec<u32> {
        let texts = self
            .pages
            .iter()
            .filter_map(|page| Some((page.sketch, page.text?)));
        let mut texts: Vec<(SketchNo, u128)> = texts.collect();
        texts.par_sort_unstable();
        texts.dedup();
        let mut counts = vec![0; sketches];
        texts
            .iter()
            .for_each(|(sketch, _)| counts[sketch.at()] += 1);
        counts
    }

    /// For each sketch, the median of its pages' own characters: unlike pages with one sketch, the footer's, are long.
    fn usual_own_chars(&self) -> Vec<u64> {
        let pages = self.pages.iter();
        let mut lengths: Vec<_> = pages.map(|page| (page.sketch, page.own_chars)).collect();
        lengths.par_sort_unstable();
        let mut usual = vec![0; self.sketches.len()];
        for run in lengths.chunk_by(|a, b| a.0 == b.0) {
            usual[run[0].0.at()] = run[run.len() / 2].1;
        }
        usual
    }

    /// (sketch, site, how many different texts of the site have that sketch), ascending.
    fn texts_on_sites(&self) -> Vec<(SketchNo, u32, u32)> {
        let pages = self.pages.iter();
        let texts = pages.filter_map(|page| Some((page.sketch, page.site?, page.text?)));
        let mut texts: Vec<(SketchNo, u32, u128)> = texts.collect();
        texts.par_sort_unstable();
        texts.dedup();
        let runs = texts.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        runs.map(|run| (run[0].0, run[0].1, run.len() as u32))
            .collect()
    }

    /// What `model` learns from the sketches, if it learns anything from them.
    pub fn knowledge(&self, model: &Model) -> Option<Knowledge> {
        let on_site = match model.method().learns {
            Learns::Nothing | Learns::Words(_) => return None,
            Learns::Noise | Learns::Common => self.texts_on_sites(),
        };
        let own_chars = self.usual_own_chars();
        let agree = |a: SketchNo, b: SketchNo| {
            let shorter = own_chars[a.at()].min(own_chars[b.at()]);
            model.agree(self.sketches.get(a), self.sketches.get(b), shorter)
        };
        model.knowledge_of(&Census {
            sketches: &self.sketches,
            texts: &self.texts_per_sketch(self.sketches.len()),
            sites: &self.sites,
            on_site: &on_site,
            agree: &agree,
        })
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

    fn settle_ids(&mut self) {
        let ids = self
            .pages
            .iter_mut()
            .map(|page| std::mem::take(&mut page.id));
        let mut ids: Vec<Box<str>> = ids.collect();
        settle(&mut ids);
        for (page, id) in self.pages.iter_mut().zip(ids) {
            page.id = id;
        }
    }
}

/// The document frequencies of the words that `model` wants to be taught. Reads all `sources` once; equal texts count
/// once.
pub fn learn_words(
    sources: &[Source],
    options: &ReadOptions,
    model: &Model,
    watch: &dyn Watch,
) -> Result<Knowledge> {
    let mut frequencies = Frequencies::default();
    let mut seen = FxHashSet::default();
    let make = |page: Page| {
        let text = model.text(&page)?;
        Ok((text_hash(&text), model.words(&text)))
    };
    each_page(
        sources,
        options,
        watch,
        "counting words",
        make,
        |_, _, made| {
            if let Ok((Some(text), words)) = made
                && seen.insert(text)
            {
                frequencies.add(&words);
            }
            Ok(())
        },
    )?;
    frequencies.freeze();
    Ok(Knowledge::of_words(frequencies))
}

/// A record after parsing.
enum Parsed {
    Page(Box<Page>, Box<Text>),
    Skipped(String),
    Rejected(Reject),
}

/// Makes a text of a record and measures the time.
fn parse(
    number: u32,
    record: Record,
    source: &Source,
    options: &ReadOptions,
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
    let outcome = record.parse(source, options);
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

fn sketch(
    number: u32,
    record: Record,
    source: &Source,
    options: &ReadOptions,
    model: &Model,
) -> (Result<Sketched>, Spent) {
    let (at, bytes) = (record.number, record.size);
    let (parsed, mut spent) = parse(number, record, source, options, model.text_options());
    let sketched = match parsed {
        Parsed::Skipped(kind) => Ok(Sketched::Skipped(kind)),
        Parsed::Rejected(reject) => Ok(Sketched::Rejected(reject)),
        Parsed::Page(page, text) => {
            let mut stopwatch = Stopwatch::start();
            // The site stands in the row, as a number.
            let sketch = model.sketch(&text, None);
            spent.sketches = stopwatch.lap();
            sketch.map(|sketch| {
                let (row, site) = row_of(*page, &text, &sketch, number, at, bytes);
                Sketched::Page(Box::new(row), site, sketch, text.extraction)
            })
        }
    };
    (sketched, spent)
}

fn row_of(
    page: Page,
    text: &Text,
    sketch: &Sketch,
    source: u32,
    record: u64,
    bytes: u64,
) -> (PageRow, Option<String>) {
    let date = page.date.as_deref().and_then(seconds);
    let site = page.site();
    let row = PageRow {
        id: page.id.into(),
        source,
        record,
        site: None,
        date: date.or_else(|| text.meta.date.as_deref().and_then(seconds)),
        bytes,
        chars: sketch.chars,
        own_chars: sketch.own_chars,
        text: sketch.text,
        sketch: SketchNo::default(),
        keys: sketch.keys.len() as u32,
    };
    (row, site)
}
