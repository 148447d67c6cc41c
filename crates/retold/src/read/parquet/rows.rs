//! Whole rows of a Parquet file.

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::reader::RowIter;
use serde_json::Value;

use super::table::{Places, guarded};
use crate::read::source::Source;

/// The names of the columns; none if the file cannot be read.
pub(super) fn names(source: &Source) -> Vec<String> {
    let Ok(file) = Places::open(source) else {
        return Vec::new();
    };
    let names = guarded(|| {
        let file = SerializedFileReader::new(file)?;
        let schema = file.metadata().file_metadata().schema_descr();
        let columns = schema.root_schema().get_fields().iter();
        let names = columns.map(|column| column.name().to_owned());
        Ok::<_, ParquetError>(names.collect())
    });
    names.unwrap_or_default()
}

/// The rows one by one, with all columns.
pub(super) struct WholeRows(RowIter<'static>);

impl WholeRows {
    /// `None` if the file cannot be read so.
    pub(super) fn open(source: &Source) -> Option<WholeRows> {
        let file = Places::open(source).ok()?;
        let rows = guarded(|| {
            let file = SerializedFileReader::new(file)?;
            RowIter::from_file_into(Box::new(file)).project(None)
        });
        rows.ok().map(WholeRows)
    }

    /// The columns of the next row, with their values as JSON; none where the file is damaged.
    pub(super) fn next(&mut self) -> Vec<(String, String)> {
        let row = guarded(|| self.0.next().transpose());
        let Ok(Some(row)) = row else {
            return Vec::new();
        };
        let columns = row.get_column_iter();
        let columns =
            columns.map(|(name, value)| (name.clone(), value.to_json_value().to_string()));
        columns.collect()
    }
}

/// All rows as objects. The error is the reason for the file's one reject.
pub(super) fn rows(source: &Source) -> Result<Vec<Value>, String> {
    let file = Places::open(source).map_err(|error| format!("cannot open: {error}"))?;
    guarded(|| {
        let file = SerializedFileReader::new(file)?;
        let rows = file.get_row_iter(None)?;
        rows.map(|row| row.map(|row| row.to_json_value())).collect()
    })
}
