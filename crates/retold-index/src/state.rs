//! The state of an index at a moment: the files that the manifest names, opened, and the log beyond the last segment.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use retold::internal::loose_url;
use retold::{AddressRules, Error, Model, Result, SameUrl, Scope};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::catalog::{Stories, StoryCatalog};
use crate::columns::Columns;
use crate::files::{Bytes, damaged, remove, replace, sealed, unseal};
use crate::links::Link;
use crate::log::{Frame, Kind, Log};
use crate::memory::Memory;
use crate::pages::{Pages, Row, ScopeRow};
use crate::record::Entry;
use crate::segment::{Facts, Named, Segment};
use crate::terms::keys_of_packed;

pub(crate) const MANIFEST: &str = "manifest.json";
const FORMAT: u32 = 1;

/// Names the files of the index. It is always replaced as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: u32,
    /// The release that wrote the index, for information.
    pub(crate) release: String,
    pub(crate) generation: u64,
    pub(crate) epoch: u32,
    pub(crate) model: String,
    pub(crate) texts: bool,
    /// The logs, with the bytes of each that are known to be on disk.
    pub(crate) logs: Vec<(u32, u64)>,
    /// Segments, in the order of their pages.
    pub(crate) segments: Vec<Named>,
    /// Offset in the last log of the first page that is in no segment.
    pub(crate) tail: u64,
    pub(crate) next: u32,
    /// Number of pages that had been removed when pages were last renumbered; cursors count them.
    #[serde(default)]
    pub(crate) gone: u64,
    /// Pages from this number on can be found by URL; those that 0.1 added cannot.
    #[serde(default)]
    pub(crate) urls: Option<u32>,
    /// Pages from this number on can be found by any form of their URLs.
    #[serde(default)]
    pub(crate) addresses: Option<u32>,
    /// Pages from this number on can be found by the words of their texts; those that 0.1 added cannot.
    #[serde(default)]
    pub(crate) words: Option<u32>,
    /// Whether all links have a kind; those that 0.1 wrote have none.
    #[serde(default)]
    pub(crate) stories: bool,
    /// Whether the model learns again as the index grows; false for an index of an earlier release.
    #[serde(default)]
    pub(crate) learns: bool,
    /// Number of pages that the model last learnt from.
    #[serde(default)]
    pub(crate) learnt: u64,
    /// Links in segments with smaller numbers are ignored, because they were found under an earlier model. The segment with this number has
    /// all links as of the change of model.
    #[serde(default)]
    pub(crate) links_from: u32,
}

impl Manifest {
    /// The manifest of an empty index. `learnt`: number of texts that its model has learnt from.
    pub(crate) fn first(texts: bool, learns: bool, learnt: u64) -> Manifest {
        Manifest {
            format: FORMAT,
            release: env!("CARGO_PKG_VERSION").to_owned(),
            generation: 0,
            epoch: 1,
            model: model_name(1),
            texts,
            logs: vec![(1, 0)],
            segments: Vec::new(),
            tail: 0,
            next: 2,
            gone: 0,
            urls: Some(0),
            addresses: Some(0),
            words: Some(0),
            stories: true,
            learns,
            learnt,
            links_from: 0,
        }
    }

