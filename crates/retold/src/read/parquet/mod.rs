//! Parquet: one record a row. Only the needed columns are read.
//!
//! Columns are read and written as Parquet stores them: levels and values. So the Arrow crates are not needed, which took more than a third
//! of the build time (docs/lab/house.md#build-time), and `kept/` gets exactly what the source says about its columns.

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
