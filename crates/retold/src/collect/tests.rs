//! Compares files read at the same time with the same files read one after the other.

use super::*;
use crate::config::JudgeConfig;
use crate::ids::PageNo;
use crate::model::Model;
use crate::read::ReadOptions;
use crate::read::tests::{Folder, gzip};
use crate::spill::Memory;

/// Lines of JSON: pages, some of which repeat an id or a text of another file, and lines that are no pages.
fn lines(file: usize) -> String {
    let line = |number: usize| match number % 17 {
        3 => "{\"text\": 7}\n".to_owned(),
        5 => format!(
            "{{\"id\": \"same {}\", \"text\": \"page {number}\"}}\n",
            number % 3
        ),
        _ => {
            let words = (number * number) % 90;
            let word = |at: usize| format!("w{} ", (number % 40) * 100 + at * (1 + file % 2));
            let text: String = (0..words).map(word).collect();
            let site = number % 5;
            format!("{{\"url\": \"http://s{site}.net/{file}/{number}\", \"text\": \"{text}.\"}}\n")
        }
    };
    (0..60 + 40 * file).map(line).collect()
}

/// Remembers warnings.
#[derive(Default)]
struct Warned(std::sync::Mutex<Vec<String>>);

impl crate::watch::Watch for Warned {
    fn warn(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

#[test]
fn records_that_are_longer_than_they_say_are_counted() {
    let record = |id: u32, content: &str, said: usize| {
        let head = "WARC/1.0\r\nWARC-Type: conversion\r\n";
        let rest =
            format!("WARC-Record-ID: <{id}>\r\nContent-Length: {said}\r\n\r\n{content}\r\n\r\n");
        gzip((head.to_owned() + &rest).as_bytes())
    };
    let [one, two, three] = [(1, 3), (2, 8), (3, 7)].map(|(id, said)| record(id, "abc more", said));
    let folder = Folder::new(&[
        ("a.warc.gz", &[one.clone(), two.clone()].concat()),
        ("b.warc.gz", &[one, three].concat()),
        ("c.warc.gz", &two),
    ]);
    let model = Model::new(JudgeConfig::default()).unwrap();
    let warned = Warned::default();
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    let memory = Memory::default();
    let found = Collection::read(&sources, &options, &model, &memory, &warned).unwrap();
    assert_eq!((found.rejects.len(), found.pages.len()), (0, 5));
    let warned = warned.0.into_inner().unwrap();
    let expected = "a.warc.gz and another file: records that are longer than their Content-Length says are read to the end of their gzip \
                    members: 3";
    assert_eq!(warned, [expected]);
}

#[test]
fn a_file_whose_records_are_all_rejected_is_told_early() {
    let bad = "{\"body\": \"x\"}\n".repeat(10_001);
    let late = "{\"text\": \"one page\"}\n".to_owned() + &bad;
    let few = "{\"body\": \"x\"}\n".repeat(9_999);
    let folder = Folder::new(&[
        ("bad.jsonl", bad.as_bytes()),
        ("few.jsonl", few.as_bytes()),
        ("late.jsonl", late.as_bytes()),
    ]);
    let model = Model::new(JudgeConfig::default()).unwrap();
    let warned = Warned::default();
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    let memory = Memory::none(folder.0.path());
    let found = Collection::read(&sources, &options, &model, &memory, &warned).unwrap();
    assert_eq!((found.rejects.len(), found.pages.len()), (30_001, 1));
    let records = found.rejects.of_source(1).map(|reject| reject.record);
    assert!(records.eq(1..=9_999));
    let warned = warned.0.into_inner().unwrap();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(
        warned[0].starts_with("bad.jsonl: the first 10000 records were all rejected, "),
        "{warned:?}"
    );
}

#[test]
fn titles_come_with_pages_in_any_order_and_memory() {
    let lines = |file: usize| -> String {
        let line = |n: usize| match n % 3 {
            0 => format!("{{\"text\": \"t {file} {n}\"}}\n"),
            _ => format!(
                "{{\"text\": \"t {file} {n}\", \"title\": \"{file}/{}\"}}\n",
                "題".repeat(n)
            ),
        };
        (0..300).map(line).collect()
    };
    let folder = Folder::new(&[]);
    (0..6)
        .for_each(|file| folder.write(&format!("{file}.jsonl.gz"), &gzip(lines(file).as_bytes())));
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    let model = Model::new(JudgeConfig::default()).unwrap();
    for memory in [Memory::default(), Memory::none(folder.0.path())] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(20);
        let read = || Collection::read(&sources, &options, &model, &memory, &()).unwrap();
        let found = pool.build().unwrap().install(read);
        for (at, page) in PageNo::first(1800).enumerate() {
            let (file, n) = (at / 300, at % 300);
            let title = (n % 3 > 0).then(|| format!("{file}/{}", "題".repeat(n.min(198))));
            assert_eq!(found.pages.title(page), title, "{at}");
        }
    }
}

#[test]
fn files_that_are_read_side_by_side_are_as_one_after_the_other() {
    let folder = Folder::new(&[]);
    for file in 0..9 {
        match file {
            // Not compressed.
            2 => folder.write("2.jsonl", lines(2).as_bytes()),
            _ => folder.write(&format!("{file}.jsonl.gz"), &gzip(lines(file).as_bytes())),
        }
    }
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    let model = Model::new(JudgeConfig::default()).unwrap();
    let read = |threads: usize, memory: &Memory| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let read = || Collection::read(&sources, &options, &model, memory, &()).unwrap();
        pool.build().unwrap().install(read)
    };
    let expected = read(1, &Memory::default());
    assert!(expected.pages.len() > 1500 && expected.rejects.len() > 100);
    for memory in [Memory::default(), Memory::none(&std::env::temp_dir())] {
        let found = read(20, &memory);
        assert_eq!(found.rejects, expected.rejects);
        assert_eq!((found.read, found.bytes), (expected.read, expected.bytes));
        assert_eq!(found.sites, expected.sites);
        assert_eq!(found.pages.len(), expected.pages.len());
        let mut partials = 0;
        for page in PageNo::first(expected.pages.len()) {
            assert_eq!(found.id(page), expected.id(page));
            let (row, other) = (found.page(page), expected.page(page));
            assert_eq!(found.sketch(&row), expected.sketch(&other));
            let same = PageRow {
                sketch: row.sketch,
                ..other
            };
            assert_eq!(row, same);
            // Another one of the copies may have the partial fingerprint.
            let partial = |of: &Collection| -> Option<Vec<u64>> {
                let row = of.partial.of_pages.row(page)?;
                Some(of.partial.rows.get(row).to_vec())
            };
            if let (Some(a), Some(b)) = (partial(&found), partial(&expected)) {
                assert_eq!(a, b);
                partials += 1;
            }
        }
        assert!(partials > 100);
        memory.check().unwrap();
    }
}

