//! Damaged archives and line files: for any damage, everything before it is read, a reject says
//! where it is, and both passes count the same.
#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, where a panic is the report"
)]

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use proptest::prelude::*;
use retold::Content;
use retold::read::{
    AddedFields, FieldKind, FieldValue, Outcome, ReadOptions, RecordDecision, Source, discover,
};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

/// A record of a WARC file with an HTTP response in it.
fn response(url: &str, body: &str) -> String {
    record(
        "response",
        url,
        &format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}"),
    )
}

fn record(kind: &str, url: &str, content: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{content}\r\n\r\n",
        content.len()
    )
}

fn source(folder: &Path, name: &str, bytes: &[u8]) -> Source {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    discover(&[path], &ReadOptions::default())
        .unwrap()
        .remove(0)
}

/// Every record as one line: `id=text`, `-kind`, `!reason`. Rewrites the file as well and compares the counts.
fn read(source: &Source) -> Vec<String> {
    read_with(source, &ReadOptions::default())
}

fn read_with(source: &Source, options: &ReadOptions) -> Vec<String> {
    let records = source.records(options).enumerate();
    let found = records.map(|(place, record)| {
        assert_eq!(record.number, place as u64 + 1);
        match record.parse(source, options) {
            Outcome::Page(page) => match page.content {
                Content::Unicode { text, .. } => format!("{}={text}", page.id),
                Content::Bytes { bytes, .. } => {
                    format!("{}={}", page.id, String::from_utf8_lossy(&bytes))
                }
            },
            Outcome::Skipped(kind) => format!("-{kind}"),
            Outcome::Rejected(reason) => format!("!{reason}"),
        }
    });
    let found = found.collect::<Vec<_>>();
    let mut asked = 0;
    rewrite(source, options, |_| {
        asked += 1;
        RecordDecision::Keep
    });
    assert_eq!(asked, found.len(), "both passes count alike");
    found
}

/// The rewritten file as it is on disk.
fn rewrite<'a>(
    source: &Source,
    options: &ReadOptions,
    mut fate: impl FnMut(u64) -> RecordDecision<'a>,
) -> Vec<u8> {
    let to = source.path.with_extension("kept");
    let _ = std::fs::remove_file(&to);
    source.rewrite(options, &mut fate, &to).unwrap();
    std::fs::read(&to).unwrap_or_default()
}

fn decompressed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes), &mut out).unwrap();
    out
}

/// Whether `found` is the beginning of `whole`, with one reject behind it if anything is missing.
fn is_prefix(found: &[String], whole: &[String]) -> bool {
    let rejects = found.iter().filter(|brief| brief.starts_with('!')).count();
    match found.split_last() {
        Some((last, before)) if last.starts_with('!') => rejects == 1 && whole.starts_with(before),
        _ => rejects == 0 && whole.starts_with(found),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_cut_warc_gz_gives_a_prefix(place in 0.0..1.0f64, members in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let records = (0..9).map(|i| response(&format!("http://a/{i}"), &format!("<p>page {i}{}", "x".repeat(i * 97))));
        let records = records.collect::<Vec<_>>();
        let packed = match members {
            true => records.iter().flat_map(|record| gzip(record.as_bytes())).collect(),
            false => gzip(records.concat().as_bytes()),
        };
        let whole = read(&source(folder.path(), "whole.warc.gz", &packed));
        prop_assert_eq!(whole.len(), 9);
        let cut = &packed[..(place * packed.len() as f64) as usize];
        let found = read(&source(folder.path(), "cut.warc.gz", cut));
        prop_assert!(is_prefix(&found, &whole), "{} of {}: {:?}", cut.len(), packed.len(), found);
    }

    #[test]
    fn a_cut_warc_gives_a_prefix(place in 0.0..1.0f64) {
        let folder = tempfile::tempdir().unwrap();
        let bytes = (0..5).map(|i| response(&format!("http://a/{i}"), "<p>page")).collect::<String>();
        let whole = read(&source(folder.path(), "whole.warc", bytes.as_bytes()));
        let cut = &bytes[..(place * bytes.len() as f64) as usize];
        let found = read(&source(folder.path(), "cut.warc", cut.as_bytes()));
        prop_assert!(is_prefix(&found, &whole), "{} of {}: {:?}", cut.len(), bytes.len(), found);
    }

    #[test]
    fn a_cut_jsonl_gz_gives_a_prefix(place in 0.0..1.0f64) {
        let folder = tempfile::tempdir().unwrap();
        let lines = (0..300).map(|i| format!("{{\"id\": {i}, \"text\": \"line {}\"}}\n", i * 7919)).collect::<String>();
        let packed = gzip(lines.as_bytes());
        let whole = read(&source(folder.path(), "whole.jsonl.gz", &packed));
        let cut = &packed[..(place * packed.len() as f64) as usize];
        let found = read(&source(folder.path(), "cut.jsonl.gz", cut));
        prop_assert!(is_prefix(&found, &whole), "{} of {}: {:?}", cut.len(), packed.len(), found);
    }

    #[test]
    fn noise_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..2000), start in 0..6usize) {
        let folder = tempfile::tempdir().unwrap();
        let starts: [&[u8]; 6] = [b"", b"WARC/1.0\r\n", b"\x1f\x8b\x08\0", b"filedesc://x", b"\x28\xb5\x2f\xfd", b"text,id\n"];
        let bytes = [starts[start], &bytes].concat();
        read(&source(folder.path(), "a.csv", &bytes));
        read(&source(folder.path(), "b.warc", &bytes));
    }
}