    pub(crate) fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(MANIFEST);
        let is_there = match path.try_exists() {
            Err(e) if e.kind() == ErrorKind::PermissionDenied => {
                return Err(Error::io("cannot read", &path)(e));
            }
            there => there.unwrap_or(false),
        };
        if !is_there {
            return Err(Error::usage(format!(
                "{}: not an index of retold (there is no {MANIFEST}); make one with `retold index create {}`",
                folder.display(),
                folder.display()
            )));
        }
        let text = unseal(&path)?;
        #[derive(Deserialize)]
        struct Format {
            format: u32,
            release: String,
        }
        let wrong = |e: serde_json::Error| damaged(&path, &e.to_string());
        let found: Format = serde_json::from_str(&text).map_err(wrong)?;
        if found.format != FORMAT {
            return Err(Error::Corrupt {
                path,
                reason: format!(
                    "an index of format {}, written by retold {}; this release ({}) reads format {FORMAT}: open it with \
                     that release",
                    found.format,
                    found.release,
                    env!("CARGO_PKG_VERSION")
                ),
            });
        }
        serde_json::from_str(&text).map_err(wrong)
    }

    pub(crate) fn write(&mut self, folder: &Path) -> Result<()> {
        self.generation += 1;
        self.release = env!("CARGO_PKG_VERSION").to_owned();
        let text = serde_json::to_string(self).map_err(|e| Error::usage(e.to_string()))?;
        replace(&folder.join(MANIFEST), sealed(&text).as_bytes())
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let logs = self.logs.iter().map(|&(number, _)| Log::name(number));
        let segments = self
            .segments
            .iter()
            .map(|named| Segment::name(named.number));
        let others = [
            MANIFEST.to_owned(),
            crate::lock::LOCK.to_owned(),
            self.model.clone(),
        ];
        logs.chain(segments).chain(others).collect()
    }

    /// Removes files left behind by a crash: those that are named like files of an index but do not belong to this one.
    pub(crate) fn remove_others(&self, folder: &Path) -> Result<()> {
        let own = self.files();
        let entries = std::fs::read_dir(folder).map_err(Error::io("cannot read", folder))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = ["log-", "seg-", "model-"]
                .iter()
                .any(|start| name.starts_with(start))
                || name.ends_with(".partial");
            if is_ours && !own.contains(&name) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    pub(crate) fn last_log(&self) -> u32 {
        self.logs.last().map_or(0, |log| log.0)
    }
}

pub(crate) fn model_name(epoch: u32) -> String {
    format!("model-{epoch:06}.json")
}

pub(crate) fn read_model(folder: &Path, manifest: &Manifest) -> Result<Model> {
    let path = folder.join(&manifest.model);
    let json = unseal(&path)?;
    Model::from_json(&json, folder).map_err(|e| Error::usage(format!("{}: {e}", path.display())))
}

pub(crate) fn id_key(id: &str) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), 1)
}

pub(crate) fn text_key(text: u128) -> u64 {
    xxh3_64_with_seed(&text.to_le_bytes(), 2)
}

/// The key by which pages that have no address key are found by their URL, unless the URL is the id.
pub(crate) fn url_key(entry: &Entry) -> Option<u64> {
    let url = entry.url.as_deref().filter(|url| *url != entry.id);
    url.map(key_of_url)
}

fn key_of_url(url: &str) -> u64 {
    xxh3_64_with_seed(url.as_bytes(), 3)
}

/// The key for finding a page by any form of its URL.
pub(crate) fn address_key(entry: &Entry) -> Option<u64> {
    entry.address().map(key_of_address)
}

fn key_of_address(url: &str) -> u64 {
    xxh3_64_with_seed(loose_url(url).as_bytes(), 5)
}

pub(crate) fn keys_of(entry: &Entry, words: &[u64]) -> impl Iterator<Item = u64> {
    let own = [
        Some(id_key(&entry.id)),
        address_key(entry),
        entry.sketch.text_hash.map(text_key),
    ];
    own.into_iter()
        .flatten()
        .chain(entry.sketch.keys.iter().copied())
        .chain(words.iter().copied())
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) manifest: Manifest,
    pub(crate) model: Model,
    pub(crate) logs: FxHashMap<u32, Arc<Log>>,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) pages: Pages,
    /// Postings that are in no segment yet.
    pub(crate) memory: Memory,
    /// Links of pages that are in no segment, and pages removed since the last segment.
    pub(crate) links: Vec<(u32, u32)>,
    pub(crate) gone: Vec<u32>,
    /// Pages from this number on are in no segment.
    pub(crate) fresh: u32,
    /// Pages before this number are committed.
    pub(crate) visible: u32,
    /// End of the last commit in the last log.
    pub(crate) end: u64,
    /// Columns for lists of pages, as far as they were loaded.
    pub(crate) columns: Arc<Mutex<Columns>>,
    stories: Mutex<Stories>,
}

