//! Records, the units in which a source is read.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::options::ReadOptions;
use super::source::Source;
use super::work::{Claim, InWork};
use crate::page::Page;

/// The result of parsing a record.
#[derive(Debug)]
pub enum Outcome {
    /// A page to sketch.
    Page(Page),
    /// Not a page, judged by its type (a WARC request, an image): counted by kind, copied to `kept/`.
    Skipped(Cow<'static, str>),
    /// A page that could not be read; the reason is shown to people.
    Rejected(String),
}

/// One record of a source before parsing, which runs on all threads.
#[derive(Debug)]
pub struct Record {
    /// Counted from 1 within the source.
    pub number: u64,
    /// Size in bytes as read (decompressed).
    pub size: u64,
    pub(super) body: Body,
    /// The memory of the batch that it is part of.
    pub(super) claim: Option<Arc<Claim>>,
}

#[derive(Debug)]
pub(crate) enum Body {
    Parsed(Outcome),
    /// A row of a table, parsed.
    Row(Page),
    /// Known only to the format of its file.
    Raw(Box<dyn Unparsed>),
}

/// A record in the form in which its format passes it to a worker thread.
pub(crate) trait Unparsed: fmt::Debug + Send {
    /// Parses the record, which is number `number` of its source.
    fn parse(self: Box<Self>, number: u64, source: &Source, options: &ReadOptions) -> Outcome;

    /// Its bytes, if they may share a larger block that they keep in memory.
    fn shared(&mut self) -> Option<&mut Bytes>;

    /// See [`Record::has_text_field`].
    fn has_text_field(&self) -> bool {
        false
    }
}

impl Record {
    /// Parses the record. It depends on no other record, so it may run on any thread.
    pub fn parse(self, source: &Source, options: &ReadOptions) -> Outcome {
        let outcome = match self.body {
            Body::Parsed(outcome) => outcome,
            Body::Row(page) => Outcome::Page(page),
            Body::Raw(raw) => raw.parse(self.number, source, options),
        };
        match (outcome, self.claim) {
            (Outcome::Page(page), Some(claim)) => match claim.grow(page.content.len() as u64) {
                Ok(()) => Outcome::Page(page),
                Err(reason) => Outcome::Rejected(reason),
            },
            (outcome, _) => outcome,
        }
    }

    /// The record as part of a batch with this memory.
    pub(super) fn claiming(self, claim: &Arc<Claim>) -> Record {
        let claim = Some(Arc::clone(claim));
        Record { claim, ..self }
    }

    /// The bytes that it holds; what is already rejected or skipped holds none.
    pub(super) fn held(&self) -> u64 {
        match self.body {
            Body::Parsed(_) => 0,
            Body::Row(_) | Body::Raw(_) => self.size,
        }
    }

    /// The record, or its reject if work on it would take too much memory.
    pub(super) fn within(self, work: &InWork) -> Record {
        match work.excess(self.held()) {
            Some(reason) => Record::parsed(self.number, self.size, Outcome::Rejected(reason)),
            None => self,
        }
    }

    /// Whether plain text of the record can be changed on its own ([`RecordDecision::Cut`](super::RecordDecision::Cut)): the text is the
    /// value of a field, or a whole file.
    pub fn has_text_field(&self) -> bool {
        match &self.body {
            Body::Parsed(_) => false,
            Body::Row(_) => true,
            Body::Raw(raw) => raw.has_text_field(),
        }
    }

    /// The record's bytes, for formats that copy records as they stand in the file.
    pub(crate) fn raw(&mut self) -> Option<&[u8]> {
        match &mut self.body {
            Body::Raw(raw) => raw.shared().map(|bytes| &**bytes),
            Body::Parsed(_) | Body::Row(_) => None,
        }
    }

    /// A copy that does not hold the block that the record was read in, for callers that keep few records of many.
    pub(super) fn detached(mut self) -> Record {
        if let Body::Raw(raw) = &mut self.body
            && let Some(bytes) = raw.shared()
        {
            *bytes = Bytes::copy_from_slice(bytes);
        }
        self
    }

    pub(super) fn parsed(number: u64, size: u64, outcome: Outcome) -> Record {
        Record {
            number,
            size,
            body: Body::Parsed(outcome),
            claim: None,
        }
    }
}
