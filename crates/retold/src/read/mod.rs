//! Stage 1, reading: files and folders become a stream of records, in every supported format.
//!
//! A source is read once to sketch its pages, some of its records again where texts are wanted later (`again`), and
//! all once more to write `kept/` (see [`Source::rewrite`]). All passes number the records of a source in the same
//! way, from 1.

mod again;
mod arc;
mod archive;
mod delimited;
mod discover;
mod each;
mod fields;
mod frame;
mod hashed;
mod ids;
mod jsonl;
mod marks;
mod names;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod payload;
mod rewrite;
mod sniff;
mod warc;
mod window;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use self::again::again;
use self::archive::{Archive, Form};
pub use self::discover::leave_out;
pub use self::each::{Numbered, Order, each_batch, each_page, each_record};
use self::frame::{Body, Frame, Frames, State};
use self::hashed::{Hashed, Seen};
pub use self::ids::{PageId, page_ids, settle};
use self::open::{Compression, Opened};
use self::sniff::Format;
use self::window::Window;
use crate::error::{Error, Result};
use crate::page::{Markup, Page};
use crate::relation::Relation;

/// What readers have to know (CONTRACT, *Input*). One struct for the command line, the config file and bindings.
///
/// Fields are named by paths: `content.text` is the field `text` of the field `content` (JSONL, Parquet), unless there is a
/// field of the name `content.text`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptions {
    /// Field of JSONL/CSV/Parquet that holds plain text; or several with commas between them, joined by blank lines.
    pub text_field: String,
    /// Field that holds HTML, looked at if the text field is absent.
    pub html_field: String,
    /// Field that holds the id.
    pub id_field: String,
    /// Field that holds the URL; if it is absent, that field of `metadata`.
    pub url_field: String,
    /// Field that holds the date; if it is absent, that field of `metadata`.
    pub date_field: String,
    /// Field that names the site, if any.
    pub site_field: Option<String>,
    /// Take the N-th directory below the INPUT as the site of a file's pages (counted from 1).
    pub site_dir: Option<usize>,
    /// Larger records are rejected, and never held in memory as a whole.
    pub max_record_size: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            text_field: "text".into(),
            html_field: "html".into(),
            id_field: "id".into(),
            url_field: "url".into(),
            date_field: "date".into(),
            site_field: None,
            site_dir: None,
            max_record_size: 64 << 20,
        }
    }
}

/// One file to read (or standard input, spooled), or pages in memory.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file on disk.
    pub path: PathBuf,
    /// Its name for people and for ids: relative to its INPUT, prefixed where two INPUTs would collide.
    pub name: String,
    /// Where it goes below `kept/`: `<INPUT name>/<relative path>`, or the file's name for a single file.
    pub kept: PathBuf,
    /// The site that `--site-dir` gives its pages.
    pub site: Option<String>,
    /// Size of the file on disk, for progress bars.
    pub size: u64,
    /// Size and time of the last change when the file was listed; `None` if it was not there.
    pub(crate) stamp: Option<Stamp>,
    /// What its bytes were when they were first read through.
    pub(crate) seen: Arc<Seen>,
    /// The pages, if they are in memory and not in a file.
    pub(crate) pages: Option<Arc<[Page]>>,
}

/// The size of a file and when it was last written to.
pub(crate) type Stamp = (u64, Option<SystemTime>);

fn stamp(path: &Path) -> Option<Stamp> {
    let file = std::fs::metadata(path).ok()?;
    Some((file.len(), file.modified().ok()))
}

/// The result of parsing a record.
#[derive(Debug)]
pub enum Outcome {
    /// A page to sketch.
    Page(Page),
    /// Not a page by type (a WARC request, an image): counted by kind, copied to `kept/`.
    Skipped(&'static str),
    /// A page that could not be read; the reason is shown to people.
    Rejected(String),
}

/// One record of a source as it was read, not yet parsed: parsing is the part that runs on all threads.
#[derive(Debug)]
pub struct Record {
    /// Counted from 1 within the source.
    pub number: u64,
    /// Size in bytes as read (decompressed).
    pub size: u64,
    body: Body,
}

impl Record {
    /// Parses the record. Independent of all other records, so it may run on any thread.
    pub fn parse(self, source: &Source, options: &ReadOptions) -> Outcome {
        match self.body {
            Body::Done(outcome) => outcome,
            Body::Json { line, number } => {
                jsonl::parse(&line, number, self.number, source, options)
            }
            Body::Archived { form, bytes } => {
                archive::parse(form, bytes.into(), self.number, source, options)
            }
            Body::Row(row) => delimited::parse(*row, self.number, source, options),
            Body::Document { bytes, markup } => Outcome::Page(Page {
                site: source.site.clone(),
                ..Page::document(source.name.clone(), bytes.into(), markup)
            }),
        }
    }

