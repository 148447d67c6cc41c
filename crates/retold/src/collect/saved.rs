//! Saves a collection in a journal, for runs that are resumed.

use bytemuck::{Pod, pod_collect_to_vec};
use serde::{Deserialize, Serialize};

use super::collection::{Collection, ExtractionCounts};
use super::pages::AmbiguousDates;
use super::rejects::Reject;
use crate::error::{Error, Result};
use crate::ids::PageNo;
use crate::resume::{Journal, Resume};
use crate::spill::{Memory, SpillRows};

/// The kind of a chunk, its first byte.
const ROWS: u8 = 0;
const IDS: u8 = 1;
const TITLES: u8 = 2;
const SKETCHES: u8 = 3;
const REJECTS: u8 = 4;
const SEEN: u8 = 5;
/// The last chunk, with everything else.
const REST: u8 = 6;

/// Rejects per chunk.
const TOGETHER: usize = 4096;

#[derive(Serialize, Deserialize)]
struct Rest {
    sites: Vec<String>,
    skipped: std::collections::BTreeMap<String, u64>,
    read: u64,
    bytes: u64,
    extraction: [u64; 3],
    #[serde(default)]
    ambiguous_dates: AmbiguousDates,
    /// A note saved with the collection.
    note: String,
}

impl Collection {
    /// The collection written by [`Collection::save`] and its note, if complete; otherwise the journal to write it to.
    ///
    /// Errors: the journal or a temporary file cannot be written.
    pub(crate) fn saved(
        resume: &Resume,
        memory: &Memory,
    ) -> Result<(Option<(Collection, String)>, Journal)> {
        let (mut collection, mut note) = (Collection::new(memory), None);
        let mut journal = resume.journal("collection", |chunk| {
            note = collection.load(chunk)?;
            Ok(())
        })?;
        if let Some(note) = note {
            collection.pages.settle(PageNo(0))?;
            return Ok((Some((collection, note)), journal));
        }
        journal.clear()?;
        Ok((None, journal))
    }

    /// Writes the collection and a note.
    ///
    /// Errors: the journal cannot be written.
    pub(crate) fn save(&self, journal: &mut Journal, note: String) -> Result<()> {
        let (rows, [ids, titles]) = self.pages.parts();
        for block in rows.blocks() {
            for block in block.chunks(journal.chunk().div_ceil(72)) {
                journal.append(&[&[ROWS], bytemuck::cast_slice(block)].concat())?;
            }
        }
        save_rows(IDS, ids, journal)?;
        save_rows(TITLES, titles, journal)?;
        save_rows(SEEN, self.pages.all_seen(), journal)?;
        save_rows(SKETCHES, self.sketches.rows(), journal)?;
        let mut rejects = self.rejects.iter().peekable();
        while rejects.peek().is_some() {
            let next = rejects.by_ref().take(TOGETHER);
            let next: Vec<(u32, u64, String)> = next
                .map(|reject| (reject.source, reject.record, reject.reason))
                .collect();
            let next = serde_json::to_vec(&next).expect("plain values can be written");
            journal.append(&[&[REJECTS], &next[..]].concat())?;
        }
        let ExtractionCounts {
            main,
            fallback,
            over_budget,
        } = self.extraction;
        let rest = Rest {
            sites: self.sites.clone(),
            skipped: self.skipped.clone(),
            read: self.read,
            bytes: self.bytes,
            extraction: [main, fallback, over_budget],
            ambiguous_dates: self.ambiguous_dates,
            note,
        };
        let rest = serde_json::to_vec(&rest).expect("plain values can be written");
        journal.append(&[&[REST], &rest[..]].concat())
    }

    /// Loads a chunk; the last one returns the note.
    fn load(&mut self, chunk: &[u8]) -> Result<Option<String>> {
        let Some((kind, bytes)) = chunk.split_first() else {
            return Ok(None);
        };
        let (pages, sketches) = (&mut self.pages, &mut self.sketches);
        match *kind {
            ROWS => pages.load(&pod_collect_to_vec(bytes))?,
            IDS => load_rows(bytes, |id: &[u8]| pages.load_id(id))?,
            TITLES => load_rows(bytes, |title: &[u8]| pages.load_title(title))?,
            SEEN => load_rows(bytes, |seen: &[u64]| pages.load_seen(seen))?,
            SKETCHES => load_rows(bytes, |sketch: &[u64]| sketches.load(sketch))?,
            REJECTS => {
                let rejects: Vec<(u32, u64, String)> =
                    serde_json::from_slice(bytes).map_err(unreadable)?;
                for (source, record, reason) in rejects {
                    self.rejects.push(&Reject {
                        source,
                        record,
                        reason,
                    })?;
                }
            }
            _ => {
                let rest: Rest = serde_json::from_slice(bytes).map_err(unreadable)?;
                self.sites = rest.sites;
                (self.skipped, self.read, self.bytes) = (rest.skipped, rest.read, rest.bytes);
                self.ambiguous_dates = rest.ambiguous_dates;
                let [main, fallback, over_budget] = rest.extraction;
                self.extraction = ExtractionCounts {
                    main,
                    fallback,
                    over_budget,
                };
                return Ok(Some(rest.note));
            }
        }
        Ok(None)
    }
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::Usage(format!("a saved collection: {error}"))
}

/// Writes rows in chunks of their number, their lengths and their values.
fn save_rows<T: Pod + Send + Sync>(
    kind: u8,
    rows: &SpillRows<T>,
    journal: &mut Journal,
) -> Result<()> {
    let (mut lengths, mut values, mut result) = (Vec::<u64>::new(), Vec::<T>::new(), Ok(()));
    let chunk = journal.chunk();
    let mut write = |lengths: &mut Vec<u64>, values: &mut Vec<T>| {
        let count = (lengths.len() as u64).to_le_bytes();
        let parts: [&[u8]; 4] = [
            &[kind],
            &count,
            bytemuck::cast_slice(lengths),
            bytemuck::cast_slice(values),
        ];
        let written = journal.append(&parts.concat());
        lengths.clear();
        values.clear();
        written
    };
    rows.each(|_, row| {
        lengths.push(row.len() as u64);
        values.extend_from_slice(row);
        if result.is_ok() && lengths.len() * 8 + size_of_val(&values[..]) >= chunk {
            result = write(&mut lengths, &mut values);
        }
    });
    result?;
    write(&mut lengths, &mut values)
}

/// Passes the rows of a chunk to `take`.
fn load_rows<T: Pod>(bytes: &[u8], mut take: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
    let (count, bytes) = bytes.split_at(8);
    let count: Vec<u64> = pod_collect_to_vec(count);
    let (lengths, values) = bytes.split_at(8 * count[0] as usize);
    let (lengths, values): (Vec<u64>, Vec<T>) =
        (pod_collect_to_vec(lengths), pod_collect_to_vec(values));
    let mut values = &values[..];
    for length in lengths {
        let (row, rest) = values.split_at(length as usize);
        take(row)?;
        values = rest;
    }
    Ok(())
}
