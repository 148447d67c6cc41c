//! Decides which blocks are cut, where one occurrence is kept, and which pages are dropped.

use bytemuck::{Pod, Zeroable};
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::Xxh3Default;

use super::options::{BlockKeep, BlockOptions, BlockScope};
use super::pages::BlockPages;
use super::read::BlockPlace;
use crate::error::Result;
use crate::spill::{Memory, Sorter, SpillVec};
use crate::text::cut::BlockUnit;

/// Sites with fewer pages have no boilerplate: of two pages, every block is on at least half.
pub(super) const SITE_PAGES: u32 = 3;

/// A page whose repeated blocks stand on so many different sets of pages is put together from other pages, if it has little else. An
/// article that was copied has a few such sets: its own blocks, menu and footer.
const COMPILED_SETS: usize = 10;
/// The most of its words, as one in so many, that a page put together from others has of its own.
const COMPILED_OWN: u32 = 20;

/// No page.
const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Block {
    pub places: u64,
    pub pages: u32,
    pub is_cut: u32,
    /// The page on which the first occurrence is kept.
    pub keeper: u32,
    pub unused: u32,
}

pub(super) struct Decided {
    /// Blocks on several pages, and their places, in the same order.
    pub blocks: SpillVec<Block>,
    pub places: SpillVec<BlockPlace>,
    /// Which pages are dropped.
    pub is_dropped: Vec<bool>,
    /// How many half words pages lose, or would lose if their format allowed cuts.
    pub lost: Vec<u32>,
    /// Which pages are put together from blocks of others; these keep a block only if no other page has it.
    pub is_compiled: Vec<bool>,
}

/// Decides on all blocks; `places` are ascending.
///
/// Dropped pages change the share of a site's pages that have a block. So the decision is repeated without them, until no more pages are
/// dropped; what was cut stays cut. Then the pages that are left have no block that would be cut among them.
pub(super) fn decide(
    places: impl Iterator<Item = BlockPlace>,
    pages: &mut BlockPages,
    options: &BlockOptions,
    memory: &Memory,
) -> Result<Decided> {
    let (blocks, places) = repeated(places, memory)?;
    let count = pages.pages.len();
    let mut decided = Decided {
        blocks,
        places,
        is_dropped: vec![false; count],
        lost: vec![0; count],
        is_compiled: vec![false; count],
    };
    decided.find_compiled(pages, options.unit, memory)?;
    let ranks = pages.ranks(&decided.is_compiled);
    loop {
        decided.blocks = decided.judged(pages, &ranks, options, memory)?;
        match options.unit {
            BlockUnit::Passage => decided.lose_passages(memory)?,
            _ => decided.lose(),
        }
        memory.check()?;
        if !decided.drop_pages(pages, options) {
            return Ok(decided);
        }
    }
}

/// Blocks on several pages, with all their places.
fn repeated(
    places: impl Iterator<Item = BlockPlace>,
    memory: &Memory,
) -> Result<(SpillVec<Block>, SpillVec<BlockPlace>)> {
    let (mut blocks, mut kept) = (SpillVec::new(memory), SpillVec::new(memory));
    let none = Block {
        keeper: NOWHERE,
        ..Block::zeroed()
    };
    let (mut block, mut last): (Block, Option<BlockPlace>) = (none, None);
    // Places on the first page, until there is a second page.
    let mut first = Vec::new();
    for place in places {
        if last.is_none_or(|last| !last.is_same(&place)) {
            if block.pages > 1 {
                blocks.push(block)?;
            }
            first.clear();
            (block, last) = (none, None);
        }
        block.places += 1;
        block.pages += u32::from(last.is_none_or(|last| last.page != place.page));
        last = Some(place);
        match block.pages {
            1 => first.push(place),
            _ => {
                kept.extend(&first)?;
                first.clear();
                kept.push(place)?;
            }
        }
    }
    if block.pages > 1 {
        blocks.push(block)?;
    }
    Ok((blocks, kept))
}

impl Decided {
    /// Calls `take` on each block with its places, in order.
    pub fn each(
        &self,
        mut take: impl FnMut(Block, &mut dyn Iterator<Item = BlockPlace>) -> Result<()>,
    ) -> Result<()> {
        let mut places = self.places.iter();
        for block in self.blocks.iter() {
            let mut of_block = places.by_ref().take(block.places as usize);
            take(block, &mut of_block)?;
            of_block.for_each(drop);
        }
        Ok(())
    }

