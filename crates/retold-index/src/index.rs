//! Reading an index.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use retold::explain::{ComparedPage, Explanation, Offsets, explain_pair};
use retold::internal::{date_seconds, site_of};
use retold::method::Text;
use retold::{Error, Model, Page, Result};
use serde::Serialize;

use crate::figures::StoryFigures;
use crate::judge::Judge;
use crate::limits::LONGEST_ID;
use crate::record::{Entry, unpack};
use crate::state::{Manifest, State};

/// Identifies the full fingerprint of a page's text under a model: the epoch and a hash of the page. Page numbers would not do, because
/// they change; nor would the text, because pages with equal texts may differ in main text.
type FingerprintKey = (u32, u128);

#[derive(Clone)]
pub(crate) struct FingerprintWeight;

impl Weighter<FingerprintKey, Arc<[u64]>> for FingerprintWeight {
    fn weight(&self, _: &FingerprintKey, fingerprint: &Arc<[u64]>) -> u64 {
        64 + 8 * fingerprint.len() as u64
    }
}

const TITLE: usize = 200;

/// An index, open for reading. Only complete commits are visible.
#[derive(Debug)]
pub struct Index {
    folder: PathBuf,
    state: RwLock<State>,
    pub(crate) fingerprints: Cache<FingerprintKey, Arc<[u64]>, FingerprintWeight>,
}

/// An index in numbers.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Pages in the index.
    pub pages: u64,
    /// Pages removed or replaced since the last compaction.
    pub gone: u64,
    /// The stories in numbers.
    pub stories: StoryFigures,
    /// Postings. A page has one for each key of its sketch, one each for its id and its text, one for its URL if it differs from the id,
    /// and one for each of its words.
    pub postings: u64,
    /// Segments.
    pub segments: u64,
    /// Logs.
    pub logs: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Bytes that compaction would free.
    pub gone_bytes: u64,
    /// How often the model has learnt.
    pub epoch: u32,
    /// The method.
    pub method: String,
    /// Distinct texts that the model learnt from; `null` if it has learnt nothing.
    pub learnt_texts: Option<u64>,
    /// What verdicts are based on: `texts`, or `sketches` if the index keeps no texts or the method does not verify.
    pub verdicts: &'static str,
    /// The release that wrote it.
    pub release: String,
    /// The version of the format.
    pub format: u32,
}

/// A page prepared for an index.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prepared {
    /// Everything but the text.
    pub entry: Entry,
    /// The text.
    pub text: Text,
}

impl Prepared {
    /// The fingerprint for verification, if the model verifies.
    pub(crate) fn fingerprint(&self, judge: &Judge) -> Option<Arc<[u64]>> {
        let verifier = judge.model.verifier()?;
        Some(verifier.fingerprint(&self.text).into())
    }

    /// Approximate bytes of memory of the page.
    pub fn memory(&self) -> usize {
        let Entry {
            id,
            url,
            date,
            title,
            sketch,
            ..
        } = &self.entry;
        let told = [Some(id), url.as_ref(), date.as_ref(), title.as_ref()];
        let told: usize = told.into_iter().flatten().map(String::len).sum();
        let numbers = sketch.keys.len() + sketch.marks.len() + sketch.extra.len();
        size_of::<Prepared>() + told + 8 * numbers + self.text.memory()
    }
}

