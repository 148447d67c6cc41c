//! Searches from one source at a time, for long thin networks (word lists). Searching in batches takes as many rounds as the longest
//! distance, which in such networks is half the number of nodes.
//!
//! A removal needs no new search of the whole network. The nodes whose shortest paths all go through the removed node are those below it in
//! the dominator tree of the search. Only their distances grow, and they are computed from their other neighbours.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::method::papers::concept::graph::{Distances, Graph};

/// A network is thin if some node is further than this from its first one; from about there, one source at a time is faster.
const THIN: u32 = 200;

/// The number of nodes of a thin network from which is searched: from all up to 4,096 nodes, then from some, since the time grows with the
/// cube of the length if each node is removed in turn. Their error is 2 to 3 %.
pub(super) fn sources(nodes: usize) -> usize {
    if nodes <= 4096 { nodes } else { 128 }
}

/// The state of a search from one source. Vectors are indexed by node, unless said otherwise.
#[derive(Default)]
pub(super) struct Queue {
    /// Distance from the source + 1; 0 if not reached.
    steps: Vec<u32>,
    /// The nodes in order of arrival.
    order: Vec<u32>,
    tree: Tree,
    /// Distance + 1 without the removed node; 0 if unknown.
    without: Vec<u32>,
    /// Nodes below the removed one with a neighbour outside, and the distance + 1 through it.
    edge: Vec<(u32, u32)>,
    /// Nodes reached through nodes below the removed one, with distance + 1, in order.
    inner: Vec<(u32, u32)>,
}

/// The dominator tree of a search: above each node is the last one through which all its shortest paths go.
#[derive(Default)]
struct Tree {
    above: Vec<u32>,
    /// The number of nodes above each node.
    depth: Vec<u32>,
    /// A node further up, for skipping (Myers, “An applicative random-access stack”, 1983).
    jump: Vec<u32>,
    size: Vec<u32>,
    /// The place of each node in preorder, where a subtree directly follows its root.
    place: Vec<u32>,
    /// The nodes in preorder.
    nodes: Vec<u32>,
    /// For each node the next free place in its subtree.
    free: Vec<u32>,
}

fn zeroed(all: &mut Vec<u32>, count: usize) {
    all.clear();
    all.resize(count, 0);
}

impl Queue {
    pub fn is_thin(&mut self, graph: &Graph) -> bool {
        if graph.is_empty() {
            return false;
        }
        self.search(graph, 0);
        self.longest() > u64::from(THIN)
    }

    /// The result of `paths::distances` estimated from `sources` nodes, one from each stretch, scaled by nodes / sources; from all nodes if
    /// there are no more.
    pub fn distances(&mut self, graph: &Graph, candidates: &[u32], sources: usize) -> Distances {
        let nodes = graph.len();
        let mut grown = vec![(0, 0); candidates.len()];
        let mut sums = vec![0; nodes];
        let mut longest = 0;
        let sources = sources.min(nodes);
        for stretch in 0..sources {
            let (begin, end) = (stretch * nodes / sources, (stretch + 1) * nodes / sources);
            // Pseudo-random, because lists have periods.
            let chance = xxh3_64(&(stretch as u64).to_le_bytes()) as usize;
            let source = (begin + chance % (end - begin)) as u32;
            self.search(graph, source);
            longest = longest.max(self.longest());
            for (sum, &step) in sums.iter_mut().zip(&self.steps) {
                *sum += u64::from(step - 1);
            }
            self.tree.build(graph, &self.steps, &self.order);
            for ((grown, lost), &node) in grown.iter_mut().zip(candidates) {
                if node != source {
                    let (more, missing) = self.growth(graph, node);
                    (*grown, *lost) = (*grown + more, *lost + missing);
                }
            }
        }
        let of_all = |sum: u64| sum * nodes as u64 / sources.max(1) as u64;
        let growth = |&(grown, lost): &(i64, u64)| grown + (lost * (longest + 1)) as i64;
        Distances {
            sources,
            total: of_all(sums.iter().sum()),
            longest,
            growth: grown.iter().map(|of| of_all(growth(of) as u64)).collect(),
            sums: candidates
                .iter()
                .map(|&node| of_all(sums[node as usize]))
                .collect(),
        }
    }

    fn search(&mut self, graph: &Graph, source: u32) {
        zeroed(&mut self.steps, graph.len());
        self.order.clear();
        self.order.push(source);
        self.steps[source as usize] = 1;
        let mut next = 0;
        while let Some(&node) = self.order.get(next) {
            next += 1;
            let step = self.steps[node as usize] + 1;
            for &to in graph.neighbours(node) {
                let known = &mut self.steps[to as usize];
                if *known == 0 {
                    *known = step;
                    self.order.push(to);
                }
            }
        }
    }

