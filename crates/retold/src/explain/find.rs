//! Finds the pages to explain, in two files or by id in inputs.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::compared::ComparedPage;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::near::close_to;
use crate::page::Page;
use crate::read::{self, Outcome, PageId, Record, Source, each_page, page_ids};
use crate::stage::Stage;
use crate::watch::Watch;

/// Inputs, and the model that says how they are read.
#[derive(Clone)]
pub struct ExplainInputs {
    /// The files.
    pub sources: Vec<Source>,
    /// The model, with the options for reading records and making texts.
    pub model: Model,
}

impl ExplainInputs {
    /// The files of `paths`.
    pub fn open(paths: &[PathBuf], model: Model) -> Result<ExplainInputs> {
        let sources = read::discover(paths, &model.config().read)?;
        Ok(ExplainInputs { sources, model })
    }

    /// The same inputs with a model that has learnt their words, if it needs to.
    pub fn learn_words(mut self, watch: &dyn Watch) -> Result<ExplainInputs> {
        if self.model.wants_words() {
            self.model = self.model.learn_from(&self.sources, watch)?;
        }
        Ok(self)
    }

    /// The only page of a file.
    pub fn only_page(path: &Path, model: &Model) -> Result<ComparedPage> {
        if path.is_dir() {
            return Err(Error::Usage(format!(
                "{} is a folder, but not a finished run of retold: name two files, or use --in {} --ids A B",
                path.display(),
                path.display()
            )));
        }
        let inputs = ExplainInputs::open(&[path.to_owned()], model.clone())?;
        let mut found = None;
        for source in &inputs.sources {
            for record in source.records(&model.config().read) {
                if found.is_some() {
                    return Err(Error::Usage(format!(
                        "{} holds more than one page: use --in {} --ids A B",
                        path.display(),
                        path.display()
                    )));
                }
                found = Some(inputs.side(source, record)?);
            }
        }
        let mut side =
            found.ok_or_else(|| Error::Usage(format!("{} holds no page", path.display())))?;
        // Two files with one name need different ids.
        side.id = path.display().to_string();
        Ok(side)
    }

    /// The pages with these ids, by the id rules of a run. Reads all inputs once, and the files that have these pages again.
    pub fn by_ids<const N: usize>(
        &self,
        ids: [&str; N],
        watch: &dyn Watch,
    ) -> Result<[ComparedPage; N]> {
        let found = self.pages(&ids, watch)?;
        // There is one page for each id.
        found.try_into().map_err(|_| Error::Cancelled)
    }

    /// As [`ExplainInputs::by_ids`], for any number of ids, which may repeat; in their order.
    pub fn pages(&self, ids: &[&str], watch: &dyn Watch) -> Result<Vec<ComparedPage>> {
        let read = &self.model.config().read;
        let pages = page_ids(&self.sources, read, watch)?;
        let by_id: HashMap<&str, &PageId<'_>> =
            pages.iter().map(|page| (&*page.id, page)).collect();
        // The places of each record in the list, by the name of its source.
        let mut wanted: BTreeMap<&str, (&Source, BTreeMap<u64, Vec<usize>>)> = BTreeMap::new();
        for (place, id) in ids.iter().enumerate() {
            let page = by_id.get(id).ok_or_else(|| unknown(id, &pages))?;
            let (_, records) = wanted
                .entry(&page.source.name)
                .or_insert_with(|| (page.source, BTreeMap::new()));
            records.entry(page.record).or_default().push(place);
        }
        let mut found: Vec<Option<ComparedPage>> = vec![None; ids.len()];
        for (source, mut records) in wanted.into_values() {
            let mut all = source.records(read);
            while let Some(record) = all.next().filter(|_| !records.is_empty()) {
                let Some(places) = records.remove(&record.number) else {
                    continue;
                };
                let side = self.side(source, record)?;
                for place in places {
                    let mut side = side.clone();
                    ids[place].clone_into(&mut side.id);
                    found[place] = Some(side);
                }
            }
            if !records.is_empty() {
                let name = &source.name;
                return Err(Error::Usage(format!(
                    "{name}: the file changed while it was read"
                )));
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// The number of different texts that have each key. Reads and sketches all inputs once.
    pub fn count(&self, keys: &[u64], watch: &dyn Watch) -> Result<HashMap<u64, u64>> {
        let wanted: FxHashSet<u64> = keys.iter().copied().collect();
        let mut seen = FxHashSet::default();
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let make = |page: Page| {
            let text = self.model.text(&page).map_err(|e| e.to_string())?;
            let mut sketch = self
                .model
                .sketch(&text, None)
                .map_err(|error| error.to_string())?;
            sketch.keys.retain(|key| wanted.contains(key));
            Ok((sketch.text_hash, sketch.keys))
        };
        let read = &self.model.config().read;
        each_page(
            &self.sources,
            read,
            watch,
            Stage::Read.name(),
            make,
            |_, _, made| {
                if let Ok((text, keys)) = made
                    && seen.insert(text)
                {
                    keys.iter()
                        .for_each(|&key| *counts.entry(key).or_default() += 1);
                }
                Ok(())
            },
        )?;
        Ok(counts)
    }

    fn side(&self, source: &Source, record: Record) -> Result<ComparedPage> {
        let number = record.number;
        let bad = |reason: &str| {
            Error::Usage(format!(
                "{}, record {number}: {reason}",
                source.path.display()
            ))
        };
        match record.parse(source, &self.model.config().read) {
            Outcome::Page(page) => {
                let text = self.model.text(&page).map_err(|e| bad(&e.to_string()))?;
                Ok(ComparedPage {
                    scope: self.model.scope_of(&page, &text),
                    text,
                    site: page.site(),
                    url: page.url,
                    id: page.id,
                    date: page.date,
                })
            }
            Outcome::Skipped(kind) => Err(bad(&format!("this is not a page but: {kind}"))),
            Outcome::Rejected(reason) => Err(bad(&reason)),
        }
    }
}

fn unknown(id: &str, pages: &[PageId<'_>]) -> Error {
    let close = close_to(id, pages.iter().map(|page| &*page.id));
    let close: Vec<String> = close.iter().map(|name| format!("`{name}`")).collect();
    Error::Usage(if close.is_empty() {
        match pages.len() {
            1 => format!("no page has the id `{id}`; there is 1 page"),
            many => format!("no page has the id `{id}`; there are {many} pages"),
        }
    } else {
        format!(
            "no page has the id `{id}`; close to it: {}",
            close.join(", ")
        )
    })
}
