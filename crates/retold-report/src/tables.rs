//! The JSONL tables of an output folder.

use std::borrow::Cow;
use std::io::Write;

use retold::ids::Rank;
use retold::pairs::PairLine;
use retold::relation::Relation;
use retold::{Error, Findings, Result};
use serde::Serialize;

use crate::kept;
use crate::out::OutDir;

#[derive(Serialize)]
struct ClusterLine<'a> {
    cluster: usize,
    canonical: Cow<'a, str>,
    members: Vec<Cow<'a, str>>,
}

#[derive(Serialize)]
struct DroppedLine<'a> {
    id: Cow<'a, str>,
    canonical: Cow<'a, str>,
    relation: Relation,
}

#[derive(Serialize)]
struct RejectLine<'a> {
    source: &'a str,
    record: u64,
    reason: &'a str,
}

#[derive(Serialize)]
struct MarkLine<'a> {
    id: Cow<'a, str>,
    cluster: u64,
    canonical: &'a str,
    relation: Option<Relation>,
}

/// Writes `pairs.jsonl`, `clusters.jsonl`, `dropped.jsonl` and `rejects.jsonl`.
///
/// With `mark` nothing is dropped: `dropped.jsonl` is empty, and `marks.jsonl` has what records are marked with.
pub(crate) fn write_all(findings: &Findings, out: &OutDir) -> Result<()> {
    let mark = findings.model.config().mark;
    let id = |rank: Rank| findings.id(rank);
    let pairs = findings.pairs.iter().map(|pair| PairLine {
        a: id(pair.a),
        b: id(pair.b),
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
    if mark {
        let marks = kept::marks(findings);
        let marks = marks.iter().map(|(&rank, mark)| MarkLine {
            id: id(rank),
            cluster: mark.cluster,
            canonical: &mark.canonical,
            relation: mark.relation,
        });
        write(out, "marks.jsonl", marks)?;
    }
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
