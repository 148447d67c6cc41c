//! An overview of the index for people: what is new, the largest and the fastest-growing stories, who was first and who reprints.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use retold::Result;
use serde::{Deserialize, Serialize};

use crate::catalog::{StoryCatalog, StoryTimeline};
use crate::columns::{Columns, NONE, ranked};
use crate::figures::{DAY, StoryFigures};
use crate::filter::{PageFilter, Sieve};
use crate::index::Index;
use crate::story::{Order, StoryLine, written};

const POINTS: i64 = 24;
/// Stories and sites in each list of an overview.
const LISTED: usize = 12;

/// The sort key of a story in a list. Keys sort in the order of the list and are unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StoryKey(Reverse<i64>, Reverse<i64>, u32);

impl StoryKey {
    pub(crate) fn page(self) -> u32 {
        self.2
    }
}

/// A story and its growth.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoryCard {
    /// The story as lists show it.
    #[serde(flatten)]
    pub line: StoryLine,
    /// Pages from the 24 hours before the newest page of the index.
    pub new_pages: u64,
    /// Number of pages at 24 moments between the first and the last page.
    pub curve: Vec<u64>,
}

/// A name with a number of pages.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SiteCount {
    /// The site, or the language.
    pub site: String,
    /// Number of pages.
    pub pages: u64,
}

/// What was published or added on one day.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DayCount {
    /// Start of the day.
    pub day: String,
    /// Number of pages.
    pub pages: u64,
    /// Number of these pages that are not the first of their story.
    pub reprints: u64,
}

/// An overview of the index.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Overview {
    /// Pages that pass the filter.
    pub pages: u64,
    /// All stories in numbers.
    pub stories: StoryFigures,
    /// Date of the newest page, but at most the current time; the numbers of new pages count back from here.
    pub now: String,
    /// Pages from the last 24 hours before `now`.
    pub new_pages: u64,
    /// Stories whose first page is among the new pages.
    pub new_stories: u64,
    /// New pages that repeat an older page.
    pub new_reprints: u64,
    /// The last 30 days, earliest first.
    pub days: Vec<DayCount>,
    /// The largest stories.
    pub largest: Vec<StoryCard>,
    /// The stories with the most new pages.
    pub fastest: Vec<StoryCard>,
    /// Sites that published stories first, with the number of stories.
    pub first: Vec<SiteCount>,
    /// Sites with reprints, with the number of pages.
    pub reprinting: Vec<SiteCount>,
    /// Languages of texts, with the number of pages.
    pub languages: Vec<SiteCount>,
}

/// A page in a list.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PageLine {
    /// Page id.
    pub id: String,
    /// Title.
    pub title: Option<String>,
    /// URL.
    pub url: Option<String>,
    /// Site.
    pub site: Option<String>,
    /// Date of publication, or of adding if there is none.
    pub seen: String,
    /// Id of the page's story.
    pub story: String,
    /// Number of pages of that story.
    pub story_pages: u64,
    /// An excerpt of the text with the words of the search, unless the title has them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

/// The sort key of a page in a list, latest page first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PageKey(Reverse<i64>, u32);

impl StoryTimeline {
    fn since(&self, moment: i64) -> u64 {
        (self.moments.len() - self.moments.partition_point(|&seen| seen < moment)) as u64
    }

    fn latest(&self) -> i64 {
        self.moments.last().copied().unwrap_or_default()
    }

    fn key(&self, order: Order, now: i64) -> StoryKey {
        let size = self.pages.len() as i64;
        let by = match order {
            Order::Size => (size, self.latest()),
            Order::Recent => (self.latest(), size),
            Order::Growth => (self.since(now - DAY + 1) as i64, size),
        };
        StoryKey(Reverse(by.0), Reverse(by.1), self.name)
    }

    fn curve(&self) -> Vec<u64> {
        let (Some(&first), last) = (self.moments.first(), self.latest()) else {
            return Vec::new();
        };
        let at = |point: i64| first + (last - first) * point / (POINTS - 1);
        let until = |moment: i64| self.moments.partition_point(|&seen| seen <= moment) as u64;
        (0..POINTS).map(|point| until(at(point))).collect()
    }
}

/// Date of the newest page, but at most the current time.
fn now(catalog: &StoryCatalog) -> i64 {
    let clock = jiff::Timestamp::now().as_second();
    catalog.latest.map_or(clock, |latest| latest.min(clock))
}

