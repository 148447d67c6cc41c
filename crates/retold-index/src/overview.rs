//! An overview of the index for people: what is new, the largest and the fastest-growing stories, who was first and who reprints.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use retold::Result;
use serde::{Deserialize, Serialize};

use crate::columns::{Columns, NONE, ranked};
use crate::figures::{DAY, StoryFigures};
use crate::filter::{PageFilter, Sieve};
use crate::index::Index;
use crate::story::{Order, StoryLine, written};
use crate::told::{Telling, Told};

/// Points of a curve.
const POINTS: i64 = 24;
/// Stories and sites that an overview has of each kind.
const LISTED: usize = 12;

/// What a story is sorted by. Stories that are listed in this order come in the order of the list, and no two are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StoryKey(Reverse<i64>, Reverse<i64>, u32);

impl StoryKey {
    /// A page of the story.
    pub(crate) fn page(self) -> u32 {
        self.2
    }
}

/// A story with how it grew.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoryCard {
    /// What lists say of it.
    #[serde(flatten)]
    pub line: StoryLine,
    /// Pages that came within the 24 hours before the newest page of the index.
    pub new_pages: u64,
    /// How many pages it had at 24 moments from its first to its last page.
    pub curve: Vec<u64>,
}

/// A site and how many pages.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SiteCount {
    /// Its name.
    pub site: String,
    /// How many pages.
    pub pages: u64,
}

/// What came on a day.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DayCount {
    /// When the day begins.
    pub day: String,
    /// How many pages.
    pub pages: u64,
    /// How many of them are not the first of their story.
    pub reprints: u64,
}

/// The index at a glance.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Overview {
    /// Pages that the filter lets pass.
    pub pages: u64,
    /// All stories in numbers.
    pub stories: StoryFigures,
    /// The newest page's moment, but no later than now: what is new is counted from here.
    pub now: String,
    /// Pages of the 24 hours before that.
    pub new_pages: u64,
    /// Stories whose first page is among these.
    pub new_stories: u64,
    /// Pages among these that repeat an older one.
    pub new_reprints: u64,
    /// The last 30 days, the earliest first.
    pub days: Vec<DayCount>,
    /// The largest stories.
    pub largest: Vec<StoryCard>,
    /// Those that got most pages within the 24 hours.
    pub fastest: Vec<StoryCard>,
    /// Sites that published stories first, by how many.
    pub first: Vec<SiteCount>,
    /// Sites that reprinted, by how many pages.
    pub reprinting: Vec<SiteCount>,
    /// Languages of texts, by pages.
    pub languages: Vec<SiteCount>,
}

/// A page in a list.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PageLine {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// Where it was fetched.
    pub url: Option<String>,
    /// Its site.
    pub site: Option<String>,
    /// When it was published, or added where it has no date.
    pub seen: String,
    /// The id of its story.
    pub story: String,
    /// How many pages that has.
    pub story_pages: u64,
    /// Where its text has the words that were asked for, if its title does not have them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

/// What a page in a list is sorted by: the latest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PageKey(Reverse<i64>, u32);

impl Told {
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

/// The newest page's moment, but no later than now.
fn now(telling: &Telling) -> i64 {
    let clock = jiff::Timestamp::now().as_second();
    telling.latest.map_or(clock, |latest| latest.min(clock))
}

impl Index {
    /// Hands over the columns, if the filter wants more than dates.
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

    /// What the stories are sorted by that have a page which passes the filter, in order.
    ///
    /// Errors: an index that 0.1 wrote. Time O(pages and relations of the index).
    pub fn story_keys(&self, order: Order, filter: &PageFilter) -> Result<Vec<StoryKey>> {
        let keys = self.sifted(filter, |columns| {
            let state = self.read();
            self.check_stories(&state)?;
            let Some(sieve) = Sieve::of(filter, columns, &state)? else {
                return Ok(Vec::new());
            };
            let telling = state.telling();
            let now = now(&telling);
            let passes = |page: &u32| sieve.passes(*page);
            let stories = telling.stories();
            let passing = stories.filter(|told| told.pages.iter().any(passes));
            Ok(passing.map(|told| told.key(order, now)).collect())
        })?;
        let mut keys: Vec<StoryKey> = keys?;
        keys.sort_unstable();
        Ok(keys)
    }

    /// The stories of these keys.
    pub fn story_cards(&self, keys: &[StoryKey]) -> Result<Vec<StoryCard>> {
        let since = now(&self.read().telling()) - DAY + 1;
        let cards = keys.iter().map(|key| {
            let (telling, root) = {
                let state = self.read();
                (state.telling(), state.pages.graph.root(key.2))
            };
            let Some(told) = telling.story(root) else {
                return Ok(None);
            };
            Ok(Some(StoryCard {
                line: self.story_line(key.2)?,
                new_pages: told.since(since),
                curve: told.curve(),
            }))
        });
        cards.filter_map(Result::transpose).collect()
    }

    /// The index at a glance, as far as pages pass the filter.
    ///
    /// Errors: an index that 0.1 wrote, and a damaged one. Time O(pages and relations of the index); the first call reads all entries
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
        let telling = state.telling();
        let now = now(&telling);
        let sieve = Sieve::of(filter, Some(columns), &state)?;
        let passes = |page: u32| sieve.as_ref().is_some_and(|sieve| sieve.passes(page));
        let mut counted = Counted::default();
        let mut is_reprint = vec![false; state.pages.len()];
        let mut told: Vec<&Told> = Vec::new();
        for story in telling.stories() {
            counted.story(story, columns, &passes, now);
            story.pages[1..]
                .iter()
                .for_each(|&page| is_reprint[page as usize] = true);
            if story.pages.iter().any(|&page| passes(page)) {
                told.push(story);
            }
        }
        for page in (0..state.visible).filter(|&page| passes(page)) {
            let moment = state.pages.time(page).0;
            counted.page((page, moment), is_reprint[page as usize], columns, now);
        }
        let best = |order: Order| {
            let mut keys: Vec<StoryKey> = told.iter().map(|told| told.key(order, now)).collect();
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

    /// What the pages are sorted by that pass the filter, the latest first.
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

    /// The pages of these keys, each with where its text has the words of the filter.
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

/// What is counted for an overview.
#[derive(Default)]
struct Counted {
    pages: u64,
    new_pages: u64,
    new_stories: u64,
    new_reprints: u64,
    first: BTreeMap<u32, u64>,
    reprinting: BTreeMap<u32, u64>,
    languages: BTreeMap<u32, u64>,
    /// By days before now: pages and reprints.
    days: BTreeMap<i64, (u64, u64)>,
}

/// Days that an overview has.
const DAYS: i64 = 30;

impl Counted {
    fn story(&mut self, told: &Told, columns: &Columns, passes: &impl Fn(u32) -> bool, now: i64) {
        let Some((&first, others)) = told.pages.split_first().filter(|(_, o)| !o.is_empty()) else {
            return;
        };
        let site = |page: u32| columns.site.get(page as usize).copied().unwrap_or(NONE);
        if passes(first) {
            *self.first.entry(site(first)).or_default() += 1;
            self.new_stories += u64::from(told.moments[0] > now - DAY);
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

    fn page(&mut self, (page, moment): (u32, i64), is_reprint: bool, columns: &Columns, now: i64) {
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
