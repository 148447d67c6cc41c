//! Stores the data read in a journal, for runs that are resumed.

use std::collections::BTreeMap;
use std::path::Path;

use bytemuck::pod_collect_to_vec;
use serde::{Deserialize, Serialize};

use super::options::BlockOptions;
use super::pages::BlockPage;
use super::read::{BlockPlace, BlockReject, Read, TakenPage, read};
use crate::error::{Error, Result};
use crate::read::{ReadOptions, Source};
use crate::resume::{Journal, Resume};
use crate::spill::Memory;
use crate::text::TextOptions;
use crate::watch::Watch;

/// Approximate bytes per chunk.
const CHUNK: usize = 1 << 20;
/// The most pages in a chunk.
const TOGETHER: usize = 4096;

/// The kind of a chunk, its first byte.
const PLACES: u8 = 0;
const PAGES: u8 = 1;
/// The last chunk, with everything else.
const REST: u8 = 2;

#[derive(Serialize, Deserialize)]
struct SavedPage {
    page: BlockPage,
    id: String,
    preferred: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct Rest {
    sites: Vec<String>,
    blocks: u64,
    rejects: Vec<BlockReject>,
    skipped: BTreeMap<String, u64>,
}

/// Reads the sources, unless an interrupted run did. With a folder in `resume`, the data is stored there.
pub(super) fn read_or_resume(
    sources: &[Source],
    options: &BlockOptions,
    reading: &ReadOptions,
    text: &TextOptions,
    resume: Option<&Path>,
    memory: &Memory,
    watch: &dyn Watch,
) -> Result<Read> {
    let Some(folder) = resume else {
        return read(sources, options, reading, text, memory, watch, |_| Ok(()));
    };
    let key = serde_json::to_string(&("blocks", options, reading, text.extract));
    let key = key.expect("options can be written");
    let resume = Resume::open(folder, sources, &key, CHUNK, watch)?;
    let (mut all, mut is_whole) = (Read::new(memory), false);
    let mut journal = resume.journal("blocks", |chunk| {
        is_whole = load(&mut all, chunk)?;
        Ok(())
    })?;
    if is_whole {
        memory.suffices(all.pages.pages.len())?;
        return Ok(all);
    }
    drop(all);
    journal.clear()?;
    let mut saved = Saved {
        journal,
        pages: Vec::new(),
        places: Vec::new(),
    };
    let add = |taken: &TakenPage| saved.add(taken);
    let all = read(sources, options, reading, text, memory, watch, add)?;
    saved.finish(&all)?;
    Ok(all)
}

/// Loads a chunk; true if it is the last one.
fn load(all: &mut Read, chunk: &[u8]) -> Result<bool> {
    match chunk.split_first() {
        Some((&PLACES, bytes)) => {
            let places: Vec<BlockPlace> = pod_collect_to_vec(bytes);
            all.places.extend(&places)?;
        }
        Some((&PAGES, bytes)) => {
            let pages: Vec<SavedPage> = serde_json::from_slice(bytes).map_err(unreadable)?;
            for saved in pages {
                all.pages.push(saved.page, &saved.id, &saved.preferred)?;
            }
        }
        Some((&REST, bytes)) => {
            let rest: Rest = serde_json::from_slice(bytes).map_err(unreadable)?;
            all.pages.sites = rest.sites;
            (all.blocks, all.rejects, all.skipped) = (rest.blocks, rest.rejects, rest.skipped);
            return Ok(true);
        }
        _ => {}
    }
    Ok(false)
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::Usage(format!("saved blocks: {error}"))
}

/// Writes the data read to a journal.
struct Saved {
    journal: Journal,
    pages: Vec<SavedPage>,
    places: Vec<BlockPlace>,
}

impl Saved {
    fn add(&mut self, taken: &TakenPage) -> Result<()> {
        taken.each(|places| {
            self.places.extend_from_slice(places);
            match size_of_val(&self.places[..]) >= CHUNK {
                true => self.write(),
                false => Ok(()),
            }
        })?;
        self.pages.push(SavedPage {
            page: taken.page,
            id: taken.id.to_owned(),
            preferred: taken.preferred.to_vec(),
        });
        let bytes = size_of_val(&self.places[..]);
        match bytes >= CHUNK || self.pages.len() >= TOGETHER {
            true => self.write(),
            false => Ok(()),
        }
    }

