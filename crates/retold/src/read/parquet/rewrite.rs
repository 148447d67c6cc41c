//! Writes Parquet to `kept/`, row group by row group and column by column, with all columns.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::column::writer::ColumnWriterImpl;
use ::parquet::data_type as of;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::{FileReader, RowGroupReader};
use ::parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use ::parquet::schema::types::{Type, TypePtr};

use super::levels::{BATCH_ROWS, Levels};
use super::table::{Table, guarded};
use crate::error::{Error, Result};
use crate::read::mark::{AddedFields, Decide, FieldKind, FieldValue, RecordDecision};
use crate::read::options::ReadOptions;
use crate::read::output::make_folder;
use crate::read::source::Source;

/// The key under which some writers store the Arrow schema.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// See [`Source::rewrite`]. All columns are kept, with the schema, compression and row groups of the source.
pub(super) fn rewrite(
    source: &Source,
    options: &ReadOptions,
    mut decide: Decide<'_, '_>,
    to: &Path,
) -> Result<()> {
    let Ok(table) = Table::open(source, options) else {
        return source.rewrite_unread(decide);
    };
    let added = decide.added;
    let paths = Paths {
        from: &source.path,
        to,
    };
    let mut writer = None;
    let mut number = 0;
    for (group, &count) in table.counts.iter().enumerate() {
        let decisions = (number..number + count as u64).map(|row| decide.of(row + 1));
        let decisions = decisions.collect::<Vec<_>>();
        number += count as u64;
        copy_group(&table, group, &decisions, added, &mut writer, &paths)?;
    }
    let writer = match writer {
        Some(writer) => writer,
        // Writes a file without rows, so that a program that reads the files of many runs finds them all.
        None => {
            let added = Some(added).filter(|added| !added.is_empty());
            create(table.file.metadata(), added, &paths)?
        }
    };
    writer.close().map_err(|error| paths.unwritten(error))?;
    source.look_again()
}

/// The two paths, for messages.
struct Paths<'a> {
    from: &'a Path,
    to: &'a Path,
}

impl Paths<'_> {
    fn unread(&self, reason: String) -> Error {
        Error::io("cannot read again", self.from)(std::io::Error::other(reason))
    }

    /// A writer's error; the operating system's error if there is one (disk full).
    fn unwritten(&self, error: ParquetError) -> Error {
        let error = match error {
            ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
                Ok(error) => *error,
                Err(inner) => std::io::Error::other(inner),
            },
            error => std::io::Error::other(error),
        };
        Error::io("cannot write", self.to)(error)
    }
}

type Writer = SerializedFileWriter<BufWriter<File>>;

/// Copies the kept rows of a row group.
fn copy_group(
    table: &Table,
    group: usize,
    decisions: &[RecordDecision],
    added: &AddedFields,
    writer: &mut Option<Writer>,
    paths: &Paths,
) -> Result<()> {
    let kept = decisions
        .iter()
        .map(|decision| *decision != RecordDecision::Leave);
    let mut kept = kept.collect::<Vec<_>>();
    // There may be damage after the last kept row.
    let Some(last) = kept.iter().rposition(|kept| *kept) else {
        return Ok(());
    };
    kept.truncate(last + 1);
    let marked = decisions
        .iter()
        .any(|decision| matches!(decision, RecordDecision::Add(_)));
    let added = marked.then_some(added);
    let failed = |error| paths.unwritten(error);
    let writer = match writer {
        Some(writer) => writer,
        None => writer.insert(create(table.file.metadata(), added, paths)?),
    };
    let from =
        guarded(|| table.file.get_row_group(group)).map_err(|reason| paths.unread(reason))?;
    let mut group = writer.next_row_group().map_err(failed)?;
    let schema = table.file.metadata().file_metadata().schema_descr();
    for leaf in 0..schema.num_columns() {
        if added.is_some_and(|added| is_replaced(schema.get_column_root(leaf), &added.at, added)) {
            continue;
        }
        let to = next(&mut group).map_err(failed)?;
        match table.text() == Some(leaf) {
            true => copy_text(&*from, leaf, to, &kept, decisions, paths)?,
            false => copy_column(&*from, leaf, to, &kept, paths)?,
        }
    }
    if let Some(added) = added {
        write_fields(&mut group, decisions, added).map_err(failed)?;
    }
    group.close().map(|_| ()).map_err(failed)
}

