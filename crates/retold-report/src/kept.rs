//! `kept/`: the inputs without the dropped pages.

use std::collections::BTreeMap;

use rayon::prelude::*;

use retold::{Error, Findings, Mark, PageNo, Rank, RecordDecision, Result, Watch};

use crate::out::OutDir;

/// Reads the sources again and writes what is kept of them, many at a time.
pub(crate) fn write(
    findings: &Findings,
    mark: bool,
    out: &OutDir,
    watch: &dyn Watch,
) -> Result<()> {
    let config = findings.model.config();
    let decisions = Decisions::new(findings, mark);
    let root = out.path("kept");
    // Old pages, which these were compared with, are not written.
    (0..findings.new_sources)
        .into_par_iter()
        .try_for_each(|number| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let source = &findings.sources[number];
            let mut decide = decisions.of_source(number as u32);
            source.rewrite(&config.read, &mut decide, &root.join(&source.kept))
        })
}

/// What becomes of each record.
struct Decisions<'a> {
    findings: &'a Findings,
    /// Source -> its first page in the order of reading.
    first: Vec<usize>,
    /// Page in the order of reading -> rank.
    ranks: Vec<Rank>,
    /// Rank -> whether the page is dropped.
    is_dropped: Vec<bool>,
    /// With `--mark`: rank -> what is added to its record.
    marks: Option<BTreeMap<Rank, Mark<'a>>>,
}

impl<'a> Decisions<'a> {
    fn new(findings: &'a Findings, mark: bool) -> Self {
        let ranks = retold::ranks(&findings.by_id);
        let mut is_dropped = vec![false; ranks.len()];
        findings
            .dropped
            .iter()
            .for_each(|drop| is_dropped[drop.page.at()] = true);
        let mut first = vec![0; findings.sources.len() + 1];
        for page in findings.collection.pages.iter() {
            if let Some(count) = first.get_mut(page.source as usize + 1) {
                *count += 1;
            }
        }
        (1..first.len()).for_each(|source| first[source] += first[source - 1]);
        Decisions {
            findings,
            first,
            ranks,
            is_dropped,
            marks: mark.then(|| marks(findings)),
        }
    }

    /// A function from record number to action; call it in ascending order.
    fn of_source(&'a self, source: u32) -> impl FnMut(u64) -> RecordDecision<'a> {
        let pages = &self.findings.collection.pages;
        let mut rejects = self
            .findings
            .collection
            .rejects
            .of_source(source)
            .peekable();
        let row = |at: usize| (at < pages.len()).then(|| pages.get(PageNo::new(at)));
        let mut at = self.first[source as usize];
        let mut page = row(at);
        move |record| {
            while page.is_some_and(|page| page.source == source && page.record < record) {
                at += 1;
                page = row(at);
            }
            if page.is_some_and(|page| (page.source, page.record) == (source, record)) {
                return self.of_page(self.ranks[at]);
            }
            while rejects.next_if(|reject| reject.record < record).is_some() {}
            match rejects.peek() {
                Some(reject) if reject.record == record => RecordDecision::Leave,
                _ => RecordDecision::Keep,
            }
        }
    }

    fn of_page(&self, rank: Rank) -> RecordDecision<'a> {
        match &self.marks {
            Some(marks) => RecordDecision::Mark(marks.get(&rank).cloned()),
            None if self.is_dropped[rank.at()] => RecordDecision::Leave,
            None => RecordDecision::Keep,
        }
    }
}

/// The cluster of each member, what it is to the canonical page, and for which page each page would be dropped.
pub(crate) fn marks(findings: &Findings) -> BTreeMap<Rank, Mark<'_>> {
    let mut marks: BTreeMap<Rank, Mark<'_>> = BTreeMap::new();
    for (number, cluster) in findings.clusters.iter().enumerate() {
        for &page in &cluster.members {
            let mark = Mark {
                cluster: Some(number as u64),
                canonical: Some(findings.id(cluster.canonical)),
                relation: findings.relation(page, cluster.canonical),
                dropped_for: None,
            };
            marks.insert(page, mark);
        }
    }
    for drop in &findings.dropped {
        let mark = marks.entry(drop.page).or_default();
        mark.dropped_for = Some(findings.id(drop.canonical));
    }
    marks
}
