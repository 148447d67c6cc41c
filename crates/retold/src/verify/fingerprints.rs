//! Full fingerprints: the data about texts with which a method verifies pairs.
//!
//! They are stored in memory or in a temporary file, so that pairs can be verified in any order. For most pages a partial fingerprint is
//! made with the sketch, and completed on first use. Texts without one (from a resumed run or an index) are read again, once.

use bytemuck::pod_collect_to_vec;

use super::partials::{PartialFingerprints, PartialRows};
use super::texts::TextSource;
use crate::error::Result;
use crate::ids::{GroupNo, PageNo};
use crate::method::Verifier;
use crate::resume::{Journal, Resume};
use crate::spill::{Row, RowArena};
use crate::stage::Stage;
use crate::text::Text;
use crate::watch::Watch;

/// The fingerprints of texts, each identified by a group of its pages.
#[derive(Debug)]
pub(super) struct Fingerprints {
    /// For each group 1 + the row of its full fingerprint, or 0.
    row_of: Vec<u32>,
    /// The pages whose fingerprints are the first rows.
    partial: PartialRows,
    rows: RowArena<u64>,
    /// For each row whether it is full; partial rows in a file are completed when they are read.
    is_full: Vec<bool>,
    journal: Option<Journal>,
}

impl Fingerprints {
    /// A store for this many groups with the full fingerprints that an interrupted run has made. What does not fit into memory goes to a
    /// temporary file.
    ///
    /// Errors: a file cannot be written.
    /// Errors: a file cannot be written.
    pub(super) fn new(
        groups: usize,
        partial: PartialFingerprints,
        resume: Option<&Resume>,
    ) -> Result<Fingerprints> {
        let mut all = Fingerprints {
            row_of: vec![0; groups],
            partial: partial.of_pages,
            is_full: vec![false; partial.rows.len()],
            rows: partial.rows.within(u64::MAX),
            journal: None,
        };
        // A chunk consists of fingerprints, each after its group and length.
        let take_up = |chunk: &[u8]| {
            let numbers: Vec<u64> = pod_collect_to_vec(chunk);
            let mut numbers = &numbers[..];
            while let [group, length, rest @ ..] = numbers {
                let (fingerprint, rest) = rest.split_at(*length as usize);
                all.push(GroupNo(*group as u32), fingerprint.to_vec())?;
                numbers = rest;
            }
            Ok(())
        };
        let journal = resume.map(|resume| resume.journal("fingerprints", take_up));
        all.journal = journal.transpose()?;
        Ok(all)
    }

    fn push(&mut self, group: GroupNo, fingerprint: Vec<u64>) -> Result<()> {
        self.rows.push(fingerprint)?;
        self.is_full.push(true);
        self.row_of[group.at()] = self.rows.len() as u32;
        Ok(())
    }

    /// Adds the full fingerprints of the texts of these pages (ascending): partial ones are completed, other texts are read again. `group`
    /// identifies the text of each page.
    ///
    /// Errors: those of [`TextSource::each`], and a temporary file that cannot be written.
    pub(super) fn add(
        &mut self,
        verifier: &dyn Verifier,
        texts: &dyn TextSource,
        needed: &[PageNo],
        group: impl Fn(PageNo) -> GroupNo,
        watch: &dyn Watch,
    ) -> Result<()> {
        watch.begin(Stage::Fingerprint.name(), needed.len() as u64);
        let row = |page: &PageNo| self.partial.row(*page);
        let (partial, missing): (Vec<PageNo>, Vec<PageNo>) =
            needed.iter().partition(|page| row(page).is_some());
        let mut written = Chunk::default();
        self.complete(&partial, &group, verifier, &mut written)?;
        watch.advance(partial.len() as u64);
        let make = |text: &Text| verifier.fingerprint(text);
        let mut take = |at: usize, fingerprint: Vec<u64>| {
            let group = group(missing[at]);
            written.add(group, &fingerprint, &mut self.journal)?;
            self.push(group, fingerprint)
        };
        texts.each(&missing, &make, &mut take, watch)?;
        written.finish(&mut self.journal)
    }

