//! Parquet: one record a row. Only the wanted columns are read, a few hundred rows at a time.
//!
//! Columns are read and written as Parquet has them, levels and values. That spares the Arrow crates, more than a third
//! of the time that a build took (docs/lab/build-time.md), and copies to `kept/` exactly what the source says of its columns.

mod cells;
mod rewrite;

use std::fs::File;

use ::parquet::column::reader::ColumnReader;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use self::cells::Cells;
pub(crate) use self::rewrite::rewrite;
use super::frame::{Body, too_large};
use super::{Outcome, ReadOptions, Record, Source};
use crate::page::{Content, Markup, Page};
use crate::quiet::caught;

/// Rows read at a time. Both passes use the same number, so that damage stops both at the same row.
const BATCH: usize = 256;

/// The wanted columns, in this order.
const TEXT: usize = 0;
const HTML: usize = 1;
const ID: usize = 2;
const URL: usize = 3;
const DATE: usize = 4;
const SITE: usize = 5;

/// A file with pages.
struct Rows {
    file: SerializedFileReader<File>,
    /// The places of the wanted columns that there are.
    wanted: [Option<usize>; 6],
    /// The number of rows of each row group.
    counts: Vec<usize>,
}

impl Rows {
    /// Opens a file and checks that it has pages; the error is the reason for its one reject.
    fn open(source: &Source, options: &ReadOptions) -> Result<Rows, String> {
        let file = File::open(&source.path).map_err(|error| format!("cannot open: {error}"))?;
        let file = guarded(|| SerializedFileReader::new(file))?;
        let schema = file.metadata().file_metadata().schema_descr();
        check(schema, options)?;
        let counts = counts(file.metadata())?;
        let names = [
            Some(&options.text_field),
            Some(&options.html_field),
            Some(&options.id_field),
            Some(&options.url_field),
            Some(&options.date_field),
            options.site_field.as_ref(),
        ];
        let wanted = names.map(|name| {
            let root = |leaf: &usize| schema.get_column_root(*leaf);
            let leaf = (0..schema.num_columns())
                .find(|leaf| Some(root(leaf).name()) == name.map(String::as_str));
            leaf.filter(|leaf| cells::is_flat(root(leaf)))
        });
        Ok(Rows {
            file,
            wanted,
            counts,
        })
    }

    /// The wanted columns of a row group. The others are read through: a row that cannot be copied is not kept.
    fn group(&self, number: usize) -> Result<Group, String> {
        guarded(|| {
            let group = self.file.get_row_group(number)?;
            let left = self.counts[number];
            for leaf in 0..group.num_columns() {
                if !self.wanted.contains(&Some(leaf)) {
                    rewrite::read_through(&*group, leaf, left)?;
                }
            }
            let mut columns = [const { None }; 6];
            for (column, leaf) in columns.iter_mut().zip(self.wanted) {
                if let Some(leaf) = leaf {
                    let about = group.metadata().schema_descr().column(leaf);
                    *column = Some((about, group.get_column_reader(leaf)?));
                }
            }
            Ok::<_, ParquetError>(Group { columns, left })
        })
    }
}

/// The number of rows of each row group, if the footer agrees with itself: what a flipped bit makes of a number must not
/// become millions of rejects.
fn counts(footer: &ParquetMetaData) -> Result<Vec<usize>, String> {
    let groups = footer.row_groups().iter();
    let counts: Option<Vec<usize>> = groups
        .map(|group| usize::try_from(group.num_rows()).ok())
        .collect();
    let total = counts.as_ref().and_then(|counts| {
        let mut counts = counts.iter();
        counts.try_fold(0usize, |sum, count| sum.checked_add(*count))
    });
    let stated = footer.file_metadata().num_rows();
    match (counts, total) {
        (Some(counts), Some(total)) if i64::try_from(total) == Ok(stated) => Ok(counts),
        _ => Err(format!(
            "damaged Parquet: the footer counts {stated} rows, and its row groups have another number of them"
        )),
    }
}

/// Checks that there is a column of text or HTML.
fn check(schema: &SchemaDescriptor, options: &ReadOptions) -> Result<(), String> {
    let fields = schema.root_schema().get_fields();
    let wanted = [&options.text_field, &options.html_field];
    let found = wanted.map(|name| fields.iter().find(|field| field.name() == name));
    if found.iter().all(Option::is_none) {
        let names = fields.iter().take(20).map(|field| field.name());
        let names = names.collect::<Vec<_>>().join(", ");
        return Err(format!(
            "no column `{}` or `{}`; the columns are: {names}",
            wanted[0], wanted[1]
        ));
    }
    for field in found.into_iter().flatten() {
        if !cells::is_text(field) {
            let kind = match cells::is_flat(field) {
                true => field.get_physical_type().to_string(),
                false => "list or group".into(),
            };
            return Err(format!(
                "column `{}` is of type {kind}, not text",
                field.name()
            ));
        }
    }
    Ok(())
}

