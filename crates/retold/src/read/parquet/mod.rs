//! Parquet: one record a row. Only the wanted columns are read.
//!
//! Columns are read and written as Parquet has them, levels and values. That spares the Arrow crates, more than a third
//! of the time that a build took (docs/lab/build-time.md), and copies to `kept/` exactly what the source says of its columns.

mod cells;
mod format;
mod levels;
mod records;
mod rewrite;
mod rows;
mod table;

pub(crate) use self::format::Parquet;

#[cfg(test)]
pub(crate) mod tests;
