//! Parquet: one record per row. Only the needed columns are read.
//!
//! Columns are read and written as Parquet stores them, as levels and values. This avoids the Arrow crates, which took more than a third of
//! the build time (docs/lab/house.md#build-time), and `kept/` gets exactly what the source says about its columns.

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
