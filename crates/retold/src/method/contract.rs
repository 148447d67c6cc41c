//! Rules for every method, tested on all of [`METHODS`]. A failure names the method.

use std::sync::Arc;

use proptest::prelude::*;

use super::testing::{judge, text};
use crate::dedup::related_pairs;
use crate::ids::SketchNo;
use crate::knowledge::Frequencies;
use crate::knowledge::Knowledge;
use crate::method::{Check, Learns, METHODS, Method, MethodInfo, Trace};
use crate::param::Value;
use crate::param::{Domain, Params, Settings};
use crate::relation::Verdict;
use crate::sketch::Sketches;
use crate::sketch::{Sketch, count_shared};
use crate::text::Text;

/// Sentences for test documents: they share words, and two differ in one word.
const SENTENCES: &[&str] = &[
    "渡船今天早上离开港口，乘客们在码头等待消息。",
    "渡船今天晚上离开港口，乘客们在码头等待消息。",
    "昨天的天气非常糟糕，海上的风很大。",
    "船长说明天是最后一班。",
    "The ferry left the harbour of Naxos in the morning and was late again. ",
    "The ferry left the harbour of Paros in the morning and was late again. ",
    "A passenger is waiting for the news at the quay, as is the captain. ",
    "Home\nNews\nWeather\n",
    "港口 码头 天气\n",
    "On Tuesday 12 ferries had an engine that is old. ",
];

fn documents() -> impl Strategy<Value = Vec<String>> {
    let document = proptest::collection::vec(prop::sample::select(SENTENCES), 0..8);
    proptest::collection::vec(document.prop_map(|parts| parts.concat()), 0..12)
}

/// The method's threshold, moved to `share` of its range.
fn threshold_at(info: &MethodInfo, share: f64) -> Option<(String, Value)> {
    let param = info.main_threshold()?;
    let value = match param.domain {
        Domain::Float(_, low, high) => Value::Float(low + share * (high - low)),
        Domain::Int(_, low, high) => Value::Int(low + (share * (high - low) as f64) as i64),
        Domain::Choice(default, _) => default.into(),
    };
    Some((param.name.to_owned(), value))
}

fn variants() -> Vec<(&'static MethodInfo, Option<(String, Value)>)> {
    let mut variants = Vec::new();
    for info in METHODS {
        variants.push((info, None));
        for param in info.own_params() {
            if let Domain::Choice(_, values) = param.domain {
                let setting = |value: &&str| Some((param.name.to_owned(), (*value).into()));
                variants.extend(values.iter().map(|value| (info, setting(value))));
            }
        }
    }
    variants
}

/// The method with these parameters and the word frequencies of the texts.
fn build(info: &MethodInfo, params: &Params, texts: &[Text]) -> Box<dyn Method> {
    let Learns::Words(features_of) = info.learns else {
        return (info.build)(params, &Arc::default());
    };
    let counted: Vec<Vec<u64>> = texts.iter().map(|text| features_of(params, text)).collect();
    for features in &counted {
        let mut set = features.clone();
        set.sort_unstable();
        set.dedup();
        let name = info.name;
        assert_eq!(
            set.len(),
            features.len(),
            "{name}: a feature is counted twice"
        );
    }
    let known = Knowledge::of_words(Frequencies::of(counted));
    (info.build)(params, &Arc::new(known))
}

fn resolve(info: &MethodInfo, settings: impl IntoIterator<Item = (String, Value)>) -> Params {
    info.resolve(&settings.into_iter().collect()).unwrap()
}

/// Checks a sketch; `again` is an equal text without cached data.
fn check_sketch(
    info: &MethodInfo,
    params: &Params,
    method: &dyn Method,
    text: &Text,
    again: &Text,
) -> Sketch {
    let (name, sketch) = (info.name, method.sketch(text));
    assert_eq!(
        sketch,
        method.sketch(again),
        "{name}: sketches of equal texts differ"
    );
    if !(info.reads_sentences)(params) {
        let mut without = again.clone();
        without.sentences.clear();
        assert_eq!(
            sketch,
            method.sketch(&without),
            "{name} reads sentences after all"
        );
    }
    let ascending = sketch.keys.is_sorted_by(|a, b| a < b);
    assert!(ascending, "{name}: keys are not ascending, none twice");
    let marked = sketch.marks.is_empty() || sketch.marks.len() == sketch.keys.len();
    assert!(
        marked,
        "{name}: {} marks for {} keys",
        sketch.marks.len(),
        sketch.keys.len()
    );
    for highlight in method.highlights(text) {
        let place = text
            .folded
            .get(highlight.start as usize..highlight.end as usize);
        assert!(place.is_some(), "{name}: a place that is not in the text");
        let known = sketch.keys.binary_search(&highlight.key).is_ok();
        assert!(
            known,
            "{name}: a place of a key that the sketch has not: {}",
            place.unwrap_or_default()
        );
    }
    sketch
}