#[test]
fn kept_records_are_the_same_bytes_in_members_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        record("warcinfo", "", "x"),
        response("http://a/1", "one"),
        response("http://a/2", "two"),
    ];
    let packed = gzip(records.concat().as_bytes());
    let source = source(folder.path(), "a.warc.gz", &packed);
    assert_eq!(
        read(&source),
        ["-warc warcinfo", "http://a/1=one", "http://a/2=two"]
    );
    let kept = rewrite(&source, &ReadOptions::default(), |number| match number {
        2 => RecordDecision::Leave,
        _ => RecordDecision::Keep,
    });
    assert_eq!(
        decompressed(&kept),
        [records[0].as_bytes(), records[2].as_bytes()].concat()
    );
    let mut first = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*kept), &mut first).unwrap();
    assert_eq!(first, records[0].as_bytes(), "each record is a member");
}

#[test]
fn marks_are_named_fields() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = [response("http://a/1", "one"), response("http://a/2", "two")].concat();
    let source = source(folder.path(), "a.warc", bytes.as_bytes());
    let fields = AddedFields::new(
        None,
        vec![
            ("retold_cluster", FieldKind::Whole),
            ("retold_canonical", FieldKind::Text),
            ("retold_relation", FieldKind::Text),
        ],
    );
    let mut mark = |number| {
        RecordDecision::Add(match number {
            1 => vec![
                FieldValue::Whole(4),
                FieldValue::Text("http://a/2".into()),
                FieldValue::Null,
            ],
            _ => vec![FieldValue::Null; 3],
        })
    };
    let to = folder.path().join("marked");
    source
        .rewrite_adding(&fields, &ReadOptions::default(), &mut mark, &to)
        .unwrap();
    let kept = std::fs::read(to).unwrap();
    let expected = bytes.replacen(
        "\r\n\r\nHTTP",
        "\r\nRetold-Cluster: 4\r\nRetold-Canonical: http://a/2\r\n\r\nHTTP",
        1,
    );
    assert_eq!(String::from_utf8(kept).unwrap(), expected);
}

#[test]
fn a_wrong_length_costs_no_more_than_its_own_record() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] =
        ["a", "b", "c"].map(|name| response(&format!("http://x/{name}"), "a body of some length"));
    let length = a
        .split("Content-Length: ")
        .nth(1)
        .unwrap()
        .split("\r\n")
        .next()
        .unwrap()
        .to_owned();
    let lengthened = |by: &str| {
        b.replace(
            &format!("Content-Length: {length}"),
            &format!("Content-Length: {by}"),
        )
    };
    for wrong in ["400", "99999", "x", "-1"] {
        let bytes = [&a, &lengthened(wrong), &c]
            .map(|part| part.as_str())
            .concat();
        let found = read(&source(folder.path(), "a.warc", bytes.as_bytes()));
        assert_eq!(found.len(), 3, "{wrong}: {found:?}");
        assert!(
            found[1].starts_with("!record at byte "),
            "{wrong}: {found:?}"
        );
        assert!(found[2].starts_with("http://x/c="), "{wrong}: {found:?}");
    }
    let bytes = [&a, &lengthened("50"), &c]
        .map(|part| part.as_str())
        .concat();
    let found = read(&source(folder.path(), "a.warc", bytes.as_bytes()));
    assert!(
        found.len() == 4 && found[2].contains("bytes that belong to no record"),
        "{found:?}"
    );
}

