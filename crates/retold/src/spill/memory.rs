//! The memory budget of a run.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};

/// The unit of memory requests, in bytes.
pub(super) const PIECE: u64 = 1 << 20;

/// How much is processed, buffered or sorted at a time. Results do not depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Approximate bytes that one thread processes at a time.
    pub(super) part: usize,
    /// The most rows that one thread processes at a time.
    pub(super) part_rows: usize,
    /// Bytes buffered at the end of a file before writing.
    pub(super) tail: usize,
    /// Minimum bytes sorted at a time, whatever the limit.
    pub(super) run: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes {
            part: 1 << 18,
            part_rows: 4096,
            tail: 1 << 16,
            run: 8 << 20,
        }
    }
}

impl Sizes {
    /// Small sizes, so that little data gives many parts.
    #[cfg(test)]
    const SMALL: Sizes = Sizes {
        part: 1 << 10,
        part_rows: 8,
        tail: 64,
        run: 1 << 12,
    };
}

/// Bytes in memory per page even if data goes to files: its places in several orders, and its decision.
pub const A_PAGE: u64 = 118;

/// The error for a memory limit that is too small, with the required minimum, both in bytes.
pub fn too_little(given: u64, least: u64) -> Error {
    let least = least.div_ceil(1 << 20);
    Error::Usage(format!(
        "--memory {given}: too little; at least {least}M are needed"
    ))
}

/// The memory budget of a run, shared by all its data structures.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Available bytes, and the folder for the rest; `None` if there is no limit.
    bound: Option<(u64, PathBuf)>,
    /// Additional fixed bytes, counted and uncounted.
    fixed: u64,
    limit: u64,
    sizes: Sizes,
    used: AtomicU64,
    on_disk: Arc<AtomicU64>,
    failed: Mutex<Option<Error>>,
}

impl Memory {
    /// A budget of this many bytes in addition to the `fixed` ones; more data goes to temporary files in `folder`, counted in `on_disk`. By
    /// default everything is held in memory.
    pub fn new(fixed: u64, limit: u64, folder: &Path, on_disk: Arc<AtomicU64>) -> Memory {
        Memory(Arc::new(Shared {
            // Freed memory is returned to the system late and in pieces.
            bound: Some((limit / 4 * 3, folder.to_owned())),
            fixed,
            limit,
            on_disk,
            ..Shared::default()
        }))
    }

    /// A budget for nothing: everything goes to files, in small parts.
    #[cfg(test)]
    pub(crate) fn none(folder: &Path) -> Memory {
        const ALL: u64 = 1 << 40;
        let memory = Memory::limited(ALL, folder);
        memory.reserve(ALL);
        memory
    }

    /// A budget of this many bytes, in small parts.
    #[cfg(test)]
    pub(crate) fn limited(limit: u64, folder: &Path) -> Memory {
        Memory(Arc::new(Shared {
            bound: Some((limit / 4 * 3, folder.to_owned())),
            limit,
            sizes: Sizes::SMALL,
            ..Shared::default()
        }))
    }

    /// No limit, in small parts.
    #[cfg(test)]
    pub(crate) fn in_small_parts() -> Memory {
        Memory(Arc::new(Shared {
            sizes: Sizes::SMALL,
            ..Shared::default()
        }))
    }

    pub(super) fn sizes(&self) -> Sizes {
        self.0.sizes
    }

    /// The memory of the whole run in bytes, unless there is no limit.
    pub(crate) fn whole(&self) -> Option<u64> {
        let is_bound = self.0.bound.is_some();
        is_bound.then(|| self.0.fixed + self.0.limit)
    }

    /// Bytes written to temporary files so far.
    pub fn on_disk(&self) -> u64 {
        self.0.on_disk.load(Ordering::Relaxed)
    }

    /// Reserves memory for data that cannot go to a file.
    pub fn reserve(&self, bytes: u64) {
        self.0.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Checks the limit.
    ///
    /// Errors: this many pages cannot be processed within the limit.
    pub fn suffices(&self, pages: usize) -> Result<()> {
        let needed = pages as u64 * A_PAGE;
        match self.0.bound.is_some() && needed > self.0.limit {
            true => Err(too_little(
                self.0.fixed + self.0.limit,
                self.0.fixed + needed,
            )),
            false => Ok(()),
        }
    }

    /// Checks temporary files.
    ///
    /// Errors: one could not be read since the last call.
    pub fn check(&self) -> Result<()> {
        let mut failed = self.0.failed.lock().unwrap_or_else(|e| e.into_inner());
        failed.take().map_or(Ok(()), Err)
    }

    /// Maximum bytes of optional data, made early to avoid making it again, before it goes to a file.
    pub(crate) fn spare(&self) -> u64 {
        let bound = self.0.bound.as_ref();
        bound.map_or(u64::MAX, |(limit, _)| limit / 2)
    }

    /// Maximum bytes that one structure may hold before it goes to a file on its own.
    pub(super) fn share(&self) -> u64 {
        let bound = self.0.bound.as_ref();
        bound.map_or(u64::MAX, |(limit, _)| limit / 8)
    }

    /// The bytes still available; unlimited without a limit.
    pub(super) fn left(&self) -> u64 {
        let used = self.0.used.load(Ordering::Relaxed);
        let bound = self.0.bound.as_ref();
        bound.map_or(0, |(limit, _)| limit.saturating_sub(used))
    }

    /// Takes this many bytes, if available.
    pub(super) fn take(&self, bytes: u64) -> bool {
        let used = self.0.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let fits = self
            .0
            .bound
            .as_ref()
            .is_none_or(|(limit, _)| used <= *limit);
        if !fits {
            self.give(bytes);
        }
        fits
    }

    /// Takes more pieces until `taken` covers `bytes`; false if they are not available.
    pub(super) fn cover(&self, bytes: u64, taken: &mut u64) -> bool {
        while *taken < bytes {
            if !self.take(PIECE) {
                return false;
            }
            *taken += PIECE;
        }
        true
    }

    /// Takes whole pieces for this many bytes and returns their size.
    pub(super) fn take_all(&self, bytes: usize) -> Option<u64> {
        let bytes = (bytes as u64).next_multiple_of(PIECE);
        self.take(bytes).then_some(bytes)
    }

    pub(super) fn give(&self, bytes: u64) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn file(&self) -> Result<File> {
        let folder = self.folder();
        tempfile::tempfile_in(folder).map_err(Error::io("cannot write a temporary file in", folder))
    }

    pub(super) fn wrote(&self, bytes: u64) {
        self.0.on_disk.fetch_add(bytes, Ordering::Relaxed);
    }

    fn folder(&self) -> &Path {
        let bound = self.0.bound.as_ref();
        bound.map_or(Path::new("."), |(_, folder)| folder)
    }

    /// An error with the folder and the disk space needed at least.
    pub(super) fn full(&self, error: std::io::Error) -> Error {
        let needed = (self.on_disk() >> 20) + 1;
        let more = format!("{error}; more than {needed} MiB are needed there");
        Error::io("cannot use a temporary file in", self.folder())(std::io::Error::new(
            error.kind(),
            more,
        ))
    }

    /// Records that a temporary file could not be read.
    pub(super) fn failed(&self, error: std::io::Error) {
        let error = self.full(error);
        let mut failed = self.0.failed.lock().unwrap_or_else(|e| e.into_inner());
        failed.get_or_insert(error);
    }
}
