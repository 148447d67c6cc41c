//! Drafts of proofs, made while pages are read.

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::ids::PageNo;
use crate::spill::{Memory, Rows};

/// What was made for proofs where pages were read first ([`Verifier::sketch_and_draft`]), so that their texts need not be read again:
/// of as many pages as there is memory to spare for.
///
/// [`Verifier::sketch_and_draft`]: crate::method::Verifier::sketch_and_draft
#[derive(Debug, Default)]
pub struct Drafts {
    memory: Memory,
    /// Which pages, ascending.
    pub(crate) pages: Vec<PageNo>,
    pub(crate) rows: Rows<u64>,
    /// The texts of these pages.
    texts: FxHashSet<u128>,
    is_full: bool,
}

impl Drafts {
    /// None yet.
    pub(super) fn new(memory: &Memory) -> Drafts {
        Drafts {
            memory: memory.clone(),
            rows: Rows::new(memory),
            ..Drafts::default()
        }
    }

    /// True if no other can be held.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Adds the draft of a page of this text that comes after all others, if it can be held. Of copies one is looked at, at the most.
    pub(super) fn push(&mut self, page: PageNo, text: u128, draft: &[u64]) -> Result<()> {
        if self.is_full || !self.texts.insert(text) {
            return Ok(());
        }
        self.is_full = !self.rows.push_within(draft, self.memory.spare())?;
        if self.is_full {
            self.texts = FxHashSet::default();
        } else {
            self.pages.push(page);
        }
        Ok(())
    }
}
