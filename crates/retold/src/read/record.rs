//! Records: what a source is read as, one after the other.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;

use super::options::ReadOptions;
use super::source::Source;
use crate::page::Page;

/// The result of parsing a record.
#[derive(Debug)]
pub enum Outcome {
    /// A page to sketch.
    Page(Page),
    /// Not a page by type (a WARC request, an image): counted by kind, copied to `kept/`.
    Skipped(Cow<'static, str>),
    /// A page that could not be read; the reason is shown to people.
    Rejected(String),
}

/// One record of a source as it was read, not yet parsed; parsing runs on all threads.
#[derive(Debug)]
pub struct Record {
    /// Counted from 1 within the source.
    pub number: u64,
    /// Size in bytes as read (decompressed).
    pub size: u64,
    pub(super) body: Body,
}

/// What a worker thread needs to parse a record.
#[derive(Debug)]
pub(crate) enum Body {
    /// There is nothing left to parse.
    Parsed(Outcome),
    /// A row of a table, parsed.
    Row(Page),
    /// What only the format of its file understands.
    Raw(Box<dyn Unparsed>),
}

/// A record in the form in which its format hands it to a worker thread.
pub(crate) trait Unparsed: fmt::Debug + Send {
    /// Parses the record, which has that number in its source.
    fn parse(self: Box<Self>, number: u64, source: &Source, options: &ReadOptions) -> Outcome;

    /// Its bytes, if they may be part of a larger block, which they keep in memory.
    fn shared(&mut self) -> Option<&mut Bytes>;

    /// See [`Record::has_text_field`].
    fn has_text_field(&self) -> bool {
        false
    }
}

impl Record {
    /// Parses the record. Independent of all other records, so it may run on any thread.
    pub fn parse(self, source: &Source, options: &ReadOptions) -> Outcome {
        match self.body {
            Body::Parsed(outcome) => outcome,
            Body::Row(page) => Outcome::Page(page),
            Body::Raw(raw) => raw.parse(self.number, source, options),
        }
    }

    /// Whether its text, if it is plain, can be changed without anything else ([`RecordDecision::Cut`](super::RecordDecision::Cut)): it is
    /// the value of a field, or all of a file.
    pub fn has_text_field(&self) -> bool {
        match &self.body {
            Body::Parsed(_) => false,
            Body::Row(_) => true,
            Body::Raw(raw) => raw.has_text_field(),
        }
    }

    /// The record's bytes, for formats that pass on records as they are in the file.
    pub(crate) fn raw(&mut self) -> Option<&[u8]> {
        match &mut self.body {
            Body::Raw(raw) => raw.shared().map(|bytes| &**bytes),
            Body::Parsed(_) | Body::Row(_) => None,
        }
    }

    /// The record without the block that it was read in, for those who keep few records of many.
    pub(super) fn detached(mut self) -> Record {
        if let Body::Raw(raw) = &mut self.body
            && let Some(bytes) = raw.shared()
        {
            *bytes = Bytes::copy_from_slice(bytes);
        }
        self
    }

    /// A record with a known outcome.
    pub(super) fn parsed(number: u64, size: u64, outcome: Outcome) -> Record {
        Record {
            number,
            size,
            body: Body::Parsed(outcome),
        }
    }
}
