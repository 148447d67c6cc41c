//! Files: readers, and an index.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use retold::{JudgeConfig, Model, Page};
use retold::read::{Outcome, ReadOptions, RecordDecision, Source, discover};
use retold_index::Index;
use tempfile::TempDir;

/// A folder of this process; it should be in memory (`TMPDIR=/dev/shm`).
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

/// Small, so that the fuzzer meets the limit.
fn options() -> ReadOptions {
    ReadOptions {
        max_record_size: 2048,
        ..ReadOptions::default()
    }
}

/// A file of that name with that content.
pub fn file(name: &str, data: &[u8]) -> PathBuf {
    let path = FOLDER.path().join(name);
    fs::write(&path, data).expect("written");
    path
}

fn source(path: PathBuf) -> Source {
    discover(&[path], &options()).expect("a file").remove(0)
}

/// What became of each record, by number.
fn outcomes(source: &Source) -> Vec<(u64, Outcome)> {
    let options = options();
    let records = source.records(&options).map(|record| {
        let number = record.number;
        (number, record.parse(source, &options))
    });
    records.collect()
}

/// Reads a file and writes it again without what cannot be read: records have ascending numbers, and what is written holds
/// the same pages, once more and forever.
pub fn read(name: &str, data: &[u8]) {
    let source = source(file(name, data));
    let first = outcomes(&source);
    assert!(first.is_sorted_by_key(|(number, _)| *number));
    let kept = FOLDER.path().join("kept").join(name);
    let _ = fs::remove_file(&kept);
    let mut fate = |number: u64| {
        let found = first.binary_search_by_key(&number, |(number, _)| *number);
        match found.map(|at| &first[at].1) {
            Ok(Outcome::Rejected(_)) => RecordDecision::Leave,
            _ => RecordDecision::Keep,
        }
    };
    source
        .rewrite(&options(), &mut fate, &kept)
        .expect("the file did not change");
    // A file that begins in another way may be of another format: what is left of an ARC file without its first record is none.
    let begins_alike = !matches!(first.first(), Some((_, Outcome::Rejected(_))));
    let pages = pages(first);
    if !kept.exists() {
        assert!(pages.is_empty(), "{} pages were not written", pages.len());
        return;
    }
    if name != "pages" && begins_alike {
        let again = self::pages(outcomes(&self::source(kept)));
        assert_eq!(pages.len(), again.len());
        assert!(
            pages
                .iter()
                .zip(&again)
                .all(|(a, b)| a.content == b.content)
        );
    }
}

fn pages(outcomes: Vec<(u64, Outcome)>) -> Vec<Page> {
    let pages = outcomes
        .into_iter()
        .filter_map(|(_, outcome)| match outcome {
            Outcome::Page(page) => Some(page),
            _ => None,
        });
    pages.collect()
}

/// A small index, and the bytes of its files.
struct Fixture {
    folder: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
    probe: Page,
}

static INDEX: LazyLock<Fixture> = LazyLock::new(|| {
    let folder = FOLDER.path().join("index");
    let model = Model::new(JudgeConfig::default()).expect("a model");
    let mut writer = Index::builder(&folder).create(&model).expect("an index");
    let story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon.";
    let page =
        |number: u32| Page::text(format!("page {number}"), format!("{story} Part {number}."));
    for number in 0..6 {
        let prepared = writer.index().prepare(page(number)).expect("a page");
        writer.add(&[prepared], None).expect("added");
    }
    writer.remove(&["page 1".into()]).expect("removed");
    writer.close().expect("closed");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.file_name().is_some_and(|name| name != "lock"))
        .map(|path| (path.clone(), fs::read(&path).expect("a file")))
        .collect();
    files.sort();
    Fixture {
        folder,
        files,
        probe: page(9),
    }
});

/// An index one of whose files was changed at some places: the first byte says which file, the rest is triples of a place
/// (two bytes) and a byte to put there. What is damaged is refused or not there, and nothing else happens.
pub fn index(data: &[u8]) {
    let Some((&which, edits)) = data.split_first() else {
        return;
    };
    let fixture = &*INDEX;
    let (path, content) = &fixture.files[usize::from(which) % fixture.files.len()];
    let mut bytes = content.clone();
    for edit in edits.chunks(3) {
        let place = usize::from(edit[0]) << 8 | edit.get(1).map_or(0, |low| usize::from(*low));
        match edit.get(2) {
            Some(byte) if !bytes.is_empty() => {
                let at = place % bytes.len();
                bytes[at] = *byte;
            }
            // An edit without a byte cuts the file.
            _ => bytes.truncate(place),
        }
    }
    fs::write(path, &bytes).expect("written");
    look(&fixture.folder, &fixture.probe);
    let _ = Index::check(&fixture.folder);
    fs::write(path, content).expect("written");
}

fn look(folder: &Path, probe: &Page) {
    let Ok(index) = Index::open(folder) else {
        return;
    };
    let _ = index.stats();
    let _ = index.text("page 3");
    if let Ok(prepared) = index.prepare(probe.clone()) {
        let _ = index.query(&prepared, None);
    }
}
