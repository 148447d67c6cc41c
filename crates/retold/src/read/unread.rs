//! Files that are not read, because they have no pages or their format is not supported.

use super::format::{Format, OpenFile, Records};
use super::options::ReadOptions;
use super::record::{Outcome, Record};
use super::source::Source;

/// Files that are one record without a page.
#[derive(Debug)]
pub(crate) enum Unread {
    /// Not a page; counted under this kind.
    Skip(&'static str),
    /// It may have pages but is not supported; the reason is shown to users.
    Refuse(String),
}

impl Format for Unread {
    fn records(&self, _: OpenFile, source: &Source, _: &ReadOptions) -> Records {
        let outcome = match self {
            Unread::Skip(kind) => Outcome::Skipped((*kind).into()),
            Unread::Refuse(reason) => Outcome::Rejected(reason.clone()),
        };
        Box::new(std::iter::once(Record::parsed(1, source.size, outcome)))
    }
}
