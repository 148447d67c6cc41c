//! Writes `kept/`: the inputs without dropped pages.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use retold::internal::{Memory, Original, companions};
use retold::read::{ReadOptions, RecordDecision, Source};
use retold::{DroppedAs, Error, Findings, PageNo, Rank, Result, Watch};

use crate::agreement::Agreement;
use crate::marks::{self, Marks};
use crate::out::{KEPT, OutDir};
use crate::output::OutputConfig;

/// Reads the sources again and writes the kept records, several sources at a time. Returns the number of skipped records that were left out
/// because they belong to dropped ones.
pub(crate) fn write(
    findings: &Findings,
    agreements: &[Agreement],
    output: &OutputConfig,
    out: &OutDir,
    watch: &dyn Watch,
) -> Result<u64> {
    let config = findings.model.config();
    let decisions = Decisions::new(findings, agreements, output);
    let added = marks::fields(output);
    let root = out.path(KEPT);
    std::fs::create_dir_all(&root).map_err(Error::io("cannot make the folder", &root))?;
    // Old pages are not written.
    let new = &findings.sources[..findings.new_sources];
    let originals = match output.revisits && !output.mark {
        true => decisions.originals(watch)?,
        false => BTreeMap::new(),
    };
    let dropped: Vec<Vec<u64>> = (0..new.len())
        .map(|source| decisions.dropped_of(source as u32))
        .collect();
    let repeated = dropped.iter().enumerate();
    let repeated: Vec<BTreeMap<u64, _>> = repeated
        .map(|(source, dropped)| decisions.repeated(source as u32, dropped, &originals))
        .collect();
    // A dropped record that has an id becomes a revisit, and records that belong to it stay.
    let goes = |source: usize, record: u64, has_id: bool| {
        !(has_id && repeated[source].contains_key(&record))
    };
    let memory = findings.collection.memory();
    let belonging = belonging(new, &dropped, goes, &config.read, memory, watch)?;
    each_source(new, watch, |number, source| {
        let revisits = match repeated[number].is_empty() {
            true => BTreeMap::new(),
            false => source.revisits(&repeated[number], &config.read)?,
        };
        let mut of_page = decisions.of_source(number as u32);
        let mut decide = |record: u64| match (of_page(record), revisits.get(&record)) {
            (_, Some(revisit)) => RecordDecision::Replace(Cow::Owned(revisit.clone())),
            _ if belonging[number].binary_search(&record).is_ok() => RecordDecision::Leave,
            (decision, None) => decision,
        };
        source.rewrite_adding(&added, &config.read, &mut decide, &root.join(&source.kept))
    })?;
    Ok(belonging.iter().map(|records| records.len() as u64).sum())
}

/// For each source, the records that belong to dropped ones (ascending) for which `goes` is true.
pub(crate) fn belonging(
    sources: &[Source],
    dropped: &[Vec<u64>],
    goes: impl Fn(usize, u64, bool) -> bool + Sync,
    read: &ReadOptions,
    memory: &Memory,
    watch: &dyn Watch,
) -> Result<Vec<Vec<u64>>> {
    let mut of_source = sources.iter().zip(dropped);
    if of_source.all(|(source, dropped)| dropped.is_empty() || !source.may_have_companions()) {
        return Ok(vec![Vec::new(); sources.len()]);
    }
    let goes = |source: usize, record: u64, has_id: bool| {
        dropped[source].binary_search(&record).is_ok() && goes(source, record, has_id)
    };
    companions(sources, &goes, read, memory, watch)
}

/// Calls `write` for all sources, several at a time, until one fails or the job is cancelled.
pub(crate) fn each_source(
    sources: &[Source],
    watch: &dyn Watch,
    write: impl Fn(usize, &Source) -> Result<()> + Sync,
) -> Result<()> {
    let sources = sources.par_iter().enumerate();
    sources.try_for_each(|(number, source)| match watch.cancelled() {
        true => Err(Error::Cancelled),
        false => write(number, source),
    })
}

struct Decisions<'a> {
    findings: &'a Findings,
    /// Source -> its first page in the order of reading.
    first: Vec<usize>,
    ranks: Vec<Rank>,
    is_dropped: Vec<bool>,
    output: &'a OutputConfig,
    /// What is added to records, if anything.
    marks: Option<Marks<'a>>,
}

impl<'a> Decisions<'a> {
    fn new(findings: &'a Findings, agreements: &'a [Agreement], output: &'a OutputConfig) -> Self {
        let ranks = retold::internal::ranks(&findings.by_id);
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
            output,
            marks: (output.mark || output.annotate).then(|| Marks::new(findings, agreements)),
        }
    }

    /// Returns a function from record number to action; call it with ascending numbers.
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

    /// The records of a source that are left out as dropped pages, ascending.
    fn dropped_of(&self, source: u32) -> Vec<u64> {
        if self.output.mark {
            return Vec::new();
        }
        let pages = self.first[source as usize]..self.first[source as usize + 1];
        let dropped = pages.filter(|&at| self.is_dropped[self.ranks[at].at()]);
        let record = |at: usize| self.findings.collection.pages.get(PageNo::new(at)).record;
        dropped.map(record).collect()
    }

    /// The data that revisits need of kept pages, by source and record.
    fn originals(&self, watch: &dyn Watch) -> Result<BTreeMap<(u32, u64), Original>> {
        let findings = self.findings;
        let mut wanted: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); findings.sources.len()];
        for drop in &findings.dropped {
            let page = findings.page(drop.canonical);
            if let Some(wanted) = wanted.get_mut(page.source as usize) {
                wanted.insert(page.record);
            }
        }
        let found = Mutex::new(BTreeMap::new());
        each_source(&findings.sources, watch, |number, source| {
            let wanted: Vec<u64> = wanted[number].iter().copied().collect();
            if wanted.is_empty() {
                return Ok(());
            }
            let originals = source.originals(&wanted, &findings.model.config().read)?;
            let originals = originals.into_iter();
            let named = originals.map(|(record, original)| ((number as u32, record), original));
            found
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(named);
            Ok(())
        })?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The dropped records of a source whose kept page is in `originals`, with that page and their relation to it.
    fn repeated<'o>(
        &self,
        source: u32,
        dropped: &[u64],
        originals: &'o BTreeMap<(u32, u64), Original>,
    ) -> BTreeMap<u64, (&'o Original, &'static str)> {
        let mut repeated = BTreeMap::new();
        if originals.is_empty() {
            return repeated;
        }
        for at in self.first[source as usize]..self.first[source as usize + 1] {
            let record = self.findings.collection.pages.get(PageNo::new(at)).record;
            let all = &self.findings.dropped;
            let drop = all.binary_search_by_key(&self.ranks[at], |drop| drop.page);
            let (Ok(drop), Ok(_)) = (drop, dropped.binary_search(&record)) else {
                continue;
            };
            let canonical = self.findings.page(all[drop].canonical);
            let relation = all[drop].relation;
            // No single page contains all of a collection.
            if matches!(relation, DroppedAs::Collection { .. }) {
                continue;
            }
            if let Some(original) = originals.get(&(canonical.source, canonical.record)) {
                repeated.insert(record, (original, relation.name()));
            }
        }
        repeated
    }

    fn of_page(&self, rank: Rank) -> RecordDecision<'a> {
        match &self.marks {
            _ if self.is_dropped[rank.at()] && !self.output.mark => RecordDecision::Leave,
            Some(marks) => RecordDecision::Add(marks::values(self.output, &marks.of(rank))),
            None => RecordDecision::Keep,
        }
    }
}