    /// Completes the partial fingerprints of these pages.
    fn complete(
        &mut self,
        pages: &[PageNo],
        group: impl Fn(PageNo) -> GroupNo,
        verifier: &dyn Verifier,
        written: &mut Chunk,
    ) -> Result<()> {
        let rows: Vec<usize> = pages
            .iter()
            .filter_map(|&page| self.partial.row(page))
            .collect();
        let open: Vec<usize> = rows
            .iter()
            .copied()
            .filter(|&row| !self.is_full[row])
            .collect();
        if self
            .rows
            .change(&open, |row| verifier.complete_fingerprint(row))
        {
            open.iter().for_each(|&row| self.is_full[row] = true);
        }
        for (&page, row) in pages.iter().zip(rows) {
            let group = group(page);
            self.row_of[group.at()] = row as u32 + 1;
            if self.journal.is_some() {
                let fingerprint = self.full(row, verifier).to_vec();
                written.add(group, &fingerprint, &mut self.journal)?;
            }
        }
        Ok(())
    }

    /// From now on keeps rows that are read repeatedly in 1/`part` of the memory left.
    pub(super) fn read_often(&mut self, part: u64) {
        self.rows.read_often(part);
    }

    /// True if the group has a full fingerprint.
    pub(super) fn has(&self, group: GroupNo) -> bool {
        self.row_of[group.at()] > 0
    }

    pub(super) fn has_partial(&self, page: PageNo) -> bool {
        self.partial.row(page).is_some()
    }

    /// The full fingerprint of a group.
    pub(super) fn get(&self, group: GroupNo, verifier: &dyn Verifier) -> Option<Row<'_, u64>> {
        let row = self.row_of[group.at()].checked_sub(1)?;
        Some(self.full(row as usize, verifier))
    }

    /// The full fingerprint of a page's text, completed from the partial one if there is one.
    pub(super) fn of_page(&self, page: PageNo, verifier: &dyn Verifier) -> Option<Row<'_, u64>> {
        Some(self.full(self.partial.row(page)?, verifier))
    }

    /// The fingerprint of a group, full or partial.
    pub(super) fn any(&self, group: GroupNo) -> Option<Row<'_, u64>> {
        let row = self.row_of[group.at()].checked_sub(1)?;
        Some(self.rows.get(row as usize))
    }

    /// The fingerprint of a page's text if a partial one was made, whether completed or not.
    pub(super) fn any_of_page(&self, page: PageNo) -> Option<Row<'_, u64>> {
        Some(self.rows.get(self.partial.row(page)?))
    }

    fn full(&self, row: usize, verifier: &dyn Verifier) -> Row<'_, u64> {
        match self.is_full[row] {
            true => self.rows.get(row),
            false => self
                .rows
                .get_changed(row, |row| verifier.complete_fingerprint(row)),
        }
    }
}

/// Fingerprints to be written to a journal.
#[derive(Default)]
struct Chunk(Vec<u64>);

impl Chunk {
    fn add(
        &mut self,
        group: GroupNo,
        fingerprint: &[u64],
        journal: &mut Option<Journal>,
    ) -> Result<()> {
        let Some(journal) = journal else {
            return Ok(());
        };
        self.0
            .extend([u64::from(group.0), fingerprint.len() as u64]);
        self.0.extend(fingerprint);
        if size_of_val(&self.0[..]) >= journal.chunk() {
            journal.append(bytemuck::cast_slice(&self.0))?;
            self.0.clear();
        }
        Ok(())
    }

    fn finish(self, journal: &mut Option<Journal>) -> Result<()> {
        match journal {
            Some(journal) => journal.append(bytemuck::cast_slice(&self.0)),
            None => Ok(()),
        }
    }
}
