//! The retention loop on stored pairs: results worked out by hand, and its rule.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::retain::{Dropped, DroppedAs, Rules, StoredPairs, Undecided, retain};
use crate::cluster::tests::{all_kept, duplicates, members, pair};
use crate::cluster::{Cluster, Linkage, Pair, cluster};
use crate::ids::Rank;
use crate::relation::Relation;

fn dropped(
    pages: usize,
    pairs: &[Pair],
    preference: &[u32],
    contained: bool,
    is_old: &[bool],
) -> Vec<Dropped> {
    let rules = Rules {
        contained,
        overlaps: false,
        containers_first: true,
        collections: true,
    };
    let undecided = Undecided {
        preference,
        is_old,
        parts: None,
    };
    let mut stored = StoredPairs::new(pages, pairs, preference);
    retain(rules, undecided, &mut stored).unwrap().dropped
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
        relation: DroppedAs::Repeats(Relation::ContainedBy),
        lost: 0,
    };
    // Whichever page is preferred, the one that has all is visited first.
    for preference in [[0, 1], [1, 0]] {
        assert_eq!(dropped(2, &pairs, &preference, true, &[]), [gone]);
        assert_eq!(dropped(2, &pairs, &preference, false, &[]), []);
    }
}

/// For each page the kept page that it is dropped for, or itself.
fn kept_for(pages: usize, drops: &[Dropped]) -> Vec<Rank> {
    let mut kept_for = all_kept(pages);
    for drop in drops {
        kept_for[drop.page.at()] = drop.canonical;
    }
    kept_for
}

#[test]
fn a_copy_is_dropped_though_two_edges_end_before_its_original() {
    // A chain of eight, the middle preferred: its classes are pages 0 to 4 and 5 to 7. 4 and 5 are neighbours.
    let chain: Vec<Pair> = duplicates(&(0..7).map(|page| (page, page + 1)).collect::<Vec<_>>());
    let preference = [7, 6, 5, 4, 0, 1, 2, 3];
    let drops = dropped(8, &chain, &preference, true, &[]);
    let plain: Vec<_> = drops.iter().map(|d| (d.page.0, d.canonical.0)).collect();
    // 4 is kept, so 5 and 3 are dropped for it; 6 and 2 are kept; 7 and 1 are dropped; 0 is kept.
    assert_eq!(plain, [(1, 2), (3, 4), (5, 4), (7, 6)]);
    let kept_for = kept_for(8, &drops);
    let clusters = cluster(&chain, &[], Linkage::TwoEdge, &preference, &kept_for);
    assert_eq!(members(&clusters), [vec![0, 1, 2, 3, 4, 5], vec![6, 7]]);
}

proptest! {
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
            let relation = drop.relation.of_texts().unwrap();
            prop_assert!(!gone.contains(&drop.canonical));
            let reported = pairs.iter().any(|p| {
                (p.a, p.b, p.relation) == (drop.page, drop.canonical, relation)
                    || (p.b, p.a, p.relation.swapped())
                        == (drop.page, drop.canonical, relation)
            });
            prop_assert!(reported);
            prop_assert!(relation != Relation::Contains);
            prop_assert!(contained || relation == Relation::Duplicate);
        }
        for pair in &pairs {
            let both_stay = !gone.contains(&pair.a) && !gone.contains(&pair.b);
            prop_assert!(!both_stay || !contained && pair.relation != Relation::Duplicate);
        }
        let kept_for = kept_for(20, &drops);
        for linkage in [Linkage::TwoEdge, Linkage::PerPage, Linkage::Components] {
            let clusters = cluster(&pairs, &[], linkage, &preference, &kept_for);
            for cluster in &clusters {
                prop_assert!(cluster.members.len() > 1 && !gone.contains(&cluster.canonical));
                prop_assert!(cluster.members.contains(&cluster.canonical));
            }
            for drop in &drops {
                let of = |page: Rank| {
                    let has = |cluster: &&Cluster| cluster.members.contains(&page);
                    clusters.iter().filter(has).map(|cluster| cluster.members[0]).collect::<Vec<_>>()
                };
                prop_assert_eq!((of(drop.page).len(), of(drop.page)), (1, of(drop.canonical)));
            }
        }
    }
}
