//! The pages of a collection, without their texts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::date::{DateOrder, exchanged};
use crate::error::Result;
use crate::ids::{PageNo, SketchNo};
use crate::read::settle_ids;
use crate::spill::{A_PAGE, Memory, Row, SpillRows, SpillVec};

/// What is kept of a page apart from its id.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageRow {
    /// The number of its source; `u32::MAX` for a page without a source ([`super::Collection::push`]).
    pub source: u32,
    /// The number of its record within the source.
    pub record: u64,
    /// The number of its site.
    pub site: Option<u32>,
    /// Its date in seconds since 1970, if it has a readable one.
    pub date: Option<i64>,
    /// The order of day and month in its date, until settled for all pages of a source.
    pub(crate) order: DateOrder,
    /// Bytes of its record as read.
    pub bytes: u64,
    /// Characters of its folded text without white space.
    pub chars: u64,
    /// Characters of the page's main text ([`crate::sketch::Sketch::main_chars`]).
    pub main_chars: u64,
    /// A hash of its folded text; `None` if the text is empty.
    pub text_hash: Option<u128>,
    /// The number of its sketch.
    pub sketch: SketchNo,
    /// The number of keys of that sketch.
    pub keys: u32,
}

/// Counts of dates like 04/01/2026, whose day and month are ambiguous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AmbiguousDates {
    /// Read as day, month, year, like all unambiguous dates of their file.
    pub day_first: u64,
    /// Read as month, day, year, like all unambiguous dates of their file.
    pub month_first: u64,
    /// All dates of the file are ambiguous, or they contradict each other: these pages have no date.
    pub unknown: u64,
}

/// A page to be added to [`Pages`].
#[derive(Clone, Debug)]
pub(super) struct NewPage {
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) seen: Vec<u64>,
    pub(super) row: PageRow,
}

/// Characters kept of a title.
const TITLE: usize = 200;

/// Stands for no site or no date.
const NO_SITE: u32 = u32::MAX;
const NO_DATE: i64 = i64::MIN >> 2;

/// The order of a date is packed into the two lowest bits.
const ORDERS: [DateOrder; 4] = [
    DateOrder::Unsaid,
    DateOrder::DayFirst,
    DateOrder::MonthFirst,
    DateOrder::Either,
];

impl PageRow {
    fn to_numbers(self) -> [u64; 9] {
        let text = self.text_hash.unwrap_or_default();
        [
            pack(self.source, self.site.unwrap_or(NO_SITE)),
            self.record,
            (self.date.unwrap_or(NO_DATE) << 2 | self.order as i64) as u64,
            self.bytes,
            self.chars,
            self.main_chars,
            (text >> 64) as u64,
            text as u64,
            pack(self.sketch.0, self.keys),
        ]
    }

    fn from_numbers(numbers: [u64; 9]) -> PageRow {
        let [
            place,
            record,
            date,
            bytes,
            chars,
            main_chars,
            high,
            low,
            sketch,
        ] = numbers;
        let [source, site] = unpack(place);
        let [sketch, keys] = unpack(sketch);
        let text = u128::from(high) << 64 | u128::from(low);
        let order = ORDERS[date as usize & 3];
        let date = date as i64 >> 2;
        PageRow {
            source,
            record,
            site: (site != NO_SITE).then_some(site),
            date: (date != NO_DATE).then_some(date),
            order,
            bytes,
            chars,
            main_chars,
            text_hash: (text > 0).then_some(text),
            sketch: SketchNo(sketch),
            keys,
        }
    }
}

fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn unpack(number: u64) -> [u32; 2] {
    [(number >> 32) as u32, number as u32]
}

/// The pages of a collection in the order of files and records, in memory or in temporary files.
#[derive(Debug, Default)]
pub struct Pages {
    memory: Memory,
    rows: SpillVec<[u64; 9]>,
    ids: SpillRows<u8>,
    /// Titles; empty for pages without one.
    titles: SpillRows<u8>,
    /// The data for the model's other rules ([`crate::Model::seen`]); no rows if there are no such rules.
    seen: SpillRows<u64>,
    /// The pages in the order of their ids, once settled.
    by_id: Vec<PageNo>,
}

impl Pages {
    /// No pages.
    pub fn new(memory: &Memory) -> Pages {
        Pages {
            memory: memory.clone(),
            rows: SpillVec::new(memory),
            ids: SpillRows::new(memory),
            titles: SpillRows::new(memory),
            seen: SpillRows::new(memory),
            by_id: Vec::new(),
        }
    }

