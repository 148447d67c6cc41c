//! What the report shows of dropped pages: a table of losses, and the pairs of its rows.

use retold::DroppedAs;
use serde::Serialize;

use super::chosen::Chosen;
use super::drops::ends;
use super::members::{self, MemberRow};
use super::pairs::{Facts, PairRow, Shapes};
use super::report::Report;

#[derive(Serialize)]
struct Row {
    id: String,
    title: Option<String>,
    canonical: String,
    canonical_title: Option<String>,
    relation: &'static str,
    lost: u32,
    /// For a collection: how many kept pages together contain all of it.
    parts: Option<u32>,
    cluster: Option<u32>,
    /// Whether the report has details of the pair.
    pair: bool,
}

#[derive(Serialize)]
pub(super) struct Listed {
    counted: bool,
    lost: Vec<Row>,
    random: Vec<Row>,
}

/// A dropped page and the page it was dropped for, as members, with their pair.
pub(super) type DropRow<'a> = Option<([MemberRow<'a>; 2], PairRow)>;

pub(super) fn listed(report: &Report<'_>) -> Listed {
    let drops = &report.drops;
    let cluster_of = report.findings.cluster_of();
    let rows = |places: &[usize]| {
        let places = places.iter();
        places.map(|&at| row(report, &cluster_of, at)).collect()
    };
    Listed {
        counted: report.model.method().counts_own(),
        lost: rows(&drops.lost),
        random: rows(&drops.random),
    }
}

/// The pairs of the rows, those of the table of losses first.
pub(super) fn details<'a>(
    report: &'a Report<'_>,
    facts: &Facts<'_>,
    texts: &Chosen,
    shapes: &mut Shapes,
) -> Vec<DropRow<'a>> {
    let mut detail = |at: usize| {
        let drop = report.findings.dropped[at];
        let (a, b) = ends(drop.page, drop.canonical);
        let pair = report.findings.pairs.find(a, b)?;
        let members = [a, b].map(|rank| members::member(report, rank, None, texts));
        Some((members, facts.of(&pair).row([0, 1], shapes)))
    };
    report.drops.all().map(&mut detail).collect()
}

fn row(report: &Report<'_>, cluster_of: &[Option<u32>], at: usize) -> Row {
    let findings = report.findings;
    let drop = findings.dropped[at];
    let (a, b) = ends(drop.page, drop.canonical);
    Row {
        id: findings.id(drop.page).into_owned(),
        title: members::title(report, drop.page),
        canonical: findings.id(drop.canonical).into_owned(),
        canonical_title: members::title(report, drop.canonical),
        relation: drop.relation.name(),
        lost: drop.lost,
        parts: match drop.relation {
            DroppedAs::Collection { parts } => Some(parts),
            DroppedAs::Repeats(_) | DroppedAs::SameUrl => None,
        },
        cluster: cluster_of[drop.page.at()],
        pair: findings.pairs.find(a, b).is_some(),
    }
}
