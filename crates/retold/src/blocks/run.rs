//! Finds the blocks of a collection that are cut.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use rustc_hash::FxHashSet;

use super::decide::{Decided, cut, decide};
use super::options::{BlockOptions, BlockScope};
use super::pages::{BlockPage, BlockPages};
use super::read::{BlockReject, Shown, within};
use super::saved::read_or_resume;
use crate::error::Result;
use crate::read::{Outcome, ReadOptions, ReadOrder, Record, Source, each_wanted};
use crate::spill::{Memory, Sorter, SpillRows, SpillVec};
use crate::text::cut::BlockUnit;
use crate::text::{Cuts, TextOptions};
use crate::watch::Watch;

/// The result of the search for blocks.
pub struct Blocks {
    /// The number of blocks on all pages.
    pub count: u64,
    /// Records that could not be read.
    pub rejects: Vec<BlockReject>,
    /// Records that are not pages, by kind.
    pub skipped: BTreeMap<String, u64>,
    options: BlockOptions,
    pages: BlockPages,
    is_dropped: Vec<bool>,
    is_compiled: Vec<bool>,
    lost: Vec<u32>,
    rows: SpillVec<BlockRow>,
    spans: SpillVec<SpanRow>,
    /// The cut blocks of each page, by number.
    cuts: SpillRows<u32>,
    memory: Memory,
}

/// A block that is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct BlockRow {
    /// Negated counts of pages and places, so that the most common blocks sort first.
    rare: u64,
    few: u64,
    hash: [u64; 2],
    /// The site in which it is counted.
    group: u32,
    sites: u32,
    cut: u64,
    /// The place that is kept, or else any place.
    page: u32,
    number: u32,
}

/// A place of a block that is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct SpanRow {
    /// The page.
    pub page: u32,
    /// The number of the block on the page; for passages, the number of half words before it.
    pub number: u32,
    /// First character.
    pub begin: u32,
    /// One past the last.
    pub end: u32,
    /// The length in half words.
    pub half_words: u32,
    unused: u32,
    hash: [u64; 2],
}

impl BlockRow {
    /// The hash of its folded text.
    pub fn hash(&self) -> u128 {
        joined(self.hash)
    }

    /// The number of pages that have it.
    pub fn pages(&self) -> u64 {
        u64::MAX - self.rare
    }

    /// The number of its places, of which several may be on one page.
    pub fn places(&self) -> u64 {
        u64::MAX - self.few
    }

    /// How many of its places are cut.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// The number of sites that have it; one for blocks counted within a site.
    pub fn sites(&self) -> u32 {
        self.sites
    }
}

impl SpanRow {
    /// For passages, the number of half words before the text that follows.
    fn behind(&self) -> u32 {
        self.number + self.half_words
    }

    /// The hash of the block's folded text; for a span of overlapping passages, that of the first.
    pub fn hash(&self) -> u128 {
        joined(self.hash)
    }
}

fn joined(hash: [u64; 2]) -> u128 {
    u128::from(hash[0]) << 64 | u128::from(hash[1])
}

/// Reads the sources and decides which of their blocks are cut. The result does not depend on the order of `sources`, if they are sorted by
/// name. With a folder in `resume`, the data read is stored there, and a later run with the same sources and options does not read them
/// again; the caller removes the folder.
///
/// Errors: those of reading, of the folder and of temporary files, and the job was cancelled.
pub fn blocks(
    sources: &[Source],
    options: &BlockOptions,
    reading: &ReadOptions,
    text: &TextOptions,
    resume: Option<&Path>,
    memory: &Memory,
    watch: &dyn Watch,
) -> Result<Blocks> {
    options.check()?;
    let mut all = read_or_resume(sources, options, reading, text, resume, memory, watch)?;
    watch.begin("blocks", 0);
    let sorted = all.places.finish()?;
    let decided = decide(sorted, &mut all.pages, options, memory)?;
    let is_passage = options.unit == BlockUnit::Passage;
    let spans = spans(&decided, is_passage, memory)?;
    let rows = rows(&decided, &all.pages, &spans, options, memory)?;
    let cuts = cuts(&spans, all.pages.pages.len(), is_passage, memory)?;
    memory.check()?;
    Ok(Blocks {
        count: all.blocks,
        rejects: all.rejects,
        skipped: all.skipped,
        options: options.clone(),
        pages: all.pages,
        is_dropped: decided.is_dropped,
        is_compiled: decided.is_compiled,
        lost: decided.lost,
        rows,
        spans,
        cuts,
        memory: memory.clone(),
    })
}

