use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn pair(a: u32, b: u32, relation: Relation) -> Pair {
    let verdict = Verdict {
        relation,
        similarity: 1.0,
        length_ratio: 1.0,
        shared: 3,
        shared_chars: 0,
    };
    Pair::new(Rank(a), Rank(b), &verdict)
}

fn duplicates(edges: &[(u32, u32)]) -> Vec<Pair> {
    edges
        .iter()
        .map(|&(a, b)| pair(a, b, Relation::Duplicate))
        .collect()
}

fn members(clusters: &[Cluster]) -> Vec<Vec<u32>> {
    let numbers = |c: &Cluster| c.members.iter().map(|page| page.0).collect();
    clusters.iter().map(numbers).collect()
}

#[test]
fn a_chain_of_six_is_cut_where_two_edges_end() {
    let chain = duplicates(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
    let rank: Vec<u32> = (0..6).collect();
    // Pages 2 and 3 both reach five pages; 2 has the smaller id.
    let clusters = cluster(6, &chain, &[], Linkage::TwoEdge, &rank);
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4]]);
    assert_eq!(clusters[0].pairs, 4);
    let clusters = cluster(6, &chain, &[], Linkage::Components, &rank);
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4, 5]]);
    // The largest sets are those of pages 2 and 3; only page 5 is not in the first.
    let clusters = cluster(6, &chain, &[], Linkage::PerPage, &rank);
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4]]);
    // Pages 5 and 6 are related, but the largest sets that have them are two.
    let chain = duplicates(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]);
    let rank: Vec<u32> = (0..7).collect();
    let clusters = cluster(7, &chain, &[], Linkage::PerPage, &rank);
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4]]);
}

#[test]
fn only_pages_related_to_a_kept_page_are_dropped() {
    let chain = duplicates(&[(0, 1), (1, 2), (2, 3)]);
    let rank: Vec<u32> = (0..4).collect();
    let drops = dropped(4, &chain, &rank, true, &[]);
    let plain: Vec<_> = drops.iter().map(|d| (d.page.0, d.canonical.0)).collect();
    assert_eq!(plain, [(1, 0), (3, 2)]);
}

#[test]
fn a_container_is_never_dropped_for_what_it_contains() {
    let pairs = [pair(0, 1, Relation::ContainedBy)];
    let gone = Dropped {
        page: Rank(0),
        canonical: Rank(1),
        relation: Relation::ContainedBy,
    };
    // Whichever page is preferred, the one that has all is visited first.
    for preference in [[0, 1], [1, 0]] {
        assert_eq!(dropped(2, &pairs, &preference, true, &[]), [gone]);
        assert_eq!(dropped(2, &pairs, &preference, false, &[]), []);
    }
}

#[test]
fn a_copy_goes_though_its_original_is_in_another_cluster() {
    // A chain of eight, the middle preferred: its classes are pages 0 to 4 and 5 to 7. 4 and 5 are neighbours.
    let chain: Vec<Pair> = duplicates(&(0..7).map(|page| (page, page + 1)).collect::<Vec<_>>());
    let preference = [7, 6, 5, 4, 0, 1, 2, 3];
    let clusters = cluster(8, &chain, &[], Linkage::TwoEdge, &preference);
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4], vec![5, 6, 7]]);
    let drops = dropped(8, &chain, &preference, true, &[]);
    let plain: Vec<_> = drops.iter().map(|d| (d.page.0, d.canonical.0)).collect();
    // 4 stays, so 5 goes for it, and 3; 6 and 2 stay; 7 and 1 go; 0 stays.
    assert_eq!(plain, [(1, 2), (3, 4), (5, 4), (7, 6)]);
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
    fn per_page_clusters_are_those_of_the_definition(
        edges in proptest::collection::btree_set((0u32..14, 0u32..14), 0..24)
    ) {
        let edges: BTreeSet<(u32, u32)> =
            edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        let edges: Vec<_> = edges.into_iter().collect();
        let rank: Vec<u32> = (0..14).collect();
        let clusters = cluster(14, &duplicates(&edges), &[], Linkage::PerPage, &rank);
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
        let clusters = cluster(14, &duplicates(&edges), &[], Linkage::TwoEdge, &rank);
        let found: BTreeSet<Vec<u32>> = members(&clusters).into_iter().collect();
        prop_assert_eq!(found, two_edge_by_definition(14, &edges));
    }

    #[test]
    fn what_is_kept_is_free_of_copies(
        edges in proptest::collection::btree_map((0u32..20, 0u32..20), any::<bool>(), 0..60),
        sizes in Just((0u32..20).collect::<Vec<_>>()).prop_shuffle(),
        preference in Just((0u32..20).collect::<Vec<_>>()).prop_shuffle(),
        contained: bool,
    ) {
        // Of two pages of which one contains the other it is the larger.
        let relation = |a: u32, b: u32, duplicate: bool| match duplicate {
            true => Relation::Duplicate,
            false if sizes[a as usize] > sizes[b as usize] => Relation::Contains,
            false => Relation::ContainedBy,
        };
        let pairs: Vec<Pair> = edges.into_iter().filter(|((a, b), _)| a < b)
            .map(|((a, b), duplicate)| pair(a, b, relation(a, b, duplicate))).collect();
        let drops = dropped(20, &pairs, &preference, contained, &[]);
        let gone: BTreeSet<Rank> = drops.iter().map(|d| d.page).collect();
        for drop in &drops {
            prop_assert!(!gone.contains(&drop.canonical));
            let reported = pairs.iter().any(|p| {
                (p.a, p.b, p.relation) == (drop.page, drop.canonical, drop.relation)
                    || (p.b, p.a, p.relation.swapped())
                        == (drop.page, drop.canonical, drop.relation)
            });
            prop_assert!(reported);
            prop_assert!(drop.relation != Relation::Contains);
            prop_assert!(contained || drop.relation == Relation::Duplicate);
        }
        for pair in &pairs {
            let both_stay = !gone.contains(&pair.a) && !gone.contains(&pair.b);
            prop_assert!(!both_stay || !contained && pair.relation != Relation::Duplicate);
        }
    }
}
