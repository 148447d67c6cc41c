//! Reading an index.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use retold::explain::{ComparedPage, Explanation, Offsets, explain_pair};
use retold::internal::date_seconds;
use retold::method::Text;
use retold::{Error, Model, Page, Result};
use serde::Serialize;

use crate::figures::StoryFigures;
use crate::judge::Judge;
use crate::record::{Entry, unpack};
use crate::state::{Manifest, State};

/// Names the full fingerprint of a page's text under a model: the epoch, and a hash of what the page is (pages of one text may differ in what is main
/// text, and numbers of pages change).
type FingerprintKey = (u32, u128);

/// Weighs full fingerprints by their bytes.
#[derive(Clone)]
pub(crate) struct Bytes;

impl Weighter<FingerprintKey, Arc<[u64]>> for Bytes {
    fn weight(&self, _: &FingerprintKey, fingerprint: &Arc<[u64]>) -> u64 {
        64 + 8 * fingerprint.len() as u64
    }
}

/// Characters of a title that are kept.
const TITLE: usize = 200;

/// An index, open for reading. It shows whole commits only.
#[derive(Debug)]
pub struct Index {
    folder: PathBuf,
    state: RwLock<State>,
    pub(crate) fingerprints: Cache<FingerprintKey, Arc<[u64]>, Bytes>,
}

/// An index in numbers.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Pages that are there.
    pub pages: u64,
    /// Pages that were removed or replaced since the last compaction.
    pub gone: u64,
    /// Its stories in numbers.
    pub stories: StoryFigures,
    /// Postings: a page has one for each key of its sketch, one for its id, one for its URL if that is another, one for its text, and one for each word of it.
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
    /// Different texts that the model has learnt from; `null` if it has learnt nothing.
    pub learnt_texts: Option<u64>,
    /// What verdicts rest on: `texts`, or `sketches` if texts are not kept or the method does not look at them.
    pub verdicts: &'static str,
    /// The release that wrote it.
    pub release: String,
    /// The version of the format.
    pub format: u32,
}

/// A page as it will stand in an index.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prepared {
    /// All but its text.
    pub entry: Entry,
    /// Its text.
    pub text: Text,
}

impl Prepared {
    /// What verification needs of its text, if the model verifies.
    pub(crate) fn fingerprint(&self, judge: &Judge) -> Option<Arc<[u64]>> {
        let verifier = judge.model.verifier()?;
        Some(verifier.fingerprint(&self.text).into())
    }

    /// About how many bytes of memory it takes.
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
    /// True if there is an index in the folder.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(crate::state::MANIFEST).is_file()
    }

    /// `memory`: bytes of full fingerprints that are kept.
    pub(crate) fn of(folder: &Path, state: State, memory: u64) -> Index {
        Index {
            folder: folder.to_owned(),
            state: RwLock::new(state),
            fingerprints: Cache::with_weighter(1 << 14, memory, Bytes),
        }
    }

    /// Takes in what a writer has committed since.
    pub fn refresh(&self) -> Result<()> {
        let manifest = Manifest::read(&self.folder)?;
        if manifest.generation == self.read().manifest.generation {
            return self.write().catch_up();
        }
        *self.write() = opened(&self.folder)?;
        Ok(())
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What judges.
    pub fn model(&self) -> Model {
        self.read().model.clone()
    }

    /// Whether texts are kept.
    pub fn keeps_texts(&self) -> bool {
        self.read().manifest.texts
    }

    /// How many pages are there.
    pub fn len(&self) -> usize {
        self.read().pages.live()
    }

    /// True if there is no page.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index in numbers.
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

    /// Makes of a page what the index keeps of it.
    ///
    /// Errors: those of [`Model::text`] and [`Model::sketch`].
    pub fn prepare(&self, page: Page) -> Result<Prepared> {
        let model = self.model();
        let text = model.text(&page)?;
        let sketch = model.sketch(&text, page.site().as_deref());
        let date = page.date.clone().or_else(|| text.meta.date.clone());
        let title = page.title.as_deref().or(text.meta.title.as_deref());
        let entry = Entry {
            sketch: sketch?,
            url: page.url.clone().or_else(|| text.meta.canonical.clone()),
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

    /// The page of an id.
    pub fn get(&self, id: &str) -> Result<Option<Entry>> {
        Ok(self.find(id)?.map(|(_, entry)| entry))
    }

    /// The page of a URL, the newest if there are several. Pages that 0.1 has added are found after `compact`.
    pub fn find_url(&self, url: &str) -> Result<Option<Entry>> {
        Ok(self.read().find_url(url)?.map(|(_, entry)| entry))
    }

    /// The same as [`Index::get`], and its text; none if texts are not kept.
    pub fn get_with_text(&self, id: &str) -> Result<Option<(Entry, Option<Text>)>> {
        self.with_text(self.find(id)?)
    }

    /// The same as [`Index::find_url`], and its text; none if texts are not kept.
    pub fn find_url_with_text(&self, url: &str) -> Result<Option<(Entry, Option<Text>)>> {
        let found = self.read().find_url(url)?;
        self.with_text(found)
    }

    fn with_text(&self, found: Option<(u32, Entry)>) -> Result<Option<(Entry, Option<Text>)>> {
        found
            .map(|(page, entry)| Ok((entry, self.text_of(page)?)))
            .transpose()
    }

    /// The same as [`Index::get`], and its number.
    pub(crate) fn find(&self, id: &str) -> Result<Option<(u32, Entry)>> {
        let state = self.read();
        state.find(id, state.visible, |page| state.pages.is_live(page))
    }

    /// The text of the page of an id; `None` if texts are not kept.
    pub fn text(&self, id: &str) -> Result<Option<Text>> {
        match self.find(id)? {
            Some((page, _)) => self.text_of(page),
            None => Err(unknown(id)),
        }
    }

    /// The text of a page.
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

    /// The kept form of a page's text.
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

    /// Why two pages are related, or are not; places are counted in `offsets`.
    ///
    /// Errors: one of them is not there, texts are not kept.
    pub fn explain(&self, a: &str, b: &str, offsets: Offsets) -> Result<Explanation> {
        let [a, b] = [self.side(a)?, self.side(b)?];
        explain_pair(&a, &b, &self.model(), offsets)
    }

    /// A page as `explain` wants it.
    pub fn side(&self, id: &str) -> Result<ComparedPage> {
        self.side_of(self.find(id)?.ok_or_else(|| unknown(id))?)
    }

    /// The same of a page that was found.
    pub(crate) fn side_of(&self, (page, entry): (u32, Entry)) -> Result<ComparedPage> {
        let text = self.text_of(page)?.ok_or_else(|| {
            Error::usage(format!(
                "{}: the index was made with --no-texts, so nothing can be shown of the text of `{}`",
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

/// How often files may vanish below a reader, because a writer has just put others in their place.
pub(crate) const TRIES: usize = 20;

/// The index in a folder as it is now.
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

/// No page has that id.
pub(crate) fn unknown(id: &str) -> Error {
    Error::usage(format!("no page of the index has the id `{id}`"))
}