/// The cut blocks, the most common first; for passages, those with which spans begin.
fn rows(
    decided: &Decided,
    pages: &BlockPages,
    spans: &SpillVec<SpanRow>,
    options: &BlockOptions,
    memory: &Memory,
) -> Result<SpillVec<BlockRow>> {
    let is_passage = options.unit == BlockUnit::Passage;
    let mut sorter = Sorter::new(memory);
    let mut begins = match is_passage {
        true => begins(pages, spans, options.scope, memory)?,
        false => Sorter::new(memory),
    }
    .finish()?
    .peekable();
    decided.each(|block, places| {
        if block.is_cut == 0 {
            return Ok(());
        }
        let (mut sites, mut first, mut kept) = (FxHashSet::default(), None, None);
        let mut stay = 0;
        for place in places {
            sites.extend(pages.pages[place.page as usize].site);
            first.get_or_insert(place);
            if place.page == block.keeper {
                kept.get_or_insert(place);
                stay += u64::from(is_passage || stay == 0);
            }
        }
        let Some(shown) = kept.or(first) else {
            return Ok(());
        };
        let of = [shown.hash[0], shown.hash[1], u64::from(shown.group)];
        while begins.next_if(|begin| *begin < of).is_some() {}
        if is_passage && begins.peek() != Some(&of) {
            return Ok(());
        }
        sorter.push(BlockRow {
            rare: u64::MAX - u64::from(block.pages),
            few: u64::MAX - block.places,
            hash: shown.hash,
            group: match options.scope {
                BlockScope::Site => shown.group,
                BlockScope::Collection => 0,
            },
            sites: sites.len() as u32,
            cut: block.places - stay,
            page: shown.page,
            number: shown.number,
        })
    })?;
    let mut rows = SpillVec::new(memory);
    for row in sorter.finish()? {
        rows.push(row)?;
    }
    Ok(rows)
}

/// The hashes and sites of the passages with which spans begin.
fn begins(
    pages: &BlockPages,
    spans: &SpillVec<SpanRow>,
    scope: BlockScope,
    memory: &Memory,
) -> Result<Sorter<[u64; 3]>> {
    let mut begins = Sorter::new(memory);
    for span in spans.iter() {
        let group = match scope {
            BlockScope::Site => pages.pages[span.page as usize].site.unwrap_or(0),
            BlockScope::Collection => 0,
        };
        begins.push([span.hash[0], span.hash[1], u64::from(group)])?;
    }
    Ok(begins)
}

/// The cut places, by page. Overlapping passages are one span.
fn spans(decided: &Decided, is_passage: bool, memory: &Memory) -> Result<SpillVec<SpanRow>> {
    let mut sorter = Sorter::new(memory);
    decided.each(|block, places| {
        let mut places = cut(block, places, is_passage);
        places.try_for_each(|place| {
            sorter.push(SpanRow {
                page: place.page,
                number: place.number,
                begin: place.begin,
                end: place.end,
                half_words: place.half_words,
                unused: 0,
                hash: place.hash,
            })
        })
    })?;
    let mut spans = SpillVec::new(memory);
    let mut last: Option<SpanRow> = None;
    for span in sorter.finish()? {
        match &mut last {
            Some(of) if is_passage && of.page == span.page && span.number < of.behind() => {
                of.half_words = of.behind().max(span.behind()) - of.number;
                of.end = of.end.max(span.end);
            }
            _ => last.replace(span).map_or(Ok(()), |done| spans.push(done))?,
        }
    }
    last.map_or(Ok(()), |done| spans.push(done))?;
    Ok(spans)
}

/// The cuts of each page, in the form of [`Cuts`].
fn cuts(
    spans: &SpillVec<SpanRow>,
    pages: usize,
    is_passage: bool,
    memory: &Memory,
) -> Result<SpillRows<u32>> {
    match is_passage {
        true => {
            let edges = spans.iter().flat_map(|of| {
                let edges = [of.number, of.behind()];
                edges.map(|edge| (of.page, edge))
            });
            SpillRows::gather(edges, pages, memory)
        }
        false => {
            let numbers = spans.iter().map(|of| (of.page, of.number));
            SpillRows::gather(numbers, pages, memory)
        }
    }
}

impl Blocks {
    /// All pages, in the order of sources and records.
    pub fn pages(&self) -> &[BlockPage] {
        &self.pages.pages
    }

    /// The id of a page.
    pub fn id(&self, page: u32) -> String {
        String::from_utf8_lossy(&self.pages.ids.get(page as usize)).into_owned()
    }

    /// The names of the sites.
    pub fn sites(&self) -> &[String] {
        &self.pages.sites
    }