#[test]
fn sloppy_archives_are_read_without_a_reject() {
    let folder = tempfile::tempdir().unwrap();
    let tidy = [
        response("<http://x/a>", "one"),
        response("http://x/b", "WARC/1.0 explained"),
    ];
    let glued = tidy.concat().replace("\r\n\r\nWARC", "\r\nWARC");
    let feeds = tidy
        .concat()
        .replace("WARC-", "warc-")
        .replace("Content-", "content-")
        .replace("WARC/1.0\r\n", "WARC/1.1\r\n");
    for bytes in [
        tidy.concat(),
        glued,
        feeds,
        tidy.concat() + "\r\n\r\n\0\0\0",
    ] {
        let found = read(&source(folder.path(), "a.warc", bytes.as_bytes()));
        assert!(
            found.len() == 2 && found[0].starts_with("http://x/a=one"),
            "{found:?}"
        );
    }
}

#[test]
fn large_records_are_passed_over_and_large_pictures_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let picture = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n{}",
        "p".repeat(300_000)
    );
    let records = [
        response("http://x/a", &"t".repeat(300_000)),
        record("response", "http://x/b", &picture),
        response("http://x/c", "end"),
    ];
    let source = source(folder.path(), "a.warc", records.concat().as_bytes());
    let options = ReadOptions {
        max_record_size: 100_000,
        ..ReadOptions::default()
    };
    let expected = [
        "!larger than --max-record-size (100000 bytes)",
        "-not text (image/png)",
        "http://x/c=end",
    ];
    assert_eq!(read_with(&source, &options), expected);
    let kept = rewrite(&source, &options, |_| RecordDecision::Keep);
    assert_eq!(kept, records[1..].concat().as_bytes());
}

#[test]
fn a_long_line_is_streamed_past() {
    let folder = tempfile::tempdir().unwrap();
    // 200 MB that compress to little.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"{\"text\": \"").unwrap();
    for _ in 0..200 {
        packed.write_all(&[b'x'; 1 << 20]).unwrap();
    }
    packed.write_all(b"\"}\n{\"text\": \"next\"}\n").unwrap();
    let source = source(folder.path(), "a.jsonl.gz", &packed.finish().unwrap());
    assert_eq!(
        read(&source),
        [
            "!larger than --max-record-size (67108864 bytes)",
            "a.jsonl.gz#2=next"
        ]
    );
}

/// Puts other content of equal length, and of the same time, into a file as soon as texts are read again.
struct Meddler(std::path::PathBuf, &'static str);

impl retold::Watch for Meddler {
    fn begin(&self, stage: &'static str, _total: u64) {
        if stage == self.1 {
            let time = std::fs::metadata(&self.0).unwrap().modified().unwrap();
            let text = std::fs::read_to_string(&self.0).unwrap();
            std::fs::write(&self.0, text.replace("ferry", "train")).unwrap();
            let file = std::fs::File::options().write(true).open(&self.0).unwrap();
            file.set_modified(time).unwrap();
        }
    }
}

/// Stops a run once all pages are sketched.
#[derive(Default)]
struct Stopper(AtomicBool);

impl retold::Watch for Stopper {
    fn begin(&self, stage: &'static str, _total: u64) {
        self.0.fetch_or(stage == "join", Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Relaxed)
    }
}

#[test]
fn another_text_in_the_place_of_one_that_is_verified_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let story: String = (0..30)
        .map(|n| format!("The ferry left harbour number {n} in the morning. "))
        .collect();
    let line = |id: &str| {
        serde_json::json!({"id": id, "text": format!("{story} Seen by {id}.")}).to_string()
    };
    let lines = format!("{}\n{}\n", line("a"), line("b"));
    for (stage, noticed) in [("fingerprint", true), ("no such stage", false)] {
        let source = source(folder.path(), "pages.jsonl", lines.as_bytes());
        let model = || retold::Model::new(retold::JudgeConfig::default()).unwrap();
        let mut resources = retold::RunConfig::default();
        resources.resume = Some(folder.path().join(stage));
        // What is known of texts for verdicts is not kept for later: who goes on reads them again.
        let stopper = Stopper::default();
        let job = || retold::Dedup::new(model()).resources(&resources);
        let stopped = job().watch(&stopper).run(vec![source.clone()]);
        assert!(matches!(stopped, Err(retold::Error::Cancelled)));
        let meddler = Meddler(source.path.clone(), stage);
        let found = job().watch(&meddler).run(vec![source]);
        match found {
            Ok(found) => assert!(!noticed && found.pairs.len() == 1),
            Err(error) => assert!(
                noticed && error.to_string().contains("changed during the run"),
                "{error}"
            ),
        }
    }
}
