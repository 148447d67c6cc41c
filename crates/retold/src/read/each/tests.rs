use proptest::prelude::*;
use rayon::prelude::*;

use super::super::record::Body;
use super::super::tests::{Folder, gzip};
use super::super::work::WorkLimit;
use super::*;

/// Limits that make several batches of small files.
fn small_batches() -> Limits {
    Limits {
        batch_bytes: 1 << 12,
        bytes_ahead: 1 << 13,
        ..Limits::default()
    }
}

#[derive(Default)]
struct Advanced(AtomicU64);

impl Watch for Advanced {
    fn advance(&self, by: u64) {
        self.0.fetch_add(by, Relaxed);
    }
}

#[test]
fn small_files_that_may_hold_much_are_not_small() {
    let folder = Folder::new(&[]);
    let is_small = |name: &str| {
        folder.write(name, b"{}");
        is_small(&folder.source(name), Limits::default().small_file)
    };
    assert!(is_small("a.jsonl") && is_small("page.html") && is_small("gz"));
    assert!(!is_small("a.jsonl.gz") && !is_small("a.ZST") && !is_small("a.parquet"));
    assert!(!is_small("a.wacz"));
}

/// A reader of records of 60 bytes each, of which 100 may be in work.
#[test]
fn large_records_are_handed_on_one_by_one() {
    let ahead = Ahead::default();
    let largest = AtomicU64::new(0);
    let (sender, receiver) = sync_channel(9);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for bytes in [30, 60, 60, 10, 200, 60] {
                let held = ahead.wait_for(bytes, 100);
                largest.fetch_max(*ahead.0.0.lock().unwrap(), Relaxed);
                sender.send(held).unwrap();
            }
            drop(sender);
        });
        std::thread::sleep(Duration::from_millis(20));
        // The first two fit; the third waits for one of them.
        assert_eq!(*ahead.0.0.lock().unwrap(), 90);
        // Each record is done with as it comes.
        assert_eq!(receiver.iter().count(), 6);
    });
    assert_eq!(*ahead.0.0.lock().unwrap(), 0);
    // More than the limit is handed on alone.
    assert_eq!(largest.into_inner(), 200);
}

/// The length of a text.
fn length(number: u64) -> u64 {
    if number % 7 == 3 { 9000 } else { 10 * number }
}

/// Two files with texts of that length, from number 1 to 200, the first one nine times.
fn short_and_long() -> Folder {
    let folder = Folder::new(&[]);
    let long = |number: u64| {
        let text = "x".repeat(length(number) as usize);
        format!("{{\"id\":\"{number}\",\"text\":\"{text}\"}}\n")
    };
    let lines: String = (1..=200).map(long).collect();
    folder.write("a.jsonl", lines.repeat(9).as_bytes());
    folder.write("b.jsonl.gz", &gzip(lines.as_bytes()));
    folder
}

/// The program's own memory, and 400 times 5,000 bytes.
fn for_5000_bytes() -> ReadOptions {
    ReadOptions {
        work: WorkLimit {
            memory: (32 << 20) + 2_000_000,
            times: 400,
        },
        ..ReadOptions::default()
    }
}

/// A record is rejected for its size, at every number of threads; one that is read again is not.
#[test]
fn records_that_take_too_much_memory_are_rejected_alike() {
    let (folder, options) = (short_and_long(), for_5000_bytes());
    let sources = folder.sources(&["."]);
    let make = |number: u32, record: Record| {
        let place = (number, record.number);
        match record.parse(&sources[number as usize], &options) {
            Outcome::Page(page) => (place, Ok(page.content.len() as u64)),
            other => (place, Err(format!("{other:?}"))),
        }
    };
    let found = |threads: usize| {
        let mut found = Vec::new();
        let take = |made: &mut ((u32, u64), std::result::Result<u64, String>)| {
            found.push(made.clone());
            Ok(())
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| each_record(&sources, &options, &(), "reading", make, take))
            .unwrap();
        found
    };
    let one = found(1);
    assert_eq!(one.len(), 2000);
    for ((_, record), made) in &one {
        let number = (record - 1) % 200 + 1;
        match made {
            Ok(found) => assert_eq!(*found, length(number)),
            Err(reason) => {
                assert_eq!(length(number), 9000);
                assert!(reason.contains("bytes needs at least 36M"), "{reason}");
            }
        }
    }
    assert!([2, 8].into_iter().all(|threads| found(threads) == one));
    let mut again = Vec::new();
    let take = |_: usize, made: &mut ((u32, u64), std::result::Result<u64, String>)| {
        again.push(made.1.clone());
        Ok(())
    };
    let make = |_: usize, source: &Source, record: Record| {
        let number = u32::from(source.name != sources[0].name);
        make(number, record)
    };
    let wanted = [(0, 3), (0, 4), (1, 10)];
    let order = ReadOrder::Listed;
    each_wanted(&sources, &options, &wanted, order, &(), make, take).unwrap();
    assert_eq!(again, [Ok(9000), Ok(40), Ok(9000)]);
}

