use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::index::Sketches;
use crate::knowledge::Census;
use crate::method::testing::{judge, params, text, told};
use crate::relation::Relation;

fn coverage(settings: &[(&str, &str)]) -> Coverage {
    Coverage::new(&params(&INFO, settings), &Arc::default())
}

/// The words `from` to `to` of an endless text, without a full stop.
fn words(from: usize, to: usize) -> String {
    let words: Vec<String> = (from..to).map(|n| format!("w{n}")).collect();
    words.join(" ")
}

/// The verdict on two texts, from their proofs.
fn verdict(method: &Coverage, a: &str, b: &str) -> Option<Verdict> {
    let proof = |content: &str| method.proof(&text(content));
    let verdict = method.verify(&proof(a), &proof(b), &mut Trace::off());
    let swapped = method.verify(&proof(b), &proof(a), &mut Trace::off());
    assert_eq!(verdict, swapped.map(Verdict::swapped));
    verdict
}

/// Every gram is sampled, three words make one, and what stands on two texts or more is common.
const SMALL: [(&str, &str); 4] = [
    ("width", "3"),
    ("sample", "1"),
    ("common_df", "1"),
    ("min_texts", "0"),
];

fn fitted(mut settings: Vec<(&str, &str)>, texts: &[&str]) -> Coverage {
    settings.splice(0..0, SMALL);
    let (mut sketches, mut counts) = (Sketches::default(), Vec::new());
    let method = coverage(&settings);
    for content in texts {
        let number = sketches.add(method.sketch(&text(content)).as_ref());
        counts.resize(sketches.len(), 0);
        counts[number.at()] += 1;
    }
    let census = Census {
        sketches: &sketches,
        texts: &counts,
        sites: &[],
        on_site: &[],
    };
    let params = params(&INFO, &settings);
    let known = Knowledge::of_common(&census, &params);
    Coverage::new(&params, &Arc::new(known))
}

/// The verdict on two sketches of which the method knows what is common.
fn estimated(method: &Coverage, a: &Sketch, b: &Sketch) -> Option<Verdict> {
    let flags = |sketch: &Sketch| -> Vec<bool> {
        let keys = sketch.keys.iter();
        keys.map(|&key| method.known.is_common(key)).collect()
    };
    let (common_a, common_b) = (flags(a), flags(b));
    let a = SketchRef {
        common: &common_a,
        ..a.as_ref()
    };
    let b = SketchRef {
        common: &common_b,
        ..b.as_ref()
    };
    let verdict = method.compare(a, b, &mut Trace::off());
    let swapped = method.compare(b, a, &mut Trace::off());
    assert_eq!(verdict, swapped.map(Verdict::swapped));
    verdict
}

#[test]
fn runs_of_words_and_characters() {
    let found = |content: &str| {
        let (text, mut found) = (text(content), Vec::new());
        grams(&text, 3, |_, start, end| {
            found.push(text.folded[start as usize..end as usize].to_owned());
        });
        found
    };
    assert_eq!(
        found("One two, three four\n\nFive"),
        ["one two, three", "two, three four", "three four\nfive"]
    );
    assert_eq!(found("春天来了"), ["春天来", "天来了"]);
    // Fewer words than a gram has: all of them.
    assert_eq!(found("One two"), ["one two"]);
    assert_eq!(found("one two three"), ["one two three"]);
    assert!(found("。").is_empty());
}

/// Prose is what full stops end: 11 of 16 characters here, in thousandths; marks count.
#[test]
fn prose_is_what_stands_in_sentences() {
    assert_eq!(
        prose(&text("今天天气很好我们走。\n首页新闻")),
        10 * 1000 / 14
    );
    assert_eq!(prose(&text("首页 新闻")), 0);
    assert_eq!(prose(&text("今天天气很好。我们走。")), 1000);
    assert_eq!(prose(&text("")), 0);
}

