//! Compaction, and learning with a rebuild.

use std::path::Path;
use std::sync::Arc;

use retold::method::{Frequencies, Knowledge, Learns};
use retold::{Collection, Dedup, Error, Model, Result, RunConfig, Watch};
use rustc_hash::FxHashSet;

use crate::files::{replace, sealed, sync_folder};
use crate::index::Index;
use crate::limits::Limits;
use crate::links::{Link, LinkKind, links_of_run, renumbered};
use crate::log::{Kind, Log, frame};
use crate::record::{Entry, unpack};
use crate::state::{Manifest, State, model_name};
use crate::terms::keys_of_text;
use crate::writer::Writer;

const PIECE: usize = 8 << 20;

struct Build<'a> {
    folder: &'a Path,
    limits: Limits,
    state: State,
    log: Arc<Log>,
    bytes: Vec<u8>,
}

impl Index {
    /// All links, including those of removed pages.
    pub(crate) fn links(&self) -> Result<Vec<Link>> {
        let (segments, mut links) = {
            let state = self.read();
            let from = state.manifest.links_from;
            let mut segments = state.segments.clone();
            segments.retain(|segment| segment.named.number >= from);
            (segments, state.links.clone())
        };
        // In the order in which they were made.
        let mut of_segments = Vec::new();
        for segment in segments {
            of_segments.extend(segment.facts()?.links);
        }
        links.splice(..0, of_segments);
        Ok(links.into_iter().filter_map(Link::from_numbers).collect())
    }
}

impl Writer {
    /// Rewrites the index without removed pages.
    ///
    /// Needs disk space for a second copy while it runs. A crash leaves the old index.
    pub fn compact(&mut self, watch: &dyn Watch) -> Result<()> {
        let index = Arc::clone(self.index());
        let pages = index.live();
        let knows_relations = index.read().manifest.stories;
        let links = match knows_relations || pages.is_empty() {
            true => index.links()?,
            // 0.1 did not record the kind of links, so all pages are compared again.
            false => {
                let findings = index.findings(&RunConfig::default(), watch)?;
                let page = |rank: retold::Rank| pages[findings.by_id[rank.at()].at()];
                links_of_run(&findings, page, |a, b| index.are_one_frame(a, b))?
            }
        };
        self.rebuild(&pages, None, links, watch)
    }

    /// Learns from the current pages and switches to the new model, which starts a new epoch.
    ///
    /// Needs disk space for a second copy while it runs. A crash leaves the old index.
    ///
    /// Errors: the method learns nothing, or learns words and the index keeps no texts.
    pub fn learn(&mut self, resources: &RunConfig, watch: &dyn Watch) -> Result<()> {
        let index = Arc::clone(self.index());
        let model = index.model();
        let pages = index.live();
        let mut collection = Collection::new(&resources.memory()?);
        let known = match model.method().learns {
            Learns::Nothing => {
                return Err(Error::usage(format!(
                    "method {} learns nothing from a collection",
                    model.method().name
                )));
            }
            Learns::Words(_) => learn_words(&index, &pages, &model)?,
            Learns::Common(_) | Learns::Noise => {
                index.export(pages.clone(), &mut collection, watch)?;
                collection.knowledge(&model)?.unwrap_or_default()
            }
        };
        let model = model.with_knowledge(known);
        collection = Collection::new(&resources.memory()?);
        let sketches = Resketch::of(&index, &model);
        let texts = index.export_as(
            pages.clone(),
            &mut collection,
            &|page| sketches.entry(page),
            watch,
        )?;
        let findings = Dedup::new(model.clone())
            .resources(resources)
            .watch(watch)
            .run_sketched(collection, &texts)?;
        let page = |rank: retold::Rank| pages[findings.by_id[rank.at()].at()];
        let replaced = index.links()?.into_iter();
        let mut links: Vec<Link> = replaced
            .filter(|link| link.kind == LinkKind::Replaces)
            .collect();
        links.extend(links_of_run(&findings, page, |a, b| {
            index.are_one_frame(a, b)
        })?);
        self.rebuild(&pages, Some(&model), links, watch)
    }

    /// Replaces the index by one of these pages, in this order, with these links; with a new model, if one is given.
    fn rebuild(
        &mut self,
        pages: &[u32],
        model: Option<&Model>,
        links: Vec<Link>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let index = Arc::clone(self.index());
        let old = index.read().manifest.clone();
        let result = self.rebuilt(&index, &old, pages, model, links, watch);
        if result.is_err() {
            // The old index is intact; the partial new one only takes space.
            old.remove_others(index.folder())?;
        }
        let state = result?;
        let manifest = state.manifest.clone();
        *index.write() = state;
        manifest.remove_others(index.folder())
    }

    fn rebuilt(
        &self,
        index: &Index,
        old: &Manifest,
        pages: &[u32],
        model: Option<&Model>,
        links: Vec<Link>,
        watch: &dyn Watch,
    ) -> Result<State> {
        let current = index.model();
        let sketches = Resketch::of(index, model.unwrap_or(&current));
        let model_then = model.unwrap_or(&current).clone();
        let mut build = Build::begin(index.folder(), old, model_then, self.limits)?;
        build.state.manifest.gone += u64::from(index.read().visible) - pages.len() as u64;
        watch.begin("writing the index", pages.len() as u64);
        for &page in pages {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let entry = match model {
                Some(_) => sketches.entry(page)?,
                None => index.entry_of(page)?,
            };
            build.push(entry, &index.packed(page)?)?;
            watch.advance(1);
        }
        let links = renumbered(links.into_iter(), pages);
        build.state.add_links(links.into_iter());
        build.finish(model.is_some())
    }
}

