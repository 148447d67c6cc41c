//! The text of a page: the visible text, the folded text that methods use, and how positions in both correspond.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

use super::block::blocks;
use super::count::count_chars;
use super::derived::Derived;
use super::extract::Extraction;
use super::meta::PageMeta;

/// How many of the first blocks that methods use may hold the headline.
const HEADLINE_BLOCKS: usize = 20;

/// A page's text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// The visible text, one line per block: blocks are separated by one `\n`, contain none, and have single spaces as white space.
    pub visible: String,
    /// The visible text folded, with the same blocks, also separated by one `\n`.
    pub folded: String,
    /// The sentences that end with a full stop in the blocks that methods use, as byte ranges of [`Text::folded`], in order; only if
    /// requested ([`TextOptions::sentences`](crate::read::TextOptions::sentences)). A sentence begins after the previous full stop or at
    /// the start of the block, and ends before its own full stop.
    pub sentences: Vec<Sentence>,
    /// For each block, whether methods see it; empty if they see all.
    pub main: Vec<bool>,
    /// How the main text was found.
    pub extraction: Extraction,
    /// Characters of the visible text, without white space, in blocks of which at least half is link text.
    pub link_chars: u64,
    /// Metadata of the page.
    pub meta: PageMeta,
    pub(super) derived: Derived,
}

impl AsRef<Text> for Text {
    fn as_ref(&self) -> &Text {
        self
    }
}

impl Text {
    /// The blocks of [`Text::folded`] that methods see, each with its start in bytes.
    pub fn seen(&self) -> impl Iterator<Item = (usize, &str)> + Clone {
        let mut start = 0;
        let blocks = blocks(&self.folded).map(move |block| {
            let at = start;
            start += block.len() + 1;
            (at, block)
        });
        blocks.enumerate().filter_map(|(number, (at, block))| {
            (self.sees(number) && !block.is_empty()).then_some((at, block))
        })
    }

    /// The byte ranges of [`Text::folded`] that methods see, one per run of blocks.
    pub(crate) fn seen_ranges(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        if self.main.is_empty() {
            ranges.push(0..self.folded.len());
            return ranges;
        }
        for (start, block) in self.seen() {
            let end = start + block.len();
            match ranges.last_mut() {
                Some(last) if last.end + 1 == start => last.end = end,
                _ => ranges.push(start..end),
            }
        }
        ranges
    }

    /// The blocks of [`Text::visible`] whose folded forms methods see.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        let blocks = blocks(&self.visible).enumerate();
        blocks.filter_map(|(number, block)| self.sees(number).then_some(block))
    }

    /// Whether methods see this block.
    fn sees(&self, number: usize) -> bool {
        let seen = self.main.get(number).copied();
        seen.unwrap_or(self.main.is_empty())
    }

    /// The headline as a range of [`Text::folded`], as far as methods see it: the longest of the first blocks that is part of the page's
    /// title; the first block if the page has no title. Empty if there is none.
    pub fn headline(&self) -> Range<usize> {
        let title = self.meta.title.as_deref();
        let mut start = 0;
        let folded = blocks(&self.folded).map(|block| {
            let at = start;
            start += block.len() + 1;
            at..at + block.len()
        });
        let numbered = blocks(&self.visible).zip(folded).enumerate();
        let seen = numbered.filter(|&(number, _)| self.sees(number));
        let looked = match title {
            Some(_) => HEADLINE_BLOCKS,
            None => 1,
        };
        let first = seen.take(looked).map(|(_, block)| block);
        let held = first.filter(|(shown, _)| title.is_none_or(|title| title.contains(shown)));
        let longest = held.max_by_key(|(_, bytes)| bytes.len());
        longest.map_or(0..0, |(_, bytes)| bytes)
    }

    /// Lengths in characters without white space: of the folded text, and of the page's own text. The latter is the main text, or, if
    /// methods see the whole page, all but blocks of links (menus, lists of other pages).
    pub fn lengths(&self) -> (u64, u64) {
        let seen = self.seen_chars();
        match self.main.is_empty() {
            true => (seen, seen.saturating_sub(self.link_chars)),
            false => (count_chars(&self.folded), seen),
        }
    }

    /// Approximate memory in bytes.
    pub fn memory(&self) -> usize {
        let parts = size_of_val(&self.sentences[..]) + self.main.len() + self.derived.memory();
        self.visible.capacity() + self.folded.capacity() + parts
    }

    /// The number of characters that methods see, without white space. Computed once.
    pub fn seen_chars(&self) -> u64 {
        *self.derived.seen_chars.get_or_init(|| {
            let ranges = self.seen_ranges().into_iter();
            ranges.map(|seen| count_chars(&self.folded[seen])).sum()
        })
    }
}

/// A sentence that ends with a full stop, as a byte range of [`Text::folded`] without the full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// True if its length is counted in words rather than characters: it ended with `.`, `।`, `۔` or `።` after a script that separates
    /// words by spaces.
    pub words: bool,
}

/// A hash that equal texts share; `None` for an empty one.
pub fn text_hash(text: &Text) -> Option<u128> {
    (!text.folded.is_empty()).then(|| xxh3_128(text.folded.as_bytes()))
}
