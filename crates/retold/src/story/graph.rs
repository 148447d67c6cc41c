//! The relations of pages, added one at a time, and the stories that result.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::relation::Relation;

/// Stands for no edge.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    /// The relation of the page with the edge to the other.
    relation: Relation,
    /// The next edge of the same page.
    next: u32,
}

/// Pages, their relations, and the stories that result: a story is the pages connected by `duplicate`. Pages and relations are added, and
/// pages removed, one at a time.
///
/// Memory: 21 bytes per page and 24 per relation.
#[derive(Debug, Default)]
pub struct StoryGraph {
    /// The place of each page in the order that determines the first page of a story.
    order: Vec<u32>,
    is_gone: Vec<bool>,
    /// For each page the page that represents its story.
    root: Vec<u32>,
    /// The number of pages of the story including removed ones, valid at roots.
    size: Vec<u32>,
    /// For each page the next one of its story, in a circle.
    next: Vec<u32>,
    /// For each page its newest edge.
    edge: Vec<u32>,
    edges: Vec<Edge>,
}

/// The stories related to a story, each given by the page that represents it, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoryParts {
    /// Stories whose pages are its excerpts; none for a round-up.
    pub excerpts: Vec<u32>,
    /// The stories of which it is a round-up.
    pub rounded_up: Vec<u32>,
    /// Longer versions: stories whose excerpts its own pages are.
    pub longer: Vec<u32>,
    /// Round-ups that contain it.
    pub round_ups: Vec<u32>,
}

/// Pages whose relations become incomplete when other pages are removed: they may be related to pages to which no known relation leads.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TornPages {
    /// The pages, ascending: all but the largest piece of a story that falls apart, and those known to contain a removed page or to be
    /// contained in one.
    pub pages: Vec<u32>,
    /// The pages of pieces, each with the page that represents its piece.
    pub pieces: FxHashMap<u32, u32>,
}

impl StoryGraph {
    /// A graph of this many pages without relations.
    pub fn of(pages: usize) -> StoryGraph {
        let mut graph = StoryGraph::default();
        for _ in 0..pages {
            graph.push();
        }
        graph
    }

    /// Adds a page without relations and returns its number, counted from 0.
    pub fn push(&mut self) -> u32 {
        let number = self.order.len() as u32;
        self.order.push(number);
        self.is_gone.push(false);
        self.root.push(number);
        self.size.push(1);
        self.next.push(number);
        self.edge.push(NONE);
        number
    }

    /// Gives a page the place of an older one in the order of pages, as its new version.
    pub fn set_place_of(&mut self, page: u32, older: u32) {
        if let Some(&place) = self.order.get(older as usize)
            && let Some(own) = self.order.get_mut(page as usize)
        {
            *own = place.min(*own);
        }
    }

    /// The sort key of pages by age: a new version has the place of the old one.
    pub fn place(&self, page: u32) -> (u32, bool, u32) {
        let order = self.order[page as usize];
        (order, order == page, page)
    }

    /// The number of pages, including removed ones.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True if there never was a page.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// True if the page was not removed.
    pub fn is_live(&self, page: u32) -> bool {
        self.is_gone.get(page as usize) == Some(&false)
    }

    /// Removes the last pages, which must have no relations to others.
    pub fn truncate(&mut self, count: usize) {
        self.order.truncate(count);
        self.is_gone.truncate(count);
        self.root.truncate(count);
        self.size.truncate(count);
        self.next.truncate(count);
        self.edge.truncate(count);
    }

    /// Records that `page` is `relation` to `other`. Returns false if one of them never existed, or both are the same.
    pub fn relate(&mut self, page: u32, other: u32, relation: Relation) -> bool {
        if page == other || page.max(other) as usize >= self.len() {
            return false;
        }
        for (from, to, relation) in [(page, other, relation), (other, page, relation.swapped())] {
            let next = self.edge[from as usize];
            self.edge[from as usize] = self.edges.len() as u32;
            self.edges.push(Edge { to, relation, next });
        }
        if relation == Relation::Duplicate && self.is_live(page) && self.is_live(other) {
            self.join(page, other);
        }
        true
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (small, large) = match self.size[a as usize] < self.size[b as usize] {
            true => (a, b),
            false => (b, a),
        };
        self.size[large as usize] += self.size[small as usize];
        self.next.swap(small as usize, large as usize);
        // The pages of the small circle now follow the large root, the small root last.
        let mut at = large;
        while at != small {
            at = self.next[at as usize];
            self.root[at as usize] = large;
        }
    }

