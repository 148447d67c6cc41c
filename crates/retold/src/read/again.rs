//! Reading some records a second time.

use super::each::{Numbered, Order, Reading};
use super::{Outcome, ReadOptions, Record, Source};
use crate::error::Result;
use crate::watch::Watch;

/// Hands what `make` makes of the `wanted` records, (source, number within it), ascending and without repetition, to `take`, each
/// with its place in the list. One that is no longer there, as the file has changed since it was read first, is a rejected one.
/// Threads and memory are those of [`super::each_batch`]; progress is left to `take`.
///
/// Errors: those of `take`, and the run was cancelled.
pub fn again<T: Send>(
    sources: &[Source],
    options: &ReadOptions,
    (wanted, order): (&[(u32, u64)], Order),
    watch: &dyn Watch,
    make: impl Fn(usize, &Source, Record) -> T + Sync,
    mut take: impl FnMut(usize, &mut T) -> Result<()>,
) -> Result<()> {
    let make = |records: &mut Numbered<'_>| -> Vec<(usize, T)> {
        let made = records.map(|(source, record)| {
            let at = wanted.partition_point(|&place| place < (source, record.number));
            (at, make(at, &sources[source as usize], record))
        });
        made.collect()
    };
    let take = |made: &mut Vec<(usize, T)>| {
        let mut made = made.iter_mut();
        made.try_for_each(|(at, made)| take(*at, made))
    };
    let reading = Reading {
        sources,
        options,
        watch: &Unwatched(watch),
        wanted: Some(wanted),
    };
    reading.run(order, make, take)?;
    Ok(())
}

/// The `wanted` ones of the records of a source.
pub(super) fn some_of(
    mut records: Box<dyn Iterator<Item = Record> + Send>,
    wanted: &[(u32, u64)],
) -> impl Iterator<Item = Record> + Send {
    wanted.iter().map(move |&(_, number)| {
        let record = records.find(|record| record.number >= number);
        match record.filter(|record| record.number == number) {
            // Of a block few are wanted, and it would be held as long as one of them.
            Some(record) => record.by_itself(),
            None => Record::done(number, 0, Outcome::Rejected("it is no longer there".into())),
        }
    })
}

/// Somebody who may stop the reading, and is not shown its progress.
struct Unwatched<'a>(&'a dyn Watch);

impl Watch for Unwatched<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::frame::Body;
    use super::super::tests::{Folder, gzip};
    use super::*;

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
            for (number, &(is_packed, count)) in files.iter().enumerate() {
                match is_packed {
                    true => folder.write(&format!("{number}.jsonl.gz"), &gzip(&lines(count))),
                    false => folder.write(&format!("{number}.jsonl"), &lines(count)),
                }
                // The last one is not there.
                all.extend((1..=count + 1).map(|record| (number as u32, record)));
            }
            let (sources, options) = (folder.sources(&["."]), ReadOptions::default());
            let wanted: Vec<(u32, u64)> = all.into_iter().step_by(every).collect();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for order in [Order::Listed, Order::Any] {
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
                pool.install(|| again(&sources, &options, (&wanted, order), &(), make, take)).unwrap();
                if order == Order::Any {
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
            match record.body {
                Body::Json { line: bytes, .. } => {
                    assert!(bytes.is_unique());
                    assert_eq!(bytes, line(number));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
