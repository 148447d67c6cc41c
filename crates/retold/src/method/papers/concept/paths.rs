//! Distances in a network, and how they grow without a node, by breadth-first search from up to 512 nodes at a time. Exact, except on long
//! thin networks of more than 4,096 nodes.
//!
//! Every node has a row of bits, one per source of the batch; a bit is set once the source is within the current distance. One round over
//! all nodes (a row becomes the OR of its own and its neighbours' rows) advances all sources by one step. Rows are arrays of `W` words,
//! which the compiler vectorises. Distances are never stored: a pair at distance k is counted in each of the k rounds in which its bit is
//! still unset.

use std::cell::RefCell;
use std::mem;

mod queue;

use super::graph::{Distances, Graph};
use queue::Queue;

/// The most sources in a batch: rows of eight words.
const BATCH: usize = 512;

/// Buffers that are reused from page to page.
#[derive(Default)]
struct Arena {
    seen: Vec<u64>,
    next: Vec<u64>,
    /// Nodes whose rows can still change.
    open: Vec<u32>,
    /// For each candidate a bit per source that has some shortest path through this candidate alone.
    affected: Vec<u64>,
    /// For each node its index among the candidates.
    candidate: Vec<u32>,
    /// The sum of distances of each node.
    sums: Vec<u64>,
    sources: Vec<u32>,
    /// The affected sources of the removed candidate.
    hit: Vec<u32>,
    queue: Queue,
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
}

const NONE: u32 = u32::MAX;

/// Calls a search with the narrowest rows for this number of sources.
macro_rules! by_width {
    ($sources:expr, $search:ident($($argument:expr),*)) => {
        match $sources {
            0..=64 => $search::<1>($($argument),*),
            65..=128 => $search::<2>($($argument),*),
            129..=256 => $search::<4>($($argument),*),
            _ => $search::<8>($($argument),*),
        }
    };
}

/// The distances of a connected graph with and without each of `candidates`.
///
/// Removing a node changes distances only from sources for which, for some neighbour, all shortest paths come through the node. So only
/// these sources are searched again.
pub fn distances(graph: &Graph, candidates: &[u32]) -> Distances {
    ARENA.with_borrow_mut(|arena| {
        let nodes = graph.len();
        let words = nodes.div_ceil(BATCH) * (BATCH / 64);
        arena.sums.clear();
        arena.sums.resize(nodes, 0);
        arena.affected.clear();
        arena.affected.resize(candidates.len() * words, 0);
        arena.candidate.clear();
        arena.candidate.resize(nodes, NONE);
        for (&node, number) in candidates.iter().zip(0..) {
            arena.candidate[node as usize] = number;
        }
        if arena.queue.is_thin(graph) {
            return arena
                .queue
                .distances(graph, candidates, queue::sources(nodes));
        }
        let mut found = Distances {
            sources: nodes,
            ..Distances::default()
        };
        for start in (0..nodes).step_by(BATCH) {
            arena.sources.clear();
            arena
                .sources
                .extend(start as u32..(start + BATCH).min(nodes) as u32);
            let longest = by_width!(arena.sources.len(), all_from(graph, words, arena));
            found.longest = found.longest.max(longest);
        }
        found.total = arena.sums.iter().sum();
        for (&node, number) in candidates.iter().zip(0..) {
            arena.collect_affected(number * words..(number + 1) * words, node);
            let growth = growth_without(graph, node, found.longest + 1, arena);
            found.growth.push(growth);
            found.sums.push(arena.sums[node as usize]);
        }
        found
    })
}

impl Arena {
    /// Collects in `hit` the sources whose bits are set, except the node itself.
    fn collect_affected(&mut self, words: std::ops::Range<usize>, node: u32) {
        self.hit.clear();
        for (&bits, word) in self.affected[words].iter().zip(0u32..) {
            let mut bits = bits;
            while bits != 0 {
                let source = word * 64 + bits.trailing_zeros();
                if source != node {
                    self.hit.push(source);
                }
                bits &= bits - 1;
            }
        }
    }
}

/// By how much the sum of distances between the other nodes grows without a node, for the sources in `hit`.
fn growth_without(graph: &Graph, node: u32, cut_off: u64, arena: &mut Arena) -> u64 {
    let hit = mem::take(&mut arena.hit);
    let before: u64 = hit.iter().map(|&s| arena.sums[s as usize]).sum();
    let mut after = 0;
    for batch in hit.chunks(BATCH) {
        arena.sources.clear();
        arena.sources.extend_from_slice(batch);
        after += by_width!(batch.len(), sum_without(graph, node, cut_off, arena));
    }
    arena.hit = hit;
    // Both sums include the distances to the removed node, which are equal.
    after - before
}

/// Rows of all nodes with the sources' bits set, the row of all bits, and a second set of rows.
type Rows<'a, const W: usize> = (&'a mut [[u64; W]], &'a mut [[u64; W]], [u64; W]);

fn rows<'a, const W: usize>(
    nodes: usize,
    sources: &[u32],
    seen: &'a mut Vec<u64>,
    next: &'a mut Vec<u64>,
) -> Rows<'a, W> {
    for rows in [&mut *seen, &mut *next] {
        rows.clear();
        rows.resize(nodes * W, 0);
    }
    let (seen, next) = (seen.as_chunks_mut().0, next.as_chunks_mut().0);
    let mut full = [0u64; W];
    for (bit, &source) in sources.iter().enumerate() {
        let row: &mut [u64; W] = &mut seen[source as usize];
        row[bit / 64] |= 1 << (bit % 64);
        full[bit / 64] |= 1 << (bit % 64);
    }
    (seen, next, full)
}