    fn write(&mut self) -> Result<()> {
        let places = bytemuck::cast_slice(&self.places);
        self.journal.append(&[&[PLACES], places].concat())?;
        self.append(PAGES, &self.pages_json())?;
        self.places.clear();
        self.pages.clear();
        Ok(())
    }

    fn pages_json(&self) -> Vec<u8> {
        serde_json::to_vec(&self.pages).expect("plain values can be written")
    }

    fn append(&mut self, kind: u8, bytes: &[u8]) -> Result<()> {
        self.journal.append(&[&[kind], bytes].concat())
    }

    /// Writes the last chunk, without which the others are not used.
    fn finish(mut self, all: &Read) -> Result<()> {
        self.write()?;
        let rest = Rest {
            sites: all.pages.sites.clone(),
            blocks: all.blocks,
            rejects: all.rejects.clone(),
            skipped: all.skipped.clone(),
        };
        let rest = serde_json::to_vec(&rest).expect("plain values can be written");
        self.append(REST, &rest)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Mutex;

    use super::*;
    use crate::blocks::{BlockScope, blocks};
    use crate::read::discover;

    /// Records which stages begin.
    #[derive(Default)]
    struct Stages(Mutex<Vec<String>>);

    impl Watch for Stages {
        fn begin(&self, stage: &'static str, _: u64) {
            self.0.lock().unwrap().push(stage.to_owned());
        }
    }

    #[test]
    fn what_was_read_whole_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("pages.jsonl");
        let page = |n: usize| {
            let url = format!("http://site{}.example/{n}", n % 3);
            let text = format!("Subscribe to our letters.\n\nStory {n} of the day.\n\nHome");
            serde_json::json!({"id": n.to_string(), "url": url, "text": text}).to_string() + "\n"
        };
        let pages: String = (0..60).map(page).collect();
        fs::write(&input, pages + "no record\n").unwrap();
        let reading = ReadOptions::default();
        let sources = discover(&[input], &reading).unwrap();
        let saved = folder.path().join("saved");
        let run = |options: &BlockOptions, resume: Option<&Path>| {
            let (stages, text, memory) =
                (Stages::default(), TextOptions::default(), Memory::default());
            let found =
                blocks(&sources, options, &reading, &text, resume, &memory, &stages).unwrap();
            let pages = 0..found.pages().len() as u32;
            let said = (
                (found.count, found.rejects.clone(), found.skipped.clone()),
                (found.pages().to_vec(), found.sites().to_vec()),
                pages.map(|page| found.id(page)).collect::<Vec<_>>(),
                (
                    found.rows().collect::<Vec<_>>(),
                    found.spans().collect::<Vec<_>>(),
                ),
            );
            let stages = stages.0.into_inner().unwrap();
            (said, stages.iter().any(|stage| stage == "read"))
        };
        let options = BlockOptions::default();
        let (plain, _) = run(&options, None);
        assert!(plain.3.0.len() == 6 && plain.0.1.len() == 1, "{plain:?}");
        assert_eq!(run(&options, Some(&saved)), (plain.clone(), true));
        assert_eq!(run(&options, Some(&saved)), (plain.clone(), false));
        // Whatever part of it a kill left.
        let whole = fs::read(saved.join("blocks")).unwrap();
        for at in [whole.len() - 1, whole.len() / 2, 40, 3] {
            fs::write(saved.join("blocks"), &whole[..at]).unwrap();
            assert_eq!(run(&options, Some(&saved)), (plain.clone(), true), "{at}");
            assert_eq!(run(&options, Some(&saved)), (plain.clone(), false), "{at}");
        }
        // With other options it is read again.
        let other = BlockOptions {
            scope: BlockScope::Collection,
            ..options
        };
        let (collection, _) = run(&other, None);
        assert_eq!(run(&other, Some(&saved)), (collection, true));
    }
}
