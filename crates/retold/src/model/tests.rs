use std::path::Path;

use super::*;
use crate::config::FileRef;
use crate::config::JudgeConfig;
use crate::knowledge::Knowledge;
use crate::method::{self, Check, Learns, Trace};
use crate::page::Page;
use crate::param::Settings;
use crate::sketch::Sketch;
use crate::sketch::Sketches;

fn model(method: &str, settings: &[(&str, &str)]) -> Model {
    let given = settings
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.into()));
    Model::new(JudgeConfig {
        method: method.into(),
        params: given.collect::<Settings>(),
        ..JudgeConfig::default()
    })
    .unwrap()
}

fn knowing(common: &[u64]) -> Knowledge {
    Knowledge {
        texts: 1000,
        common: common.to_vec(),
        ..Knowledge::default()
    }
}

/// A page with the disclaimer's four sentences of 20 characters and one of its own.
fn disclaimer(last: u64, main_chars: u64) -> Sketch {
    Sketch {
        keys: vec![1, 2, 3, 4, last],
        marks: vec![20; 5],
        main_chars,
        ..Sketch::default()
    }
}

#[test]
fn evidence_by_hand() {
    let judge = |common: &[u64], many: &str, shorter: u64| {
        let model = model("period", &[("many", many)]).with_knowledge(knowing(common));
        model.judge(&disclaimer(10, shorter), &disclaimer(11, 1000))
    };
    let is_yes = |judgement| matches!(judgement, Judgement::Yes(_));
    // CCS = 4/5; without noise that is enough.
    let Judgement::Yes(plain) = judge(&[], "20", 1000) else {
        panic!("not related")
    };
    assert_eq!(
        (plain.similarity, plain.shared, plain.shared_chars),
        (0.8, 4, 80)
    );
    // All four are common: the rest, {10} and {11}, does not match.
    assert_eq!(judge(&[1, 2, 3, 4], "20", 1000), Judgement::No);
    // 80 / 0.65 = 123.08: a page with 123 characters of its own is covered, one with 124 is not.
    assert!(is_yes(judge(&[1, 2, 3, 4], "20", 123)));
    assert_eq!(judge(&[1, 2, 3, 4], "20", 124), Judgement::No);
    // Four are enough if `many` is 4.
    assert!(is_yes(judge(&[1, 2, 3, 4], "4", 1000)));
    // One common key of five: {2, 3, 4} of {2, 3, 4, x} still match, 3/4.
    assert!(is_yes(judge(&[1], "20", 1000)));
}

#[test]
fn what_agrees_in_nearly_all_by_hand() {
    let model = model("coverage", &[("sample", "1")]);
    let agree = |missing: u64, smaller: u64, larger: u64| {
        let small: Vec<u64> = (1000 - missing..1000 - missing + smaller).collect();
        let large: Vec<u64> = (1000..1000 + larger).collect();
        let sketch = |keys| Sketch {
            keys,
            extra: vec![1000],
            ..Sketch::default()
        };
        model.agree(sketch(small).as_ref(), sketch(large).as_ref(), 0)
    };
    // Of 60 keys 3 may be missing, .95; of 39, 1, as 37 / 39 = .949; of 10, 1, .9, and of 9 none.
    assert!(agree(3, 60, 60) && !agree(4, 60, 60));
    assert!(agree(1, 39, 39) && !agree(2, 39, 39));
    assert!(agree(1, 10, 10) && !agree(1, 9, 9) && agree(0, 9, 9));
    // A page agrees with one twice as long, and is contained in a longer one.
    assert!(agree(0, 30, 60) && !agree(0, 30, 61));
}

#[test]
fn the_trace_holds_what_decided() {
    let model = model("period", &[]).with_knowledge(knowing(&[1, 2, 3, 4]));
    let mut trace = Trace::on();
    let judgement = model.judge_traced(&disclaimer(10, 500), &disclaimer(11, 1000), &mut trace);
    assert_eq!(judgement, Judgement::No);
    let lines: Vec<String> = trace.into_checks().iter().map(Check::to_string).collect();
    assert_eq!(
        lines[lines.len() - 3..],
        [
            "evidence: shared = 4 < 20",
            "evidence: rare features alone = 0 < 1",
            "evidence: length = 500 > 123"
        ]
    );
}

#[test]
fn noise_is_deleted_on_its_site_only() {
    let known = Knowledge {
        deleted_on_site: [("a.cn".to_owned(), vec![1, 2, 3, 4])].into(),
        ..Knowledge::default()
    };
    let model = model("period", &[("noise", "site")]).with_knowledge(known);
    let at = |site: &str, last| Sketch {
        site: Some(site.into()),
        ..disclaimer(last, 100)
    };
    assert!(matches!(
        model.judge(&at("b.cn", 10), &at("b.cn", 11)),
        Judgement::Yes(_)
    ));
    assert_eq!(model.judge(&at("a.cn", 10), &at("a.cn", 11)), Judgement::No);
    // Keys deleted on one page are not shared.
    assert_eq!(model.judge(&at("a.cn", 10), &at("b.cn", 11)), Judgement::No);
}

#[test]
fn equal_texts_are_copies_unless_that_is_off() {
    let copies = |exact| {
        let config = JudgeConfig {
            method: "period".into(),
            exact,
            ..JudgeConfig::default()
        };
        let model = Model::new(config).unwrap();
        let text = model.text(&Page::text("a", "no full stop at all")).unwrap();
        let sketch = model.sketch(&text, None).unwrap();
        model.judge(&sketch, &sketch)
    };
    assert!(matches!(copies(true), Judgement::Yes(verdict) if verdict.similarity == 1.0));
    assert_eq!(copies(false), Judgement::No);
    let empty = Sketch::default();
    assert_eq!(model("period", &[]).judge(&empty, &empty), Judgement::No);
}

