//! Reading some records a second time.

use std::iter::Enumerate;
use std::slice::Iter;

use super::{ReadOptions, Record, Source};

/// Maximum bytes and number of records in a batch.
const BATCH_BYTES: u64 = 16 << 20;
const BATCH_RECORDS: usize = 1024;

/// A requested record: its place in the list of requests, its source, and the record, `None` if it is
/// no longer there (the file has changed since it was read first).
pub type Found<'a> = (usize, &'a Source, Option<Record>);

/// Requested records in batches, in the order of reading.
pub struct Again<'a> {
    sources: &'a [Source],
    options: &'a ReadOptions,
    wanted: Enumerate<Iter<'a, (u32, u64)>>,
    open: Option<(u32, Box<dyn Iterator<Item = Record> + Send>)>,
}

/// Reads the requested records, (source, number within it), ascending and without repetition.
pub fn again<'a>(
    sources: &'a [Source],
    options: &'a ReadOptions,
    wanted: &'a [(u32, u64)],
) -> Again<'a> {
    Again {
        sources,
        options,
        wanted: wanted.iter().enumerate(),
        open: None,
    }
}

impl<'a> Again<'a> {
    fn record(&mut self, source: u32, number: u64) -> Option<Record> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != source) {
            let records = self.sources[source as usize].records(self.options);
            self.open = Some((source, records));
        }
        let (_, records) = self.open.as_mut()?;
        let record = records.find(|record| record.number >= number);
        // Of a block few are wanted, and it would be held as long as one of them.
        record
            .filter(|record| record.number == number)
            .map(Record::by_itself)
    }
}

impl<'a> Iterator for Again<'a> {
    type Item = Vec<Found<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH_BYTES
            && batch.len() < BATCH_RECORDS
            && let Some((at, &(source, number))) = self.wanted.next()
        {
            let record = self.record(source, number);
            bytes += record.as_ref().map_or(0, |record| record.size);
            batch.push((at, &self.sources[source as usize], record));
        }
        (!batch.is_empty()).then_some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::Body;
    use super::super::tests::Folder;
    use super::*;

    #[test]
    fn a_record_holds_nothing_of_what_stands_beside_it() {
        let line = |number: u32| format!("{{\"id\":\"{number}\",\"text\":\"a page\"}}\n");
        let folder = Folder::new(&[]);
        folder.write("in.jsonl", (1..=9).map(line).collect::<String>().as_bytes());
        let (sources, options) = (folder.sources(&["in.jsonl"]), ReadOptions::default());
        let found: Vec<Found<'_>> = again(&sources, &options, &[(0, 2), (0, 7)])
            .flatten()
            .collect();
        for ((_, _, record), number) in found.into_iter().zip([2, 7]) {
            match record.unwrap().body {
                Body::Json { line: bytes, .. } => {
                    assert!(bytes.is_unique());
                    assert_eq!(bytes, line(number));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