#[test]
fn coverage_and_length_ratio_by_hand() {
    let method = coverage(&[("width", "3")]);
    // 12 and 13 words are 10 and 11 grams; words 0 to 9 are in both: 8 grams. 8/10, 10/11.
    let found = verdict(&method, &words(0, 12), &format!("{} x y z", words(0, 10))).unwrap();
    assert_eq!(found.relation, Relation::Duplicate);
    assert_eq!((found.similarity, found.shared), (0.8, 8));
    assert!((found.length_ratio - 10.0 / 11.0).abs() < 1e-12);
    // 13 of 20 grams are enough, 12 are not.
    assert!(verdict(&method, &words(0, 22), &words(7, 40)).is_some());
    assert_eq!(verdict(&method, &words(0, 22), &words(8, 40)), None);
    // 10 grams of 20 make a duplicate still, 10 of 21 are contained.
    let kind = |a, b| {
        verdict(&method, &words(0, a), &words(0, b))
            .unwrap()
            .relation
    };
    assert_eq!(kind(12, 22), Relation::Duplicate);
    assert_eq!(kind(12, 23), Relation::ContainedBy);
    assert_eq!(kind(23, 12), Relation::Contains);
}

/// Two pages of a 60-word block with 10 words of their own each: 58 of 68 grams are shared.
#[test]
fn a_template_is_no_evidence_an_article_is() {
    let block = words(0, 60);
    let pages: Vec<String> = [1000, 2000, 3000]
        .map(|own| format!("{block} {}", words(own, own + 10)))
        .into();
    let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert!(verdict(&fitted(vec![], &[]), texts[0], texts[1]).is_some());
    let method = fitted(vec![], &texts);
    assert_eq!(verdict(&method, texts[0], texts[1]), None);
    // 58 shared grams are many if 58 are asked for.
    assert!(verdict(&fitted(vec![("many", "58")], &texts), texts[0], texts[1]).is_some());
    assert_eq!(
        verdict(&fitted(vec![("many", "59")], &texts), texts[0], texts[1]),
        None
    );
    // The same words as sentences.
    let sentences: Vec<String> = pages
        .iter()
        .map(|page| page.replace(" w", ". W") + ".")
        .collect();
    assert!(verdict(&method, &sentences[0], &sentences[1]).is_some());
    // But a line at the foot of a page, 48 grams of 49, is too little.
    let line = |own: usize| {
        format!(
            "W{own}. {}",
            sentences[0][..sentences[0].find(" W50").unwrap()].replace("w0.", "W0.")
        )
    };
    let (first, second) = (line(1000), line(2000));
    let method = fitted(vec![], &[&first, &second, &line(3000)]);
    assert_eq!(verdict(&method, &first, &second), None);
}

/// 20 words that only these two pages have, in a template of 40: 18 rare grams of 18 + 2 at the seam agree.
#[test]
fn rare_text_is_evidence_by_itself() {
    let (template, article) = (words(0, 40), words(500, 520));
    let page = |own: usize| format!("{template} {} {article}", words(own, own + 16));
    let pages = [page(1000), page(2000), words(0, 40)];
    let method = fitted(vec![("common_df", "2")], &[&pages[0], &pages[1], &pages[2]]);
    // 38 common and 18 rare grams of 74 are shared; rare: 18 of 36.
    assert_eq!(verdict(&method, &pages[0], &pages[1]), None);
    let short = |own: usize| format!("{template} {} {article}", words(own, own + 4));
    let pages = [short(1000), short(2000), words(0, 40)];
    let method = fitted(vec![("common_df", "2")], &[&pages[0], &pages[1], &pages[2]]);
    // 38 + 18 of 62, rare: 18 of 24 = 0.75.
    let found = verdict(&method, &pages[0], &pages[1]).unwrap();
    assert_eq!((found.shared, found.similarity), (56, 56.0 / 62.0));
}

