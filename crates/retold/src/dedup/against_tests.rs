//! New pages against old ones, compared with the rule itself on all pairs of one run over both.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::context::preference;
use super::family_tests::{configs, connecting, dropped, find_within, pages};
use super::tests::limits;
use super::*;
use crate::cluster::{Collections, DropRule, Pair};
use crate::config::JudgeConfig;
use crate::ids::Rank;
use crate::model::Model;
use crate::page::Page;
use crate::read::Source;
use crate::relation::Relation;
use crate::spill::Memory;

/// New pages are dropped if they repeat an old one, or a new one that is kept; `all` has all pairs.
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
    let drops =
        |relation| relation == Relation::Duplicate || (both && relation == Relation::ContainedBy);
    let place = |page: &Rank| (!is_old[page.at()], preference[page.at()]);
    let repeats_old = |page: &Rank| {
        let mut others = related[page].iter();
        others.any(|&(other, relation)| is_old[other.at()] && drops(relation))
    };
    let mut open: Vec<Rank> = related.keys().copied().collect();
    open.retain(|page| !is_old[page.at()] && !repeats_old(page));
    open.sort_by_key(place);
    let mut kept: BTreeSet<Rank> = related
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
        kept.insert(next);
        let gone: BTreeSet<Rank> = related[&next]
            .iter()
            .filter(|&&(_, relation)| drops(relation.swapped()))
            .map(|&(page, _)| page)
            .collect();
        open.retain(|page| !gone.contains(page));
    }
    // Each is dropped for the most preferred page that is kept.
    let drops = related
        .iter()
        .filter(|(page, _)| !kept.contains(page))
        .map(|(&page, others)| {
            let found = others
                .iter()
                .filter(|(other, relation)| kept.contains(other) && drops(*relation));
            let (other, relation) = *found
                .min_by_key(|(other, _)| place(other))
                .expect("a dropped page repeats a kept one");
            (page, other, relation)
        });
    drops.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn old_pages_are_kept_and_new_ones_dropped_for_them(
        pages in pages(),
        old in proptest::collection::vec(any::<bool>(), 40),
        family in 1usize..12,
        heavy in 1usize..12,
    ) {
        let is_old: BTreeMap<&str, bool> = pages.iter().map(|page| page.id.as_str()).zip(old).collect();
        let part = |old: bool| -> Vec<Page> {
            pages.iter().filter(|page| is_old[page.id.as_str()] == old).cloned().collect()
        };
        if part(true).is_empty() || part(false).is_empty() {
            return Ok(());
        }
        for config in configs() {
            // Without parts what is dropped follows from all pairs.
            let config = JudgeConfig { collections: Collections::Whole, ..config };
            let all = find_within(&pages, &config, limits(usize::MAX, usize::MAX));
            let places = preference(&all.collection, &config.canonical, &all.by_id, &()).unwrap();
            let is_old: Vec<bool> = Rank::first(all.by_id.len()).map(|rank| is_old[&*all.id(rank)]).collect();
            let expected = by_rule(&all, &is_old, &places);
            let sources = || [part(false), part(true)].map(|pages| vec![Source::of_pages("pages", pages)]);
            let run = |limits| {
                let model = Model::new(config.clone()).unwrap();
                let [new, old] = sources();
                let job = Dedup::new(model).against(old).limits(limits);
                job.run_within(new, &Memory::in_small_parts()).unwrap()
            };
            let (whole, small) = (run(limits(usize::MAX, usize::MAX)), run(limits(family, heavy)));
            let of_new = |pair: &Pair| !(is_old[pair.a.at()] && is_old[pair.b.at()]);
            let pairs: Vec<Pair> = connecting(&all).into_iter().filter(of_new).collect();
            prop_assert_eq!(connecting(&whole), pairs, "{}", config.method);
            prop_assert_eq!(dropped(&whole), expected.clone(), "{} {:?} {:?}", config.method, config.canonical, config.drop);
            prop_assert_eq!(dropped(&small), expected, "{} {:?} {:?}", config.method, config.canonical, config.drop);
            prop_assert_eq!((whole.new_sources, whole.old_pages), (1, part(true).len()));
        }
    }
}