/// A compressed answer is counted by what it holds.
#[test]
fn what_a_record_unpacks_to_counts() {
    let folder = Folder::new(&[]);
    let response = |length: usize| {
        let body = gzip(&b"Oaks stand by the river. ".repeat(length / 25));
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{length}\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{head}",
            head.len() + body.len()
        );
        [record.as_bytes(), &body, b"\r\n\r\n"].concat()
    };
    let file = [response(100), response(100_000), response(1000)].concat();
    assert!(file.len() < 3000);
    folder.write("a.warc", &file);
    let options = for_5000_bytes();
    let sources = folder.sources(&["."]);
    let mut found = Vec::new();
    let make = |page: Page| Ok(page.content.len());
    each_page(&sources, &options, &(), "reading", make, |_, _, made| {
        found.push(made);
        Ok(())
    })
    .unwrap();
    assert_eq!((&found[0], &found[2]), (&Ok(100), &Ok(1000)));
    let reason = found[1].as_ref().unwrap_err();
    assert!(
        reason.contains("a record of 100000 bytes needs at least"),
        "{reason}"
    );
}

#[test]
fn compressed_files_are_read_side_by_side_and_each_in_order() {
    let folder = Folder::new(&[]);
    let lines = |count: usize| "{\"id\":\"x\",\"text\":\"a page\"}\n".repeat(count);
    let sizes = [3000, 10, 900, 0, 2000, 700, 1500];
    for (number, size) in sizes.into_iter().enumerate() {
        folder.write(&format!("{number}.jsonl.gz"), &gzip(lines(size).as_bytes()));
    }
    folder.write("8.jsonl", lines(100).as_bytes());
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    let reading = Reading::all(&sources, &options, &(), "reading");
    assert_eq!(reading.readers(1), [[0, 1, 2, 3, 4, 5, 6, 7]]);
    assert_eq!(reading.readers(100).len(), sizes.len());
    let mut all = reading.readers(3).concat();
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7]);
    let found = |threads: usize| {
        let make = |records: &mut Numbered<'_>| -> Vec<(u32, u64)> {
            records
                .map(|(number, record)| (number, record.number))
                .collect()
        };
        let mut found = Vec::new();
        let take = |made: &mut Vec<(u32, u64)>| {
            found.append(made);
            Ok(())
        };
        let watch = Advanced::default();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        let reading = Reading {
            limits: small_batches(),
            ..Reading::all(&sources, &options, &watch, "reading")
        };
        pool.install(|| reading.run(ReadOrder::Any, make, take))
            .unwrap();
        let size: u64 = sources.iter().map(|source| source.size).sum();
        assert_eq!(watch.0.load(Relaxed), size);
        found
    };
    let (one, side_by_side) = (found(1), found(12));
    assert!(one.is_sorted() && !side_by_side.is_sorted());
    assert_eq!(found(12), side_by_side);
    let mut sorted = side_by_side;
    sorted.sort_by_key(|(source, _)| *source);
    assert_eq!(sorted, one);
}

/// A folder of files of all sizes, some of them larger than what a worker reads itself.
fn small_and_large() -> Folder {
    let small_file = Limits::default().small_file;
    let large = "{\"id\":\"x\",\"text\":\"a page\"}\n".repeat(small_file as usize / 20);
    let folder = Folder::new(&[]);
    for number in 0..40 {
        let name = format!("{number:02}.jsonl");
        match number % 7 {
            3 => folder.write(&name, large.as_bytes()),
            5 => folder.write(&name, b""),
            _ => folder.write(&name, &large.as_bytes()[..27 * number]),
        }
    }
    let sources = folder.sources(&["."]);
    assert!(sources.iter().any(|source| source.size > small_file));
    folder
}

/// Where a record is, and its size.
fn place(number: u32, record: Record) -> (u32, u64, u64) {
    (number, record.number, record.size)
}

fn one_after_the_other(sources: &[Source], options: &ReadOptions) -> Vec<(u32, u64, u64)> {
    let all = sources.iter().enumerate().flat_map(|(number, source)| {
        let records = source.records(options);
        records.map(move |record| place(number as u32, record))
    });
    all.collect()
}

