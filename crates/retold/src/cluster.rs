//! Stage 6, clusters: related pages become classes with one canonical page each, and the rest may be dropped.

mod keep;
mod pairs;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

pub use keep::Keep;
pub use pairs::Pairs;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::ids::Rank;
use crate::relation::{Relation, Verdict};

/// Two related pages, `a < b`, and what `a` is to `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The first page.
    pub a: Rank,
    /// The second page.
    pub b: Rank,
    /// What `a` is to `b`.
    pub relation: Relation,
    /// The verdict's, in half the bytes: collections have more pairs than pages.
    pub similarity: f32,
    /// The verdict's.
    pub length_ratio: f32,
    /// The verdict's.
    pub shared: u32,
}

impl Pair {
    /// The pair of pages `x` and `y`, in either order; `verdict` is the relation of `x` to `y`.
    pub fn new(x: Rank, y: Rank, verdict: &Verdict) -> Pair {
        let swapped = x > y;
        Pair {
            a: x.min(y),
            b: x.max(y),
            relation: if swapped {
                verdict.relation.swapped()
            } else {
                verdict.relation
            },
            similarity: verdict.similarity as f32,
            length_ratio: verdict.length_ratio as f32,
            shared: verdict.shared,
        }
    }

    /// The same verdict on other pages: `x` in the place of `a`, `y` in that of `b`.
    pub fn between(&self, x: Rank, y: Rank) -> Pair {
        Pair {
            a: x.min(y),
            b: x.max(y),
            relation: match x > y {
                true => self.relation.swapped(),
                false => self.relation,
            },
            ..*self
        }
    }
}

/// How related pages become classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// The patent's classes as a partition: repeatedly the largest set of pages within two edges of one page.
    #[default]
    TwoEdge,
    /// The patent's classes page by page: of all sets of pages within two edges of one page, each page is in the largest that
    /// has it. Pages at the ends of chains may be alone.
    PerPage,
    /// Connected components, which may join unrelated pages through chains.
    Components,
}

/// Which page of a cluster is canonical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Canonical {
    /// The one with the longest text; of equals the one with the smallest id.
    #[default]
    Longest,
    /// The one with the earliest date; pages without a date come last, of equals the longest.
    Earliest,
    /// The one with the smallest id.
    First,
}

/// Which copies of a kept page are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DropRule {
    /// Its duplicates, and pages contained in it.
    #[default]
    Both,
    /// Its duplicates only.
    Duplicate,
}

/// Pages that repeat each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Two or more pages, ascending by rank.
    pub members: Vec<Rank>,
    /// The canonical page.
    pub canonical: Rank,
    /// Reported pairs among the members.
    pub pairs: u64,
    /// Whether all pairs of related members are reported. Of large families they are not.
    pub complete: bool,
}

impl Cluster {
    /// True if fewer than half of the possible pairs of a cluster of 20 pages or more were reported.
    pub fn is_loose(&self) -> bool {
        let n = self.members.len() as u64;
        self.complete && n >= 20 && self.pairs * 2 < n * (n - 1) / 2
    }
}

/// A page that is dropped because it repeats a kept page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The dropped page.
    pub page: Rank,
    /// The kept page that it repeats.
    pub canonical: Rank,
    /// The relation of the dropped page to the kept page.
    pub relation: Relation,
}

/// The relations of all pages as adjacency lists.
struct Graph {
    ends: Vec<usize>,
    edges: Vec<(Rank, Relation)>,
}

