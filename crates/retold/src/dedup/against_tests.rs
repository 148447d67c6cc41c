//! New pages against old ones, by the rule itself on all pairs of one run over both.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::family_tests::{configs, find_within, gone, pages};
use super::*;
use crate::cluster::DropRule;
use crate::cluster::Pair;
use crate::ids::Rank;

/// New pages go if they repeat an old one, or a new one that stays; `all` has all pairs.
pub(super) fn by_rule(
    all: &Findings,
    is_old: &[bool],
    preference: &[u32],
) -> Vec<(Rank, Rank, Relation)> {
    let both = all.model.config().drop == DropRule::Both;
    let mut related: BTreeMap<Rank, Vec<(Rank, Relation)>> = BTreeMap::new();
    for pair in all.pairs.iter() {
        related
            .entry(pair.a)
            .or_default()
            .push((pair.b, pair.relation));
        related
            .entry(pair.b)
            .or_default()
            .push((pair.a, pair.relation.swapped()));
    }
    let goes =
        |relation| relation == Relation::Duplicate || (both && relation == Relation::ContainedBy);
    let place = |page: &Rank| (!is_old[page.at()], preference[page.at()]);
    let repeats_old = |page: &Rank| {
        let mut others = related[page].iter();
        others.any(|&(other, relation)| is_old[other.at()] && goes(relation))
    };
    let mut open: Vec<Rank> = related.keys().copied().collect();
    open.retain(|page| !is_old[page.at()] && !repeats_old(page));
    open.sort_by_key(place);
    let mut stays: BTreeSet<Rank> = related
        .keys()
        .copied()
        .filter(|page| is_old[page.at()])
        .collect();
    while !open.is_empty() {
        let is_contained = |page: &Rank| {
            let inside = |&(other, relation): &(Rank, Relation)| {
                relation == Relation::ContainedBy && open.contains(&other)
            };
            both && related[page].iter().any(inside)
        };
        let next = open.iter().position(|page| !is_contained(page));
        let next = open.remove(next.unwrap_or(0));
        stays.insert(next);
        let gone: BTreeSet<Rank> = related[&next]
            .iter()
            .filter(|&&(_, relation)| goes(relation.swapped()))
            .map(|&(page, _)| page)
            .collect();
        open.retain(|page| !gone.contains(page));
    }
    // Each goes for the most preferred page that stays.
    let goes = related
        .iter()
        .filter(|(page, _)| !stays.contains(page))
        .map(|(&page, others)| {
            let found = others
                .iter()
                .filter(|(other, relation)| stays.contains(other) && goes(*relation));
            let (other, relation) = *found
                .min_by_key(|(other, _)| place(other))
                .expect("who goes repeats who stays");
            (page, other, relation)
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
                super::against::find(sources(), model, (&Memory::default(), false), limits, &()).unwrap()
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
