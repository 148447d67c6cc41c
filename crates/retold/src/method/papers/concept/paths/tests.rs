//! Compares distances with figures worked out by hand and with a simple reference implementation.

use super::super::obvious;
use super::*;
use proptest::prelude::*;

fn twin(graph: &Graph, candidates: &[u32]) -> Distances {
    let near: Vec<Vec<usize>> = (0..graph.len() as u32)
        .map(|node| graph.neighbours(node).iter().map(|&n| n as usize).collect())
        .collect();
    let candidates: Vec<usize> = candidates.iter().map(|&node| node as usize).collect();
    let (total, longest, growth) = obvious::distances(&near, &candidates);
    Distances {
        sources: graph.len(),
        total,
        longest,
        growth,
        sums: candidates.iter().map(|&node| sum(&near, node)).collect(),
    }
}

/// The sum of the distances from a node to all others of a connected graph.
fn sum(near: &[Vec<usize>], node: usize) -> u64 {
    let mut distance = vec![None; near.len()];
    distance[node] = Some(0);
    let mut queue = std::collections::VecDeque::from([(node, 0u64)]);
    let mut sum = 0;
    while let Some((at, so_far)) = queue.pop_front() {
        for &next in &near[at] {
            if distance[next].is_none() {
                distance[next] = Some(so_far + 1);
                sum += so_far + 1;
                queue.push_back((next, so_far + 1));
            }
        }
    }
    sum
}

fn all(graph: &Graph) -> Vec<u32> {
    (0..graph.len() as u32).collect()
}

#[test]
fn a_path_a_star_and_a_ring_by_hand() {
    // 0 - 1 - 2: distances 1, 1, 2, each twice.
    let path = Graph::new(3, [(0, 1), (1, 2)].into_iter());
    // Without 1 the pair 0, 2 is disconnected and counts 3 instead of 2; without an end node nothing changes.
    let wanted = Distances {
        sources: 3,
        total: 8,
        longest: 2,
        growth: vec![0, 2, 0],
        sums: vec![3, 2, 3],
    };
    assert_eq!(distances(&path, &[0, 1, 2]), wanted);
    // A hub with four leaves: the six pairs of leaves go from 2 to 3.
    let star = Graph::new(5, (1..5).map(|leaf| (0, leaf)));
    let wanted = Distances {
        sources: 5,
        total: 2 * (4 + 6 * 2),
        longest: 2,
        growth: vec![12, 0],
        sums: vec![4, 7],
    };
    assert_eq!(distances(&star, &[0, 1]), wanted);
    // A ring of six without one node is a path of five: 1·4 + 2·3 + 3·2 + 4 = 20 instead of
    // 4 ones, 4 twos and 2 threes = 18.
    let ring = Graph::new(6, (0..6).map(|n| (n, (n + 1) % 6)));
    let found = distances(&ring, &[2]);
    assert_eq!((found.longest, found.growth), (3, vec![4]));
    assert_eq!(distances(&Graph::new(1, [].into_iter()), &[0]).growth, [0]);
    assert_eq!(distances(&Graph::default(), &[]), Distances::default());
}

#[test]
fn all_widths_of_rows_agree_with_the_obvious_way() {
    for nodes in [63, 64, 65, 130, 257, 511, 513, 700] {
        // A long ring with a few chords has far pairs and takes many rounds.
        let chords = (0..nodes / 9).map(|n| (n * 5 % nodes, n * n % nodes));
        let ring = (0..nodes).map(|n| (n, (n + 1) % nodes));
        let graph = Graph::new(nodes as usize, ring.chain(chords));
        let some: Vec<u32> = (0..nodes).step_by(41).collect();
        assert_eq!(
            distances(&graph, &some),
            twin(&graph, &some),
            "{nodes} nodes"
        );
    }
}

#[test]
fn long_thin_networks_are_searched_one_source_at_a_time() {
    // A list of different words, each linked with the next two. A few occur twice.
    let list = (0..460).flat_map(|n| [(n, n + 1), (n, n + 2)]);
    let thin = Graph::new(462, list.chain([(3, 40), (200, 222)]));
    assert!(Queue::default().is_thin(&thin));
    let some: Vec<u32> = (0..460).step_by(23).collect();
    let wanted = twin(&thin, &some);
    assert_eq!(distances(&thin, &some), wanted);
    // What 128 of the 462 words say is close to that.
    let found = Queue::default().distances(&thin, &some, 128);
    assert_eq!(found.sources, 128);
    let near = |found: u64, wanted: u64| found.abs_diff(wanted) * 20 <= wanted;
    assert!(near(found.total, wanted.total), "{found:?}\n{wanted:?}");
    let growth = |of: &Distances| of.growth.iter().sum();
    assert!(
        near(growth(&found), growth(&wanted)),
        "{found:?}\n{wanted:?}"
    );
    // A removal cuts off the tail.
    let path = Graph::new(300, (0..299).map(|n| (n, n + 1)));
    assert_eq!(
        Queue::default().distances(&path, &[1, 150], 300),
        twin(&path, &[1, 150])
    );
}

/// A path of n nodes: the sum of distances over ordered pairs is (n − 1) n (n + 1) / 3.
#[test]
fn only_long_thin_networks_are_estimated() {
    let path = |nodes: u32| Graph::new(nodes as usize, (1..nodes).map(|n| (n - 1, n)));
    let sum = |n: u64| (n - 1) * n * (n + 1) / 3;
    let exact = distances(&path(4096), &[]);
    assert_eq!((exact.sources, exact.total), (4096, sum(4096)));
    let estimated = distances(&path(4097), &[]);
    assert_eq!(estimated.sources, 128);
    assert!(estimated.total.abs_diff(sum(4097)) * 20 < sum(4097));
    // A star has short paths.
    let star = Graph::new(5000, (1..5000).map(|leaf| (0, leaf)));
    assert_eq!(distances(&star, &[]).sources, 5000);
}

proptest! {
    /// A spanning tree keeps the graph connected; removals may disconnect it.
    #[test]
    fn random_networks(
        parents in prop::collection::vec(any::<prop::sample::Index>(), 0..150),
        extra in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..200),
    ) {
        let nodes = parents.len() + 1;
        let tree = parents.iter().enumerate().map(|(n, parent)| (n as u32 + 1, parent.index(n + 1) as u32));
        let extra = extra.iter().map(|(a, b)| (a.index(nodes) as u32, b.index(nodes) as u32));
        let graph = Graph::new(nodes, tree.chain(extra));
        let wanted = twin(&graph, &all(&graph));
        prop_assert_eq!(&distances(&graph, &all(&graph)), &wanted);
        prop_assert_eq!(Queue::default().distances(&graph, &all(&graph), graph.len()), wanted);
    }
}
