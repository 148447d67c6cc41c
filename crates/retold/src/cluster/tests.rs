use std::cmp::Reverse;
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::ids::Rank;
use crate::relation::{Relation, Verdict};

pub(crate) fn pair(a: u32, b: u32, relation: Relation) -> Pair {
    let verdict = Verdict {
        relation,
        similarity: 1.0,
        length_ratio: 1.0,
        shared: 3,
        shared_chars: 0,
        own_a: 0,
        own_b: 0,
    };
    Pair::new(Rank(a), Rank(b), &verdict)
}

pub(crate) fn duplicates(edges: &[(u32, u32)]) -> Vec<Pair> {
    edges
        .iter()
        .map(|&(a, b)| pair(a, b, Relation::Duplicate))
        .collect()
}

pub(crate) fn members(clusters: &[Cluster]) -> Vec<Vec<u32>> {
    let numbers = |c: &Cluster| c.members.iter().map(|page| page.0).collect();
    clusters.iter().map(numbers).collect()
}

pub(crate) fn all_kept(pages: usize) -> Vec<Rank> {
    Rank::first(pages).collect()
}

#[test]
fn a_chain_of_six_is_cut_where_two_edges_end() {
    let chain = duplicates(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
    let rank: Vec<u32> = (0..6).collect();
    // Pages 2 and 3 both reach five pages; 2 has the smaller id.
    let clusters = cluster(&chain, &[], Linkage::TwoEdge, &rank, &all_kept(6));
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4]]);
    assert_eq!(clusters[0].pairs, 4);
    let clusters = cluster(&chain, &[], Linkage::Components, &rank, &all_kept(6));
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4, 5]]);
    // The largest sets are those of pages 2 and 3; only page 5 is not in the first.
    let clusters = cluster(&chain, &[], Linkage::PerPage, &rank, &all_kept(6));
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4]]);
    // Pages 5 and 6 are related, but the largest sets that have them are two.
    let chain = duplicates(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]);
    let rank: Vec<u32> = (0..7).collect();
    let clusters = cluster(&chain, &[], Linkage::PerPage, &rank, &all_kept(7));
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4]]);
}

/// Claim 6 of CN102945244: each page keeps the largest set that has it, whole.
#[test]
fn the_class_of_a_page_is_the_largest_set_that_has_it() {
    let numbers = |pages: &[Rank]| pages.iter().map(|page| page.0).collect::<Vec<_>>();
    let chain = duplicates(&(0..6).map(|page| (page, page + 1)).collect::<Vec<_>>());
    let found = classes(&chain, 8);
    let of: Vec<_> = found
        .iter()
        .map(|class| {
            (
                class.center.0,
                numbers(&class.members),
                numbers(&class.pages),
            )
        })
        .collect();
    // Five pages are within two edges of pages 2, 3 and 4. Page 6 is with page 4, and its class has pages 2 to 6.
    let wanted = [
        (2, vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3, 4]),
        (3, vec![1, 2, 3, 4, 5], vec![5]),
        (4, vec![2, 3, 4, 5, 6], vec![6]),
    ];
    assert_eq!(of, wanted);
    assert_eq!(classes(&[], 3), []);
}

#[test]
fn a_dropped_page_is_in_the_cluster_of_its_kept_one() {
    // A chain of eight, whose classes are pages 0 to 4 and 5 to 7. 4 is kept, and 5 is dropped for it; 6 and 7 are left.
    let chain = duplicates(&(0..7).map(|page| (page, page + 1)).collect::<Vec<_>>());
    let mut kept_for = all_kept(8);
    for (page, kept) in [(1, 2), (3, 4), (5, 4), (7, 6)] {
        kept_for[page] = Rank(kept);
    }
    let preference = [7, 6, 5, 4, 0, 1, 2, 3];
    let clusters = cluster(&chain, &[], Linkage::TwoEdge, &preference, &kept_for);
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4, 5], vec![6, 7]]);
    assert_eq!((clusters[0].pairs, clusters[1].pairs), (5, 1));
    assert_eq!(
        (clusters[0].canonical, clusters[1].canonical),
        (Rank(4), Rank(6))
    );
    // The largest set is that of page 5, pages 4 to 14; page 0 and its three neighbours remain. Page 0 is dropped for page 4, and pages
    // that are then alone are in no cluster.
    let star = [
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (4, 6),
        (5, 6),
        (5, 7),
        (5, 8),
        (5, 9),
        (5, 10),
    ];
    let ends = [(7, 11), (8, 12), (9, 13), (10, 14)];
    let edges = duplicates(&[&star[..], &ends].concat());
    let rank: Vec<u32> = (0..15).collect();
    let clusters = cluster(&edges, &[], Linkage::TwoEdge, &rank, &all_kept(15));
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3], (4..15).collect()]);
    let mut kept_for = all_kept(15);
    kept_for[0] = Rank(4);
    let clusters = cluster(&edges, &[], Linkage::TwoEdge, &rank, &kept_for);
    assert_eq!(
        members(&clusters),
        [[0].into_iter().chain(4..15).collect::<Vec<_>>()]
    );
    // The most preferred page is dropped, so it is not canonical.
    let pair = duplicates(&[(0, 1)]);
    let clusters = cluster(&pair, &[], Linkage::TwoEdge, &[0, 1], &[Rank(1), Rank(1)]);
    assert_eq!(clusters[0].canonical, Rank(1));
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

