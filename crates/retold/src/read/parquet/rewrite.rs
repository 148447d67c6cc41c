//! Parquet into `kept/`: row group by row group and column by column, with all columns.

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
use crate::read::mark::{Decide, MARK_FIELDS, Mark, RecordDecision};
use crate::read::options::ReadOptions;
use crate::read::output::make_folder;
use crate::read::source::Source;

/// Where some writers keep the schema once more, as Arrow has it.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// See [`Source::rewrite`]. All columns are kept, with the schema, compression and row groups of the source.
pub(super) fn rewrite(
    source: &Source,
    options: &ReadOptions,
    decide: Decide<'_, '_>,
    to: &Path,
) -> Result<()> {
    let Ok(table) = Table::open(source, options) else {
        return source.rewrite_unread(decide);
    };
    let paths = Paths {
        from: &source.path,
        to,
    };
    let mut writer = None;
    let mut number = 0;
    for (group, &count) in table.counts.iter().enumerate() {
        let decisions = (number..number + count as u64).map(|row| decide(row + 1));
        let decisions = decisions.collect::<Vec<_>>();
        number += count as u64;
        copy_group(&table, group, &decisions, &mut writer, &paths)?;
    }
    if let Some(writer) = writer {
        writer.close().map_err(|error| paths.unwritten(error))?;
        source.look_again()?;
    }
    Ok(())
}

/// For messages.
struct Paths<'a> {
    from: &'a Path,
    to: &'a Path,
}

impl Paths<'_> {
    fn unread(&self, reason: String) -> Error {
        Error::io("cannot read again", self.from)(std::io::Error::other(reason))
    }

    /// An error of the writer; the system's error if there is one (disk full).
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

/// Writes the rows of a row group that are kept.
fn copy_group(
    table: &Table,
    group: usize,
    decisions: &[RecordDecision],
    writer: &mut Option<Writer>,
    paths: &Paths,
) -> Result<()> {
    let kept = decisions
        .iter()
        .map(|decision| *decision != RecordDecision::Leave);
    let mut kept = kept.collect::<Vec<_>>();
    // Behind the last row that is kept there may be damage.
    let Some(last) = kept.iter().rposition(|kept| *kept) else {
        return Ok(());
    };
    kept.truncate(last + 1);
    let marked = decisions
        .iter()
        .any(|decision| matches!(decision, RecordDecision::Mark(_)));
    let failed = |error| paths.unwritten(error);
    let writer = match writer {
        Some(writer) => writer,
        None => writer.insert(create(table.file.metadata(), marked, paths)?),
    };
    let from =
        guarded(|| table.file.get_row_group(group)).map_err(|reason| paths.unread(reason))?;
    let mut group = writer.next_row_group().map_err(failed)?;
    let schema = table.file.metadata().file_metadata().schema_descr();
    for leaf in 0..schema.num_columns() {
        if marked && is_mark(schema.get_column_root(leaf)) {
            continue;
        }
        let to = next(&mut group).map_err(failed)?;
        copy_column(&*from, leaf, to, &kept, paths)?;
    }
    if marked {
        write_marks(&mut group, decisions).map_err(failed)?;
    }
    group.close().map(|_| ()).map_err(failed)
}

/// The writer of the next column.
fn next<'a>(
    group: &'a mut SerializedRowGroupWriter<'_, BufWriter<File>>,
) -> ::parquet::errors::Result<SerializedColumnWriter<'a>> {
    let column = group.next_column()?;
    column.ok_or_else(|| ParquetError::General("a column too many".into()))
}

/// Copies the kept rows of one column.
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

fn copy<T: of::DataType>(
    mut from: ColumnReaderImpl<T>,
    to: &mut ColumnWriterImpl<T>,
    kept: &[bool],
    paths: &Paths,
) -> Result<()> {
    let mut cells = Levels::<T::T>::default();
    let about = to.get_descriptor();
    let highest = [about.max_def_level(), about.max_rep_level()];
    for kept in kept.chunks(BATCH_ROWS) {
        cells.clear();
        guarded(|| cells.read(&mut from, kept.len(), highest))
            .map_err(|reason| paths.unread(reason))?;
        if kept.contains(&false) {
            cells.keep(kept, highest[0]);
        }
        cells.write(to).map_err(|error| paths.unwritten(error))?;
    }
    Ok(())
}

/// Writes the columns of `--mark`.
fn write_marks(
    group: &mut SerializedRowGroupWriter<BufWriter<File>>,
    decisions: &[RecordDecision],
) -> ::parquet::errors::Result<()> {
    let kept = decisions
        .iter()
        .filter(|decision| **decision != RecordDecision::Leave);
    let marks = kept.map(|decision| match decision {
        RecordDecision::Mark(mark) => mark.as_ref(),
        _ => None,
    });
    let marks = marks.collect::<Vec<Option<&Mark>>>();
    let cluster = |mark: &Mark| i64::try_from(mark.cluster?).ok();
    write_mark::<of::Int64Type>(next(group)?, &marks, cluster)?;
    for field in 0..MARK_FIELDS.len() - 1 {
        let text = |mark: &Mark| mark.texts()[field].map(of::ByteArray::from);
        write_mark::<of::ByteArrayType>(next(group)?, &marks, text)?;
    }
    Ok(())
}

fn write_mark<T: of::DataType>(
    mut to: SerializedColumnWriter,
    marks: &[Option<&Mark>],
    value: impl Fn(&Mark) -> Option<T::T>,
) -> ::parquet::errors::Result<()> {
    let cells = marks.iter().map(|mark| value(mark.as_ref()?));
    let cells = cells.collect::<Vec<_>>();
    let levels = cells.iter().map(|cell| i16::from(cell.is_some()));
    let levels = levels.collect::<Vec<_>>();
    let values = cells.into_iter().flatten().collect::<Vec<_>>();
    to.typed::<T>().write_batch(&values, Some(&levels), None)?;
    to.close()
}

/// Whether a column is of an earlier run with `--mark`.
fn is_mark(field: &Type) -> bool {
    MARK_FIELDS.contains(&field.name())
}

/// The schema of the source, with the columns of `--mark` if need be, in place of those of an earlier run.
fn schema(source: TypePtr, marked: bool) -> ::parquet::errors::Result<TypePtr> {
    if !marked {
        return Ok(source);
    }
    let fields = source.get_fields().iter().cloned();
    let mut fields: Vec<TypePtr> = fields.filter(|field| !is_mark(field)).collect();
    let text = (Physical::BYTE_ARRAY, Some(LogicalType::String));
    let kinds = std::iter::once((Physical::INT64, None)).chain(std::iter::repeat(text));
    for (name, (physical, logical)) in MARK_FIELDS.iter().zip(kinds) {
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        fields.push(Arc::new(field.build()?));
    }
    let root = Type::group_type_builder(source.name()).with_fields(fields);
    root.build().map(Arc::new)
}

/// Makes the file, written in the way in which the source was.
fn create(source: &ParquetMetaData, marked: bool, paths: &Paths) -> Result<Writer> {
    let about = source.file_metadata();
    let mut pairs = about.key_value_metadata().cloned().unwrap_or_default();
    if marked {
        // Some readers refuse a file in which it names fewer columns than there are.
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
    let schema = schema(about.schema_descr().root_schema_ptr(), marked).map_err(failed)?;
    make_folder(paths.to)?;
    let file = File::create(paths.to).map_err(Error::io("cannot write", paths.to))?;
    SerializedFileWriter::new(BufWriter::new(file), schema, Arc::new(properties.build()))
        .map_err(failed)
}
