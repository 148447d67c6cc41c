use proptest::prelude::*;

use super::*;
use crate::compare::Word;
use crate::knowledge::Census;
use crate::method::coverage::estimate::reaching;
use crate::method::coverage::grams;
use crate::method::coverage::overlap::{SketchOverlap, comparable};
use crate::method::coverage::position_index::{MatchBlock, Matches, PositionIndex};
use crate::method::testing::{judge, params, text, traced};
use crate::relation::Relation;
use crate::sketch::Sketches;
use crate::sketch::count_shared;

pub(super) fn coverage(settings: &[(&str, &str)]) -> Coverage {
    Coverage::new((&params(&INFO, settings)).into(), &Arc::default())
}

/// The words `from` to `to` of an endless text without full stops.
pub(super) fn words(from: usize, to: usize) -> String {
    let words: Vec<String> = (from..to).map(|n| format!("w{n}")).collect();
    words.join(" ")
}

/// The verdict on two texts, from their fingerprints.
pub(super) fn verdict(method: &Coverage, a: &str, b: &str) -> Option<Verdict> {
    let fingerprint = |content: &str| method.fingerprint(&text(content));
    let verdict = method.verify(&fingerprint(a), &fingerprint(b), &mut Trace::off());
    let swapped = method.verify(&fingerprint(b), &fingerprint(a), &mut Trace::off());
    assert_eq!(verdict, swapped.map(Verdict::swapped));
    verdict
}

/// Whether one of two pages would be dropped as a copy of the other.
pub(super) fn are_copies(method: &Coverage, a: &str, b: &str) -> bool {
    verdict(method, a, b).is_some_and(|found| found.relation != Relation::Overlaps)
}

/// The tests made on two texts.
pub(super) fn tested(method: &Coverage, a: &str, b: &str) -> Vec<String> {
    let fingerprint = |content: &str| method.fingerprint(&text(content));
    let mut trace = Trace::on();
    method.verify(&fingerprint(a), &fingerprint(b), &mut trace);
    let checks = trace.into_checks();
    checks.iter().map(ToString::to_string).collect()
}

/// Every gram is sampled, a gram has three words, and grams on at least three texts are frequent.
const SMALL: [(&str, &str); 5] = [
    ("width", "3"),
    ("run", "3"),
    ("sample", "1"),
    ("common_df", "3"),
    ("short", "0"),
];

pub(super) fn fitted(mut settings: Vec<(&str, &str)>, texts: &[&str]) -> Coverage {
    settings.splice(0..0, SMALL);
    let (mut sketches, mut counts) = (Sketches::default(), Vec::new());
    let method = coverage(&settings);
    for content in texts {
        let number = sketches
            .add(method.sketch(&text(content)).as_ref())
            .unwrap();
        counts.resize(sketches.len(), 0);
        counts[number.at()] += 1;
    }
    let agree = |a, b| {
        let (a, b) = (sketches.get(a), sketches.get(b));
        let verdict = method.compare(a.as_ref(), b.as_ref(), &mut Trace::off());
        verdict.is_some_and(|verdict| verdict.similarity >= 0.9)
    };
    let census = Census {
        sketches: &sketches,
        texts: &counts,
        sites: &[],
        on_site: &[],
        agree: &agree,
    };
    let params = method.params.clone();
    let known = census.common(params.common_rule()).unwrap();
    Coverage::new(params, &Arc::new(known))
}

