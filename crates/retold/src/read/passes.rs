//! The passes over a source: reading its records and writing the kept ones.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::format::{Format, OpenFile, Records};
use super::mark::{AddedFields, Decide, RecordDecision};
use super::open::open;
use super::options::ReadOptions;
use super::record::{Body, Outcome, Record};
use super::source::Source;
use crate::error::{Error, Result};
use crate::page::Page;

/// The content of a file, as whole rows or as records.
pub(crate) enum Rows {
    /// All rows, or why they cannot be read.
    Whole(std::result::Result<Vec<Value>, String>),
    /// Its records, streaming.
    Records(Records),
}

impl Source {
    /// False if the file was read and its records have no headers that name other records, as WARC headers do.
    pub fn may_have_companions(&self) -> bool {
        self.facts.heads.get() != Some(&false)
    }

    /// Passes the number of each record to `each`, in order, with the header at its start, in formats whose records have one.
    ///
    /// Errors: the file has changed since it was listed.
    pub(super) fn heads(
        &self,
        options: &ReadOptions,
        each: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<()> {
        if self.pages.is_some() || self.is_special || !self.may_have_companions() {
            return Ok(());
        }
        self.unchanged()?;
        if let Ok((file, format)) = open(self, options) {
            self.facts.heads.get_or_init(|| format.has_heads());
            format.heads(file, self, options, each);
        }
        self.unchanged()
    }

    /// The names of the columns, or of the fields of the first record, if the format has any.
    pub(crate) fn names(&self, options: &ReadOptions) -> Vec<String> {
        if self.pages.is_some() || self.is_special {
            return Vec::new();
        }
        let opened = open(self, options).ok();
        opened.map_or_else(Vec::new, |(file, format)| format.names(file, self, options))
    }

    /// All rows with all columns if the format has nested columns, otherwise the records. Meant for small files, because rows are held in
    /// memory. Opens the file once to detect its format.
    pub(crate) fn rows(&self, options: &ReadOptions) -> Rows {
        if self.pages.is_some() || self.is_special {
            return Rows::Records(self.records(options));
        }
        let opened = open(self, options);
        let rows = opened.as_ref().ok();
        match rows.and_then(|(_, format)| format.rows(self)) {
            Some(rows) => Rows::Whole(rows),
            None => Rows::Records(self.records_of(opened, options)),
        }
    }

    /// Opens the source and streams its records in order. Damage ends the stream with one rejected record; a file that cannot be opened
    /// gives only that record.
    pub fn records(&self, options: &ReadOptions) -> Box<dyn Iterator<Item = Record> + Send> {
        if let Some(pages) = &self.pages {
            return records_of(Arc::clone(pages));
        }
        if self.is_special {
            let outcome = Outcome::Skipped("pipe, socket or device".into());
            return Box::new(std::iter::once(Record::parsed(1, 0, outcome)));
        }
        self.records_of(open(self, options), options)
    }

    fn records_of(
        &self,
        opened: std::result::Result<(OpenFile, Box<dyn Format>), String>,
        options: &ReadOptions,
    ) -> Records {
        match opened {
            Ok((file, format)) => {
                self.facts.heads.get_or_init(|| format.has_heads());
                format.records(file, self, options)
            }
            Err(reason) => {
                let record = Record::parsed(1, self.size, Outcome::Rejected(reason));
                Box::new(std::iter::once(record))
            }
        }
    }

    /// Reads the source again and writes to `to` the records that `decide` keeps, in the same format and compression.
    ///
    /// `decide` is called once for every record number, in order. If no record of a file is kept, the file is written without records (a
    /// CSV header, a Parquet schema); a file that is one page is then not written.
    ///
    /// Errors: the file has changed since it was listed; `to` cannot be written.
    pub fn rewrite<'a>(
        &self,
        options: &ReadOptions,
        decide: &mut dyn FnMut(u64) -> RecordDecision<'a>,
        to: &Path,
    ) -> Result<()> {
        self.rewrite_adding(&AddedFields::default(), options, decide, to)
    }

    /// As [`Source::rewrite`], with fields added ([`RecordDecision::Add`]).
    pub fn rewrite_adding<'a>(
        &self,
        added: &AddedFields,
        options: &ReadOptions,
        decide: &mut dyn FnMut(u64) -> RecordDecision<'a>,
        to: &Path,
    ) -> Result<()> {
        if self.pages.is_some() {
            return Err(Error::Usage(format!(
                "{}: pages in memory have no file to write them as",
                self.name
            )));
        }
        if self.is_special {
            decide(1);
            return Ok(());
        }
        self.unchanged()?;
        let decide = Decide::new(decide, added);
        match open(self, options) {
            Ok((file, format)) => format.rewrite(file, self, options, decide, to)?,
            Err(_) => self.rewrite_unread(decide)?,
        }
        self.unchanged()
    }
}

fn records_of(pages: Arc<[Page]>) -> Records {
    let count = pages.len();
    let record = move |at: usize| {
        let page = pages[at].clone();
        let size = page.content.len() as u64;
        Record {
            number: at as u64 + 1,
            size,
            body: Body::Row(page),
            claim: None,
        }
    };
    Box::new((0..count).map(record))
}
