//! Formats whose files are cut into records from front to back.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::format::{Format, OpenFile, Records};
use super::frame::{Frame, FrameState, Frames};
use super::hashed::{FileFacts, Hashed};
use super::mark::{Decide, RecordDecision};
use super::options::ReadOptions;
use super::output::Output;
use super::record::{Body, Outcome, Record};
use super::source::Source;
use super::window::Window;
use crate::error::{Error, Result};

/// A format that only has to find where its records begin and end.
pub(crate) trait Framed: fmt::Debug {
    /// Cuts the content of a file into records.
    fn frames(&self, content: Window, options: &ReadOptions) -> Box<dyn Frames>;

    fn has_heads(&self) -> bool {
        false
    }
}

impl<F: Framed> Format for F {
    fn records(&self, file: OpenFile, source: &Source, options: &ReadOptions) -> Records {
        let frames = self.frames(file.window, options);
        Box::new(FramedRecords::new(frames, file.file, source))
    }

    fn rewrite(
        &self,
        file: OpenFile,
        source: &Source,
        options: &ReadOptions,
        decide: Decide<'_, '_>,
        to: &Path,
    ) -> Result<()> {
        let frames = self.frames(file.window, options);
        let output = Output::new(to, file.compression, file.utf16);
        write_kept(frames, decide, output)?;
        source.facts.note(file.file.hash());
        Ok(())
    }

    fn names(&self, file: OpenFile, _: &Source, options: &ReadOptions) -> Vec<String> {
        let mut frames = self.frames(file.window, options);
        frames.next().map_or_else(Vec::new, |_| frames.names())
    }

    fn has_heads(&self) -> bool {
        Framed::has_heads(self)
    }

    fn heads(
        &self,
        file: OpenFile,
        source: &Source,
        options: &ReadOptions,
        each: &mut dyn FnMut(u64, &[u8]),
    ) {
        if Framed::has_heads(self) {
            each_head(self.frames(file.window, options), each);
            source.facts.note(file.file.hash());
        }
    }
}

/// Passes the number of each readable record to `each`, in order, with the bytes at its start.
pub(crate) fn each_head(mut frames: Box<dyn Frames>, each: &mut dyn FnMut(u64, &[u8])) {
    while let Some(frame) = frames.next() {
        if !matches!(frame.state, FrameState::Damaged(_)) {
            each(frame.number, frames.bytes());
        }
    }
}

pub(crate) struct FramedRecords {
    frames: Box<dyn Frames>,
    file: Hashed,
    facts: Arc<FileFacts>,
}

impl FramedRecords {
    /// The records of a file; its hash is noted after the last.
    pub fn new(frames: Box<dyn Frames>, file: Hashed, source: &Source) -> FramedRecords {
        FramedRecords {
            frames,
            file,
            facts: Arc::clone(&source.facts),
        }
    }
}

impl Iterator for FramedRecords {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let Some(frame) = self.frames.next() else {
            self.facts.note(self.file.hash());
            self.facts.note_longer(self.frames.longer());
            return None;
        };
        let Frame {
            number,
            size,
            state,
        } = frame;
        let body = match state {
            FrameState::Whole => Body::Raw(self.frames.unparsed()),
            FrameState::Skipped(kind) => Body::Parsed(Outcome::Skipped(kind.into())),
            FrameState::Damaged(reason) => Body::Parsed(Outcome::Rejected(reason)),
        };
        Some(Record {
            number,
            size,
            body,
            claim: None,
        })
    }
}

pub(crate) fn write_kept(
    mut frames: Box<dyn Frames>,
    mut decide: Decide<'_, '_>,
    mut output: Output,
) -> Result<()> {
    // Whether any record is readable. A file without a readable record is not written.
    let mut is_readable = None;
    while let Some(frame) = frames.next() {
        let is_damaged = matches!(frame.state, FrameState::Damaged(_));
        is_readable = Some(is_readable == Some(true) || !is_damaged);
        let decision = decide.of(frame.number);
        let added = matches!(decision, RecordDecision::Add(_)).then_some(decide.added);
        let whole = match (&decision, frame.state) {
            (RecordDecision::Leave, _) | (_, FrameState::Damaged(_)) => continue,
            (_, FrameState::Whole) => true,
            (_, FrameState::Skipped(_)) => false,
        };
        let is_archive = frames.one_by_one();
        if is_archive {
            output
                .new_member()
                .map_err(Error::io("cannot write", &output.path))?;
        }
        let before = match output.is_open() {
            true => frames.between(),
            false => frames.header(added),
        };
        let cut = match &decision {
            RecordDecision::Cut(cuts) if whole => frames.cut(cuts),
            _ => None,
        };
        let written = output.record(&before, |to| match decision {
            RecordDecision::Replace(record) if whole && is_archive => to.write_all(&record),
            RecordDecision::Add(values) if whole => {
                to.write_all(&frames.marked(decide.added, &values))
            }
            _ => match &cut {
                Some(cut) => to.write_all(cut),
                None => frames.copy(to),
            },
        });
        written.map_err(Error::io("cannot write", &output.path))?;
    }
    if is_readable == Some(false) {
        return Ok(());
    }
    if !output.is_open() {
        // Writes a file without records, so that a program that reads the files of many runs finds them all.
        let added = Some(decide.added).filter(|added| !added.is_empty());
        let written = output.record(&frames.header(added), |_| Ok(()));
        written.map_err(Error::io("cannot write", &output.path))?;
    }
    let written = output.record(&frames.trailer(), |_| Ok(()));
    written.map_err(Error::io("cannot write", &output.path))?;
    output.finish()
}
