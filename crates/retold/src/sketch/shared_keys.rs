//! Keys with the numbers of all sketches that have them.

use super::store::Sketches;
use crate::error::Result;
use crate::ids::SketchNo;
use crate::spill::{Counts, Sorted, Sorter};

/// The two halves of a key, and the number of a sketch with this key.
type Record = [u32; 3];

pub(crate) struct SharedKeys(Sorted<Record>);

impl SharedKeys {
    /// The keys of all sketches, each with the `numbers` of the sketches that have it. Before sorting, drops many of the keys whose
    /// sketches weigh at most `limit` together, and no other keys.
    ///
    /// Errors: a temporary file cannot be written.
    pub(crate) fn of<I: IntoIterator<Item = u32>>(
        sketches: &Sketches,
        weight: impl Fn(SketchNo) -> u64 + Sync,
        limit: u64,
        numbers: impl Fn(SketchNo) -> I + Sync,
    ) -> Result<SharedKeys> {
        let counts = Counts::new(sketches.values(), sketches.memory());
        sketches.made(
            |piece| {
                for (number, sketch) in piece {
                    let weight = weight(number);
                    sketch.keys.iter().for_each(|&key| counts.add(key, weight));
                }
            },
            |()| Ok(()),
        )?;
        let limit = limit.min(Counts::MOST - 1);
        let mut sorter = Sorter::new(sketches.memory());
        sketches.made(
            |piece| {
                let mut records: Vec<Record> = Vec::new();
                for (number, sketch) in piece {
                    let shared = sketch.keys.iter();
                    for &key in shared.filter(|&&key| counts.at_most(key) > limit) {
                        let record = |number| [(key >> 32) as u32, key as u32, number];
                        records.extend(numbers(number).into_iter().map(record));
                    }
                }
                records
            },
            |records| sorter.extend(records),
        )?;
        drop(counts);
        sorter.finish().map(SharedKeys)
    }

    /// Passes each key with its numbers, ascending, to `take`, in the order of keys.
    ///
    /// Errors: those of `take`.
    pub(crate) fn each(self, mut take: impl FnMut(u64, &[u32]) -> Result<()>) -> Result<()> {
        let (mut list, mut last) = (Vec::new(), None);
        for [high, low, number] in self.0 {
            let key = u64::from(high) << 32 | u64::from(low);
            if let Some(last) = last.filter(|&last| last != key) {
                take(last, &list)?;
                list.clear();
            }
            last = Some(key);
            list.push(number);
        }
        last.map_or(Ok(()), |last| take(last, &list))
    }
}
