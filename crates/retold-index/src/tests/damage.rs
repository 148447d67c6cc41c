//! Damaged files are reported, and damaged data is never returned.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use retold::{Error, Model, Result, RunConfig};

use super::*;
use crate::index::Index;
use crate::state::MANIFEST;

fn answers(folder: &Path, asked: &[Page]) -> Result<String> {
    let index = Index::open(folder)?;
    let mut said = format!("{} pages\n", index.len());
    for page in asked {
        let prepared = index.prepare(page.clone()).unwrap();
        let (status, matches) = index.query(&prepared, None)?;
        let lines: Vec<_> = matches.iter().map(crate::query::Match::line).collect();
        said.push_str(&format!(
            "{} {} {}\n",
            page.id,
            status.name(),
            serde_json::to_string(&lines).unwrap()
        ));
        if let Some(text) = index
            .find(&page.id)?
            .map(|(page, _)| index.text_of(page))
            .transpose()?
        {
            said.push_str(&text.unwrap_or_default().visible);
        }
    }
    let stories = index.stories(
        crate::story::Order::Size,
        &crate::PageFilter::default(),
        0,
        100,
    )?;
    said.push_str(&serde_json::to_string(&stories).unwrap());
    Ok(said)
}

/// An index with all kinds of files: logs, segments, merged segments, removed pages, a learnt model.
fn whole(folder: &Path) -> Vec<Page> {
    let pages: Vec<Page> = (0..40)
        .map(|n| page(&format!("p{n}"), &(n % 9, 0..7 + n % 5, n % 2)))
        .collect();
    let model = run(&pages, Model::new(JudgeConfig::default()).unwrap()).model;
    let mut writer = make(folder, &model);
    for (at, some) in pages.chunks(6).enumerate() {
        writer.add(&prepared(&writer, some), None).unwrap();
        if at == 3 {
            let learning = writer.begin_learning();
            let learnt = learning.run(&RunConfig::default(), &()).unwrap();
            assert!(writer.adopt(learnt).unwrap());
        }
    }
    writer.remove(&["p3".into(), "p11".into()]).unwrap();
    writer.close().unwrap();
    pages
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| !path.ends_with("lock"));
    files.sort();
    files
}

#[test]
fn every_wrong_byte_is_named_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let pages = whole(folder.path());
    let asked: Vec<Page> = pages.iter().step_by(3).cloned().collect();
    let expected = answers(folder.path(), &asked).unwrap();
    let kinds: BTreeMap<String, PathBuf> = files(folder.path())
        .into_iter()
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy()[..4].to_owned(),
                path,
            )
        })
        .collect();
    assert_eq!(kinds.len(), 4, "{kinds:?}");
    let (mut named, mut harmless) = (0, 0);
    for path in files(folder.path()) {
        let bytes = fs::read(&path).unwrap();
        let step = (bytes.len() / 150).max(1);
        let wrong = (0..bytes.len()).step_by(step).map(|at| {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1 << (at % 8);
            wrong
        });
        let cut = (0..bytes.len())
            .step_by(4 * step)
            .map(|at| bytes[..at].to_vec());
        let longer = [[&bytes[..], b"more"].concat(), Vec::new()];
        for changed in wrong.chain(cut).chain(longer) {
            fs::write(&path, changed).unwrap();
            let said = catch_unwind(AssertUnwindSafe(|| answers(folder.path(), &asked)));
            match said.expect("no damage makes it panic") {
                Ok(said) => {
                    assert_eq!(said, expected, "{}", path.display());
                    harmless += 1;
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(
                        text.contains(&*path.to_string_lossy()),
                        "{}: {text}",
                        path.display()
                    );
                    assert!(
                        matches!(error, Error::Corrupt { .. } | Error::Usage(_)),
                        "{text}"
                    );
                    named += 1;
                }
            }
            let checked = catch_unwind(|| Index::check(folder.path())).expect("nor check");
            let is_found = checked.is_err() || !checked.unwrap().problems.is_empty();
            // Bytes after the last commit of the last log are left over from a crash; the next writer removes them.
            let is_trace = fs::read(&path).unwrap().starts_with(&bytes)
                && path.to_string_lossy().contains("log-");
            assert!(
                is_found || is_trace,
                "check passes over damage to {}",
                path.display()
            );
        }
        fs::write(&path, &bytes).unwrap();
    }
    // Harmless places: padding between blocks, removed pages, texts that no query reads.
    assert!(named > 4 * harmless, "{named} named, {harmless} harmless");
    assert_eq!(answers(folder.path(), &asked).unwrap(), expected);
}