impl Index {
    /// Whether the folder holds an index.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(crate::state::MANIFEST).is_file()
    }

    /// `memory`: bytes of full fingerprints to cache.
    pub(crate) fn of(folder: &Path, state: State, memory: u64) -> Index {
        Index {
            folder: folder.to_owned(),
            state: RwLock::new(state),
            fingerprints: Cache::with_weighter(1 << 14, memory, FingerprintWeight),
        }
    }

    /// Loads what a writer has committed since.
    pub fn refresh(&self) -> Result<()> {
        let manifest = Manifest::read(&self.folder)?;
        if manifest.generation == self.read().manifest.generation {
            return self.write().catch_up();
        }
        *self.write() = opened(&self.folder)?;
        Ok(())
    }

    /// The folder of the index.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The model.
    pub fn model(&self) -> Model {
        self.read().model.clone()
    }

    /// Whether the index keeps texts.
    pub fn keeps_texts(&self) -> bool {
        self.read().manifest.texts
    }

    /// The number of pages.
    pub fn len(&self) -> usize {
        self.read().pages.live()
    }

    /// Whether there are no pages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Statistics of the index.
    pub fn stats(&self) -> Result<Stats> {
        let state = self.read();
        let files = state.manifest.files();
        let bytes = files
            .iter()
            .map(|name| std::fs::metadata(self.folder.join(name)).map_or(0, |file| file.len()));
        let postings: u64 = state
            .segments
            .iter()
            .map(|segment| segment.named.postings)
            .sum();
        Ok(Stats {
            pages: state.pages.live() as u64,
            gone: (state.pages.len() - state.pages.live()) as u64,
            stories: StoryFigures::of(&state),
            postings: postings + state.memory.len() as u64,
            segments: state.segments.len() as u64,
            logs: state.logs.len() as u64,
            bytes: bytes.sum(),
            gone_bytes: state.pages.gone_bytes(),
            epoch: state.manifest.epoch,
            method: state.model.method().name.to_owned(),
            learnt_texts: state.model.knowledge().map(|known| known.texts),
            verdicts: match state.model.verifier() {
                Some(_) => "texts",
                None => "sketches",
            },
            release: state.manifest.release.clone(),
            format: state.manifest.format,
        })
    }

    /// Extracts from a page what the index stores: entry, sketch and text.
    ///
    /// Errors: its id has more than [`LONGEST_ID`] bytes; those of [`Model::text`] and [`Model::sketch`].
    pub fn prepare(&self, page: Page) -> Result<Prepared> {
        if page.id.len() > LONGEST_ID {
            let bytes = page.id.len();
            return Err(Error::Unreadable(format!(
                "its id has {bytes} bytes, more than {LONGEST_ID}"
            )));
        }
        let model = self.model();
        let text = model.text(&page)?;
        let sketch = model.sketch(&text, page.site().as_deref());
        let date = page.date.clone().or_else(|| text.meta.date.clone());
        let title = page.title.as_deref().or(text.meta.title.as_deref());
        let entry = Entry {
            sketch: sketch?,
            url: page.url.clone().or_else(|| canonical(&page, &text)),
            seconds: date.as_deref().and_then(date_seconds),
            date,
            added: jiff::Timestamp::now().as_second(),
            title: title.map(|title| title.chars().take(TITLE).collect()),
            language: text.language().map(str::to_owned),
            bytes: page.content.len() as u64,
            seen: model.seen(&page, &text, ""),
            id: page.id,
        };
        Ok(Prepared { entry, text })
    }

    /// The page with this id.
    pub fn get(&self, id: &str) -> Result<Option<Entry>> {
        Ok(self.find(id)?.map(|(_, entry)| entry))
    }

    /// The newest page with this URL. Pages added by 0.1 are found only after `compact`.
    pub fn find_url(&self, url: &str) -> Result<Option<Entry>> {
        Ok(self.read().find_url(url)?.map(|(_, entry)| entry))
    }

    /// The page with this id and its text; the text is `None` if the index keeps none.
    pub fn get_with_text(&self, id: &str) -> Result<Option<(Entry, Option<Text>)>> {
        self.with_text(self.find(id)?)
    }

    /// The newest page with this URL and its text; the text is `None` if the index keeps none.
    pub fn find_url_with_text(&self, url: &str) -> Result<Option<(Entry, Option<Text>)>> {
        let found = self.read().find_url(url)?;
        self.with_text(found)
    }

    fn with_text(&self, found: Option<(u32, Entry)>) -> Result<Option<(Entry, Option<Text>)>> {
        found
            .map(|(page, entry)| Ok((entry, self.text_of(page)?)))
            .transpose()
    }

    /// The page with this id and its number.
    pub(crate) fn find(&self, id: &str) -> Result<Option<(u32, Entry)>> {
        let state = self.read();
        state.find(id, state.visible, |page| state.pages.is_live(page))
    }

    /// The text of the page with this id; `None` if there is no such page or the index keeps no texts.
    pub fn text(&self, id: &str) -> Result<Option<Text>> {
        match self.find(id)? {
            Some((page, _)) => self.text_of(page),
            None => Err(unknown(id)),
        }
    }

    pub(crate) fn text_of(&self, page: u32) -> Result<Option<Text>> {
        let (row, log, options) = {
            let state = self.read();
            let row = state
                .pages
                .row(page)
                .ok_or_else(|| crate::state::no_page(page))?;
            (
                *row,
                state.log_of(row.log)?,
                state.model.text_options().clone(),
            )
        };
        unpack(&log.second(row.at, row.lengths)?, &options, &log.path)
    }

    /// The compressed text of a page.
    pub(crate) fn packed(&self, page: u32) -> Result<Vec<u8>> {
        let (row, log) = {
            let state = self.read();
            let row = state
                .pages
                .row(page)
                .ok_or_else(|| crate::state::no_page(page))?;
            (*row, state.log_of(row.log)?)
        };
        log.second(row.at, row.lengths)
    }

    /// Explains why two pages are related or not; positions are counted in `offsets`.
    ///
    /// Errors: one of the pages does not exist; the index keeps no texts.
    pub fn explain(&self, a: &str, b: &str, offsets: Offsets) -> Result<Explanation> {
        let [a, b] = [self.side(a)?, self.side(b)?];
        explain_pair(&a, &b, &self.model(), offsets)
    }

    /// The page with this id, prepared for `explain`.
    pub fn side(&self, id: &str) -> Result<ComparedPage> {
        let (page, entry) = self.find(id)?.ok_or_else(|| unknown(id))?;
        self.side_of(page, entry)
    }

    /// As `side`, for a page that was found.
    pub(crate) fn side_of(&self, page: u32, entry: Entry) -> Result<ComparedPage> {
        let text = self.text_of(page)?.ok_or_else(|| {
            Error::usage(format!(
                "{}: the index keeps no texts, so nothing can be shown of that of `{}`",
                self.folder.display(),
                entry.id
            ))
        })?;
        Ok(ComparedPage {
            scope: entry.scope(&self.model()),
            id: entry.id,
            url: entry.url,
            site: entry.sketch.site,
            date: entry.date,
            text,
        })
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often an open is retried when a writer replaces files meanwhile.
pub(crate) const TRIES: usize = 20;

pub(crate) fn opened(folder: &Path) -> Result<State> {
    let mut tries = 0;
    loop {
        match State::open(folder, false) {
            Err(Error::Io { source, .. })
                if source.kind() == std::io::ErrorKind::NotFound && tries < TRIES =>
            {
                tries += 1;
            }
            opened => return opened,
        }
    }
}

/// The address that a page without one names as its own; one of another site than the page's may be wrong on purpose.
fn canonical(page: &Page, text: &Text) -> Option<String> {
    let named = text.meta.canonical.as_ref()?;
    let is_own = page.site.is_none() || site_of(named) == page.site;
    is_own.then(|| named.clone())
}

pub(crate) fn unknown(id: &str) -> Error {
    Error::usage(format!("no page of the index has the id `{id}`"))
}
