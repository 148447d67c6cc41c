//! Lines of `pairs.jsonl`: related pages in files.

use std::borrow::Cow;
use std::io::BufRead;
use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::relation::Relation;

/// A line of `pairs.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
pub struct PairLine<'a> {
    /// The page with the smaller id.
    #[serde(borrow)]
    pub a: Cow<'a, str>,
    /// The other page.
    #[serde(borrow)]
    pub b: Cow<'a, str>,
    /// What `a` is to `b`.
    pub relation: Relation,
    /// The method's similarity.
    #[serde(serialize_with = "six_decimals")]
    pub similarity: f64,
    /// The smaller size over the larger.
    #[serde(serialize_with = "six_decimals")]
    pub length_ratio: f64,
    /// Keys that both have.
    pub shared: u32,
}

fn six_decimals<S: Serializer>(value: &f64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let text = RawValue::from_string(format!("{value:.6}"));
    text.map_err(serde::ser::Error::custom)?
        .serialize(serializer)
}

/// Reads a `pairs.jsonl` line by line. A line that is not a pair is an error that names it.
pub fn read_pairs(path: &Path, mut each: impl FnMut(PairLine<'_>)) -> Result<()> {
    let file = std::fs::File::open(path).map_err(Error::io("cannot read", path))?;
    for (number, line) in std::io::BufReader::new(file).lines().enumerate() {
        let line = line.map_err(Error::io("cannot read", path))?;
        if line.trim().is_empty() {
            continue;
        }
        each(serde_json::from_str(&line).map_err(|e| Error::Corrupt {
            path: path.to_owned(),
            reason: format!(
                "line {} is not a pair as `retold dedup` writes it: {e}",
                number + 1
            ),
        })?);
    }
    Ok(())
}
