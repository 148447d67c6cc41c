//! Stage 1, pages in: files and directories become a stream of records, in every format Retold knows.
//!
//! A source is read twice at the most: once to sketch its pages, and once more to write `kept/` (see
//! [`Source::rewrite`]). Both passes number the records of a source in the same way, from 1.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::page::Page;
use crate::relation::Relation;

/// What readers have to know (CONTRACT, *Input*). One struct for the command line, the config file and bindings.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Field of JSONL/CSV/Parquet that holds plain text.
    pub text_field: String,
    /// Field that holds HTML, looked at if the text field is absent.
    pub html_field: String,
    /// Field that holds the id.
    pub id_field: String,
    /// Field that holds the URL.
    pub url_field: String,
    /// Field that holds the date.
    pub date_field: String,
    /// Field that names the site, if any.
    pub site_field: Option<String>,
    /// Take the N-th directory below the INPUT as the site of a file's pages (counted from 1).
    pub site_dir: Option<usize>,
    /// A record of more bytes than this is rejected, without ever being held in memory whole.
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

/// One file to read (or standard input, spooled).
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
}

/// What a record turned out to be.
#[derive(Debug)]
pub enum Outcome {
    /// A page to sketch.
    Page(Page),
    /// Not a page by its nature (a WARC request, an image): counted by kind, passed through to `kept/`.
    Skipped(&'static str),
    /// It should have been a page and could not be read; the reason is for people.
    Rejected(String),
}

/// One record of a source as it was read, not yet parsed: parsing is the part that runs on all threads.
#[derive(Debug)]
pub struct Record {
    /// Counted from 1 within the source.
    pub number: u64,
    /// Size in bytes as read (decompressed).
    pub size: u64,
}

impl Record {
    /// Parses the record. Independent of all other records, so it may run on any thread.
    pub fn parse(self, _source: &Source, _options: &ReadOptions) -> Outcome {
        Outcome::Skipped("unread")
    }
}

/// What becomes of a record in `kept/`.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate<'a> {
    /// Written as it was read.
    Keep,
    /// Left out: a dropped copy or a reject.
    Leave,
    /// `--mark`: written with the fields `retold_cluster`, `retold_canonical` and `retold_relation` added where the
    /// format has fields (JSONL, CSV, Parquet, WARC as named fields of the record header); `None` for a page that is
    /// in no cluster (fields null or empty).
    Mark(Option<Mark<'a>>),
}

/// What `--mark` adds to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark<'a> {
    /// The number of the page's cluster.
    pub cluster: u64,
    /// The id of the cluster's canonical page.
    pub canonical: &'a str,
    /// What the page is to the canonical page; `None` for the canonical page itself and unrelated members.
    pub relation: Option<Relation>,
}

/// Lists the files of INPUTs: directories recursively, everything sorted by name so that the order of INPUTs and of
/// directory entries does not matter. Names are settled here (see [`Source::name`]).
pub fn discover(_inputs: &[PathBuf], _options: &ReadOptions) -> Result<Vec<Source>> {
    Ok(Vec::new())
}

impl Source {
    /// Standard input, spooled to the file at `path`.
    pub fn spooled(path: &Path) -> Source {
        Source {
            path: path.to_owned(),
            name: "stdin".into(),
            kept: "stdin.jsonl".into(),
            site: None,
            size: 0,
        }
    }

    /// Opens the source: its records in order, streaming. Damage ends the stream with one rejected record; a file that
    /// cannot be opened gives just that record.
    pub fn records(&self, _options: &ReadOptions) -> Box<dyn Iterator<Item = Record> + Send> {
        Box::new(std::iter::empty())
    }

    /// Reads the source again and writes to `to` the records that `fate` keeps, in the same format and compression.
    pub fn rewrite<'a>(
        &self,
        _options: &ReadOptions,
        _fate: &mut dyn FnMut(u64) -> Fate<'a>,
        _to: &Path,
    ) -> Result<()> {
        Ok(())
    }
}
