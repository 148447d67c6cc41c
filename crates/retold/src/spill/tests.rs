//! Data in files equals data in memory.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::error::Error;

/// Budgets for nothing, for a little, and for everything.
fn memories() -> [Memory; 3] {
    let folder = std::env::temp_dir();
    [0, 4 << 20, u64::MAX].map(|limit| Memory::limited(limit, &folder))
}

/// Numbers in pseudo-random order.
fn numbers(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8)
}

#[test]
fn values_are_the_same_wherever_they_are() {
    for memory in memories() {
        let mut held = SpillVec::new(&memory);
        let all: Vec<u64> = numbers(700_000).collect();
        for (at, &value) in all.iter().enumerate() {
            held.push(value).unwrap();
            assert_eq!(held.one(at / 2), all[at / 2]);
        }
        assert_eq!(held.len(), all.len());
        assert!(held.iter().eq(all.iter().copied()));
        for (start, count) in [(0, 0), (5, 3), (699_990, 10), (8_000, 690_000)] {
            assert_eq!(&held.get(start, count)[..], &all[start..start + count]);
        }
        memory.check().unwrap();
    }
}

#[test]
fn values_come_back_where_there_is_room() {
    for (memory, has_room) in memories().into_iter().zip([false, true, true]) {
        let all: Vec<u64> = numbers(1_000).collect();
        let mut held = SpillVec::on_disk(&memory).unwrap();
        held.extend(&all).unwrap();
        held.push(7).unwrap();
        held.recall();
        assert_eq!(held.in_memory().is_some(), has_room);
        held.push(8).unwrap();
        assert!(held.iter().eq(all.iter().copied().chain([7, 8])));
        memory.check().unwrap();
    }
}

#[test]
fn what_is_given_back_can_be_taken_again() {
    let memory = Memory::limited(16 << 20, &std::env::temp_dir());
    for _ in 0..10 {
        let mut held = SpillVec::new(&memory);
        held.extend(&vec![1u64; 400_000]).unwrap();
        assert_eq!(memory.on_disk(), 0);
        let sorter = {
            let mut sorter = Sorter::new(&memory);
            numbers(1000).for_each(|n| sorter.push(n).unwrap());
            sorter
        };
        assert_eq!(sorter.finish().unwrap().count(), 1000);
    }
    let mut held = SpillVec::new(&memory);
    held.extend(&vec![1u64; 2_000_000]).unwrap();
    assert!(memory.on_disk() > 0);
}

#[test]
fn rows_in_memory_have_a_limit_of_their_own() {
    let memory = Memory::limited(16 << 20, &std::env::temp_dir());
    let mut rows = RowArena::new(&memory).within(3 << 20);
    // Memory is counted in mebibytes, rows in bytes.
    while memory.on_disk() == 0 {
        rows.push(vec![7u64; 1000]).unwrap();
    }
    assert_eq!(rows.len(), (3 << 20) / 8032 + 1);
    assert_eq!(memory.left(), 12 << 20);
    // Others may use what is left.
    let mut rows = rows.within(u64::MAX);
    let mut others = RowArena::new(&memory);
    let before = memory.on_disk();
    others.push(vec![7u64; 1_000_000]).unwrap();
    assert_eq!(memory.on_disk(), before);
    rows.push(vec![8; 3]).unwrap();
    assert_eq!(*rows.get_changed(rows.len() - 1, |_| ()), [8; 3]);
    drop(others);
    assert_eq!(memory.left(), 12 << 20);
}

