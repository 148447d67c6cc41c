//! `report.html`: the run for people, one file without any other.

use std::io::Write;

use askama::Template;

use super::out::OutDir;
use super::summary::Summary;
use crate::error::{Error, Result};
use crate::pipeline::Findings;

/// Clusters shown in the page; all of them are in `clusters.jsonl`.
const CLUSTERS_SHOWN: usize = 500;
/// Members shown of a cluster.
const MEMBERS_SHOWN: usize = 50;
/// Rejects shown.
const REJECTS_SHOWN: usize = 200;

#[derive(Template)]
#[template(path = "report.html")]
struct Report<'a> {
    summary: &'a Summary,
    clusters: Vec<ClusterView<'a>>,
    rejects: Vec<RejectView<'a>>,
    bins: Vec<Bin>,
}

struct ClusterView<'a> {
    number: usize,
    pages: usize,
    loose: bool,
    members: Vec<MemberView<'a>>,
    more: usize,
}

struct MemberView<'a> {
    id: &'a str,
    role: &'static str,
    chars: u64,
}

struct RejectView<'a> {
    source: &'a str,
    record: u64,
    reason: &'a str,
}

/// A bar of the histogram of similarities.
struct Bin {
    label: String,
    pairs: usize,
    height: usize,
    x: usize,
}

pub(super) fn write(findings: &Findings, summary: &Summary, out: &OutDir) -> Result<()> {
    let report = Report {
        summary,
        clusters: clusters(findings),
        rejects: rejects(findings),
        bins: histogram(findings),
    };
    let path = out.path("report.html");
    let mut file = out.create("report.html")?;
    report
        .write_into(&mut file)
        .map_err(std::io::Error::other)
        .and_then(|()| file.flush())
        .map_err(Error::io("cannot write", &path))
}

/// The largest clusters first.
fn clusters(findings: &Findings) -> Vec<ClusterView<'_>> {
    let mut order: Vec<usize> = (0..findings.clusters.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(findings.clusters[at].members.len()), at));
    order.truncate(CLUSTERS_SHOWN);
    order
        .into_iter()
        .map(|number| view(findings, number))
        .collect()
}

fn view(findings: &Findings, number: usize) -> ClusterView<'_> {
    let cluster = &findings.clusters[number];
    let member = |rank: u32| {
        let page = findings.page(rank);
        let dropped = findings
            .dropped
            .binary_search_by_key(&rank, |drop| drop.page);
        let role = match dropped {
            _ if rank == cluster.canonical => "canonical",
            Ok(at) => findings.dropped[at].relation.name(),
            Err(_) => "kept",
        };
        MemberView {
            id: &page.id,
            role,
            chars: page.chars,
        }
    };
    let others = cluster
        .members
        .iter()
        .copied()
        .filter(|&rank| rank != cluster.canonical);
    let shown = std::iter::once(cluster.canonical)
        .chain(others)
        .take(MEMBERS_SHOWN);
    ClusterView {
        number,
        pages: cluster.members.len(),
        loose: cluster.is_loose(),
        members: shown.map(member).collect(),
        more: cluster.members.len().saturating_sub(MEMBERS_SHOWN),
    }
}

fn rejects(findings: &Findings) -> Vec<RejectView<'_>> {
    let rejects = findings.collection.rejects.iter().take(REJECTS_SHOWN);
    rejects
        .map(|reject| RejectView {
            source: &findings.sources[reject.source as usize].name,
            record: reject.record,
            reason: &reject.reason,
        })
        .collect()
}

/// Pairs by similarity, in twenty bars; heights on a logarithmic scale up to 100.
fn histogram(findings: &Findings) -> Vec<Bin> {
    let mut counts = [0usize; 20];
    for pair in &findings.pairs {
        counts[((pair.verdict.similarity * 20.0) as usize).min(19)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let scale = |pairs: usize| ((pairs + 1) as f64).ln();
    counts
        .iter()
        .enumerate()
        .map(|(at, &pairs)| Bin {
            label: format!("{:.2}–{:.2}", at as f64 / 20.0, (at + 1) as f64 / 20.0),
            pairs,
            height: (100.0 * scale(pairs) / scale(most.max(1))).round() as usize,
            x: at * 30,
        })
        .collect()
}
