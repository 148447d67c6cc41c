//! Checks features, formulas and bounds against figures worked out by hand.

use super::*;
use crate::method::testing::{judge, params, text, traced};
use crate::relation::Relation;

fn period(settings: &[(&str, &str)]) -> Period {
    Period::new((&params(&INFO, settings)).into())
}

/// The features as strings, in the order of the sentences.
fn features(content: &str) -> Vec<String> {
    let (period, text) = (period(&[]), text(content));
    let mut buffer = String::new();
    let sentences = text.sentences.iter().map(|s| {
        period.tail.feature(
            &text.folded[s.start as usize..s.end as usize],
            s.words,
            &mut buffer,
        );
        if s.words {
            buffer.clone()
        } else {
            buffer.chars().rev().collect()
        }
    });
    sentences.collect()
}

fn compare(method: &Period, a: &str, b: &str) -> Option<Verdict> {
    let (a, b) = (method.sketch(&text(a)), method.sketch(&text(b)));
    let verdict = judge(method, &a, &b);
    assert_eq!(verdict, judge(method, &b, &a).map(Verdict::swapped));
    verdict
}

#[test]
fn ten_characters_before_each_full_stop() {
    // 1: ten of twelve characters; 2: not beyond the previous full stop; 3: nothing between two stops.
    assert_eq!(
        features("甲乙一二三四五六七八九十。子丑寅。。"),
        ["一二三四五六七八九十", "子丑寅"]
    );
    // White space does not count.
    assert_eq!(
        features("甲 一二 三四五 六七八九十。"),
        ["一二三四五六七八九十"]
    );
    // Folding comes before counting: ㍿ becomes four characters, ＡＢ two narrow small ones, 體 simplified.
    assert_eq!(features("一二三四五㍿ＡＢ體。"), ["三四五株式会社ab体"]);
}

#[test]
fn five_words_before_a_stop_in_scripts_with_spaces() {
    let found = features("One two three, \"four\" five six. Yes.");
    assert_eq!(found, ["six five four three two ", "yes "]);
}

#[test]
fn a_sketch_is_a_set() {
    let sketch = period(&[]).sketch(&text("一二三四五六七八九十。丙一二三四五六七八九十。子。"));
    assert_eq!(sketch.keys.len(), 2);
    assert!(sketch.keys.is_sorted() && sketch.keys.len() == sketch.marks.len());
    // Of two sentences with one feature, the shorter is kept.
    let mut lengths: Vec<usize> = sketch.marks.iter().map(|&mark| mark_length(mark)).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [1, 10]);
}

fn sentences(from: u32, to: u32) -> String {
    (from..to)
        .map(|n| format!("这是第{n}个完全不同的句子甲乙丙丁{n}号。"))
        .collect()
}

#[test]
fn ccs_and_clr_by_hand() {
    let method = period(&[]);
    // 16 and 18 features, 14 shared: CCS 14/16 = 0.875, CLR 16/18 = 0.889.
    let verdict = compare(&method, &sentences(0, 16), &sentences(2, 20)).unwrap();
    assert_eq!(verdict.relation, Relation::Duplicate);
    assert_eq!((verdict.similarity, verdict.shared), (0.875, 14));
    assert!((verdict.length_ratio - 16.0 / 18.0).abs() < 1e-12);
    // 7 of 10 is enough, 6 of 10 is not.
    assert!(compare(&method, &sentences(0, 10), &sentences(3, 13)).is_some());
    assert_eq!(compare(&method, &sentences(0, 10), &sentences(4, 14)), None);
    // CLR 5/10 is still a duplicate, 4/10 is contained.
    let kind = |a, b| {
        compare(&method, &sentences(0, a), &sentences(0, b))
            .unwrap()
            .relation
    };
    assert_eq!(kind(5, 10), Relation::Duplicate);
    assert_eq!(kind(4, 10), Relation::ContainedBy);
    assert_eq!(kind(10, 4), Relation::Contains);
}

#[test]
fn few_features_need_equal_sentences() {
    let method = period(&[]);
    let one = |start: &str| {
        format!(
            "{start}这是一个相当长的句子它一共有四十多个字但是从头到尾只有一个句号而且这个句号放在最后面。"
        )
    };
    assert!(compare(&method, &one("今天"), &one("今天")).is_some());
    assert_eq!(compare(&method, &one("今天"), &one("昨天")), None);
    assert_eq!(compare(&method, "版权所有。", "版权所有。"), None);
    assert!(compare(&period(&[("min_chars", "4")]), "版权所有。", "版权所有。").is_some());
    // Two of three features are shared, which is too few even for pages of three.
    assert_eq!(compare(&method, &sentences(0, 3), &sentences(1, 4)), None);
}

#[test]
fn overlap_is_the_least_count_that_can_relate() {
    for threshold in ["0.1", "0.3", "0.5", "0.7", "0.9", "1"] {
        let method = period(&[("threshold", threshold), ("min_shared", "3")]);
        let mut last = 0;
        for keys in 3..2000 {
            let need = method.bounds(keys).overlap;
            assert!(ratio(need, keys) >= method.params.threshold && need >= 3);
            assert!(need == 3 || ratio(need - 1, keys) < method.params.threshold);
            assert!(need >= last);
            last = need;
        }
    }
}

