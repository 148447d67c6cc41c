//! The fast paths against slow, obvious twins.

use proptest::prelude::*;

use super::noise::{Census, Evidence, NoiseList, find};
use super::*;
use crate::method::{self, Method, Params, Sketch};

fn period(settings: &[(&str, &str)]) -> (Box<dyn Method>, Params) {
    let settings: Vec<_> = settings
        .iter()
        .map(|(n, v)| ((*n).into(), (*v).into()))
        .collect();
    let info = method::find("period").unwrap();
    let params = info.resolve(&settings).unwrap();
    ((info.build)(&params), params)
}

fn store(sketches: &[Sketch]) -> Sketches {
    let mut store = Sketches::default();
    for sketch in sketches {
        store.add(sketch.as_ref());
    }
    store
}

/// Sketches over few keys, so that they overlap; marks as `period` makes them (length in the low 16 bits).
fn sketches() -> impl Strategy<Value = Vec<Sketch>> {
    let key = (0u64..40).prop_map(|key| key << 58 | key);
    let sketch =
        proptest::collection::btree_map(key, (0u64..2, 5u64..30), 0..12).prop_map(|keys| {
            let marks = keys
                .values()
                .map(|(hash, length)| hash << 16 | length)
                .collect();
            Sketch {
                keys: keys.into_keys().collect(),
                marks,
                evidence: vec![],
            }
        });
    proptest::collection::vec(sketch, 0..40)
}

/// Two sketches and what is said of them.
type Related = (u32, u32, Judgement);

