//! Whole rows of a Parquet file.

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use super::table::{Places, guarded};
use crate::read::source::Source;

/// All rows as objects. The error is the reason for the file's one reject.
pub(super) fn rows(source: &Source) -> Result<Vec<Value>, String> {
    let file = Places::open(source).map_err(|error| format!("cannot open: {error}"))?;
    guarded(|| {
        let file = SerializedFileReader::new(file)?;
        let rows = file.get_row_iter(None)?;
        rows.map(|row| row.map(|row| row.to_json_value())).collect()
    })
}
