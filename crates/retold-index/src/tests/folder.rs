//! What the folder of an index may contain when an index is created, opened or checked.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use retold::Model;

use super::*;
use crate::limits::LONGEST_ID;
use crate::state::MANIFEST;

fn model() -> Model {
    Model::new(JudgeConfig::default()).unwrap()
}

/// `create` writes these files one after the other; it may be interrupted by a kill or a full disk.
#[test]
fn what_an_unfinished_create_left_is_replaced() {
    let steps: [&[&str]; 5] = [
        &["lock"],
        &["lock", "model-000001.partial"],
        &["lock", "model-000001.json"],
        &["lock", "model-000001.json", "log-000001"],
        &[
            "lock",
            "model-000001.json",
            "log-000001",
            "manifest.partial",
        ],
    ];
    for left in steps {
        let folder = tempfile::tempdir().unwrap();
        for name in left {
            fs::write(folder.path().join(name), "half of it").unwrap();
        }
        let error = builder(folder.path()).open().unwrap_err().to_string();
        assert!(error.contains("not an index of retold"), "{error}");
        let mut writer = make(folder.path(), &model());
        writer
            .add(&prepared(&writer, &[page("a", &(1, 0..9, 0))]), None)
            .unwrap();
        writer.close().unwrap();
        assert_eq!(
            Index::check(folder.path()).unwrap().problems,
            Vec::<String>::new()
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "{left:?}");
        let error = builder(folder.path())
            .create(&model())
            .unwrap_err()
            .to_string();
        assert!(error.contains("the folder is not empty"), "{error}");
    }
    // Files that `create` did not write belong to someone else.
    for other in ["notes.txt", "log-000002", MANIFEST] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("lock"), "").unwrap();
        fs::write(folder.path().join(other), "mine").unwrap();
        let error = builder(folder.path())
            .create(&model())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("the folder is not empty"),
            "{other}: {error}"
        );
        assert_eq!(
            fs::read_to_string(folder.path().join(other)).unwrap(),
            "mine"
        );
    }
}

#[test]
#[cfg(unix)]
fn a_lock_that_is_a_link_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    make(&index, &model()).close().unwrap();
    let precious = folder.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    fs::remove_file(index.join("lock")).unwrap();
    std::os::unix::fs::symlink(&precious, index.join("lock")).unwrap();
    let error = builder(&index).write().unwrap_err().to_string();
    assert!(error.contains("lock: not a regular file"), "{error}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
}

#[test]
fn ids_have_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let writer = make(folder.path(), &model());
    let prepare = |length: usize| {
        writer
            .index()
            .prepare(Page::text("x".repeat(length), "A text."))
    };
    assert!(prepare(LONGEST_ID).is_ok());
    let error = prepare(LONGEST_ID + 1).unwrap_err().to_string();
    assert!(error.contains("16385 bytes, more than 16384"), "{error}");
}

#[test]
fn a_page_names_an_address_of_its_own_site() {
    let folder = tempfile::tempdir().unwrap();
    let writer = make(folder.path(), &model());
    let html = "<link rel=canonical href='https://www.a.example/1'><p>A text.";
    let url = |site: Option<&str>| {
        let mut page = Page::html("id", html);
        page.site = site.map(str::to_owned);
        writer.index().prepare(page).unwrap().entry.url
    };
    let named = Some("https://www.a.example/1".to_owned());
    assert_eq!(url(None), named);
    assert_eq!(url(Some("a.example")), named);
    assert_eq!(url(Some("b.example")), None);
}

/// While a writer keeps replacing all files, a check finds no damage.
#[test]
fn a_check_beside_a_writer_finds_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &model());
    let pages: Vec<Page> = (0..20)
        .map(|n| page(&format!("p{n}"), &(n, 0..5, 0)))
        .collect();
    writer.add(&prepared(&writer, &pages), Some(0)).unwrap();
    let done = AtomicBool::new(false);
    let check = |folder: &Path| Index::check(folder).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..60 {
                writer.compact(&()).unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            assert_eq!(check(folder.path()).problems, Vec::<String>::new());
        }
    });
    // Real damage is still found.
    let log = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let log = log
        .filter(|path| path.display().to_string().contains("log-"))
        .last()
        .unwrap();
    fs::write(&log, "").unwrap();
    assert_eq!(check(folder.path()).problems.len(), 1);
}
