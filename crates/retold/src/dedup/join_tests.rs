//! The fast paths, compared with slow, obvious twins.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::heavy_keys::{ClosePolicy, HeavyKeys};
use super::join::{Join, Traits, related_pairs};
use crate::ids::{GroupNo, SketchNo};
use crate::knowledge::Postings;
use crate::sketch::{Bounds, Sketch, Sketches, count_shared};
use crate::spill::Memory;

fn heavy_keys<'a>(join: &'a Join, bounds: &'a (dyn Fn(usize) -> Bounds + Sync)) -> HeavyKeys<'a> {
    HeavyKeys::new(join, bounds, ClosePolicy::default(), &Memory::default()).unwrap()
}

fn store(sketches: &[Sketch]) -> Sketches {
    let mut store = Sketches::default();
    for sketch in sketches {
        store.add(sketch.as_ref()).unwrap();
    }
    store
}

/// Sketches over few keys, so that they overlap.
fn sketches() -> impl Strategy<Value = Vec<Sketch>> {
    let key = (0u64..40).prop_map(|key| key << 58 | key);
    let sketch = proptest::collection::btree_set(key, 0..12).prop_map(|keys| Sketch {
        keys: keys.into_iter().collect(),
        ..Sketch::default()
    });
    proptest::collection::vec(sketch, 0..40)
}

/// All against all.
fn by_brute_force(
    store: &Sketches,
    size: impl Fn(&[u64]) -> usize,
    bounds: impl Fn(usize) -> Bounds,
) -> Vec<(SketchNo, SketchNo)> {
    let numbers = || SketchNo::first(store.len());
    let pairs = numbers().flat_map(|a| numbers().map(move |b| (a, b)));
    let within = |&(a, b): &(SketchNo, SketchNo)| {
        let (a, b) = (store.get(a), store.get(b));
        let (a, b) = (a.as_ref().keys, b.as_ref().keys);
        let (s, t) = (size(a), size(b));
        let Bounds { overlap, reach } = bounds(s.min(t));
        count_shared(a, b) >= overlap && s.max(t) <= reach
    };
    pairs.filter(|(a, b)| a < b).filter(within).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn pair_counting_finds_what_comparing_all_with_all_finds(
        list in sketches(),
        share in prop::sample::select(vec![0.0, 0.3, 0.5, 0.7, 0.9, 1.0]),
        least in 1usize..6,
        stretch in prop::sample::select(vec![1.0, 1.5, 3.0, 1e9]),
        counted in 20u64..40,
    ) {
        // The size of a sketch may be less than its number of keys.
        let size = |keys: &[u64]| keys.partition_point(|key| key >> 58 < counted);
        let bounds = |size: usize| Bounds {
            overlap: ((share * size as f64).ceil() as usize).max(least),
            reach: (size as f64 * stretch) as usize,
        };
        let store = store(&list);
        let judge = |a, b, made: &mut Vec<_>| made.push((a, b));
        let mut found = related_pairs(&store, size, bounds, &(), judge).unwrap().made;
        found.sort_unstable();
        prop_assert_eq!(found, by_brute_force(&store, size, bounds));
    }

    #[test]
    fn of_groups_that_need_distinctive_keys_those_are_found_that_share_one(
        list in sketches(),
        share in prop::sample::select(vec![0.0, 0.3, 0.5, 0.7, 0.9]),
        heavy_above in prop::sample::select(vec![2, 5, usize::MAX]),
    ) {
        let store = store(&list);
        let needs_distinctive = |keys: &[u64]| (!keys.len().is_multiple_of(3)).then_some(keys.len() - keys.len() / 4);
        let is_common = |key: u64| key % 4 > 1;
        let bounds = |size: usize| Bounds::overlap((share * size as f64).ceil() as usize);
        let each: Vec<SketchNo> = SketchNo::first(store.len()).collect();
        let traits = Traits {
            size: &<[u64]>::len,
            needs_distinctive: &|sketch| needs_distinctive(sketch.keys),
            is_common: &is_common,
            parts: None,
        };
        let join = Join::build(&store, &each, heavy_above, &traits).unwrap();
        let heavy = heavy_keys(&join, &bounds);
        let mut found = BTreeSet::new();
        let mut add = |a: GroupNo, b: GroupNo| {
            found.insert((SketchNo(a.0.min(b.0)), SketchNo(a.0.max(b.0))));
        };
        let judge = |group, others: &[GroupNo], made: &mut Vec<_>| {
            made.extend(others.iter().map(|&other| (group, other)));
        };
        join.pairs(0, bounds, |_, _| true, &(), judge, |_, piece| {
            piece.made.drain(..).for_each(|(a, b)| add(a, b));
            Ok(())
        }).unwrap();
        for group in GroupNo::first(store.len()) {
            let others = heavy.candidates(group, |_, is_within| is_within());
            others.into_iter().for_each(|other| add(group, other));
        }
        let within = by_brute_force(&store, <[u64]>::len, bounds);
        for pair @ &(a, b) in &within {
            let (a, b) = (store.get(a), store.get(b));
            let (a, b) = (a.as_ref().keys, b.as_ref().keys);
            let shares_distinctive = a.iter().any(|&key| !is_common(key) && b.contains(&key));
            let smaller = if b.len() < a.len() { b } else { a };
            let shared = a.iter().filter(|key| b.contains(key)).count();
            let is_needed = needs_distinctive(smaller).is_none_or(|many| shares_distinctive || shared >= many);
            prop_assert!(found.contains(pair) || !is_needed);
        }
        prop_assert!(found.iter().all(|pair| within.contains(pair)));
    }

    #[test]
    fn postings_list_every_shared_key(list in sketches()) {
        let store = store(&list);
        let postings = Postings::build(&store, |_| 1, 1).unwrap();
        let mut listed = Vec::new();
        let holders = |key: u64| -> Vec<SketchNo> {
            let numbers = SketchNo::first(store.len());
            numbers.filter(|&number| store.get(number).as_ref().keys.contains(&key)).collect()
        };
        for (key, numbers) in postings.iter() {
            let holders = holders(key);
            prop_assert_eq!(numbers, &holders[..]);
            prop_assert!(holders.len() > 1);
            listed.push(key);
        }
        let shared = (0..40u64).map(|key| key << 58 | key).filter(|&key| holders(key).len() > 1);
        prop_assert_eq!(listed, shared.collect::<Vec<_>>());
    }
}