/// Checks that the tests fail if and only if there is no verdict.
fn check_trace(name: &str, verdict: Option<Verdict>, trace: Trace) {
    let checks = trace.into_checks();
    let fails = |check: &Check| !check.holds() && check.outcomes.0.is_empty();
    let failed = checks.iter().any(fails);
    assert_eq!(
        failed,
        verdict.is_none(),
        "{name}: checks and verdict disagree"
    );
}

fn check_pair(info: &MethodInfo, method: &dyn Method, a: &Sketch, b: &Sketch) {
    let name = info.name;
    let mut trace = Trace::on();
    let verdict = method.compare(a.as_ref(), b.as_ref(), &mut trace);
    assert_eq!(
        verdict,
        judge(method, a, b),
        "{name}: traced otherwise than decided"
    );
    let bound = method.upper_bound(a.as_ref());
    let most = bound.map(|bound| bound(b.as_ref()));
    if let (Some(most), Some(verdict)) = (most, verdict) {
        assert!(
            most >= Some(verdict.similarity),
            "{name}: the upper bound is too low"
        );
    }
    let swapped = judge(method, b, a).map(Verdict::swapped);
    assert_eq!(
        verdict, swapped,
        "{name}: swapping the pages changes more than the direction"
    );
    if let Some(verdict) = verdict {
        let inside =
            [verdict.similarity, verdict.length_ratio].map(|value| (0.0..=1.0).contains(&value));
        assert_eq!(inside, [true; 2], "{name}: {verdict:?}");
        let shares = count_shared(&a.keys, &b.keys) > 0;
        assert!(shares, "{name}: relates pages that share no key");
    }
    if is_within_bounds(method, a, b) {
        check_trace(name, verdict, trace);
    } else {
        assert_eq!(
            verdict, None,
            "{name}: relates pages that are out of bounds"
        );
    }
}

fn is_within_bounds(method: &dyn Method, a: &Sketch, b: &Sketch) -> bool {
    let sizes = (method.size(&a.keys), method.size(&b.keys));
    for (sketch, size) in [(a, sizes.0), (b, sizes.1)] {
        assert!(method.least_size(sketch.keys.len()) <= size);
    }
    let bounds = method.bounds(sizes.0.min(sizes.1));
    assert!(bounds.overlap > 0);
    count_shared(&a.keys, &b.keys) >= bounds.overlap && sizes.0.max(sizes.1) <= bounds.reach
}

fn check_verifier(info: &MethodInfo, method: &dyn Method, texts: &[Text]) {
    let Some(verifier) = method.verifier() else {
        return;
    };
    let name = info.name;
    let fingerprints: Vec<Vec<u64>> = texts
        .iter()
        .map(|text| verifier.fingerprint(text))
        .collect();
    let mut partials = vec![1];
    for (text, fingerprint) in texts.iter().zip(&fingerprints) {
        let start = partials.len();
        if let Some(sketch) = verifier.sketch_and_partial(text, &mut partials) {
            assert_eq!(sketch, method.sketch(text), "{name}: another sketch");
            let mut partial = partials[start..].to_vec();
            for _ in 0..2 {
                verifier.complete_fingerprint(&mut partial);
                assert_eq!(
                    &partial, fingerprint,
                    "{name}: the completed fingerprint is another"
                );
            }
        }
    }
    assert_eq!(
        partials[0], 1,
        "{name}: other partial fingerprints are changed"
    );
    for a in &fingerprints {
        for b in &fingerprints {
            let mut trace = Trace::on();
            let verdict = verifier.verify(a, b, &mut trace);
            let swapped = verifier
                .verify(b, a, &mut Trace::off())
                .map(Verdict::swapped);
            assert_eq!(
                verdict, swapped,
                "{name}: swapping the texts changes more than the direction"
            );
            check_trace(name, verdict, trace);
        }
    }
}