    /// Removes pages; stories that depended on them fall apart.
    ///
    /// Time O(pages and relations of their stories).
    pub fn remove(&mut self, pages: &[u32]) {
        let gone: Vec<u32> = pages.iter().copied().filter(|&p| self.is_live(p)).collect();
        gone.iter()
            .for_each(|&page| self.is_gone[page as usize] = true);
        let roots: BTreeSet<u32> = gone.iter().map(|&page| self.root(page)).collect();
        for root in roots {
            let pieces = self.pieces(root, &FxHashSet::default(), &FxHashMap::default());
            if pieces.len() < 2 {
                continue;
            }
            let circle = self.circle(root);
            let dead: Vec<u32> = circle.filter(|&page| !self.is_live(page)).collect();
            dead.iter().for_each(|&page| self.close(&[page]));
            pieces.iter().for_each(|piece| self.close(piece));
        }
    }

    /// Links these pages into one circle.
    fn close(&mut self, pages: &[u32]) {
        let first = pages[0];
        for (at, &page) in pages.iter().enumerate() {
            self.root[page as usize] = first;
            self.next[page as usize] = pages[(at + 1) % pages.len()];
        }
        self.size[first as usize] = pages.len() as u32;
    }

    /// The pages whose relations become incomplete when these are removed. `fresh` has additional known duplicates.
    pub fn torn_by(&self, gone: &[u32], fresh: &[(u32, u32)]) -> TornPages {
        let without: FxHashSet<u32> = gone.iter().copied().filter(|&p| self.is_live(p)).collect();
        let mut also: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &(a, b) in fresh {
            also.entry(a).or_default().push(b);
            also.entry(b).or_default().push(a);
        }
        let mut torn = TornPages::default();
        let roots: BTreeSet<u32> = without.iter().map(|&page| self.root(page)).collect();
        let mut beside: Vec<u32> = without.iter().copied().collect();
        for root in roots {
            let mut pieces = self.pieces(root, &without, &also);
            // A relation of containment with a story may be known for only one of its pages.
            if pieces.len() > 1 {
                beside.extend(pieces.iter().flatten());
            }
            pieces.sort_by_key(|piece| piece.len());
            pieces.pop();
            for piece in pieces {
                let first = piece[0];
                torn.pieces.extend(piece.iter().map(|&page| (page, first)));
                torn.pages.extend(piece);
            }
        }
        for page in beside {
            let others = self.relations(page).filter(|(other, relation)| {
                *relation != Relation::Duplicate && !without.contains(other)
            });
            torn.pages.extend(others.map(|(other, _)| other));
        }
        torn.pages.sort_unstable();
        torn.pages.dedup();
        torn
    }

    /// The live pages of a root's circle, without `without`, split into pieces connected by duplicates; `also` has relations through pages
    /// of other circles.
    fn pieces(
        &self,
        root: u32,
        without: &FxHashSet<u32>,
        also: &FxHashMap<u32, Vec<u32>>,
    ) -> Vec<Vec<u32>> {
        let is_there = |page: u32| self.is_live(page) && !without.contains(&page);
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut pieces = Vec::new();
        for start in self.circle(root) {
            if !is_there(start) || !seen.insert(start) {
                continue;
            }
            let (mut piece, mut waiting) = (Vec::new(), vec![start]);
            while let Some(page) = waiting.pop() {
                if self.root(page) == root {
                    piece.push(page);
                }
                let known = self.relations(page);
                let known = known.filter(|(_, relation)| *relation == Relation::Duplicate);
                let more = also.get(&page).into_iter().flatten().copied();
                for other in known.map(|(other, _)| other).chain(more) {
                    if is_there(other) && seen.insert(other) {
                        waiting.push(other);
                    }
                }
            }
            pieces.push(piece);
        }
        pieces
    }

    /// The page that represents a page's story. It changes when stories merge or split.
    pub fn root(&self, page: u32) -> u32 {
        self.root[page as usize]
    }

    fn circle(&self, page: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = Some(page);
        std::iter::from_fn(move || {
            let this = at?;
            let next = self.next[this as usize];
            at = (next != page).then_some(next);
            Some(this)
        })
    }

