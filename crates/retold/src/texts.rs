//! Texts again: verdicts on sketches, checked on the texts themselves where the model is in doubt.
//!
//! What a method needs of a text, its proof, is kept, in memory or in a temporary file, so that pairs can be checked in any order. It
//! is drafted while pages are sketched; pages without a draft (of an interrupted run, of an index) are read again, once.

use bytemuck::pod_collect_to_vec;

use crate::collect::{Collection, Drafted, Drafts};
use crate::error::{Error, Result};
use crate::ids::{ClassNo, PageNo};
use crate::method::Verifier;
use crate::model::Model;
use crate::read::{Order, Outcome, Record, Source, again};
use crate::resume::{Journal, Resume};
use crate::spill::{Apart, Row};
use crate::text::{Text, text_hash};
use crate::watch::Watch;

/// Takes what was made of the text at a place in the list of wanted pages.
pub type Take<'t> = dyn FnMut(usize, Vec<u64>) -> Result<()> + 't;

/// Where texts come from again.
pub trait Texts: Sync {
    /// Hands what `make` makes of the texts of these pages, which are ascending, to `take`, with their places in the list, in
    /// any order. Works on all threads; progress is reported in pages.
    ///
    /// Errors: a text that is no longer there, the run was cancelled, those of `take`.
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        watch: &dyn Watch,
    ) -> Result<()>;
}

/// Texts made once more from the records that were read, or from elsewhere.
pub(crate) struct Reread<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) model: &'a Model,
    pub(crate) collection: &'a Collection,
    /// Where the texts of pages come from that are of no source.
    pub(crate) others: Option<&'a dyn Texts>,
}

impl Texts for Reread<'_> {
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        watch: &dyn Watch,
    ) -> Result<()> {
        // Pages of no source come last.
        let is_ours = |page: &PageNo| self.collection.page(*page).source != u32::MAX;
        let (wanted, others) = wanted.split_at(wanted.partition_point(is_ours));
        let at = |&page: &PageNo| {
            let row = self.collection.page(page);
            (row.source, row.record)
        };
        let records: Vec<(u32, u64)> = wanted.iter().map(at).collect();
        let make_one = |at: usize, source: &Source, record: Record| {
            // Not another text that somebody put in its place.
            let known = self.collection.page(wanted[at]).text;
            let text = self.text(source, record);
            let text = text.filter(|text| text_hash(text) == known);
            text.map(|text| make(&text))
        };
        let take_one = |at: usize, made: &mut Option<Vec<u64>>| {
            watch.advance(1);
            take(at, made.take().ok_or_else(|| self.gone(wanted[at]))?)
        };
        let (read, records) = (&self.model.config().read, &records[..]);
        again(
            self.sources,
            read,
            (records, Order::Any),
            watch,
            make_one,
            take_one,
        )?;
        let mut read: Vec<u32> = records.iter().map(|(source, _)| *source).collect();
        read.dedup();
        read.iter()
            .try_for_each(|&source| self.sources[source as usize].unchanged())?;
        match self.others {
            Some(texts) if !others.is_empty() => {
                let mut behind = |at: usize, made: Vec<u64>| take(wanted.len() + at, made);
                texts.each(others, make, &mut behind, watch)
            }
            _ => Ok(()),
        }
    }
}

impl Reread<'_> {
    fn text(&self, source: &Source, record: Record) -> Option<Text> {
        match record.parse(source, &self.model.config().read) {
            Outcome::Page(page) => self.model.text(&page).ok(),
            _ => None,
        }
    }

    fn gone(&self, page: PageNo) -> Error {
        let row = self.collection.page(page);
        Error::Usage(format!(
            "{}, record {}: the file changed during the run; run again when nothing writes to it",
            self.sources[row.source as usize].path.display(),
            row.record
        ))
    }
}

/// The proofs of some texts, each named by a class of its pages.
#[derive(Debug)]
pub struct Proofs {
    /// Class -> its proof's row, and one; 0 without a proof.
    places: Vec<u32>,
    /// The pages whose drafts are the first rows, or proofs by now; in a file they stay drafts.
    drafted: Drafted,
    rows: Apart<u64>,
    journal: Option<Journal>,
}

/// Numbers that go to the journal together, at the least.
const CHUNK: usize = if cfg!(test) { 100 } else { 1 << 17 };

