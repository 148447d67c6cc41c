//! The tables of an output folder.

use std::borrow::Cow;
use std::io::Write;

use retold::ids::Rank;
use retold::pairs::PairLine;
use retold::relation::Relation;
use retold::{Error, Findings, Result};
use serde::Serialize;

use crate::columns::{self, Columns, Kind};
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

/// A line of the table of clusters in forms without lists: one for each member.
#[derive(Serialize)]
struct MemberLine<'a> {
    cluster: usize,
    canonical: Cow<'a, str>,
    member: Cow<'a, str>,
}

const PAIRS: &Columns = &[
    ("a", Kind::Text),
    ("b", Kind::Text),
    ("relation", Kind::Text),
    ("similarity", Kind::Real),
    ("length_ratio", Kind::Real),
    ("shared", Kind::Whole),
];
const CLUSTERS: &Columns = &[
    ("cluster", Kind::Whole),
    ("canonical", Kind::Text),
    ("member", Kind::Text),
];
const DROPPED: &Columns = &[
    ("id", Kind::Text),
    ("canonical", Kind::Text),
    ("relation", Kind::Text),
];
const MARKS: &Columns = &[
    ("id", Kind::Text),
    ("cluster", Kind::Whole),
    ("canonical", Kind::Text),
    ("relation", Kind::Text),
];
const REJECTS: &Columns = &[
    ("source", Kind::Text),
    ("record", Kind::Whole),
    ("reason", Kind::Text),
];

/// Writes the tables of pairs, clusters, dropped pages and rejects as JSONL, and in another form beside it if there is one
/// ([`retold::Config::tables`]).
///
/// With `mark` nothing is dropped: `dropped.jsonl` is empty, and `marks.jsonl` has what records are marked with.
pub(crate) fn write_all(findings: &Findings, out: &OutDir) -> Result<()> {
    let mark = findings.model.config().mark;
    write(findings, out, "pairs", PAIRS, pairs(findings))?;
    write_clusters(findings, out)?;
    let dropped = findings.dropped.iter().filter(|_| !mark);
    let dropped = dropped.map(|drop| DroppedLine {
        id: findings.id(drop.page),
        canonical: findings.id(drop.canonical),
        relation: drop.relation,
    });
    write(findings, out, "dropped", DROPPED, dropped)?;
    if mark {
        let marks = kept::marks(findings);
        let marks = marks.iter().map(|(&rank, mark)| MarkLine {
            id: findings.id(rank),
            cluster: mark.cluster,
            canonical: &mark.canonical,
            relation: mark.relation,
        });
        write(findings, out, "marks", MARKS, marks)?;
    }
    let rejects = findings.collection.rejects.iter().map(|reject| RejectLine {
        source: &findings.sources[reject.source as usize].name,
        record: reject.record,
        reason: &reject.reason,
    });
    write(findings, out, "rejects", REJECTS, rejects)
}

fn pairs(findings: &Findings) -> impl Iterator<Item = PairLine<'_>> + Clone {
    findings.pairs.iter().map(|pair| PairLine {
        a: findings.id(pair.a),
        b: findings.id(pair.b),
        relation: pair.relation,
        similarity: f64::from(pair.similarity),
        length_ratio: f64::from(pair.length_ratio),
        shared: pair.shared,
    })
}

fn write_clusters(findings: &Findings, out: &OutDir) -> Result<()> {
    let id = |rank: Rank| findings.id(rank);
    let clusters = findings.clusters.iter().enumerate();
    let lines = clusters.clone().map(|(cluster, c)| ClusterLine {
        cluster,
        canonical: id(c.canonical),
        members: c.members.iter().map(|&rank| id(rank)).collect(),
    });
    jsonl(out, "clusters.jsonl", lines)?;
    let members = clusters.flat_map(|(cluster, c)| {
        c.members.iter().map(move |&member| MemberLine {
            cluster,
            canonical: id(c.canonical),
            member: id(member),
        })
    });
    let form = findings.model.config().tables;
    columns::write(out, form, "clusters", CLUSTERS, members)
}

/// A table whose lines are rows.
fn write(
    findings: &Findings,
    out: &OutDir,
    name: &str,
    columns: &Columns,
    lines: impl Iterator<Item = impl Serialize> + Clone,
) -> Result<()> {
    jsonl(out, &format!("{name}.jsonl"), lines.clone())?;
    columns::write(out, findings.model.config().tables, name, columns, lines)
}

fn jsonl(out: &OutDir, name: &str, lines: impl Iterator<Item = impl Serialize>) -> Result<()> {
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
