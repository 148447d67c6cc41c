//! Stage 6, clusters: related pages become classes with one canonical page each, and the rest may be dropped.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// The pair of pages `x` and `y`, in whatever order, `verdict` saying what `x` is to `y`.
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
}

/// How related pages become classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// The patent's classes as a partition: again and again the largest set of pages within two edges of one page.
    #[default]
    TwoEdge,
    /// Connected components, which may chain unlike pages together.
    Components,
}

/// Which page of a cluster stands for all.
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
pub enum Drop {
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
    /// The member that stands for all.
    pub canonical: Rank,
    /// Reported pairs among the members.
    pub pairs: u64,
}

impl Cluster {
    /// True if fewer than half of the possible pairs of a cluster of 20 pages or more were reported.
    pub fn is_loose(&self) -> bool {
        let n = self.members.len() as u64;
        n >= 20 && self.pairs * 2 < n * (n - 1) / 2
    }
}

/// A page that is left out because a page that stays repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The page that goes.
    pub page: Rank,
    /// The page that stays in its place.
    pub canonical: Rank,
    /// What the page that goes is to the page that stays.
    pub relation: Relation,
}

/// The relations of all pages as adjacency lists.
struct Graph {
    ends: Vec<usize>,
    edges: Vec<(Rank, Relation)>,
}

impl Graph {
    fn build(pages: usize, pairs: &[Pair]) -> Graph {
        let mut both = Vec::with_capacity(2 * pairs.len());
        for p in pairs {
            both.push((p.a, p.b, p.relation));
            both.push((p.b, p.a, p.relation.swapped()));
        }
        both.sort_unstable();
        let mut ends = vec![0; pages];
        both.iter().for_each(|&(from, ..)| ends[from.at()] += 1);
        for page in 1..pages {
            ends[page] += ends[page - 1];
        }
        Graph {
            ends,
            edges: both
                .into_iter()
                .map(|(_, to, relation)| (to, relation))
                .collect(),
        }
    }

    /// The pages related to `page`, ascending, and what `page` is to each.
    fn of(&self, page: Rank) -> &[(Rank, Relation)] {
        let page = page.at();
        let start = if page == 0 { 0 } else { self.ends[page - 1] };
        &self.edges[start..self.ends[page]]
    }
}

