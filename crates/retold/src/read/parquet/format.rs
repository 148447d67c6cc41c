//! Parquet as a file format.

use std::path::Path;

use serde_json::Value;

use super::{records, rewrite, rows};
use crate::error::Result;
use crate::read::format::{Format, OpenFile, Records};
use crate::read::mark::Decide;
use crate::read::options::ReadOptions;
use crate::read::source::Source;

/// Parquet files. They are not read from front to back, so each pass opens them again.
#[derive(Debug)]
pub(crate) struct Parquet;

impl Format for Parquet {
    fn records(&self, _: OpenFile, source: &Source, options: &ReadOptions) -> Records {
        records::records(source, options)
    }

    fn rows(&self, source: &Source) -> Option<std::result::Result<Vec<Value>, String>> {
        Some(rows::rows(source))
    }

    fn names(&self, _: OpenFile, source: &Source, _: &ReadOptions) -> Vec<String> {
        rows::names(source)
    }

    fn rewrite(
        &self,
        _: OpenFile,
        source: &Source,
        options: &ReadOptions,
        decide: Decide<'_, '_>,
        to: &Path,
    ) -> Result<()> {
        rewrite::rewrite(source, options, decide, to)
    }
}
