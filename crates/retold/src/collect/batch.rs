//! Makes sketches from records, on all threads.

use std::ops::Range;

use super::pages::{NewPage, PageRow};
use super::rejects::Reject;
use crate::date;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::model::Model;
use crate::page::Page;
use crate::read::{Outcome, ReadOptions, Record, Source};
use crate::sketch::Sketch;
use crate::spent::{Spent, Stopwatch};
use crate::text::{Extraction, Text, TextOptions, take_text};

/// Capacity of a batch for partial fingerprints, in numbers: enough for texts of about 256 KB.
const ROOM: usize = 1 << 15;

/// Records after the parallel part of the work.
pub(super) struct Batch {
    pub(super) records: Vec<Sketched>,
    /// Bytes of the records as read.
    pub(super) bytes: u64,
    /// The partial fingerprints of the pages, concatenated.
    pub(super) partial: Vec<u64>,
    pub(super) spent: Spent,
}

/// A record in a batch.
pub(super) enum Sketched {
    Page(Box<Sketching>),
    Skipped(String),
    Rejected(Reject),
}

/// The result for a page.
pub(super) struct Sketching {
    pub(super) page: NewPage,
    pub(super) site: Option<String>,
    pub(super) sketch: Sketch,
    pub(super) partial: Option<Range<usize>>,
    pub(super) extraction: Extraction,
}

/// A record after parsing.
pub(super) enum Parsed {
    Page(Box<Page>, Box<Text>),
    Skipped(String),
    Rejected(Reject),
}

/// Parses a record, makes its text and measures the time. The page has no content any more, so that large ones are in memory once.
pub(super) fn parse(
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
        Outcome::Page(mut page) => match take_text(&mut page, text) {
            Err(reason) => reject(reason),
            Ok(text) => Parsed::Page(Box::new(page), Box::new(text)),
        },
    };
    spent.text = stopwatch.lap();
    (parsed, spent)
}

impl Batch {
    /// An empty batch with room for the partial fingerprints of a usual batch.
    pub(super) fn new() -> Batch {
        Batch {
            records: Vec::new(),
            bytes: 0,
            partial: Vec::with_capacity(ROOM),
            spent: Spent::default(),
        }
    }

    /// Sketches a record and adds it.
    ///
    /// Errors: those of [`Model::sketch`].
    pub(super) fn sketch(
        &mut self,
        number: u32,
        record: Record,
        source: &Source,
        options: &ReadOptions,
        model: &Model,
    ) -> Result<()> {
        let (at, bytes) = (record.number, record.size);
        let (parsed, mut spent) = parse(number, record, source, options, model.text_options());
        let sketched = match parsed {
            Parsed::Skipped(kind) => Sketched::Skipped(kind),
            Parsed::Rejected(reject) => Sketched::Rejected(reject),
            Parsed::Page(page, text) => {
                let mut stopwatch = Stopwatch::start();
                // The row has the site as a number.
                let start = self.partial.len();
                let (sketch, has_partial) = model.sketch_and_partial(&text, &mut self.partial)?;
                let partial = has_partial.then_some(start..self.partial.len());
                spent.sketches = stopwatch.lap();
                let seen = model.seen(&page, &text, &source.name);
                let (page, site) = row_of(*page, seen, &text, &sketch, number, at, bytes);
                Sketched::Page(Box::new(Sketching {
                    page,
                    site,
                    sketch,
                    partial,
                    extraction: text.extraction,
                }))
            }
        };
        self.records.push(sketched);
        self.bytes += bytes;
        self.spent += spent;
        Ok(())
    }
}

/// The row of a page and its seen data, without the numbers of sketch and site, and the site's name.
pub(super) fn row_of(
    page: Page,
    seen: Vec<u64>,
    text: &Text,
    sketch: &Sketch,
    source: u32,
    record: u64,
    bytes: u64,
) -> (NewPage, Option<String>) {
    let date = page.date.as_deref().and_then(date::read);
    let date = date.or_else(|| text.meta.date.as_deref().and_then(date::read));
    let site = page.site();
    let row = PageRow {
        source,
        record,
        site: None,
        date: date.map(|date| date.seconds),
        order: date.map(|date| date.order).unwrap_or_default(),
        bytes,
        chars: sketch.chars,
        main_chars: sketch.main_chars,
        text_hash: sketch.text_hash,
        sketch: SketchNo::default(),
        keys: sketch.keys.len() as u32,
    };
    let title = page.title.or_else(|| text.meta.title.clone());
    let page = NewPage {
        id: page.id,
        title,
        seen,
        row,
    };
    (page, site)
}
