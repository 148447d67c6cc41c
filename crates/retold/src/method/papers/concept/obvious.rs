//! Computes the result of `paths` by the definition, with a search from each node for each removal. Only for tests and benches.

use std::collections::VecDeque;

/// The distances from `source`, without paths through `removed`.
fn from(near: &[Vec<usize>], source: usize, removed: Option<usize>) -> Vec<Option<u64>> {
    let mut distance = vec![None; near.len()];
    distance[source] = Some(0);
    let mut queue = VecDeque::from([(source, 0)]);
    while let Some((node, so_far)) = queue.pop_front() {
        for &next in &near[node] {
            if distance[next].is_none() && Some(next) != removed {
                distance[next] = Some(so_far + 1);
                queue.push_back((next, so_far + 1));
            }
        }
    }
    distance
}

/// For a connected graph: the sum of distances over all ordered pairs, the longest, and for each candidate by how much the sum over pairs
/// of the other nodes grows without it; disconnected pairs count as the longest + 1.
pub fn distances(near: &[Vec<usize>], candidates: &[usize]) -> (u64, u64, Vec<u64>) {
    let with: Vec<Vec<Option<u64>>> = (0..near.len()).map(|s| from(near, s, None)).collect();
    let all = || with.iter().flatten().flatten().copied();
    let longest = all().max().unwrap_or(0);
    let growth = candidates.iter().map(|&removed| {
        let others = || (0..near.len()).filter(|node| *node != removed);
        let mut growth = 0;
        for source in others() {
            let without = from(near, source, Some(removed));
            for node in others() {
                growth += without[node].unwrap_or(longest + 1) - with[source][node].unwrap_or(0);
            }
        }
        growth
    });
    (all().sum(), longest, growth.collect())
}
