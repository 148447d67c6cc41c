//! Checks each formula against figures worked out by hand.

use super::*;
use crate::method::testing::{judge, params, text, traced};

fn method(settings: &[(&str, &str)]) -> Agglomerate {
    Agglomerate::new((&params(&INFO, settings)).into())
}

fn keywords(settings: &[(&str, &str)], content: &str) -> Vec<Keyword> {
    method(settings).keywords(&text(content)).unwrap()
}

/// `words` with `gap` − 1 stop-words between neighbours.
fn spaced(words: &[&str], gap: usize) -> String {
    words.join(&format!(" {}", "the ".repeat(gap - 1)))
}

/// The extra numbers of a page of `length` words whose keywords have these hashes and counts.
fn extra(length: u64, terms: &[(u64, u32)]) -> Vec<u64> {
    let terms = terms.iter().map(|&(hash, count)| term(hash << 16, count));
    std::iter::once(length).chain(terms).collect()
}

fn sketch(length: u64, terms: &[(u64, u32)]) -> Sketch {
    Sketch {
        keys: vec![1],
        extra: extra(length, terms),
        ..Sketch::default()
    }
}

const BOTH_08: [(&str, &str); 2] = [("threshold", "0.8"), ("share", "0.8")];

/// With `duplicate_by=cosine` and both thresholds 0.8.
fn relation(a: &Sketch, b: &Sketch) -> Option<(Relation, f64)> {
    relation_by("cosine", a, b)
}

fn relation_by(duplicate_by: &str, a: &Sketch, b: &Sketch) -> Option<(Relation, f64)> {
    let method = method(&[BOTH_08[0], BOTH_08[1], ("duplicate_by", duplicate_by)]);
    let verdict = judge(&method, a, b);
    assert_eq!(verdict, judge(&method, b, a).map(Verdict::swapped));
    verdict.map(|verdict| (verdict.relation, verdict.similarity))
}

#[test]
fn f_falls_and_is_continuous_and_convex() {
    let curve = Curve::new(1.0, 0.5, 16);
    // 4^−1; 16^−1 from the left; m = 16^(0.5 − 1) = 1/4, so f(64) = 1/4 · 1/8.
    assert_eq!(curve.at(4.0), 0.25);
    assert_eq!(curve.at(16.0), 0.0625);
    assert!((curve.at(64.0) - 0.03125).abs() < 1e-15);
    for (k1, k2, bend) in [
        (1.0, 0.5, 16),
        (1.0, 1.0, 1),
        (4.0, 0.01, 20),
        (2.0, 0.3, 100),
    ] {
        let curve = Curve::new(k1, k2, bend);
        let at = bend as f64;
        assert!(
            (curve.at(at) - curve.at(at + 1e-9)).abs() < 1e-8,
            "a jump at {bend}"
        );
        for b in 1..500 {
            let [near, here, far] = [b, b + 1, b + 2].map(|b| curve.at(f64::from(b)));
            assert!(near > here && here > far, "f does not fall at {b}");
            assert!(near + far > 2.0 * here, "f is not convex at {b}");
        }
    }
}

#[test]
fn an_uneven_spread_scores_higher() {
    // Gaps 5 and 15 against 10 and 10: 1/5 + 1/15 = 0.2667 and 1/10 + 1/10 = 0.2.
    let filler = |count: usize| "the ".repeat(count);
    let uneven = format!("ferry {}ferry {}ferry", filler(4), filler(14));
    let even = format!("harbour {}harbour {}harbour", filler(9), filler(9));
    let curve = [("k2", "0.5"), ("b", "20")];
    let found = keywords(&curve, &format!("{even} {}{uneven}", filler(5)));
    let shown: Vec<(&str, f64)> = found.iter().map(|w| (&*w.word, w.score)).collect();
    assert_eq!((shown[0].0, shown[1].0), ("ferry", "harbour"));
    assert!((shown[0].1 - (0.2 + 1.0 / 15.0)).abs() < 1e-9);
    assert!((shown[1].1 - 0.2).abs() < 1e-9);
    assert_eq!(found[1].positions, [0, 10, 20]);
}

