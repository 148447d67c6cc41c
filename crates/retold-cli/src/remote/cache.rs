//! Bytes of remote files that were read, in one temporary file without a name, for the passes that follow.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use retold::internal::read_exact_at;
use retold::{Error, Result};

/// A number for each file, and the requested range: all passes request the same ranges.
type Key = (u64, Range<u64>);

#[derive(Debug)]
pub struct Cache {
    limit: u64,
    file: File,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    end: u64,
    /// Where the ranges begin.
    ranges: HashMap<Key, u64>,
}

impl Cache {
    /// A cache of at most this number of bytes, in this folder.
    pub fn new(folder: &Path, limit: u64) -> Result<Cache> {
        let file = tempfile::tempfile_in(folder);
        Ok(Cache {
            limit,
            file: file.map_err(Error::io("cannot write temporary files in", folder))?,
            held: Mutex::default(),
        })
    }

    pub fn get(&self, file: u64, range: &Range<u64>) -> Option<Bytes> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let place = *held.ranges.get(&(file, range.clone()))?;
        drop(held);
        let mut bytes = vec![0; usize::try_from(range.end - range.start).ok()?];
        // What cannot be read is fetched again.
        read_exact_at(&self.file, &mut bytes, place).ok()?;
        Some(bytes.into())
    }

    /// Keeps the bytes of a range, if there is room.
    pub fn put(&self, file: u64, range: &Range<u64>, bytes: &[u8]) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let place = held.end;
        if place + bytes.len() as u64 > self.limit {
            return;
        }
        let mut to = &self.file;
        let written = to
            .seek(SeekFrom::Start(place))
            .and_then(|_| to.write_all(bytes));
        // A full disk is no reason to end the run: the bytes are fetched again.
        if written.is_ok() {
            held.end += bytes.len() as u64;
            held.ranges.insert((file, range.clone()), place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), 5).unwrap();
        cache.put(1, &(0..3), b"abc");
        cache.put(1, &(3..6), b"def");
        cache.put(2, &(0..2), b"xy");
        assert_eq!(cache.get(1, &(0..3)).as_deref(), Some(&b"abc"[..]));
        assert_eq!(cache.get(2, &(0..2)).as_deref(), Some(&b"xy"[..]));
        assert!(cache.get(1, &(3..6)).is_none() && cache.get(2, &(0..3)).is_none());
    }
}