fn missing<const W: usize>(full: &[u64; W], row: &[u64; W]) -> u64 {
    let missing = full
        .iter()
        .zip(row)
        .map(|(full, row)| u64::from((full & !row).count_ones()));
    missing.sum()
}

/// True if two rows differ. `==` on arrays would call a function for each.
fn differ<const W: usize>(a: &[u64; W], b: &[u64; W]) -> bool {
    a.iter().zip(b).fold(0, |bits, (a, b)| bits | (a ^ b)) != 0
}

/// Searches from a batch of consecutive sources, adds up the distances of each node, and notes the candidates' affected sources. Returns
/// the longest distance.
fn all_from<const W: usize>(graph: &Graph, words: usize, arena: &mut Arena) -> u64 {
    let nodes = graph.len();
    let first_word = arena.sources[0] as usize / 64;
    let (mut seen, mut next, full) =
        rows::<W>(nodes, &arena.sources, &mut arena.seen, &mut arena.next);
    arena.open.clear();
    arena.open.extend(0..nodes as u32);
    let mut longest = 0;
    loop {
        let mut changed = false;
        arena.open.retain(|&node| {
            let before = seen[node as usize];
            if !differ(&before, &full) {
                next[node as usize] = full;
                return false;
            }
            arena.sums[node as usize] += missing(&full, &before);
            let neighbours = graph.neighbours(node);
            let (after, sole) = reached(&before, neighbours, seen);
            next[node as usize] = after;
            changed |= differ(&after, &before);
            if differ(&sole, &[0; W]) {
                for &neighbour in neighbours {
                    let number = arena.candidate[neighbour as usize];
                    if number != NONE {
                        let at = number as usize * words + first_word;
                        let affected = &mut arena.affected[at..at + W];
                        let row = &seen[neighbour as usize];
                        for ((affected, sole), row) in affected.iter_mut().zip(&sole).zip(row) {
                            *affected |= sole & row;
                        }
                    }
                }
            }
            true
        });
        if !changed {
            return longest;
        }
        longest += 1;
        mem::swap(&mut seen, &mut next);
    }
}

/// A node's row one step further, and those new bits that come from one neighbour alone.
fn reached<const W: usize>(
    before: &[u64; W],
    neighbours: &[u32],
    seen: &[[u64; W]],
) -> ([u64; W], [u64; W]) {
    let (mut once, mut twice) = ([0u64; W], [0u64; W]);
    for &neighbour in neighbours {
        let words = once
            .iter_mut()
            .zip(&mut twice)
            .zip(&seen[neighbour as usize]);
        for ((once, twice), row) in words {
            *twice |= *once & row;
            *once |= row;
        }
    }
    let after = std::array::from_fn(|word| before[word] | once[word]);
    let sole = std::array::from_fn(|word| once[word] & !twice[word] & !before[word]);
    (after, sole)
}

/// The sum of distances from the sources to all nodes, including the removed one, without paths through it; `cut_off` for pairs without a
/// path. The removed node is not a source.
fn sum_without<const W: usize>(
    graph: &Graph,
    removed: u32,
    cut_off: u64,
    arena: &mut Arena,
) -> u64 {
    let nodes = graph.len();
    let (mut seen, mut next, full) =
        rows::<W>(nodes, &arena.sources, &mut arena.seen, &mut arena.next);
    // The sources that reached the removed node. Its row stays empty, so nothing continues from it.
    let mut arrived = first_step(graph, removed, &arena.sources, seen);
    arena.open.clear();
    arena
        .open
        .extend((0..nodes as u32).filter(|&node| node != removed));
    // From each source all other nodes are further than 0, and all but its neighbours further than 1.
    let further = |&source: &u32| 2 * (nodes as u64 - 1) - graph.degree(source) as u64;
    let mut sum: u64 = arena.sources.iter().map(further).sum();
    let mut rounds = 2;
    loop {
        let (mut changed, mut unseen) = (false, 0);
        arena.open.retain(|&node| {
            let before = seen[node as usize];
            if !differ(&before, &full) {
                next[node as usize] = full;
                return false;
            }
            let mut after = before;
            for some in graph.neighbours(node).chunks(8) {
                add(&mut after, some, seen);
                if !differ(&after, &full) {
                    break;
                }
            }
            next[node as usize] = after;
            unseen += missing(&full, &after);
            changed |= differ(&after, &before);
            true
        });
        if !changed {
            // Pairs still unseen were counted in every round and have no path.
            return sum + unseen * cut_off - unseen * rounds;
        }
        add(&mut arrived, graph.neighbours(removed), seen);
        sum += unseen + missing(&full, &arrived);
        rounds += 1;
        mem::swap(&mut seen, &mut next);
    }
}

/// Advances all sources by one step; returns what reaches the removed node.
fn first_step<const W: usize>(
    graph: &Graph,
    removed: u32,
    sources: &[u32],
    seen: &mut [[u64; W]],
) -> [u64; W] {
    let mut arrived = [0u64; W];
    for (bit, &source) in sources.iter().enumerate() {
        for &neighbour in graph.neighbours(source) {
            let row = if neighbour == removed {
                &mut arrived
            } else {
                &mut seen[neighbour as usize]
            };
            row[bit / 64] |= 1 << (bit % 64);
        }
    }
    arrived
}

/// ORs the rows of some nodes into a row.
fn add<const W: usize>(row: &mut [u64; W], nodes: &[u32], seen: &[[u64; W]]) {
    for &node in nodes {
        for (word, other) in row.iter_mut().zip(&seen[node as usize]) {
            *word |= other;
        }
    }
}

#[cfg(test)]
mod tests;