    /// The same without what was read beside it.
    fn by_itself(mut self) -> Record {
        match &mut self.body {
            Body::Json { line: bytes, .. }
            | Body::Archived { bytes, .. }
            | Body::Document { bytes, .. } => *bytes = Bytes::copy_from_slice(bytes),
            Body::Done(_) | Body::Row(_) => {}
        }
        self
    }

    fn done(number: u64, size: u64, outcome: Outcome) -> Record {
        Record {
            number,
            size,
            body: Body::Done(outcome),
        }
    }
}

/// What happens to a record in `kept/`.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate<'a> {
    /// Copied unchanged.
    Keep,
    /// Not written: a dropped page or a reject.
    Leave,
    /// `--mark`: written with the fields `retold_cluster`, `retold_canonical` and `retold_relation` added where the
    /// format has fields (JSONL, CSV, Parquet, WARC as named fields of the record header); `None` for a page that is
    /// in no cluster (fields null or empty).
    Mark(Option<Mark<'a>>),
}

/// What `--mark` adds to a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark<'a> {
    /// The number of the page's cluster.
    pub cluster: u64,
    /// The id of the cluster's canonical page.
    pub canonical: Cow<'a, str>,
    /// What the page is to the canonical page; `None` for the canonical page itself and unrelated members.
    pub relation: Option<Relation>,
}

/// The names of the fields that `--mark` adds.
pub(crate) const MARK_FIELDS: [&str; 3] = ["retold_cluster", "retold_canonical", "retold_relation"];

/// Lists the files of INPUTs: directories recursively, everything sorted by name so that the order of INPUTs and of
/// directory entries does not matter. Names are settled here (see [`Source::name`]).
///
/// Hidden files and folders below an INPUT are left out, and so are pipes, sockets and devices. Symbolic links are
/// followed, but a file or folder that can be reached in several ways is listed once.
pub fn discover(inputs: &[PathBuf], options: &ReadOptions) -> Result<Vec<Source>> {
    discover::discover(inputs, options)
}

impl Source {
    /// Standard input, spooled to the file at `path`: JSON Lines, unless its content says otherwise.
    pub fn spooled(path: &Path) -> Source {
        Source {
            path: path.to_owned(),
            name: "stdin".into(),
            kept: "stdin.jsonl".into(),
            site: None,
            size: std::fs::metadata(path).map_or(0, |file| file.len()),
            stamp: stamp(path),
            seen: Arc::default(),
            pages: None,
        }
    }

    /// A line of JSON that came from elsewhere than a file, as record `number` of a source of that name, by the rules for
    /// JSONL.
    pub fn line(name: &str, number: u64, line: &[u8], options: &ReadOptions) -> Outcome {
        let source = Source::of_pages(name, []);
        jsonl::parse(line, number, number, &source, options)
    }

    /// Pages in memory, as records of a source with that name. They can be read as often as a file, but not rewritten.
    pub fn of_pages(name: &str, pages: impl IntoIterator<Item = Page>) -> Source {
        let pages: Arc<[Page]> = pages.into_iter().collect();
        Source {
            path: name.into(),
            name: name.to_owned(),
            kept: name.into(),
            site: None,
            size: pages.iter().map(|page| page.content.len() as u64).sum(),
            stamp: None,
            seen: Arc::default(),
            pages: Some(pages),
        }
    }

    /// Opens the source: its records in order, streaming. Damage ends the stream with one rejected record; a file that
    /// cannot be opened gives just that record.
    pub fn records(&self, options: &ReadOptions) -> Box<dyn Iterator<Item = Record> + Send> {
        if let Some(pages) = &self.pages {
            let pages = Arc::clone(pages);
            let record = move |at: usize| {
                let page = pages[at].clone();
                Record::done(
                    at as u64 + 1,
                    page.content.len() as u64,
                    Outcome::Page(page),
                )
            };
            let count = self.pages.as_ref().map_or(0, |pages| pages.len());
            return Box::new((0..count).map(record));
        }
        let opened = match open::open(self, options) {
            Ok(opened) => opened,
            Err(reason) => return one(self.size, Outcome::Rejected(reason)),
        };
        let file = opened.file.clone();
        match self.reader(opened, options) {
            Reader::Many(frames) => Box::new(Records {
                frames,
                file,
                seen: Arc::clone(&self.seen),
            }),
            Reader::Document(window, markup) => {
                let record = document(window, markup, options);
                if matches!(record.body, Body::Document { .. }) {
                    self.seen.note(file.hash());
                }
                Box::new(std::iter::once(record))
            }
            #[cfg(feature = "parquet")]
            Reader::Parquet => parquet::records(self, options),
            Reader::One(outcome) => one(self.size, outcome),
        }
    }