impl Proofs {
    /// None yet, of so many classes, or those that an interrupted run has made; `drafts` wait until they are wanted. What
    /// does not fit into memory goes to a temporary file.
    ///
    /// Errors: a file cannot be written.
    pub fn new(classes: usize, drafts: Drafts, resume: Option<&Resume>) -> Result<Proofs> {
        let (mut places, mut rows) = (vec![0; classes], drafts.rows.within(u64::MAX));
        // A chunk is proofs, each behind its class and its length.
        let take_up = |chunk: &[u8]| {
            let numbers: Vec<u64> = pod_collect_to_vec(chunk);
            let mut numbers = &numbers[..];
            while let [class, length, rest @ ..] = numbers {
                let (proof, rest) = rest.split_at(*length as usize);
                rows.push(proof.to_vec())?;
                places[*class as usize] = rows.len() as u32;
                numbers = rest;
            }
            Ok(())
        };
        let journal = resume.map(|resume| resume.journal("proofs", take_up));
        Ok(Proofs {
            journal: journal.transpose()?,
            places,
            drafted: drafts.drafted,
            rows,
        })
    }

    /// Adds the proofs that `model` makes of the texts of these pages, which are ascending, and read again where there is no draft;
    /// `class` names the text of each page.
    ///
    /// Errors: those of [`Texts::each`], and a temporary file that cannot be written.
    pub fn add(
        &mut self,
        model: &Model,
        texts: &dyn Texts,
        wanted: &[PageNo],
        class: impl Fn(PageNo) -> ClassNo,
        watch: &dyn Watch,
    ) -> Result<()> {
        let Some(verifier) = model.verifier() else {
            return Ok(());
        };
        watch.begin("verifying", wanted.len() as u64);
        let mut chunk: Vec<u64> = Vec::new();
        let mut note = |class: ClassNo, proof: &[u64], journal: &mut Option<Journal>| {
            if let Some(journal) = journal {
                chunk.extend([u64::from(class.0), proof.len() as u64]);
                chunk.extend(proof);
                if chunk.len() >= CHUNK {
                    journal.append(bytemuck::cast_slice(&chunk))?;
                    chunk.clear();
                }
            }
            Ok(())
        };
        let draft = |&page: &PageNo| Some((page, self.drafted.row(page)?));
        let drafts: Vec<(PageNo, usize)> = wanted.iter().filter_map(draft).collect();
        let rows: Vec<usize> = drafts.iter().map(|(_, row)| *row).collect();
        self.rows
            .change(&rows, |draft| verifier.complete_fingerprint(draft));
        for (page, row) in drafts {
            let class = class(page);
            self.places[class.at()] = row as u32 + 1;
            if self.journal.is_some() {
                let proof = self
                    .rows
                    .get_changed(row, |draft| verifier.complete_fingerprint(draft));
                note(class, &proof, &mut self.journal)?;
            }
        }
        watch.advance(rows.len() as u64);
        let wanted = wanted.iter().filter(|page| draft(page).is_none());
        let wanted: Vec<PageNo> = wanted.copied().collect();
        let proof = |text: &Text| verifier.fingerprint(text);
        let mut take = |at: usize, proof: Vec<u64>| {
            let class = class(wanted[at]);
            note(class, &proof, &mut self.journal)?;
            self.rows.push(proof)?;
            self.places[class.at()] = self.rows.len() as u32;
            Ok(())
        };
        texts.each(&wanted, &proof, &mut take, watch)?;
        match &mut self.journal {
            Some(journal) => journal.append(bytemuck::cast_slice(&chunk)),
            None => Ok(()),
        }
    }

    /// From now on those that are read again and again are held in memory, as far as this `part` of what is left of it goes.
    pub fn read_often(&mut self, part: u64) {
        self.rows.read_often(part);
    }

    /// True if there is a proof of the class.
    pub fn has(&self, class: ClassNo) -> bool {
        self.places[class.at()] > 0
    }

    /// The proof of a class.
    pub fn get(&self, class: ClassNo, verifier: &dyn Verifier) -> Option<Row<'_, u64>> {
        let row = self.places[class.at()].checked_sub(1)?;
        let finish = |draft: &mut [u64]| verifier.complete_fingerprint(draft);
        Some(self.rows.get_changed(row as usize, finish))
    }

    /// The proof of a page's text, made of its draft if there is one.
    pub fn drafted(&self, page: PageNo, verifier: &dyn Verifier) -> Option<Vec<u64>> {
        let row = self.drafted.row(page)?;
        let finish = |draft: &mut [u64]| verifier.complete_fingerprint(draft);
        let mut proof = self.rows.get_changed(row, finish).to_vec();
        verifier.complete_fingerprint(&mut proof);
        Some(proof)
    }
}