    fn longest(&self) -> u64 {
        let last = self.order.last();
        last.map_or(0, |&node| u64::from(self.steps[node as usize] - 1))
    }

    /// By how much the distances from the source grow without a node, minus the distances of disconnected nodes; and the number of these
    /// nodes.
    fn growth(&mut self, graph: &Graph, removed: u32) -> (i64, u64) {
        let below = self.tree.below(removed);
        if below.is_empty() {
            return (0, 0);
        }
        self.without.resize(graph.len(), 0);
        self.edge.clear();
        self.inner.clear();
        let mut grown = 0;
        for &node in &self.tree.nodes[below.clone()] {
            self.without[node as usize] = 0;
            grown -= i64::from(self.steps[node as usize] - 1);
            let outside = graph.neighbours(node).iter().filter(|&&near| {
                near != removed && !below.contains(&(self.tree.place[near as usize] as usize))
            });
            if let Some(step) = outside.map(|&near| self.steps[near as usize]).min() {
                self.edge.push((step + 1, node));
            }
        }
        self.edge.sort_unstable();
        let (mut edge, mut inner) = (self.edge.iter().peekable(), 0);
        let mut missing = below.len() as u64;
        loop {
            let found = self.inner.get(inner).copied();
            let next = edge.next_if(|&&(step, _)| found.is_none_or(|(inner, _)| step <= inner));
            let (step, node) = match (next, found) {
                (Some(&next), _) => next,
                (None, Some(found)) => {
                    inner += 1;
                    found
                }
                (None, None) => return (grown, missing),
            };
            if self.without[node as usize] != 0 {
                continue;
            }
            self.without[node as usize] = step;
            grown += i64::from(step - 1);
            missing -= 1;
            for &near in graph.neighbours(node) {
                let is_below = below.contains(&(self.tree.place[near as usize] as usize));
                if is_below && self.without[near as usize] == 0 {
                    self.inner.push((step + 1, near));
                }
            }
        }
    }
}

impl Tree {
    /// The places of the nodes below a node.
    fn below(&self, node: u32) -> Range<usize> {
        let place = self.place[node as usize] as usize;
        place + 1..place + self.size[node as usize] as usize
    }

    fn build(&mut self, graph: &Graph, steps: &[u32], order: &[u32]) {
        let nodes = graph.len();
        let Tree {
            above,
            depth,
            jump,
            size,
            place,
            nodes: placed,
            free,
        } = self;
        for all in [above, depth, jump, size, place, placed, free] {
            zeroed(all, nodes);
        }
        let source = order[0];
        self.above[source as usize] = source;
        self.jump[source as usize] = source;
        for &node in &order[1..] {
            let step = steps[node as usize] - 1;
            let before = graph.neighbours(node).iter().copied();
            let before = before.filter(|&near| steps[near as usize] == step);
            let above = before.reduce(|a, b| self.common(a, b)).unwrap_or(source);
            self.hang(node, above);
        }
        for &node in order.iter().rev() {
            self.size[node as usize] += 1;
            if node != source {
                self.size[self.above[node as usize] as usize] += self.size[node as usize];
            }
        }
        self.free[source as usize] = 1;
        self.nodes[0] = source;
        for &node in &order[1..] {
            let free = &mut self.free[self.above[node as usize] as usize];
            let place = *free;
            *free += self.size[node as usize];
            self.free[node as usize] = place + 1;
            self.place[node as usize] = place;
            self.nodes[place as usize] = node;
        }
    }

    fn hang(&mut self, node: u32, above: u32) {
        let of = |all: &[u32], node: u32| all[node as usize];
        let jump = of(&self.jump, above);
        let (here, there) = (of(&self.depth, above), of(&self.depth, jump));
        let further = of(&self.jump, jump);
        let is_even = here - there == there - of(&self.depth, further);
        self.above[node as usize] = above;
        self.depth[node as usize] = here + 1;
        self.jump[node as usize] = if is_even { further } else { above };
    }

    /// The lowest common ancestor of two nodes; logarithmic.
    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        let depth = |node: u32| self.depth[node as usize];
        if depth(a) < depth(b) {
            (a, b) = (b, a);
        }
        while depth(a) > depth(b) {
            let jump = self.jump[a as usize];
            let is_high = depth(jump) < depth(b);
            a = if is_high {
                self.above[a as usize]
            } else {
                jump
            };
        }
        while a != b {
            let (jump_a, jump_b) = (self.jump[a as usize], self.jump[b as usize]);
            (a, b) = match jump_a == jump_b {
                true => (self.above[a as usize], self.above[b as usize]),
                false => (jump_a, jump_b),
            };
        }
        a
    }
}