#[test]
fn small_files_and_large_ones_are_read_in_order() {
    let folder = small_and_large();
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    let all = one_after_the_other(&sources, &options);
    let watch = Advanced::default();
    let found = || {
        let mut found = Vec::new();
        each_record(&sources, &options, &watch, "reading", place, |record| {
            found.push(*record);
            Ok(())
        })
        .unwrap();
        found
    };
    assert_eq!(found(), all);
    let size: u64 = sources.iter().map(|source| source.size).sum();
    assert_eq!(watch.0.load(Relaxed), size);
    // On a thread of the pool, which also works on records.
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        assert_eq!(pool.build().unwrap().install(found), all);
    }
}

#[test]
fn what_takes_records_may_use_the_pool() {
    let folder = small_and_large();
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    let all = one_after_the_other(&sources, &options).len();
    let count = || {
        let mut count = 0;
        let take = |record: &mut (u32, u64, u64)| {
            if record.1 % 500 == 1 {
                let numbers: Vec<u64> = [record.1; 64].par_iter().map(|n| 2 * n).collect();
                assert_eq!(numbers, [2 * record.1; 64]);
            }
            count += 1;
            Ok(())
        };
        each_record(&sources, &options, &(), "reading", place, take).unwrap();
        count
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
    assert_eq!([count(), pool.build().unwrap().install(count)], [all; 2]);
}

#[test]
fn panics_and_errors_end_the_reading() {
    let folder = small_and_large();
    let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
    let panic = std::panic::AssertUnwindSafe(|| {
        let make = |number: u32, _| assert_ne!(number, 17);
        each_record(&sources, &options, &(), "reading", make, |_| Ok(()))
    });
    assert!(std::panic::catch_unwind(panic).is_err());
    let mut taken = 0;
    let ended = each_record(&sources, &options, &(), "reading", place, |_| {
        taken += 1;
        Err(Error::Cancelled)
    });
    assert!(ended.is_err());
    assert_eq!(taken, 1);
}

fn line(number: u64) -> String {
    format!("{{\"id\":\"{number}\",\"text\":\"a page\"}}\n")
}

fn lines(count: u64) -> Vec<u8> {
    (1..=count).map(line).collect::<String>().into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn each_wanted_record_comes_once(
        files in prop::collection::vec((any::<bool>(), 0..400u64), 1..6),
        every in 1..40usize,
        threads in 1..20usize,
    ) {
        let folder = Folder::new(&[]);
        let mut all = Vec::new();
        for (number, &(is_compressed, count)) in files.iter().enumerate() {
            match is_compressed {
                true => folder.write(&format!("{number}.jsonl.gz"), &gzip(&lines(count))),
                false => folder.write(&format!("{number}.jsonl"), &lines(count)),
            }
            // The last record does not exist.
            all.extend((1..=count + 1).map(|record| (number as u32, record)));
        }
        let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
        let wanted: Vec<(u32, u64)> = all.into_iter().step_by(every).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for order in [ReadOrder::Listed, ReadOrder::Any] {
            let mut found = Vec::new();
            let make = |at: usize, source: &Source, record: Record| {
                let place = (source.name.clone(), record.number);
                match record.parse(source, &options) {
                    Outcome::Page(page) => (at, place, Some(page.id)),
                    _ => (at, place, None),
                }
            };
            let take = |at: usize, made: &mut (usize, (String, u64), Option<String>)| {
                found.push((at, made.clone()));
                Ok(())
            };
            let reading = Reading {
                sources: &sources,
                options: &options,
                watch: &(),
                wanted: Some(&wanted),
                limits: small_batches(),
            };
            pool.install(|| reading.run_wanted(&wanted, order, make, take)).unwrap();
            if order == ReadOrder::Any {
                found.sort();
            }
            // One after the other.
            let expected: Vec<_> = wanted.iter().enumerate().map(|(at, &(source, number))| {
                let source = &sources[source as usize];
                let mut records = source.records(&options);
                let id = records.any(|r| r.number == number).then(|| number.to_string());
                (at, (at, (source.name.clone(), number), id))
            }).collect();
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn a_record_holds_nothing_of_what_stands_beside_it() {
    let folder = Folder::new(&[]);
    folder.write("in.jsonl", &lines(9));
    let (sources, options) = (folder.sources(&["in.jsonl"]), ReadOptions::default());
    let wanted = [(0, 2), (0, 7)];
    let records = sources[0].records(&options);
    for (record, number) in some_of(records, &wanted).zip([2, 7]) {
        let mut record = record;
        let bytes = match &mut record.body {
            Body::Raw(raw) => raw.shared().unwrap(),
            other => panic!("{other:?}"),
        };
        assert!(bytes.is_unique());
        assert_eq!(bytes, &line(number));
    }
}