#[test]
fn a_method_that_weighs_words_must_learn_them() {
    for method in ["tfidf", "imatch"] {
        let model = model(method, &[]);
        let text = model.text(&Page::text("a", "ferry harbour")).unwrap();
        assert!(model.wants_words());
        let message = model.sketch(&text, None).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("method {method} needs the document frequencies")),
            "{message}"
        );
        let words = crate::knowledge::Frequencies::of([model.words(&text)]);
        let learnt = model.with_knowledge(Knowledge::of_words(words));
        assert!(!learnt.wants_words() && learnt.sketch(&text, None).is_ok());
    }
}

/// Knowledge is stored beside the keys, so an index need not be rebuilt when its model learns again.
#[test]
fn learning_again_leaves_sketches_as_they_are() {
    let text = "渡船今天早上离开港口，乘客们在码头等待消息。The ferry left the harbour of Naxos in the morning. ";
    for info in method::METHODS
        .iter()
        .filter(|info| !matches!(info.learns, Learns::Words(_)))
    {
        let first = model(info.name, &[]);
        let page = first.text(&Page::text("a", text.repeat(3))).unwrap();
        let sketch = first.sketch(&page, Some("a.cn")).unwrap();
        let second = first.with_knowledge(Knowledge {
            deleted: sketch.keys.iter().copied().step_by(3).collect(),
            ..knowing(&sketch.keys)
        });
        assert_eq!(
            second.sketch(&page, Some("a.cn")).unwrap(),
            sketch,
            "{}",
            info.name
        );
    }
}

#[test]
fn a_saved_model_is_the_same_judge() {
    let known = Knowledge {
        deleted: vec![u64::MAX],
        ..knowing(&[1, 2, 3, 4])
    };
    let first = model("period", &[("threshold", "0.75")]).with_knowledge(known);
    let second = Model::from_json(&first.to_json(), Path::new("")).unwrap();
    assert_eq!(first.config(), second.config());
    assert_eq!(first.knowledge(), second.knowledge());
    assert_eq!(first.to_json(), second.to_json());
    let (a, b) = (disclaimer(10, 124), disclaimer(11, 1000));
    assert_eq!(first.judge(&a, &b), second.judge(&a, &b));
    let later = first.to_json().replace("\"version\":1", "\"version\":2");
    let message = Model::from_json(&later, Path::new(""))
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "a model of version 2; this release reads version 1"
    );
    assert!(Model::from_json("{}", Path::new("")).is_err());
}

#[test]
fn a_model_leaves_nothing_open() {
    let config = model("shingle", &[("width", "4")]).config().clone();
    assert_eq!(config.params["width"].to_string(), "4");
    assert_eq!(config.params["threshold"].to_string(), "0.7");
    assert!(config.extract.is_some());
    let wrong = JudgeConfig {
        method: "shingles".into(),
        ..JudgeConfig::default()
    };
    assert!(
        Model::new(wrong)
            .unwrap_err()
            .to_string()
            .contains("no method is called `shingles`")
    );
}

/// Judging a stored pruned sketch gives the same as judging the original sketch.
#[test]
fn pruned_sketches_of_a_store_are_those_of_sketches() {
    let known = Knowledge {
        deleted: vec![2],
        ..knowing(&[3])
    };
    let model = model("period", &[]).with_knowledge(known);
    let sketch = disclaimer(10, 100);
    let only = model.prune(&sketch);
    let one = only.get(crate::ids::PrunedNo(0));
    let mut store = Sketches::default();
    let kept = model.without_noise(sketch.as_ref(), None);
    store.add(kept.as_ref()).unwrap();
    let pruned = model.prune_all(store).unwrap();
    let other = pruned.get(crate::ids::PrunedNo(0));
    let (one, other) = (one.as_ref(), other.as_ref());
    assert_eq!((one.whole, one.rare), (other.whole, other.rare));
    assert_eq!(one.whole.keys, [1, 3, 4, 10]);
    assert_eq!(one.rare.keys, [1, 4, 10]);
}

#[test]
fn knowledge_may_come_from_another_collection() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let elsewhere = model("period", &[]).with_knowledge(knowing(&[1, 2, 3, 4]));
    std::fs::write(&file, elsewhere.to_json()).unwrap();
    let config = |method: &str| JudgeConfig {
        method: method.into(),
        knowledge: Some(FileRef::at(file.path())),
        ..JudgeConfig::default()
    };
    let taught = Model::new(config("period")).unwrap();
    assert_eq!(taught.knowledge(), elsewhere.knowledge());
    // The word file is stored in the model, so the file may be deleted.
    let json = taught.to_json();
    let message = Model::new(config("codet")).unwrap_err().to_string();
    assert!(
        message.contains("it was learnt for the method period, not codet"),
        "{message}"
    );
    std::fs::write(&file, model("period", &[]).to_json()).unwrap();
    let message = Model::new(config("period")).unwrap_err().to_string();
    assert!(message.contains("learns nothing"), "{message}");
    drop(file);
    let again = Model::from_json(&json, Path::new("/")).unwrap();
    assert_eq!(again.knowledge(), taught.knowledge());
    assert_eq!(again.to_json(), json);
}
