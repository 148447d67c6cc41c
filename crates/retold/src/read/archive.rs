//! WARC files and the older ARC files: every record has a header that gives its length.

use std::fmt;
use std::io::Write;

use bytes::Bytes;

use super::frame::{Frame, FrameState, Frames, too_large};
use super::framed::Framed;
use super::mark::{AddedFields, FieldValue};
use super::options::ReadOptions;
use super::payload;
use super::record::{Outcome, Unparsed};
use super::source::Source;
use super::window::Window;

/// How many bytes are examined to decide whether a record is skipped; also the maximum length of a header.
const START: usize = 64 * 1024;

/// The differences between the archive formats.
pub(crate) trait Form: fmt::Debug + Sync {
    /// Reads the head at the start of `bytes`, or says why there is none. More bytes help only if `bytes` are fewer than 64 KiB.
    fn head(&self, bytes: &[u8]) -> Result<RecordHead, String>;

    /// The bytes at the end of a record.
    fn separator(&self) -> &'static [u8];

    /// Whether a separately compressed record may be longer than its header says.
    fn ends_with_its_member(&self) -> bool {
        false
    }

    /// Whether heads have named fields, which say to what a record belongs.
    fn has_fields(&self) -> bool {
        false
    }

    /// The shortest byte sequence that marks a record boundary: a line end and the start of a header.
    fn needle(&self) -> &'static [u8];

    /// Whether a record certainly begins here. Stricter than [`Form::begins`], because a page may contain the same bytes.
    fn is_start(&self, bytes: &[u8]) -> bool;

    /// Whether a record begins here, at a place where one is expected.
    fn begins(&self, bytes: &[u8]) -> bool;

    /// The record with added fields, if the format has fields.
    fn marked(&self, record: &[u8], added: &AddedFields, values: &[FieldValue]) -> Vec<u8>;

    /// Parses a record, head and content.
    fn parse(
        &self,
        record: Vec<u8>,
        number: u64,
        source: &Source,
        options: &ReadOptions,
    ) -> Outcome;
}

#[derive(Debug)]
pub(crate) struct Archived(pub &'static dyn Form);

impl Framed for Archived {
    fn frames(&self, content: Window, options: &ReadOptions) -> Box<dyn Frames> {
        Box::new(ArchiveFrames::new(self.0, content, options.max_record_size))
    }

    fn has_heads(&self) -> bool {
        self.0.has_fields()
    }
}

#[derive(Debug)]
struct ArchivedRecord {
    form: &'static dyn Form,
    bytes: Bytes,
}

impl Unparsed for ArchivedRecord {
    fn parse(self: Box<Self>, number: u64, source: &Source, options: &ReadOptions) -> Outcome {
        self.form.parse(self.bytes.into(), number, source, options)
    }

    fn shared(&mut self) -> Option<&mut Bytes> {
        Some(&mut self.bytes)
    }
}

/// The header of a record, as far as splitting needs it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordHead {
    /// The length of the head itself.
    pub length: usize,
    /// The length of what follows.
    pub content: u64,
    /// Why the record is not a page, judged by its type.
    pub skipped: Option<&'static str>,
    /// Whether an HTTP message follows; otherwise the content is a document of the stated type.
    pub http: bool,
    pub content_type: Option<String>,
}

/// Where in `bytes` the next record begins, after a line end.
fn find(form: &dyn Form, bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(bytes, form.needle())
        .map(|place| place + 1)
        .find(|place| form.is_start(&bytes[*place..]))
}

struct ArchiveFrames {
    form: &'static dyn Form,
    window: Window,
    limit: u64,
    number: u64,
    /// The length of the current record; it is skipped when the next one is requested.
    current: u64,
    /// The bytes that the copy of the current record needs at its end because the file lacks them.
    missing: &'static [u8],
    /// Whether the current record was counted as readable; a truncation must then still be reported.
    promised: bool,
    longer: u64,
}

impl ArchiveFrames {
    fn new(form: &'static dyn Form, window: Window, limit: u64) -> ArchiveFrames {
        ArchiveFrames {
            form,
            window,
            limit,
            number: 0,
            current: 0,
            missing: b"",
            promised: false,
            longer: 0,
        }
    }