    /// The number of pages.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there are no pages.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a page.
    ///
    /// Errors: the temporary file cannot be written.
    pub(super) fn push(
        &mut self,
        id: &str,
        title: Option<&str>,
        seen: &[u64],
        row: &PageRow,
    ) -> Result<()> {
        self.memory.reserve(A_PAGE);
        self.ids.push(id.as_bytes())?;
        let title = title.unwrap_or_default().trim();
        let end = title.char_indices().nth(TITLE);
        let title = &title[..end.map_or(title.len(), |(end, _)| end)];
        self.titles.push(title.as_bytes())?;
        if !seen.is_empty() {
            self.seen.push(seen)?;
        }
        self.rows.push(row.to_numbers())
    }

    pub(super) fn parts(&self) -> (&SpillVec<[u64; 9]>, [&SpillRows<u8>; 2]) {
        (&self.rows, [&self.ids, &self.titles])
    }

    /// The seen data of all pages.
    pub(super) fn all_seen(&self) -> &SpillRows<u64> {
        &self.seen
    }

    /// Adds the seen data of a page.
    pub(super) fn load_seen(&mut self, seen: &[u64]) -> Result<()> {
        self.seen.push(seen)
    }

    pub(super) fn load(&mut self, rows: &[[u64; 9]]) -> Result<()> {
        self.memory.reserve(A_PAGE * rows.len() as u64);
        self.rows.extend(rows)
    }

    /// Adds an id of [`Pages::parts`].
    pub(super) fn load_id(&mut self, id: &[u8]) -> Result<()> {
        self.ids.push(id)
    }

    /// Adds a title of [`Pages::parts`].
    pub(super) fn load_title(&mut self, title: &[u8]) -> Result<()> {
        self.titles.push(title)
    }

    /// The page with that number.
    pub fn get(&self, page: PageNo) -> PageRow {
        PageRow::from_numbers(self.rows.one(page.at()))
    }

    /// The id of a page, unique once settled.
    pub fn id(&self, page: PageNo) -> Cow<'_, str> {
        // Ids are valid UTF-8, unless the temporary file cannot be read any more.
        match self.ids.get(page.at()) {
            Row::Held(bytes) => match std::str::from_utf8(bytes) {
                Ok(id) => Cow::Borrowed(id),
                Err(_) => String::from_utf8_lossy(bytes),
            },
            Row::Read(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// The title of a page, cut after 200 characters; `None` if it has none.
    pub fn title(&self, page: PageNo) -> Option<String> {
        let title = self.titles.get(page.at());
        (!title.is_empty()).then(|| String::from_utf8_lossy(&title).into_owned())
    }

    /// The data of a page for the model's other rules ([`crate::Model::seen`]).
    pub fn seen(&self, page: PageNo) -> Row<'_, u64> {
        match self.seen.len() {
            0 => Row::default(),
            _ => self.seen.get(page.at()),
        }
    }

    /// All pages in order.
    pub fn iter(&self) -> impl Iterator<Item = PageRow> {
        self.rows.iter().map(PageRow::from_numbers)
    }

    /// Keeps ids and rows in memory from now on, as far as they fit: output looks them up one by one.
    pub(crate) fn recall(&mut self) {
        self.ids.recall();
        self.rows.recall();
    }

    /// The pages in the order of their ids. Ids are held in memory while sorting.
    pub fn by_id(&self) -> Vec<PageNo> {
        if self.by_id.len() == self.len() {
            return self.by_id.clone();
        }
        let ids = self.ids.whole();
        let mut order: Vec<PageNo> = PageNo::first(self.len()).collect();
        order.par_sort_unstable_by(|&a, &b| {
            let id = |page: PageNo| ids.row(page.at());
            id(a).cmp(id(b)).then(a.cmp(&b))
        });
        order
    }

    /// Sorts pages by source, where pages of one source are already in order, and renumbers sites. Returns the new number of each page.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn in_order_of_sources(
        &mut self,
        mut site: impl FnMut(u32) -> u32,
    ) -> Result<Vec<PageNo>> {
        // Consecutive pages of one source.
        let mut runs: Vec<(u32, Range<usize>)> = Vec::new();
        for (at, row) in self.iter().enumerate() {
            match runs.last_mut() {
                Some((source, run)) if *source == row.source => run.end += 1,
                _ => runs.push((row.source, at..at + 1)),
            }
        }
        runs.sort_by_key(|(source, _)| *source);
        let mut rows = SpillVec::new(&self.memory);
        let [mut ids, mut titles] = [(); 2].map(|()| SpillRows::new(&self.memory));
        let mut seen = SpillRows::new(&self.memory);
        let mut numbers = vec![PageNo::default(); self.len()];
        for (_, run) in runs {
            let first = rows.len();
            for (number, at) in numbers[run.clone()].iter_mut().zip(first..) {
                *number = PageNo::new(at);
            }
            for numbers in self.rows.get(run.start, run.len()).iter() {
                let mut row = PageRow::from_numbers(*numbers);
                row.site = row.site.map(&mut site);
                rows.push(row.to_numbers())?;
            }
            if !self.seen.is_empty() {
                for (_, row) in self.seen.piece(run.clone()).rows() {
                    seen.push(row)?;
                }
            }
            for (all, made) in [(&self.ids, &mut ids), (&self.titles, &mut titles)] {
                for (_, row) in all.piece(run.clone()).rows() {
                    made.push(row)?;
                }
            }
        }
        (self.rows, self.ids, self.titles, self.seen) = (rows, ids, titles, seen);
        Ok(numbers)
    }