impl Graph {
    fn build(pages: usize, pairs: &[Pair], ties: &[(Rank, Rank)]) -> Graph {
        // Of pairs that ascend each page gets first those before it, then those behind it: all ascend.
        let ties = ties.iter().map(|&(a, b)| (a, b, Relation::Duplicate));
        let back = pairs.iter().map(|p| (p.b, p.a, p.relation.swapped()));
        let forth = pairs.iter().map(|p| (p.a, p.b, p.relation));
        let tied_back = ties.clone().map(|(a, b, relation)| (b, a, relation));
        let all = back.chain(forth).chain(ties).chain(tied_back);
        let mut starts = vec![0; pages + 1];
        all.clone()
            .for_each(|(from, ..)| starts[from.at() + 1] += 1);
        for page in 0..pages {
            starts[page + 1] += starts[page];
        }
        let mut edges = vec![(Rank::default(), Relation::Duplicate); starts[pages]];
        for (from, to, relation) in all {
            let start = &mut starts[from.at()];
            edges[*start] = (to, relation);
            *start += 1;
        }
        // Each start has become the end.
        starts.truncate(pages);
        let mut graph = Graph {
            ends: starts,
            edges,
        };
        for page in Rank::first(pages) {
            let places = graph.places(page);
            let edges = &mut graph.edges[places];
            if !edges.is_sorted() {
                edges.sort_unstable();
            }
        }
        graph
    }

    /// The pages related to `page`, ascending, and what `page` is to each.
    fn of(&self, page: Rank) -> &[(Rank, Relation)] {
        &self.edges[self.places(page)]
    }

    fn places(&self, page: Rank) -> Range<usize> {
        let start = page
            .at()
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        start..self.ends[page.at()]
    }
}

/// Splits pages into clusters of two or more, in the order of their smallest members. Canonical is the member that
/// comes first by `preference` (a rank per page, the smallest is best; all different). `ties` are pages known to be of one
/// component, though no pair says so.
///
/// `TwoEdge` takes, in each connected part, at worst O(sum over pages of the degrees of their neighbours) time for
/// each class it makes there, and linear time on parts where some page reaches all others in two edges. `PerPage` takes
/// that sum once.
pub fn cluster(
    pages: usize,
    pairs: &[Pair],
    ties: &[(Rank, Rank)],
    linkage: Linkage,
    preference: &[u32],
) -> Vec<Cluster> {
    let graph = Graph::build(pages, pairs, ties);
    let mut partition = Partition::new(&graph, pages);
    for part in partition.components(Rank::first(pages)) {
        match linkage {
            Linkage::Components => partition.assign(part),
            Linkage::TwoEdge => partition.split_two_edge(part),
            Linkage::PerPage => partition.split_per_page(&part),
        }
    }
    let Partition {
        class_of, classes, ..
    } = partition;
    let mut inner = vec![0u64; classes.len()];
    for pair in pairs {
        let class = class_of[pair.a.at()];
        if class == class_of[pair.b.at()] && class != NONE {
            inner[class as usize] += 1;
        }
    }
    let mut clusters: Vec<Cluster> = classes
        .into_iter()
        .zip(inner)
        .filter_map(|(members, pairs)| {
            let canonical = *members.iter().min_by_key(|&&page| preference[page.at()])?;
            Some(Cluster {
                members,
                canonical,
                pairs,
                complete: true,
            })
        })
        .collect();
    clusters.sort_unstable_by_key(|cluster| cluster.members[0]);
    clusters
}

/// No class yet.
const NONE: u32 = u32::MAX;

/// A partition of the pages in the making.
struct Partition<'a> {
    graph: &'a Graph,
    class_of: Vec<u32>,
    classes: Vec<Vec<Rank>>,
    /// The last walk that met a page, so that a walk need not clear anything.
    met: Vec<u32>,
    walk: u32,
}

impl<'a> Partition<'a> {
    fn new(graph: &'a Graph, pages: usize) -> Self {
        let (class_of, met) = (vec![NONE; pages], vec![0; pages]);
        Partition {
            graph,
            class_of,
            classes: Vec::new(),
            met,
            walk: 0,
        }
    }

    /// Makes a class of `members`.
    fn assign(&mut self, mut members: Vec<Rank>) {
        members.sort_unstable();
        let class = self.classes.len() as u32;
        members
            .iter()
            .for_each(|&page| self.class_of[page.at()] = class);
        self.classes.push(members);
    }

    /// Adds the pages without a class that are related to `page` and were not met in this walk.
    fn extend(&mut self, page: Rank, found: &mut Vec<Rank>) {
        for &(other, _) in self.graph.of(page) {
            let at = other.at();
            if self.class_of[at] == NONE && self.met[at] != self.walk {
                self.met[at] = self.walk;
                found.push(other);
            }
        }
    }