#[test]
fn nothing_matches_nothing() {
    assert_eq!(compare(&period(&[("min_chars", "0")]), "", ""), None);
    assert_eq!(
        compare(
            &period(&[("threshold", "0"), ("min_chars", "0")]),
            "甲。",
            "乙。"
        ),
        None
    );
}

/// A sketch of these features, with sentences of 20 characters.
fn sketch(keys: std::ops::Range<u64>) -> Sketch {
    Sketch {
        marks: keys.clone().map(|key| key << 16 | 20).collect(),
        keys: keys.collect(),
        ..Sketch::default()
    }
}

#[test]
fn the_formula_by_hand() {
    let method = period(&[]);
    // 14 of 16 and 14 of 20 features.
    let (verdict, lines) = traced(&method, &sketch(0..16), &sketch(2..22));
    assert!(verdict.is_some());
    assert_eq!(
        lines,
        [
            "shared = 14 ≥ 3",
            "CCS = 14/16 = 0.88 ≥ 0.70",
            "CLR = 16/20 = 0.80 ≥ 0.50"
        ]
    );
    let (verdict, lines) = traced(&method, &sketch(0..10), &sketch(4..40));
    assert_eq!(verdict, None);
    assert_eq!(
        lines[1..],
        ["CCS = 6/10 = 0.60 < 0.70", "CLR = 10/36 = 0.28 < 0.50"]
    );
    let (verdict, lines) = traced(&method, &sketch(0..1), &sketch(0..9));
    assert_eq!(verdict, None);
    assert_eq!(
        lines[..3],
        ["shared = 1 ≥ 1", "equal = 1 ≥ 1", "chars = 20 < 40"]
    );
}

#[test]
fn a_line_break_inside_a_sentence_breaks_nothing_if_blocks_are_joined() {
    let plain = "今天上午十点渡船从码头出发前往对岸。船上载有乘客一百二十人和车辆三十台。到达对岸时已经是中午时分。";
    // One block per line, as `<br>` makes them.
    let broken: String = plain
        .split_inclusive('。')
        .map(|sentence| {
            let cut = sentence.char_indices().rev().nth(4).unwrap().0;
            format!("{}\n\n{}", &sentence[..cut], &sentence[cut..])
        })
        .collect();
    let related = |blocks: &str| {
        let method = period(&[("blocks", blocks)]);
        compare(&method, plain, &broken).is_some()
    };
    assert!(related("join") && !related("part"));
    // It reaches back to the previous full stop, never beyond it.
    let [part, join] = ["part", "join"].map(|blocks| {
        let highlights =
            period(&[("blocks", blocks)]).highlights(&text("首页\n\n新闻\n\n船到了。人走了。"));
        let lengths = highlights
            .iter()
            .map(|highlight| highlight.end - highlight.start);
        lengths.collect::<Vec<u32>>()
    });
    assert_eq!(part, [9, 9]);
    assert_eq!(join, ["首页\n新闻\n船到了".len() as u32, 9]);
}

/// Reference implementation: the words from the end, and the mark of a whole sentence.
fn plainly(sentence: &str) -> (Vec<&str>, u64) {
    let words = sentence.split_whitespace().rev();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let whole: String = sentence.split_whitespace().collect();
    let chars = whole.chars().count() as u64;
    (
        words.filter(|word| !word.is_empty()).collect(),
        (xxh3_64(whole.as_bytes()) & !0xffff) | chars,
    )
}

proptest::proptest! {
    #[test]
    fn a_sentence_is_taken_apart_as_one_by_one(
        sentences in proptest::collection::vec("([a-z]{1,6}|[éж春他,·\"(]{1,3}|[ \n]|\\PC){0,20}", 1..4)
    ) {
        let mut buffer = Vec::new();
        for content in sentences {
            let text = text(&content);
            let (words, mark) = plainly(&text.folded);
            proptest::prop_assert_eq!(words_from_end(&text.folded).collect::<Vec<_>>(), words);
            proptest::prop_assert_eq!(sentence_mark(&text.folded, &mut buffer), mark);
        }
    }

    #[test]
    fn what_cannot_reach_a_similarity_has_less(
        a in proptest::collection::btree_set(0..40u64, 0..30), b in proptest::collection::btree_set(0..40u64, 0..30),
    ) {
        let sketch = |keys: &std::collections::BTreeSet<u64>| Sketch {
            keys: keys.iter().copied().collect(),
            marks: vec![20; keys.len()],
            ..Sketch::default()
        };
        let (method, a, b) = (period(&[("threshold", "0")]), sketch(&a), sketch(&b));
        let found = judge(&method, &a, &b).map_or(0.0, |verdict| verdict.similarity);
        for least in [0.1, 0.5, 0.9, 1.0] {
            proptest::prop_assert!(method.may_reach(a.as_ref(), b.as_ref(), least, 0.0) || found < least);
        }
    }
}
