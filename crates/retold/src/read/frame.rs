//! Splits a file into numbered records, identically in every pass.

use std::io::Write;

use super::mark::{AddedFields, FieldValue};
use super::record::Unparsed;
use crate::text::Cuts;

pub(crate) struct Frame {
    /// Counted from 1; damaged and oversized records are counted too.
    pub number: u64,
    /// Its length in bytes (decompressed).
    pub size: u64,
    pub state: FrameState,
}

/// Whether there is something to parse.
pub(crate) enum FrameState {
    /// Complete in memory: see [`Frames::bytes`].
    Whole,
    /// Only to be copied: see [`Frames::copy`].
    Skipped(&'static str),
    /// It could not be read, for this reason.
    Damaged(String),
}

/// Cuts a stream into records. [`Frames::next`] gives the same numbers however often a file is read.
pub(crate) trait Frames: Send {
    fn next(&mut self) -> Option<Frame>;

    /// The bytes of the record that `next` has just found, if it is whole.
    fn bytes(&self) -> &[u8];

    /// The same record in the form that goes to a worker thread; called once, and last.
    fn unparsed(&mut self) -> Box<dyn Unparsed>;

    fn marked(&self, added: &AddedFields, values: &[FieldValue]) -> Vec<u8>;

    /// The same record without some blocks of its text; `None` if the text is not a field of its own.
    fn cut(&self, _cuts: &Cuts) -> Option<Vec<u8>> {
        None
    }

    /// The names of the fields of the record that `next` has just found, if it is whole and its fields have names.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Writes the record unchanged, whether whole or skipped.
    fn copy(&mut self, to: &mut dyn Write) -> std::io::Result<()> {
        to.write_all(self.bytes())
    }

    /// Whether each record is compressed separately, so that reading can start in the middle of the file.
    fn one_by_one(&self) -> bool {
        false
    }

    /// How many records so far were longer than their stated length and were read to their actual end.
    fn longer(&self) -> u64 {
        0
    }

    /// What comes before the first record of a file to whose records these fields are added.
    fn header(&self, _added: Option<&AddedFields>) -> Vec<u8> {
        Vec::new()
    }

    /// The bytes between the record and the previous one.
    fn between(&self) -> Vec<u8> {
        Vec::new()
    }

    /// What comes after the last record of a file.
    fn trailer(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// The reason for a record above `--max-record-size`.
pub(crate) fn too_large(limit: u64) -> String {
    format!("larger than --max-record-size ({limit} bytes)")
}
