//! Finds passages of a text in pages of the index.
//!
//! Pages that share keys with the text are read and aligned with it. If the method's keys are runs of words, as for `coverage`, a passage
//! is missed only if none of its runs is a key.

use std::cmp::Reverse;

use retold::method::Text;
use retold::passages::{PassageOptions, passages_of};
use retold::{Result, Watch};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::export::no_texts;
use crate::index::{Index, Prepared};
use crate::query::{MATCHES, WORK, each_hit};
use crate::record::Entry;
use crate::state::State;

/// Pages whose texts are read for one query at most.
const TEXTS: usize = 100;
/// Bytes of these texts at most; the first text is read whatever its length.
pub const PASSAGE_TEXTS: usize = 1 << 20;

/// The passages of a text that pages of the index have.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FoundPassages {
    /// The passages, in the order of the text.
    pub passages: Vec<FoundPassage>,
    /// False if other pages may have passages of the text, because not all candidates were read or listed.
    pub complete: bool,
    /// The text as `retold text` prints it; positions refer to it.
    pub text: String,
}

/// A passage of a text.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FoundPassage {
    /// Position of the first character.
    pub begin: u32,
    /// Position after the last character.
    pub end: u32,
    /// Where the passage was found, best alignment first; equal ones by id. A page that has it several times is listed several times.
    pub pages: Vec<PassagePage>,
}

/// A passage on a page of the index.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PassagePage {
    /// Page id.
    pub id: String,
    /// Position of the first character in the page's text, as `retold text` prints it.
    pub begin: u32,
    /// Position after the last character.
    pub end: u32,
    /// Number of words that match; in scripts without spaces, characters.
    pub matched: u32,
    /// Score of the alignment.
    pub score: u32,
    /// URL of the page.
    pub url: Option<String>,
    /// Date of the page as written.
    pub date: Option<String>,
    /// Title of the page.
    pub title: Option<String>,
    /// Site of the page.
    pub site: Option<String>,
}

/// A page that shares keys with a text.
pub(crate) struct Sharing {
    pub(crate) page: u32,
    /// Number of shared keys that are not common.
    rare: usize,
    /// Positions of the shared keys among the keys of the text.
    pub(crate) keys: Vec<usize>,
}

impl Index {
    /// Finds the passages of a page's text in pages of the index, with at most `limit` pages each. A page with the same id is left out.
    ///
    /// Time: aligning the text with at most 100 pages, those that share most with it.
    ///
    /// Errors: invalid options; the index keeps no texts; the work was cancelled.
    pub fn passages(
        &self,
        page: &Prepared,
        options: &PassageOptions,
        limit: usize,
        watch: &dyn Watch,
    ) -> Result<FoundPassages> {
        if !self.keeps_texts() {
            return Err(no_texts());
        }
        let known = self.find(&page.entry.id)?.map(|(page, _)| page);
        let model = self.model();
        let (sharing, mut complete) = {
            let state = self.read();
            sharing(&state, &page.entry, known)?
        };
        // Keys only estimate which pages are best, so read a few more than wanted.
        let (others, texts, all_read) = self.read_sharing(&sharing, limit.max(MATCHES))?;
        complete &= all_read;
        let mut passages = Vec::new();
        for found in passages_of(&page.text, &texts, options, &model, watch)? {
            let line = |of: &retold::passages::OtherPlace| PassagePage::new(&others[of.text], of);
            let mut pages: Vec<PassagePage> = found.others.iter().map(line).collect();
            pages.sort_by(|a, b| {
                (Reverse(a.score), &a.id, a.begin).cmp(&(Reverse(b.score), &b.id, b.begin))
            });
            complete &= pages.len() <= limit;
            pages.truncate(limit);
            let (begin, end) = found.place;
            passages.push(FoundPassage { begin, end, pages });
        }
        Ok(FoundPassages {
            passages,
            complete,
            text: page.text.shown().collect::<Vec<&str>>().join("\n"),
        })
    }

    /// As [`Index::passages`], for a page of the index; `None` if there is no such page.
    ///
    /// Errors: those of [`Index::passages`].
    pub fn passages_of(
        &self,
        id: &str,
        options: &PassageOptions,
        limit: usize,
        watch: &dyn Watch,
    ) -> Result<Option<FoundPassages>> {
        let Some((entry, text)) = self.get_with_text(id)? else {
            return Ok(None);
        };
        let text = text.ok_or_else(no_texts)?;
        self.passages(&Prepared { entry, text }, options, limit, watch)
            .map(Some)
    }

    /// Reads the texts to align with a page. A page is read while it has a shared key that fewer than `most` of the pages before it have.
    /// Also returns whether these are all.
    fn read_sharing(
        &self,
        sharing: &[Sharing],
        most: usize,
    ) -> Result<(Vec<Entry>, Vec<Text>, bool)> {
        let (mut entries, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
        let (mut seen, mut all_read) = (FxHashMap::<usize, usize>::default(), true);
        for other in sharing {
            let is_wanted = |key: &usize| seen.get(key).is_none_or(|&pages| pages < most);
            if texts.len() >= TEXTS || bytes >= PASSAGE_TEXTS || !other.keys.iter().any(is_wanted) {
                all_read = false;
                continue;
            }
            let entry = self.entry_of(other.page)?;
            let text = self.text_of(other.page)?.ok_or_else(no_texts)?;
            if !texts.is_empty() && bytes + text.visible.len() > PASSAGE_TEXTS {
                all_read = false;
                continue;
            }
            bytes += text.visible.len();
            entries.push(entry);
            texts.push(text);
            for &key in &other.keys {
                *seen.entry(key).or_default() += 1;
            }
        }
        Ok((entries, texts, all_read))
    }
}

/// The pages that share keys with a page, those that share most first, and whether these are all. Leaves out the page `but` and pages that
/// pair filters exclude.
pub(crate) fn sharing(
    state: &State,
    page: &Entry,
    but: Option<u32>,
) -> Result<(Vec<Sharing>, bool)> {
    let site = page.sketch.site.as_deref();
    let keys = page.sketch.keys.iter().copied();
    let keys: Vec<u64> = keys
        .filter(|&key| !state.model.deletes(key, site))
        .collect();
    let mut hits: Vec<(u32, usize, bool)> = Vec::new();
    let skipped = each_hit(
        state,
        &state.model,
        &keys,
        &page.scope(&state.model),
        state.visible,
        WORK[0],
        |page, key, is_common| {
            hits.push((page, key, is_common));
        },
    )?;
    hits.retain(|&(page, ..)| state.pages.is_live(page) && Some(page) != but);
    hits.sort_unstable();
    let of_page = |hits: &[(u32, usize, bool)]| Sharing {
        page: hits[0].0,
        rare: hits.iter().filter(|(_, _, is_common)| !is_common).count(),
        keys: hits.iter().map(|&(_, key, _)| key).collect(),
    };
    let mut pages: Vec<Sharing> = hits.chunk_by(|a, b| a.0 == b.0).map(of_page).collect();
    pages.sort_by_key(|of| (Reverse(of.rare), Reverse(of.keys.len()), of.page));
    Ok((pages, skipped == 0))
}

impl PassagePage {
    fn new(entry: &Entry, of: &retold::passages::OtherPlace) -> PassagePage {
        PassagePage {
            id: entry.id.clone(),
            begin: of.place.0,
            end: of.place.1,
            matched: of.matched,
            score: of.score,
            url: entry.url.clone(),
            date: entry.date.clone(),
            title: entry.title.clone(),
            site: entry.sketch.site.clone(),
        }
    }
}
