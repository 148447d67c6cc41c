//! The JSONL tables of an output folder.

use std::io::{BufRead, Write};
use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::out::OutDir;
use crate::error::{Error, Result};
use crate::pipeline::Findings;
use crate::relation::Relation;

/// A line of `pairs.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
pub struct PairLine<'a> {
    /// The page with the smaller id.
    #[serde(borrow)]
    pub a: std::borrow::Cow<'a, str>,
    /// The other page.
    #[serde(borrow)]
    pub b: std::borrow::Cow<'a, str>,
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

#[derive(Serialize)]
struct ClusterLine<'a> {
    cluster: usize,
    canonical: &'a str,
    members: Vec<&'a str>,
}

#[derive(Serialize)]
struct DroppedLine<'a> {
    id: &'a str,
    canonical: &'a str,
    relation: Relation,
}

#[derive(Serialize)]
struct RejectLine<'a> {
    source: &'a str,
    record: u64,
    reason: &'a str,
}

fn six_decimals<S: Serializer>(value: &f64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let text = RawValue::from_string(format!("{value:.6}"));
    text.map_err(serde::ser::Error::custom)?
        .serialize(serializer)
}

/// Writes `pairs.jsonl`, `clusters.jsonl`, `dropped.jsonl` and `rejects.jsonl`.
///
/// With `mark` nothing is dropped: `dropped.jsonl` is empty.
pub(super) fn write_all(findings: &Findings, out: &OutDir, mark: bool) -> Result<()> {
    let id = |rank: u32| &*findings.page(rank).id;
    let pairs = findings.pairs.iter().map(|pair| PairLine {
        a: id(pair.a).into(),
        b: id(pair.b).into(),
        relation: pair.relation,
        similarity: f64::from(pair.similarity),
        length_ratio: f64::from(pair.length_ratio),
        shared: pair.shared,
    });
    write(out, "pairs.jsonl", pairs)?;
    let clusters = findings
        .clusters
        .iter()
        .enumerate()
        .map(|(cluster, c)| ClusterLine {
            cluster,
            canonical: id(c.canonical),
            members: c.members.iter().map(|&rank| id(rank)).collect(),
        });
    write(out, "clusters.jsonl", clusters)?;
    let dropped = findings
        .dropped
        .iter()
        .filter(|_| !mark)
        .map(|drop| DroppedLine {
            id: id(drop.page),
            canonical: id(drop.canonical),
            relation: drop.relation,
        });
    write(out, "dropped.jsonl", dropped)?;
    let rejects = findings.collection.rejects.iter().map(|reject| RejectLine {
        source: &findings.sources[reject.source as usize].name,
        record: reject.record,
        reason: &reject.reason,
    });
    write(out, "rejects.jsonl", rejects)
}

fn write(out: &OutDir, name: &str, lines: impl Iterator<Item = impl Serialize>) -> Result<()> {
    let path = out.path(name);
    let mut file = out.create(name)?;
    let put = || -> std::io::Result<()> {
        for line in lines {
            serde_json::to_writer(&mut file, &line)?;
            file.write_all(b"\n")?;
        }
        file.flush()
    };
    put().map_err(Error::io("cannot write", &path))
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