    fn frame(&mut self, size: u64, state: FrameState) -> Option<Frame> {
        self.number += 1;
        self.promised = matches!(state, FrameState::Skipped(_));
        Some(Frame {
            number: self.number,
            size,
            state,
        })
    }

    /// A reject that names the place of the damage.
    fn damaged(&mut self, begin: u64, size: u64, reason: &str) -> Option<Frame> {
        let reason = format!("record at byte {begin}: {reason}");
        self.frame(size, FrameState::Damaged(reason))
    }

    /// Moves past the current record; false if it ended too early.
    fn pass_current(&mut self) -> bool {
        let wanted = std::mem::take(&mut self.current);
        self.missing = b"";
        let passed = self
            .window
            .pass(wanted, |_| Ok::<_, std::convert::Infallible>(()));
        passed == Ok(wanted)
    }

    /// Moves past the line ends between records, and the zeros that pad some files.
    fn pass_blank(&mut self) {
        loop {
            let held = self.window.data();
            let blank = held
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n' | 0))
                .count();
            let all = blank == held.len();
            self.window.consume(blank);
            if !all || !self.window.more() {
                return;
            }
        }
    }

    /// Moves on to the next record, by at least one byte; returns the distance.
    fn resync(&mut self) -> u64 {
        let begin = self.window.offset();
        loop {
            self.window.fill(2 * START);
            let held = self.window.data();
            if let Some(place) = find(self.form, held) {
                self.window.consume(place);
                break;
            }
            // A head may begin in the last bytes held.
            let ended = held.len() < 2 * START;
            let length = if ended {
                held.len()
            } else {
                held.len() - START
            };
            self.window.consume(length);
            if ended {
                break;
            }
        }
        self.window.offset() - begin
    }

    /// Reads a record within the size limit into the window and checks its end.
    fn whole(&mut self, head: &RecordHead, total: usize) -> Option<Frame> {
        let begin = self.window.offset();
        // The next head has to be at hand for the check.
        self.window.fill(total + START);
        let held = self.window.data();
        if held.len() < total {
            return self.cut_off(head, total);
        }
        if let Some(length) = self.member(head, total) {
            self.longer += 1;
            return self.sound(head, length, b"");
        }
        let held = self.window.data();
        let behind = held[total..].trim_ascii_start();
        let wrong = !behind.is_empty() && behind[0] != 0 && !self.form.begins(behind);
        let inside = wrong.then(|| find(self.form, &held[head.length..]));
        let inside = inside.flatten().map(|place| head.length + place);
        if let Some(length) = inside.filter(|length| *length < total) {
            if lost_returns(head, &held[..length]) {
                return self.sound(head, length, b"");
            }
            self.current = length as u64;
            let reason = format!(
                "its length of {} bytes reaches into the next record",
                head.content
            );
            return self.damaged(begin, length as u64, &reason);
        }
        // If the stated length is too small, line ends at that place belong to the content.
        let ends = if wrong { 0 } else { line_ends(&held[total..]) };
        let missing = if wrong { self.form.separator() } else { b"" };
        self.sound(head, total + ends, missing)
    }

    /// A record of this length that can be passed on; `missing` is what its copy needs at its end.
    fn sound(&mut self, head: &RecordHead, length: usize, missing: &'static [u8]) -> Option<Frame> {
        self.missing = missing;
        self.current = length as u64;
        let state = head.skipped.map_or(FrameState::Whole, FrameState::Skipped);
        self.frame(self.current, state)
    }

    /// The length of a separately compressed record that is longer than it says: it ends where its gzip member ends. (A crawl of 2018 did
    /// not count the line ends after the content.)
    fn member(&self, head: &RecordHead, total: usize) -> Option<usize> {
        if !self.form.ends_with_its_member() {
            return None;
        }
        let begin = self.window.offset();
        let end = self.window.member_ends.of_member_at(begin)?;
        let length = usize::try_from(end - begin).ok()?;
        let held = self.window.data();
        let rest = held.get(total..length)?;
        let is_longer = !rest.trim_ascii().is_empty() && end - begin <= self.limit;
        let is_alone = find(self.form, &held[head.length..length]).is_none();
        (is_longer && is_alone && rest.ends_with(self.form.separator())).then_some(length)
    }