/// `04/01/2026` is read like the other dates of its file; if they say nothing, or both, it is no date.
#[test]
fn day_and_month_are_ordered_as_in_the_other_dates_of_the_file() {
    let file = |dates: &[&str]| {
        let rows = dates.iter().map(|date| format!("a story,{date}\n"));
        "text,date\n".to_owned() + &rows.collect::<String>()
    };
    let folder = Folder::new(&[
        (
            "british.csv",
            file(&["04/01/2026", "25/12/2025", "2026-07-08"]).as_bytes(),
        ),
        (
            "american.csv",
            file(&["04/01/2026 10:00", "12/25/2025"]).as_bytes(),
        ),
        (
            "both.csv",
            file(&["25/12/2025", "04/01/2026", "12/25/2025"]).as_bytes(),
        ),
        (
            "neither.csv",
            file(&["04/01/2026", "2026-01-04", "04.01.2026"]).as_bytes(),
        ),
    ]);
    let model = Model::new(JudgeConfig::default()).unwrap();
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    for memory in [Memory::default(), Memory::none(folder.0.path())] {
        let warned = Warned::default();
        let found = Collection::read(&sources, &options, &model, &memory, &warned).unwrap();
        let day = |text: &str| crate::date::seconds(text);
        let dates: Vec<Option<i64>> = found.pages.iter().map(|row| row.date).collect();
        let christmas = day("2025-12-25");
        let fourth = day("2026-01-04");
        let expected = [
            day("2026-04-01T10:00:00Z"),
            christmas,
            christmas,
            None,
            christmas,
            fourth,
            christmas,
            day("2026-07-08"),
            None,
            fourth,
            fourth,
        ];
        assert_eq!(dates, expected);
        let counts = found.ambiguous_dates;
        assert_eq!(
            (counts.day_first, counts.month_first, counts.unknown),
            (1, 1, 2)
        );
        let warned = warned.0.into_inner().unwrap();
        assert!(warned[0].contains("2 read not at all"), "{warned:?}");
    }
}
