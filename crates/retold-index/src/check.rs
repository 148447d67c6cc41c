//! Checks a whole index for damage.

use std::path::Path;

use retold::{Model, Result};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::files::damaged;
use crate::index::{Index, TRIES};
use crate::log::{Kind, Log};
use crate::pages::ScopeRow;
use crate::record::unpack;
use crate::segment::Segment;
use crate::state::{Manifest, State, address_key, keys_of, read_model, url_key};

/// What [`Index::check`] found.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Checked {
    /// Files read.
    pub files: u64,
    /// Pages in the index.
    pub pages: u64,
    /// Postings read.
    pub postings: u64,
    /// The problems found, by file; empty if there are none.
    pub problems: Vec<String>,
}

impl Checked {
    fn note<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(e) => {
                self.problems.push(e.to_string());
                None
            }
        }
    }
}

impl Index {
    /// Reads every byte of the index in a folder. Verifies checksums and formats, decodes every text, and looks each page up under all its
    /// keys. Continues after damage. A writer may be active at the same time.
    ///
    /// Errors: there is no index in the folder.
    pub fn check(folder: &Path) -> Result<Checked> {
        let mut tries = 0;
        loop {
            let manifest = Manifest::read(folder)?;
            let checked = Index::check_files(folder, &manifest)?;
            let is_same = Manifest::read(folder)?.generation == manifest.generation;
            if checked.problems.is_empty() || is_same || tries == TRIES {
                return Ok(checked);
            }
            // A writer has replaced the files that were being read.
            tries += 1;
        }
    }

    fn check_files(folder: &Path, manifest: &Manifest) -> Result<Checked> {
        let mut checked = Checked::default();
        checked.files += 2;
        let Some(model) = checked.note(read_model(folder, manifest)) else {
            return Ok(checked);
        };
        for &(number, sure) in &manifest.logs {
            checked.files += 1;
            let read = check_log(folder, number, sure, &model);
            checked.note(read);
        }
        for named in &manifest.segments {
            checked.files += 1;
            let read = Segment::open(folder, named).and_then(|(segment, _)| {
                let mut count = 0;
                segment
                    .postings()
                    .try_for_each(|posting| posting.map(|_| count += 1))?;
                Ok(count)
            });
            checked.postings += checked.note(read).unwrap_or(0);
        }
        if checked.problems.is_empty()
            && let Some(state) = checked.note(State::open(folder, false))
        {
            checked.pages = state.pages.live() as u64;
            for segment in &state.segments {
                checked.note(check_postings(&state, segment));
            }
        }
        Ok(checked)
    }
}

fn check_log(folder: &Path, number: u32, sure: u64, model: &Model) -> Result<()> {
    let log = Log::open(folder, number, false)?;
    log.replay(0, sure, |frames| {
        for frame in frames.iter().filter(|frame| frame.head.kind == Kind::Page) {
            crate::record::Entry::from_bytes(&frame.first, &log.path)?;
            unpack(&frame.second, model.text_options(), &log.path)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Checks that a segment's postings for its live pages match their sketches: sums of hashes must be equal.
fn check_postings(state: &State, segment: &Segment) -> Result<()> {
    let hash = |key: u64, page: u32| xxh3_64_with_seed(&key.to_le_bytes(), u64::from(page));
    let mut found = 0u64;
    for posting in segment.postings() {
        let (key, page) = posting?;
        if !segment.named.pages.contains(&page) {
            return Err(damaged(
                &segment.path,
                &format!("it names page {page}, which is not one of its own"),
            ));
        }
        if state.pages.is_live(page) {
            found = found.wrapping_add(hash(key, page));
        }
    }
    for page in segment
        .named
        .pages
        .clone()
        .filter(|&page| state.pages.is_live(page))
    {
        let entry = state.entry(page)?;
        let scope = ScopeRow::of(&entry.scope(&state.model));
        if state.pages.scope(page).is_some_and(|row| *row != scope) {
            return Err(damaged(
                &segment.path,
                &format!("its pair-filter values of page {page} differ from the entry"),
            ));
        }
        let has = |since: Option<u32>| since.is_none_or(|since| page >= since);
        let manifest = &state.manifest;
        let (without, instead) = match (has(manifest.urls), has(manifest.addresses)) {
            (_, true) => (None, None),
            (true, false) => (address_key(&entry), url_key(&entry)),
            (false, false) => (address_key(&entry), None),
        };
        let words = match state.manifest.words {
            Some(words) if page >= words => state.words(page)?,
            _ => Vec::new(),
        };
        let keys = keys_of(&entry, &words).filter(|&key| Some(key) != without);
        let keys = keys.chain(instead);
        found = keys.fold(found, |sum, key| sum.wrapping_sub(hash(key, page)));
    }
    match found {
        0 => Ok(()),
        _ => Err(damaged(
            &segment.path,
            "its postings do not match its pages",
        )),
    }
}
