//! Pages that consist of the same templates. Their keys may all be on closed posting lists ([`super::heavy_keys`]), for example if they have
//! the same common paragraphs in different orders. So these pages are sorted by their most frequent keys, and compared with their neighbours
//! (the sorted-neighbourhood method: Hernández & Stolfo, The merge/purge problem for large databases, 1995).

use std::collections::VecDeque;

use super::join::Join;
use crate::error::Result;
use crate::ids::GroupNo;
use crate::spill::{Memory, Sorter};

/// How many neighbours a page is compared with on each side, ...
const NEIGHBOURS: usize = 24;
/// ... if so many tenths of their heavy keys are the same, beginning with the most frequent.
const TENTHS: usize = 8;
/// How many heavy keys count.
const KEYS: usize = 24;
/// Minimum number of heavy keys: fewer are a line or two.
const LEAST: usize = 4;

/// The ranks of the most frequent heavy keys, descending; then zeros; then their number and the place.
type Templates = [u32; KEYS + 2];

/// Pairs of groups that have the same heavy keys and few others, ascending. Time and number are linear in that of groups.
///
/// Errors: a temporary file cannot be written.
pub(super) fn pairs(join: &Join, memory: &Memory) -> Result<impl Iterator<Item = [GroupNo; 2]>> {
    let mut templates: Sorter<Templates> = Sorter::new(memory);
    for place in 0..join.len() {
        let ranks = join.ranks_of(place);
        let heavy = &ranks[join.heavy_from(&ranks)..];
        if heavy.len() < LEAST || 2 * heavy.len() < ranks.len() {
            continue;
        }
        let mut row = [0; KEYS + 2];
        row.iter_mut()
            .zip(heavy.iter().rev().take(KEYS))
            .for_each(|(to, rank)| *to = *rank);
        (row[KEYS], row[KEYS + 1]) = (heavy.len().min(KEYS) as u32, place as u32);
        templates.push(row)?;
    }
    let mut pairs: Sorter<[u32; 2]> = Sorter::new(memory);
    let mut before: VecDeque<Templates> = VecDeque::new();
    for row in templates.finish()? {
        for other in before
            .iter()
            .rev()
            .take_while(|other| are_alike(other, &row))
        {
            let [a, b] = [row, *other].map(|row| join.group(row[KEYS + 1]).0);
            pairs.push([a.min(b), a.max(b)])?;
        }
        before.push_back(row);
        if before.len() > NEIGHBOURS {
            before.pop_front();
        }
    }
    Ok(pairs.finish()?.map(|pair| pair.map(GroupNo)))
}

fn are_alike(one: &Templates, other: &Templates) -> bool {
    let both = one[..KEYS].iter().zip(&other[..KEYS]);
    let equal = both.take_while(|(a, b)| a == b).count();
    let fewer = one[KEYS].min(other[KEYS]) as usize;
    10 * equal >= TENTHS * fewer
}

#[cfg(test)]
mod tests {
    use super::super::join::Traits;
    use super::*;
    use crate::ids::SketchNo;
    use crate::sketch::{Sketch, Sketches};
    use crate::spill::Memory;

    /// The pairs of sketches with these keys, where a key in more than two sketches is heavy.
    fn pairs_of(keys: &[Vec<u64>]) -> Vec<[u32; 2]> {
        let memory = Memory::default();
        let mut sketches = Sketches::new(&memory);
        let mut numbers = Vec::new();
        for keys in keys {
            let sketch = Sketch {
                keys: keys.clone(),
                ..Sketch::default()
            };
            numbers.push(SketchNo(sketches.add(sketch.as_ref()).unwrap().0));
        }
        let traits = Traits {
            size: &|keys| keys.len(),
            needs_distinctive: &|_| None,
            is_common: &|_| false,
            parts: None,
        };
        let join = Join::build(&sketches, &numbers, 2, &traits).unwrap();
        let found = pairs(&join, &memory).unwrap();
        found.map(|pair| pair.map(|group| group.0)).collect()
    }

    #[test]
    fn groups_of_the_same_heavy_keys_by_hand() {
        let template = |own: &[u64]| [&[1, 2, 3, 4], own].concat();
        // Keys 1 to 4 are on three sketches; 20 and 21 on two.
        let found = pairs_of(&[
            template(&[10]),
            template(&[11, 20, 21]),
            template(&[12, 20, 21]),
            vec![1, 2, 3, 30],
        ]);
        assert_eq!(found, [[0, 1], [0, 2], [1, 2]]);
        // With five keys that another sketch has too, heavy ones are the fewer.
        let others = [20, 21, 22, 23, 24];
        let found = pairs_of(&[template(&[10]), template(&others), template(&others)]);
        assert!(found.is_empty(), "{found:?}");
    }

    /// Of 60 groups with the same heavy keys, each is compared with 24 before it and behind it.
    #[test]
    fn a_large_set_has_few_pairs() {
        let count = 60;
        let keys: Vec<Vec<u64>> = (0..count).map(|own| vec![1, 2, 3, 4, 100 + own]).collect();
        let all = (0..60u32).flat_map(|a| (a + 1..60.min(a + 25)).map(move |b| [a, b]));
        assert_eq!(pairs_of(&keys), all.collect::<Vec<[u32; 2]>>());
    }

    /// Eight of ten keys are enough if they are the most frequent.
    #[test]
    fn the_most_frequent_keys_decide() {
        let mut keys: Vec<Vec<u64>> = Vec::new();
        // Keys 1 to 8 are on all ten, 50 and 51 on five of them, 60 and 61 on the others.
        for at in 0..10 {
            let rarer = if at % 2 == 0 { [50, 51] } else { [60, 61] };
            keys.push((1..=8).chain(rarer).collect());
        }
        assert_eq!(pairs_of(&keys).len(), 45);
        // Seven of nine are not.
        keys.iter_mut().for_each(|keys| {
            keys.remove(0);
        });
        assert_eq!(pairs_of(&keys).len(), 20);
    }
}
