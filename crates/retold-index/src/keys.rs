//! Posting lists on disk, in blocks of 4 KiB with a checksum each.
//!
//! Postings (key, page) are in ascending order. A block is a sequence of runs, one for each key: the key in eight bytes, then as LEB128
//! numbers the count of pages and the difference of each page from the one before. The first key of every block is kept in memory, so
//! looking up a key reads only the blocks that hold it, usually one or two.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use retold::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::files::{damaged, read_at};

pub(crate) const BLOCK: usize = 4096;
/// Bytes of a block's head: its checksum and the number of bytes used.
const BLOCK_HEAD: usize = 10;
/// Bytes that one posting takes at most: three numbers of 64 bits.
const LARGEST: usize = 30;

pub(crate) struct Blocks<W> {
    out: W,
    pub(crate) firsts: Vec<u64>,
    block: Vec<u8>,
    /// The last key, and the pages of the current key.
    key: u64,
    pages: Vec<u32>,
}

impl<W: Write> Blocks<W> {
    pub(crate) fn new(out: W) -> Blocks<W> {
        Blocks {
            out,
            firsts: Vec::new(),
            block: Vec::with_capacity(BLOCK),
            key: 0,
            pages: Vec::new(),
        }
    }

    /// Adds a posting; postings come in ascending order.
    pub(crate) fn push(&mut self, key: u64, page: u32) -> std::io::Result<()> {
        if key != self.key {
            self.end_run()?;
            self.key = key;
        }
        self.pages.push(page);
        Ok(())
    }

    /// Writes the pages of the current key, in as many blocks as needed.
    fn end_run(&mut self) -> std::io::Result<()> {
        let pages = std::mem::take(&mut self.pages);
        let mut rest = &pages[..];
        while !rest.is_empty() {
            if self.block.len() + LARGEST > BLOCK {
                self.end_block()?;
            }
            if self.block.is_empty() {
                self.firsts.push(self.key);
                self.block.extend([0; BLOCK_HEAD]);
            }
            self.block.extend(self.key.to_be_bytes());
            let mut run = Vec::new();
            let (mut count, mut last) = (0, 0);
            for &page in rest {
                if self.block.len() + run.len() + LARGEST > BLOCK {
                    break;
                }
                put(&mut run, u64::from(page - last));
                (last, count) = (page, count + 1);
            }
            put(&mut self.block, count as u64);
            self.block.extend(run);
            rest = &rest[count..];
        }
        self.pages = pages;
        self.pages.clear();
        Ok(())
    }

    fn end_block(&mut self) -> std::io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let used = self.block.len() as u16;
        self.block.resize(BLOCK, 0);
        self.block[8..10].copy_from_slice(&used.to_le_bytes());
        let check = xxh3_64(&self.block[8..]);
        self.block[..8].copy_from_slice(&check.to_le_bytes());
        self.out.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Writes what is left. Returns the writer and the first keys of all blocks.
    pub(crate) fn finish(mut self) -> std::io::Result<(W, Vec<u64>)> {
        self.end_run()?;
        self.end_block()?;
        Ok((self.out, self.firsts))
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn get(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) firsts: Vec<u64>,
}

impl Keys {
    fn blocks(&self, key: u64) -> std::ops::Range<usize> {
        let start = self.firsts.partition_point(|&first| first < key);
        let end = self.firsts.partition_point(|&first| first <= key);
        start.saturating_sub(1)..end
    }

    /// An estimate of the number of pages with the key, without reading the file.
    pub(crate) fn guess(&self, key: u64) -> usize {
        // A block full of one key has at least 800 pages.
        self.blocks(key).len().saturating_sub(2) * 800
    }

