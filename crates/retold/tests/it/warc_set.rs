//! All 76 files of the data set `warc`: archives from many tools, some of them damaged. None may crash a reader, every
//! record has an outcome, and the counts known from the set's notes and from warcio are reached.
#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, where a panic is the report"
)]

use std::collections::BTreeMap;
use std::path::Path;

use crate::data;
use retold::read::{Outcome, ReadOptions, RecordDecision, Source, Statuses, discover};

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

/// Pages and rejects per file, checked against warcio 1.7 where it can read the file, and against the files themselves
/// where it cannot. For each: a part of the name, the pages, and how many records are rejected.
const KNOWN: [(&str, u64, usize); 17] = [
    ("aut__example.arc.gz", 170, 0),
    ("aut__example.warc.gz", 170, 0),
    ("sample-1.warc.gz", 64, 0),
    ("snapshot-wayback-topic-02", 128, 0),
    ("topic-1--2020", 232, 0),
    ("small-sample-1213893279526_0.arc", 135, 0),
    ("small-sample-1262850551027_8.arc", 8, 0),
    ("clueweb-quirk", 29, 0),
    ("clueweb-09-sample", 23, 0),
    ("copycat__00.warc.gz", 23, 0),
    ("warcfile.warc.gz", 16, 0),
    ("whirlwind.warc.wet", 1, 0),
    // Beside a record of what wget notes of itself.
    ("transfer_compression_brotli", 1, 0),
    ("clipped.warc.gz", 0, 1),
    ("ipwb__broken.warc", 1, 1),
    ("pywb__example-extra.warc", 2, 0),
    ("pywb__iana", 18, 0),
];

/// Records of a kind that are known from the set's notes.
const KINDS: [(&str, &str, u64); 4] = [
    ("pywb__iana", "warc revisit", 123),
    ("BL-20140325122341434", "warc revisit", 55),
    ("sample-1.warc.gz", "warc revisit", 10),
    ("valid_example_1.wacz", "warc warcinfo", 2),
];

#[test]
fn every_file_is_read_and_rewritten_with_the_same_numbers() {
    let Some(set) = data::labelled_set("warc") else {
        return;
    };
    let options = ReadOptions {
        status: Statuses::any(),
        ..ReadOptions::default()
    };
    let sources = discover(&[set.join("files")], &options).unwrap();
    let notes = ["NOTES", "MANIFEST.tsv"];
    let sources = sources
        .iter()
        .filter(|source| !notes.contains(&source.name.as_str()));
    let out = tempfile::tempdir().unwrap();
    let mut files = 0;
    for source in sources {
        files += 1;
        let found = counts(source, &options);
        compare_with_known(&source.name, &found);
        of_status_200(source, &found);
        let to = out.path().join(&source.kept);
        let mut asked = 0;
        let mut keep = |number| {
            asked += 1;
            assert_eq!(number, asked);
            RecordDecision::Keep
        };
        source.rewrite(&options, &mut keep, &to).unwrap();
        assert_eq!(
            asked, found.read,
            "{}: both passes count alike",
            source.name
        );
        rereads(source, &to, &found, &options);
    }
    assert_eq!(files, 76);
}

/// By default the error pages are skipped; all else is as it was.
fn of_status_200(source: &Source, any: &Counts) {
    let found = counts(source, &ReadOptions::default());
    let of_other_status = found.skipped.iter();
    let of_other_status = of_other_status.filter(|(kind, _)| kind.starts_with("http status "));
    let of_other_status: u64 = of_other_status.map(|(_, count)| count).sum();
    assert_eq!(found.read, any.read, "{}", source.name);
    assert!(
        found.pages + of_other_status >= any.pages,
        "{}",
        source.name
    );
    if source.name.contains("aut__example.arc.gz") {
        let kinds =
            ["301", "302", "404"].map(|status| found.skipped.get(&format!("http status {status}")));
        assert_eq!((found.pages, kinds), (129, [Some(&2), Some(&5), Some(&40)]));
    }
}

fn compare_with_known(name: &str, found: &Counts) {
    for (_, pages, rejected) in KNOWN.iter().filter(|known| name.contains(known.0)) {
        assert_eq!(
            (found.pages, found.rejected.len()),
            (*pages, *rejected),
            "{name}: {found:?}"
        );
    }
    for (_, kind, count) in KINDS.iter().filter(|known| name.contains(known.0)) {
        assert_eq!(found.skipped.get(*kind), Some(count), "{name}: {found:?}");
    }
    let skipped = found.skipped.values().sum::<u64>();
    assert_eq!(
        found.read,
        found.pages + skipped + found.rejected.len() as u64,
        "{name}"
    );
}

/// What was written has the pages and skipped records of what was read, and nothing that has to be rejected.
fn rereads(source: &Source, to: &Path, first: &Counts, options: &ReadOptions) {
    // Of a WACZ a WARC file is kept.
    let of_wacz = to.with_added_extension("warc.gz");
    let to = if of_wacz.exists() { &of_wacz } else { to };
    if !to.exists() {
        assert_eq!(first.read, first.rejected.len() as u64, "{}", source.name);
        return;
    }
    let mut written = source.clone();
    written.path = to.to_owned();
    let second = counts(&written, options);
    assert_eq!(
        (second.pages, &second.skipped),
        (first.pages, &first.skipped),
        "{}",
        source.name
    );
}