#[test]
fn distances_count_all_words_in_chinese_too() {
    // 渡船 的 渡船: the stop-word 的 counts, so the distance is 2 and the score 1/2.
    let found = keywords(&[], "渡船的渡船。");
    assert_eq!((&*found[0].word, found[0].positions.len()), ("渡船", 2));
    let positions = &found[0].positions;
    assert!((found[0].score - 1.0 / f64::from(positions[1] - positions[0])).abs() < 1e-9);
    assert!(found.iter().all(|word| word.word != "的"));
}

#[test]
fn words_that_occur_once_fill_up_the_longest_then_the_earliest() {
    let found = keywords(
        &[("keywords", "6")],
        "bay lighthouse cat cat dog ferryman egg fox 2024",
    );
    let names: Vec<&str> = found.iter().map(|word| &*word.word).collect();
    assert_eq!(
        names,
        ["cat", "lighthouse", "ferryman", "bay", "dog", "egg"]
    );
    assert_eq!(found[1].score, 0.0);
}

#[test]
fn three_hashes_of_the_best_words_whatever_their_order() {
    let method = method(&[("hashes", "best")]);
    let words = ["ferry", "harbour", "fog", "tide", "rope", "net"];
    let hashes = method.hashes(&words);
    let places: Vec<usize> = hashes.iter().map(|(places, _)| places.len()).collect();
    assert_eq!(places, [3, 4, 5]);
    assert_eq!(hashes[0].1, xxh3_64("ferry\nfog\nharbour".as_bytes()));
    let other = method.hashes(&["fog", "ferry", "harbour", "rope", "tide"]);
    assert_eq!((&hashes[0], &hashes[2]), (&other[0], &other[2]));
    assert_ne!(hashes[1], other[1]);
    assert_eq!(method.sketch(&text(&spaced(&words, 2))).keys.len(), 3);
    // Two words give no hash, so no relation.
    let few = method.sketch(&text("ferry harbour ferry harbour"));
    assert!(few.keys.is_empty());
    assert_eq!(judge(&method, &few, &few), None);
}

#[test]
fn each_three_of_the_six_best_words_makes_a_hash() {
    let method = method(&[]);
    // C(6, 3) = 20, C(4, 3) = 4, C(2, 3) = 0; the seventh word does not count.
    let words = ["ferry", "harbour", "fog", "tide", "rope", "net", "sail"];
    let count = |count: usize| method.hashes(&words[..count]).len();
    assert_eq!([count(7), count(6), count(4), count(2)], [20, 20, 4, 0]);
    let keys = |words: &[&str]| -> Vec<u64> {
        let hashes = method.hashes(words).into_iter();
        hashes.map(|(_, key)| key).collect()
    };
    assert!(keys(&words).contains(&xxh3_64("harbour\nnet\ntide".as_bytes())));
    // With three words in common in other places, one hash is shared; with two, none.
    let shared = |others: &[&str]| {
        let others = keys(others);
        let both = keys(&words).into_iter().filter(|key| others.contains(key));
        both.count()
    };
    assert_eq!(shared(&["net", "cat", "tide", "dog", "owl", "harbour"]), 1);
    assert_eq!(shared(&["net", "cat", "tide", "dog", "owl", "sail"]), 0);
}

#[test]
fn joined_words_cannot_be_mistaken() {
    assert_ne!(join(&["ab", "c", "d"]), join(&["a", "bc", "d"]));
    assert_ne!(join(&["a b", "c"]), join(&["a", "b c"]));
    let text = text("one two\nthree\u{2028}four\r\nfive\tsix");
    assert!(text.words().strings().all(|word| !word.contains(SEPARATOR)));
}