/// All against all.
fn by_brute_force(judge: &Judge<'_>) -> Vec<Related> {
    let count = judge.sketches().len() as u32;
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    pairs
        .filter_map(|(a, b)| Some((a, b, judge.judge(a, b)?)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn pair_counting_finds_what_comparing_all_with_all_finds(
        list in sketches(),
        threshold in prop::sample::select(vec!["0", "0.3", "0.5", "0.7", "0.9", "1"]),
        min_shared in prop::sample::select(vec!["1", "2", "3", "6"]),
        common in proptest::collection::btree_set(0u64..40, 0..10),
        shortest in proptest::collection::vec(1u64..200, 40),
    ) {
        let (method, _) = period(&[("threshold", threshold), ("min_shared", min_shared), ("min_chars", "8")]);
        let store = store(&list);
        let keys = common.into_iter().map(|key| key << 58 | key).collect();
        let noise = NoiseList {
            common: Some(Evidence { keys, cover: 0.65, many: 5 }),
            ..NoiseList::default()
        };
        let judge = Judge::new(&*method, &store, &shortest, &noise);
        let mut found = related_pairs(&judge, &(), |a, b, judgement, list: &mut Vec<Related>| {
            list.push((a, b, *judgement));
        }).unwrap().made;
        found.sort_by_key(|&(a, b, _)| (a, b));
        prop_assert_eq!(found, by_brute_force(&judge));
    }

    #[test]
    fn judging_is_symmetric(list in sketches(), shortest in proptest::collection::vec(1u64..200, 40)) {
        let (method, _) = period(&[("min_chars", "8")]);
        let store = store(&list);
        let judge = Judge::new(&*method, &store, &shortest, &NoiseList::default());
        for a in 0..store.len() as u32 {
            for b in 0..store.len() as u32 {
                let swapped = judge.judge(b, a).map(Judgement::swapped);
                prop_assert_eq!(judge.judge(a, b), swapped);
            }
        }
    }

    #[test]
    fn postings_list_every_shared_key(list in sketches()) {
        let store = store(&list);
        let postings = Postings::build(&store);
        let mut listed = Vec::new();
        for (key, numbers) in postings.iter() {
            let holders: Vec<u32> = (0..store.len() as u32)
                .filter(|&number| store.get(number).keys.contains(&key))
                .collect();
            prop_assert_eq!(numbers, &holders[..]);
            prop_assert!(holders.len() > 1);
            listed.push(key);
        }
        let shared = (0..40u64).map(|key| key << 58 | key).filter(|key| {
            (0..store.len() as u32).filter(|&n| store.get(n).keys.contains(key)).count() > 1
        });
        prop_assert_eq!(listed, shared.collect::<Vec<_>>());
    }
}

/// A collection in which key k stands in the sketches k..10, so in 10 − k of them; one text each.
fn ladder() -> (Sketches, Vec<u32>) {
    let sketch = |number: u64| Sketch {
        keys: (0..=number).collect(),
        ..Sketch::default()
    };
    (store(&(0..10).map(sketch).collect::<Vec<_>>()), vec![1; 10])
}

fn noise_of(settings: &[(&str, &str)], on_site: &[(u32, u32)]) -> NoiseList {
    let (sketches, texts) = ladder();
    let (_, params) = period(settings);
    let sites = ["a.cn".to_owned(), "b.cn".to_owned()];
    find(
        &Census {
            sketches: &sketches,
            texts: &texts,
            sites: &sites,
            on_site,
        },
        &params,
    )
}

#[test]
fn idf_noise_by_hand() {
    // N = 10: ln(10 / 8) = 0.223, ln(10 / 7) = 0.357. Keys 0, 1, 2 have df 10, 9, 8.
    let list = noise_of(
        &[
            ("noise", "idf"),
            ("idf_threshold", "0.3"),
            ("idf_min_df", "2"),
        ],
        &[],
    );
    assert_eq!(list.everywhere, [0, 1, 2]);
    // A feature on two or three pages is no noise, however small the collection.
    let list = noise_of(
        &[
            ("noise", "idf"),
            ("idf_threshold", "100"),
            ("idf_min_df", "4"),
        ],
        &[],
    );
    assert_eq!(list.everywhere, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn site_noise_by_hand() {
    // Site a.cn has sketches 6..10, b.cn has 0..6: on a.cn the keys 0..=6 stand on 4 pages, 7 on 3, 8 on 2.
    let on_site: Vec<(u32, u32)> = (0..10).map(|n| (u32::from(n < 6), n)).collect();
    let settings = [
        ("noise", "site"),
        ("site_min_df", "3"),
        ("site_share", "0.6"),
    ];
    let list = noise_of(&settings, &on_site);
    assert_eq!(list.on_site["a.cn"], [0, 1, 2, 3, 4, 5, 6]);
    // b.cn: more than max(3, 0.6 × 6 = 3.6) of its 6 pages: keys 0, 1, 2 with 6, 5, 4.
    assert_eq!(list.on_site["b.cn"], [0, 1, 2]);
    assert!(list.deletes(3, Some("a.cn")) && !list.deletes(3, Some("b.cn")));
    assert!(!list.deletes(0, None));
}

#[test]
fn common_keys_by_hand() {
    let settings = [
        ("noise", "evidence"),
        ("common_df", "8"),
        ("min_texts", "10"),
    ];
    let list = noise_of(&settings, &[]);
    assert_eq!(list.common.unwrap().keys, [0, 1]);
    // Too small a collection says nothing of what is common.
    assert_eq!(
        noise_of(&[("common_df", "8"), ("min_texts", "11")], &[]).common,
        None
    );
    // 31 texts with one and the same sketch: its only key is on 31 texts.
    let sketches = store(&[Sketch {
        keys: vec![7],
        ..Sketch::default()
    }]);
    let (_, params) = period(&[("min_texts", "1")]);
    let census = Census {
        sketches: &sketches,
        texts: &[31],
        sites: &[],
        on_site: &[],
    };
    assert_eq!(find(&census, &params).common.unwrap().keys, [7]);
}

/// Two pages that share four common sentences of 20 characters each, and nothing else.
#[test]
fn evidence_by_hand() {
    let (method, _) = period(&[]);
    let disclaimer = |last: u64| Sketch {
        keys: vec![1, 2, 3, 4, last],
        marks: vec![20; 5],
        evidence: vec![],
    };
    let store = store(&[disclaimer(10), disclaimer(11)]);
    let noise = |keys: &[u64], many| NoiseList {
        common: Some(Evidence {
            keys: keys.to_vec(),
            cover: 0.65,
            many,
        }),
        ..NoiseList::default()
    };
    let judge = |noise: &NoiseList, shortest: [u64; 2]| {
        Judge::new(&*method, &store, &shortest, noise).judge(0, 1)
    };
    // CCS = 4/5; without noise that is enough.
    let plain = judge(&NoiseList::default(), [1000, 1000]).unwrap();
    assert_eq!((plain.verdict.similarity, plain.verdict.shared), (0.8, 4));
    assert_eq!(plain.verdict.shared_chars, 80);
    // All four are common: the rest, {10} and {11}, does not match.
    assert_eq!(judge(&noise(&[1, 2, 3, 4], 20), [1000, 1000]), None);
    // 80 / 0.65 = 123.08: a text of 123 characters is covered, one of 124 is not.
    assert_eq!(
        judge(&noise(&[1, 2, 3, 4], 20), [123, 1000]).unwrap().up_to,
        123
    );
    assert_eq!(judge(&noise(&[1, 2, 3, 4], 20), [124, 1000]), None);
    // Four are many if `many` says so.
    assert!(judge(&noise(&[1, 2, 3, 4], 4), [1000, 1000]).is_some());
    // One common key of five: {2, 3, 4} of {2, 3, 4, x} still match, 3/4.
    assert_eq!(
        judge(&noise(&[1], 20), [1000, 1000]).unwrap().up_to,
        u64::MAX
    );
}
