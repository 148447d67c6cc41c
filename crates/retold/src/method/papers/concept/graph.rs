//! An undirected graph in flat arrays.

/// An undirected graph as adjacency arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The neighbours of `n` are `neighbours[starts[n]..starts[n + 1]]`, ascending.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Builds a graph from edges in any order and direction; repeated edges and loops are ignored.
    pub fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Graph {
        let mut arcs: Vec<u64> = edges
            .filter(|(a, b)| a != b)
            .flat_map(|(a, b)| [(a, b), (b, a)])
            .map(|(from, to)| u64::from(from) << 32 | u64::from(to))
            .collect();
        arcs.sort_unstable();
        arcs.dedup();
        let mut starts = vec![0u32; nodes + 1];
        for arc in &arcs {
            starts[(arc >> 32) as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let neighbours = arcs.into_iter().map(|arc| arc as u32).collect();
        Graph { starts, neighbours }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// True if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The neighbours of a node, ascending.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.neighbours[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The number of neighbours of a node.
    pub fn degree(&self, node: u32) -> usize {
        self.neighbours(node).len()
    }
}

/// Distances in a connected graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distances {
    /// The number of nodes from which was searched. If these are not all nodes, the sums are estimates.
    pub sources: usize,
    /// Their sum over all ordered pairs of nodes.
    pub total: u64,
    /// The longest.
    pub longest: u64,
    /// For each requested node, by how much the sum over the ordered pairs of the other nodes grows without it; a disconnected pair counts
    /// as `longest` + 1.
    pub growth: Vec<u64>,
    /// For each requested node, the sum of its distances to all others.
    pub sums: Vec<u64>,
}
