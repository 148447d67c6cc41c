//! New pages against old ones, by the rule itself on all pairs of one run over both.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::family_tests::{configs, find_within, gone, pages};
use super::*;
use crate::cluster::Drop;
use crate::cluster::Pair;
use crate::ids::Rank;

/// New pages go if they repeat an old one, or a new one that stays.
fn by_rule(all: &Findings, is_old: &[bool], preference: &[u32]) -> Vec<(Rank, Rank, Relation)> {
    let both = all.model.config().drop == Drop::Both;
    let pages = || Rank::first(is_old.len());
    let repeats = |page: Rank, other: Rank| {
        let relation = all.relation(page, other)?;
        let goes = relation == Relation::Duplicate || (both && relation == Relation::ContainedBy);
        goes.then_some(relation)
    };
    let mut order: Vec<Rank> = pages().collect();
    order.sort_by_key(|page| (!is_old[page.at()], preference[page.at()]));
    let mut stays: Vec<Rank> = order
        .iter()
        .copied()
        .filter(|page| is_old[page.at()])
        .collect();
    let mut open: Vec<Rank> = order
        .iter()
        .copied()
        .filter(|page| !is_old[page.at()])
        .collect();
    open.retain(|&page| !stays.iter().any(|&other| repeats(page, other).is_some()));
    while !open.is_empty() {
        let is_contained = |page: Rank| {
            let inside = |&other: &Rank| all.relation(page, other) == Some(Relation::ContainedBy);
            both && open.iter().any(inside)
        };
        let next = open
            .iter()
            .position(|&page| !is_contained(page))
            .unwrap_or(0);
        let next = open.remove(next);
        stays.push(next);
        open.retain(|&page| repeats(page, next).is_none());
    }
    // Each goes for the most preferred page that stays.
    stays.sort_by_key(|page| (!is_old[page.at()], preference[page.at()]));
    let goes = pages().filter(|page| !stays.contains(page)).map(|page| {
        let found = stays
            .iter()
            .find_map(|&other| Some((page, other, repeats(page, other)?)));
        found.expect("who goes repeats who stays")
    });
    goes.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn old_pages_stay_and_new_ones_go_for_them(
        pages in pages(),
        old in proptest::collection::vec(any::<bool>(), 40),
        family in 1usize..12,
        crowd in 1usize..12,
    ) {
        let is_old: BTreeMap<&str, bool> = pages.iter().map(|page| page.id.as_str()).zip(old).collect();
        let part = |old: bool| -> Vec<Page> {
            pages.iter().filter(|page| is_old[page.id.as_str()] == old).cloned().collect()
        };
        if part(true).is_empty() || part(false).is_empty() {
            return Ok(());
        }
        for config in configs() {
            let all = find_within(&pages, &config, (usize::MAX, usize::MAX));
            let places = preference(&all.collection, config.canonical, &all.by_id, &()).unwrap();
            let is_old: Vec<bool> = Rank::first(all.by_id.len()).map(|rank| is_old[&*all.id(rank)]).collect();
            let expected = by_rule(&all, &is_old, &places);
            let sources = || [part(false), part(true)].map(|pages| vec![Source::of_pages("pages", pages)]);
            let run = |limits| {
                let model = Model::new(config.clone()).unwrap();
                super::against::find(sources(), model, &Memory::default(), limits, &()).unwrap()
            };
            let (whole, small) = (run((usize::MAX, usize::MAX)), run((family, crowd)));
            let of_new = |pair: &Pair| !(is_old[pair.a.at()] && is_old[pair.b.at()]);
            let pairs: Vec<Pair> = all.pairs.iter().filter(of_new).collect();
            prop_assert_eq!(whole.pairs.to_vec(), pairs, "{}", config.method);
            prop_assert_eq!(gone(&whole), expected.clone(), "{} {:?} {:?}", config.method, config.canonical, config.drop);
            prop_assert_eq!(gone(&small), expected, "{} {:?} {:?}", config.method, config.canonical, config.drop);
            prop_assert_eq!((whole.new_sources, whole.old_pages), (1, part(true).len()));
        }
    }
}