/// Runs a step of the Parquet reader. On damaged files that crate can panic, and one bad file must not end the run.
fn guarded<T, E: std::fmt::Display>(step: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match caught(step) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(format!("damaged Parquet: {error}")),
        None => Err("damaged Parquet: the reader gave up".into()),
    }
}

/// The wanted columns of a row group, as far as they are not read yet.
struct Group {
    columns: [Option<(ColumnDescPtr, ColumnReader)>; 6],
    left: usize,
}

impl Group {
    /// The next rows; none behind the last.
    fn next(&mut self) -> Result<Batch, String> {
        let rows = self.left.min(BATCH);
        let mut batch = Batch {
            rows,
            ..Batch::default()
        };
        for (cells, column) in batch.columns.iter_mut().zip(&mut self.columns) {
            if let Some((about, reader)) = column {
                *cells = Some(guarded(|| cells::read(reader, about, rows))?);
            }
        }
        self.left -= rows;
        Ok(batch)
    }
}

/// The wanted columns of some rows, each as text or as bytes.
#[derive(Default)]
struct Batch {
    columns: [Option<Cells>; 6],
    rows: usize,
    next: usize,
}

impl Batch {
    /// The bytes of one cell; `None` for null.
    fn cell(&self, column: usize, row: usize) -> Option<&[u8]> {
        let cell = self.columns[column].as_ref()?.get(row)?;
        cell.as_ref().map(|bytes| bytes.data())
    }

    fn name(&self, column: usize, row: usize) -> Option<String> {
        let bytes = self.cell(column, row).filter(|bytes| !bytes.is_empty())?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// The records of a file.
pub(crate) fn records(
    source: &Source,
    options: &ReadOptions,
) -> Box<dyn Iterator<Item = Record> + Send> {
    match Rows::open(source, options) {
        Ok(rows) => Box::new(Records {
            rows,
            group: None,
            groups: 0,
            batch: Batch::default(),
            lost: (0, String::new()),
            number: 0,
            source: source.clone(),
            options: options.clone(),
        }),
        Err(reason) => Box::new(std::iter::once(Record::done(
            1,
            source.size,
            Outcome::Rejected(reason),
        ))),
    }
}

struct Records {
    rows: Rows,
    group: Option<Group>,
    /// How many row groups were opened.
    groups: usize,
    batch: Batch,
    /// How many rows of a damaged row group are still to be rejected, and why.
    lost: (usize, String),
    number: u64,
    source: Source,
    options: ReadOptions,
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while self.batch.next == self.batch.rows && self.lost.0 == 0 {
            self.go_on()?;
        }
        self.number += 1;
        if self.batch.next == self.batch.rows {
            self.lost.0 -= 1;
            let reason = format!("row {}, {}", self.number, self.lost.1);
            return Some(Record::done(self.number, 0, Outcome::Rejected(reason)));
        }
        let row = self.batch.next;
        self.batch.next += 1;
        Some(self.record(row))
    }
}

impl Records {
    /// Reads on; `None` at the end.
    fn go_on(&mut self) -> Option<()> {
        let (left, read) = match self.group.as_mut().filter(|group| group.left > 0) {
            Some(group) => (group.left, group.next().map(|batch| self.batch = batch)),
            None => {
                let left = *self.rows.counts.get(self.groups)?;
                self.groups += 1;
                let opened = self.rows.group(self.groups - 1);
                (left, opened.map(|group| self.group = Some(group)))
            }
        };
        if let Err(reason) = read {
            self.group = None;
            let group = self.groups - 1;
            self.lost = (left, format!("in row group {group} (from 0): {reason}"));
        }
        Some(())
    }

    fn record(&self, row: usize) -> Record {
        let batch = &self.batch;
        let (bytes, markup) = match (batch.cell(TEXT, row), batch.cell(HTML, row)) {
            (Some(text), _) => (text, Markup::Plain),
            (None, Some(html)) => (html, Markup::Html),
            (None, None) => {
                let (text, html) = (&self.options.text_field, &self.options.html_field);
                let reason = format!(
                    "row {}: neither `{text}` nor `{html}` has a value",
                    self.number
                );
                return Record::done(self.number, 0, Outcome::Rejected(reason));
            }
        };
        let size = bytes.len() as u64;
        if size > self.options.max_record_size {
            let reason = too_large(self.options.max_record_size);
            return Record::done(self.number, size, Outcome::Rejected(reason));
        }
        let content = match std::str::from_utf8(bytes) {
            Ok(text) => Content::Unicode {
                text: text.to_owned(),
                markup,
            },
            Err(_) => Content::Bytes {
                bytes: bytes.to_vec(),
                charset: None,
                markup,
            },
        };
        let url = batch.name(URL, row);
        let page = Page {
            id: batch
                .name(ID, row)
                .or_else(|| url.clone())
                .unwrap_or_else(|| self.source.record_id(self.number)),
            url,
            site: batch.name(SITE, row).or_else(|| self.source.site.clone()),
            date: batch.name(DATE, row),
            content,
        };
        Record {
            number: self.number,
            size,
            body: Body::Done(Outcome::Page(page)),
        }
    }
}

#[cfg(test)]
mod tests;