    /// The site in which a block is counted.
    pub fn site_of(&self, row: &BlockRow) -> Option<&str> {
        let is_of_site = self.options.scope == BlockScope::Site;
        is_of_site.then(|| &*self.pages.sites[row.group as usize])
    }

    /// Whether a page is dropped because little is left of it.
    pub fn is_dropped(&self, page: u32) -> bool {
        self.is_dropped[page as usize]
    }

    /// The pages that are put together from blocks of others, in order. They keep a block only if no other page has it.
    pub fn compiled(&self) -> impl Iterator<Item = u32> + '_ {
        let pages = (0..).zip(&self.is_compiled);
        pages.filter_map(|(page, is_compiled)| is_compiled.then_some(page))
    }

    /// The number of words left on a page.
    pub fn words_left(&self, page: u32) -> u64 {
        let at = page as usize;
        u64::from(
            self.pages.pages[at]
                .half_words
                .saturating_sub(self.lost[at])
                / 2,
        )
    }

    /// The cut blocks, the most common first.
    pub fn rows(&self) -> impl Iterator<Item = BlockRow> + Clone + '_ {
        self.rows.iter()
    }

    /// The number of [`Blocks::rows`].
    pub fn count_rows(&self) -> usize {
        self.rows.len()
    }

    /// The cut places, by page.
    pub fn spans(&self) -> impl Iterator<Item = SpanRow> + Clone + '_ {
        self.spans.iter()
    }

    /// The number of [`Blocks::spans`].
    pub fn count_spans(&self) -> usize {
        self.spans.len()
    }

    /// Whether a page has a place that is cut, or would be if its format allowed it.
    pub fn has_spans(&self, page: u32) -> bool {
        self.cuts.count(page as usize) > 0
    }

    /// The cuts of a page, if there are any.
    pub fn cuts(&self, page: u32) -> Option<Cuts<'static>> {
        let at = page as usize;
        let is_cut = self.pages.pages[at].is_cut && self.cuts.count(at) > 0;
        is_cut.then(|| Cuts {
            unit: self.options.unit,
            blocks: Cow::Owned(self.cuts.get(at).to_vec()),
        })
    }

    /// Reads the texts of [`Blocks::rows`] again, in their order, from the kept or first occurrence.
    ///
    /// Errors: those of reading and of temporary files, and the job was cancelled.
    pub fn texts(
        &self,
        sources: &[Source],
        reading: &ReadOptions,
        text: &TextOptions,
        watch: &dyn Watch,
    ) -> Result<BlockTexts> {
        let reading = &within(&self.memory, reading, &self.options);
        let rows = self.rows.iter().enumerate();
        let mut wanted: Vec<(u32, u32, u32)> = rows
            .map(|(at, row)| (row.page, row.number, at as u32))
            .collect();
        wanted.sort_unstable();
        let of_page: Vec<&[(u32, u32, u32)]> = wanted.chunk_by(|a, b| a.0 == b.0).collect();
        let records = of_page.iter().map(|of_page| {
            let page = &self.pages.pages[of_page[0].0 as usize];
            (page.source, page.record)
        });
        let records: Vec<(u32, u64)> = records.collect();
        let make = |at: usize, source: &Source, record: Record| -> Vec<String> {
            let shown = match record.parse(source, reading) {
                Outcome::Page(mut page) => Shown::of(&mut page, text).ok(),
                _ => None,
            };
            let Some(shown) = shown else {
                return vec![String::new(); of_page[at].len()];
            };
            let places = shown.places(&self.options);
            let block = |&(_, number, _): &(u32, u32, u32)| {
                let place = places.binary_search_by_key(&number, |(number, _)| *number);
                let place = place.map(|at| places[at].1.clone());
                place.map_or_else(|_| String::new(), |place| shown.text[place].to_owned())
            };
            of_page[at].iter().map(block).collect()
        };
        let mut texts = SpillRows::new(&self.memory);
        let order = ReadOrder::Listed;
        each_wanted(sources, reading, &records, order, watch, make, |_, made| {
            made.iter().try_for_each(|text| texts.push(text.as_bytes()))
        })?;
        let mut row = vec![0; wanted.len()];
        for (at, (_, _, of)) in wanted.iter().enumerate() {
            row[*of as usize] = at as u32;
        }
        Ok(BlockTexts { texts, row })
    }
}

/// The texts of blocks.
pub struct BlockTexts {
    texts: SpillRows<u8>,
    /// The row of each block.
    row: Vec<u32>,
}

impl BlockTexts {
    /// The text of a block, by number.
    pub fn of(&self, block: usize) -> String {
        let text = self.texts.get(self.row[block] as usize);
        String::from_utf8_lossy(&text).into_owned()
    }
}
