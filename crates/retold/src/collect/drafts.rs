//! Drafts of proofs, made while pages are read.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::ids::{PageNo, SketchNo};
use crate::spill::{Apart, Memory};

/// Which pages have drafts, and where.
#[derive(Debug, Default)]
pub(crate) struct Drafted {
    /// Ascending.
    pages: Vec<PageNo>,
    /// The row of each; empty if rows are in the same order.
    rows: Vec<u32>,
}

impl Drafted {
    /// The row of a page's draft, if it has one.
    pub(crate) fn row(&self, page: PageNo) -> Option<usize> {
        let at = self.pages.binary_search(&page).ok()?;
        Some(self.rows.get(at).map_or(at, |&row| row as usize))
    }
}

/// What was made for proofs where pages were read first ([`Verifier::sketch_and_partial`]), so that their texts need not be read again:
/// in memory, or in a temporary file when they are many.
///
/// [`Verifier::sketch_and_partial`]: crate::method::Verifier::sketch_and_partial
#[derive(Debug, Default)]
pub struct Drafts {
    pub(crate) drafted: Drafted,
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
            self.drafted.pages.push(page);
        }
        is_new
    }

    /// Adds the drafts that were wanted since the last call: these parts of `batch`.
    ///
    /// Errors: the temporary file cannot be written.
    pub(super) fn push(&mut self, batch: Vec<u64>, rows: Vec<Range<usize>>) -> Result<()> {
        self.rows.push_all(batch, rows)
    }

    /// No more are added: forgets what it takes to find copies.
    pub(super) fn seal(&mut self) {
        (self.of_sketch, self.others) = Default::default();
    }

    /// Gives each page another number.
    pub(super) fn renumber(&mut self, number: impl Fn(PageNo) -> PageNo) {
        let pages = std::mem::take(&mut self.drafted.pages).into_iter();
        let mut pages: Vec<(PageNo, u32)> = pages.map(number).zip(0..).collect();
        pages.par_sort_unstable();
        (self.drafted.pages, self.drafted.rows) = pages.into_iter().unzip();
    }
}