    /// The connected parts of two pages or more of the pages in `among` that have no class yet.
    fn components(&mut self, among: impl Iterator<Item = Rank>) -> Vec<Vec<Rank>> {
        self.walk += 1;
        let mut parts = Vec::new();
        for start in among {
            if self.class_of[start.at()] != NONE || self.met[start.at()] == self.walk {
                continue;
            }
            self.met[start.at()] = self.walk;
            let mut part = vec![start];
            let mut next = 0;
            while next < part.len() {
                self.extend(part[next], &mut part);
                next += 1;
            }
            if part.len() > 1 {
                parts.push(part);
            }
        }
        parts
    }

    /// `page` and the pages without a class at most two edges away from it, through pages without a class.
    fn within_two_edges(&mut self, page: Rank) -> Vec<Rank> {
        self.walk += 1;
        self.met[page.at()] = self.walk;
        let mut ball = vec![page];
        self.extend(page, &mut ball);
        for i in 1..ball.len() {
            self.extend(ball[i], &mut ball);
        }
        ball
    }

    /// Repeatedly takes the largest set within two edges of one page out of `part` (ties: the page with the
    /// smallest id).
    ///
    /// Such sets only shrink as pages are taken out, so a size once measured is an upper bound for good: a page at
    /// the top of the heap whose size is measured again and has not changed is the largest.
    fn split_two_edge(&mut self, part: Vec<Rank>) {
        let mut parts = vec![(part, usize::MAX)];
        while let Some((part, bound)) = parts.pop() {
            let bound = bound.min(part.len());
            let mut heap: BinaryHeap<(usize, Reverse<Rank>)> =
                part.iter().map(|&page| (bound, Reverse(page))).collect();
            while let Some((bound, Reverse(page))) = heap.pop() {
                let ball = self.within_two_edges(page);
                let size = ball.len();
                if size < bound {
                    heap.push((size, Reverse(page)));
                    continue;
                }
                self.assign(ball);
                // What is left may have fallen apart; each piece is done on its own, under the same bound.
                let rest = self.components(part.into_iter());
                parts.extend(rest.into_iter().map(|piece| (piece, size)));
                break;
            }
        }
    }
    /// Puts each page of `part` with those that are in the same largest set within two edges of one page (ties: of the page
    /// with the smallest id).
    fn split_per_page(&mut self, part: &[Rank]) {
        let mut largest: FxHashMap<Rank, (usize, Reverse<Rank>)> = FxHashMap::default();
        for &page in part {
            let ball = self.within_two_edges(page);
            let this = (ball.len(), Reverse(page));
            for member in ball {
                let best = largest.entry(member).or_insert(this);
                *best = this.max(*best);
            }
        }
        let mut by_set: Vec<(Rank, Rank)> = largest
            .into_iter()
            .map(|(page, (_, Reverse(of)))| (of, page))
            .collect();
        by_set.sort_unstable();
        for class in by_set.chunk_by(|a, b| a.0 == b.0) {
            if class.len() > 1 {
                self.assign(class.iter().map(|&(_, page)| page).collect());
            }
        }
    }
}

/// The pages to drop, decided on all their pairs ([`Keep`] has the rule); ascending. Time O((pages + pairs) log pages).
pub fn dropped(
    pages: usize,
    pairs: &[Pair],
    preference: &[u32],
    contained: bool,
    is_old: &[bool],
) -> Vec<Dropped> {
    let graph = Graph::build(pages, pairs, &[]);
    let mut order: Vec<Rank> = Rank::first(pages).collect();
    order.retain(|&page| !graph.of(page).is_empty());
    order.sort_unstable_by_key(|page| preference[page.at()]);
    let mut keep = Keep::new(preference, contained, is_old);
    for page in order {
        while let Some(woken) = keep.woken_before(Some(page)) {
            keep.visit(woken, graph.of(woken));
        }
        keep.visit(page, graph.of(page));
    }
    keep.finish(|page| graph.of(page))
}

#[cfg(test)]
mod tests;