/// A sketch for each of 600 groups.
fn of_keys(keys: impl Fn(u64) -> Vec<u64>) -> Sketches {
    let sketch = |group| Sketch {
        keys: keys(group),
        ..Sketch::default()
    };
    store(&(0..600).map(sketch).collect::<Vec<Sketch>>())
}

/// Keys that more than 128 groups have are heavy.
fn joined(store: &Sketches) -> Join {
    let each: Vec<SketchNo> = SketchNo::first(store.len()).collect();
    let traits = Traits {
        size: &<[u64]>::len,
        needs_distinctive: &|_| None,
        is_common: &|_| false,
        parts: None,
    };
    Join::build(store, &each, 128, &traits).unwrap()
}

/// Groups 0 to 199 have the keys of a family and of a template, 200 to 399 only the family's, 400 to 599 only the template's. What groups
/// with both keys find belongs to their family.
#[test]
fn a_find_keeps_open_the_lists_that_it_stands_on() {
    let (family, template) = (GroupNo(300), GroupNo(500));
    let store = of_keys(|group| {
        let mut keys = vec![1000 + group];
        keys.extend((group < 400).then_some(2000));
        keys.extend((!(200..400).contains(&group)).then_some(3000));
        keys
    });
    let join = joined(&store);
    type Probe = fn(&mut HeavyKeys<'_>, GroupNo, GroupNo);
    let probes: [(usize, Probe); 2] = [
        (100, |heavy, group, found| {
            heavy.probed(group, &[found], |_| false)
        }),
        (200, |heavy, group, found| {
            let found_on = heavy.shared_open(group, found);
            heavy.probed_for_first(group, Some(&found_on));
        }),
    ];
    for (many, probe) in probes {
        for found in [family, template] {
            let mut heavy = heavy_keys(&join, &|_| Bounds::overlap(1));
            GroupNo::first(many).for_each(|group| probe(&mut heavy, group, found));
            let is_open = [family, template].map(|group| heavy.has_open(group));
            // A probe that stops at the first match says nothing of the other list.
            let expected = [family, template].map(|group| many == 200 || group == found);
            assert_eq!(is_open, expected);
        }
    }
    let mut heavy = heavy_keys(&join, &|_| Bounds::overlap(1));
    GroupNo::first(100).for_each(|group| heavy.probed_for_first(group, None));
    assert_eq!(
        [family, template].map(|group| heavy.has_open(group)),
        [false, false]
    );
}

/// Of 600 groups 400 have one key, 400 another.
#[test]
fn long_lists_are_closed_by_what_was_sampled_of_them() {
    let (few, many) = (GroupNo(100), GroupNo(500));
    let store = of_keys(|group| {
        let mut keys: Vec<u64> = (0..=group / 100).map(|n| 10_000 + 10 * group + n).collect();
        keys.extend((group < 400).then_some(2000));
        keys.extend((group >= 200).then_some(3000));
        keys.sort_unstable();
        keys
    });
    let join = joined(&store);
    let open = |least: usize, is_template: &(dyn Fn(&[[GroupNo; 2]]) -> bool + Sync)| {
        let mut heavy = heavy_keys(&join, &|_| Bounds::overlap(1));
        heavy.close_templates(least, is_template);
        heavy.reopen();
        [few, many].map(|group| heavy.has_open(group))
    };
    let on_the_second = |pairs: &[[GroupNo; 2]]| pairs.iter().flatten().all(|group| group.0 >= 200);
    assert_eq!(open(399, &on_the_second), [true, false]);
    assert_eq!(open(400, &on_the_second), [true, true]);
    // Samples are spread over the lists, and with the smallest groups.
    let different = |pairs: &[[GroupNo; 2]], at: usize| {
        let groups: BTreeSet<GroupNo> = pairs.iter().map(|pair| pair[at]).collect();
        groups.len()
    };
    let are_spread = |pairs: &[[GroupNo; 2]]| different(pairs, 1) > 24;
    assert_eq!(open(399, &are_spread), [false, false]);
    assert_eq!(open(399, &|pairs| different(pairs, 0) > 24), [true, true]);
    assert_eq!(open(399, &|pairs| different(pairs, 0) <= 4), [true, true]);
}
