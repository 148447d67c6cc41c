//! Stories of the index: their pages, and related pages, in order of time.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::PoisonError;

use rayon::prelude::*;
use retold::internal::date_text;
use retold::{Error, Relation, Result, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::columns::NONE;
use crate::edits::Edits;
use crate::filter::PageFilter;
use crate::index::{Index, unknown};
use crate::judge::Judge;
use crate::record::Entry;
use crate::state::State;

/// The order of stories in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Most pages first.
    Size,
    /// Latest page first.
    Recent,
    /// Most pages within the 24 hours before the newest page of the index first.
    Growth,
}

/// A story in a list of stories.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoryLine {
    /// Id of the story, which is stable: the id of its page that was added first.
    pub id: String,
    /// Title of its earliest page.
    pub title: Option<String>,
    /// URL of its earliest page.
    pub url: Option<String>,
    /// Number of its pages, which are duplicates of each other, directly or through others.
    pub pages: u64,
    /// Number of pages that are contained in one of its pages.
    pub excerpts: u64,
    /// Number of longer pages that contain it and no other story.
    pub longer: u64,
    /// Number of pages that contain it and other stories.
    pub round_ups: u64,
    /// Number of sites of its pages; if it has more than 1,000 pages, of 1,000 of them.
    pub sites: u64,
    /// Date of its first page: when it was published, or added if it has no date.
    pub first_seen: String,
    /// Date of its last page.
    pub last_seen: String,
}

/// A story with its pages and related pages.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Story {
    /// The story as lists show it.
    #[serde(flatten)]
    pub line: StoryLine,
    /// Its pages and related pages, earliest first, or the part of them that was requested.
    pub timeline: Vec<StoryPage>,
}

/// A page of a story, or one related to it.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoryPage {
    /// Page id.
    pub id: String,
    /// `page` of the story, `excerpt`, `longer` version, or `round_up`.
    pub part: StoryPart,
    /// `first`, or how it differs from the page `of`: `copied`, `edited`, `shortened`, `extended` or `indirect`.
    pub what: Change,
    /// The most similar earlier page that it is related to; if there is none, the most similar later one.
    pub of: Option<String>,
    /// Similarity of the two pages, to six decimals.
    pub similarity: Option<f64>,
    /// URL.
    pub url: Option<String>,
    /// Site.
    pub site: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Date as written.
    pub date: Option<String>,
    /// Date of publication, or of adding if there is none.
    pub seen: String,
    /// Characters of its text, not counting white space.
    pub chars: u64,
    /// Its changes from the first page, without the places, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<Edits>,
}

/// The role of a page in a story.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StoryPart {
    /// A page of the story.
    Page,
    /// A page contained in a page of the story, or a duplicate of an excerpt.
    Excerpt,
    /// A page of a longer story that contains this one.
    Longer,
    /// A page that contains this story and others.
    RoundUp,
}

/// How a page differs from another one.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is the earliest page, of whatever part.
    First,
    /// It has the same text.
    Copied,
    /// It has nearly the same text.
    Edited,
    /// It has a part of the text.
    Shortened,
    /// It has the text and much more.
    Extended,
    /// It is related to none of the pages directly, but to a duplicate of one.
    Indirect,
}

/// Pages of a story whose entries are read for a list of stories.
const SAMPLE: usize = 1000;
/// Pages that a page of a story is compared with, to find the most similar one.
const COMPARED: usize = 8;

/// A page of a story, with its sort key by time.
pub(crate) type Placed = ((i64, (u32, bool, u32)), u32, StoryPart);

pub(crate) struct Parts {
    /// Earliest first.
    pub(crate) pages: Vec<Placed>,
}

impl Parts {
    fn of(state: &State, page: u32) -> Parts {
        let graph = &state.pages.graph;
        let parts = state.catalog().edges.parts(graph.root(page));
        let beside = [
            (parts.excerpts, StoryPart::Excerpt),
            (parts.longer, StoryPart::Longer),
            (parts.round_ups, StoryPart::RoundUp),
        ];
        let beside = beside.into_iter().flat_map(|(roots, part)| {
            let pages = roots.into_iter().flat_map(|root| graph.story(root));
            pages.map(move |page| (page, part))
        });
        let own = graph.story(page).map(|page| (page, StoryPart::Page));
        // A story can both contain another and be contained in it; each page is listed once.
        let mut seen = FxHashSet::default();
        let all = own.chain(beside).filter(|&(page, _)| seen.insert(page));
        let mut pages: Vec<Placed> = all
            .map(|(page, part)| (state.pages.time(page), page, part))
            .collect();
        pages.sort_unstable();
        Parts { pages }
    }

    fn count(&self, part: StoryPart) -> u64 {
        self.pages.iter().filter(|placed| placed.2 == part).count() as u64
    }

