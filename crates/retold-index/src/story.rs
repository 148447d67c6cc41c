//! Stories: pages that repeat each other, in order of time.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use retold::{Findings, Rank, Relation, Result, RunConfig, Watch, date_text};
use serde::Serialize;

use crate::index::{Index, unknown};
use crate::record::Entry;

/// The order of stories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one with most pages first.
    Size,
    /// The one with the latest page first.
    Recent,
}

/// A story in a list of many.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct StoryLine {
    /// The id of its first page.
    pub id: String,
    /// Title of its first page.
    pub title: Option<String>,
    /// Where its first page was fetched.
    pub url: Option<String>,
    /// How many pages it has.
    pub pages: u64,
    /// How many sites they are on.
    pub sites: u64,
    /// When the first was published, or added where it has no date.
    pub first_seen: String,
    /// When the last was.
    pub last_seen: String,
}

/// A story: the cluster of a page.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Story {
    /// The page that was asked for.
    pub id: String,
    /// The canonical page.
    pub canonical: String,
    /// How many sites it is on.
    pub sites: u64,
    /// When its first page was published, or added where it has no date.
    pub first_seen: String,
    /// When the last was.
    pub last_seen: String,
    /// The pages, the first one first.
    pub timeline: Vec<StoryPage>,
}

/// A page of a story.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct StoryPage {
    /// Its id.
    pub id: String,
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
    /// `first`; or what it made of the first page, or else of the canonical one: `copied`, `shortened`, `extended`; or `related`
    /// to others of the story.
    pub what: &'static str,
    /// Characters of its text, white space left out.
    pub chars: u64,
    /// Whether a run over the index keeps it.
    pub kept: bool,
}

/// Pages of a story whose entries are read for a list of stories.
const SAMPLE: usize = 1000;

impl Index {
    /// The story of the page of an id: its cluster, as `export` has it, in order of time. A page that repeats none is a story by
    /// itself.
    ///
    /// Time: that of a batch run over the pages that are connected with it.
    pub fn story(&self, id: &str, watch: &dyn Watch) -> Result<Story> {
        let (page, _) = self.find(id)?.ok_or_else(|| unknown(id))?;
        let mut pages: Vec<u32> = {
            let state = self.read();
            state.pages.story(page).collect()
        };
        pages.sort_unstable();
        let mut resources = RunConfig::default();
        resources.threads = 1;
        let findings = self.findings_among(pages, &resources, watch)?;
        let rank = findings
            .by_id
            .binary_search_by(|&other| (*findings.collection.id(other)).cmp(id));
        let rank = Rank::new(rank.unwrap_or_else(|at| at));
        let cluster = findings
            .clusters
            .iter()
            .find(|cluster| cluster.members.contains(&rank));
        let (members, canonical) = match cluster {
            Some(cluster) => (cluster.members.clone(), cluster.canonical),
            None => (vec![rank], rank),
        };
        self.in_time(id, &findings, &members, canonical)
    }

    fn in_time(
        &self,
        id: &str,
        findings: &Findings,
        members: &[Rank],
        canonical: Rank,
    ) -> Result<Story> {
        let mut pages = Vec::new();
        for &rank in members {
            if let Some(entry) = self.get(&findings.id(rank))? {
                pages.push((entry, rank));
            }
        }
        pages.sort_by(|(a, _), (b, _)| (a.moment(), &a.id).cmp(&(b.moment(), &b.id)));
        let first = pages.first().map_or(canonical, |&(_, rank)| rank);
        let moment = |page: Option<&(Entry, Rank)>| page.map_or(0, |(entry, _)| entry.moment());
        let sites: BTreeSet<&str> = pages
            .iter()
            .filter_map(|(entry, _)| entry.sketch.site.as_deref())
            .collect();
        Ok(Story {
            id: id.to_owned(),
            canonical: findings.id(canonical).into_owned(),
            sites: sites.len() as u64,
            first_seen: written(moment(pages.first())),
            last_seen: written(moment(pages.last())),
            timeline: pages
                .iter()
                .map(|(entry, rank)| {
                    story_page(
                        entry,
                        what(findings, *rank, first, canonical),
                        !is_dropped(findings, *rank),
                    )
                })
                .collect(),
        })
    }

    /// The stories of two pages or more that have a page since a moment, in seconds since 1970; at most `limit`.
    ///
    /// Pages are of one story if they were found related when they were added, directly or through others.
    pub fn stories(
        &self,
        order: Order,
        since: Option<i64>,
        limit: usize,
    ) -> Result<Vec<StoryLine>> {
        let mut stories = self.read().pages.stories();
        stories.retain(|&(_, _, latest)| since.is_none_or(|since| latest >= since));
        match order {
            Order::Size => stories.sort_unstable_by_key(|&(root, size, latest)| {
                (Reverse(size), Reverse(latest), root)
            }),
            Order::Recent => stories.sort_unstable_by_key(|&(root, size, latest)| {
                (Reverse(latest), Reverse(size), root)
            }),
        }
        stories.truncate(limit);
        stories
            .into_iter()
            .map(|(root, size, latest)| self.line(root, size, latest))
            .collect()
    }

    fn line(&self, root: u32, size: usize, latest: i64) -> Result<StoryLine> {
        let (first, sample) = {
            let state = self.read();
            let moment = |page: &u32| state.pages.row(*page).map_or(i64::MAX, |row| row.moment);
            let pages: Vec<u32> = state.pages.story(root).collect();
            let first = pages
                .iter()
                .copied()
                .min_by_key(|page| (moment(page), *page));
            (
                first.unwrap_or(root),
                pages.into_iter().take(SAMPLE).collect::<Vec<u32>>(),
            )
        };
        let entry = self.entry_of(first)?;
        let mut sites = BTreeSet::new();
        for page in sample {
            sites.extend(self.entry_of(page)?.sketch.site);
        }
        Ok(StoryLine {
            first_seen: written(entry.moment()),
            id: entry.id,
            title: entry.title,
            url: entry.url,
            pages: size as u64,
            sites: sites.len() as u64,
            last_seen: written(latest),
        })
    }
}

fn story_page(entry: &Entry, what: &'static str, kept: bool) -> StoryPage {
    let entry = entry.clone();
    StoryPage {
        seen: written(entry.moment()),
        id: entry.id,
        url: entry.url,
        site: entry.sketch.site,
        title: entry.title,
        date: entry.date,
        what,
        chars: entry.sketch.chars,
        kept,
    }
}

fn is_dropped(findings: &Findings, page: Rank) -> bool {
    findings
        .dropped
        .binary_search_by_key(&page, |dropped| dropped.page)
        .is_ok()
}

fn what(findings: &Findings, page: Rank, first: Rank, canonical: Rank) -> &'static str {
    if page == first {
        return "first";
    }
    let relation = findings
        .relation(page, first)
        .or_else(|| findings.relation(page, canonical));
    match relation {
        Some(Relation::Duplicate) => "copied",
        Some(Relation::ContainedBy) => "shortened",
        Some(Relation::Contains) => "extended",
        None => "related",
    }
}

/// A moment as RFC 3339 has it.
fn written(seconds: i64) -> String {
    date_text(seconds).unwrap_or_else(|| seconds.to_string())
}