#[test]
fn cosine_by_hand() {
    // (3, 4) and (4, 3): 24 / (5 · 5) = 0.96. The lengths cancel.
    let (a, b) = (
        sketch(100, &[(7, 3), (9, 4)]),
        sketch(60, &[(7, 4), (9, 3)]),
    );
    assert_eq!(relation(&a, &b), Some((Relation::Duplicate, 0.96)));
    // (3, 4, 0) and (3, 0, 4): 9 / 25.
    let (a, b) = (sketch(9, &[(7, 3), (8, 4)]), sketch(9, &[(7, 3), (9, 4)]));
    assert_eq!(Numbers::of(&a.extra, &b.extra).cosine(), 0.36);
    assert_eq!(relation(&a, &b), None);
    assert_eq!(relation(&a, &a), Some((Relation::Duplicate, 1.0)));
    assert_eq!(Numbers::of(&[], &[]).cosine(), 0.0);
}

#[test]
fn containment_by_hand() {
    // 8 of the shorter's 10 keyword occurrences are of keywords of the longer: 0.8; 49 words of 100.
    let longer = sketch(100, &[(7, 1), (8, 20), (9, 1)]);
    let shorter = |length| sketch(length, &[(6, 2), (7, 5), (9, 3)]);
    assert_eq!(
        relation(&longer, &shorter(49)),
        Some((Relation::Contains, 0.8))
    );
    assert_eq!(
        relation(&shorter(49), &longer),
        Some((Relation::ContainedBy, 0.8))
    );
    // Half as long: not contained, and the cosine is low.
    assert_eq!(relation(&longer, &shorter(50)), None);
    // 7 of 10.
    let other = sketch(49, &[(6, 3), (7, 4), (9, 3)]);
    assert_eq!(relation(&longer, &other), None);
}

#[test]
fn pages_of_like_length_are_duplicates_by_share_if_that_is_wanted() {
    // All of the shorter's occurrences are of keywords of the longer; the cosine is 28 / √(534 · 26) = 0.24.
    let longer = sketch(100, &[(7, 2), (8, 23), (9, 1)]);
    let shorter = sketch(60, &[(8, 1), (9, 5)]);
    assert_eq!(relation_by("cosine", &longer, &shorter), None);
    let by_share = Some((Relation::Duplicate, 1.0));
    assert_eq!(relation_by("either", &longer, &shorter), by_share);
    assert_eq!(relation_by("either", &shorter, &longer), by_share);
    // With equal lengths the larger share counts: 5/5, not 5/10.
    let (one, other) = (sketch(60, &[(7, 5)]), sketch(60, &[(7, 5), (8, 5)]));
    assert_eq!(relation_by("cosine", &one, &other), None);
    assert_eq!(relation_by("either", &one, &other), by_share);
    assert_eq!(relation_by("either", &other, &one), by_share);
    // If the cosine is high enough, it is shown.
    let (one, other) = (sketch(9, &[(7, 3), (9, 4)]), sketch(9, &[(7, 4), (9, 3)]));
    assert_eq!(
        relation_by("either", &one, &other),
        Some((Relation::Duplicate, 0.96))
    );
}

#[test]
fn a_term_is_a_hash_and_a_count() {
    assert_eq!(term(0xABCD_0000_1111_2222, 3), 0xABCD_0000_1111_0003);
    assert_eq!(term(1 << 16, 70_000), (1 << 16) | 65_535);
}

const STORY: &str = "Ferry ferry ferry ferry, fog fog fog. Harbour harbour harbour harbour harbour, rope rope tide.";