    /// A record whose end is missing: the file is truncated, or the length is wrong and the next record lies inside it.
    fn cut_off(&mut self, head: &RecordHead, total: usize) -> Option<Frame> {
        let begin = self.window.offset();
        let held = self.window.data();
        let next = find(self.form, &held[head.length.min(held.len())..]);
        let length = next.map_or(held.len(), |place| head.length + place);
        let is_whole = lost_returns(head, &held[..length]);
        let held = held.len();
        if is_whole && self.window.failure().is_none() {
            return self.sound(head, length, b"");
        }
        let (length, reason) = match (self.window.take_failure(), next) {
            (None, Some(place)) => (
                head.length + place,
                format!(
                    "its length of {} bytes reaches into the next record",
                    head.content
                ),
            ),
            (Some(failure), _) => (held, failure),
            (None, None) => (held, format!("cut off after {held} of {total} bytes")),
        };
        self.current = length as u64;
        self.damaged(begin, length as u64, &reason)
    }

    /// A record above the size limit. It is never held whole; one that is not a page by its type is still copied.
    fn large(&mut self, head: &RecordHead, total: u64) -> Option<Frame> {
        self.window.fill(head.length + START);
        let start = &self.window.data()[head.length..];
        let kind = head
            .skipped
            .or_else(|| payload::skipped_by_type(head.http, head.content_type.as_deref(), start));
        self.current = total;
        match kind {
            Some(kind) => self.frame(total, FrameState::Skipped(kind)),
            None => self.frame(total, FrameState::Damaged(too_large(self.limit))),
        }
    }
}

/// Whether a record is shorter than it states only because its line ends lost their carriage returns after the length was stated (ClueWeb09).
fn lost_returns(head: &RecordHead, record: &[u8]) -> bool {
    let Some((fields, content)) = record.split_at_checked(head.length) else {
        return false;
    };
    let missing = head.content.saturating_sub(content.len() as u64);
    !fields.contains(&b'\r') && missing <= memchr::memchr_iter(b'\n', content).count() as u64
}

/// How many bytes of line ends belong to the record before them.
fn line_ends(bytes: &[u8]) -> usize {
    let ends = bytes
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'));
    ends.count()
}

impl Frames for ArchiveFrames {
    fn longer(&self) -> u64 {
        self.longer
    }

    fn next(&mut self) -> Option<Frame> {
        let promised = self.promised;
        if !self.pass_current() && promised {
            let reason = self
                .window
                .take_failure()
                .unwrap_or_else(|| "the file is cut off".into());
            return self.damaged(self.window.offset(), 0, &reason);
        }
        self.pass_blank();
        let begin = self.window.offset();
        self.window.fill(START);
        if self.window.data().is_empty() {
            let failure = self.window.take_failure()?;
            return self.damaged(begin, 0, &failure);
        }
        match self.form.head(self.window.data()) {
            Ok(head) => {
                let total = (head.length as u64).saturating_add(head.content);
                match usize::try_from(total) {
                    Ok(small) if total <= self.limit => self.whole(&head, small),
                    _ => self.large(&head, total),
                }
            }
            Err(reason) => {
                let size = self.resync();
                let at_end = self.window.data().is_empty();
                let failure = at_end.then(|| self.window.take_failure()).flatten();
                let reason = match (failure, self.number) {
                    (Some(failure), _) => failure,
                    (None, 0) => reason,
                    (None, _) => format!(
                        "{size} bytes that belong to no record; the one before may state a wrong length"
                    ),
                };
                self.damaged(begin, size, &reason)
            }
        }
    }

    fn bytes(&self) -> &[u8] {
        let held = self.window.data();
        let length = usize::try_from(self.current).unwrap_or(usize::MAX);
        &held[..length.min(held.len())]
    }

    fn unparsed(&mut self) -> Box<dyn Unparsed> {
        let bytes = self.window.take(self.bytes().len());
        self.current -= bytes.len() as u64;
        Box::new(ArchivedRecord {
            form: self.form,
            bytes,
        })
    }