impl State {
    pub(crate) fn empty(manifest: Manifest, model: Model) -> State {
        State {
            model,
            logs: FxHashMap::default(),
            segments: Vec::new(),
            pages: Pages::default(),
            memory: Memory::default(),
            links: Vec::new(),
            gone: Vec::new(),
            fresh: 0,
            visible: 0,
            end: manifest.tail,
            columns: Arc::default(),
            stories: Mutex::default(),
            manifest,
        }
    }

    pub(crate) fn open(folder: &Path, write: bool) -> Result<State> {
        let manifest = Manifest::read(folder)?;
        let model = read_model(folder, &manifest)?;
        let mut state = State::empty(manifest, model);
        for named in state.manifest.segments.clone() {
            if named.pages.start != state.fresh {
                return Err(damaged(
                    &folder.join(MANIFEST),
                    "segments do not follow each other",
                ));
            }
            let (segment, mut facts) = Segment::open(folder, &named)?;
            if named.number < state.manifest.links_from {
                facts.links.clear();
            }
            state.apply_facts(&facts);
            state.fresh = named.pages.end;
            state.segments.push(Arc::new(segment));
        }
        state.visible = state.fresh;
        state.manifest.urls.get_or_insert(state.fresh);
        state.manifest.addresses.get_or_insert(state.fresh);
        state.manifest.words.get_or_insert(state.fresh);
        let last = state.manifest.last_log();
        for &(number, length) in &state.manifest.logs {
            let log = Log::open(folder, number, write && number == last)?;
            let found = log.len()?;
            if found < length || (number != last && found != length) {
                let what = format!("it has {found} bytes and had {length}");
                return Err(damaged(&log.path, &what));
            }
            state.logs.insert(number, Arc::new(log));
        }
        state.complete_scopes()?;
        state.catch_up()?;
        Ok(state)
    }

    /// Reads pair-filter values from the entries, for pages in segments that do not store them.
    fn complete_scopes(&mut self) -> Result<()> {
        if self.model.config().filters.is_empty() {
            return Ok(());
        }
        let pages = self.pages.first_unscoped()..self.fresh;
        let scopes = pages.into_par_iter().map(|page| {
            let entry = self.entry(page)?;
            Ok(ScopeRow::of(&entry.scope(&self.model)))
        });
        let scopes = scopes.collect::<Result<Vec<ScopeRow>>>()?;
        self.pages.extend_scopes(scopes);
        Ok(())
    }

    /// Whether pair filters exclude comparing a page that has the values `scope` with `page`.
    pub(crate) fn forbids(&self, scope: &Scope, page: u32) -> bool {
        self.pages.scope(page).is_some_and(|row| {
            let filters = &self.model.config().filters;
            filters.forbids(scope, &row.scope(&self.model)).is_some()
        })
    }

    fn apply_facts(&mut self, facts: &Facts) {
        // Once one segment has no values, those of later pages are read from entries as well.
        if self.pages.first_unscoped() as usize == self.pages.len() {
            self.pages.extend_scopes(facts.scopes.iter().copied());
        }
        facts.rows.iter().for_each(|&row| self.pages.push(row));
        let links = facts.links.iter().copied();
        let changed = changed(&mut self.stories);
        links
            .filter_map(Link::from_numbers)
            .for_each(|link| self.pages.link(link, changed));
        self.pages.remove(&facts.gone, changed);
    }

    /// The stories as of the last commit, brought up to date once after each commit.
    pub(crate) fn catalog(&self) -> Arc<StoryCatalog> {
        let at = (self.manifest.last_log(), self.end);
        let mut stories = self.stories.lock().unwrap_or_else(PoisonError::into_inner);
        stories.catalog(at, &self.pages, self.visible)
    }

    /// The log that is appended to.
    pub(crate) fn log(&self) -> Result<Arc<Log>> {
        self.log_of(self.manifest.last_log())
    }

    pub(crate) fn log_of(&self, number: u32) -> Result<Arc<Log>> {
        let log = self.logs.get(&number);
        log.cloned()
            .ok_or_else(|| Error::usage(format!("the index has no log {number}: it is damaged")))
    }