    /// Finds the pages that are put together from blocks of others.
    fn find_compiled(
        &mut self,
        pages: &BlockPages,
        unit: BlockUnit,
        memory: &Memory,
    ) -> Result<()> {
        // For each block, the hash of the set of pages that have it.
        let mut sets = SpillVec::new(memory);
        self.each(|_, places| {
            let mut set = Xxh3Default::new();
            let mut last = NOWHERE;
            for page in places.map(|place| place.page) {
                if page != last {
                    set.update(&page.to_le_bytes());
                }
                last = page;
            }
            sets.push(set.digest())
        })?;
        let (mut by_page, mut sets) = (Sorter::new(memory), sets.iter());
        self.each(|_, places| {
            let set: u64 = sets.next().unwrap_or_default();
            let [high, low] = [(set >> 32) as u32, set as u32];
            for of in places {
                by_page.push([of.page, of.number, of.half_words, high, low])?;
            }
            Ok(())
        })?;
        let mut by_page = by_page.finish()?.peekable();
        while let Some([page, ..]) = by_page.peek().copied() {
            let (mut sets, mut repeated, mut behind) = (FxHashSet::default(), 0, 0);
            while let Some([_, number, half_words, high, low]) =
                by_page.next_if(|place| place[0] == page)
            {
                sets.insert([high, low]);
                repeated += match unit {
                    // Passages overlap; their numbers are the half words before them.
                    BlockUnit::Passage => {
                        let begin = number.max(behind);
                        behind = behind.max(number + half_words);
                        behind - begin
                    }
                    _ => half_words,
                };
            }
            let all = pages.pages[page as usize].half_words;
            let own = all.saturating_sub(repeated);
            self.is_compiled[page as usize] =
                sets.len() >= COMPILED_SETS && own.saturating_mul(COMPILED_OWN) <= all;
        }
        Ok(())
    }

    /// Decides on the blocks among the pages that are not dropped.
    fn judged(
        &self,
        pages: &BlockPages,
        ranks: &[u32],
        options: &BlockOptions,
        memory: &Memory,
    ) -> Result<SpillVec<Block>> {
        let mut of_site = vec![0; pages.sites.len()];
        for (page, is_dropped) in pages.pages.iter().zip(&self.is_dropped) {
            if let (Some(site), false) = (page.site, *is_dropped) {
                of_site[site as usize] += 1;
            }
        }
        let mut judged = SpillVec::new(memory);
        self.each(|block, places| {
            let (mut count, mut group, mut last, mut keeper) = (0, 0, NOWHERE, NOWHERE);
            for place in places.filter(|place| !self.is_dropped[place.page as usize]) {
                count += u32::from(place.page != last);
                (group, last) = (place.group, place.page);
                let rank = |page: u32| ranks[page as usize];
                if keeper == NOWHERE || rank(place.page) < rank(keeper) {
                    keeper = place.page;
                }
            }
            let is_cut = match (options.keep, options.scope) {
                (BlockKeep::Under(least), _) => count >= least,
                (_, BlockScope::Collection) => count > 1,
                (_, BlockScope::Site) => {
                    let pages = of_site[group as usize];
                    pages >= SITE_PAGES && u64::from(count) * 2 > u64::from(pages)
                }
            };
            judged.push(Block {
                is_cut: block.is_cut | u32::from(is_cut),
                keeper: match options.keep {
                    BlockKeep::One => keeper,
                    _ => NOWHERE,
                },
                ..block
            })
        })?;
        Ok(judged)
    }

    /// Counts what pages lose.
    fn lose(&mut self) {
        let mut lost = std::mem::take(&mut self.lost);
        lost.fill(0);
        let _ = self.each(|block, places| {
            for place in cut(block, places, false) {
                let of_page = &mut lost[place.page as usize];
                *of_page = of_page.saturating_add(place.half_words);
            }
            Ok(())
        });
        self.lost = lost;
    }

    /// As [`Decided::lose`], for passages, which overlap.
    fn lose_passages(&mut self, memory: &Memory) -> Result<()> {
        let mut sorter = Sorter::new(memory);
        self.each(|block, places| {
            let mut places = cut(block, places, true);
            places.try_for_each(|of| sorter.push([of.page, of.number, of.half_words]))
        })?;
        self.lost.fill(0);
        let (mut last, mut behind) = (NOWHERE, 0);
        for [page, number, half_words] in sorter.finish()? {
            if page != last {
                (last, behind) = (page, 0);
            }
            let end = number + half_words;
            self.lost[page as usize] += end.saturating_sub(behind.max(number));
            behind = behind.max(end);
        }
        Ok(())
    }

    /// Drops the pages with too few words left; false if there are none.
    fn drop_pages(&mut self, pages: &BlockPages, options: &BlockOptions) -> bool {
        let mut drops = false;
        for (at, page) in pages.pages.iter().enumerate() {
            let lost = self.lost[at];
            let left = u64::from(page.half_words.saturating_sub(lost));
            if page.is_cut
                && lost > 0
                && left < 2 * u64::from(options.min_words)
                && !self.is_dropped[at]
            {
                (self.is_dropped[at], drops) = (true, true);
            }
        }
        drops
    }
}

/// The places of a block that are cut. A passage is not cut anywhere on the page that keeps it, where its places may overlap.
pub(super) fn cut(
    block: Block,
    places: &mut dyn Iterator<Item = BlockPlace>,
    is_passage: bool,
) -> impl Iterator<Item = BlockPlace> {
    let mut is_kept = false;
    places.filter(move |place| {
        let stays = place.page == block.keeper && (is_passage || !is_kept);
        is_kept |= stays;
        block.is_cut != 0 && !stays
    })
}
