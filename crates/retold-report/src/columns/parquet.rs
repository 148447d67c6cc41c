//! Writes rows to a Parquet file, one row group at a time.

use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::types::Type;
use retold::{Error, Result};
use serde_json::Value;

use super::kind::{Columns, Kind};
use crate::out::OutDir;

/// Rows of a row group, which are held in memory.
const GROUP: usize = 1 << 16;

pub(crate) fn write(
    out: &OutDir,
    name: &str,
    columns: &Columns,
    rows: impl Iterator<Item = Vec<Value>>,
) -> Result<()> {
    let path = out.path(name);
    let file = out.create(name)?;
    put(file, columns, rows).map_err(|error| {
        let error = match error {
            ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
                Ok(error) => *error,
                Err(inner) => std::io::Error::other(inner),
            },
            error => std::io::Error::other(error),
        };
        Error::io("cannot write", &path)(error)
    })
}

fn put<W: std::io::Write + Send>(
    file: W,
    columns: &Columns,
    rows: impl Iterator<Item = Vec<Value>>,
) -> parquet::errors::Result<()> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let schema = Arc::new(schema(columns)?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build()))?;
    let mut held: Vec<Vec<Value>> = vec![Vec::new(); columns.len()];
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        for row in rows.by_ref().take(GROUP) {
            held.iter_mut()
                .zip(row)
                .for_each(|(column, value)| column.push(value));
        }
        let mut group = writer.next_row_group()?;
        for ((_, kind), values) in columns.iter().zip(&mut held) {
            column(&mut group, *kind, values)?;
            values.clear();
        }
        group.close()?;
    }
    writer.close().map(|_| ())
}

fn schema(columns: &Columns) -> parquet::errors::Result<Type> {
    let fields = columns.iter().map(|(name, kind)| {
        let (physical, logical) = match kind {
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Whole => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Yes => (Physical::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    });
    let fields = fields.collect::<parquet::errors::Result<Vec<_>>>()?;
    Type::group_type_builder("table")
        .with_fields(fields)
        .build()
}

fn column<W: std::io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    kind: Kind,
    values: &[Value],
) -> parquet::errors::Result<()> {
    let mut to = group
        .next_column()?
        .ok_or_else(|| ParquetError::General("a column too many".into()))?;
    match kind {
        Kind::Text => {
            fill::<ByteArrayType>(&mut to, values, |value| value.as_str().map(ByteArray::from))
        }
        Kind::Whole => fill::<Int64Type>(&mut to, values, Value::as_i64),
        Kind::Real => fill::<DoubleType>(&mut to, values, Value::as_f64),
        Kind::Yes => fill::<BoolType>(&mut to, values, Value::as_bool),
    }?;
    to.close()
}

fn fill<T: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    values: &[Value],
    of: impl Fn(&Value) -> Option<T::T>,
) -> parquet::errors::Result<()> {
    let cells = values.iter().map(of).collect::<Vec<_>>();
    let levels = cells.iter().map(|cell| i16::from(cell.is_some()));
    let levels = levels.collect::<Vec<_>>();
    let there = cells.into_iter().flatten().collect::<Vec<_>>();
    to.typed::<T>().write_batch(&there, Some(&levels), None)?;
    Ok(())
}
