//! Partial fingerprints, made while pages are sketched.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::ids::{PageNo, SketchNo};
use crate::spill::{Memory, RowArena};

#[derive(Debug, Default)]
pub(crate) struct PartialRows {
    /// Ascending.
    pages: Vec<PageNo>,
    /// The row of each page; empty if rows are in the order of pages.
    rows: Vec<u32>,
}

impl PartialRows {
    pub(crate) fn row(&self, page: PageNo) -> Option<usize> {
        let at = self.pages.binary_search(&page).ok()?;
        Some(self.rows.get(at).map_or(at, |&row| row as usize))
    }
}

/// Partial fingerprints of texts, made during sketching so that the texts need not be read again for verification. They are in memory or in
/// a temporary file, unsorted, and contain nothing that is learnt later.
#[derive(Debug, Default)]
pub(crate) struct PartialFingerprints {
    pub(crate) of_pages: PartialRows,
    pub(crate) rows: RowArena<u64>,
    /// For each sketch the last 32 bits of the text hash that it first came with.
    of_sketch: Vec<u32>,
    /// Other texts of a sketch.
    others: FxHashSet<u128>,
}

impl PartialFingerprints {
    pub(crate) fn new(memory: &Memory) -> PartialFingerprints {
        PartialFingerprints {
            rows: RowArena::new(memory).within(memory.spare()),
            ..PartialFingerprints::default()
        }
    }

    /// Whether the partial fingerprint of a page with this text and sketch is to be [added](PartialFingerprints::push) next. False if a
    /// copy already has one, because at most one of several copies is verified.
    pub(crate) fn wants(&mut self, page: PageNo, text: u128, sketch: SketchNo) -> bool {
        let is_new = match self.of_sketch.get(sketch.at()) {
            Some(&first) => first != text as u32 && self.others.insert(text),
            None => {
                self.of_sketch.resize(sketch.at(), 0);
                self.of_sketch.push(text as u32);
                true
            }
        };
        if is_new {
            self.of_pages.pages.push(page);
        }
        is_new
    }

    /// Adds the fingerprints wanted since the last call, which are these parts of `batch`.
    ///
    /// Errors: the temporary file cannot be written.
    pub(crate) fn push(&mut self, batch: Vec<u64>, rows: Vec<Range<usize>>) -> Result<()> {
        self.rows.push_all(batch, rows)
    }

    /// Frees what is needed to find copies; no more fingerprints may be added.
    pub(crate) fn seal(&mut self) {
        (self.of_sketch, self.others) = Default::default();
    }

    pub(crate) fn renumber(&mut self, number: impl Fn(PageNo) -> PageNo) {
        let pages = std::mem::take(&mut self.of_pages.pages).into_iter();
        let mut pages: Vec<(PageNo, u32)> = pages.map(number).zip(0..).collect();
        pages.par_sort_unstable();
        (self.of_pages.pages, self.of_pages.rows) = pages.into_iter().unzip();
    }
}
