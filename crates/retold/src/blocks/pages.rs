//! The pages of a job, as far as deciding about their blocks takes.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::spill::{Memory, SpillRows};

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BlockPage {
    /// Number of its source.
    pub source: u32,
    /// Number of its record there.
    pub record: u64,
    /// Number of its site, if it has one.
    pub site: Option<u32>,
    /// When it was published or fetched, in seconds since 1970.
    pub date: Option<i64>,
    /// Whether it is plain text in a field or file of its own: of others blocks are named only.
    pub is_cut: bool,
    /// Half the words of its blocks.
    pub(super) half_words: u32,
}

impl BlockPage {
    /// How many words it has, two characters of scripts without spaces counting one.
    pub fn words(&self) -> u64 {
        u64::from(self.half_words / 2)
    }
}

/// All pages, in the order of sources and records.
#[derive(Debug)]
pub(super) struct BlockPages {
    pub pages: Vec<BlockPage>,
    pub ids: SpillRows<u8>,
    /// By which each page is preferred ([`Canonical::numbers`](crate::Canonical)).
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

    /// The place of each page in the order in which a block is kept: first pages that nothing is cut from, as they keep theirs in any case;
    /// then those that are preferred, then by id.
    pub fn ranks(&mut self) -> Vec<u32> {
        self.ids.recall();
        self.preferred.recall();
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        let is_cut = |page: u32| self.pages[page as usize].is_cut;
        let preferred = |page: u32| self.preferred.get(page as usize);
        let id = |page: u32| self.ids.get(page as usize);
        order.sort_by(|&a, &b| {
            let by_rules = (*preferred(a)).cmp(&*preferred(b));
            let by_id = || (*id(a)).cmp(&*id(b)).then(a.cmp(&b));
            is_cut(a).cmp(&is_cut(b)).then(by_rules).then_with(by_id)
        });
        let mut ranks = vec![0; order.len()];
        for (rank, page) in order.into_iter().enumerate() {
            ranks[page as usize] = rank as u32;
        }
        ranks
    }
}
