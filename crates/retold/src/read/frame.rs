//! What all passes over a source share: splitting it into numbered records.

use std::io::Write;

use bytes::Bytes;

use super::archive::Form;
use super::delimited::Row;
use super::{Mark, Outcome};
use crate::page::Markup;

/// One record as found, before it is parsed.
pub(crate) struct Frame {
    /// Counted from 1; damaged and oversized records count too.
    pub number: u64,
    /// Its length in bytes (decompressed).
    pub size: u64,
    pub state: State,
}

/// Whether there is something to parse.
pub(crate) enum State {
    /// Complete in memory: see [`Frames::bytes`].
    Whole,
    /// Only to be copied: see [`Frames::copy`].
    Skipped(&'static str),
    /// It could not be read, for this reason.
    Damaged(String),
}

/// What a worker thread needs to parse a record.
#[derive(Debug)]
pub(crate) enum Body {
    /// There is nothing left to parse.
    Done(Outcome),
    /// A line of JSON, and which line of its file it is.
    Json { line: Bytes, number: u64 },
    /// A record of a WARC or ARC file.
    Archived { form: Form, bytes: Bytes },
    /// A row of a CSV or TSV file.
    Row(Box<Row>),
    /// A whole file.
    Document { bytes: Bytes, markup: Markup },
}

/// Cuts a stream into records. [`Frames::next`] gives the same numbers however often a file is read.
pub(crate) trait Frames: Send {
    /// Goes on to the next record.
    fn next(&mut self) -> Option<Frame>;

    /// The bytes of the record that `next` has just found, if it is whole.
    fn bytes(&self) -> &[u8];

    /// The same record in the form in which it goes to a worker thread; asked for once, and last.
    fn body(&mut self) -> Body;

    /// The same record with the fields of `--mark`.
    fn marked(&self, mark: Option<&Mark>) -> Vec<u8>;

    /// Writes the record as it was read, whole or skipped.
    fn copy(&mut self, to: &mut dyn Write) -> std::io::Result<()> {
        to.write_all(self.bytes())
    }

    /// Whether each record is compressed by itself, so that it can be read from the middle of the file.
    fn one_by_one(&self) -> bool {
        false
    }

    /// What comes before the first record of a file.
    fn header(&self, _marked: bool) -> Vec<u8> {
        Vec::new()
    }
}

/// The reason for a record above `--max-record-size`.
pub(crate) fn too_large(limit: u64) -> String {
    format!("larger than --max-record-size ({limit} bytes)")
}
