//! Where the nodes of a picture are: springs between neighbours, repulsion between all (Fruchterman and Reingold,
//! Software: Practice and Experience 1991, 21(11):1129).
//!
//! No crate does this: forceatlas2 is AGPL, fdg-sim has had no release since 2023, layout-rs draws layered graphs,
//! visgraph places nodes in circles or at random, and force_graph moves them step by step, for games, without an end.

use retold::method::Network;

/// Steps over all pairs of nodes, as many as this allows.
const WORK: usize = 40_000_000;

/// A place for each node; neighbours are about 1 apart.
pub(super) fn places(network: &Network) -> Vec<(f64, f64)> {
    let count = network.nodes.len();
    let mut places = spiral(network);
    let steps = (WORK / (count * count).max(1)).clamp(10, 300);
    // How far a node may move in a step; it cools down to nothing.
    let hottest = (count as f64).sqrt() / 5.0;
    for step in 0..steps {
        let heat = hottest * (1.0 - step as f64 / steps as f64);
        let moves = forces(network, &places);
        for (place, (x, y)) in places.iter_mut().zip(moves) {
            let length = x.hypot(y).max(1e-9);
            let scale = length.min(heat) / length;
            place.0 += x * scale;
            place.1 += y * scale;
        }
    }
    places
}

/// To begin with, nodes of high degree are in the middle of a sunflower's spiral.
fn spiral(network: &Network) -> Vec<(f64, f64)> {
    let mut order: Vec<usize> = (0..network.nodes.len()).collect();
    order.sort_by_key(|&node| std::cmp::Reverse(network.nodes[node].degree));
    let mut places = vec![(0.0, 0.0); order.len()];
    for (rank, node) in order.into_iter().enumerate() {
        // The golden angle in radians.
        let (radius, angle) = ((rank as f64).sqrt(), rank as f64 * 2.399_963_23);
        places[node] = (radius * angle.cos(), radius * angle.sin());
    }
    places
}

fn forces(network: &Network, places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut forces = vec![(0.0, 0.0); places.len()];
    for (a, from) in places.iter().enumerate() {
        for (b, to) in places.iter().enumerate().skip(a + 1) {
            let (x, y) = (from.0 - to.0, from.1 - to.1);
            // 1 / distance, along the direction between the two.
            let square = (x * x + y * y).max(1e-6);
            forces[a].0 += x / square;
            forces[a].1 += y / square;
            forces[b].0 -= x / square;
            forces[b].1 -= y / square;
        }
    }
    for &(a, b) in &network.edges {
        let (a, b) = (a as usize, b as usize);
        let (x, y) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
        // distance², along the direction between the two.
        let distance = x.hypot(y);
        forces[a].0 -= x * distance;
        forces[a].1 -= y * distance;
        forces[b].0 += x * distance;
        forces[b].1 += y * distance;
    }
    forces
}

#[cfg(test)]
mod tests {
    use super::*;
    use retold::method::Node;

    #[test]
    fn neighbours_stand_closer_than_others() {
        // A ring of 12.
        let network = Network {
            nodes: vec![Node::default(); 12],
            edges: (0..12).map(|n| (n, (n + 1) % 12)).collect(),
            ..Network::default()
        };
        let places = places(&network);
        let distance =
            |a: usize, b: usize| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
        for n in 0..12 {
            assert!(
                distance(n, (n + 1) % 12) < distance(n, (n + 6) % 12),
                "at {n}"
            );
        }
        assert!(places.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
    }
}
