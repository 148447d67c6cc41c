//! What goes to files is the same as what stays in memory.

use proptest::prelude::*;

use super::*;

/// Memory for nothing, memory for a little, memory for all.
fn memories() -> [Memory; 3] {
    let folder = std::env::temp_dir();
    [0, 4 << 20, u64::MAX].map(|limit| Memory::new(0, limit, &folder, Arc::default()))
}

/// Numbers that follow no order.
fn numbers(count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8)
}

#[test]
fn values_are_the_same_wherever_they_are() {
    for memory in memories() {
        let mut held = Held::new(&memory);
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
fn what_is_given_back_can_be_taken_again() {
    let memory = Memory::new(0, 16 << 20, &std::env::temp_dir(), Arc::default());
    for _ in 0..10 {
        let mut held = Held::new(&memory);
        held.extend(&vec![1u64; 400_000]).unwrap();
        assert_eq!(memory.on_disk(), 0);
        let sorter = {
            let mut sorter = Sorter::new(&memory);
            numbers(1000).for_each(|n| sorter.push(n).unwrap());
            sorter
        };
        assert_eq!(sorter.finish().unwrap().count(), 1000);
    }
    let mut held = Held::new(&memory);
    held.extend(&vec![1u64; 2_000_000]).unwrap();
    assert!(memory.on_disk() > 0);
}

#[test]
fn rows_in_memory_have_a_limit_and_can_be_changed() {
    let memory = Memory::new(0, 16 << 20, &std::env::temp_dir(), Arc::default());
    let mut rows = Rows::new(&memory);
    let row = [7u64; 1000];
    // Memory is counted by the mebibyte, rows by the byte.
    let most = 3 << 20;
    while rows.push_within(&row, most).unwrap() {}
    assert_eq!(rows.len(), (most / 8000) as usize);
    for row in rows.some_mut(&[0, 2, 3, 392]).unwrap() {
        row.fill(9);
    }
    for number in 0..rows.len() {
        let expected = if [0, 2, 3, 392].contains(&number) {
            9
        } else {
            7
        };
        assert_eq!(*rows.get(number), [expected; 1000], "{number}");
    }
    assert!(rows.some_mut(&[]).unwrap().is_empty());
    assert_eq!(memory.on_disk(), 0);
    // Rows that nobody limits go to a file where memory ends; then nothing is held any more, nor changed.
    while memory.on_disk() == 0 {
        rows.push(&row).unwrap();
    }
    assert!(!rows.push_within(&row, u64::MAX).unwrap());
    assert!(rows.some_mut(&[0]).is_none());
    assert_eq!(rows.get(2)[0], 9);
    let mut none = Rows::new(&Memory::none(&std::env::temp_dir()));
    assert!(!none.push_within(&row, u64::MAX).unwrap());
    assert!(none.is_empty());
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
fn a_file_that_cannot_be_made_is_an_error_with_its_folder() {
    let memory = Memory::new(0, 0, Path::new("/nowhere/at all"), Arc::default());
    let error = Held::new(&memory).push(1u64).unwrap_err().to_string();
    assert!(error.contains("/nowhere/at all"), "{error}");
}

proptest! {
    #[test]
    fn rows_are_the_same_wherever_they_are(
        rows in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..9), 0..50),
        repeated in 1usize..200,
    ) {
        for memory in memories() {
            let mut held = Rows::new(&memory);
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
        }
    }
}