/// The definition, word by word.
fn per_page_by_definition(pages: u32, edges: &[(u32, u32)]) -> BTreeSet<Vec<u32>> {
    let near = |a: u32, b: u32| a == b || edges.contains(&(a.min(b), a.max(b)));
    let within = |a: u32, b: u32| (0..pages).any(|m| near(a, m) && near(m, b));
    let size = |of: u32| (0..pages).filter(|&page| within(of, page)).count();
    let largest = |page: u32| {
        let sets = (0..pages).filter(|&of| within(of, page));
        sets.max_by_key(|&of| (size(of), Reverse(of))).unwrap()
    };
    let classes = (0..pages).map(|of| (0..pages).filter(|&page| largest(page) == of).collect());
    classes.filter(|class: &Vec<u32>| class.len() > 1).collect()
}

proptest! {
    #[test]
    fn classes_are_those_of_the_definition(
        edges in proptest::collection::btree_set((0u32..14, 0u32..14), 0..24)
    ) {
        let edges: BTreeSet<(u32, u32)> =
            edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        let edges: Vec<_> = edges.into_iter().collect();
        let near = |a: u32, b: u32| a == b || edges.contains(&(a.min(b), a.max(b)));
        let set = |of: u32| -> Vec<u32> {
            (0..14).filter(|&page| (0..14).any(|m| near(of, m) && near(m, page))).collect()
        };
        let found = classes(&duplicates(&edges), 14);
        for page in 0..14u32 {
            let sets = (0..14).filter(|&of| set(of).contains(&page));
            let center = sets.max_by_key(|&of| (set(of).len(), Reverse(of))).unwrap();
            let own: Vec<_> = found.iter().filter(|class| class.pages.contains(&Rank(page))).collect();
            if (0..14).any(|other| other != page && near(page, other)) {
                prop_assert_eq!(own.len(), 1);
                prop_assert_eq!(own[0].center, Rank(center));
                prop_assert_eq!(own[0].members.iter().map(|page| page.0).collect::<Vec<_>>(), set(center));
            } else {
                prop_assert!(own.is_empty());
            }
        }
    }

    #[test]
    fn per_page_clusters_are_those_of_the_definition(
        edges in proptest::collection::btree_set((0u32..14, 0u32..14), 0..24)
    ) {
        let edges: BTreeSet<(u32, u32)> =
            edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        let edges: Vec<_> = edges.into_iter().collect();
        let rank: Vec<u32> = (0..14).collect();
        let clusters = cluster(&duplicates(&edges), &[], Linkage::PerPage, &rank, &all_kept(14));
        let found: BTreeSet<Vec<u32>> = members(&clusters).into_iter().collect();
        prop_assert_eq!(found, per_page_by_definition(14, &edges));
    }

    #[test]
    fn two_edge_clusters_are_those_of_the_definition(
        edges in proptest::collection::btree_set((0u32..14, 0u32..14), 0..24)
    ) {
        let edges: BTreeSet<(u32, u32)> =
            edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        let edges: Vec<_> = edges.into_iter().collect();
        let rank: Vec<u32> = (0..14).collect();
        let clusters = cluster(&duplicates(&edges), &[], Linkage::TwoEdge, &rank, &all_kept(14));
        let found: BTreeSet<Vec<u32>> = members(&clusters).into_iter().collect();
        prop_assert_eq!(found, two_edge_by_definition(14, &edges));
    }
}