impl Index {
    /// Calls `take` with the columns if the filter needs them.
    fn sifted<T>(
        &self,
        filter: &PageFilter,
        take: impl FnOnce(Option<&Columns>) -> T,
    ) -> Result<T> {
        match filter.is_of_dates() {
            true => Ok(take(None)),
            false => self.with_columns(|columns| take(Some(columns))),
        }
    }

    /// Sort keys of the stories that have a page which passes the filter, in order.
    ///
    /// Errors: 0.1 wrote the index. Time O(pages and relations of the index).
    pub fn story_keys(&self, order: Order, filter: &PageFilter) -> Result<Vec<StoryKey>> {
        let keys = self.sifted(filter, |columns| {
            let state = self.read();
            self.check_stories(&state)?;
            let Some(sieve) = Sieve::of(filter, columns, &state)? else {
                return Ok(Vec::new());
            };
            let catalog = state.catalog();
            let now = now(&catalog);
            let passes = |page: &u32| sieve.passes(*page);
            let stories = catalog.stories();
            let passing = stories.filter(|story| story.pages.iter().any(passes));
            Ok(passing.map(|story| story.key(order, now)).collect())
        })?;
        let mut keys: Vec<StoryKey> = keys?;
        keys.sort_unstable();
        Ok(keys)
    }

    /// The stories with these keys.
    pub fn story_cards(&self, keys: &[StoryKey]) -> Result<Vec<StoryCard>> {
        let since = now(&self.read().catalog()) - DAY + 1;
        let cards = keys.iter().map(|key| {
            let (catalog, root) = {
                let state = self.read();
                (state.catalog(), state.pages.graph.root(key.2))
            };
            let Some(story) = catalog.story(root) else {
                return Ok(None);
            };
            Ok(Some(StoryCard {
                line: self.story_line(key.2)?,
                new_pages: story.since(since),
                curve: story.curve(),
            }))
        });
        cards.filter_map(Result::transpose).collect()
    }

    /// An overview of the index, counting pages that pass the filter.
    ///
    /// Errors: 0.1 wrote the index; the index is damaged. Time O(pages and relations of the index); the first call reads all entries
    /// ([`Index::load_columns`]).
    pub fn overview(&self, filter: &PageFilter) -> Result<Overview> {
        let (mut overview, largest, fastest) =
            self.with_columns(|columns| self.overview_of(filter, columns))??;
        overview.largest = self.story_cards(&largest)?;
        overview.fastest = self.story_cards(&fastest)?;
        Ok(overview)
    }

    fn overview_of(
        &self,
        filter: &PageFilter,
        columns: &Columns,
    ) -> Result<(Overview, Vec<StoryKey>, Vec<StoryKey>)> {
        let state = self.read();
        self.check_stories(&state)?;
        let catalog = state.catalog();
        let now = now(&catalog);
        let sieve = Sieve::of(filter, Some(columns), &state)?;
        let passes = |page: u32| sieve.as_ref().is_some_and(|sieve| sieve.passes(page));
        let mut counted = Counted::default();
        let mut is_reprint = vec![false; state.pages.len()];
        let mut passing: Vec<&StoryTimeline> = Vec::new();
        for story in catalog.stories() {
            counted.story(story, columns, &passes, now);
            story.pages[1..]
                .iter()
                .for_each(|&page| is_reprint[page as usize] = true);
            if story.pages.iter().any(|&page| passes(page)) {
                passing.push(story);
            }
        }
        for page in (0..state.visible).filter(|&page| passes(page)) {
            let moment = state.pages.time(page).0;
            counted.page(page, moment, is_reprint[page as usize], columns, now);
        }
        let best = |order: Order| {
            let mut keys: Vec<StoryKey> =
                passing.iter().map(|story| story.key(order, now)).collect();
            keys.sort_unstable();
            keys.truncate(LISTED);
            keys
        };
        let fastest = best(Order::Growth)
            .into_iter()
            .filter(|key| key.0.0 > 0)
            .collect();
        let figures = StoryFigures::of(&state);
        Ok((
            counted.overview(columns, figures, now),
            best(Order::Size),
            fastest,
        ))
    }

