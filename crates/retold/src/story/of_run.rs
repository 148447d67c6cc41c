//! The stories of a run.

use serde::Serialize;

use super::graph::StoryGraph;
use crate::dedup::Findings;
use crate::ids::Rank;

/// A page of a story, as in `stories.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoryRow<'a> {
    /// The id of the story's first page.
    pub story: &'a str,
    /// The role of the page: `page`, `excerpt`, `longer` or `round_up`.
    pub part: &'static str,
    /// The id of the page.
    pub id: &'a str,
}

/// A story found by a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunStory {
    /// The id of its first page: the earliest; ties, and pages without a date, go to the smallest id.
    pub story: String,
    /// Its pages by id: duplicates of each other, directly or through others.
    pub pages: Vec<String>,
    /// Pages contained in one of them, and the duplicates of these.
    pub excerpts: Vec<String>,
    /// Longer versions: pages whose excerpts its own pages are.
    pub longer: Vec<String>,
    /// Pages that contain it and other stories.
    pub round_ups: Vec<String>,
}

impl RunStory {
    /// Its pages and the related ones, in this order, by id.
    pub fn rows(&self) -> impl Iterator<Item = StoryRow<'_>> + Clone {
        let parts = [
            ("page", &self.pages),
            ("excerpt", &self.excerpts),
            ("longer", &self.longer),
            ("round_up", &self.round_ups),
        ];
        let story = &*self.story;
        parts
            .into_iter()
            .flat_map(move |(part, ids)| ids.iter().map(move |id| StoryRow { story, part, id }))
    }
}

/// The stories of two pages or more, and of single pages with excerpts, by the ids of their first pages. In a component too large for all
/// its pairs to be listed, they are based on the listed pairs.
///
/// Time and memory O(pages and pairs).
pub fn stories(findings: &Findings) -> Vec<RunStory> {
    let pages = findings.by_id.len();
    let mut ranks: Vec<Rank> = Rank::first(pages).collect();
    ranks.sort_by_key(|&rank| (findings.page(rank).date.unwrap_or(i64::MAX), rank));
    // Pages are numbered by date, so the smallest number in a story is that of its first page.
    let mut number = vec![0; pages];
    for (at, rank) in (0..).zip(&ranks) {
        number[rank.at()] = at;
    }
    let mut graph = StoryGraph::of(pages);
    for pair in findings.pairs.iter() {
        graph.relate(number[pair.a.at()], number[pair.b.at()], pair.relation);
    }
    let ids = |pages: Vec<u32>| -> Vec<String> {
        let mut pages: Vec<Rank> = pages.into_iter().map(|page| ranks[page as usize]).collect();
        pages.sort_unstable();
        let ids = pages.into_iter().map(|rank| findings.id(rank).into_owned());
        ids.collect()
    };
    let of = |roots: &[u32]| ids(roots.iter().flat_map(|&root| graph.story(root)).collect());
    let edges = graph.edges();
    let stories = graph.stories(&edges).into_iter().map(|(root, pages)| {
        let parts = edges.parts(root);
        RunStory {
            story: findings.id(ranks[graph.first(root) as usize]).into_owned(),
            pages: ids(pages),
            excerpts: of(&parts.excerpts),
            longer: of(&parts.longer),
            round_ups: of(&parts.round_ups),
        }
    });
    let mut stories: Vec<RunStory> = stories.collect();
    stories.sort_by(|a, b| a.story.cmp(&b.story));
    stories
}
