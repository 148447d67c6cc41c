//! Stories of the index: their pages and what belongs to them, in order of time.

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

/// The order of stories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one with most pages first.
    Size,
    /// The one with the latest page first.
    Recent,
    /// The one first that got most pages within the last 24 hours before the newest page.
    Growth,
}

/// A story in a list of many.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoryLine {
    /// Its id, which lasts: that of the page of it that was added first.
    pub id: String,
    /// Title of its first page by date.
    pub title: Option<String>,
    /// Where its first page was fetched.
    pub url: Option<String>,
    /// How many pages it has: duplicates of each other, directly or through others.
    pub pages: u64,
    /// How many pages are contained in one of these.
    pub excerpts: u64,
    /// How many longer pages contain it, and nothing else that is a story of its own.
    pub longer: u64,
    /// How many pages contain it beside other stories.
    pub round_ups: u64,
    /// How many sites its pages are on; of a story of more than 1,000 pages, so many of them are looked at.
    pub sites: u64,
    /// When the first page was published, or added where it has no date.
    pub first_seen: String,
    /// When the last was.
    pub last_seen: String,
}

/// A story with its pages and what belongs to it.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Story {
    /// What the list of stories says of it.
    #[serde(flatten)]
    pub line: StoryLine,
    /// Its pages and what belongs to it, the first one first; or those of them that were asked for.
    pub timeline: Vec<StoryPage>,
}

/// A page of a story, or one that belongs to it.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoryPage {
    /// Its id.
    pub id: String,
    /// `page` of the story, `excerpt`, `longer` version, or `round_up`.
    pub part: StoryPart,
    /// `first`; or what it made of the page `of`: `copied`, `edited`, `shortened`, or `extended`.
    pub what: Change,
    /// The page that it is most like, of those before it that it is related to; or of those behind it, if it is related to none before it.
    pub of: Option<String>,
    /// How like the two are, with six decimals.
    pub similarity: Option<f64>,
    /// Where it was fetched.
    pub url: Option<String>,
    /// Its site.
    pub site: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its date as written.
    pub date: Option<String>,
    /// When it was published, or added where it has no date.
    pub seen: String,
    /// Characters of its text, not counting white space.
    pub chars: u64,
    /// What it changed of the first page, if that was asked for; without the places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<Edits>,
}

/// What a page is in a story.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StoryPart {
    /// A page of it.
    Page,
    /// A page that is contained in one of its pages, or the duplicate of such a page.
    Excerpt,
    /// A page of a story of which it is an excerpt.
    Longer,
    /// A page of a story that contains it beside others.
    RoundUp,
}

/// What a page made of another.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is the first page of the story, and took it from nowhere.
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
/// Pages that a page of a story is compared with, to see which of them it is most like.
const COMPARED: usize = 8;

/// A page of a story, in order of time.
type Placed = ((i64, (u32, bool, u32)), u32, StoryPart);

/// What a story is made of, by numbers of pages.
struct Parts {
    /// By time.
    pages: Vec<Placed>,
}

impl Parts {
    fn of(state: &State, page: u32) -> Parts {
        let graph = &state.pages.graph;
        let parts = state.telling().edges.parts(graph.root(page));
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
        // A story can be both in another and around it: each of its pages is named once.
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

    /// The first of its own pages; `page` if there is none any more.
    fn first(&self, page: u32) -> u32 {
        self.own().next().map_or(page, |placed| placed.1)
    }

    /// Its own pages by time.
    fn own(&self) -> impl Iterator<Item = &Placed> {
        self.pages
            .iter()
            .filter(|placed| placed.2 == StoryPart::Page)
    }
}

impl Index {
    /// The story of the page of an id, with the rows of its timeline at `rows`; with `edits` these say what they changed. A page that repeats none is a story by itself.
    ///
    /// Errors: no such page; an index that 0.1 wrote, which `compact` makes one of today.
    ///
    /// Time O(pages and relations of the story and of those that it contains or that contain it), and some nine pages are compared for each
    /// row.
    pub fn story(&self, id: &str, rows: Range<usize>, edits: bool) -> Result<Story> {
        let (page, _) = self.find(id)?.ok_or_else(|| unknown(id))?;
        let parts = self.parts(page)?;
        self.told(page, &parts, rows, edits)
    }

    /// The story of the page of an id, with nothing but the row of another page; `None` if that does not belong to it, or one of the two is
    /// not there.
    ///
    /// Errors: an index that 0.1 wrote.
    pub fn story_with(&self, id: &str, page: &str) -> Result<Option<Story>> {
        let (Some((own, _)), Some((page, _))) = (self.find(id)?, self.find(page)?) else {
            return Ok(None);
        };
        let parts = self.parts(own)?;
        let at = parts.pages.iter().position(|placed| placed.1 == page);
        at.map(|at| self.told(own, &parts, at..at + 1, false))
            .transpose()
    }

    fn parts(&self, page: u32) -> Result<Parts> {
        let state = self.read();
        self.check_stories(&state)?;
        Ok(Parts::of(&state, page))
    }

    /// The story of a page, with these rows of its timeline.
    fn told(&self, page: u32, parts: &Parts, rows: Range<usize>, edits: bool) -> Result<Story> {
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
            .map(|&(_, page, part)| self.row(&judge, (page, part), first, &place))
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
        (page, part): (u32, StoryPart),
        first: u32,
        place: &FxHashMap<u32, usize>,
    ) -> Result<StoryPage> {
        let entry = self.entry_of(page)?;
        let like = self.most_like(judge, (page, &entry), first, place)?;
        // What came before the first page of a story can only be a longer version, or an excerpt.
        let like = like.filter(|(_, _, is_before)| page != first || *is_before);
        let like = like.map(|(of, verdict, _)| (of, verdict));
        let what = match &like {
            None if page == first => Change::First,
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

    /// Says of pages, excerpts and longer versions what they changed of the first page.
    fn add_edits(
        &self,
        judge: &Judge,
        first: u32,
        placed: &[Placed],
        rows: &mut [StoryPage],
    ) -> Result<()> {
        let version = |page: u32| self.version((page, self.entry_of(page)?));
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

    /// The page that a page is most like, what it is to it, and whether that one came before: of those before it, or if it is related to none of
    /// them, of those behind it.
    fn most_like(
        &self,
        judge: &Judge,
        (page, entry): (u32, &Entry),
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
                let Some(verdict) = self.verdict(judge, (page, entry), (other, &of))? else {
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

    /// The stories that have a page which passes the filter: of two pages or more, and those of one page that has excerpts. At most `limit` of
    /// them, behind the first `skip`.
    ///
    /// Errors: an index that 0.1 wrote.
    ///
    /// Time O(pages and relations of the index).
    pub fn stories(
        &self,
        order: Order,
        filter: &PageFilter,
        (skip, limit): (usize, usize),
    ) -> Result<Vec<StoryLine>> {
        let keys = self.story_keys(order, filter)?;
        let wanted = keys.into_iter().skip(skip).take(limit);
        wanted.map(|key| self.story_line(key.page())).collect()
    }

    /// What lists say of the story of a page.
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

    /// How many sites its pages are on: as the columns say, if they were read.
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

/// A moment as RFC 3339 has it.
pub(crate) fn written(seconds: i64) -> String {
    date_text(seconds).unwrap_or_else(|| seconds.to_string())
}