/// Makes entries of pages with a new model. Their sketches change only if the model weighs words.
struct Resketch<'a> {
    index: &'a Index,
    model: &'a Model,
}

impl<'a> Resketch<'a> {
    fn of(index: &'a Index, model: &'a Model) -> Resketch<'a> {
        Resketch { index, model }
    }

    fn entry(&self, page: u32) -> Result<Entry> {
        let mut entry = self.index.entry_of(page)?;
        if matches!(self.model.method().learns, Learns::Words(_)) {
            let text = self.index.text_of(page)?.ok_or_else(no_texts)?;
            entry.sketch = self.model.sketch(&text, entry.sketch.site.as_deref())?;
        }
        Ok(entry)
    }
}

fn no_texts() -> Error {
    Error::usage(
        "the method needs document frequencies, and the index keeps no texts to count them in",
    )
}

/// Counts the document frequencies of the words of all pages; equal texts count once.
fn learn_words(index: &Index, pages: &[u32], model: &Model) -> Result<Knowledge> {
    let mut seen = FxHashSet::default();
    let mut failed = None;
    let mut words_of = |page: u32| -> Result<Option<Vec<u64>>> {
        let text = index.text_of(page)?.ok_or_else(no_texts)?;
        let hash = retold::internal::text_hash(&text);
        Ok(hash
            .filter(|&hash| seen.insert(hash))
            .map(|_| model.words(&text)))
    };
    let words = pages.iter().map_while(|&page| match words_of(page) {
        Ok(words) => Some(words),
        Err(e) => {
            failed = Some(e);
            None
        }
    });
    let frequencies = Frequencies::of(words.flatten());
    match failed {
        Some(e) => Err(e),
        None => Ok(Knowledge::of_words(frequencies)),
    }
}

impl<'a> Build<'a> {
    /// Starts a new index, with file numbers after those of the old one.
    fn begin(folder: &'a Path, old: &Manifest, model: Model, limits: Limits) -> Result<Build<'a>> {
        let number = old.next;
        let manifest = Manifest {
            logs: vec![(number, 0)],
            segments: Vec::new(),
            tail: 0,
            next: number + 1,
            urls: Some(0),
            addresses: Some(0),
            words: Some(0),
            stories: true,
            ..old.clone()
        };
        let log = Arc::new(Log::create(folder, number)?);
        let mut state = State::empty(manifest, model);
        state.logs.insert(number, Arc::clone(&log));
        Ok(Build {
            folder,
            limits,
            state,
            log,
            bytes: Vec::new(),
        })
    }

    fn push(&mut self, mut entry: Entry, packed: &[u8]) -> Result<()> {
        let text = unpack(packed, self.state.model.text_options(), &self.log.path)?;
        let words = text.as_ref().map_or_else(Vec::new, keys_of_text);
        if entry.language.is_none() {
            entry.language = text.and_then(|text| text.language()).map(str::to_owned);
        }
        let page = self.state.pages.len() as u32;
        let at = self.state.end + self.bytes.len() as u64;
        let bytes = entry.to_bytes();
        frame(&mut self.bytes, Kind::Page, page, &bytes, packed);
        let lengths = (bytes.len() as u32, packed.len() as u32);
        let number = self.state.manifest.last_log();
        self.state.add_page(&entry, &words, (number, at), lengths);
        if self.bytes.len() >= PIECE.min(self.limits.log as usize) {
            self.commit()?;
            if self.state.end >= self.limits.log {
                self.next_log()?;
            }
        }
        if self.state.memory.size() >= self.limits.postings {
            self.segment()?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        let state = &mut self.state;
        frame(
            &mut self.bytes,
            Kind::Commit,
            0,
            &state.end.to_le_bytes(),
            &[],
        );
        self.log.write(state.end, &self.bytes)?;
        state.end += self.bytes.len() as u64;
        self.bytes.clear();
        if let Some(log) = state.manifest.logs.last_mut() {
            log.1 = state.end;
        }
        Ok(())
    }

    fn next_log(&mut self) -> Result<()> {
        self.log.sync()?;
        let number = self.state.manifest.next;
        self.log = Arc::new(Log::create(self.folder, number)?);
        let state = &mut self.state;
        state.manifest.next += 1;
        state.manifest.logs.push((number, 0));
        state.logs.insert(number, Arc::clone(&self.log));
        state.end = 0;
        Ok(())
    }

    fn segment(&mut self) -> Result<()> {
        let state = &mut self.state;
        state.visible = state.pages.len() as u32;
        let mut manifest = state.manifest.clone();
        let segment = state.segment(self.folder, manifest.next)?;
        manifest.next += 1;
        manifest.segments.push(segment.named.clone());
        drop(state.seal(segment, manifest));
        Ok(())
    }

    fn finish(mut self, learnt: bool) -> Result<State> {
        self.commit()?;
        self.log.sync()?;
        self.segment()?;
        let state = &mut self.state;
        state.manifest.tail = state.end;
        if learnt {
            state.manifest.epoch += 1;
            state.manifest.learnt = state.pages.len() as u64;
            state.manifest.model = model_name(state.manifest.epoch);
            let json = state.model.to_json();
            replace(
                &self.folder.join(&state.manifest.model),
                sealed(&json).as_bytes(),
            )?;
        }
        sync_folder(self.folder)?;
        state.manifest.write(self.folder)?;
        Ok(self.state)
    }
}