#[test]
fn files_that_are_gone_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let pages = whole(folder.path());
    for path in files(folder.path()) {
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let error = answers(folder.path(), &pages).unwrap_err().to_string();
        let name = if path.ends_with(MANIFEST) {
            folder.path()
        } else {
            &path
        };
        assert!(error.contains(&*name.to_string_lossy()), "{error}");
        fs::write(&path, &bytes).unwrap();
    }
}

#[test]
fn another_format_says_which_release_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    whole(folder.path());
    let path = folder.path().join(MANIFEST);
    let text = crate::files::unseal(&path).unwrap();
    let text = text
        .replace("\"format\":1", "\"format\":9")
        .replace("0.1.0", "4.5.6");
    fs::write(&path, crate::files::sealed(&text)).unwrap();
    let error = Index::open(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains(
            "an index of format 9, written by retold 4.5.6; this release (0.1.0) reads format 1"
        ),
        "{error}"
    );
}

/// An index written by the first release, kept to test later releases.
#[test]
fn an_index_of_release_0_1_opens() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/release-0.1");
    if !kept.exists() {
        // RETOLD_KEEP=1 writes it again; use it only for a new format.
        assert!(
            std::env::var_os("RETOLD_KEEP").is_some(),
            "{} is gone",
            kept.display()
        );
        let mut writer = make(&kept, &Model::new(JudgeConfig::default()).unwrap());
        let pages: Vec<Page> = (0..12)
            .map(|n| page(&format!("p{n:02}"), &(n % 4, 0..6 + n % 3, n % 2)))
            .collect();
        writer.add(&prepared(&writer, &pages[..9]), None).unwrap();
        writer.add(&prepared(&writer, &pages[9..]), None).unwrap();
        writer.remove(&["p05".into()]).unwrap();
        writer.close().unwrap();
    }
    // Opening for writing may change files, so work on a copy.
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(&kept).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    assert_eq!(
        Index::check(folder.path()).unwrap().problems,
        Vec::<String>::new()
    );
    let index = Index::open(folder.path()).unwrap();
    assert_eq!(index.len(), 11);
    let matches = index.matches_of("p00", None).unwrap();
    let ids: Vec<&str> = matches
        .iter()
        .map(|found| found.entry.id.as_str())
        .collect();
    assert_eq!(ids, ["p04", "p08"]);
    assert_eq!(
        index.get("p01").unwrap().unwrap().url.as_deref(),
        Some("http://s1.example/p01")
    );
    // Only pages added since are found by their texts.
    let sentence = sentence(1, 0);
    let found = |index: &Index| {
        let filter = crate::PageFilter {
            words: Some(sentence.clone()),
            ..crate::PageFilter::default()
        };
        index.page_keys(&filter).unwrap().len()
    };
    assert!(!index.finds_texts());
    let before = found(&index);
    let mut writer = open(folder.path());
    writer
        .add(&prepared(&writer, &[page("new", &(1, 0..7, 0))]), None)
        .unwrap();
    assert_eq!(
        Index::check(folder.path()).unwrap().problems,
        Vec::<String>::new()
    );
    assert_eq!(found(writer.index()), before + 1);
    writer.compact(&()).unwrap();
    assert_eq!(writer.index().matches_of("new", None).unwrap().len(), 2);
    // p01, p09 and the new page have that sentence; p05 was removed.
    assert_eq!(found(writer.index()), 3);
    assert!(writer.index().finds_texts());
    // After compaction, pages are found by their URLs.
    let found = writer.index().find_url("http://s1.example/p01").unwrap();
    assert_eq!(found.unwrap().id, "p01");
    assert_eq!(
        Index::check(folder.path()).unwrap().problems,
        Vec::<String>::new()
    );
}