    /// The pages from `first` on that repeat the id and text of an earlier page, ascending.
    pub(crate) fn repeated_from(&mut self, first: PageNo) -> Vec<PageNo> {
        // Settling the ids needs the same order.
        self.by_id = self.by_id();
        let by_id = &self.by_id;
        let ids = self.ids.whole();
        let id = |page: PageNo| ids.row(page.at());
        let runs = by_id.chunk_by(|&a, &b| id(a) == id(b));
        let mut found: Vec<PageNo> = runs
            .flat_map(|run| {
                let (new, old) = run.split_at(run.partition_point(|&page| page < first));
                let is_new = |page: &PageNo| {
                    let text = self.get(*page).text_hash;
                    text.is_some() && new.iter().any(|&page| self.get(page).text_hash == text)
                };
                old.iter().copied().filter(is_new).collect::<Vec<_>>()
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Removes some pages, given in ascending order.
    ///
    /// Errors: a temporary file cannot be written.
    pub(crate) fn take_out(&mut self, gone: &[PageNo]) -> Result<()> {
        let mut left = Pages::new(&self.memory);
        let mut gone = gone.iter().peekable();
        for page in PageNo::first(self.len()) {
            if gone.next_if_eq(&&page).is_none() {
                left.rows.push(self.rows.one(page.at()))?;
                left.ids.push(&self.ids.get(page.at()))?;
                left.titles.push(&self.titles.get(page.at()))?;
                if !self.seen.is_empty() {
                    left.seen.push(&self.seen.get(page.at()))?;
                }
            }
        }
        *self = left;
        Ok(())
    }

    /// Reads dates with ambiguous day and month like the other dates of their source.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn settle_dates(&mut self) -> Result<AmbiguousDates> {
        let mut found = AmbiguousDates::default();
        if self.iter().all(|row| row.order != DateOrder::Either) {
            return Ok(found);
        }
        // For each source, whether a date has its day first, and whether one has its month first.
        let mut seen: BTreeMap<u32, [bool; 2]> = BTreeMap::new();
        for row in self.iter() {
            match row.order {
                DateOrder::DayFirst => seen.entry(row.source).or_default()[0] = true,
                DateOrder::MonthFirst => seen.entry(row.source).or_default()[1] = true,
                DateOrder::Unsaid | DateOrder::Either => {}
            }
        }
        let mut rows = SpillVec::new(&self.memory);
        for mut row in self.iter() {
            if row.order == DateOrder::Either {
                let (date, count) = match seen.get(&row.source) {
                    Some([true, false]) => (row.date, &mut found.day_first),
                    Some([false, true]) => (row.date.and_then(exchanged), &mut found.month_first),
                    _ => (None, &mut found.unknown),
                };
                row.date = date;
                *count += 1;
            }
            row.order = DateOrder::Unsaid;
            rows.push(row.to_numbers())?;
        }
        self.rows = rows;
        Ok(found)
    }

    /// Makes ids unique. Pages from `first` on take precedence, so they keep their ids if these are distinct among themselves.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn settle(&mut self, first: PageNo) -> Result<()> {
        let mut by_id = self.by_id();
        self.by_id = Vec::new();
        let ids = self.ids.whole();
        let id = |page: PageNo| std::str::from_utf8(ids.row(page.at())).unwrap_or_default();
        by_id
            .chunk_by_mut(|&a, &b| id(a) == id(b))
            .for_each(|run| run.rotate_left(run.partition_point(|&page| page < first)));
        let renamed = settle_ids(&by_id, id);
        if renamed.is_empty() {
            drop(ids);
            self.by_id = by_id;
            return Ok(());
        }
        let mut settled = SpillRows::new(&self.memory);
        let mut renamed = renamed.into_iter().peekable();
        for page in PageNo::first(self.rows.len()) {
            match renamed.next_if(|&(other, _)| other == page) {
                Some((_, name)) => settled.push(name.as_bytes())?,
                None => settled.push(ids.row(page.at()))?,
            }
        }
        drop(ids);
        self.ids = settled;
        self.by_id = self.by_id();
        Ok(())
    }
}
