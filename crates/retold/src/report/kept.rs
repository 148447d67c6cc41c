//! `kept/`: the inputs once more, without the copies.

use std::collections::HashMap;

use rayon::prelude::*;

use super::out::OutDir;
use crate::error::{Error, Result};
use crate::pipeline::{Findings, Options};
use crate::read::{Fate, Mark};
use crate::relation::Relation;
use crate::watch::Watch;

/// Reads the sources again and writes what is kept of them, many at a time.
pub(super) fn write(
    findings: &Findings,
    options: &Options,
    out: &OutDir,
    watch: &dyn Watch,
) -> Result<()> {
    let fates = Fates::new(findings, options.output.mark);
    let root = out.path("kept");
    (0..findings.sources.len())
        .into_par_iter()
        .try_for_each(|number| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let source = &findings.sources[number];
            let mut fate_of = fates.of_source(number as u32);
            source.rewrite(&options.read, &mut fate_of, &root.join(&source.kept))
        })
}

/// What becomes of each record.
struct Fates<'a> {
    findings: &'a Findings,
    /// Position in `collection.pages` -> rank.
    ranks: Vec<u32>,
    /// Rank -> whether the page goes.
    goes: Vec<bool>,
    /// With `--mark`: rank -> what is added to its record.
    marks: Option<HashMap<u32, Mark<'a>>>,
}

impl<'a> Fates<'a> {
    fn new(findings: &'a Findings, mark: bool) -> Self {
        let mut ranks = vec![0; findings.by_id.len()];
        for (rank, &page) in findings.by_id.iter().enumerate() {
            ranks[page as usize] = rank as u32;
        }
        let mut goes = vec![false; ranks.len()];
        findings
            .dropped
            .iter()
            .for_each(|drop| goes[drop.page as usize] = true);
        Fates {
            findings,
            ranks,
            goes,
            marks: mark.then(|| marks(findings)),
        }
    }

    /// A function from record number to fate, to be asked in ascending order.
    fn of_source(&'a self, source: u32) -> impl FnMut(u64) -> Fate<'a> {
        let pages = &self.findings.collection.pages;
        let rejects = &self.findings.collection.rejects;
        let first = pages.partition_point(|page| page.source < source);
        let mut at = first;
        move |record| {
            while at < pages.len() && pages[at].source == source && pages[at].record < record {
                at += 1;
            }
            if at < pages.len() && (pages[at].source, pages[at].record) == (source, record) {
                return self.of_page(self.ranks[at]);
            }
            let rejected = rejects
                .binary_search_by_key(&(source, record), |reject| (reject.source, reject.record));
            if rejected.is_ok() {
                Fate::Leave
            } else {
                Fate::Keep
            }
        }
    }

    fn of_page(&self, rank: u32) -> Fate<'a> {
        match &self.marks {
            Some(marks) => Fate::Mark(marks.get(&rank).copied()),
            None if self.goes[rank as usize] => Fate::Leave,
            None => Fate::Keep,
        }
    }
}

/// The cluster of each member and what it is to the canonical page.
fn marks(findings: &Findings) -> HashMap<u32, Mark<'_>> {
    let relation = |page: u32, canonical: u32| -> Option<Relation> {
        let (a, b) = (page.min(canonical), page.max(canonical));
        let at = findings
            .pairs
            .binary_search_by_key(&(a, b), |pair| (pair.a, pair.b))
            .ok()?;
        let relation = findings.pairs[at].relation;
        Some(if a == page {
            relation
        } else {
            relation.swapped()
        })
    };
    let mut marks = HashMap::new();
    for (number, cluster) in findings.clusters.iter().enumerate() {
        for &page in &cluster.members {
            let canonical = &*findings.page(cluster.canonical).id;
            let relation = relation(page, cluster.canonical);
            marks.insert(
                page,
                Mark {
                    cluster: number as u64,
                    canonical,
                    relation,
                },
            );
        }
    }
    marks
}