    fn marked(&self, added: &AddedFields, values: &[FieldValue]) -> Vec<u8> {
        let marked = self.form.marked(self.bytes(), added, values);
        [&marked, self.missing].concat()
    }

    fn copy(&mut self, to: &mut dyn Write) -> std::io::Result<()> {
        let length = std::mem::take(&mut self.current);
        self.window.pass(length, |piece| to.write_all(piece))?;
        to.write_all(self.missing)?;
        if length > self.limit {
            self.window.fill(4);
            let ends = line_ends(self.window.data());
            self.window.pass(ends as u64, |piece| to.write_all(piece))?;
        }
        Ok(())
    }

    fn one_by_one(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::mark::RecordDecision;
    use super::super::tests::{Folder, briefs, gzip, mark_if, rewritten};

    fn record(name: &str, length: usize, content: &str) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {name}\r\nContent-Length: {length}\r\n\r\n{content}"
        )
    }

    const END: &str = "\r\n\r\n";

    #[test]
    fn separators_are_kept_whatever_lengths_say() {
        let last = record("b", 4, "last") + END;
        // Line ends at the end of the content, not counted or counted twice; zeros are padding.
        for length in 3..=8 {
            let first = record("a", length, "abc\n") + END;
            let file = first + &last;
            let folder = Folder::new(&[("a.warc", file.as_bytes())]);
            let source = folder.source("a.warc");
            assert_eq!(briefs(&source).len(), 2, "{length}");
            let kept = rewritten(&source, |_| RecordDecision::Keep).unwrap();
            assert_eq!(String::from_utf8(kept).unwrap(), file, "{length}");
        }
    }

    #[test]
    fn a_record_that_is_longer_than_it_says_is_kept_as_far_as_that_with_a_separator() {
        let last = record("b", 4, "last") + END;
        let file = record("a", 3, "abc\r\nmore text") + END + &last;
        let folder = Folder::new(&[("a.warc", file.as_bytes())]);
        let source = folder.source("a.warc");
        let found = briefs(&source);
        assert_eq!(
            (found.len(), &*found[0], &*found[2]),
            (3, "a=abc", "b=last")
        );
        assert!(found[1].contains("belong to no record"), "{}", found[1]);
        let keep = |number| {
            if number == 2 {
                RecordDecision::Leave
            } else {
                RecordDecision::Keep
            }
        };
        let kept = rewritten(&source, keep).unwrap();
        let sound = record("a", 3, "abc") + END + &last;
        assert_eq!(String::from_utf8(kept).unwrap(), sound);
        let mark = |number| {
            if number == 2 {
                RecordDecision::Leave
            } else {
                mark_if(true)
            }
        };
        let marked = rewritten(&source, mark).unwrap();
        folder.write("b.warc", &marked);
        assert_eq!(briefs(&folder.source("b.warc")), ["a=abc", "b=last"]);
        assert!(
            String::from_utf8(marked)
                .unwrap()
                .contains("\r\n\r\nabc\r\n\r\nWARC/1.0")
        );
    }

    /// As in ClueWeb09: heads and contents were written with CRLF, lengths counted, and then all CR removed.
    #[test]
    fn lengths_from_before_carriage_returns_were_removed() {
        let page = |name: &str| {
            let content = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{name}</p>\r\n<p>more</p>\r\n"
            );
            let length = content.len();
            format!(
                "WARC/0.18\r\nWARC-Type: response\r\nWARC-Target-URI: {name}\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: {length}\r\n\r\n{content}\r\n\r\n"
            )
        };
        let file = ["a", "b", "c"].map(page).concat().replace('\r', "");
        let folder = Folder::new(&[("a.warc", file.as_bytes())]);
        let source = folder.source("a.warc");
        let found = briefs(&source);
        assert_eq!(found.len(), 3, "{found:?}");
        for (found, name) in found.iter().zip(["a", "b", "c"]) {
            let expected = format!("{name}=<p>{name}</p>\n<p>more</p>");
            assert_eq!(found.trim_end(), expected);
        }
        let kept = rewritten(&source, |_| RecordDecision::Keep).unwrap();
        assert_eq!(String::from_utf8(kept).unwrap(), file);
    }

    #[test]
    fn an_interim_answer_comes_before_the_one_that_counts() {
        let content = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one</p>";
        let file = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: a\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{content}{END}",
            content.len()
        );
        let folder = Folder::new(&[("a.warc", file.as_bytes())]);
        assert_eq!(briefs(&folder.source("a.warc")), ["a=<p>one</p>"]);
    }

    #[test]
    fn a_record_compressed_by_itself_ends_with_its_member() {
        // As Common Crawl wrote them in August 2018: lengths without the last four bytes.
        let long = record("a", 3, "abc\r\nmore") + END;
        let last = record("b", 4, "last") + END;
        let file = [gzip(long.as_bytes()), gzip(last.as_bytes())].concat();
        let folder = Folder::new(&[("a.warc.gz", &file)]);
        let source = folder.source("a.warc.gz");
        assert_eq!(briefs(&source), ["a=abc\r\nmore", "b=last"]);
        let first = |number| match number {
            1 => RecordDecision::Keep,
            _ => RecordDecision::Leave,
        };
        let kept = rewritten(&source, first).unwrap();
        assert_eq!(String::from_utf8(kept).unwrap(), long);
        // In one member, where the record ends is unknown.
        let file = gzip((long + &last).as_bytes());
        let folder = Folder::new(&[("a.warc.gz", &file)]);
        assert_eq!(briefs(&folder.source("a.warc.gz")).len(), 3);
    }

    #[test]
    fn a_length_that_reaches_just_into_the_next_record_does_not_cost_that_one() {
        let last = record("b", 4, "last") + END;
        for more in 5..40 {
            let file = record("a", 3 + more, "abc") + END + &last;
            let folder = Folder::new(&[("a.warc", file.as_bytes())]);
            let found = briefs(&folder.source("a.warc"));
            let reason = format!(
                "!record at byte 0: its length of {} bytes reaches into the next record",
                3 + more
            );
            assert_eq!(found, [&reason, "b=last"], "{more}");
        }
    }

    /// A record of an ARC file.
    fn arc(url: &str, content: &str) -> String {
        let length = content.len();
        format!("{url} 192.0.2.1 20260101000000 text/plain {length}\n{content}\n")
    }

    #[test]
    fn an_arc_file_without_its_first_record_is_one_all_the_same() {
        let lost = "filedesc:/damaged\n";
        let rest = arc("ftp://a/1", "one") + &arc("http://a/2", "two");
        // The name does not tell the format, and the first record is lost.
        for name in ["a.arc", "a.arc.gz", "a.gz", "a"] {
            let bytes = rest.clone().into_bytes();
            let bytes = match name.ends_with(".gz") {
                true => super::super::tests::gzip(&bytes),
                false => bytes,
            };
            let folder = Folder::new(&[(name, &bytes)]);
            let found = briefs(&folder.source(name));
            assert_eq!(found, ["ftp://a/1=one", "http://a/2=two"], "{name}");
        }
        let file = format!("{lost}{}", arc("http://a/2", "HTTP/1.1 200 OK\r\n\r\ntwo"));
        let folder = Folder::new(&[("a.arc", file.as_bytes())]);
        let source = folder.source("a.arc");
        let found = briefs(&source);
        assert_eq!(found.len(), 2, "{found:?}");
        let keep = |number| {
            if number == 1 {
                RecordDecision::Leave
            } else {
                RecordDecision::Keep
            }
        };
        let kept = rewritten(&source, keep).unwrap();
        folder.write("kept", &kept);
        assert_eq!(briefs(&folder.source("kept")), found[1..]);
    }

    #[test]
    fn an_arc_file_of_that_name_may_begin_with_what_others_begin_with() {
        let record = "PAR1:x - 20260101000000 text/plain 3\none\n";
        for file in [record.to_owned(), format!("\r\n\0\0{record}")] {
            let folder = Folder::new(&[("a.arc", file.as_bytes())]);
            let source = folder.source("a.arc");
            assert_eq!(briefs(&source), ["PAR1:x=one"]);
            folder.write(
                "b.arc",
                &rewritten(&source, |_| RecordDecision::Keep).unwrap(),
            );
            assert_eq!(briefs(&folder.source("b.arc")), ["PAR1:x=one"]);
        }
    }
}
