//! What every method must keep to, tested on all of [`METHODS`]. A failure names the method; look into its file.

use std::sync::Arc;

use proptest::prelude::*;

use super::testing::text;
use super::*;
use crate::index::noise::NoiseList;
use crate::index::{Judge, Judgement, Sketches, related_pairs};

/// Sentences that documents of the tests are made of: they share words, and two differ in one.
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

/// The method's threshold moved to `share` of the way through its range.
fn threshold_at(info: &MethodInfo, share: f64) -> Option<(String, String)> {
    let is_threshold = |param: &&Param| ["threshold", "distance"].contains(&param.name);
    let param = info.params.iter().find(is_threshold)?;
    let value = match param.domain {
        Domain::Float(_, low, high) => (low + share * (high - low)).to_string(),
        Domain::Int(_, low, high) => (low + (share * (high - low) as f64) as i64).to_string(),
        Domain::Choice(default, _) => default.to_owned(),
    };
    Some((param.name.to_owned(), value))
}

/// Every method with its defaults and with every value of every choice, one at a time.
fn variants() -> Vec<(&'static MethodInfo, Option<(String, String)>)> {
    let mut variants = Vec::new();
    for info in METHODS {
        variants.push((info, None));
        for param in info.params {
            if let Domain::Choice(_, values) = param.domain {
                let setting = |value: &&str| Some((param.name.to_owned(), (*value).to_owned()));
                variants.extend(values.iter().map(|value| (info, setting(value))));
            }
        }
    }
    variants
}

/// The method with these parameters, knowing the texts.
fn build(
    info: &MethodInfo,
    settings: impl IntoIterator<Item = (String, String)>,
    texts: &[Text],
) -> Box<dyn Method> {
    let settings: Vec<(String, String)> = settings.into_iter().collect();
    let mut method = (info.build)(&info.resolve(&settings).unwrap());
    if info.fits {
        let counted: Vec<Vec<u64>> = texts.iter().map(|text| method.counted(text)).collect();
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
        method.fit(Arc::new(Frequencies::of(counted)));
    }
    method
}

/// A sketch as it has to be; `again` is a text like `text` that knows nothing of what was made of it.
fn check_sketch(info: &MethodInfo, method: &dyn Method, text: &Text, again: &Text) -> Sketch {
    let (name, sketch) = (info.name, method.sketch(text));
    assert_eq!(
        sketch,
        method.sketch(again),
        "{name}: sketches of equal texts differ"
    );
    if !method.reads_sentences() {
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
    for spot in method.spots(text) {
        let place = text.folded.get(spot.start as usize..spot.end as usize);
        assert!(place.is_some(), "{name}: a place that is not in the text");
        let known = sketch.keys.binary_search(&spot.key).is_ok();
        assert!(
            known,
            "{name}: a place of a key that the sketch has not: {}",
            place.unwrap_or_default()
        );
    }
    sketch
}

fn check_pair(info: &MethodInfo, method: &dyn Method, a: &Sketch, b: &Sketch) {
    let name = info.name;
    let verdict = method.compare(a.as_ref(), b.as_ref());
    let swapped = method.compare(b.as_ref(), a.as_ref()).map(Verdict::swapped);
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
    let smaller = a.keys.len().min(b.keys.len());
    if count_shared(&a.keys, &b.keys) < method.overlap(smaller).max(1) {
        assert_eq!(
            verdict, None,
            "{name}: relates pages that share less than `overlap`"
        );
        return;
    }
    let failed = method
        .checks(a.as_ref(), b.as_ref())
        .iter()
        .any(|check| !check.holds() && check.outcomes.0.is_empty());
    assert_eq!(
        failed,
        verdict.is_none(),
        "{name}: checks and verdict disagree"
    );
}

fn related_by_brute_force(judge: &Judge<'_>) -> Vec<(u32, u32, Judgement)> {
    let count = judge.sketches().len() as u32;
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    pairs
        .filter_map(|(a, b)| Some((a, b, judge.judge(a, b)?)))
        .collect()
}

/// The index finds what comparing all with all finds: `overlap` and `reach` promise no more than `compare` keeps.
fn check_index(info: &MethodInfo, method: &dyn Method, sketches: &[Sketch]) {
    let mut store = Sketches::default();
    sketches.iter().for_each(|sketch| {
        store.add(sketch.as_ref());
    });
    let shortest = vec![1; store.len()];
    let noise = NoiseList::default();
    let judge = Judge::new(method, &store, &shortest, &noise);
    let mut found = related_pairs(&judge, &(), |a, b, judgement, list: &mut Vec<_>| {
        list.push((a, b, *judgement));
    })
    .unwrap()
    .made;
    found.sort_by_key(|&(a, b, _)| (a, b));
    assert_eq!(
        found,
        related_by_brute_force(&judge),
        "{}: overlap or reach",
        info.name
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn documents_that_share_sentences(documents in documents(), share in proptest::option::of(0.0f64..=1.0)) {
        let texts: Vec<Text> = documents.iter().map(|document| text(document)).collect();
        for (info, choice) in variants() {
            let threshold = share.and_then(|share| threshold_at(info, share));
            let method = build(info, threshold.into_iter().chain(choice), &texts);
            let sketch = |(content, document): (&Text, &String)| {
                check_sketch(info, &*method, content, &text(document))
            };
            let sketches: Vec<Sketch> = texts.iter().zip(&documents).map(sketch).collect();
            for a in &sketches {
                sketches.iter().for_each(|b| check_pair(info, &*method, a, b));
            }
            check_index(info, &*method, &sketches);
        }
    }

    #[test]
    fn any_text_at_all(documents in proptest::collection::vec("\\PC{0,200}(。|\\. |\n)?\\PC{0,60}", 1..4)) {
        let texts: Vec<Text> = documents.iter().map(|document| text(document)).collect();
        for (info, choice) in variants() {
            let method = build(info, choice, &texts);
            let sketch = |(content, document): (&Text, &String)| {
                check_sketch(info, &*method, content, &text(document))
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
        let method = build(info, threshold_at(info, 0.0), &texts);
        let sketches = texts.each_ref().map(|text| method.sketch(text));
        for sketch in &sketches {
            assert!(
                sketch.keys.is_empty(),
                "{}: keys of an empty text",
                info.name
            );
            let verdict = method.compare(sketch.as_ref(), sketches[0].as_ref());
            assert_eq!(verdict, None, "{}: relates empty texts", info.name);
        }
    }
}

#[test]
fn parameters_that_only_judge_leave_sketches_as_they_are() {
    let texts: Vec<Text> = SENTENCES.iter().map(|sentence| text(sentence)).collect();
    for info in METHODS {
        let method = build(info, None, &texts);
        for &name in method.judged_by() {
            let param = info.params.iter().find(|param| param.name == name);
            assert!(
                param.is_some(),
                "{}: judged by `{name}`, which it has not",
                info.name
            );
        }
        if method.judged_by().contains(&"threshold") {
            let other = build(info, threshold_at(info, 0.9), &texts);
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
        assert!(info.resolve(&[]).is_ok(), "{}", info.name);
        let names = METHODS.iter().filter(|other| other.name == info.name);
        assert_eq!(names.count(), 1, "{} stands twice in the table", info.name);
        for param in info.params {
            let default = (param.name.to_owned(), param.domain.default().to_string());
            let resolved = info.resolve(&[default]);
            assert!(
                resolved.is_ok(),
                "{}.{}: its default is not in its range",
                info.name,
                param.name
            );
        }
    }
}