#[test]
fn rows_that_are_read_often_are_those_of_the_file() {
    // Memory for a third of them.
    let memory = Memory::limited(4 << 20, &std::env::temp_dir());
    let mut rows = SpillRows::on_disk(&memory).unwrap();
    let all: Vec<Vec<u64>> = (0..9000)
        .map(|row| numbers(row % 250).map(|n| n ^ row).collect())
        .collect();
    all.iter().for_each(|row| rows.push(row).unwrap());
    rows.read_often(1);
    assert_eq!(memory.left(), 0);
    let order: Vec<usize> = numbers(60_000).map(|n| (n % 9000) as usize).collect();
    for &row in &order {
        assert_eq!(*rows.get(row), all[row]);
        assert_eq!(*rows.get(row % 50), all[row % 50]);
    }
    // New rows are not in the cache. Cached rows are changed once, when they are read.
    rows.push(&[1, 2]).unwrap();
    rows.read_often(2);
    assert!(memory.left() > 0);
    for &row in order.iter().chain(&[40]) {
        let changed = rows.get_changed(row, |values| values.iter_mut().for_each(|n| *n ^= 1));
        let expected: Vec<u64> = all[row].iter().map(|n| n ^ 1).collect();
        assert_eq!(*changed, expected);
    }
    assert_eq!(*rows.get(9000), [1, 2]);
}

#[test]
fn records_are_sorted_wherever_they_are() {
    for memory in memories() {
        let mut sorter = Sorter::new(&memory);
        let mut all: Vec<[u64; 2]> = numbers(200_000).map(|n| [n % 1000, n]).collect();
        all.extend_from_within(..1000);
        all.iter().for_each(|&record| sorter.push(record).unwrap());
        all.sort_unstable();
        assert!(sorter.finish().unwrap().eq(all));
        memory.check().unwrap();
    }
}

#[test]
fn records_that_come_together_are_sorted_like_single_ones() {
    for memory in memories() {
        let mut sorter = Sorter::new(&memory);
        let mut all: Vec<u64> = numbers(150_000).collect();
        let mut rest = &all[..];
        // Pieces shorter and longer than a run, and single records between them.
        for length in [0, 1, 7, 100, 5_000, 1, 30_000].into_iter().cycle() {
            let (some, others) = rest.split_at(rest.len().min(length));
            sorter.extend(some).unwrap();
            let Some((&next, others)) = others.split_first() else {
                break;
            };
            sorter.push(next).unwrap();
            rest = others;
        }
        all.sort_unstable();
        assert!(sorter.finish().unwrap().eq(all));
        memory.check().unwrap();
    }
}

#[test]
fn a_file_that_cannot_be_made_is_an_error_with_its_folder() {
    let memory = Memory::limited(0, Path::new("/nowhere/at all"));
    let error = SpillVec::new(&memory).push(1u64).unwrap_err().to_string();
    assert!(error.contains("/nowhere/at all"), "{error}");
}

