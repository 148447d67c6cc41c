//! A cache for rows of a file that are read often.

use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::memory::{Memory, PIECE};

/// Overhead per row, in bytes.
const BESIDE: u64 = 64;
/// Estimated bytes per row, to estimate the number of rows.
const A_ROW: u64 = 1 << 10;

/// Rows by number that are kept in memory because they are read repeatedly.
pub(super) struct RowCache<T> {
    memory: Memory,
    taken: u64,
    rows: Cache<usize, Arc<[T]>, RowWeight>,
}

/// Weighs rows by their bytes.
#[derive(Clone)]
struct RowWeight;

impl<T> Weighter<usize, Arc<[T]>> for RowWeight {
    fn weight(&self, _: &usize, row: &Arc<[T]>) -> u64 {
        size_of_val(&row[..]) as u64 + BESIDE
    }
}

impl<T: Pod> RowCache<T> {
    /// A cache in 1/`part` of the `memory` left; `None` if that is nothing.
    pub(super) fn new(memory: &Memory, part: u64) -> Option<RowCache<T>> {
        let (most, mut taken) = (memory.left() / part, 0);
        while taken + PIECE <= most && memory.take(PIECE) {
            taken += PIECE;
        }
        (taken > 0).then(|| RowCache {
            memory: memory.clone(),
            taken,
            rows: Cache::with_weighter((taken / A_ROW) as usize, taken, RowWeight),
        })
    }

    /// A row from the cache, or else from `read`.
    pub(super) fn get(&self, row: usize, read: impl FnOnce() -> Arc<[T]>) -> Arc<[T]> {
        if let Some(values) = self.rows.get(&row) {
            return values;
        }
        let values = read();
        self.rows.insert(row, Arc::clone(&values));
        values
    }
}

impl<T> Drop for RowCache<T> {
    fn drop(&mut self) {
        self.memory.give(self.taken);
    }
}

impl<T> fmt::Debug for RowCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowCache")
            .field("taken", &self.taken)
            .finish_non_exhaustive()
    }
}
