//! A hash of each file's bytes, so that a later pass can check that it reads the same bytes as the first.
//!
//! Size and time of a file are checked as well, which is cheaper, but both can be equal although the content changed.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, copy, sink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use xxhash_rust::xxh3::Xxh3;

use super::stored::Stored;

/// What the first full pass found out about a file: the hash of its bytes, and facts about its records.
#[derive(Debug, Default)]
pub(crate) struct FileFacts {
    first: OnceLock<u64>,
    differed: AtomicBool,
    /// How many records are longer than they say.
    longer: AtomicU64,
    /// Whether records begin with a header of named fields; set when the file is opened.
    pub heads: OnceLock<bool>,
}

impl FileFacts {
    /// Notes the hash of a full pass over the file.
    pub fn note(&self, hash: u64) {
        if *self.first.get_or_init(|| hash) != hash {
            self.differed.store(true, Relaxed);
        }
    }

    /// Hashes the file as it is now, if there is an earlier hash to compare with.
    pub fn note_file(&self, path: &Path) -> Result<()> {
        if self.first.get().is_some() {
            self.note(hash_of(Stored::File(File::open(path)?)));
        }
        Ok(())
    }

    /// As [`FileFacts::note_file`], for content that `open` provides.
    #[cfg(feature = "parquet")]
    pub fn note_content(&self, open: impl FnOnce() -> Result<Stored>) -> Result<()> {
        if self.first.get().is_some() {
            self.note(hash_of(open()?));
        }
        Ok(())
    }

    /// Reads the file through for its hash, unless there is one. Meant for files that are not read from front to back: it runs before their
    /// first pass and [`FileFacts::note_content`] after the last, so a change in between is noticed.
    #[cfg(any(feature = "parquet", test))]
    pub fn look_first(&self, open: impl FnOnce() -> Result<Stored>) {
        // If the file cannot be read, the next pass reports it.
        if self.first.get().is_none()
            && let Ok(content) = open()
        {
            self.note(hash_of(content));
        }
    }

    /// Notes how many records are longer than they say; the count is the same in each pass.
    pub fn note_longer(&self, count: u64) {
        self.longer.store(count, Relaxed);
    }

    /// How many records are longer than they say, if the file was read.
    pub fn longer(&self) -> u64 {
        self.longer.load(Relaxed)
    }

    /// True if two passes read different bytes.
    pub fn differed(&self) -> bool {
        self.differed.load(Relaxed)
    }
}

fn hash_of(content: Stored) -> u64 {
    Hashed::new(content).hash()
}

/// A file that is hashed while it is read from front to back. Clones are handles of the same file.
#[derive(Clone)]
pub(crate) struct Hashed(Arc<Mutex<(Stored, Xxh3)>>);

impl Hashed {
    pub fn new(file: Stored) -> Hashed {
        Hashed(Arc::new(Mutex::new((file, Xxh3::new()))))
    }

    /// The hash of the whole file. Reads the bytes that readers skipped because they come after damage.
    pub fn hash(&self) -> u64 {
        // After an error the hash covers what could be read, which is the same in the next pass.
        let _ = copy(&mut self.clone(), &mut sink());
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.1.digest()
    }
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.0.read(buffer)?;
        held.1.update(&buffer[..count]);
        Ok(count)
    }
}

/// Only used to get the position.
impl Seek for Hashed {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.0.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::tests::{Folder, gzip};
    use crate::read::{ReadOptions, RecordDecision};

    /// Reads `before`, replaces it with `after` at equal size and time, and asks for the kept records.
    fn rewritten(name: &str, before: &[u8], after: &[u8]) -> crate::Result<()> {
        assert_eq!(before.len(), after.len(), "{name}");
        let folder = Folder::new(&[(name, before)]);
        let (path, source) = (folder.path(name), folder.source(name));
        let options = ReadOptions::default();
        assert!(source.records(&options).count() > 0);
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        folder.write(name, after);
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
        source.rewrite(
            &options,
            &mut |_| RecordDecision::Keep,
            &folder.path("kept"),
        )
    }

    fn noticed(name: &str, before: &[u8], after: &[u8]) {
        rewritten(name, before, before).unwrap();
        let error = rewritten(name, before, after).expect_err(name).to_string();
        assert!(
            error.contains(name) && error.contains("changed during the run"),
            "{error}"
        );
    }

    #[test]
    fn other_bytes_of_equal_size_and_time_are_noticed_in_every_format() {
        let jsonl = |text: &str| format!("{{\"text\":\"{text}\"}}\n{{\"text\":\"z\"}}\n");
        let (a, b) = (jsonl("a"), jsonl("b"));
        noticed("a.jsonl", a.as_bytes(), b.as_bytes());
        noticed("a.jsonl.gz", &gzip(a.as_bytes()), &gzip(b.as_bytes()));
        let packed = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
        noticed("a.jsonl.zst", &packed(&a), &packed(&b));
        // The end is lost, and the records before it differ.
        let cut = |text: &str| {
            let whole = gzip(text.as_bytes());
            whole[..whole.len() - 9].to_vec()
        };
        noticed("cut.jsonl.gz", &cut(&a), &cut(&b));
        noticed("a.csv", b"id,text\n1,a\n2,z\n", b"id,text\n1,b\n2,z\n");
        noticed("a.html", b"<p>one</p>", b"<p>two</p>");
        let warc = |text: &str| {
            let head = "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/";
            format!("{head}\r\nContent-Length: 3\r\n\r\n{text}\r\n\r\n")
        };
        noticed("a.warc", warc("one").as_bytes(), warc("two").as_bytes());
    }

    #[test]
    fn what_stands_behind_damage_is_hashed_too() {
        let chance = |number: u64| xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes());
        let line = |number| format!("{{\"text\":\"{:x}\"}}\n", chance(number));
        let lines: String = (0..100_000).map(line).collect();
        let mut bytes = gzip(lines.as_bytes());
        assert!(bytes.len() > 600_000);
        bytes[1000..6000].fill(0xff);
        let folder = Folder::new(&[("a.jsonl.gz", &bytes)]);
        let source = folder.source("a.jsonl.gz");
        source.facts.look_first(|| source.content());
        assert!(source.records(&ReadOptions::default()).count() < 100_000);
        source.unchanged().unwrap();
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn other_bytes_of_equal_size_and_time_are_noticed_in_parquet() {
        use super::super::parquet::tests::table;
        noticed("a.parquet", &table(&["one", "z"]), &table(&["two", "z"]));
    }
}
