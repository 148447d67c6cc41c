//! Drafts of proofs, made while pages are read.

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::ids::{PageNo, SketchNo};
use crate::spill::{Memory, Rows};

/// What was made for proofs where pages were read first ([`Verifier::sketch_and_draft`]), so that their texts need not be read again:
/// in memory, or in a temporary file when they are many.
///
/// [`Verifier::sketch_and_draft`]: crate::method::Verifier::sketch_and_draft
#[derive(Debug, Default)]
pub struct Drafts {
    /// Which pages, ascending.
    pub(crate) pages: Vec<PageNo>,
    pub(crate) rows: Rows<u64>,
    /// Sketch -> the last 32 bits of the text that it was first seen with.
    of_sketch: Vec<u32>,
    /// Other texts of a sketch.
    others: FxHashSet<u128>,
}

impl Drafts {
    /// None yet.
    pub(super) fn new(memory: &Memory) -> Drafts {
        Drafts {
            rows: Rows::new(memory).within(memory.spare()),
            ..Drafts::default()
        }
    }

    /// Adds the draft of a page of this text and sketch that comes after all others, unless a copy of it has one: of copies one is
    /// looked at, at the most.
    ///
    /// Errors: the temporary file cannot be written.
    pub(super) fn push(
        &mut self,
        page: PageNo,
        (text, sketch): (u128, SketchNo),
        draft: &[u64],
    ) -> Result<()> {
        let is_new = match self.of_sketch.get(sketch.at()) {
            Some(&first) => first != text as u32 && self.others.insert(text),
            None => {
                self.of_sketch.resize(sketch.at(), 0);
                self.of_sketch.push(text as u32);
                true
            }
        };
        if is_new {
            self.pages.push(page);
            self.rows.push(draft)?;
        }
        Ok(())
    }

    /// No more are added: forgets what it takes to find copies.
    pub(super) fn seal(&mut self) {
        (self.of_sketch, self.others) = Default::default();
    }
}
