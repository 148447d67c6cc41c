//! The operations of a file format. `sniff.rs` knows which formats there are.

use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::compression::Compression;
use super::hashed::Hashed;
use super::mark::Decide;
use super::options::ReadOptions;
use super::output::copy_one;
use super::record::Record;
use super::source::Source;
use super::utf16::Utf16;
use super::window::Window;
use crate::error::Result;

pub(crate) struct OpenFile {
    /// Its content, decompressed.
    pub window: Window,
    /// The file behind the window, for the hash of the bytes read.
    pub file: Hashed,
    pub compression: Compression,
    /// The byte order, if the file has rows or lines in UTF-16; the window has UTF-8.
    pub utf16: Option<Utf16>,
}

pub(crate) type Records = Box<dyn Iterator<Item = Record> + Send>;

pub(crate) trait Format: fmt::Debug {
    /// Reads a file. Damage ends the records with a rejected one.
    fn records(&self, file: OpenFile, source: &Source, options: &ReadOptions) -> Records;

    /// Reads a file again and writes the kept records to `to`; see [`Source::rewrite`]. By default a file is one record and copied.
    fn rewrite(
        &self,
        _file: OpenFile,
        source: &Source,
        _options: &ReadOptions,
        decide: Decide<'_, '_>,
        to: &Path,
    ) -> Result<()> {
        copy_one(source, decide, to)
    }

    /// All rows of a file with all columns as JSON, including lists and groups; `None` for formats without nested columns. The error says
    /// what is wrong with the file.
    fn rows(&self, _source: &Source) -> Option<std::result::Result<Vec<Value>, String>> {
        None
    }

    /// The names of the columns, or of the fields of the first record; none in formats that have no named fields.
    fn names(&self, _file: OpenFile, _source: &Source, _options: &ReadOptions) -> Vec<String> {
        Vec::new()
    }

    fn has_heads(&self) -> bool {
        false
    }

    /// Passes the number of each readable record to `each`, in order, with the header at its start. Does nothing in formats without
    /// headers.
    fn heads(
        &self,
        _file: OpenFile,
        _source: &Source,
        _options: &ReadOptions,
        _each: &mut dyn FnMut(u64, &[u8]),
    ) {
    }
}