/// Splits pages into clusters of two or more, in the order of their smallest members. Canonical is the member that
/// comes first by `preference` (a rank per page, the smallest is best; all different).
///
/// `TwoEdge` takes, in each connected part, at worst O(sum over pages of the degrees of their neighbours) time for
/// each class it makes there, and linear time on parts where some page reaches all others in two edges.
pub fn cluster(pages: usize, pairs: &[Pair], linkage: Linkage, preference: &[u32]) -> Vec<Cluster> {
    let graph = Graph::build(pages, pairs);
    let mut partition = Partition::new(&graph, pages);
    for part in partition.components(Rank::first(pages)) {
        match linkage {
            Linkage::Components => partition.assign(part),
            Linkage::TwoEdge => partition.split_two_edge(part),
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

    /// Takes the largest set within two edges of one page out of `part`, again and again (ties: the page with the
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
}

/// Which pages go: of the pages in the order of preference, containers before what they contain, a page stays unless it
/// repeats one that stays. So no page that stays is a duplicate of another, or contained in it, and whatever a page is
/// dropped for has stayed. (A circle of pages each of which contains the next cannot come from sizes; if there were one, its
/// most preferred page would be visited first.)
///
/// `contained` says whether contained pages go too, or duplicates only. Time O((pages + pairs) log pages).
pub fn dropped(pages: usize, pairs: &[Pair], preference: &[u32], contained: bool) -> Vec<Dropped> {
    let graph = Graph::build(pages, pairs);
    let repeats = |relation| match relation {
        Relation::Duplicate => true,
        Relation::ContainedBy => contained,
        Relation::Contains => false,
    };
    let mut dropped = Vec::new();
    let mut stays = vec![false; pages];
    for page in visits(&graph, preference, contained) {
        let kept = graph
            .of(page)
            .iter()
            .filter(|&&(other, relation)| stays[other.at()] && repeats(relation))
            .min_by_key(|&&(other, _)| preference[other.at()]);
        match kept {
            Some(&(canonical, relation)) => dropped.push(Dropped {
                page,
                canonical,
                relation,
            }),
            None => stays[page.at()] = true,
        }
    }
    dropped.sort_unstable_by_key(|drop| drop.page);
    dropped
}

/// The pages that have relations, by preference; with `contained`, each after all pages that contain it.
fn visits(graph: &Graph, preference: &[u32], contained: bool) -> Vec<Rank> {
    let mut by_preference: Vec<Rank> = Rank::first(preference.len()).collect();
    by_preference.retain(|&page| !graph.of(page).is_empty());
    by_preference.sort_unstable_by_key(|page| preference[page.at()]);
    if !contained {
        return by_preference;
    }
    let is_container = |&&(_, relation): &&(Rank, Relation)| relation == Relation::ContainedBy;
    let containers = |page: Rank| graph.of(page).iter().filter(is_container).count();
    let mut waits_for: Vec<usize> = Rank::first(preference.len()).map(containers).collect();
    let ready = |page: Rank| Reverse((preference[page.at()], page));
    let mut heap: BinaryHeap<_> = by_preference
        .iter()
        .filter(|page| waits_for[page.at()] == 0)
        .map(|&page| ready(page))
        .collect();
    let mut visited = vec![false; preference.len()];
    let mut rest = by_preference.iter();
    let mut visits = Vec::with_capacity(by_preference.len());
    loop {
        let next = heap.pop().map(|Reverse((_, page))| page);
        let Some(page) = next.or_else(|| rest.next().copied()) else {
            return visits;
        };
        if std::mem::replace(&mut visited[page.at()], true) {
            continue;
        }
        visits.push(page);
        for &(other, relation) in graph.of(page) {
            if relation == Relation::Contains {
                let waits = &mut waits_for[other.at()];
                *waits = waits.saturating_sub(1);
                if *waits == 0 && !visited[other.at()] {
                    heap.push(ready(other));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn pair(a: u32, b: u32, relation: Relation) -> Pair {
        let verdict = Verdict {
            relation,
            similarity: 1.0,
            length_ratio: 1.0,
            shared: 3,
            shared_chars: 0,
        };
        Pair::new(Rank(a), Rank(b), &verdict)
    }

    fn duplicates(edges: &[(u32, u32)]) -> Vec<Pair> {
        edges
            .iter()
            .map(|&(a, b)| pair(a, b, Relation::Duplicate))
            .collect()
    }

    fn members(clusters: &[Cluster]) -> Vec<Vec<u32>> {
        let numbers = |c: &Cluster| c.members.iter().map(|page| page.0).collect();
        clusters.iter().map(numbers).collect()
    }

    #[test]
    fn a_chain_of_six_is_cut_where_two_edges_end() {
        let chain = duplicates(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
        let rank: Vec<u32> = (0..6).collect();
        // Pages 2 and 3 both reach five pages; 2 has the smaller id.
        let clusters = cluster(6, &chain, Linkage::TwoEdge, &rank);
        assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4]]);
        assert_eq!(clusters[0].pairs, 4);
        let clusters = cluster(6, &chain, Linkage::Components, &rank);
        assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4, 5]]);
    }

    #[test]
    fn only_pages_related_to_a_kept_page_are_dropped() {
        let chain = duplicates(&[(0, 1), (1, 2), (2, 3)]);
        let rank: Vec<u32> = (0..4).collect();
        let drops = dropped(4, &chain, &rank, true);
        let plain: Vec<_> = drops.iter().map(|d| (d.page.0, d.canonical.0)).collect();
        assert_eq!(plain, [(1, 0), (3, 2)]);
    }

    #[test]
    fn a_container_is_never_dropped_for_what_it_contains() {
        let pairs = [pair(0, 1, Relation::ContainedBy)];
        let gone = Dropped {
            page: Rank(0),
            canonical: Rank(1),
            relation: Relation::ContainedBy,
        };
        // Whichever page is preferred, the one that has all is visited first.
        for preference in [[0, 1], [1, 0]] {
            assert_eq!(dropped(2, &pairs, &preference, true), [gone]);
            assert_eq!(dropped(2, &pairs, &preference, false), []);
        }
    }

    #[test]
    fn a_copy_goes_though_its_original_is_in_another_cluster() {
        // A chain of eight, the middle preferred: its classes are pages 0 to 4 and 5 to 7. 4 and 5 are neighbours.
        let chain: Vec<Pair> = duplicates(&(0..7).map(|page| (page, page + 1)).collect::<Vec<_>>());
        let preference = [7, 6, 5, 4, 0, 1, 2, 3];
        let clusters = cluster(8, &chain, Linkage::TwoEdge, &preference);
        assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4], vec![5, 6, 7]]);
        let drops = dropped(8, &chain, &preference, true);
        let plain: Vec<_> = drops.iter().map(|d| (d.page.0, d.canonical.0)).collect();
        // 4 stays, so 5 goes for it, and 3; 6 and 2 stay; 7 and 1 go; 0 stays.
        assert_eq!(plain, [(1, 2), (3, 4), (5, 4), (7, 6)]);
    }

    /// The definition, word by word.
    fn two_edge_by_definition(pages: u32, edges: &[(u32, u32)]) -> BTreeSet<Vec<u32>> {
        let linked = |a: u32, b: u32| edges.contains(&(a.min(b), a.max(b)));
        let mut remaining: BTreeSet<u32> = (0..pages).collect();
        let mut classes = BTreeSet::new();
        loop {
            let mut best: Vec<u32> = Vec::new();
            for &page in &remaining {
                let near = |x: u32| x == page || linked(page, x);
                let ball: Vec<u32> = remaining
                    .iter()
                    .copied()
                    .filter(|&x| near(x) || remaining.iter().any(|&m| near(m) && linked(m, x)))
                    .collect();
                if ball.len() > best.len() {
                    best = ball;
                }
            }
            if best.len() < 2 {
                return classes;
            }
            best.iter().for_each(|page| {
                remaining.remove(page);
            });
            classes.insert(best);
        }
    }

    proptest! {
        #[test]
        fn two_edge_clusters_are_those_of_the_definition(
            edges in proptest::collection::btree_set((0u32..14, 0u32..14), 0..24)
        ) {
            let edges: BTreeSet<(u32, u32)> =
                edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
            let edges: Vec<_> = edges.into_iter().collect();
            let rank: Vec<u32> = (0..14).collect();
            let clusters = cluster(14, &duplicates(&edges), Linkage::TwoEdge, &rank);
            let found: BTreeSet<Vec<u32>> = members(&clusters).into_iter().collect();
            prop_assert_eq!(found, two_edge_by_definition(14, &edges));
        }

        #[test]
        fn what_is_kept_is_free_of_copies(
            edges in proptest::collection::btree_map((0u32..20, 0u32..20), any::<bool>(), 0..60),
            sizes in Just((0u32..20).collect::<Vec<_>>()).prop_shuffle(),
            preference in Just((0u32..20).collect::<Vec<_>>()).prop_shuffle(),
            contained: bool,
        ) {
            // Of two pages of which one contains the other it is the larger.
            let relation = |a: u32, b: u32, duplicate: bool| match duplicate {
                true => Relation::Duplicate,
                false if sizes[a as usize] > sizes[b as usize] => Relation::Contains,
                false => Relation::ContainedBy,
            };
            let pairs: Vec<Pair> = edges.into_iter().filter(|((a, b), _)| a < b)
                .map(|((a, b), duplicate)| pair(a, b, relation(a, b, duplicate))).collect();
            let drops = dropped(20, &pairs, &preference, contained);
            let gone: BTreeSet<Rank> = drops.iter().map(|d| d.page).collect();
            for drop in &drops {
                prop_assert!(!gone.contains(&drop.canonical));
                let reported = pairs.iter().any(|p| {
                    (p.a, p.b, p.relation) == (drop.page, drop.canonical, drop.relation)
                        || (p.b, p.a, p.relation.swapped())
                            == (drop.page, drop.canonical, drop.relation)
                });
                prop_assert!(reported);
                prop_assert!(drop.relation != Relation::Contains);
                prop_assert!(contained || drop.relation == Relation::Duplicate);
            }
            for pair in &pairs {
                let both_stay = !gone.contains(&pair.a) && !gone.contains(&pair.b);
                prop_assert!(!both_stay || !contained && pair.relation != Relation::Duplicate);
            }
        }
    }
}
