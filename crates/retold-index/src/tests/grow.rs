//! An index that learns as it grows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use retold::method::Learns;
use retold::{Model, Page, RunConfig};

use super::same::{Step, assert_same, recipes, steps};
use super::*;
use crate::grow::Learnt;
use crate::index::Index;

/// A page of its own.
fn single(number: u32) -> Page {
    page(&format!("p{number:03}"), &(number, 0..4, number % 2))
}

fn add(writer: &mut Writer, numbers: std::ops::Range<u32>) {
    let pages: Vec<Page> = numbers.map(single).collect();
    writer.add(&prepared(writer, &pages), Some(5)).unwrap();
}

#[test]
fn it_learns_at_a_hundred_pages_and_whenever_they_have_doubled() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    let learn = |writer: &mut Writer| writer.learn_if_grown(&RunConfig::default(), &()).unwrap();
    add(&mut writer, 0..99);
    assert!(!learn(&mut writer));
    add(&mut writer, 99..100);
    assert!(learn(&mut writer) && !learn(&mut writer));
    let stats = writer.index().stats().unwrap();
    assert_eq!((stats.epoch, stats.learnt_texts), (2, Some(100)));
    add(&mut writer, 100..199);
    assert!(!learn(&mut writer));
    // Opened again, and compacted, it knows how much it has learnt from.
    writer.close().unwrap();
    let mut writer = open(folder.path());
    writer.remove(&["p000".into()]).unwrap();
    writer.compact(&()).unwrap();
    add(&mut writer, 199..200);
    assert!(!learn(&mut writer));
    add(&mut writer, 200..201);
    assert!(learn(&mut writer));
    let stats = writer.index().stats().unwrap();
    assert_eq!((stats.epoch, stats.learnt_texts), (3, Some(200)));
    // Learning on request counts too.
    writer.learn(&RunConfig::default(), &()).unwrap();
    add(&mut writer, 201..400);
    assert_eq!(writer.index().len(), 399);
    assert!(!writer.is_learning_due());
}

#[test]
fn what_an_index_was_made_with_counts_and_one_may_keep_its_model() {
    let pages: Vec<Page> = (0..70).map(single).collect();
    let fresh = Model::new(JudgeConfig::default()).unwrap();
    let learnt = run(&pages, fresh.clone()).model;
    let due_at = |model: &Model, learns: bool| {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = builder(folder.path()).learns(learns).create(model).unwrap();
        let due = (1..30).find(|&ten| {
            add(&mut writer, 10 * (ten - 1)..10 * ten);
            writer.is_learning_due()
        });
        due.map(|ten| 10 * ten)
    };
    assert_eq!(due_at(&fresh, true), Some(100));
    assert_eq!(due_at(&learnt, true), Some(140));
    assert_eq!(due_at(&fresh, false), None);
    // Whose method counts nothing has nothing to learn.
    let config = JudgeConfig {
        method: "shingle".into(),
        ..JudgeConfig::default()
    };
    let shingle = Model::new(config).unwrap();
    assert!(matches!(shingle.method().learns, Learns::Nothing));
    assert_eq!(due_at(&shingle, true), None);
}

/// Learning while pages come and go. `run_early`: what is learnt is known before they do.
fn follow(steps: &[Step], config: JudgeConfig, run_early: bool) {
    let folder = tempfile::tempdir().unwrap();
    // A run under a model that has learnt nothing would learn.
    let others: Vec<Page> = (100..103).map(single).collect();
    let model = run(&others, Model::new(config).unwrap()).model;
    let mut writer = make(folder.path(), &model);
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    let (mut begun, mut learnt) = (None, None::<Learnt>);
    let mut renumbered = false;
    for (at, step) in steps.iter().enumerate() {
        if at % 3 == 0 {
            renumbered = false;
            begun = Some(writer.begin_learning());
            learnt = None;
            if run_early {
                let learning = begun.take().unwrap();
                learnt = Some(learning.run(&RunConfig::default(), &()).unwrap());
            }
        }
        match step {
            Step::Add(recipes) => {
                let new = recipes.iter();
                let new = new.map(|(id, recipe)| page(&format!("p{id}"), recipe));
                let new: Vec<Page> = new.collect();
                writer.add(&prepared(&writer, &new), None).unwrap();
                pages.extend(new.into_iter().map(|page| (page.id.clone(), page)));
            }
            Step::Remove(ids) => {
                let ids: Vec<String> = ids.iter().map(|id| format!("p{id}")).collect();
                writer.remove(&ids).unwrap();
                ids.iter().for_each(|id| drop(pages.remove(id)));
            }
            Step::Compact => {
                writer.compact(&()).unwrap();
                renumbered = true;
                begun = None;
            }
            Step::Reopen => {
                drop(writer);
                writer = open(folder.path());
                begun = None;
            }
        }
        if at % 3 == 2 || at + 1 == steps.len() {
            if let Some(learning) = begun.take() {
                learnt = Some(learning.run(&RunConfig::default(), &()).unwrap());
            }
            if let Some(learnt) = learnt.take() {
                let epoch = writer.index().stats().unwrap().epoch;
                assert_eq!(writer.adopt(learnt).unwrap(), !renumbered);
                let now = writer.index().stats().unwrap().epoch;
                assert_eq!(now, epoch + u32::from(!renumbered));
            }
            assert_same(writer.index(), &pages);
        }
    }
    drop(writer);
    assert_same(&Index::open(folder.path()).unwrap(), &pages);
    assert_eq!(
        Index::check(folder.path()).unwrap().problems,
        Vec::<String>::new()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    /// Whatever comes and goes while it learns, verdicts, pairs and stories are those of a run under the model that it has then.
    #[test]
    fn learning_in_the_background_is_a_run_in_the_end(
        first in proptest::collection::vec((0u32..20, recipes()), 1..20),
        steps in steps(),
        run_early in any::<bool>(),
    ) {
        let steps = [vec![Step::Add(first)], steps].concat();
        for config in variants() {
            let learns = Model::new(config.clone()).unwrap().method().learns;
            if matches!(learns, Learns::Common(_) | Learns::Noise) {
                follow(&steps, config, run_early);
            }
        }
    }
}

/// Stories stay whole when a page goes that holds them together, while it learns.
#[test]
fn pages_that_were_related_to_one_that_went_are_compared_again() {
    let copies: Vec<(u32, Recipe)> = (0..7).map(|n| (n, (0, 0..6, n % 2))).collect();
    let longer = vec![(7, (0, 0..14, 0)), (8, (0, 0..14, 1))];
    let ids: Vec<u32> = (0..5).collect();
    let steps = [
        Step::Add(copies),
        Step::Add(longer),
        Step::Reopen,
        // Here it begins to learn.
        Step::Remove(ids),
        Step::Add(vec![(20, (0, 0..6, 1))]),
    ];
    for run_early in [false, true] {
        follow(&steps, JudgeConfig::default(), run_early);
    }
}

/// Another process reads on, and sees the new epoch after the next look.
#[test]
fn readers_follow_a_new_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    add(&mut writer, 0..100);
    let reader = Index::open(folder.path()).unwrap();
    assert!(writer.learn_if_grown(&RunConfig::default(), &()).unwrap());
    assert_eq!(reader.stats().unwrap().epoch, 1);
    assert!(reader.text("p007").unwrap().is_some());
    reader.refresh().unwrap();
    assert_eq!(reader.stats().unwrap().epoch, 2);
    assert_eq!(reader.model().to_json(), writer.index().model().to_json());
}