/// Of 100 grams 60 are shared; the sample has 10, of which 7 are shared; of the 4 rare ones 3. The sample says 0.1 too
/// much: 0.75 - 0.1.
#[test]
fn rare_coverage_is_corrected_by_what_is_known() {
    let counts = Counts {
        a: 100,
        b: 120,
        shared: 60,
        sampled: 10,
        sampled_shared: 7,
        rare: 4,
        rare_shared: 3,
        prose: 0,
    };
    assert!((counts.rare_coverage() - 0.65).abs() < 1e-12);
    let nothing_common = Counts {
        rare: 10,
        rare_shared: 7,
        ..counts
    };
    assert!((nothing_common.rare_coverage() - counts.coverage()).abs() < 1e-12);
}

#[test]
fn a_sketch_is_the_beginning_of_the_proof() {
    let method = fitted(vec![("sample", "4")], &[&words(0, 50), &words(20, 90)]);
    for content in [words(0, 300), words(20, 30), words(3, 5), String::new()] {
        let (sketch, proof) = (
            method.sketch(&text(&content)),
            method.proof(&text(&content)),
        );
        let kept = method.sampled(&proof[1..]);
        let grams: Vec<u64> = proof[1..=kept].iter().map(|gram| gram & !COMMON).collect();
        assert_eq!(sketch.keys, grams);
        assert!(kept >= FEWEST.min(proof.len() - 1));
        assert!(sketch.keys.is_empty() || sketch.extra == [proof[0]]);
    }
}

/// 3,000 characters without punctuation are 2,993 grams, a fourteenth of which is 213.8; 2 KB are 256 hashes.
#[test]
fn a_sketch_is_small() {
    let character = |n: u32| char::from_u32(0x4E00 + n * 7919 % 20_000).unwrap();
    for text_number in 0..6 {
        let page = (text_number * 3000..).take(3000).map(character);
        let sketch = coverage(&[]).sketch(&text(&page.collect::<String>()));
        let length = sketch.keys.len() + sketch.marks.len() + sketch.extra.len();
        assert!((160..=256).contains(&length), "{length}");
    }
}

/// A short page has grams that the longer page's sample ends before: they must not count against it.
#[test]
fn samples_are_compared_as_far_as_both_reach() {
    let method = coverage(&[("sample", "2")]);
    let half = method.below();
    let (a, b) = ([5, 9, half + 8, half + 20], [5, 7, 9, 11, 13]);
    assert_eq!(method.comparable(&a, &b), (&a[..2], &b[..]));
    assert_eq!(method.comparable(&b, &a), (&b[..], &a[..2]));
    let c = [5, half + 8];
    assert_eq!(method.comparable(&a, &c), (&a[..3], &c[..]));
}

#[test]
fn nothing_matches_nothing() {
    let method = coverage(&[("threshold", "0.05"), ("least", "0"), ("prose", "0")]);
    assert_eq!(verdict(&method, "", ""), None);
    assert_eq!(verdict(&method, "one", "two"), None);
    assert_eq!(judge(&method, &Sketch::default(), &Sketch::default()), None);
}

/// Of 100 grams of the sample 40 are shared; what is told decides as the sums with the slack do.
#[test]
fn the_arithmetic_that_is_told() {
    let grams = |grams: std::ops::Range<u64>, prose| Sketch {
        keys: grams.map(|gram| 2 * gram).collect(),
        extra: vec![prose],
        ..Sketch::default()
    };
    let method = coverage(&[]);
    // Slack 1.5 / √100: 0.35 and 0.50 would do.
    let (verdict, lines) = told(&method, &grams(0..100, 0), &grams(60..190, 0));
    assert!(verdict.is_none());
    assert_eq!(
        lines,
        [
            "rare runs = 100 ≥ 4",
            "rare = 0.40 < 0.50",
            "prose = 0 < 800",
            "shared = 560 < 1,735",
            "coverage = 560/1,400 = 0.40 < 0.50",
            "length ratio = 1,400/1,820 = 0.77 ≥ 0.50"
        ]
    );
    // Two grams: the slack is more than 1, which asks for nothing but one shared gram.
    let (verdict, lines) = told(&method, &grams(0..2, 0), &grams(1..3, 0));
    assert!(verdict.is_some());
    assert_eq!(
        lines[1..3],
        ["rare = 0.50 ≥ 0.00", "coverage = 14/28 = 0.50 ≥ 0.04"]
    );
}

