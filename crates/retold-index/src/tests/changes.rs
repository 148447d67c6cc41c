//! Pages added since a cursor, and pages by URL.

use std::collections::BTreeSet;

use retold::{Model, RunConfig};

use super::*;

/// Ids of the pages added since a cursor, each with what it repeats, and the next cursor.
fn changes(index: &Index, since: u64) -> (Vec<(String, Vec<String>)>, u64) {
    let mut came = Vec::new();
    let next = index.changes(since, Some(20), |entry, matches| {
        let ids = matches.iter().map(|found| found.entry.id.clone());
        came.push((entry.id, ids.collect()));
        Ok(())
    });
    (came, next.unwrap())
}

fn ids(came: &[(String, Vec<String>)]) -> Vec<&str> {
    came.iter().map(|(id, _)| id.as_str()).collect()
}

#[test]
fn what_was_added_since_a_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    let add = |writer: &mut Writer, pages: &[Page]| {
        let pages = prepared(writer, pages);
        writer.add(&pages, None).unwrap();
    };
    assert_eq!(changes(writer.index(), 0), (Vec::new(), 0));
    add(
        &mut writer,
        &[page("own", &(1, 0..9, 0)), page("copy", &(1, 0..9, 1))],
    );
    add(&mut writer, &[page("other", &(2, 0..9, 0))]);
    let (came, cursor) = changes(writer.index(), 0);
    // If two pages repeat each other, the later one reports it.
    let expected = [
        ("own", vec![]),
        ("copy", vec!["own".to_owned()]),
        ("other", vec![]),
    ];
    assert_eq!(came, expected.map(|(id, matches)| (id.to_owned(), matches)));
    assert_eq!(cursor, 3);
    // Unchanged pages do not come again; replacements do.
    add(
        &mut writer,
        &[
            page("own", &(1, 0..9, 0)),
            page("other", &(3, 0..9, 0)),
            page("late", &(1, 0..8, 0)),
        ],
    );
    let (came, next) = changes(writer.index(), cursor);
    assert_eq!(ids(&came), ["other", "late"]);
    assert_eq!(came[1].1, ["own", "copy"]);
    assert_eq!(changes(writer.index(), next), (Vec::new(), next));
    let error = writer
        .index()
        .changes(next + 1, None, |_, _| Ok(()))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("cursor 6 belongs to another index: this one is at 5"),
        "{error}"
    );
}

/// Whatever is done to an index, `changes` returns everything added since the cursor. At most, earlier pages come again after pages were
/// renumbered.
#[test]
fn cursors_outlive_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    // A cursor, and the pages added after it that still exist.
    let mut cursors: Vec<(u64, BTreeSet<String>)> = Vec::new();
    let mut cursor = 0;
    for round in 0..24u32 {
        let added: Vec<String> = (0..4).map(|n| format!("p{}", round * 4 + n)).collect();
        let pages: Vec<Page> = added
            .iter()
            .map(|id| page(id, &(round % 5, 0..7, 0)))
            .collect();
        writer.add(&prepared(&writer, &pages), Some(3)).unwrap();
        cursors.push((cursor, BTreeSet::new()));
        cursors
            .iter_mut()
            .for_each(|(_, came)| came.extend(added.iter().cloned()));
        let gone = vec![format!("p{}", round * 4 + 1), format!("p{}", round * 2)];
        writer.remove(&gone).unwrap();
        cursors
            .iter_mut()
            .for_each(|(_, came)| came.retain(|id| !gone.contains(id)));
        match round % 6 {
            2 => writer.compact(&()).unwrap(),
            4 => writer.learn(&RunConfig::default(), &()).unwrap(),
            5 => {
                writer = {
                    drop(writer);
                    open(folder.path())
                }
            }
            _ => {}
        }
        let (_, next) = changes(writer.index(), cursor);
        cursor = next;
        // A reader that has seen everything sees nothing twice.
        assert_eq!(changes(writer.index(), cursor), (Vec::new(), cursor));
        for (cursor, expected) in &cursors {
            let (came, next) = changes(writer.index(), *cursor);
            let came: BTreeSet<String> = came.into_iter().map(|(id, _)| id).collect();
            assert!(
                came.is_superset(expected),
                "{round}: since {cursor} {came:?} lacks some of {expected:?}"
            );
            assert_eq!(next, u64::from(round + 1) * 4);
        }
    }
}

#[test]
fn pages_by_their_urls() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    let url = "http://a.example/story?page=1";
    let many: Vec<Page> = (0..30)
        .map(|n| page(&format!("p{n}"), &(n, 0..5, 0)))
        .chain([
            page("one", &(40, 0..6, 0)).with_url(url),
            page("two", &(41, 0..6, 0)).with_url(url),
        ])
        .chain([page(url, &(42, 0..6, 0)).with_url(url)])
        .collect();
    for some in many.chunks(4) {
        writer.add(&prepared(&writer, some), Some(0)).unwrap();
    }
    let found =
        |writer: &Writer, url: &str| writer.index().find_url(url).unwrap().map(|entry| entry.id);
    let mut remade = false;
    loop {
        assert_eq!(
            found(&writer, "http://s0.example/p7").as_deref(),
            Some("p7")
        );
        assert_eq!(found(&writer, "http://nobody.example/"), None);
        // An id is not a URL.
        assert_eq!(found(&writer, "p7"), None);
        assert_eq!(found(&writer, url).as_deref(), Some(url), "the newest");
        assert_eq!(
            Index::check(folder.path()).unwrap().problems,
            Vec::<String>::new()
        );
        if remade {
            break;
        }
        writer.compact(&()).unwrap();
        drop(writer);
        writer = open(folder.path());
        remade = true;
    }
    writer.remove(&[url.to_owned()]).unwrap();
    assert_eq!(found(&writer, url).as_deref(), Some("two"));
    writer
        .remove(&["two".to_owned(), "one".to_owned()])
        .unwrap();
    assert_eq!(found(&writer, url), None);
}
