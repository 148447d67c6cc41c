//! Parquet: one record a row. Only the wanted columns are read, a few hundred rows at a time.

use std::fs::File;
use std::io::BufWriter;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use ::parquet::arrow::{ARROW_SCHEMA_META_KEY, ProjectionMask};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};

use super::frame::{Body, too_large};
use super::{Fate, MARK_FIELDS, Mark, Outcome, ReadOptions, Record, Source};
use crate::error::{Error, Result};
use crate::page::{Content, Markup, Page};

/// Rows read at a time. Both passes use the same number, so that damage stops both at the same row.
const BATCH: usize = 256;

type Batches = ParquetRecordBatchReaderBuilder<File>;

/// Opens a file and checks that it has pages; the error is the reason for its one reject.
fn open(source: &Source, options: &ReadOptions) -> std::result::Result<Batches, String> {
    let file = File::open(&source.path).map_err(|error| format!("cannot open: {error}"))?;
    let batches = guarded(|| Batches::try_new(file))?;
    let schema = batches.schema();
    let wanted = [&options.text_field, &options.html_field];
    let found = wanted.map(|name| schema.field_with_name(name).ok());
    if found.iter().all(Option::is_none) {
        let names = schema
            .fields()
            .iter()
            .take(20)
            .map(|field| field.name().as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        return Err(format!(
            "no column `{}` or `{}`; the columns are: {names}",
            wanted[0], wanted[1]
        ));
    }
    for field in found.into_iter().flatten() {
        if !is_text(field.data_type()) {
            return Err(format!(
                "column `{}` is of type {}, not text",
                field.name(),
                field.data_type()
            ));
        }
    }
    Ok(batches)
}

/// Runs a step of the Parquet reader. On damaged files that crate can panic, and one bad file must not end the run.
fn guarded<T, E: std::fmt::Display>(
    step: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, String> {
    match std::panic::catch_unwind(AssertUnwindSafe(step)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(format!("damaged Parquet: {error}")),
        Err(_) => Err("damaged Parquet: the reader gave up".into()),
    }
}

fn is_text(kind: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Dictionary, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    match kind {
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | Null => true,
        Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

/// The records of a file.
pub(crate) fn records(
    source: &Source,
    options: &ReadOptions,
) -> Box<dyn Iterator<Item = Record> + Send> {
    let opened = open(source, options).and_then(|batches| {
        let names = [
            Some(&options.text_field),
            Some(&options.html_field),
            Some(&options.id_field),
            Some(&options.url_field),
            Some(&options.date_field),
            options.site_field.as_ref(),
        ];
        let fields = batches.schema().fields().iter().enumerate();
        let roots = fields.filter(|(_, field)| names.contains(&Some(field.name())));
        let roots = roots.map(|(place, _)| place).collect::<Vec<_>>();
        let mask = ProjectionMask::roots(batches.parquet_schema(), roots);
        guarded(|| batches.with_projection(mask).with_batch_size(BATCH).build())
    });
    match opened {
        Ok(batches) => Box::new(Rows {
            batches: Some(batches),
            batch: Batch::default(),
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

struct Rows {
    /// `None` behind the end or damage.
    batches: Option<ParquetRecordBatchReader>,
    batch: Batch,
    number: u64,
    source: Source,
    options: ReadOptions,
}

/// The wanted columns of some rows, each as text or as bytes.
#[derive(Default)]
struct Batch {
    text: Option<ArrayRef>,
    html: Option<ArrayRef>,
    id: Option<ArrayRef>,
    url: Option<ArrayRef>,
    date: Option<ArrayRef>,
    site: Option<ArrayRef>,
    rows: usize,
    next: usize,
}

impl Batch {
    fn new(batch: &RecordBatch, options: &ReadOptions) -> Batch {
        let column = |name: &str| batch.column_by_name(name).and_then(plain);
        Batch {
            text: column(&options.text_field),
            html: column(&options.html_field),
            id: column(&options.id_field),
            url: column(&options.url_field),
            date: column(&options.date_field),
            site: options.site_field.as_deref().and_then(column),
            rows: batch.num_rows(),
            next: 0,
        }
    }
}

/// A column as strings, or as bytes if it holds bytes; `None` if it can be neither.
fn plain(column: &ArrayRef) -> Option<ArrayRef> {
    let to = match column.data_type() {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => DataType::LargeBinary,
        DataType::Dictionary(_, value)
            if !matches!(**value, DataType::Utf8 | DataType::LargeUtf8) =>
        {
            DataType::LargeBinary
        }
        _ => DataType::LargeUtf8,
    };
    arrow_cast::cast(column, &to).ok()
}

/// The bytes of one cell; `None` for null.
fn cell(column: Option<&ArrayRef>, row: usize) -> Option<&[u8]> {
    let column = column.filter(|column| column.is_valid(row))?;
    match column.data_type() {
        DataType::LargeBinary => Some(column.as_binary::<i64>().value(row)),
        _ => Some(column.as_string::<i64>().value(row).as_bytes()),
    }
}

fn name(column: Option<&ArrayRef>, row: usize) -> Option<String> {
    let bytes = cell(column, row).filter(|bytes| !bytes.is_empty())?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

impl Iterator for Rows {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        while self.batch.next == self.batch.rows {
            let batches = self.batches.as_mut()?;
            match guarded(|| batches.next().transpose()) {
                Ok(Some(batch)) => self.batch = Batch::new(&batch, &self.options),
                Ok(None) => self.batches = None,
                Err(reason) => {
                    self.batches = None;
                    self.number += 1;
                    return Some(Record::done(self.number, 0, Outcome::Rejected(reason)));
                }
            }
        }
        let row = self.batch.next;
        self.batch.next += 1;
        self.number += 1;
        Some(self.record(row))
    }
}

impl Rows {
    fn record(&self, row: usize) -> Record {
        let batch = &self.batch;
        let (bytes, markup) = match (
            cell(batch.text.as_ref(), row),
            cell(batch.html.as_ref(), row),
        ) {
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
        let url = name(batch.url.as_ref(), row);
        let page = Page {
            id: name(batch.id.as_ref(), row)
                .or_else(|| url.clone())
                .unwrap_or_else(|| self.source.record_id(self.number)),
            url,
            site: name(batch.site.as_ref(), row).or_else(|| self.source.site.clone()),
            date: name(batch.date.as_ref(), row),
            content,
        };
        Record {
            number: self.number,
            size,
            body: Body::Done(Outcome::Page(page)),
        }
    }
}

/// See [`Source::rewrite`]. All columns are kept, with the schema, compression and size of row groups of the source.
pub(crate) fn rewrite<'a>(
    source: &Source,
    options: &ReadOptions,
    fate: &mut dyn FnMut(u64) -> Fate<'a>,
    to: &Path,
) -> Result<()> {
    let Ok(batches) = open(source, options) else {
        fate(1);
        return Ok(());
    };
    let metadata = ArrowReaderMetadata::try_new(batches.metadata().clone(), Default::default());
    let metadata = metadata.map_err(|error| write_error(error, to))?;
    let Ok(mut batches) = guarded(|| batches.with_batch_size(BATCH).build()) else {
        fate(1);
        return Ok(());
    };
    let mut writer = None;
    let mut number = 0;
    loop {
        let batch = match guarded(|| batches.next().transpose()) {
            Ok(Some(batch)) => batch,
            Ok(None) => break,
            // Damage in a column that the first pass did not read: its rows are pages that would be lost.
            Err(reason) if fate(number + 1) != Fate::Leave => {
                let error = std::io::Error::other(reason);
                return Err(Error::io("cannot read again", &source.path)(error));
            }
            Err(_) => break,
        };
        let fates = (0..batch.num_rows() as u64)
            .map(|row| fate(number + 1 + row))
            .collect::<Vec<_>>();
        number += fates.len() as u64;
        write(&batch, &fates, &metadata, &mut writer, to)?;
    }
    match writer {
        Some(writer) => writer
            .close()
            .map(|_| ())
            .map_err(|error| write_error(error, to)),
        None => Ok(()),
    }
}

type Writer = ArrowWriter<BufWriter<File>>;

/// Writes the rows of a batch that are kept.
fn write(
    batch: &RecordBatch,
    fates: &[Fate],
    metadata: &ArrowReaderMetadata,
    writer: &mut Option<Writer>,
    to: &Path,
) -> Result<()> {
    let kept = fates
        .iter()
        .map(|fate| *fate != Fate::Leave)
        .collect::<Vec<_>>();
    if !kept.contains(&true) {
        return Ok(());
    }
    let failed = |error: ParquetError| write_error(error, to);
    let mut rows = arrow_select::filter::filter_record_batch(batch, &BooleanArray::from(kept))
        .map_err(|error| failed(error.into()))?;
    if fates.iter().any(|fate| matches!(fate, Fate::Mark(_))) {
        rows = marked(&rows, fates).map_err(|error| failed(error.into()))?;
    }
    let writer = match writer {
        Some(writer) => writer,
        None => writer.insert(create(&rows, metadata, to)?),
    };
    writer.write(&rows).map_err(failed)
}

/// The kept rows with the three columns of `--mark`.
fn marked(
    rows: &RecordBatch,
    fates: &[Fate],
) -> std::result::Result<RecordBatch, arrow_schema::ArrowError> {
    let marks = fates
        .iter()
        .filter(|fate| **fate != Fate::Leave)
        .map(|fate| match fate {
            Fate::Mark(mark) => mark.as_ref(),
            _ => None,
        });
    let marks = marks.collect::<Vec<Option<&Mark>>>();
    let cluster = |mark: &Option<&Mark>| mark.and_then(|mark| i64::try_from(mark.cluster).ok());
    let relation = |mark: &Option<&Mark>| Some(mark.as_ref()?.relation?.name());
    let columns: [ArrayRef; 3] = [
        Arc::new(marks.iter().map(cluster).collect::<Int64Array>()),
        Arc::new(
            marks
                .iter()
                .map(|mark| mark.map(|mark| mark.canonical))
                .collect::<StringArray>(),
        ),
        Arc::new(marks.iter().map(relation).collect::<StringArray>()),
    ];
    let schema = rows.schema();
    let added = MARK_FIELDS.iter().zip(&columns);
    let added =
        added.map(|(name, column)| Arc::new(Field::new(*name, column.data_type().clone(), true)));
    let fields = schema
        .fields()
        .iter()
        .cloned()
        .chain(added)
        .collect::<Vec<_>>();
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let all = rows.columns().iter().cloned().chain(columns).collect();
    RecordBatch::try_new(Arc::new(schema), all)
}

/// Makes the file, written in the way in which the source was.
fn create(rows: &RecordBatch, source: &ArrowReaderMetadata, to: &Path) -> Result<Writer> {
    let metadata = source.metadata();
    let pairs = metadata
        .file_metadata()
        .key_value_metadata()
        .cloned()
        .unwrap_or_default();
    // The writer makes its own entry for the schema.
    let pairs = pairs
        .into_iter()
        .filter(|pair| pair.key != ARROW_SCHEMA_META_KEY)
        .collect::<Vec<_>>();
    let largest = metadata
        .row_groups()
        .iter()
        .filter_map(|group| usize::try_from(group.num_rows()).ok())
        .max();
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata((!pairs.is_empty()).then_some(pairs))
        .set_max_row_group_row_count(largest.filter(|rows| *rows > 0));
    if let Some(group) = metadata.row_groups().first() {
        for column in group.columns() {
            properties = properties
                .set_column_compression(column.column_path().clone(), column.compression());
        }
    }
    let root = metadata
        .file_metadata()
        .schema_descr()
        .root_schema()
        .name()
        .to_owned();
    let options = ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_schema_root(root);
    super::rewrite::make_folder(to)?;
    let file = File::create(to).map_err(Error::io("cannot write", to))?;
    ArrowWriter::try_new_with_options(BufWriter::new(file), rows.schema(), options)
        .map_err(|error| write_error(error, to))
}

/// An error of the writer; if the system is behind it (disk full), in the system's words.
fn write_error(error: ParquetError, to: &Path) -> Error {
    let error = match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(inner) => std::io::Error::other(inner),
        },
        error => std::io::Error::other(error),
    };
    Error::io("cannot write", to)(error)
}

#[cfg(test)]
mod tests {
    use ::parquet::basic::Compression;
    use arrow_array::{BinaryArray, StringViewArray};

    use super::super::tests::{Folder, MARK, briefs};
    use super::*;

    /// Ten rows in two row groups, zstd, with a column that nobody asks for.
    fn sample(text: ArrayRef, compression: Compression) -> Vec<u8> {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
        let more: ArrayRef = Arc::new(StringArray::from_iter_values(
            (0..10).map(|i| format!("more {i}")),
        ));
        let batch =
            RecordBatch::try_from_iter([("id", ids), ("text", text), ("more", more)]).unwrap();
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_max_row_group_row_count(Some(5))
            .build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn texts() -> impl Iterator<Item = String> {
        (0..10).map(|i| format!("text {i}"))
    }

    fn rewritten<'a>(
        source: &Source,
        fate: impl Fn(u64) -> Fate<'a>,
    ) -> Option<(Batches, RecordBatch)> {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("x/kept.parquet");
        source
            .rewrite(&ReadOptions::default(), &mut |number| fate(number), &to)
            .unwrap();
        let open = || Some(Batches::try_new(File::open(&to).ok()?).unwrap());
        let rows = open()?.build().unwrap().next().unwrap().unwrap();
        Some((open()?, rows))
    }

    #[test]
    fn text_may_be_of_any_string_or_bytes_type() {
        let kinds: [ArrayRef; 4] = [
            Arc::new(StringArray::from_iter_values(texts())),
            Arc::new(arrow_array::LargeStringArray::from_iter_values(texts())),
            Arc::new(StringViewArray::from_iter_values(texts())),
            Arc::new(BinaryArray::from_iter_values(texts())),
        ];
        for column in kinds {
            let kind = column.data_type().clone();
            let folder = Folder::new(&[("a.parquet", &sample(column, Compression::SNAPPY))]);
            let expected = texts()
                .enumerate()
                .map(|(i, text)| format!("{i}={text}"))
                .collect::<Vec<_>>();
            assert_eq!(briefs(&folder.source("a.parquet")), expected, "{kind}");
        }
    }

    #[test]
    fn kept_rows_have_all_columns_and_the_source_compression() {
        let text = Arc::new(StringArray::from_iter_values(texts()));
        let folder = Folder::new(&[("a", &sample(text, Compression::ZSTD(Default::default())))]);
        let source = folder.source("a");
        let fate = |number| {
            if number % 2 == 0 {
                Fate::Keep
            } else {
                Fate::Leave
            }
        };
        let (file, rows) = rewritten(&source, fate).unwrap();
        assert_eq!((rows.num_rows(), rows.num_columns()), (5, 3));
        assert_eq!(rows.column(2).as_string::<i32>().value(4), "more 9");
        assert!(matches!(
            file.metadata().row_group(0).column(1).compression(),
            Compression::ZSTD(_)
        ));
        assert!(rewritten(&source, |_| Fate::Leave).is_none());
        let (_, rows) =
            rewritten(&source, |number| Fate::Mark((number == 2).then_some(MARK))).unwrap();
        assert_eq!((rows.num_rows(), rows.num_columns()), (10, 6));
        assert_eq!(
            rows.column_by_name("retold_relation")
                .unwrap()
                .as_string::<i32>()
                .value(1),
            "contained_by"
        );
        assert_eq!(
            rows.column_by_name("retold_cluster").unwrap().null_count(),
            9
        );
    }

    #[test]
    fn damaged_files_and_missing_columns_are_one_reject() {
        let bytes = sample(
            Arc::new(StringArray::from_iter_values(texts())),
            Compression::SNAPPY,
        );
        let numbers = sample(
            Arc::new(Int64Array::from_iter_values(0..10)),
            Compression::SNAPPY,
        );
        let folder = Folder::new(&[
            ("cut.parquet", &bytes[..bytes.len() - 9]),
            ("n.parquet", &numbers),
            ("e.parquet", b""),
        ]);
        let found = briefs(&folder.source("cut.parquet"));
        assert!(
            found.len() == 1 && found[0].starts_with("!damaged Parquet: "),
            "{found:?}"
        );
        assert_eq!(
            briefs(&folder.source("n.parquet")),
            ["!column `text` is of type Int64, not text"]
        );
        assert_eq!(briefs(&folder.source("e.parquet")).len(), 1);
        // Whatever byte is wrong, nothing panics and every row up to the damage has one outcome.
        for place in (0..bytes.len()).step_by(7) {
            let mut broken = bytes.clone();
            broken[place] ^= 0x55;
            folder.write("b.parquet", &broken);
            briefs(&folder.source("b.parquet"));
            rewritten(&folder.source("b.parquet"), |_| Fate::Leave);
        }
    }
}