    /// Passes the pages with `key` to `take`, ascending, until `take` returns false.
    pub(crate) fn pages(
        &self,
        file: &File,
        path: &Path,
        key: u64,
        mut take: impl FnMut(u32) -> bool,
    ) -> Result<()> {
        let mut block = [0; BLOCK];
        for number in self.blocks(key) {
            read_block(file, path, number, &mut block)?;
            let found = find(&block, key, &mut take);
            if !found.ok_or_else(|| bad(path, number))? {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn iter<'a>(
        &'a self,
        file: &'a File,
        path: &'a Path,
    ) -> impl Iterator<Item = Result<Vec<(u64, u32)>>> + 'a {
        (0..self.firsts.len()).map(move |number| {
            let mut block = [0; BLOCK];
            read_block(file, path, number, &mut block)?;
            let all = all(&block).ok_or_else(|| bad(path, number))?;
            if all.first().map(|&(key, _)| key) != self.firsts.get(number).copied() {
                return Err(bad(path, number));
            }
            Ok(all)
        })
    }
}

fn bad(path: &Path, number: usize) -> Error {
    damaged(path, &format!("block {number} is not whole"))
}

fn read_block(file: &File, path: &Path, number: usize, block: &mut [u8; BLOCK]) -> Result<()> {
    read_at(file, path, block, (number * BLOCK) as u64)?;
    if xxh3_64(&block[8..]).to_le_bytes() != block[..8] {
        return Err(bad(path, number));
    }
    Ok(())
}

/// Passes the pages with a key in one block to `take`; returns false if `take` did. `None` if the block is malformed.
fn find(block: &[u8; BLOCK], key: u64, mut take: impl FnMut(u32) -> bool) -> Option<bool> {
    let used = u16::from_le_bytes([block[8], block[9]]) as usize;
    let mut rest = block.get(BLOCK_HEAD..used)?;
    while !rest.is_empty() {
        let (found, behind) = rest.split_first_chunk::<8>()?;
        let found = u64::from_be_bytes(*found);
        if found > key {
            break;
        }
        rest = behind;
        let mut count = get(&mut rest)?;
        if found < key {
            // The last byte of each number is below 0x80.
            let mut ends = rest.iter().enumerate().filter(|(_, byte)| **byte < 0x80);
            let last = usize::try_from(count).ok()?.checked_sub(1)?;
            rest = &rest[ends.nth(last)?.0 + 1..];
            continue;
        }
        let mut page = 0u32;
        while count > 0 {
            page = page.checked_add(get(&mut rest)? as u32)?;
            count -= 1;
            if !take(page) {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// All postings of a block; `None` if it is malformed.
fn all(block: &[u8; BLOCK]) -> Option<Vec<(u64, u32)>> {
    let used = u16::from_le_bytes([block[8], block[9]]) as usize;
    let mut rest = block.get(BLOCK_HEAD..used)?;
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (key, behind) = rest.split_first_chunk::<8>()?;
        rest = behind;
        let mut page = 0u32;
        for _ in 0..get(&mut rest)? {
            page = page.checked_add(get(&mut rest)? as u32)?;
            all.push((u64::from_be_bytes(*key), page));
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn keys_find_their_pages(
            lists in proptest::collection::btree_map(0u64..200, (1usize..40, 1u32..300), 0..60),
            long in 0u32..6000,
        ) {
            let mut all: Vec<(u64, u32)> = lists
                .iter()
                .flat_map(|(&key, &(count, step))| (0..count as u32).map(move |n| (key, n * step)))
                .collect();
            all.extend((0..long).map(|page| (77, 20_000 + 3 * page)));
            all.sort_unstable();
            let mut file = tempfile::tempfile().unwrap();
            let mut blocks = Blocks::new(&mut file);
            for &(key, page) in &all {
                blocks.push(key, page).unwrap();
            }
            let (_, firsts) = blocks.finish().unwrap();
            let keys = Keys { firsts };
            let path = Path::new("keys");
            for key in 0..200 {
                let mut found = Vec::new();
                keys.pages(&file, path, key, |page| { found.push(page); true }).unwrap();
                let expected: Vec<u32> = all.iter().filter(|p| p.0 == key).map(|p| p.1).collect();
                prop_assert!(keys.guess(key) <= expected.len());
                prop_assert_eq!(found, expected);
            }
            let read: Result<Vec<_>> = keys.iter(&file, path).collect();
            prop_assert_eq!(read.unwrap().concat(), all);
        }
    }

    #[test]
    fn no_wrong_byte_goes_unseen() {
        let mut blocks = Blocks::new(Vec::new());
        for page in 0..100 {
            blocks.push(u64::from(page) << 50, page).unwrap();
        }
        let (bytes, firsts) = blocks.finish().unwrap();
        let keys = Keys { firsts };
        for wrong in (0..BLOCK).step_by(7) {
            let mut file = tempfile::tempfile().unwrap();
            let mut changed = bytes.clone();
            changed[wrong] ^= 1;
            file.write_all(&changed).unwrap();
            let found = keys.pages(&file, Path::new("keys"), 3 << 50, |_| true);
            assert!(found.is_err(), "byte {wrong}");
        }
    }
}
