//! A file that is one page: HTML or plain text.

use bytes::Bytes;

use super::format::{Format, OpenFile, Records};
use super::frame::too_large;
use super::options::ReadOptions;
use super::record::{Body, Outcome, Record, Unparsed};
use super::source::Source;
use super::window::Window;
use crate::page::{Markup, Page};

/// Files that are one page each.
#[derive(Debug)]
pub(crate) struct Document(pub Markup);

impl Format for Document {
    fn records(&self, file: OpenFile, source: &Source, options: &ReadOptions) -> Records {
        let markup = self.0;
        one_record(file, source, options, |bytes| {
            Box::new(WholeFile { bytes, markup })
        })
    }
}

/// The one record of a file that is held as a whole; what it is for a worker thread is up to the format.
pub(crate) fn one_record(
    file: OpenFile,
    source: &Source,
    options: &ReadOptions,
    raw: impl FnOnce(Bytes) -> Box<dyn Unparsed>,
) -> Records {
    let record = read_whole(file.window, options.max_record_size, raw);
    if matches!(record.body, Body::Raw(_)) {
        source.seen.note(file.file.hash());
    }
    Box::new(std::iter::once(record))
}

fn read_whole(
    mut window: Window,
    limit: u64,
    raw: impl FnOnce(Bytes) -> Box<dyn Unparsed>,
) -> Record {
    let wanted = usize::try_from(limit)
        .unwrap_or(usize::MAX)
        .saturating_add(1);
    if window.fill(wanted) {
        return Record::parsed(1, wanted as u64, Outcome::Rejected(too_large(limit)));
    }
    let size = window.data().len() as u64;
    if let Some(failure) = window.take_failure() {
        return Record::parsed(1, size, Outcome::Rejected(failure));
    }
    let bytes = window.take(size as usize);
    Record {
        number: 1,
        size,
        body: Body::Raw(raw(bytes)),
    }
}

/// The content of a file.
#[derive(Debug)]
struct WholeFile {
    bytes: Bytes,
    markup: Markup,
}

impl Unparsed for WholeFile {
    fn parse(self: Box<Self>, _: u64, source: &Source, _: &ReadOptions) -> Outcome {
        Outcome::Page(Page {
            site: source.site.clone(),
            ..Page::document(source.name.clone(), self.bytes.into(), self.markup)
        })
    }

    fn shared(&mut self) -> Option<&mut Bytes> {
        Some(&mut self.bytes)
    }
}