proptest! {
    #[test]
    fn rows_are_the_same_wherever_they_are(
        rows in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..9), 0..50),
        repeated in 1usize..200,
    ) {
        for memory in memories() {
            let mut held = SpillRows::new(&memory);
            let all: Vec<&Vec<u32>> = rows.iter().cycle().take(rows.len() * repeated).collect();
            all.iter().for_each(|row| held.push(row).unwrap());
            prop_assert_eq!(held.len(), all.len());
            let mut seen = 0;
            held.each(|number, row| {
                assert_eq!((number, row), (seen, &all[seen][..]));
                seen += 1;
            });
            prop_assert_eq!(seen, all.len());
            for (number, row) in all.iter().enumerate() {
                prop_assert_eq!(&held.get(number)[..], &row[..]);
                prop_assert_eq!(held.count(number), row.len());
            }
            memory.check().unwrap();
        }
    }

    #[test]
    fn rows_apart_are_the_same_wherever_they_are(
        rows in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..9), 0..50),
        repeated in 1usize..200,
        together in 1usize..9,
        between in 0..6u32,
    ) {
        for memory in memories() {
            let mut held = RowArena::new(&memory);
            let all: Vec<&Vec<u32>> = rows.iter().cycle().take(rows.len() * repeated).collect();
            for rows in all.chunks(together) {
                // Much or little of the batch is in no row.
                let (mut batch, mut places) = (Vec::new(), Vec::new());
                for row in rows {
                    batch.extend(0..between);
                    places.push(batch.len()..batch.len() + row.len());
                    batch.extend_from_slice(row);
                }
                held.push_all(batch, places).unwrap();
            }
            prop_assert_eq!(held.len(), all.len());
            // Some rows are changed, and others added after them.
            let is_changed = |number: usize| number.is_multiple_of(repeated.min(3));
            let some: Vec<usize> = (0..all.len()).filter(|&number| is_changed(number)).collect();
            let change = |row: &mut [u32]| row.iter_mut().for_each(|value| *value |= 1);
            held.change(&some, change);
            held.push(vec![3, 4]).unwrap();
            for (number, row) in all.iter().enumerate() {
                let bit = u32::from(is_changed(number));
                let expected: Vec<u32> = row.iter().map(|value| value | bit).collect();
                let found = match is_changed(number) {
                    true => held.get_changed(number, change),
                    false => held.get_changed(number, |_| ()),
                };
                prop_assert_eq!(&found[..], &expected[..]);
            }
            prop_assert_eq!(&held.get_changed(all.len(), |_| ())[..], &[3, 4]);
            memory.check().unwrap();
        }
    }

    #[test]
    fn rows_are_inverted_as_one_by_one(
        rows in proptest::collection::vec(proptest::collection::vec(0..30u32, 0..40), 0..60),
        repeated in 1usize..20,
    ) {
        let all: Vec<&Vec<u32>> = rows.iter().cycle().take(rows.len() * repeated).collect();
        let mut inverted = vec![Vec::new(); 31];
        for (row, values) in (0..).zip(&all) {
            values.iter().for_each(|&value| inverted[value as usize].push(row));
        }
        for memory in memories() {
            let mut held = SpillRows::new(&memory);
            all.iter().for_each(|row| held.push(row).unwrap());
            let found = held.inverted(31).unwrap();
            prop_assert_eq!(found.len(), 31);
            found.each(|value, rows| assert_eq!(rows, inverted[value]));
            memory.check().unwrap();
        }
    }

    #[test]
    fn parts_are_worked_on_together_as_one_by_one(
        rows in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..200), 0..60),
        repeated in 1usize..20,
    ) {
        for memory in memories() {
            let mut held = SpillRows::new(&memory);
            let mut all: Vec<Vec<u32>> = rows.iter().cycle().take(rows.len() * repeated).cloned().collect();
            all.iter().for_each(|row| held.push(row).unwrap());
            let make = |part: &Piece<'_, u32>| -> Vec<(usize, Vec<u32>)> {
                part.rows().map(|(number, row)| (number, row.to_vec())).collect()
            };
            let (mut made, mut parts) = (Vec::new(), 0);
            held.made(make, |part| {
                parts += 1;
                made.append(part);
                Ok(())
            }).unwrap();
            let numbered: Vec<(usize, Vec<u32>)> = all.iter().cloned().enumerate().collect();
            prop_assert_eq!(made, numbered);
            prop_assert!(parts >= all.len() / 8 && (parts > 0 || all.is_empty()));
            prop_assert_eq!(make(&held.whole()).len(), all.len());
            // An error ends it.
            let mut taken = 0;
            let ended = held.made(|_| (), |_| {
                taken += 1;
                Err(Error::Cancelled)
            });
            prop_assert!(ended.is_err() == (taken == 1) && taken <= 1);
            // All are changed, and then all again.
            for _ in 0..2 {
                let change = |row: &mut [u32]| {
                    let count = row.len() as u32;
                    row.iter_mut().for_each(|value| *value = value.wrapping_mul(3) ^ count);
                };
                held.update(change).unwrap();
                all.iter_mut().for_each(|row| change(row));
                let mut found = Vec::new();
                held.each(|_, row| found.push(row.to_vec()));
                prop_assert_eq!(&found, &all);
            }
            // The values end to end.
            let values: Vec<u32> = all.concat();
            let mut ended = SpillVec::new(&memory);
            ended.extend(&values).unwrap();
            let mut found = Vec::new();
            ended.made(<[u32]>::to_vec, |part| {
                found.append(part);
                Ok(())
            }).unwrap();
            prop_assert_eq!(found, values);
            memory.check().unwrap();
        }
    }
}