/// The index finds the same pairs as an all-pairs comparison, so `compare` respects `bounds`.
fn check_index(info: &MethodInfo, method: &dyn Method, sketches: &[Sketch]) {
    let mut store = Sketches::default();
    sketches.iter().for_each(|sketch| {
        store.add(sketch.as_ref()).unwrap();
    });
    let judged = |a: SketchNo, b: SketchNo| {
        let verdict = method.compare(
            store.get(a).as_ref(),
            store.get(b).as_ref(),
            &mut Trace::off(),
        )?;
        Some((a, b, verdict))
    };
    let (size, bounds) = (|keys: &[u64]| method.size(keys), |size| method.bounds(size));
    let found = related_pairs(&store, size, bounds, &(), |a, b, list: &mut Vec<_>| {
        list.extend(judged(a, b));
    });
    let mut found = found.unwrap().made;
    found.sort_by_key(|&(a, b, _)| (a, b));
    let numbers = || SketchNo::first(store.len());
    let pairs = numbers().flat_map(|a| numbers().map(move |b| (a, b)));
    let pairs = pairs.filter(|(a, b)| a < b);
    let all: Vec<_> = pairs.filter_map(|(a, b)| judged(a, b)).collect();
    assert_eq!(found, all, "{}: bounds", info.name);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn documents_that_share_sentences(documents in documents(), share in proptest::option::of(0.0f64..=1.0)) {
        let texts: Vec<Text> = documents.iter().map(|document| text(document)).collect();
        for (info, choice) in variants() {
            let threshold = share.and_then(|share| threshold_at(info, share));
            let params = resolve(info, threshold.into_iter().chain(choice));
            let method = build(info, &params, &texts);
            let sketch = |(content, document): (&Text, &String)| {
                check_sketch(info, &params, &*method, content, &text(document))
            };
            let sketches: Vec<Sketch> = texts.iter().zip(&documents).map(sketch).collect();
            for a in &sketches {
                sketches.iter().for_each(|b| check_pair(info, &*method, a, b));
            }
            check_index(info, &*method, &sketches);
            check_verifier(info, &*method, &texts);
        }
    }

    #[test]
    fn any_text_at_all(documents in proptest::collection::vec("\\PC{0,200}(。|\\. |\n)?\\PC{0,60}", 1..4)) {
        let texts: Vec<Text> = documents.iter().map(|document| text(document)).collect();
        for (info, choice) in variants() {
            let params = resolve(info, choice);
            let method = build(info, &params, &texts);
            let sketch = |(content, document): (&Text, &String)| {
                check_sketch(info, &params, &*method, content, &text(document))
            };
            let sketches: Vec<Sketch> = texts.iter().zip(&documents).map(sketch).collect();
            check_index(info, &*method, &sketches);
        }
    }
}

#[test]
fn nothing_matches_nothing() {
    for info in METHODS {
        let texts = [text(""), text("。。\n . ")];
        let method = build(info, &resolve(info, threshold_at(info, 0.0)), &texts);
        let sketches = texts.each_ref().map(|text| method.sketch(text));
        for sketch in &sketches {
            assert!(
                sketch.keys.is_empty(),
                "{}: keys of an empty text",
                info.name
            );
            let verdict = judge(&*method, sketch, &sketches[0]);
            assert_eq!(verdict, None, "{}: relates empty texts", info.name);
        }
    }
}

#[test]
fn parameters_that_only_judge_leave_sketches_as_they_are() {
    let texts: Vec<Text> = SENTENCES.iter().map(|sentence| text(sentence)).collect();
    for info in METHODS {
        let method = build(info, &resolve(info, None), &texts);
        for &name in info.judged_by {
            let param = info.own_params().find(|param| param.name == name);
            assert!(
                param.is_some(),
                "{}: judged by `{name}`, which it has not",
                info.name
            );
        }
        if info.judged_by.contains(&"threshold") {
            let other = build(info, &resolve(info, threshold_at(info, 0.9)), &texts);
            for text in &texts {
                assert_eq!(
                    method.sketch(text),
                    other.sketch(text),
                    "{}: threshold",
                    info.name
                );
            }
        }
    }
}

#[test]
fn the_table_is_consistent() {
    for info in METHODS {
        assert!(info.resolve(&Settings::new()).is_ok(), "{}", info.name);
        let names = METHODS.iter().filter(|other| other.name == info.name);
        assert_eq!(names.count(), 1, "{} stands twice in the table", info.name);
        for param in info.all_params() {
            let default = param.domain.default().to_string();
            let settings = Settings::from([(param.name.to_owned(), default.as_str().into())]);
            let resolved = info.resolve(&settings);
            assert!(
                resolved.is_ok(),
                "{}.{}: its default is not in its range",
                info.name,
                param.name
            );
        }
    }
}
