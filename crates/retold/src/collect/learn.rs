//! Reads sources into a collection and a model that has learnt from it.

use rustc_hash::FxHashSet;

use super::collection::Collection;
use crate::error::{Error, Result};
use crate::knowledge::{Frequencies, Knowledge};
use crate::model::Model;
use crate::page::Page;
use crate::read::{Source, each_page};
use crate::spill::Memory;
use crate::stage::{Stage, StageClock};
use crate::text::text_hash;
use crate::watch::Watch;

impl Model {
    /// A new model that has learnt from these pages, instead of from this one's collection.
    ///
    /// Errors: there is no page.
    pub fn learn(&self, pages: impl IntoIterator<Item = Page>) -> Result<Model> {
        self.learn_from(&[Source::of_pages("pages", pages)], &())
    }

    /// As [`Model::learn`], from all pages in `sources`.
    ///
    /// Errors: there is no page in the sources, or the job was cancelled.
    pub fn learn_from(&self, sources: &[Source], watch: &dyn Watch) -> Result<Model> {
        let mut model = self.without_knowledge();
        match model.wants_words() {
            true => learn_words(sources, &model, watch).map(|known| model.with_knowledge(known)),
            false => {
                let memory = Memory::default();
                let collection = read_all(sources, &model, false, &memory, watch)?;
                learn_noise(&collection, &mut model, watch, &mut StageClock::default())?;
                Ok(model)
            }
        }
    }
}

pub(crate) fn learn_noise(
    collection: &Collection,
    model: &mut Model,
    watch: &dyn Watch,
    clock: &mut StageClock,
) -> Result<()> {
    clock.begin(Stage::Learn);
    watch.begin(Stage::Learn.name(), 0);
    if model.knowledge().is_none()
        && let Some(known) = collection.knowledge(model)?
    {
        *model = model.with_knowledge(known);
    }
    Ok(())
}

/// Reads and sketches all sources.
///
/// Errors: there is no page in them, unless `may_be_empty`.
pub(crate) fn read_all(
    sources: &[Source],
    model: &Model,
    may_be_empty: bool,
    memory: &Memory,
    watch: &dyn Watch,
) -> Result<Collection> {
    let options = &model.config().read;
    let collection = Collection::read(sources, options, model, memory, watch)?;
    match collection.pages.is_empty() && !may_be_empty {
        true => Err(nothing_to_read(sources, &collection)),
        false => Ok(collection),
    }
}

/// The document frequencies of the words that `model` needs. Reads all `sources` once; equal texts count once.
pub(crate) fn learn_words(
    sources: &[Source],
    model: &Model,
    watch: &dyn Watch,
) -> Result<Knowledge> {
    let mut frequencies = Frequencies::default();
    let mut seen = FxHashSet::default();
    let make = |page: Page| {
        let text = model.text(&page).map_err(|e| e.to_string())?;
        Ok((text_hash(&text), model.words(&text)))
    };
    let (options, stage) = (&model.config().read, Stage::CountWords.name());
    each_page(sources, options, watch, stage, make, |_, _, made| {
        if let Ok((Some(text), words)) = made
            && seen.insert(text)
        {
            frequencies.add(&words);
        }
        Ok(())
    })?;
    frequencies.freeze();
    Ok(Knowledge::of_words(frequencies))
}

fn nothing_to_read(sources: &[Source], collection: &Collection) -> Error {
    const NAMED: usize = 3;
    let names = sources
        .iter()
        .take(NAMED)
        .map(|source| source.name.as_str());
    let names: Vec<&str> = names.collect();
    let more = match sources.len() {
        n if n > NAMED => format!(" and {} more files", n - NAMED),
        _ => String::new(),
    };
    let mut message = format!("no page could be read from {}{more}", names.join(", "));
    match collection.rejects.first() {
        Some(reject) => message.push_str(&format!(
            ": {} of {} records were rejected, the first one in {}, record {}: {}",
            collection.rejects.len(),
            collection.read,
            sources[reject.source as usize].name,
            reject.record,
            reject.reason
        )),
        None => {
            let hold = if sources.len() == 1 {
                "file holds"
            } else {
                "files hold"
            };
            let (files, records) = (sources.len(), collection.read);
            message.push_str(&format!(
                ": {files} {hold} {records} records, none of them a page"
            ));
        }
    }
    Error::Usage(message)
}
