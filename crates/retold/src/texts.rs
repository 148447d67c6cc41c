//! Texts again: verdicts on sketches, checked on the texts themselves where the model is in doubt.
//!
//! The pages in question are read again, once, so that no text is held while pages are sketched. What the method needs of
//! each text (its proof) is kept in memory up to a limit, and beyond that in a temporary file, so that pairs can be
//! checked in any order.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::collect::Collection;
use crate::error::{Error, Result};
use crate::ids::PageNo;
use crate::model::Model;
use crate::read::{Outcome, Record, Source, again};
use crate::system::read_exact_at;
use crate::text::{Text, text_hash};
use crate::watch::Watch;

/// Takes what was made of the text at a place in the list of wanted pages.
pub type Take<'t> = dyn FnMut(usize, Vec<u64>) -> Result<()> + 't;

/// Where texts come from again.
pub trait Texts: Sync {
    /// Hands what `make` makes of the texts of these pages, which are ascending, to `take`, with their places in the list, in
    /// order. Works on all threads; progress is reported in pages.
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
        for batch in again(self.sources, &self.model.config().read, &records) {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let batch = batch.into_par_iter();
            let made: Vec<(usize, Option<Vec<u64>>)> = batch
                .map(|(at, source, record)| {
                    let text = record.and_then(|record| self.text(source, record));
                    // Not another text that somebody put in its place.
                    let known = self.collection.page(wanted[at]).text;
                    let text = text.filter(|text| text_hash(text) == known);
                    (at, text.map(|text| make(&text)))
                })
                .collect();
            watch.advance(made.len() as u64);
            for (at, made) in made {
                take(at, made.ok_or_else(|| self.gone(wanted[at]))?)?;
            }
        }
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

/// The proofs of some texts, by the hashes of the texts.
#[derive(Debug)]
pub struct Proofs {
    /// Text -> the place and the number of its proof's numbers.
    places: FxHashMap<u128, (u64, u32)>,
    /// Numbers that all proofs have together.
    total: u64,
    held: Held,
    /// Numbers that may be held in memory.
    limit: u64,
    folder: Option<std::path::PathBuf>,
}

/// The numbers of all proofs, end to end.
#[derive(Debug)]
enum Held {
    Memory(Vec<u64>),
    File(BufWriter<File>),
}

impl Proofs {
    /// None yet. More than `memory` bytes go to a temporary file in `folder`, if there is one.
    pub fn new(memory: u64, folder: Option<&Path>) -> Proofs {
        Proofs {
            places: FxHashMap::default(),
            total: 0,
            held: Held::Memory(Vec::new()),
            limit: memory / 8,
            folder: folder.map(Path::to_owned),
        }
    }

    /// Reads the texts of these pages, ascending, and adds the proofs that `model` makes of them; `hash` has the hash of each
    /// page's text.
    ///
    /// Errors: those of [`Texts::each`], and a temporary file that cannot be written.
    pub fn add(
        &mut self,
        model: &Model,
        texts: &dyn Texts,
        wanted: &[PageNo],
        hash: impl Fn(PageNo) -> Option<u128>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let Some(verifier) = model.verifier() else {
            return Ok(());
        };
        watch.begin("verifying", wanted.len() as u64);
        let proof = |text: &Text| verifier.proof(text);
        let mut take = |at: usize, proof: Vec<u64>| {
            let Some(text) = hash(wanted[at]) else {
                return Ok(());
            };
            self.places.insert(text, (self.total, proof.len() as u32));
            self.push(&proof)
        };
        texts.each(wanted, &proof, &mut take, watch)?;
        match &mut self.held {
            Held::Memory(_) => Ok(()),
            Held::File(file) => file.flush().map_err(full(&self.folder, self.total)),
        }
    }

    fn push(&mut self, proof: &[u64]) -> Result<()> {
        self.total += proof.len() as u64;
        if let Held::Memory(numbers) = &mut self.held {
            match &self.folder {
                Some(folder) if self.total > self.limit => {
                    let numbers = std::mem::take(numbers);
                    let file = tempfile::tempfile_in(folder)
                        .map_err(Error::io("cannot write a temporary file in", folder))?;
                    self.held = Held::File(BufWriter::with_capacity(1 << 20, file));
                    self.write(&numbers)?;
                }
                _ => {
                    numbers.extend_from_slice(proof);
                    return Ok(());
                }
            }
        }
        self.write(proof)
    }

    fn write(&mut self, numbers: &[u64]) -> Result<()> {
        if let Held::File(file) = &mut self.held {
            for number in numbers {
                file.write_all(&number.to_le_bytes())
                    .map_err(full(&self.folder, self.total))?;
            }
        }
        Ok(())
    }

    /// True if there is a proof of the text.
    pub fn has(&self, text: u128) -> bool {
        self.places.contains_key(&text)
    }

    /// The proof of a text.
    ///
    /// Errors: the temporary file cannot be read.
    pub fn get(&self, text: u128) -> Result<Option<Cow<'_, [u64]>>> {
        let Some(&(place, count)) = self.places.get(&text) else {
            return Ok(None);
        };
        let file = match &self.held {
            Held::Memory(numbers) => {
                let place = place as usize;
                return Ok(Some(Cow::Borrowed(&numbers[place..place + count as usize])));
            }
            Held::File(file) => file.get_ref(),
        };
        let mut bytes = vec![0; count as usize * 8];
        read_exact_at(file, &mut bytes, place * 8).map_err(full(&self.folder, self.total))?;
        let (numbers, _) = bytes.as_chunks::<8>();
        let numbers = numbers.iter().map(|number| u64::from_le_bytes(*number));
        Ok(Some(Cow::Owned(numbers.collect())))
    }
}

/// An error with the temporary file, and how much room it needs at least.
fn full(folder: &Option<std::path::PathBuf>, total: u64) -> impl FnOnce(std::io::Error) -> Error {
    let folder = folder.clone().unwrap_or_default();
    move |error| {
        let more = format!(
            "{error}; at least {} MiB are needed there",
            (total * 8) >> 20
        );
        let error = std::io::Error::new(error.kind(), more);
        Error::io("cannot use a temporary file in", &folder)(error)
    }
}