    pub(crate) fn catch_up(&mut self) -> Result<()> {
        let log = self.log()?;
        let sure = self.manifest.logs.last().map_or(0, |log| log.1);
        let number = self.manifest.last_log();
        self.end = log.replay(self.end, sure, |frames| self.apply(&log, number, frames))?;
        Ok(())
    }

    fn apply(&mut self, log: &Log, number: u32, frames: Vec<Frame>) -> Result<()> {
        for frame in frames {
            let wrong = |what: &str| {
                let at = frame.at;
                damaged(&log.path, &format!("the frame at byte {at} {what}"))
            };
            match frame.head.kind {
                Kind::Page => {
                    if frame.head.page as usize != self.pages.len() {
                        return Err(wrong("is out of order"));
                    }
                    let entry = Entry::from_bytes(&frame.first, &log.path)?;
                    let lengths = (frame.head.first, frame.head.second);
                    // Not on several threads: they may wait for readers that wait for this one.
                    let options = self.model.text_options();
                    let words = keys_of_packed(&frame.second, options, &log.path)?;
                    self.add_page(&entry, &words, (number, frame.at), lengths);
                }
                Kind::Links => {
                    let pairs = Bytes(&frame.first)
                        .all_u32()
                        .ok_or_else(|| wrong("is cut"))?;
                    let (pairs, _) = pairs.as_chunks::<2>();
                    let links = pairs.iter().map(|&[a, b]| (a, b));
                    self.add_links(links.filter_map(Link::from_numbers));
                }
                Kind::Gone => {
                    let pages = Bytes(&frame.first)
                        .all_u32()
                        .ok_or_else(|| wrong("is cut"))?;
                    self.remove_pages(&pages);
                }
                Kind::Commit => {}
            }
        }
        self.visible = self.pages.len() as u32;
        Ok(())
    }

    /// Adds a page with the words of its text and the location of its frame.
    pub(crate) fn add_page(
        &mut self,
        entry: &Entry,
        words: &[u64],
        place: (u32, u64),
        lengths: (u32, u32),
    ) {
        let page = self.pages.len() as u32;
        keys_of(entry, &[]).for_each(|key| self.memory.push(key, page));
        self.memory.push_words(words, page);
        self.pages.push(Row {
            log: place.0,
            at: place.1,
            lengths,
            keys: entry.sketch.keys.len() as u32,
            moment: entry.moment(),
        });
        if !self.model.config().filters.is_empty() {
            let scope = entry.scope(&self.model);
            self.pages.extend_scopes([ScopeRow::of(&scope)]);
        }
    }

    pub(crate) fn add_links(&mut self, links: impl Iterator<Item = Link>) {
        let changed = changed(&mut self.stories);
        for link in links {
            self.pages.link(link, changed);
            self.links.push(link.to_numbers());
        }
    }

    pub(crate) fn remove_pages(&mut self, pages: &[u32]) {
        self.pages.remove(pages, changed(&mut self.stories));
        self.gone.extend(pages);
    }

    /// Passes the pages below `before` that have a key other than a word to `take`, latest first, until `take` returns false. Includes
    /// removed pages.
    pub(crate) fn each_page(
        &self,
        key: u64,
        before: u32,
        take: impl FnMut(u32) -> bool,
    ) -> Result<()> {
        self.each_of(self.memory.pages(key).iter().copied(), key, before, take)
    }

    /// As `each_page`, for a word.
    pub(crate) fn each_with_word(
        &self,
        key: u64,
        before: u32,
        take: impl FnMut(u32) -> bool,
    ) -> Result<()> {
        self.each_of(self.memory.with_word(key), key, before, take)
    }

    /// Passes the pages of a key to `take`: first `fresh`, which are in no segment, then those in segments.
    fn each_of(
        &self,
        fresh: impl DoubleEndedIterator<Item = u32>,
        key: u64,
        before: u32,
        mut take: impl FnMut(u32) -> bool,
    ) -> Result<()> {
        let mut goes_on = true;
        for page in fresh.rev().filter(|&page| page < before) {
            goes_on = goes_on && take(page);
        }
        for segment in self
            .segments
            .iter()
            .rev()
            .filter(|s| s.named.pages.start < before)
        {
            if !goes_on {
                break;
            }
            segment.pages(key, |page| {
                goes_on = page >= before || take(page);
                goes_on
            })?;
        }
        Ok(())
    }

