//! Copies of an index in use.

use std::sync::atomic::{AtomicBool, Ordering};

use retold::{JudgeConfig, Model, RunConfig};

use super::{make, open, page, prepared};
use crate::index::Index;
use crate::writer::Writer;

fn ids(index: &Index) -> Vec<String> {
    let mut ids = Vec::new();
    let take = |entry: crate::Entry, _| {
        ids.push(entry.id);
        Ok(())
    };
    index.changes(0, Some(0), take).unwrap();
    ids.sort_unstable();
    ids
}

fn add(writer: &mut Writer, from: u32, to: u32) {
    let pages = (from..to).map(|n| page(&format!("p{n}"), &(n, 0..5, 0)));
    let pages: Vec<_> = pages.collect();
    writer.add(&prepared(writer, &pages), Some(3)).unwrap();
}

#[test]
fn a_copy_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (
        folder.path().join("index"),
        folder.path().join("copies/one"),
    );
    let mut writer = make(&from, &Model::new(JudgeConfig::default()).unwrap());
    for at in 0..10 {
        add(&mut writer, 3 * at, 3 * at + 3);
    }
    let before = ids(writer.index());
    let checked = Index::open(&from).unwrap().snapshot(&to).unwrap();
    assert_eq!(checked.pages, 30);
    let again = writer.index().snapshot(&to).unwrap_err().to_string();
    assert!(again.contains("the folder exists"), "{again}");
    // What happens to the index does not reach it.
    add(&mut writer, 30, 40);
    writer.remove(&["p3".to_owned()]).unwrap();
    writer.compact(&()).unwrap();
    writer.learn(&RunConfig::default(), &()).unwrap();
    add(&mut writer, 40, 45);
    assert_eq!(ids(&Index::open(&to).unwrap()), before);
    assert!(Index::check(&to).unwrap().problems.is_empty());
    // Nor the other way round.
    let after = ids(writer.index());
    let mut copy = open(&to);
    add(&mut copy, 50, 60);
    assert_eq!(copy.index().len(), 40);
    copy.compact(&()).unwrap();
    assert_eq!(ids(writer.index()), after);
    assert!(Index::check(&from).unwrap().problems.is_empty());
}

#[test]
fn copies_are_whole_while_a_writer_works() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("index");
    let mut writer = make(&from, &Model::new(JudgeConfig::default()).unwrap());
    add(&mut writer, 0, 8);
    let reader = Index::open(&from).unwrap();
    let own = std::sync::Arc::clone(writer.index());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..12 {
                add(&mut writer, 8 * round + 8, 8 * round + 16);
                if round % 3 == 2 {
                    writer.compact(&()).unwrap();
                }
            }
            ended.store(true, Ordering::Relaxed);
        });
        let mut number = 0;
        while !ended.load(Ordering::Relaxed) || number < 4 {
            let to = folder.path().join(format!("copy-{number}"));
            let index = if number % 2 == 0 { &reader } else { &*own };
            let checked = index.snapshot(&to).unwrap();
            // Commits have eight pages each.
            assert_eq!(checked.pages % 8, 0);
            assert_eq!(Index::open(&to).unwrap().len() as u64, checked.pages);
            number += 1;
        }
    });
}
