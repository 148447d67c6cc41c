//! Compares weighted Jaccard with its definition, and the bounds with all pairs.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::method::testing::{judge, related, text};

fn spotsigs(threshold: f64, min_shared: usize) -> SpotSigs {
    SpotSigs(SpotSigsParams {
        threshold,
        min_shared,
        ..SpotSigsParams::default()
    })
}

/// Σ min / Σ max over the counts.
fn by_definition(a: &[u64], b: &[u64]) -> f64 {
    let count = |list: &[u64]| {
        let mut counts = BTreeMap::new();
        list.iter()
            .for_each(|&signature| *counts.entry(signature).or_insert(0usize) += 1);
        counts
    };
    let (a, b) = (count(a), count(b));
    let of = |counts: &BTreeMap<u64, usize>, signature| counts.get(signature).copied().unwrap_or(0);
    let (mut least, mut most) = (0, 0);
    let all: std::collections::BTreeSet<&u64> = a.keys().chain(b.keys()).collect();
    for signature in all {
        least += of(&a, signature).min(of(&b, signature));
        most += of(&a, signature).max(of(&b, signature));
    }
    ratio(least, most)
}

#[test]
fn weighted_jaccard_by_hand() {
    // {x x y} and {x y y z}: min 1 + 1 = 2, max 2 + 2 + 1 = 5.
    let [a, b] = [vec![1, 1, 2], vec![1, 2, 2, 3]].map(|list| Sketch {
        keys: numbered(list),
        ..Sketch::default()
    });
    assert_eq!((a.keys.len(), b.keys.len()), (3, 4));
    let verdict = judge(&spotsigs(0.4, 2), &a, &b).unwrap();
    assert_eq!(
        (verdict.similarity, verdict.shared, verdict.length_ratio),
        (0.4, 2, 0.75)
    );
    assert_eq!(judge(&spotsigs(0.41, 2), &a, &b), None);
    assert_eq!(judge(&spotsigs(0.4, 3), &a, &b), None);
}

#[test]
fn bounds_by_hand() {
    let half = spotsigs(0.5, 1);
    // 2 · 0.5 · 9 / 1.5 = 6: 6 / (9 + 9 − 6) = 0.5; with 5 it is 5/13.
    assert_eq!(half.overlap(9), 6);
    assert_eq!(half.reach(9), 18);
    assert_eq!(spotsigs(0.0, 1).reach(9), usize::MAX);
    assert_eq!(spotsigs(0.0, 1).overlap(9), 1);
    assert_eq!(
        (spotsigs(1.0, 1).overlap(9), spotsigs(1.0, 1).reach(9)),
        (9, 9)
    );
    assert_eq!(half.reach(0), 0);
}

#[test]
fn a_template_without_small_words_costs_nothing() {
    let article = "The ferry is a delight. The harbour of Naxos has a café and the sea was calm in the morning.";
    let method = spotsigs(0.44, 3);
    let [plain, framed] = [
        article.to_owned(),
        format!("Home\nNews\nSports\nWeather\n{article}\nContact\nImprint\nLogin"),
    ]
    .map(|content| method.sketch(&text(&content)));
    let verdict = judge(&method, &plain, &framed).unwrap();
    assert!(verdict.similarity > 0.8, "{}", verdict.similarity);
}

proptest! {
    #[test]
    fn numbered_sets_have_the_similarities_of_multisets(
        a in proptest::collection::vec(0u64..6, 0..20),
        b in proptest::collection::vec(0u64..6, 0..20),
    ) {
        let (x, y) = (numbered(a.clone()), numbered(b.clone()));
        prop_assert_eq!(x.len(), a.len());
        let shared = count_shared(&x, &y);
        prop_assert_eq!(jaccard(shared, x.len(), y.len()), by_definition(&a, &b));
    }

    /// Checks the index against the definition on all pairs of multisets.
    #[test]
    fn the_index_finds_what_all_pairs_have(
        pages in proptest::collection::vec(proptest::collection::vec(0u64..12, 0..25), 0..25),
        threshold in prop_oneof![Just(0.0), Just(0.25), Just(0.44), Just(0.5), Just(0.8), Just(1.0)],
        min_shared in 1usize..4,
    ) {
        let method = spotsigs(threshold, min_shared);
        // Different numbers make every page a different sketch.
        let pages: Vec<Vec<u64>> = pages
            .into_iter()
            .zip(100..)
            .map(|(mut page, own)| {
                page.push(own);
                page
            })
            .collect();
        let found = related(&method, pages.iter().map(|page| Sketch {
            keys: numbered(page.clone()),
            ..Sketch::default()
        }));
        let mut expected = Vec::new();
        for (a, page) in (0u32..).zip(&pages) {
            for (b, other) in (a + 1..).zip(&pages[a as usize + 1..]) {
                let similarity = by_definition(page, other);
                let shared = similarity * (page.len() + other.len()) as f64 / (1.0 + similarity);
                if similarity >= threshold && shared.round() as usize >= min_shared {
                    expected.push((a, b));
                }
            }
        }
        prop_assert_eq!(found, expected);
    }

    /// The bounds are tight: one more would lose a pair at the threshold, and one less would admit a needless pair.
    #[test]
    fn bounds_are_what_all_pairs_need(
        threshold in prop_oneof![0.0f64..=1.0, Just(1.0 / 3.0), Just(0.44), Just(1.0)],
        small in 1usize..60,
        more in 0usize..200,
        shared in 0usize..60,
    ) {
        let method = spotsigs(threshold, 1);
        let (large, shared) = (small + more, shared.min(small));
        if shared > 0 && jaccard(shared, small, large) >= threshold {
            prop_assert!(shared >= method.overlap(small));
            prop_assert!(large <= method.reach(small));
        }
        let (least, most) = (method.overlap(small), method.reach(small));
        prop_assert!(jaccard(least, small, small) >= threshold);
        prop_assert!(least == 1 || jaccard(least - 1, small, small) < threshold);
        if most < usize::MAX {
            prop_assert!(ratio(small, most) >= threshold && ratio(small, most + 1) < threshold);
        }
        prop_assert!(method.overlap(small + 1) >= least && method.reach(small + 1) >= most);
    }
}
