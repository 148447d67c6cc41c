//! Parquet: one record a row. Only the wanted columns are read, a few hundred rows at a time.
//!
//! Columns are read and written as Parquet has them, levels and values. That spares the Arrow crates, more than a third
//! of the time that a build took (docs/lab/build-time.md), and copies to `kept/` exactly what the source says of its columns.

mod cells;
mod rewrite;

use std::borrow::Cow;
use std::fs::File;

use ::parquet::column::reader::ColumnReader;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use self::cells::Cells;
pub(crate) use self::rewrite::rewrite;
use super::frame::{Body, too_large};
use super::{Outcome, ReadOptions, Record, Source, names};
use crate::page::{Content, Markup, Page};
use crate::quiet::caught;

/// Rows read at a time. Both passes use the same number, so that damage stops both at the same row.
const BATCH: usize = 256;

/// The wanted columns, in this order; from the last on those of the text.
const HTML: usize = 0;
const ID: usize = 1;
const URL: usize = 2;
const DATE: usize = 3;
const SITE: usize = 4;
const TEXT: usize = 5;

/// A file with pages.
struct Rows {
    file: SerializedFileReader<File>,
    /// The places of the wanted columns that there are.
    wanted: Vec<Option<usize>>,
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
        let find = |name: &str| leaf(schema, name);
        let usual = |name: &str| find(name).or_else(|| find(&names::usual(name)));
        let mut wanted = vec![
            find(&options.html_field),
            find(&options.id_field),
            usual(&options.url_field),
            usual(&options.date_field),
            options.site_field.as_deref().and_then(find),
        ];
        wanted.extend(options.text_fields().map(find));
        for place in &mut wanted {
            *place = place.filter(|leaf| cells::is_flat(&schema.column(*leaf)));
        }
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
            let column = |leaf: &Option<usize>| {
                let Some(leaf) = *leaf else { return Ok(None) };
                let about = group.metadata().schema_descr().column(leaf);
                Ok(Some((about, group.get_column_reader(leaf)?)))
            };
            let columns = self.wanted.iter().map(column);
            let columns = columns.collect::<Result<_, ParquetError>>()?;
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

/// The column of that name, or the one that this path of names leads to.
fn leaf(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    let leaves = 0..schema.num_columns();
    leaves
        .filter(|leaf| schema.column(*leaf).path().string() == name)
        .min_by_key(|leaf| schema.column(*leaf).path().parts().len())
}

/// Checks that there is a column of text or HTML.
fn check(schema: &SchemaDescriptor, options: &ReadOptions) -> Result<(), String> {
    let fields = schema.root_schema().get_fields();
    let mut found = false;
    for name in options.text_fields().chain([&*options.html_field]) {
        let kind = match leaf(schema, name).map(|leaf| schema.column(leaf)) {
            Some(column) if cells::is_text(&column) => {
                found = true;
                continue;
            }
            Some(column) if cells::is_flat(&column) => column.physical_type().to_string(),
            None if fields.iter().all(|field| field.name() != name) => continue,
            _ => "list or group".into(),
        };
        return Err(format!("column `{name}` is of type {kind}, not text"));
    }
    if found {
        return Ok(());
    }
    let columns = fields.iter().map(|field| Cow::Borrowed(field.name()));
    Err(names::no_column(columns, options))
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
    columns: Vec<Option<(ColumnDescPtr, ColumnReader)>>,
    left: usize,
}

impl Group {
    /// The next rows; none behind the last.
    fn next(&mut self) -> Result<Batch, String> {
        let rows = self.left.min(BATCH);
        let read = |column: &mut Option<(ColumnDescPtr, ColumnReader)>| match column {
            Some((about, reader)) => guarded(|| cells::read(reader, about, rows)).map(Some),
            None => Ok(None),
        };
        let columns = self
            .columns
            .iter_mut()
            .map(read)
            .collect::<Result<_, _>>()?;
        self.left -= rows;
        Ok(Batch {
            columns,
            rows,
            next: 0,
        })
    }
}

/// The wanted columns of some rows, each as text or as bytes.
#[derive(Default)]
struct Batch {
    columns: Vec<Option<Cells>>,
    rows: usize,
    next: usize,
}

impl Batch {
    /// The bytes of one cell; `None` for null.
    fn cell(&self, column: usize, row: usize) -> Option<&[u8]> {
        let cell = self.columns[column].as_ref()?.get(row)?;
        cell.as_ref().map(|bytes| bytes.data())
    }

    /// The text; `None` if all its columns are null.
    fn text(&self, row: usize) -> Option<Cow<'_, [u8]>> {
        let mut texts = (TEXT..self.columns.len()).filter_map(|column| self.cell(column, row));
        match (texts.next()?, texts.next()) {
            (text, None) => Some(Cow::Borrowed(text)),
            (first, Some(second)) => {
                names::joined([first, second].into_iter().chain(texts)).map(Cow::Owned)
            }
        }
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
    source.seen.look_first(&source.path);
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
        let (bytes, markup) = match (batch.text(row), batch.cell(HTML, row)) {
            (Some(text), _) => (text, Markup::Plain),
            (None, Some(html)) => (Cow::Borrowed(html), Markup::Html),
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
        let content = match String::from_utf8(bytes.into_owned()) {
            Ok(text) => Content::Unicode { text, markup },
            Err(other) => Content::Bytes {
                bytes: other.into_bytes(),
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
pub(crate) mod tests;