    /// An estimate of the number of pages with a key; for a word, only of pages in segments.
    pub(crate) fn guess(&self, key: u64) -> usize {
        let segments = self.segments.iter().map(|segment| segment.guess(key));
        self.memory.pages(key).len() + segments.sum::<usize>()
    }

    pub(crate) fn entry(&self, page: u32) -> Result<Entry> {
        let row = *self.pages.row(page).ok_or_else(|| no_page(page))?;
        let log = self.log_of(row.log)?;
        Entry::from_bytes(&log.first(row.at, row.lengths.0)?, &log.path)
    }

    /// The keys of the words of a page's text.
    pub(crate) fn words(&self, page: u32) -> Result<Vec<u64>> {
        let row = *self.pages.row(page).ok_or_else(|| no_page(page))?;
        let log = self.log_of(row.log)?;
        let packed = log.second(row.at, row.lengths)?;
        keys_of_packed(&packed, self.model.text_options(), &log.path)
    }

    /// The newest page with an id, below `before`, that `is_there` accepts.
    pub(crate) fn find(
        &self,
        id: &str,
        before: u32,
        is_there: impl Fn(u32) -> bool,
    ) -> Result<Option<(u32, Entry)>> {
        self.newest(id_key(id), before, is_there, |entry| entry.id == id)
    }

    /// The newest page with a URL, in any form that leads to the same page.
    pub(crate) fn find_url(&self, url: &str) -> Result<Option<(u32, Entry)>> {
        let rules = self.address_rules();
        let address = rules.of_url(Some(url));
        self.find_address(
            url,
            self.visible,
            |_| true,
            |entry| rules.of_url(entry.address()) == address,
        )
    }

    /// The newest live page below `before` with a form of this URL that `is_there` and `is_of` accept.
    pub(crate) fn find_address(
        &self,
        url: &str,
        before: u32,
        is_there: impl Fn(u32) -> bool,
        is_of: impl Fn(&Entry) -> bool,
    ) -> Result<Option<(u32, Entry)>> {
        let newest = |key: u64| {
            let is_there = |page| self.pages.is_live(page) && is_there(page);
            self.newest(key, before, is_there, &is_of)
        };
        // Pages without an address key are found by the URL as it was written.
        let keys = [key_of_address(url), id_key(url), key_of_url(url)];
        let found = keys.map(newest).into_iter().collect::<Result<Vec<_>>>()?;
        Ok(found.into_iter().flatten().max_by_key(|(page, _)| *page))
    }

    /// Which URLs lead to the same page: those of the model, or else the normalised ones.
    pub(crate) fn address_rules(&self) -> AddressRules {
        let own = self.model.config().addresses;
        match own.same_url {
            SameUrl::Loose => own,
            _ => AddressRules {
                same_url: SameUrl::Normalised,
                ..own
            },
        }
    }

    /// The newest page with a key, below `before`, that `is_there` and `is_of` accept.
    fn newest(
        &self,
        key: u64,
        before: u32,
        is_there: impl Fn(u32) -> bool,
        is_of: impl Fn(&Entry) -> bool,
    ) -> Result<Option<(u32, Entry)>> {
        let mut pages = Vec::new();
        self.each_page(key, before, |page| {
            pages.push(page);
            true
        })?;
        pages.retain(|&page| is_there(page));
        pages.sort_unstable_by(|a, b| b.cmp(a));
        for page in pages {
            let entry = self.entry(page)?;
            if is_of(&entry) {
                return Ok(Some((page, entry)));
            }
        }
        Ok(None)
    }
}

fn changed(stories: &mut Mutex<Stories>) -> &mut FxHashSet<u32> {
    let stories = stories.get_mut().unwrap_or_else(PoisonError::into_inner);
    &mut stories.changed
}

pub(crate) fn no_page(page: u32) -> Error {
    Error::usage(format!("the index has no page {page}: it is damaged"))
}
