//! The data about pages with which blocks are decided.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::spill::{Memory, SpillRows};

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlockPage {
    /// The number of its source.
    pub source: u32,
    /// The number of its record in the source.
    pub record: u64,
    /// The number of its site, if it has one.
    pub site: Option<u32>,
    /// The time of publication or fetching, in seconds since 1970.
    pub date: Option<i64>,
    /// Whether it can be cut: its text is plain and is a field or a whole file. Blocks of other pages are only reported.
    pub is_cut: bool,
    /// The length of its blocks in half words.
    pub(super) half_words: u32,
}

impl BlockPage {
    /// The number of words, where two characters of scripts without spaces count as one.
    pub fn words(&self) -> u64 {
        u64::from(self.half_words / 2)
    }
}

/// All pages, in the order of sources and records.
#[derive(Debug)]
pub(super) struct BlockPages {
    pub pages: Vec<BlockPage>,
    pub ids: SpillRows<u8>,
    /// The sort key of each page by preference ([`Canonical::numbers`](crate::Canonical)).
    preferred: SpillRows<u64>,
    pub sites: Vec<String>,
}

impl BlockPages {
    pub fn new(memory: &Memory) -> BlockPages {
        BlockPages {
            pages: Vec::new(),
            ids: SpillRows::new(memory),
            preferred: SpillRows::new(memory),
            sites: Vec::new(),
        }
    }

    pub fn push(&mut self, page: BlockPage, id: &str, preferred: &[u64]) -> Result<()> {
        self.pages.push(page);
        self.preferred.push(preferred)?;
        self.ids.push(id.as_bytes())
    }

    /// The order in which pages keep a block: last those that are put together from others; first pages that cannot be cut, since they keep
    /// their blocks anyway; then by preference, then by id.
    pub fn ranks(&mut self, is_compiled: &[bool]) -> Vec<u32> {
        self.ids.recall();
        self.preferred.recall();
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        let is_cut = |page: u32| self.pages[page as usize].is_cut;
        let preferred = |page: u32| self.preferred.get(page as usize);
        let id = |page: u32| self.ids.get(page as usize);
        order.sort_by(|&a, &b| {
            let by_rules = (*preferred(a)).cmp(&*preferred(b));
            let by_id = || (*id(a)).cmp(&*id(b)).then(a.cmp(&b));
            let is_compiled = |page: u32| is_compiled[page as usize];
            is_compiled(a)
                .cmp(&is_compiled(b))
                .then(is_cut(a).cmp(&is_cut(b)))
                .then(by_rules)
                .then_with(by_id)
        });
        let mut ranks = vec![0; order.len()];
        for (rank, page) in order.into_iter().enumerate() {
            ranks[page as usize] = rank as u32;
        }
        ranks
    }
}