fn next<'a>(
    group: &'a mut SerializedRowGroupWriter<'_, BufWriter<File>>,
) -> ::parquet::errors::Result<SerializedColumnWriter<'a>> {
    let column = group.next_column()?;
    column.ok_or_else(|| ParquetError::General("a column too many".into()))
}

fn copy_column(
    from: &dyn RowGroupReader,
    leaf: usize,
    mut to: SerializedColumnWriter,
    kept: &[bool],
    paths: &Paths,
) -> Result<()> {
    use ColumnReader as From;
    let reader = guarded(|| from.get_column_reader(leaf)).map_err(|reason| paths.unread(reason))?;
    match reader {
        From::BoolColumnReader(reader) => copy(reader, to.typed::<of::BoolType>(), kept, paths),
        From::Int32ColumnReader(reader) => copy(reader, to.typed::<of::Int32Type>(), kept, paths),
        From::Int64ColumnReader(reader) => copy(reader, to.typed::<of::Int64Type>(), kept, paths),
        From::Int96ColumnReader(reader) => copy(reader, to.typed::<of::Int96Type>(), kept, paths),
        From::FloatColumnReader(reader) => copy(reader, to.typed::<of::FloatType>(), kept, paths),
        From::DoubleColumnReader(reader) => copy(reader, to.typed::<of::DoubleType>(), kept, paths),
        From::ByteArrayColumnReader(reader) => {
            copy(reader, to.typed::<of::ByteArrayType>(), kept, paths)
        }
        From::FixedLenByteArrayColumnReader(reader) => {
            copy(reader, to.typed::<of::FixedLenByteArrayType>(), kept, paths)
        }
    }?;
    to.close().map_err(|error| paths.unwritten(error))
}

/// Copies the kept rows of the text column without the blocks that were cut.
fn copy_text(
    from: &dyn RowGroupReader,
    leaf: usize,
    mut to: SerializedColumnWriter,
    kept: &[bool],
    decisions: &[RecordDecision],
    paths: &Paths,
) -> Result<()> {
    let reader = guarded(|| from.get_column_reader(leaf)).map_err(|reason| paths.unread(reason))?;
    let ColumnReader::ByteArrayColumnReader(reader) = reader else {
        return copy_column(from, leaf, to, kept, paths);
    };
    let change = |row: usize, text: &of::ByteArray| match &decisions[row] {
        RecordDecision::Cut(cuts) => {
            let text = std::str::from_utf8(text.data()).ok()?;
            Some(of::ByteArray::from(cuts.of(text).into_bytes()))
        }
        _ => None,
    };
    copy_changed(reader, to.typed::<of::ByteArrayType>(), kept, change, paths)?;
    to.close().map_err(|error| paths.unwritten(error))
}

fn copy<T: of::DataType>(
    from: ColumnReaderImpl<T>,
    to: &mut ColumnWriterImpl<T>,
    kept: &[bool],
    paths: &Paths,
) -> Result<()> {
    copy_changed(from, to, kept, |_, _| None, paths)
}

fn copy_changed<T: of::DataType>(
    mut from: ColumnReaderImpl<T>,
    to: &mut ColumnWriterImpl<T>,
    kept: &[bool],
    change: impl Fn(usize, &T::T) -> Option<T::T>,
    paths: &Paths,
) -> Result<()> {
    let mut cells = Levels::<T::T>::default();
    let about = to.get_descriptor();
    let highest = [about.max_def_level(), about.max_rep_level()];
    for (batch, kept) in kept.chunks(BATCH_ROWS).enumerate() {
        cells.clear();
        guarded(|| cells.read(&mut from, kept.len(), highest))
            .map_err(|reason| paths.unread(reason))?;
        cells.change(highest[0], |row, value| {
            change(batch * BATCH_ROWS + row, value)
        });
        if kept.contains(&false) {
            cells.keep(kept, highest[0]);
        }
        cells.write(to).map_err(|error| paths.unwritten(error))?;
    }
    Ok(())
}

