//! Each formula with figures worked out by hand.

use super::*;
use crate::page::{Content, Markup, Page};
use crate::text::{TextOptions, text_of};

fn method(settings: &[(&str, &str)]) -> Agglomerate {
    let settings: Vec<_> = settings
        .iter()
        .map(|(n, v)| ((*n).into(), (*v).into()))
        .collect();
    Agglomerate::new(&INFO.resolve(&settings).unwrap())
}

fn text(text: &str) -> Text {
    let content = Content::Unicode {
        text: text.into(),
        markup: Markup::Plain,
    };
    let page = Page {
        id: String::new(),
        url: None,
        site: None,
        date: None,
        content,
    };
    text_of(&page, &TextOptions::default()).unwrap()
}

fn keywords(settings: &[(&str, &str)], content: &str) -> Vec<Keyword> {
    method(settings).keywords(&text(content)).unwrap()
}

/// `words` with `gap` − 1 stop-words between each two.
fn spaced(words: &[&str], gap: usize) -> String {
    words.join(&format!(" {}", "the ".repeat(gap - 1)))
}

/// The evidence of a page of `length` words whose keywords have these hashes and counts.
fn evidence(length: u64, terms: &[(u64, u64)]) -> Vec<u64> {
    let terms = terms.iter().flat_map(|&(hash, count)| [hash, count]);
    std::iter::once(length).chain(terms).collect()
}

fn sketch(length: u64, terms: &[(u64, u64)]) -> Sketch {
    Sketch {
        keys: vec![1],
        marks: Vec::new(),
        evidence: evidence(length, terms),
    }
}

fn relation(a: &Sketch, b: &Sketch) -> Option<(Relation, f64)> {
    let method = method(&[("threshold", "0.8")]);
    let verdict = method.compare(a.as_ref(), b.as_ref());
    let swapped = method.compare(b.as_ref(), a.as_ref());
    assert_eq!(verdict, swapped.map(Verdict::swapped));
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
    let told: Vec<(&str, f64)> = found.iter().map(|w| (&*w.word, w.score)).collect();
    assert_eq!((told[0].0, told[1].0), ("ferry", "harbour"));
    assert!((told[0].1 - (0.2 + 1.0 / 15.0)).abs() < 1e-9);
    assert!((told[1].1 - 0.2).abs() < 1e-9);
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
        &[("keywords", "5")],
        "bay lighthouse cat cat dog ferryman egg 2024",
    );
    let names: Vec<&str> = found.iter().map(|word| &*word.word).collect();
    assert_eq!(names, ["cat", "lighthouse", "ferryman", "bay", "dog"]);
    assert_eq!(found[1].score, 0.0);
}

#[test]
fn three_hashes_of_the_best_words_whatever_their_order() {
    let method = method(&[]);
    let words = ["ferry", "harbour", "fog", "tide", "rope"];
    let hashes: Vec<(usize, u64)> = Agglomerate::hashes(&words).collect();
    assert_eq!(hashes.iter().map(|h| h.0).collect::<Vec<_>>(), [3, 4, 5]);
    assert_eq!(hashes[0].1, xxh3_64("ferry\nfog\nharbour".as_bytes()));
    let other: Vec<_> = Agglomerate::hashes(&["fog", "ferry", "harbour", "rope", "tide"]).collect();
    assert_eq!((hashes[0], hashes[2]), (other[0], other[2]));
    assert_ne!(hashes[1], other[1]);
    // Five words of equal score: all three hashes. Two words: none, and so no relation.
    assert_eq!(method.sketch(&text(&spaced(&words, 2))).keys.len(), 3);
    let few = method.sketch(&text("ferry harbour ferry harbour"));
    assert!(few.keys.is_empty());
    assert_eq!(method.compare(few.as_ref(), few.as_ref()), None);
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
    assert_eq!(Numbers::of(&a.evidence, &b.evidence).cosine(), 0.36);
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

const STORY: &str = "Ferry ferry ferry ferry, fog fog fog. Harbour harbour harbour harbour harbour, rope rope tide.";

#[test]
fn moved_sentences_change_nothing_and_it_is_told_why() {
    let method = method(&[]);
    let (first, second) = STORY.split_once(". ").unwrap();
    let (a, b) = (text(STORY), text(&format!("{second} {first}.")));
    let told = method.explain(&a, &b, Noise::NONE);
    let verdict = told.verdict.unwrap();
    assert_eq!(verdict.relation, Relation::Duplicate);
    assert!(told.checks.iter().all(Check::holds), "{:?}", told.checks);
    assert!(
        told.features
            .iter()
            .any(|f| f.in_both() && f.name.contains("best words: "))
    );
    assert!(
        told.notes[0].starts_with("keywords of both pages: ")
            && told.notes[0].contains("harbour (5 and 5 times)")
    );
    // Every key has its places, and they are words of the text.
    let (sketch, spots) = (method.sketch(&a), method.spots(&a));
    assert!(
        sketch
            .keys
            .iter()
            .all(|key| spots.iter().any(|spot| spot.key == *key))
    );
    assert!(spots.iter().all(|spot| {
        a.folded
            .get(spot.start as usize..spot.end as usize)
            .is_some()
    }));
    assert!(sketch.keys.is_sorted() && method.overlap(3) == 1);
}

#[test]
fn the_verdict_follows_the_checks() {
    let method = method(&[("threshold", "0.8")]);
    let longer = sketch(100, &[(7, 1), (8, 20), (9, 1)]);
    let shorter = sketch(49, &[(6, 2), (7, 5), (9, 3)]);
    let lines: Vec<String> = method
        .checks(longer.as_ref(), shorter.as_ref())
        .iter()
        .map(Check::to_string)
        .collect();
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
    assert_eq!(plain.judged_by(), ["threshold", "length_threshold"]);
    let changed = method(&[("threshold", "0.1"), ("length_threshold", "0.9")]);
    assert_eq!(plain.sketch(&text), changed.sketch(&text));
    assert_ne!(
        plain.sketch(&text),
        method(&[("keywords", "5")]).sketch(&text)
    );
}
