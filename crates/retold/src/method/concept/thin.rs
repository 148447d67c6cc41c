//! The same searches one source at a time, for long thin networks (word lists): the rounds of `paths` are as many as
//! the longest distance, and there that is half the number of nodes.

use super::paths::Graph;

/// A network is thin if some node is further than this from its first; about where one source at a time is faster.
const THIN: u32 = 200;

/// Memory of a search.
#[derive(Default)]
pub(super) struct Queue {
    /// Distance from the source + 1; 0 where it has not been.
    steps: Vec<u32>,
    /// The nodes reached, in order.
    order: Vec<u32>,
    /// The neighbour that a node was first reached from.
    from: Vec<u32>,
    /// True if the shortest paths to a node come through several neighbours.
    several: Vec<bool>,
}

impl Queue {
    pub(super) fn is_thin(&mut self, graph: &Graph) -> bool {
        if graph.is_empty() {
            return false;
        }
        self.search(graph, 0, None);
        self.longest() > u64::from(THIN)
    }

    /// Searches from `source`; no path goes through `removed`, which is reached all the same.
    pub(super) fn search(&mut self, graph: &Graph, source: u32, removed: Option<u32>) {
        let nodes = graph.len();
        self.steps.clear();
        self.steps.resize(nodes, 0);
        self.from.clear();
        self.from.resize(nodes, source);
        self.several.clear();
        self.several.resize(nodes, false);
        self.order.clear();
        self.order.push(source);
        self.steps[source as usize] = 1;
        let mut next = 0;
        while let Some(&node) = self.order.get(next) {
            next += 1;
            if Some(node) == removed {
                continue;
            }
            let step = self.steps[node as usize] + 1;
            for &to in graph.neighbours(node) {
                let known = &mut self.steps[to as usize];
                if *known == 0 {
                    *known = step;
                    self.from[to as usize] = node;
                    self.order.push(to);
                } else if *known == step {
                    self.several[to as usize] = true;
                }
            }
        }
    }

    /// The sum of the distances, `cut_off` for nodes that were not reached.
    pub(super) fn sum(&self, cut_off: u64) -> u64 {
        let reached = self
            .order
            .iter()
            .map(|&node| u64::from(self.steps[node as usize] - 1));
        let missing = self.steps.len() - self.order.len();
        reached.sum::<u64>() + missing as u64 * cut_off
    }

    /// The longest distance.
    pub(super) fn longest(&self) -> u64 {
        let last = self.order.last();
        last.map_or(0, |&node| u64::from(self.steps[node as usize] - 1))
    }

    /// The nodes without which some shortest path from the source would be gone.
    pub(super) fn sole(&self) -> impl Iterator<Item = u32> {
        let reached = self.order.iter().skip(1);
        let sole = reached.filter(|&&node| !self.several[node as usize]);
        sole.map(|&node| self.from[node as usize])
    }
}
