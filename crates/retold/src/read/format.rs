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

/// A file that is ready to read.
pub(crate) struct OpenFile {
    /// Its content, decompressed.
    pub window: Window,
    /// The file behind the window, for the hash of what was read of it.
    pub file: Hashed,
    pub compression: Compression,
    /// In which it is, if it is a file of rows or lines in UTF-16; the window has UTF-8.
    pub utf16: Option<Utf16>,
}

/// The records of a file, in order.
pub(crate) type Records = Box<dyn Iterator<Item = Record> + Send>;

/// A format of files.
pub(crate) trait Format: fmt::Debug {
    /// Reads a file. Damage ends the records with a rejected one.
    fn records(&self, file: OpenFile, source: &Source, options: &ReadOptions) -> Records;

    /// Reads a file again and writes the kept records to `to`; see [`Source::rewrite`]. Unless a format says otherwise its files are one
    /// record each, and copied.
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

    /// All rows of a file with all their columns, lists and groups in them included, as JSON has them; nothing of a format without such
    /// columns. The error says what is wrong with the file.
    fn rows(&self, _source: &Source) -> Option<std::result::Result<Vec<Value>, String>> {
        None
    }

    /// Whether its records begin with a header of named fields.
    fn has_heads(&self) -> bool {
        false
    }

    /// Hands the numbers of the records that could be read to `each`, in order, with the header that they begin with, in formats whose
    /// records have one; in others nothing.
    fn heads(
        &self,
        _file: OpenFile,
        _source: &Source,
        _options: &ReadOptions,
        _each: &mut dyn FnMut(u64, &[u8]),
    ) {
    }
}