    /// Sort keys of the pages that pass the filter, latest page first.
    pub fn page_keys(&self, filter: &PageFilter) -> Result<Vec<PageKey>> {
        self.sifted(filter, |columns| {
            let state = self.read();
            let Some(sieve) = Sieve::of(filter, columns, &state)? else {
                return Ok(Vec::new());
            };
            let passing = (0..state.visible).filter(|&page| sieve.passes(page));
            let mut keys: Vec<PageKey> = passing
                .map(|page| PageKey(Reverse(state.pages.time(page).0), page))
                .collect();
            keys.sort_unstable();
            Ok(keys)
        })?
    }

    /// The pages with these keys. Each has an excerpt with the words of the filter.
    pub fn page_lines(&self, keys: &[PageKey], filter: &PageFilter) -> Result<Vec<PageLine>> {
        let lines = keys.iter().map(|&PageKey(_, page)| {
            let entry = self.entry_of(page)?;
            let (name, story_pages) = {
                let state = self.read();
                let graph = &state.pages.graph;
                (graph.first(page), graph.story(page).count() as u64)
            };
            let story = match name == page {
                true => entry.id.clone(),
                false => self.entry_of(name)?.id,
            };
            let excerpt = match &filter.words {
                Some(query) => self.excerpt(page, entry.title.as_deref(), query)?,
                None => None,
            };
            Ok(PageLine {
                excerpt,
                seen: written(entry.moment()),
                id: entry.id,
                title: entry.title,
                url: entry.url,
                site: entry.sketch.site,
                story,
                story_pages,
            })
        });
        lines.collect()
    }
}

#[derive(Default)]
struct Counted {
    pages: u64,
    new_pages: u64,
    new_stories: u64,
    new_reprints: u64,
    first: BTreeMap<u32, u64>,
    reprinting: BTreeMap<u32, u64>,
    languages: BTreeMap<u32, u64>,
    /// Pages and reprints by days before `now`.
    days: BTreeMap<i64, (u64, u64)>,
}

const DAYS: i64 = 30;

impl Counted {
    fn story(
        &mut self,
        story: &StoryTimeline,
        columns: &Columns,
        passes: &impl Fn(u32) -> bool,
        now: i64,
    ) {
        let Some((&first, others)) = story.pages.split_first().filter(|(_, o)| !o.is_empty())
        else {
            return;
        };
        let site = |page: u32| columns.site.get(page as usize).copied().unwrap_or(NONE);
        if passes(first) {
            *self.first.entry(site(first)).or_default() += 1;
            self.new_stories += u64::from(story.moments[0] > now - DAY);
        }
        let own = site(first);
        let sites: BTreeSet<u32> = others
            .iter()
            .filter(|&&page| passes(page))
            .map(|&page| site(page))
            .collect();
        for other in sites.into_iter().filter(|&other| other != own) {
            *self.reprinting.entry(other).or_default() += 1;
        }
    }

    fn page(&mut self, page: u32, moment: i64, is_reprint: bool, columns: &Columns, now: i64) {
        self.pages += 1;
        let language = columns.language.get(page as usize).copied();
        *self.languages.entry(language.unwrap_or(NONE)).or_default() += 1;
        let age = (now - moment).div_euclid(DAY);
        if age == 0 {
            self.new_pages += 1;
            self.new_reprints += u64::from(is_reprint);
        }
        if (0..DAYS).contains(&age) {
            let day = self.days.entry(age).or_default();
            *day = (day.0 + 1, day.1 + u64::from(is_reprint));
        }
    }

    fn overview(self, columns: &Columns, stories: StoryFigures, now: i64) -> Overview {
        let named = |counts: BTreeMap<u32, u64>, names: &crate::columns::Names| -> Vec<SiteCount> {
            let ranked = ranked(counts, LISTED).into_iter();
            ranked
                .filter_map(|(name, pages)| {
                    let site = names.name(name)?.to_owned();
                    Some(SiteCount { site, pages })
                })
                .collect()
        };
        let days = (0..DAYS).rev().map(|age| {
            let (pages, reprints) = self.days.get(&age).copied().unwrap_or_default();
            let day = written(now - (age + 1) * DAY + 1);
            DayCount {
                day,
                pages,
                reprints,
            }
        });
        Overview {
            pages: self.pages,
            stories,
            now: written(now),
            new_pages: self.new_pages,
            new_stories: self.new_stories,
            new_reprints: self.new_reprints,
            days: days.collect(),
            largest: Vec::new(),
            fastest: Vec::new(),
            first: named(self.first, &columns.sites),
            reprinting: named(self.reprinting, &columns.sites),
            languages: named(self.languages, &columns.languages),
        }
    }
}
