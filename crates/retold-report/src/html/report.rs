//! The data that the report is made from, and limits on its content.

use std::collections::HashSet;

use retold::{Findings, Model, Rank, Relation};

use super::drops::Drops;
use crate::agreement::Agreement;
use crate::output::OutputConfig;
use crate::summary::Summary;

/// Clusters that are listed, largest first.
pub(super) const CLUSTERS: usize = 250_000;
/// Clusters in a chunk of the list, and in a chunk of details.
pub(super) const LIST_CHUNK: usize = 4096;
pub(super) const DETAIL_CHUNK: usize = 128;
/// Members and other pairs of a cluster with details. Pairs with the canonical page come first.
pub(super) const MEMBERS: usize = 200;
pub(super) const OTHER_PAIRS: usize = 40;
/// Features of a pair whose df are shown, rarest first.
pub(super) const FEATURES: usize = 24;
/// Details stop after this many bytes; the list continues without them.
pub(super) const DETAIL_BYTES: u64 = 48 << 20;
pub(super) const TEXT_CHARS: u64 = 24 << 20;
pub(super) const TEXT_CHUNK: usize = 32;
pub(super) const REJECTS: usize = 500;

pub(super) struct Report<'a> {
    pub(super) findings: &'a Findings,
    /// The agreement of each cluster.
    pub(super) agreements: &'a [Agreement],
    pub(super) output: &'a OutputConfig,
    pub(super) model: &'a Model,
    /// The clusters that are listed, largest first; equal ones by number.
    pub(super) order: Vec<u32>,
    /// Dropped pages that are shown; none if nothing is dropped.
    pub(super) drops: Drops,
    pub(super) collapsed: HashSet<u64>,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        findings: &'a Findings,
        agreements: &'a [Agreement],
        output: &'a OutputConfig,
        summary: &Summary,
    ) -> Report<'a> {
        let collapsed = summary.flagged.iter().filter(|flag| flag.collapsed);
        Report {
            findings,
            agreements,
            output,
            model: &findings.model,
            order: order(findings),
            drops: match output.mark {
                true => Drops::default(),
                false => Drops::of(findings),
            },
            collapsed: collapsed.map(|flag| flag.cluster).collect(),
        }
    }

    /// The kept page that a dropped page repeats, and the relation to it.
    pub(super) fn drop_of(&self, rank: Rank) -> Option<(Rank, Relation)> {
        if self.output.mark {
            return None;
        }
        let dropped = &self.findings.dropped;
        let at = dropped.binary_search_by_key(&rank, |drop| drop.page).ok()?;
        // Older versions and collections are in no cluster.
        Some((dropped[at].canonical, dropped[at].relation.of_texts()?))
    }

    /// The members of a cluster that are shown: the canonical page, other kept pages, dropped pages.
    pub(super) fn shown(&self, cluster: u32) -> Vec<Rank> {
        let cluster = &self.findings.clusters[cluster as usize];
        let mut members = cluster.members.clone();
        members.sort_by_key(|&rank| {
            let is_dropped = self.drop_of(rank).is_some();
            (rank != cluster.canonical, is_dropped, rank)
        });
        members.truncate(MEMBERS);
        members
    }
}

fn order(findings: &Findings) -> Vec<u32> {
    let mut order: Vec<u32> = (0..findings.clusters.len() as u32).collect();
    let size = |at: u32| findings.clusters[at as usize].members.len();
    order.sort_by_key(|&at| (std::cmp::Reverse(size(at)), at));
    order.truncate(CLUSTERS);
    order
}