    /// The story's first page; `page` if the story has no page left.
    pub(crate) fn first(&self, page: u32) -> u32 {
        self.own().next().map_or(page, |placed| placed.1)
    }

    fn own(&self) -> impl Iterator<Item = &Placed> {
        self.pages
            .iter()
            .filter(|placed| placed.2 == StoryPart::Page)
    }
}

impl Index {
    /// The story of the page with this id, with the rows of its timeline in `rows`; with `edits`, each row has its changes. A page that
    /// repeats no other is a story by itself.
    ///
    /// Errors: there is no such page; 0.1 wrote the index (`compact` converts it).
    ///
    /// Time O(pages and relations of the story and of stories that contain it or that it contains); about nine pages are compared for each
    /// row.
    pub fn story(&self, id: &str, rows: Range<usize>, edits: bool) -> Result<Story> {
        let (page, _) = self.find(id)?.ok_or_else(|| unknown(id))?;
        let parts = self.parts(page)?;
        self.story_of(page, &parts, rows, edits)
    }

    /// The story of the page `id`, with only the row of `page`. `None` if `page` does not belong to the story, or one of the two does not
    /// exist.
    ///
    /// Errors: 0.1 wrote the index.
    pub fn story_with(&self, id: &str, page: &str) -> Result<Option<Story>> {
        let (Some((own, _)), Some((page, _))) = (self.find(id)?, self.find(page)?) else {
            return Ok(None);
        };
        let parts = self.parts(own)?;
        let at = parts.pages.iter().position(|placed| placed.1 == page);
        at.map(|at| self.story_of(own, &parts, at..at + 1, false))
            .transpose()
    }

    pub(crate) fn parts(&self, page: u32) -> Result<Parts> {
        let state = self.read();
        self.check_stories(&state)?;
        Ok(Parts::of(&state, page))
    }

    /// The story of a page, with these rows of its timeline.
    fn story_of(&self, page: u32, parts: &Parts, rows: Range<usize>, edits: bool) -> Result<Story> {
        let place: FxHashMap<u32, usize> = (0..)
            .zip(&parts.pages)
            .map(|(at, placed)| (placed.1, at))
            .collect();
        let first = parts.first(page);
        let rows = rows.start.min(parts.pages.len())..rows.end.min(parts.pages.len());
        let judge = self.judge();
        let placed = &parts.pages[rows];
        let mut timeline = placed
            .iter()
            .map(|&(_, page, part)| self.row(&judge, page, part, first, &place))
            .collect::<Result<Vec<StoryPage>>>()?;
        if edits && self.keeps_texts() {
            self.add_edits(&judge, first, placed, &mut timeline)?;
        }
        Ok(Story {
            line: self.line(page, parts)?,
            timeline,
        })
    }

    fn row(
        &self,
        judge: &Judge,
        page: u32,
        part: StoryPart,
        first: u32,
        place: &FxHashMap<u32, usize>,
    ) -> Result<StoryPage> {
        let entry = self.entry_of(page)?;
        let is_earliest = place.get(&page) == Some(&0);
        let like = match is_earliest {
            true => None,
            false => self.most_like(judge, page, &entry, first, place)?,
        };
        // What came before the first page of a story can only be a longer version or an excerpt.
        let like = like.filter(|(_, _, is_before)| page != first || *is_before);
        let like = like.map(|(of, verdict, _)| (of, verdict));
        let what = match &like {
            None if is_earliest => Change::First,
            None => Change::Indirect,
            Some((of, verdict)) => change(&entry, of, verdict.relation),
        };
        let similarity = like
            .as_ref()
            .map(|(_, verdict)| (verdict.similarity * 1e6).round() / 1e6);
        Ok(StoryPage {
            part,
            what,
            of: like.map(|(of, _)| of.id),
            similarity,
            seen: written(entry.moment()),
            id: entry.id,
            url: entry.url,
            site: entry.sketch.site,
            title: entry.title,
            date: entry.date,
            chars: entry.sketch.chars,
            edits: None,
        })
    }

    /// Adds the changes from the first page to the rows of pages, excerpts and longer versions.
    fn add_edits(
        &self,
        judge: &Judge,
        first: u32,
        placed: &[Placed],
        rows: &mut [StoryPage],
    ) -> Result<()> {
        let version = |page: u32| self.version(page, self.entry_of(page)?);
        let of = version(first)?;
        let rows = rows.par_iter_mut().zip(placed);
        let wanted =
            rows.filter(|(_, (_, page, part))| *part != StoryPart::RoundUp && *page != first);
        wanted.try_for_each(|(row, &(_, page, _))| {
            let mut edits = version(page)?.edits(&of, &judge.model)?;
            edits.places.clear();
            row.edits = Some(edits);
            Ok(())
        })
    }

