//! The rows of a Parquet file as records, a few hundred rows at a time.

use std::borrow::Cow;
use std::ops::Range;

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::FileReader;

use super::cells::{self, Cells, Column};
use super::levels::{BATCH_ROWS, read_through};
use super::rows::WholeRows;
use super::table::{DATE, HTML, ID, SITE, TITLE, Table, URL, guarded};
use crate::page::{Content, Markup, Page};
use crate::read::format::Records;
use crate::read::frame::too_large;
use crate::read::names;
use crate::read::options::{ReadOptions, more_fields};
use crate::read::record::{Body, Outcome, Record};
use crate::read::source::Source;

/// The unread part of a row group's wanted columns.
struct RowGroup {
    columns: Vec<Option<Column>>,
    /// For each text column in a list, the column of the roles.
    roles: Vec<Option<Column>>,
    left: usize,
}

impl RowGroup {
    /// The next rows; none after the last.
    fn next(&mut self, skip_roles: &[String]) -> Result<RowBatch, String> {
        let rows = self.left.min(BATCH_ROWS);
        let read = |(column, roles): (&mut Option<Column>, &mut Option<Column>)| match column {
            Some((about, reader)) if cells::is_flat(about) => {
                guarded(|| cells::read(reader, about, rows)).map(Some)
            }
            Some(texts) => {
                guarded(|| cells::read_lists(texts, roles.as_mut(), rows, skip_roles)).map(Some)
            }
            None => Ok(None),
        };
        let columns = self.columns.iter_mut().zip(&mut self.roles);
        let columns = columns.map(read).collect::<Result<_, _>>()?;
        self.left -= rows;
        Ok(RowBatch {
            columns,
            rows,
            next: 0,
        })
    }
}

/// Opens the wanted columns of a row group. The others are read through, because a row that cannot be copied is not kept.
fn open_group(table: &Table, number: usize) -> Result<RowGroup, String> {
    guarded(|| {
        let group = table.file.get_row_group(number)?;
        let left = table.counts[number];
        for leaf in 0..group.num_columns() {
            if !table.wanted.contains(&Some(leaf)) {
                read_through(&*group, leaf, left)?;
            }
        }
        let column = |leaf: &Option<usize>| {
            let Some(leaf) = *leaf else { return Ok(None) };
            let about = group.metadata().schema_descr().column(leaf);
            Ok(Some((about, group.get_column_reader(leaf)?)))
        };
        let open = |leaves: &[Option<usize>]| -> Result<Vec<Option<Column>>, ParquetError> {
            leaves.iter().map(column).collect()
        };
        Ok::<_, ParquetError>(RowGroup {
            columns: open(&table.wanted)?,
            roles: open(&table.roles)?,
            left,
        })
    })
}

#[derive(Default)]
struct RowBatch {
    columns: Vec<Option<Cells>>,
    rows: usize,
    next: usize,
}

impl RowBatch {
    /// The bytes of one cell; `None` for null.
    fn cell(&self, column: usize, row: usize) -> Option<&[u8]> {
        let cell = self.columns[column].as_ref()?.get(row)?;
        cell.as_ref().map(|bytes| bytes.data())
    }

    /// The text in these columns; `None` if all of them are null.
    fn text(&self, columns: Range<usize>, row: usize) -> Option<Cow<'_, [u8]>> {
        let mut texts = columns.filter_map(|column| self.cell(column, row));
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

pub(super) fn records(source: &Source, options: &ReadOptions) -> Records {
    source.look_first();
    match Table::open(source, options) {
        Ok(table) => Box::new(ParquetRecords {
            table,
            group: None,
            groups: 0,
            batch: RowBatch::default(),
            lost: (0, String::new()),
            number: 0,
            whole: match options.all_fields {
                true => WholeRows::open(source),
                false => None,
            },
            source: source.clone(),
            options: options.clone(),
        }),
        Err(reason) => Box::new(std::iter::once(Record::parsed(
            1,
            source.size,
            Outcome::Rejected(reason),
        ))),
    }
}

struct ParquetRecords {
    table: Table,
    group: Option<RowGroup>,
    /// How many row groups were opened.
    groups: usize,
    batch: RowBatch,
    /// How many rows of a damaged row group must still be rejected, and why.
    lost: (usize, String),
    number: u64,
    /// All columns, if all fields are read.
    whole: Option<WholeRows>,
    source: Source,
    options: ReadOptions,
}

impl Iterator for ParquetRecords {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while self.batch.next == self.batch.rows && self.lost.0 == 0 {
            self.go_on()?;
        }
        self.number += 1;
        let all = self.whole.as_mut().map(WholeRows::next);
        if self.batch.next == self.batch.rows {
            self.lost.0 -= 1;
            let reason = format!("row {}, {}", self.number, self.lost.1);
            return Some(Record::parsed(self.number, 0, Outcome::Rejected(reason)));
        }
        let row = self.batch.next;
        self.batch.next += 1;
        let mut record = self.record(row);
        if let (Body::Row(page), Some(all)) = (&mut record.body, all) {
            page.fields = all;
        }
        Some(record)
    }
}

impl ParquetRecords {
    /// Reads the next batch; `None` at the end.
    fn go_on(&mut self) -> Option<()> {
        let (left, read) = match self.group.as_mut().filter(|group| group.left > 0) {
            Some(group) => {
                let batch = group.next(&self.options.skip_roles);
                (group.left, batch.map(|batch| self.batch = batch))
            }
            None => {
                let left = *self.table.counts.get(self.groups)?;
                self.groups += 1;
                let opened = open_group(&self.table, self.groups - 1);
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
        let (bytes, markup) = match (
            batch.text(self.table.texts.clone(), row),
            batch.cell(HTML, row),
        ) {
            (Some(text), _) => (text, Markup::Plain),
            (None, Some(html)) => (Cow::Borrowed(html), Markup::Html),
            (None, None) => {
                let (text, html) = (&self.options.text_field, &self.options.html_field);
                let reason = format!(
                    "row {}: neither `{text}` nor `{html}` has a value",
                    self.number
                );
                return Record::parsed(self.number, 0, Outcome::Rejected(reason));
            }
        };
        let size = bytes.len() as u64;
        if size > self.options.max_record_size {
            let reason = too_large(self.options.max_record_size);
            return Record::parsed(self.number, size, Outcome::Rejected(reason));
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
        let more = self.table.texts.end..batch.columns.len();
        let more = more.map(|column| batch.name(column, row));
        let page = Page {
            id: batch
                .name(ID, row)
                .or_else(|| url.clone())
                .unwrap_or_else(|| self.source.record_id(self.number)),
            url,
            site: batch.name(SITE, row).or_else(|| self.source.site.clone()),
            date: batch.name(DATE, row),
            title: batch.name(TITLE, row),
            derived: false,
            fields: more_fields(&self.options, more),
            content,
        };
        Record {
            number: self.number,
            size,
            body: Body::Row(page),
            claim: None,
        }
    }
}