    /// The live pages of a page's story, unordered.
    pub fn story(&self, page: u32) -> impl Iterator<Item = u32> + '_ {
        self.circle(page).filter(|&page| self.is_live(page))
    }

    /// The first page of a page's story, which names it.
    pub fn first(&self, page: u32) -> u32 {
        let first = self.story(page).min_by_key(|&page| self.place(page));
        first.unwrap_or(page)
    }

    /// The live pages related to a page, with the page's relation to each; the newest relation first.
    pub fn relations(&self, page: u32) -> impl Iterator<Item = (u32, Relation)> + '_ {
        let mut at = self.edge[page as usize];
        let all = std::iter::from_fn(move || {
            let edge = self.edges.get(at as usize)?;
            at = edge.next;
            Some((edge.to, edge.relation))
        });
        all.filter(|&(other, _)| self.is_live(other))
    }

    /// The containment relations between stories.
    ///
    /// Time O(r log r) for r relations.
    pub fn edges(&self) -> StoryEdges {
        let roots = (0..self.len() as u32).filter(|&page| self.root(page) == page);
        let mut edges = StoryEdges::default();
        edges.tell(self, &roots.collect());
        edges
    }

    /// The stories that pages of a story contain.
    fn contained(&self, root: u32) -> impl Iterator<Item = u32> + '_ {
        let related = self.story(root).flat_map(|page| self.relations(page));
        let contained = related.filter(|(_, relation)| *relation == Relation::Contains);
        let stories = contained.map(|(other, _)| self.root(other));
        stories.filter(move |&story| story != root)
    }

    /// Stories of two pages or more, and single pages with excerpts; each by its root, ascending, with its pages unordered.
    ///
    /// Time O(pages and relations).
    pub fn stories(&self, edges: &StoryEdges) -> Vec<(u32, Vec<u32>)> {
        let listed = (0..self.len() as u32).filter(|&page| self.is_listed(page, edges));
        listed
            .map(|root| (root, self.story(root).collect()))
            .collect()
    }

    /// Whether the story of a root is listed: it has two pages or more, or one and excerpts.
    pub fn is_listed(&self, root: u32, edges: &StoryEdges) -> bool {
        let mut pages = self.story(root);
        self.root(root) == root
            && pages.next().is_some()
            && (pages.next().is_some() || edges.has_excerpts(root))
    }
}

/// The containment relations between stories, each given by its root ([`StoryGraph::root`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryEdges {
    /// A story and one that it contains.
    contains: BTreeSet<(u32, u32)>,
    /// A story and one that contains it.
    within: BTreeSet<(u32, u32)>,
    round_ups: FxHashSet<u32>,
}

impl StoryEdges {
    /// Updates these stories and those that contain one of them, and returns the updated stories. `changed` must have the roots of all
    /// stories that changed, both before and after.
    ///
    /// Whether a story is a round-up depends only on what it contains and on what that contains, so no others can have changed.
    ///
    /// Time O(pages and relations of these stories, each with the logarithm of all).
    pub fn tell(&mut self, graph: &StoryGraph, changed: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut updated = changed.clone();
        for &root in changed {
            updated.extend(StoryEdges::of(&self.within, root));
        }
        for &root in &updated {
            let old: Vec<u32> = StoryEdges::of(&self.contains, root).collect();
            for part in old {
                self.contains.remove(&(root, part));
                self.within.remove(&(part, root));
            }
            if graph.root(root) == root {
                for part in graph.contained(root) {
                    self.contains.insert((root, part));
                    self.within.insert((part, root));
                }
            }
        }
        for &root in &updated {
            match self.falls_apart(root) {
                true => self.round_ups.insert(root),
                false => self.round_ups.remove(&root),
            };
        }
        updated
    }

    fn of(edges: &BTreeSet<(u32, u32)>, story: u32) -> impl Iterator<Item = u32> + '_ {
        edges
            .range((story, 0)..=(story, u32::MAX))
            .map(|edge| edge.1)
    }

    /// Whether a story contains two stories that do not contain each other. All pairs examined before the answer are relations.
    fn falls_apart(&self, story: u32) -> bool {
        let parts: Vec<u32> = StoryEdges::of(&self.contains, story).collect();
        let contains = |whole, part| self.contains.contains(&(whole, part));
        let mut parts = parts
            .iter()
            .enumerate()
            .map(|(at, &part)| (part, &parts[at + 1..]));
        parts.any(|(part, others)| {
            let mut others = others.iter();
            others.any(|&other| !contains(part, other) && !contains(other, part))
        })
    }

    fn is_round_up(&self, story: u32) -> bool {
        self.round_ups.contains(&story)
    }

    fn has_excerpts(&self, story: u32) -> bool {
        !self.is_round_up(story) && StoryEdges::of(&self.contains, story).next().is_some()
    }

    /// The stories related to a story. Time O(log of all, and the size of the result).
    pub fn parts(&self, story: u32) -> StoryParts {
        let within = StoryEdges::of(&self.within, story);
        let (round_ups, longer) = within.partition(|&other| self.is_round_up(other));
        let contained = StoryEdges::of(&self.contains, story).collect();
        let mut parts = StoryParts {
            longer,
            round_ups,
            ..StoryParts::default()
        };
        match self.is_round_up(story) {
            true => parts.rounded_up = contained,
            false => parts.excerpts = contained,
        }
        parts
    }
}
