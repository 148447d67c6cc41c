//! Clusters: related pages that repeat each other, with one canonical page each.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::graph::Graph;
use super::options::Linkage;
use super::pair::Pair;
use crate::ids::Rank;

/// Pages that repeat each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Two or more pages, ascending by rank.
    pub members: Vec<Rank>,
    /// The canonical page, which is kept.
    pub canonical: Rank,
    /// The number of reported pairs among the members.
    pub pairs: u64,
    /// Whether all pairs of related members are reported; not true for large families.
    pub complete: bool,
}

impl Cluster {
    /// True if the cluster has 20 pages or more and fewer than half of its possible pairs were reported.
    pub fn is_loose(&self) -> bool {
        let n = self.members.len() as u64;
        self.complete && n >= 20 && self.pairs * 2 < n * (n - 1) / 2
    }
}

/// A largest set of pages within two relations of one page, and the pages of which it is the class (claim 6 of CN102945244).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The page in the centre, which all members reach in two relations.
    pub center: Rank,
    /// All pages of the set, ascending.
    pub members: Vec<Rank>,
    /// The members that are in no larger set, ascending.
    pub pages: Vec<Rank>,
}

/// The overlapping classes of related pages: the class of a page is the largest set of pages within two relations of one page that contains
/// it (ties: the centre with the smallest id). Ordered by centre. Time as `PerPage` in [`cluster`].
pub fn classes(pairs: &[Pair], pages: usize) -> Vec<Class> {
    let graph = Graph::build(pages, pairs, &[]);
    let mut partition = Partition::new(&graph, pages);
    let mut classes = Vec::new();
    for part in partition.components(Rank::first(pages)) {
        let by_set = partition.by_largest_set(&part);
        for class in by_set.chunk_by(|a, b| a.0 == b.0) {
            let center = class[0].0;
            let mut members = partition.within_two_edges(center);
            members.sort_unstable();
            classes.push(Class {
                center,
                members,
                pages: class.iter().map(|&(_, page)| page).collect(),
            });
        }
    }
    classes.sort_unstable_by_key(|class| class.center);
    classes
}

/// Splits pages into clusters of two or more, in the order of their smallest members. `kept_for` gives for each page the kept page for
/// which it is dropped, or itself if it is kept. `ties` are pages known to be in one component without a pair.
///
/// A dropped page is in the cluster of the page for which it is dropped, whatever its class by `linkage`. A class that this disconnects
/// becomes several clusters, and single pages are in none. Canonical is the kept member that comes first by `preference` (the smallest is
/// best; all different).
///
/// `TwoEdge` takes at worst O(sum over pages of the degrees of their neighbours) time for each class of a connected part, and linear time
/// on parts where some page reaches all others in two edges. `PerPage` takes that sum once.
pub fn cluster(
    pairs: &[Pair],
    ties: &[(Rank, Rank)],
    linkage: Linkage,
    preference: &[u32],
    kept_for: &[Rank],
) -> Vec<Cluster> {
    let pages = kept_for.len();
    let graph = Graph::build(pages, pairs, ties);
    let mut partition = Partition::new(&graph, pages);
    for part in partition.components(Rank::first(pages)) {
        match linkage {
            Linkage::Components => partition.assign(part),
            Linkage::TwoEdge => partition.split_two_edge(part),
            Linkage::PerPage => partition.split_per_page(&part),
        }
    }
    partition.gather(kept_for);
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
            let kept = members.iter().filter(|page| kept_for[page.at()] == **page);
            let canonical = *kept.min_by_key(|page| preference[page.at()])?;
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

/// Not in a class yet.
const NONE: u32 = u32::MAX;

/// A partition of the pages in progress.
struct Partition<'a> {
    graph: &'a Graph,
    class_of: Vec<u32>,
    /// Walks stay within the area of their page.
    area: Vec<u32>,
    classes: Vec<Vec<Rank>>,
    /// The last walk that met a page, so that nothing must be cleared between walks.
    met: Vec<u32>,
    walk: u32,
}

impl<'a> Partition<'a> {
    fn new(graph: &'a Graph, pages: usize) -> Self {
        Partition {
            graph,
            class_of: vec![NONE; pages],
            area: vec![0; pages],
            classes: Vec::new(),
            met: vec![0; pages],
            walk: 0,
        }
    }

    fn assign(&mut self, mut members: Vec<Rank>) {
        members.sort_unstable();
        let class = self.classes.len() as u32;
        members
            .iter()
            .for_each(|&page| self.class_of[page.at()] = class);
        self.classes.push(members);
    }

    /// Adds the pages of the same area without a class that are related to `page` and were not met in this walk.
    fn extend(&mut self, page: Rank, found: &mut Vec<Rank>) {
        for &(other, _) in self.graph.of(page) {
            let at = other.at();
            let is_open = self.class_of[at] == NONE && self.area[at] == self.area[page.at()];
            if is_open && self.met[at] != self.walk {
                self.met[at] = self.walk;
                found.push(other);
            }
        }
    }

    /// The connected parts, with two pages or more, of the pages in `among` without a class.
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

    /// `page` and the pages without a class at most two edges away, through pages without a class.
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

    /// Moves every dropped page into the class of the page for which it is dropped. A class that lost pages is split into its connected
    /// parts.
    fn gather(&mut self, kept_for: &[Rank]) {
        let mut class_of = std::mem::take(&mut self.class_of);
        let mut has_lost = vec![false; self.classes.len()];
        for (page, &kept) in Rank::first(kept_for.len()).zip(kept_for) {
            if page != kept && class_of[kept.at()] == NONE {
                class_of[kept.at()] = has_lost.len() as u32;
                has_lost.push(false);
            }
            let class = class_of[kept.at()];
            let before = std::mem::replace(&mut class_of[page.at()], class);
            if before != class && before != NONE {
                has_lost[before as usize] = true;
            }
        }
        let mut members = vec![Vec::new(); has_lost.len()];
        for page in Rank::first(class_of.len()) {
            if let Some(class) = members.get_mut(class_of[page.at()] as usize) {
                class.push(page);
            }
        }
        (self.class_of, self.area) = (vec![NONE; class_of.len()], class_of);
        self.classes.clear();
        for (class, has_lost) in members.into_iter().zip(has_lost) {
            match has_lost {
                true => self
                    .components(class.into_iter())
                    .into_iter()
                    .for_each(|part| self.assign(part)),
                false => self.assign(class),
            }
        }
    }

    /// Repeatedly takes the largest set within two edges of one page out of `part` (ties: the page with the smallest id).
    ///
    /// Such sets only shrink as pages are taken, so a measured size stays an upper bound: if the page at the top of the heap is measured
    /// again and has not changed, its set is the largest.
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
                // The rest may be disconnected; each piece is processed separately, under the same bound.
                let rest = self.components(part.into_iter());
                parts.extend(rest.into_iter().map(|piece| (piece, size)));
                break;
            }
        }
    }

    /// For each page of `part` the centre of the largest set within two edges that contains it (ties: the smallest id), ascending by
    /// centre.
    fn by_largest_set(&mut self, part: &[Rank]) -> Vec<(Rank, Rank)> {
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
        by_set
    }

    /// Groups the pages of `part` by their largest set within two edges; single pages are in no class.
    fn split_per_page(&mut self, part: &[Rank]) {
        let by_set = self.by_largest_set(part);
        for class in by_set.chunk_by(|a, b| a.0 == b.0) {
            if class.len() > 1 {
                self.assign(class.iter().map(|&(_, page)| page).collect());
            }
        }
    }
}
