//! Versions of a page: which page of the index a new one replaces, and what it was before.

use retold::internal::normalised_url;
use retold::{Result, SameUrl};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::edits::Edits;
use crate::index::{Index, unknown};
use crate::links::LinkKind;
use crate::record::Entry;
use crate::state::{State, text_key};
use crate::story::written;

/// A page with less than this part of an older version's text is not taken for the same page, as in a batch run.
const LEAST_PART: u64 = 3;

/// A version of a page that a newer one has replaced.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PageVersion {
    /// Its id, which may have been another form of the address.
    pub id: String,
    /// Date of publication, or of adding if there is none.
    pub seen: String,
    /// Title.
    pub title: Option<String>,
    /// Characters of its text, not counting white space.
    pub chars: u64,
    /// Its visible text; `None` if the index keeps no texts.
    pub text: Option<String>,
    /// What the version after it changed; `None` if the index keeps no texts.
    pub edits: Option<Edits>,
}

impl State {
    /// What identifies a page beside its id: its address, if the index was made with `same_url` or the id is the address.
    pub(crate) fn identity(&self, entry: &Entry) -> Option<String> {
        let rules = self.model.config().addresses;
        match rules.same_url {
            SameUrl::Off if entry.is_named_by_url() => entry.address().map(normalised_url),
            _ => rules.of_url(entry.address()),
        }
    }

    /// The live page below `before` that a page with this entry and identity would be a version of. `is_gone`: pages that are about to be
    /// replaced.
    pub(crate) fn version_of(
        &self,
        entry: &Entry,
        own: Option<&str>,
        before: u32,
        is_gone: &dyn Fn(u32) -> bool,
    ) -> Result<Option<(u32, Entry)>> {
        let is_there = |page| self.pages.is_live(page) && !is_gone(page);
        let found = self.find(&entry.id, before, is_there)?;
        if found.is_some() {
            return Ok(found);
        }
        let Some((own, url)) = own.zip(entry.address()) else {
            return Ok(None);
        };
        let is_of = |other: &Entry| self.identity(other).as_deref() == Some(own);
        self.find_address(url, before, is_there, is_of)
    }

    /// Whether a new version of an address replaces the old one: the newer of both does, unless it says much less.
    pub(crate) fn replaces(&self, new: &Entry, old: &Entry) -> Result<bool> {
        if self.model.config().addresses.same_url == SameUrl::Off {
            return Ok(true);
        }
        let is_newer = new.moment() >= old.moment();
        let (newer, older) = if is_newer { (new, old) } else { (old, new) };
        let [less, more] = [newer, older].map(|entry| entry.sketch.chars);
        let is_lesser = less * LEAST_PART < more
            || less < more && self.is_elsewhere(newer)? && !self.is_elsewhere(older)?;
        Ok(is_newer != is_lesser)
    }

    /// Whether a page at another address has the same text: a challenge, a login.
    fn is_elsewhere(&self, entry: &Entry) -> Result<bool> {
        let Some(text) = entry.sketch.text_hash else {
            return Ok(false);
        };
        let mut pages = Vec::new();
        self.each_page(text_key(text), self.visible, |page| {
            pages.push(page);
            true
        })?;
        let own = self.identity(entry);
        for page in pages.into_iter().filter(|&page| self.pages.is_live(page)) {
            let other = self.entry(page)?;
            let identity = self.identity(&other);
            if other.sketch.text_hash == Some(text) && identity.is_some() && identity != own {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Index {
    /// The versions that the page with this id has replaced, latest first, as far as they were not removed by `compact`.
    ///
    /// Errors: there is no such page. Time O(links of the index).
    pub fn versions(&self, id: &str) -> Result<Vec<PageVersion>> {
        let (mut page, mut newer) = self.find(id)?.ok_or_else(|| unknown(id))?;
        let replaced = self.replaced()?;
        let mut versions = Vec::new();
        while let Some((older, entry)) = self.replaced_by(page, &newer, &replaced)? {
            versions.push(self.version_before((page, newer), (older, &entry))?);
            (page, newer) = (older, entry);
        }
        Ok(versions)
    }

    /// The pages that have replaced older versions since a moment, in seconds since 1970, in the order of adding, with the version before.
    ///
    /// Time O(links of the index), and that of aligning the texts of these pages.
    pub fn replaced_since(&self, since: i64) -> Result<Vec<(Entry, PageVersion)>> {
        let replaced = self.replaced()?;
        let mut pages: Vec<u32> = {
            let state = self.read();
            let pages = replaced.keys().copied();
            pages
                .filter(|&page| page < state.visible && state.pages.is_live(page))
                .collect()
        };
        pages.sort_unstable();
        let mut changed = Vec::new();
        for page in pages {
            let entry = self.entry_of(page)?;
            if entry.added < since {
                continue;
            }
            if let Some((older, before)) = self.replaced_by(page, &entry, &replaced)? {
                let version = self.version_before((page, entry.clone()), (older, &before))?;
                changed.push((entry, version));
            }
        }
        Ok(changed)
    }

    /// For each page that replaced another: that one.
    fn replaced(&self) -> Result<FxHashMap<u32, u32>> {
        let links = self.links()?.into_iter();
        let replaced = links.filter(|link| link.kind == LinkKind::Replaces);
        Ok(replaced.map(|link| (link.page, link.other)).collect())
    }

    /// The version that a page replaced. After `compact`, the next page that remained stands for it, which is none.
    fn replaced_by(
        &self,
        page: u32,
        newer: &Entry,
        replaced: &FxHashMap<u32, u32>,
    ) -> Result<Option<(u32, Entry)>> {
        let Some(&older) = replaced.get(&page) else {
            return Ok(None);
        };
        let entry = self.entry_of(older)?;
        let state = self.read();
        let has_address = || {
            let own = state.identity(&entry);
            own.is_some() && own == state.identity(newer)
        };
        let is_version = !state.pages.is_live(older) && (entry.id == newer.id || has_address());
        Ok(is_version.then_some((older, entry)))
    }

    /// A version, and what the one after it changed.
    fn version_before(&self, newer: (u32, Entry), older: (u32, &Entry)) -> Result<PageVersion> {
        let (page, entry) = older;
        let text = self.text_of(page)?;
        let edits = match &text {
            Some(_) => {
                let after = self.version(newer.0, newer.1)?;
                let before = self.version(page, entry.clone())?;
                Some(after.edits(&before, &self.model())?)
            }
            None => None,
        };
        Ok(PageVersion {
            seen: written(entry.moment()),
            id: entry.id.clone(),
            title: entry.title.clone(),
            chars: entry.sketch.chars,
            text: text.map(|text| text.visible),
            edits,
        })
    }
}