/// What has to be reached follows from the sum, also where the difference is rounded the other way.
#[test]
fn what_a_value_must_reach() {
    assert_eq!(reaching(0.25, 0.25, 0.75), (0.25, 0.5));
    assert_eq!(reaching(-0.25, 1.0, 0.75), (0.0, 0.0));
    let (value, least) = reaching(-0.5, 1.0, 0.75);
    assert!(value == 0.0 && least > 0.0);
    for n in 1..2000usize {
        let slack = ERRORS * 0.5 / (n as f64).sqrt();
        for part in 0..=n.min(50) {
            for threshold in [0.5, 0.65, 0.7] {
                let (value, least) = reaching(ratio(part, n), slack, threshold);
                assert_eq!(value >= least, ratio(part, n) + slack >= threshold);
                assert!((least - (threshold - slack).max(0.0)).abs() < 1e-12);
            }
        }
    }
}

/// The definition, word for word: sets of runs of words.
fn twin(method: &Coverage, a: &[u8], b: &[u8]) -> Option<(usize, f64)> {
    let grams = |words: &[u8]| -> HashSet<Vec<u8>> {
        let width = method.width.min(words.len()).max(1);
        words.windows(width).map(<[u8]>::to_vec).collect()
    };
    let (a, b) = (grams(a), grams(b));
    let shared = a.intersection(&b).count();
    let coverage = ratio(shared, a.len().min(b.len()));
    (shared > 0 && coverage >= method.threshold).then_some((shared, coverage))
}

fn spelled(words: &[u8]) -> String {
    let words: Vec<String> = words.iter().map(|n| format!("w{n}")).collect();
    words.join(" ")
}

proptest! {
    #[test]
    fn verdicts_follow_the_definition(a in prop::collection::vec(0u8..6, 0..40),
                                      b in prop::collection::vec(0u8..6, 0..40),
                                      width in 1usize..6, threshold in 0.05f64..1.0) {
        let (width, threshold) = (width.to_string(), threshold.to_string());
        let method = coverage(&[("width", &width), ("threshold", &threshold)]);
        let found = verdict(&method, &spelled(&a), &spelled(&b));
        let found = found.map(|verdict| (verdict.shared as usize, verdict.similarity));
        prop_assert_eq!(found, twin(&method, &a, &b));
    }

    /// The index sees no pair that shares fewer keys than `bounds` says; such a pair must not be related. And what the
    /// exact sets relate, all of them being sampled, the sketches must not leave out.
    #[test]
    fn sketches_leave_out_nothing_but_by_chance(
        a in prop::collection::vec(0u8..30, 0..60), b in prop::collection::vec(0u8..30, 0..60),
        sample in 1usize..6, exact in any::<bool>(), df in 1usize..4, threshold in 0.05f64..1.0,
    ) {
        let (sample, df) = (sample.to_string(), df.to_string());
        let (threshold, verify) = (threshold.to_string(), if exact { "exact" } else { "off" });
        let (a, b) = (spelled(&a), spelled(&b));
        let settings = [("sample", &*sample), ("common_df", &*df), ("verify", verify), ("threshold", &*threshold)];
        let method = fitted(settings.to_vec(), &[&a, &b, &spelled(&[1, 2, 3, 4, 5])]);
        let (left, right) = (method.sketch(&text(&a)), method.sketch(&text(&b)));
        let said = estimated(&method, &left, &right);
        if said.is_some() {
            let smaller = left.keys.len().min(right.keys.len());
            prop_assert!(count_shared(&left.keys, &right.keys) >= method.bounds(smaller).overlap);
        }
        if sample == "1" && verdict(&method, &a, &b).is_some() {
            prop_assert!(said.is_some());
        }
    }
}
