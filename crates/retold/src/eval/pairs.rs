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
    /// The relation of `a` to `b`.
    pub relation: Relation,
    /// The method's similarity.
    #[serde(serialize_with = "six_decimals")]
    pub similarity: f64,
    /// The smaller size divided by the larger.
    #[serde(serialize_with = "six_decimals")]
    pub length_ratio: f64,
    /// Keys that both have.
    pub shared: u32,
    /// Words of `a` in own passages, which `b` does not have; 0 in files of releases that did not count them.
    #[serde(default)]
    pub own_a: u32,
    /// Words of `b` in own passages.
    #[serde(default)]
    pub own_b: u32,
}

fn six_decimals<S: Serializer>(value: &f64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let text = RawValue::from_string(rounded(*value));
    text.map_err(serde::ser::Error::custom)?
        .serialize(serializer)
}

/// A number with six decimals.
fn rounded(value: f64) -> String {
    const MILLION: u32 = 1_000_000;
    // The product is exact: ratios of pairs are `f32` with 24 binary digits, and a million has 14 (and six zeros).
    if (0.0..=1.0).contains(&value) && f64::from(value as f32) == value {
        let millionths = (value * f64::from(MILLION)).round_ties_even() as u32;
        return format!("{}.{:06}", millionths / MILLION, millionths % MILLION);
    }
    format!("{value:.6}")
}

/// Reads a `pairs.jsonl` line by line. A line that is not a pair is an error that names it.
pub fn read_pairs(path: &Path, mut each: impl FnMut(PairLine<'_>)) -> Result<()> {
    each_line(path, "a pair", |line| {
        if !line.trim().is_empty() {
            each(serde_json::from_str(line)?);
        }
        Ok(())
    })
}

/// Calls `take` for each line of a table in an output folder; `what` names a line in error messages.
pub fn each_line(
    path: &Path,
    what: &str,
    mut take: impl FnMut(&str) -> serde_json::Result<()>,
) -> Result<()> {
    let file = std::fs::File::open(path).map_err(Error::io("cannot read", path))?;
    for (number, line) in std::io::BufReader::new(file).lines().enumerate() {
        let line = line.map_err(Error::io("cannot read", path))?;
        take(&line).map_err(|e| Error::Corrupt {
            path: path.to_owned(),
            reason: format!(
                "line {} is not {what} as `retold dedup` writes it: {e}",
                number + 1
            ),
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_of_earlier_releases_have_no_own_words() {
        let line = r#"{"a":"x","b":"y","relation":"overlaps","similarity":0.5,"length_ratio":1,"shared":3"#;
        let own = |rest: &str| {
            let line = format!("{line}{rest}}}");
            let pair: PairLine<'_> = serde_json::from_str(&line).unwrap();
            (pair.own_a, pair.own_b)
        };
        assert_eq!(own(""), (0, 0));
        assert_eq!(own(r#","own_a":17,"own_b":40"#), (17, 40));
    }

    #[test]
    fn ties_are_rounded_as_numbers_are_written() {
        // Multiples of 1/128 end in a five at the seventh decimal: .0078125.
        for part in 0..=128u8 {
            let value = f64::from(part) / 128.0;
            assert_eq!(rounded(value), format!("{value:.6}"));
        }
    }

    proptest! {
        #[test]
        fn six_decimals_are_those_of_the_standard_library(part in 0u32..5000, whole in 1u32..5000, value in -2.0..2.0f64) {
            let ratio = f64::from((f64::from(part) / f64::from(whole)) as f32);
            prop_assert_eq!(rounded(ratio), format!("{ratio:.6}"));
            prop_assert_eq!(rounded(value), format!("{value:.6}"));
        }
    }
}