/// The verdict on two sketches, given the method's common keys.
fn estimated(method: &Coverage, a: &Sketch, b: &Sketch) -> Option<Verdict> {
    let flags = |sketch: &Sketch| -> Vec<u64> {
        let mut bits = vec![0; sketch.keys.len().div_ceil(64)];
        for (place, &key) in sketch.keys.iter().enumerate() {
            bits[place / 64] |= u64::from(method.known.is_common(key)) << (place % 64);
        }
        bits
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
    // With tracing all is counted; otherwise only what decides.
    assert_eq!(verdict, method.compare(a, b, &mut Trace::on()));
    assert_eq!(verdict, swapped.map(Verdict::swapped));
    verdict
}

#[test]
fn runs_of_words_and_characters() {
    let found = |content: &str| {
        let text = text(content);
        let tokens = tokens(&text);
        let found = grams(&tokens, 3).map(|gram| {
            let (start, end) = gram.bytes;
            text.folded[start as usize..end as usize].to_owned()
        });
        found.collect::<Vec<_>>()
    };
    assert_eq!(
        found("One two, three four\n\nFive"),
        ["one two, three", "two, three four", "three four\nfive"]
    );
    assert_eq!(found("春天来了"), ["春天来", "天来了"]);
    // A text with fewer words than a gram is one gram.
    assert_eq!(found("One two"), ["one two"]);
    assert_eq!(found("one two three"), ["one two three"]);
    assert!(found("。").is_empty());
}

#[test]
fn spellings_of_editions_are_one() {
    let hashes = |content: &str| -> Vec<u64> {
        let text = text(content);
        grams(&tokens(&text), 1).map(|gram| gram.hash).collect()
    };
    for (one, other) in [
        ("cliché naïve", "cliche naive"),
        ("μῆνιν ἄειδε θεὰ", "μηνιν αειδε θεα"),
        ("ёлка", "елка"),
        ("她和妳", "他和你"),
        ("它的", "牠的"),
    ] {
        assert_eq!(hashes(one), hashes(other), "{one}");
    }
    for (one, other) in [("on", "no"), ("他", "你"), ("ü", "o")] {
        assert_ne!(hashes(one), hashes(other), "{one}");
    }
}

/// Prose is text that ends with a full stop: here 11 of 16 characters, in thousandths; marks count.
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

/// A poem of 28 characters. A number, two adjacent characters, or an alphabetic word make another text; so does a single character, which
/// is 1/28 of it.
#[test]
fn a_short_poem_is_another_with_one_character() {
    let poem = "雾落渡口人未归，钟声缓缓过桥来。旧书摊上寻灯影，一碗热汤待客回。";
    let method = coverage(&[]);
    let is_copy = |from: &str, to: &str| are_copies(&method, poem, &poem.replace(from, to));
    assert!(is_copy("。", ""));
    assert!(!is_copy("一碗", "三碗"));
    assert!(!is_copy("热汤", "冷面"));
    assert!(!is_copy("影", "景"));
    let words = words(0, 28);
    assert!(!are_copies(&method, &words, &words.replace("w12", "v12")));
}

#[test]
fn spellings_tell_what_counts() {
    let text = text("秋 3 a 三 下 ア 雲");
    let tokens = tokens(&text);
    let words: Vec<Word> = grams::aligned(&text, &tokens).collect();
    let numbers: Vec<bool> = words.iter().map(|word| word.is_number()).collect();
    assert_eq!(numbers, [false, true, false, true, false, false, false]);
}

/// A form of 130 words with two slots of four words each.
fn form(own: usize) -> String {
    let slot = |n: usize| words(1000 * (own + 1) + 10 * n, 1000 * (own + 1) + 10 * n + 4);
    format!(
        "{} {} {} {} {}",
        words(0, 40),
        slot(0),
        words(40, 80),
        slot(1),
        words(80, 130)
    )
}

/// Two pages that differ in slots are still copies; if many pages have different words in the same slots, each is another page. Pages of a
/// family that agree stay one family, even if one page differs at these places.
#[test]
#[ignore = "open: forms that agree in nine tenths are taken for a family"]
fn forms_have_slots_families_agree() {
    let forms: Vec<String> = (0..6).map(form).collect();
    let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
    let two = fitted(vec![], &forms[..2]);
    assert!(verdict(&two, forms[0], forms[1]).is_some());
    let all = fitted(vec![], &forms);
    assert_eq!(verdict(&all, forms[0], forms[1]), None);

    let edited = form(1);
    let plain: Vec<String> = (0..5).map(|n| format!("{} e{n}", form(0))).collect();
    let family: Vec<&str> = plain.iter().map(String::as_str).chain([&*edited]).collect();
    let method = fitted(vec![], &family);
    assert!(verdict(&method, family[0], family[1]).is_some());
    assert!(verdict(&method, family[0], family[5]).is_some());
}

/// Pages with a common block of 60 words and 20 own words each: 58 of 78 runs are shared. No two of them agree in nine tenths.
#[test]
fn a_template_is_no_evidence_an_article_is() {
    let block = words(0, 60);
    let pages: Vec<String> = [1000, 2000, 3000]
        .map(|own| format!("{block} {}", words(own, own + 20)))
        .into();
    let texts: Vec<&str> = pages.iter().map(String::as_str).collect();
    assert!(verdict(&fitted(vec![], &[]), texts[0], texts[1]).is_some());
    let method = fitted(vec![], &texts);
    assert_eq!(verdict(&method, texts[0], texts[1]), None);
    // The same words as sentences make articles, which overlap, as each has twenty own words after the statement.
    let as_sentences = |page: &String| page.replace(" w", ". W") + ".";
    let sentences: Vec<String> = pages.iter().map(as_sentences).collect();
    let found = verdict(&method, &sentences[0], &sentences[1]).unwrap();
    assert_eq!(
        (found.relation, found.own_a, found.own_b),
        (Relation::Overlaps, 20, 20)
    );
    // With two own words they are the same.
    let shorter = |own: usize| as_sentences(&format!("{block} {}", words(own, own + 2)));
    let found = verdict(&method, &shorter(1000), &shorter(2000)).unwrap();
    assert_eq!(found.relation, Relation::Duplicate);
    // But 40 words at the foot of a page are too few.
    let line = |own: usize| {
        let block = &sentences[0][..sentences[0].find(" W40").unwrap()];
        format!(
            "{} {block}",
            words(own, own + 20).replace(" w", ". W") + "."
        )
    };
    let (first, second) = (line(1000), line(2000));
    let method = fitted(vec![], &[&first, &second, &line(3000)]);
    assert_eq!(verdict(&method, &first, &second), None);
}

/// A story of 40 words in a template of 60, followed by 8 words that only one page has. Outside the template both have 2 keys at the seam
/// and 38 of the story, and each has 8 at its end: 40/48.
#[test]
fn what_templates_share_counts_nothing_where_the_rest_agrees() {
    let (template, story) = (words(0, 60), words(500, 540));
    let page = |own: usize| format!("{template} {story} {}", words(own, own + 8));
    let other = |own: usize| format!("{template} {}", words(own, own + 50));
    let texts = [
        page(1000),
        page(2000),
        other(3000),
        other(4000),
        other(5000),
        other(6000),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let method = fitted(vec![], &texts);
    assert!(verdict(&method, texts[0], texts[1]).is_some());
    assert_eq!(verdict(&method, texts[2], texts[3]), None);
    let lines = tested(&method, texts[0], texts[1]);
    assert!(
        lines.contains(&"rest = 0.83 ≥ 0.40".to_owned()),
        "{lines:?}"
    );
}

#[test]
fn the_rest_of_two_sketches_by_hand() {
    let sketch = |keys: &'static [u64], common: &'static [u64]| SketchRef {
        keys,
        marks: &[],
        extra: &[],
        common,
    };
    let a = sketch(&[1, 2, 3, 4, 5], &[0b11]);
    let b = sketch(&[1, 2, 3, 4, 9, 10], &[0b11]);
    let overlap = SketchOverlap::of_sketches(a, b, u64::MAX, |_| 0).unwrap();
    assert_eq!(
        (
            overlap.sampled,
            overlap.sampled_shared,
            overlap.non_boilerplate,
            overlap.non_boilerplate_shared
        ),
        (5, 4, 3, 2)
    );
    assert_eq!(overlap.non_boilerplate_coverage(3), 2.0 / 3.0);
    assert_eq!(overlap.non_boilerplate_coverage(4), 0.0);
    // Without common keys, everything is outside templates.
    let (a, b) = (sketch(a.keys, &[]), sketch(b.keys, &[]));
    let overlap = SketchOverlap::of_sketches(a, b, u64::MAX, |_| 0).unwrap();
    assert_eq!(
        (
            overlap.non_boilerplate_coverage(9),
            overlap.sampled_coverage()
        ),
        (0.8, 0.8)
    );
}

#[test]
fn a_proof_holds_the_sketch() {
    let method = fitted(vec![("sample", "4")], &[&words(0, 50), &words(20, 90)]);
    for content in [words(0, 300), words(20, 30), words(3, 5), String::new()] {
        let (sketch, fingerprint) = (
            method.sketch(&text(&content)),
            method.fingerprint(&text(&content)),
        );
        let fingerprint = Fingerprint::read(&fingerprint).unwrap();
        assert_eq!(sketch.keys, fingerprint.sample);
        let runs = fingerprint.runs(method.params.run).len();
        assert!(fingerprint.sample.len() >= LEAST_KEYS.min(runs));
        assert!(sketch.keys.is_empty() || Extra::of(sketch.as_ref()).prose == fingerprint.prose);
    }
}

/// 3,000 characters without punctuation are 2,993 grams, a fourteenth of which is 213.8; 64 bigrams take half as many numbers.
#[test]
fn a_sketch_is_small() {
    let character = |n: u32| char::from_u32(0x4E00 + n * 7919 % 20_000).unwrap();
    for text_number in 0..6 {
        let page = (text_number * 3000..).take(3000).map(character);
        let sketch = coverage(&[]).sketch(&text(&page.collect::<String>()));
        let length = sketch.keys.len() + sketch.marks.len() + sketch.extra.len();
        assert!((192..=288).contains(&length), "{length}");
    }
}

/// A short page has grams beyond the end of the longer page's sample, which must not count against it.
#[test]
fn samples_are_compared_as_far_as_both_reach() {
    let half = u64::MAX / 2;
    let (a, b) = ([5, 9, half + 8, half + 20], [5, 7, 9, 11, 13]);
    let compared = |a, b| comparable(a, b, half);
    assert_eq!(compared(&a, &b), (&a[..2], &b[..]));
    assert_eq!(compared(&b, &a), (&b[..], &a[..2]));
    let c = [5, half + 8];
    assert_eq!(compared(&a, &c), (&a[..3], &c[..]));
}

#[test]
fn nothing_matches_nothing() {
    let method = coverage(&[("threshold", "0.05"), ("rest", "0"), ("short", "0")]);
    assert_eq!(verdict(&method, "", ""), None);
    assert_eq!(verdict(&method, "one", "two"), None);
    assert_eq!(judge(&method, &Sketch::default(), &Sketch::default()), None);
}

/// 40 of 100 sampled grams are shared; the values in the trace decide as the sums with slack do.
#[test]
fn the_arithmetic_of_the_trace() {
    let grams = |grams: std::ops::Range<u64>, prose| Sketch {
        keys: grams.map(|gram| 2 * gram).collect(),
        extra: vec![prose],
        ..Sketch::default()
    };
    let method = coverage(&[]);
    // Slack is 0.5 / √100, so 0.05 would be enough.
    let (verdict, lines) = traced(&method, &grams(0..100, 0), &grams(96..220, 0));
    assert!(verdict.is_none());
    assert_eq!(lines, ["sampled coverage = 4/100 = 0.04 < 0.05"]);
    let (verdict, lines) = traced(&method, &grams(0..100, 0), &grams(95..225, 0));
    assert!(verdict.is_some());
    assert_eq!(
        lines,
        [
            "sampled coverage = 5/100 = 0.05 ≥ 0.05",
            "length ratio = 100/130 = 0.77 ≥ 0.50"
        ]
    );
}

/// The required value follows from the sum, even if the difference is rounded the other way.
#[test]
fn what_a_value_must_reach() {
    assert_eq!(reaching(0.25, 0.25, 0.75), (0.25, 0.5));
    assert_eq!(reaching(-0.25, 1.0, 0.75), (0.0, 0.0));
    let (value, least) = reaching(-0.5, 1.0, 0.75);
    assert!(value == 0.0 && least > 0.0);
    for n in 1..2000usize {
        let slack = 1.5 / (n as f64).sqrt();
        for part in 0..=n.min(50) {
            for threshold in [0.5, 0.65, 0.7] {
                let (value, least) = reaching(ratio(part, n), slack, threshold);
                assert_eq!(value >= least, ratio(part, n) + slack >= threshold);
                assert!((least - (threshold - slack).max(0.0)).abs() < 1e-12);
            }
        }
    }
}

fn spelled(words: &[u8]) -> String {
    let words: Vec<String> = words.iter().map(|n| format!("w{n}")).collect();
    words.join(" ")
}

proptest! {
    /// The result does not depend on which text is looked up in which, or how often, and equals that of a slow search.
    #[test]
    fn runs_correspond_by_the_definition(
        small in prop::collection::vec(0u32..12, 0..60), large in prop::collection::vec(0u32..12, 0..60),
        wide in 1u32..40,
    ) {
        // Runs that share a slot are distinguished.
        let [small, large] = [small, large].map(|runs| runs.into_iter().map(|run| run * wide).collect::<Vec<_>>());
        let nth = |at: usize| small[..at].iter().filter(|&&run| run == small[at]).count();
        let starts: Vec<Option<usize>> = (0..small.len()).map(|at| {
            let places: Vec<usize> = (0..large.len()).filter(|&there| large[there] == small[at]).collect();
            places.get(nth(at)).or(places.last()).copied()
        }).collect();
        let shared = starts.iter().flatten().count();
        let spread = |found: Matches| {
            let mut starts = vec![None; small.len()];
            for MatchBlock { place, there, runs } in found.blocks {
                (0..runs).for_each(|nth| starts[place + nth] = Some(there + nth));
            }
            (found.runs, starts)
        };
        let (mut of_small, mut of_large) = (PositionIndex::of(small.clone()), PositionIndex::of(large.clone()));
        let expected = (shared, starts);
        // Each index is asked twice; the second answer must not depend on the first.
        for _ in 0..2 {
            prop_assert_eq!(spread(of_small.in_larger(&large)), expected.clone());
            prop_assert_eq!(spread(of_large.of_smaller(&small)), expected.clone());
        }
    }

    #[test]
    fn giving_up_early_changes_no_verdict(
        a in prop::collection::vec(0u8..40, 1..200), start in 0usize..150, length in 1usize..300,
        b in prop::collection::vec(0u8..40, 0..200), df in 2usize..4,
    ) {
        // Part of one text is in the other.
        let part: Vec<u8> = a.iter().copied().skip(start).take(length).chain(b).collect();
        let (a, b) = (spelled(&a), spelled(&part));
        let df = df.to_string();
        let method = fitted(vec![("common_df", &*df)], &[&a, &b, &spelled(&part[..part.len() / 2])]);
        let fingerprints = [method.fingerprint(&text(&a)), method.fingerprint(&text(&b))];
        let verify = |trace: &mut Trace| method.verify(&fingerprints[0], &fingerprints[1], trace);
        prop_assert_eq!(verify(&mut Trace::off()), verify(&mut Trace::on()));
    }

    #[test]
    fn what_needs_a_key_of_its_own_is_not_related_without(
        a in prop::collection::btree_set(0u64..90, 12..40), more in prop::collection::btree_set(0u64..90, 0..60),
        prose in prop::sample::select(vec![[100, 100], [100, 900], [900, 100], [799, 800]]),
    ) {
        let method = coverage(&[]);
        // Two of three keys belong to a template. `b`'s additional keys are its own.
        let is_common = |key: u64| !key.is_multiple_of(3);
        let b = a.iter().copied().filter(|&key| is_common(key)).chain(more.into_iter().filter(|&key| !is_common(key) && !a.contains(&key)));
        let sketch = |keys: &std::collections::BTreeSet<u64>, prose: u64| {
            let mut common = vec![0u64; keys.len().div_ceil(64)];
            for (at, _) in keys.iter().enumerate().filter(|(_, key)| is_common(**key)) {
                common[at / 64] |= 1 << (at % 64);
            }
            let keys: Vec<u64> = keys.iter().map(|key| key * (method.params.below() / 90)).collect();
            (keys, common, [prose])
        };
        let held = [sketch(&a, prose[0]), sketch(&b.collect(), prose[1])];
        let [a, b] = [&held[0], &held[1]].map(|(keys, common, prose)| SketchRef { keys, marks: &[], extra: prose, common });
        let (smaller, larger) = if method.size(b.keys) < method.size(a.keys) { (b, a) } else { (a, b) };
        let related = method.compare(smaller, larger, &mut Trace::off());
        let shared = count_shared(a.keys, b.keys);
        prop_assert!(related.is_none() || method.needs_distinctive(smaller).is_none_or(|many| shared >= many));
    }

    #[test]
    fn pages_that_are_no_articles_need_a_key_of_their_own(keys in 17usize..200, prose in 0u64..1000) {
        let keys: Vec<u64> = (0..keys as u64).collect();
        let needs_distinctive = |settings: &[(&str, &str)], keys: &[u64]| {
            coverage(settings).needs_distinctive(SketchRef { keys, marks: &[], extra: &[prose], common: &[] }).is_some()
        };
        prop_assert_eq!(needs_distinctive(&[], &keys), prose < 800);
        // Nothing is claimed for as few keys as a short page keeps, and where nothing is evidence.
        prop_assert!(!needs_distinctive(&[], &keys[..16]) && !needs_distinctive(&[("rest", "0")], &keys));
    }

    #[test]
    fn what_sketches_share_is_counted_by_the_definition(
        a in prop::collection::btree_map(0u64..300, any::<bool>(), 0..150),
        b in prop::collection::btree_map(0u64..300, any::<bool>(), 0..150),
        below in 0u64..320,
    ) {
        let sketch = |keys: &std::collections::BTreeMap<u64, bool>| {
            let mut common = vec![0u64; keys.len().div_ceil(64)];
            for (at, _) in keys.values().enumerate().filter(|(_, is_common)| **is_common) {
                common[at / 64] |= 1 << (at % 64);
            }
            (keys.keys().copied().collect::<Vec<u64>>(), common)
        };
        let (left, right) = (sketch(&a), sketch(&b));
        let refs = [&left, &right].map(|(keys, common)| SketchRef { keys, marks: &[], extra: &[], common });
        let found = SketchOverlap::of_sketches(refs[0], refs[1], below, |_| 0).unwrap();
        let end = [&a, &b].map(|keys| keys.keys().last().copied().unwrap_or(below).max(below));
        let end = end[0].min(end[1]);
        let [a, b] = [&a, &b].map(|keys| keys.iter().filter(|(key, _)| **key <= end).collect::<Vec<_>>());
        let own = |keys: &[(&u64, &bool)]| keys.iter().filter(|(_, is_common)| !**is_common).count();
        let both: Vec<_> = a.iter().filter(|(key, _)| b.iter().any(|(other, _)| other == key)).copied().collect();
        for least in [0, both.len(), both.len() + 1] {
            let reaching = SketchOverlap::of_sketches(refs[0], refs[1], below, |_| least);
            prop_assert_eq!(reaching, (both.len() >= least).then_some(found));
        }
        prop_assert_eq!(found, SketchOverlap {
            sampled: a.len().min(b.len()),
            sampled_shared: both.len(),
            non_boilerplate: own(&a).min(own(&b)),
            non_boilerplate_shared: own(&both),
        });
        for least in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let may_reach = super::super::overlap::may_reach(refs[0].keys, refs[1].keys, below, least);
            prop_assert!(may_reach || found.sampled_coverage() < least);
        }
        let most = SketchOverlap::at_most(&KeySlots::new(refs[0]), refs[1], below);
        prop_assert_eq!((most.sampled, most.non_boilerplate), (found.sampled, found.non_boilerplate));
        // In practice a key belongs to a template in both sketches or in neither, but not here, so the count is capped.
        let least = found.non_boilerplate_shared.min(found.non_boilerplate);
        prop_assert!(most.sampled_shared >= found.sampled_shared && most.non_boilerplate_shared >= least);
    }

    /// The index skips pairs that share fewer keys than `bounds` says; these must not be related.
    #[test]
    fn bounds_leave_out_nothing_that_is_related(
        a in prop::collection::vec(0u8..30, 0..60), b in prop::collection::vec(0u8..30, 0..60),
        sample in 1usize..6, exact in any::<bool>(), df in 2usize..4, threshold in 0.05f64..1.0,
    ) {
        let (sample, df) = (sample.to_string(), df.to_string());
        let (threshold, verify) = (threshold.to_string(), if exact { "exact" } else { "off" });
        let (a, b) = (spelled(&a), spelled(&b));
        let settings = [("sample", &*sample), ("common_df", &*df), ("verify", verify), ("threshold", &*threshold)];
        let method = fitted(settings.to_vec(), &[&a, &b, &spelled(&[1, 2, 3, 4, 5])]);
        let (left, right) = (method.sketch(&text(&a)), method.sketch(&text(&b)));
        if estimated(&method, &left, &right).is_some() {
            let smaller = method.size(&left.keys).min(method.size(&right.keys));
            prop_assert!(count_shared(&left.keys, &right.keys) >= method.bounds(smaller).overlap);
        }
    }
}