    /// The related page that a page is most similar to, the verdict, and whether that page is earlier. Later pages are considered only if
    /// no earlier one is related.
    fn most_like(
        &self,
        judge: &Judge,
        page: u32,
        entry: &Entry,
        first: u32,
        place: &FxHashMap<u32, usize>,
    ) -> Result<Option<(Entry, Verdict, bool)>> {
        let own = place.get(&page).copied().unwrap_or_default();
        let mut related: Vec<(usize, u32)> = {
            let state = self.read();
            let related = state.pages.graph.relations(page).map(|(other, _)| other);
            let placed = related.chain([first]).filter(|&other| other != page);
            placed
                .filter_map(|other| Some((*place.get(&other)?, other)))
                .collect()
        };
        related.sort_unstable();
        related.dedup();
        let (before, behind): (Vec<_>, Vec<_>) = related.into_iter().partition(|&(at, _)| at < own);
        for (pages, is_before) in [(before, true), (behind, false)] {
            let mut best: Option<(Entry, Verdict)> = None;
            for (_, other) in pages.into_iter().take(COMPARED) {
                let of = self.entry_of(other)?;
                let Some(verdict) = self.verdict(judge, page, entry, other, &of)? else {
                    continue;
                };
                let is_better =
                    |(_, known): &(Entry, Verdict)| verdict.similarity > known.similarity;
                if best.as_ref().is_none_or(is_better) {
                    best = Some((of, verdict));
                }
            }
            if let Some((of, verdict)) = best {
                return Ok(Some((of, verdict, is_before)));
            }
        }
        Ok(None)
    }

    /// The stories that have a page which passes the filter: stories of at least two pages, and single pages with excerpts. Skips `skip` of
    /// them and returns at most `limit`.
    ///
    /// Errors: 0.1 wrote the index. Time O(pages and relations of the index).
    pub fn stories(
        &self,
        order: Order,
        filter: &PageFilter,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<StoryLine>> {
        let keys = self.story_keys(order, filter)?;
        let wanted = keys.into_iter().skip(skip).take(limit);
        wanted.map(|key| self.story_line(key.page())).collect()
    }

    pub(crate) fn story_line(&self, page: u32) -> Result<StoryLine> {
        self.line(page, &self.parts(page)?)
    }

    fn line(&self, page: u32, parts: &Parts) -> Result<StoryLine> {
        let name = self.read().pages.graph.first(page);
        let entry = self.entry_of(parts.first(page))?;
        let seen = |placed: Option<&Placed>| written(placed.map_or(0, |placed| placed.0.0));
        Ok(StoryLine {
            id: self.entry_of(name)?.id,
            title: entry.title,
            url: entry.url,
            pages: parts.count(StoryPart::Page),
            excerpts: parts.count(StoryPart::Excerpt),
            longer: parts.count(StoryPart::Longer),
            round_ups: parts.count(StoryPart::RoundUp),
            sites: self.sites(parts)?,
            first_seen: seen(parts.own().next()),
            last_seen: seen(parts.own().last()),
        })
    }

    /// Number of sites of the story's pages, taken from the columns if they are loaded.
    fn sites(&self, parts: &Parts) -> Result<u64> {
        let columns = self.read().columns.clone();
        {
            let columns = columns.lock().unwrap_or_else(PoisonError::into_inner);
            let sites = parts
                .own()
                .map(|placed| columns.site.get(placed.1 as usize));
            if let Some(sites) = sites.collect::<Option<BTreeSet<&u32>>>() {
                return Ok(sites.into_iter().filter(|&&site| site != NONE).count() as u64);
            }
        }
        let mut sites = BTreeSet::new();
        for placed in parts.own().take(SAMPLE) {
            sites.extend(self.entry_of(placed.1)?.sketch.site);
        }
        Ok(sites.len() as u64)
    }

    pub(crate) fn check_stories(&self, state: &State) -> Result<()> {
        match state.manifest.stories {
            true => Ok(()),
            false => Err(Error::usage(format!(
                "{}: this index was written by retold 0.1, which did not note how its pages are related; `retold index compact {}` finds it \
                 out once",
                self.folder().display(),
                self.folder().display()
            ))),
        }
    }
}

fn change(page: &Entry, of: &Entry, relation: Relation) -> Change {
    match relation {
        Relation::Duplicate if page.sketch.text_hash == of.sketch.text_hash => Change::Copied,
        Relation::Duplicate | Relation::Overlaps => Change::Edited,
        Relation::ContainedBy => Change::Shortened,
        Relation::Contains => Change::Extended,
    }
}

pub(crate) fn written(seconds: i64) -> String {
    date_text(seconds).unwrap_or_else(|| seconds.to_string())
}