#[test]
fn moved_sentences_change_nothing_and_it_is_told_why() {
    let method = method(&[]);
    let (first, second) = STORY.split_once(". ").unwrap();
    let (a, b) = (text(STORY), text(&format!("{second} {first}.")));
    let (sketch, highlights) = (method.sketch(&a), method.highlights(&a));
    let mut trace = Trace::on();
    let verdict = method.compare(sketch.as_ref(), method.sketch(&b).as_ref(), &mut trace);
    assert_eq!(verdict.unwrap().relation, Relation::Duplicate);
    let checks = trace.into_checks();
    assert!(checks.iter().all(Check::holds), "{checks:?}");
    let of_both = highlights.iter().filter(|highlight| {
        method
            .highlights(&b)
            .iter()
            .any(|other| other.key == highlight.key)
    });
    let labels: Vec<&str> = of_both
        .filter_map(|highlight| highlight.label.as_deref())
        .collect();
    assert!(
        labels
            .iter()
            .any(|label| label.starts_with("3 of the best words: "))
    );
    for keywords in [&a, &b].map(|text| method.keywords(text).unwrap()) {
        let harbour = keywords.iter().find(|keyword| keyword.word == "harbour");
        assert_eq!(harbour.unwrap().positions.len(), 5);
    }
    // Every key has places, and they are words of the text.
    assert!(
        sketch
            .keys
            .iter()
            .all(|key| highlights.iter().any(|highlight| highlight.key == *key))
    );
    assert!(highlights.iter().all(|highlight| {
        a.folded
            .get(highlight.start as usize..highlight.end as usize)
            .is_some()
    }));
    assert!(sketch.keys.is_sorted() && method.bounds(3) == Bounds::overlap(1));
}

#[test]
fn the_verdict_follows_the_checks() {
    let method = method(&BOTH_08);
    let longer = sketch(100, &[(7, 1), (8, 20), (9, 1)]);
    let shorter = sketch(49, &[(6, 2), (7, 5), (9, 3)]);
    let (verdict, lines) = traced(&method, &longer, &shorter);
    assert_eq!(verdict.unwrap().relation, Relation::Contains);
    assert_eq!(
        lines,
        [
            "hashes = 1 ≥ 1",
            "length ratio = 49/100 = 0.49 < 0.50",
            "share = 8/10 = 0.80 ≥ 0.80"
        ]
    );
}

#[test]
fn only_the_declared_parameters_leave_the_sketch_alone() {
    let (plain, text) = (
        method(&[]),
        text("ferry harbour fog tide rope lantern anchor"),
    );
    assert_eq!(
        INFO.judged_by,
        ["threshold", "share", "duplicate_by", "length_threshold"]
    );
    let changed = method(&[
        ("threshold", "0.1"),
        ("share", "0.1"),
        ("duplicate_by", "cosine"),
        ("length_threshold", "0.9"),
    ]);
    assert_eq!(plain.sketch(&text), changed.sketch(&text));
    assert_ne!(
        plain.sketch(&text),
        method(&[("keywords", "6")]).sketch(&text)
    );
}

/// Compares the curve of the preset `agt` with what the paper says of f, at the preset's own values.
#[test]
fn the_curve_of_the_preset_rewards_bursts() {
    let preset = crate::method::Preset::find("agt").unwrap();
    let params = AgglomerateParams::from(&INFO.resolve(&preset.settings()).unwrap());
    let curve = Curve::new(params.k1, params.k2, params.b);
    let near = |b: f64, wanted: f64| assert!((curve.at(b) - wanted).abs() < 1e-12, "f({b})");
    // 6⁻², 20⁻², 20⁻¹ · 40⁻¹ and 20⁻¹ · 1000⁻¹: continuous at 20.
    near(6.0, 1.0 / 36.0);
    near(20.0, 0.0025);
    near(40.0, 0.00125);
    near(1000.0, 0.00005);
    for b in 1..2000 {
        let [before, here, behind] = [b, b + 1, b + 2].map(|b| curve.at(f64::from(b)));
        assert!(before > here && here > behind, "falling at {b}");
        assert!(before - here > here - behind, "convex at {b}");
    }
    // Three occurrences in a row outweigh ten evenly spaced ones at any distance from 3 words on; three in one sentence, four words apart,
    // outweigh ten spread evenly over a page of 180 words.
    let even = |distance: f64| 9.0 * curve.at(distance);
    assert!(2.0 * curve.at(1.0) > even(3.0));
    assert!(2.0 * curve.at(4.0) > even(20.0));
    // With equal length and number, uneven ones weigh more.
    assert!(curve.at(5.0) + curve.at(15.0) > 2.0 * curve.at(10.0));
    // No length ratio makes a page contained.
    assert_eq!(params.length_threshold, 0.0);
}
