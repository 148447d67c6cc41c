//! The small-world network of a page's concepts, and the concepts that contribute most to it (DWDCS 2011).

use std::cmp::Reverse;

use super::graph::{Distances, Graph};
use super::params::Contribution;
use super::paths::distances;
use super::phrase::Concepts;

/// Concepts at most this far apart in the page's sequence of concepts are linked.
const REACH: usize = 2;

/// A network, restricted to its largest connected component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Web {
    /// The concepts that are nodes, as indices into [`Concepts::all`], ascending.
    pub(super) concepts: Vec<u32>,
    pub(super) graph: Graph,
    /// The number of nodes including those outside the component.
    pub(super) all: usize,
}

impl Web {
    /// Nodes are the concepts that occur more than `frequency` times; nearby concepts are linked if they are in one unit. `units` has the
    /// unit of every word.
    pub(super) fn new(concepts: &Concepts, frequency: usize, units: &[u32]) -> Web {
        let sequence = &concepts.sequence;
        let unit = |at: usize| units.get(concepts.starts[at] as usize);
        let edges = (0..sequence.len()).flat_map(|at| {
            let later = (at + 1..sequence.len()).take(REACH);
            let near = later.take_while(move |&other| unit(other) == unit(at));
            near.map(move |other| (sequence[at], sequence[other]))
        });
        Web::linked(concepts, frequency, edges)
    }

    /// As [`Web::new`], with other links.
    pub(super) fn linked(
        concepts: &Concepts,
        frequency: usize,
        edges: impl Iterator<Item = (u32, u32)>,
    ) -> Web {
        let frequent = |concept: u32| concepts.all[concept as usize].positions.len() > frequency;
        let edges = edges.filter(|&(a, b)| frequent(a) && frequent(b));
        let all = Graph::new(concepts.all.len(), edges);
        let part = largest_part(&all, concepts, frequent);
        let nodes = (0..all.len() as u32).filter(|&concept| frequent(concept));
        let nodes = nodes.count();
        if part.len() == all.len() {
            return Web {
                concepts: part,
                graph: all,
                all: nodes,
            };
        }
        let mut place = vec![None; all.len()];
        for (&concept, at) in part.iter().zip(0u32..) {
            place[concept as usize] = Some(at);
        }
        let edges = part.iter().flat_map(|&from| {
            let place = &place;
            let to = all.neighbours(from).iter();
            to.filter_map(move |&to| Some((place[from as usize]?, place[to as usize]?)))
        });
        let graph = Graph::new(part.len(), edges);
        Web {
            concepts: part,
            graph,
            all: nodes,
        }
    }

    /// The share of all nodes that are in the largest component.
    pub(super) fn connected(&self) -> f64 {
        crate::relation::ratio(self.graph.len(), self.all)
    }

    /// The `count` nodes of highest degree, then frequency, then first by text; all of them if `count` is 0.
    pub(super) fn hubs(&self, concepts: &Concepts, count: usize) -> Vec<u32> {
        let mut nodes: Vec<u32> = (0..self.graph.len() as u32).collect();
        nodes.sort_by_key(|&node| {
            Reverse((self.graph.degree(node), self.frequency(concepts, node)))
        });
        if count > 0 {
            nodes.truncate(count);
        }
        nodes
    }

    fn frequency(&self, concepts: &Concepts, node: u32) -> usize {
        let concept = self.concepts[node as usize] as usize;
        concepts.all[concept].positions.len()
    }

    pub(super) fn distances(&self, hubs: &[u32]) -> Distances {
        distances(&self.graph, hubs)
    }

    /// The clustering coefficient C: the mean over all nodes of the share of linked pairs among their neighbours; 0 for nodes with fewer
    /// than two.
    pub(super) fn clustering(&self) -> f64 {
        let nodes = 0..self.graph.len() as u32;
        let sum: f64 = nodes.map(|node| self.clustering_of(node)).sum();
        sum / self.graph.len().max(1) as f64
    }

    fn clustering_of(&self, node: u32) -> f64 {
        let neighbours = self.graph.neighbours(node);
        let links = |&other: &u32| {
            let others = self.graph.neighbours(other).iter();
            others
                .filter(|n| neighbours.binary_search(n).is_ok())
                .count()
        };
        // Each link and each pair is counted from both ends.
        let both_ways: usize = neighbours.iter().map(links).sum();
        let pairs = neighbours.len() * neighbours.len().saturating_sub(1);
        crate::relation::ratio(both_ways, pairs)
    }
}

/// The nodes of the largest component, ascending; ties go to the one whose concepts occur most often, then to the first.
fn largest_part(graph: &Graph, concepts: &Concepts, node: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut reached = vec![false; graph.len()];
    let mut best: (usize, usize, Vec<u32>) = Default::default();
    for start in 0..graph.len() as u32 {
        if reached[start as usize] || !node(start) {
            continue;
        }
        reached[start as usize] = true;
        let mut part = vec![start];
        let mut next = 0;
        while let Some(&from) = part.get(next) {
            next += 1;
            for &to in graph.neighbours(from) {
                if !std::mem::replace(&mut reached[to as usize], true) {
                    part.push(to);
                }
            }
        }
        let occurrences = part
            .iter()
            .map(|&n| concepts.all[n as usize].positions.len())
            .sum();
        if (part.len(), occurrences) > (best.0, best.1) {
            best = (part.len(), occurrences, part);
        }
    }
    best.2.sort_unstable();
    best.2
}

/// A whole number that orders nodes as CB does: the growth of the sum of distances without a node, apart from terms that are equal for all
/// nodes. `number` is the node's place among the requested ones.
pub(super) fn gain(found: &Distances, number: usize, by: Contribution) -> i64 {
    let growth = found.growth[number] as i64;
    match by {
        Contribution::Others => growth,
        // Distances to the node itself no longer count.
        Contribution::All => growth - 2 * found.sums[number] as i64,
    }
}

/// CB of a node: the mean distance between the other nodes without it, minus that between them with it, or that between all nodes. Sums are
/// whole numbers.
pub(super) fn contribution(
    found: &Distances,
    number: usize,
    nodes: usize,
    by: Contribution,
) -> f64 {
    let pairs = nodes.saturating_sub(1) * nodes.saturating_sub(2);
    if pairs == 0 {
        return 0.0;
    }
    let gain = gain(found, number, by);
    match by {
        Contribution::Others => gain as f64 / pairs as f64,
        Contribution::All => {
            let without = found.total as i64 + gain;
            without as f64 / pairs as f64 - mean_distance(found.total, nodes)
        }
    }
}

/// The mean distance d.
pub(super) fn mean_distance(total: u64, nodes: usize) -> f64 {
    let pairs = nodes * nodes.saturating_sub(1);
    if pairs == 0 {
        return 0.0;
    }
    total as f64 / pairs as f64
}
