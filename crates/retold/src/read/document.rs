//! A file that is one page: HTML or plain text.

use std::path::Path;

use bytes::Bytes;

use super::format::{Format, OpenFile, Records};
use super::frame::too_large;
use super::magic::BOM;
use super::mark::{Decide, RecordDecision};
use super::options::ReadOptions;
use super::output::{Output, copy_one};
use super::record::{Body, Outcome, Record, Unparsed};
use super::source::Source;
use super::window::Window;
use crate::error::{Error, Result};
use crate::page::{Markup, Page};

#[derive(Debug)]
pub(crate) struct Document(pub Markup);

impl Format for Document {
    fn rewrite(
        &self,
        mut file: OpenFile,
        source: &Source,
        _options: &ReadOptions,
        mut decide: Decide<'_, '_>,
        to: &Path,
    ) -> Result<()> {
        let decision = decide.of(1);
        let RecordDecision::Cut(cuts) = &decision else {
            let mut same = |_| decision.clone();
            return copy_one(source, Decide::new(&mut same, decide.added), to);
        };
        file.window.fill(usize::MAX);
        let bytes = file.window.data();
        let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
        let mark = &bytes[..bytes.len() - text.len()];
        let rest = match std::str::from_utf8(text) {
            Ok(text) => cuts.of(text).into_bytes(),
            Err(_) => text.to_vec(),
        };
        let mut output = Output::new(to, file.compression, None);
        let written = output.record(mark, |to| to.write_all(&rest));
        written.map_err(Error::io("cannot write", to))?;
        output.finish()?;
        source.facts.note(file.file.hash());
        source.sound()
    }

    fn records(&self, file: OpenFile, source: &Source, options: &ReadOptions) -> Records {
        let markup = self.0;
        one_record(file, source, options, |bytes| {
            Box::new(WholeFile { bytes, markup })
        })
    }
}

/// The one record of a file that is held as a whole. The format decides what a worker thread gets.
pub(crate) fn one_record(
    file: OpenFile,
    source: &Source,
    options: &ReadOptions,
    raw: impl FnOnce(Bytes) -> Box<dyn Unparsed>,
) -> Records {
    let record = read_whole(file.window, options.max_record_size, raw);
    if matches!(record.body, Body::Raw(_)) {
        source.facts.note(file.file.hash());
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
        claim: None,
    }
}

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

    fn has_text_field(&self) -> bool {
        self.markup == Markup::Plain
    }
}
