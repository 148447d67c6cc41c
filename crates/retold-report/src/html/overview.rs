//! The data of the overview.

use std::cmp::Reverse;
use std::collections::HashMap;

use retold::{Rank, Reject};
use serde_json::{Value, json};

use super::figures;
use super::report::{REJECTS, Report};
use crate::summary::Summary;

/// Reasons for rejects in the table.
const REASONS: usize = 50;
/// Distinct reasons that are counted; further ones are not.
const DIFFERENT: usize = 10_000;
const FLAGGED: usize = 200;
const GAINS: usize = 12;

pub(super) fn overview(report: &Report<'_>, summary: &Summary) -> Value {
    let findings = report.findings;
    let sizes = findings.clusters.iter().map(|c| c.members.len() as u64);
    let of_sites = report.agreements.iter().map(|agreement| agreement.sites);
    let pairs = findings.pairs.iter();
    let pairs = pairs.map(|pair| (pair.relation, f64::from(pair.similarity)));
    let mut is_dropped = vec![false; findings.by_id.len()];
    for drop in &findings.dropped {
        is_dropped[drop.page.at()] = true;
    }
    let ranks = Rank::first(findings.by_id.len());
    let dates = ranks.map(|rank| (findings.page(rank).date, is_dropped[rank.at()]));
    json!({
        "records": summary.records,
        "pairs": summary.pairs,
        "relations": summary.relations,
        "lost": summary.lost,
        "drops": super::lost::listed(report),
        "clusters": summary.clusters,
        "largest_cluster": summary.largest_cluster,
        "flagged": &summary.flagged[..summary.flagged.len().min(FLAGGED)],
        "flagged_in_all": summary.flagged.len(),
        "losses": summary.losses,
        "gains": &summary.gains[..summary.gains.len().min(GAINS)],
        "large_components": summary.large_components,
        "bytes": summary.bytes,
        "sketches": summary.sketches,
        "parameters": summary.parameters,
        "inputs": summary.inputs,
        "threshold": (report.model.method().least_similarity)(report.model.params()),
        "sizes": figures::sizes(sizes),
        "of_sites": figures::sizes(of_sites),
        "similarities": figures::similarities(pairs),
        "matrix": figures::matrix(findings),
        "timeline": figures::timeline(dates),
        "rejects": rejects(report),
        "texts": report.output.report_text,
    })
}

/// Rejects by reason, and a limited number of single rejects.
fn rejects(report: &Report<'_>) -> Value {
    let findings = report.findings;
    let rejects = &findings.collection.rejects;
    let mut counts: HashMap<String, u64> = HashMap::new();
    for Reject { reason, .. } in rejects.iter() {
        // Most reasons name a line, so there may be as many reasons as rejects.
        if counts.len() < DIFFERENT || counts.contains_key(&reason) {
            *counts.entry(reason).or_default() += 1;
        }
    }
    let mut reasons: Vec<(String, u64)> = counts.into_iter().collect();
    reasons.sort_by(|(a, m), (b, n)| (Reverse(m), a).cmp(&(Reverse(n), b)));
    reasons.truncate(REASONS);
    let rows = rejects.iter().take(REJECTS).map(|reject| {
        let source = &findings.sources[reject.source as usize].name;
        json!([source, reject.record, reject.reason])
    });
    let rows: Vec<Value> = rows.collect();
    json!({ "all": rejects.len(), "reasons": reasons, "rows": rows })
}
