//! Drafts of proofs, made while pages are read.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::ids::{PageNo, SketchNo};
use crate::spill::{Apart, Memory};

/// What was made for proofs where pages were read first ([`Verifier::sketch_and_draft`]), so that their texts need not be read again:
/// in memory, or in a temporary file when they are many.
///
/// [`Verifier::sketch_and_draft`]: crate::method::Verifier::sketch_and_draft
#[derive(Debug, Default)]
pub struct Drafts {
    /// Which pages, ascending.
    pub(crate) pages: Vec<PageNo>,
    pub(crate) rows: Apart<u64>,
    /// Sketch -> the last 32 bits of the text that it was first seen with.
    of_sketch: Vec<u32>,
    /// Other texts of a sketch.
    others: FxHashSet<u128>,
}

impl Drafts {
    /// None yet.
    pub(super) fn new(memory: &Memory) -> Drafts {
        Drafts {
            rows: Apart::new(memory).within(memory.spare()),
            ..Drafts::default()
        }
    }

    /// Whether the draft of a page of this text and sketch is to be [added](Drafts::push) next; not if a copy of it has one: of
    /// copies one is looked at, at the most.
    pub(super) fn wants(&mut self, page: PageNo, (text, sketch): (u128, SketchNo)) -> bool {
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
        }
        is_new
    }

    /// Adds the drafts that were wanted since the last call: these parts of `batch`.
    ///
    /// Errors: the temporary file cannot be written.
    pub(super) fn push(&mut self, batch: Vec<u64>, rows: Vec<Range<usize>>) -> Result<()> {
        self.rows.push(batch, rows)
    }

    /// No more are added: forgets what it takes to find copies.
    pub(super) fn seal(&mut self) {
        (self.of_sketch, self.others) = Default::default();
    }
}