fn write_fields(
    group: &mut SerializedRowGroupWriter<BufWriter<File>>,
    decisions: &[RecordDecision],
    added: &AddedFields,
) -> ::parquet::errors::Result<()> {
    let kept = decisions
        .iter()
        .filter(|decision| **decision != RecordDecision::Leave);
    let values = kept.map(|decision| match decision {
        RecordDecision::Add(values) => &values[..],
        _ => &[],
    });
    let values = values.collect::<Vec<&[FieldValue]>>();
    for (place, (_, kind)) in added.fields.iter().enumerate() {
        let column = values.iter().map(|values| values.get(place));
        match kind {
            FieldKind::Whole => {
                let cells = column.map(|value| match value {
                    Some(FieldValue::Whole(number)) => Some(*number),
                    _ => None,
                });
                write_field::<of::Int64Type>(next(group)?, cells)?;
            }
            FieldKind::Text => {
                let cells = column.map(|value| match value {
                    Some(FieldValue::Text(text)) => Some(of::ByteArray::from(&**text)),
                    _ => None,
                });
                write_field::<of::ByteArrayType>(next(group)?, cells)?;
            }
        }
    }
    Ok(())
}

fn write_field<T: of::DataType>(
    mut to: SerializedColumnWriter,
    cells: impl Iterator<Item = Option<T::T>>,
) -> ::parquet::errors::Result<()> {
    let cells = cells.collect::<Vec<_>>();
    let levels = cells.iter().map(|cell| i16::from(cell.is_some()));
    let levels = levels.collect::<Vec<_>>();
    let values = cells.into_iter().flatten().collect::<Vec<_>>();
    to.typed::<T>().write_batch(&values, Some(&levels), None)?;
    to.close()
}

/// Whether a column or group was added by an earlier run and is replaced.
fn is_replaced(field: &Type, at: &[String], added: &AddedFields) -> bool {
    if field.is_primitive() {
        return added.replaces_flat(at, field.name());
    }
    let inner = at.split_first().filter(|(name, _)| *name == field.name());
    let mut fields = field.get_fields().iter();
    inner.is_some_and(|(_, at)| fields.all(|field| is_replaced(field, at, added)))
}

/// The schema of the source with the added columns in place of those of an earlier run. They get a group of their own if they belong in an
/// object; if a column has that name already, they stand beside it.
fn schema(source: TypePtr, added: Option<&AddedFields>) -> ::parquet::errors::Result<TypePtr> {
    let Some(added) = added else {
        return Ok(source);
    };
    let fields = source.get_fields().iter().cloned();
    let mut fields: Vec<TypePtr> = fields
        .filter(|field| !is_replaced(field, &added.at, added))
        .collect();
    let is_there = |name: &String| fields.iter().any(|field| field.name() == name);
    let beside = added.at.first().is_some_and(is_there);
    let names = match beside {
        true => added.flat_names(),
        false => added.names().map(str::to_owned).collect(),
    };
    let mut new = Vec::new();
    for (name, (_, kind)) in names.iter().zip(&added.fields) {
        let (physical, logical) = match kind {
            FieldKind::Whole => (Physical::INT64, None),
            FieldKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        new.push(Arc::new(field.build()?));
    }
    for name in added.at.iter().rev().filter(|_| !beside) {
        let group = Type::group_type_builder(name)
            .with_repetition(Repetition::REQUIRED)
            .with_fields(new);
        new = vec![Arc::new(group.build()?)];
    }
    fields.extend(new);
    let root = Type::group_type_builder(source.name()).with_fields(fields);
    root.build().map(Arc::new)
}

/// Creates the file with the writer settings of the source.
fn create(source: &ParquetMetaData, added: Option<&AddedFields>, paths: &Paths) -> Result<Writer> {
    let about = source.file_metadata();
    let mut pairs = about.key_value_metadata().cloned().unwrap_or_default();
    if added.is_some() {
        // Some readers refuse a file whose Arrow schema names fewer columns than there are.
        pairs.retain(|pair| pair.key != ARROW_SCHEMA);
    }
    let mut properties =
        WriterProperties::builder().set_key_value_metadata((!pairs.is_empty()).then_some(pairs));
    if let Some(group) = source.row_groups().first() {
        for column in group.columns() {
            properties = properties
                .set_column_compression(column.column_path().clone(), column.compression());
        }
    }
    let failed = |error| paths.unwritten(error);
    let schema = schema(about.schema_descr().root_schema_ptr(), added).map_err(failed)?;
    make_folder(paths.to)?;
    let file = File::create(paths.to).map_err(Error::io("cannot write", paths.to))?;
    SerializedFileWriter::new(BufWriter::new(file), schema, Arc::new(properties.build()))
        .map_err(failed)
}