    /// Checks that nobody has written to the file since it was listed, and that all passes through it read the same bytes.
    ///
    /// Errors: somebody has.
    pub fn unchanged(&self) -> Result<()> {
        if self.seen.differed() {
            return Err(self.changed());
        }
        // One that is gone is a reject, or an error where its records are wanted.
        let now = stamp(&self.path);
        if self.pages.is_some() || now.is_none() || now == self.stamp {
            return Ok(());
        }
        Err(self.changed())
    }

    fn changed(&self) -> Error {
        Error::Usage(format!(
            "{}: the file changed during the run; run again when nothing writes to it",
            self.path.display()
        ))
    }

    /// The reader for what `opened` was found to hold.
    fn reader(&self, opened: Opened, options: &ReadOptions) -> Reader {
        let limit = options.max_record_size;
        match opened.format {
            Format::Jsonl => Reader::Many(Box::new(jsonl::Lines::new(opened.window, limit))),
            Format::Delimited(delimiter) => Reader::Many(Box::new(delimited::Rows::new(
                opened.window,
                delimiter,
                options,
            ))),
            Format::Warc => Reader::Many(Box::new(Archive::new(Form::Warc, opened.window, limit))),
            Format::Arc => Reader::Many(Box::new(Archive::new(Form::Arc, opened.window, limit))),
            Format::Document(markup) => Reader::Document(opened.window, markup),
            Format::Skip(kind) => Reader::One(Outcome::Skipped(kind)),
            Format::Refuse(reason) => Reader::One(Outcome::Rejected(reason)),
            Format::Parquet if opened.compression != Compression::None => Reader::One(Outcome::Rejected(
                "Parquet inside gzip or zstd; decompress it first (Parquet compresses its own columns)".into(),
            )),
            #[cfg(feature = "parquet")]
            Format::Parquet => Reader::Parquet,
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Reader::One(Outcome::Rejected(
                "this build reads no Parquet; build it with the feature `parquet`".into(),
            )),
        }
    }

    /// Reads the source again and writes to `to` the records that `fate` keeps, in the same format and compression.
    ///
    /// `fate` is asked once for every record number, in order. A file from which nothing is kept is not written.
    ///
    /// Errors: the file has changed since it was listed; `to` cannot be written.
    pub fn rewrite<'a>(
        &self,
        options: &ReadOptions,
        fate: &mut dyn FnMut(u64) -> Fate<'a>,
        to: &Path,
    ) -> Result<()> {
        if self.pages.is_some() {
            return Err(Error::Usage(format!(
                "{}: pages in memory have no file to write them as",
                self.name
            )));
        }
        self.unchanged()?;
        rewrite::rewrite(self, options, fate, to)?;
        self.unchanged()
    }

    /// The id of a record that names none itself.
    fn record_id(&self, number: u64) -> String {
        format!("{}#{number}", self.name)
    }
}

/// How a source is read.
enum Reader {
    /// A file of many records.
    Many(Box<dyn Frames>),
    /// A file that is one page.
    Document(Window, Markup),
    /// A file that is not read from front to back.
    #[cfg(feature = "parquet")]
    Parquet,
    /// A file with nothing to read in it.
    One(Outcome),
}

/// The records of a file of many.
struct Records {
    frames: Box<dyn Frames>,
    file: Hashed,
    seen: Arc<Seen>,
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let Some(frame) = self.frames.next() else {
            self.seen.note(self.file.hash());
            return None;
        };
        let Frame {
            number,
            size,
            state,
        } = frame;
        let body = match state {
            State::Whole => self.frames.body(),
            State::Skipped(kind) => Body::Done(Outcome::Skipped(kind)),
            State::Damaged(reason) => Body::Done(Outcome::Rejected(reason)),
        };
        Some(Record { number, size, body })
    }
}

/// A source that is one record.
fn one(size: u64, outcome: Outcome) -> Box<dyn Iterator<Item = Record> + Send> {
    Box::new(std::iter::once(Record::done(1, size, outcome)))
}

/// A file that is one page.
fn document(mut window: Window, markup: Markup, options: &ReadOptions) -> Record {
    let limit = options.max_record_size;
    let wanted = usize::try_from(limit)
        .unwrap_or(usize::MAX)
        .saturating_add(1);
    if window.fill(wanted) {
        return Record::done(1, wanted as u64, Outcome::Rejected(frame::too_large(limit)));
    }
    let size = window.data().len() as u64;
    if let Some(failure) = window.take_failure() {
        return Record::done(1, size, Outcome::Rejected(failure));
    }
    let bytes = window.take(size as usize);
    Record {
        number: 1,
        size,
        body: Body::Document { bytes, markup },
    }
}

#[cfg(test)]
pub(crate) mod tests;
