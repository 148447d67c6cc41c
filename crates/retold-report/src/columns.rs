//! Writes the tables of an output folder as CSV or Parquet, too.

mod kind;
#[cfg(feature = "parquet")]
mod parquet;

use retold::{Error, Result};
use serde::Serialize;
use serde_json::Value;

pub(crate) use kind::{Columns, Kind};

use crate::out::OutDir;
use crate::output::Tables;

/// Writes a table in another form than JSONL, to `name` with the extension of that form. Fields of `lines` that are not in the columns are
/// left out. Memory: one row group of Parquet.
pub(crate) fn write(
    out: &OutDir,
    form: Tables,
    name: &str,
    columns: &Columns,
    lines: impl Iterator<Item = impl Serialize>,
) -> Result<()> {
    let rows = lines.map(|line| row(line, columns));
    match form {
        Tables::Jsonl => Ok(()),
        Tables::Csv => csv(out, name, columns, rows, no_formula),
        Tables::CsvRaw => csv(out, name, columns, rows, |text| text),
        #[cfg(feature = "parquet")]
        Tables::Parquet => parquet::write(out, &format!("{name}.parquet"), columns, rows),
        #[cfg(not(feature = "parquet"))]
        Tables::Parquet => check(form),
    }
}

/// Quotes text that spreadsheets would run as a formula, because ids come from other people.
fn no_formula(text: String) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => format!("'{text}"),
        false => text,
    }
}

/// Checks that this build can write tables in that form, before a run starts.
pub(crate) fn check(form: Tables) -> Result<()> {
    if form == Tables::Parquet && !cfg!(feature = "parquet") {
        return Err(Error::usage(
            "this build writes no Parquet; build it with the feature `parquet`",
        ));
    }
    Ok(())
}

/// The values of a line in the order of the columns.
fn row(line: impl Serialize, columns: &Columns) -> Vec<Value> {
    let mut line = serde_json::to_value(line).unwrap_or_default();
    let value = |(name, _): &(&str, Kind)| line.get_mut(name).map(Value::take).unwrap_or_default();
    columns.iter().map(value).collect()
}

fn csv(
    out: &OutDir,
    name: &str,
    columns: &Columns,
    rows: impl Iterator<Item = Vec<Value>>,
    written: impl Fn(String) -> String,
) -> Result<()> {
    let name = format!("{name}.csv");
    let path = out.path(&name);
    let mut writer = csv::Writer::from_writer(out.create(&name)?);
    let put = || -> csv::Result<()> {
        writer.write_record(columns.iter().map(|(name, _)| name))?;
        for row in rows {
            let fields = row.into_iter().map(|value| match value {
                Value::Null => String::new(),
                Value::String(text) => written(text),
                number => number.to_string(),
            });
            writer.write_record(fields)?;
        }
        Ok(writer.flush()?)
    };
    put().map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => Error::io("cannot write", &path)(error),
        other => Error::usage(format!("{}: {other:?}", path.display())),
    })
}
