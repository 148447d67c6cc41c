//! Learning again as the index grows: what is common is counted anew, all pages are compared with each other by that, and both come into
//! effect at once, between two commits.
//!
//! Sketches do not change with what is common, so logs, postings and numbers of pages stay: a new model is a file of its own and a
//! segment with the links that it finds. One new manifest names both, and says that links of older segments count no more. What is
//! before it is what a crash leaves.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use retold::internal::StoryGraph;
use retold::method::Learns;
use retold::{Collection, Dedup, Model, Rank, Result, RunConfig, Watch};
use rustc_hash::FxHashSet;

use crate::files::{replace, sealed, sync_folder};
use crate::index::Index;
use crate::judge::Judge;
use crate::links::{Link, LinkKind, links_of_run};
use crate::query::View;
use crate::state::{State, model_name};
use crate::writer::{Writer, links_of};

/// An index learns from its pages for the first time when it has so many.
const FIRST: u64 = 100;

/// What is to be learnt from: the pages that were there at a moment. Others may be added and removed meanwhile.
#[derive(Debug)]
pub struct Learning {
    index: Arc<Index>,
    pages: Vec<u32>,
    basis: Basis,
}

/// What was learnt, and what it makes of the pages.
#[derive(Debug)]
pub struct Learnt {
    model: Model,
    /// What the pages are to each other.
    links: Vec<Link>,
    pages: Vec<u32>,
    basis: Basis,
}

/// The index that was learnt from: it must not have got another model meanwhile, nor other numbers of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Basis {
    epoch: u32,
    first_log: u32,
    /// Pages that were there have smaller numbers.
    pages: u32,
}

impl Basis {
    fn of(state: &State) -> Basis {
        Basis {
            epoch: state.manifest.epoch,
            first_log: state.manifest.logs.first().map_or(0, |log| log.0),
            pages: state.visible,
        }
    }
}

impl Learning {
    /// How many pages it learns from.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Counts what is common, and compares the pages. Time and memory are those of a batch run over them.
    pub fn run(self, resources: &RunConfig, watch: &dyn Watch) -> Result<Learnt> {
        let index = &self.index;
        let mut collection = Collection::new(&resources.memory()?);
        let texts = index.export(self.pages.clone(), &mut collection, watch)?;
        let model = index.model();
        let known = collection.knowledge(&model)?.unwrap_or_default();
        let model = model.with_knowledge(known);
        let findings = Dedup::new(model.clone())
            .resources(resources)
            .watch(watch)
            .run_sketched(collection, &texts)?;
        let page = |rank: Rank| self.pages[findings.by_id[rank.at()].at()];
        Ok(Learnt {
            links: links_of_run(&findings, page),
            model,
            pages: self.pages,
            basis: self.basis,
        })
    }
}

impl Writer {
    /// Whether the index has grown enough to learn again: to twice the pages that its model has learnt from, or, if it has learnt from none,
    /// to a hundred. Never if it was made to keep its model, if an earlier release made it, or if its method does not count what is common.
    pub fn is_learning_due(&self) -> bool {
        let state = self.index.read();
        let learns = state.model.method().learns;
        let counts = matches!(learns, Learns::Common(_) | Learns::Noise);
        let least = FIRST.max(2 * state.manifest.learnt);
        state.manifest.learns && counts && state.pages.live() as u64 >= least
    }

    /// What the index would learn from now. [`Learning::run`] may be on another thread, while pages are added and removed here.
    pub fn begin_learning(&self) -> Learning {
        let state = self.index.read();
        let pages = 0..state.visible;
        Learning {
            index: Arc::clone(&self.index),
            pages: pages.filter(|&page| state.pages.is_live(page)).collect(),
            basis: Basis::of(&state),
        }
    }

    /// Learns again if it is due ([`Writer::is_learning_due`]), and judges by that from now on. True if it has.
    ///
    /// Errors: those of [`Learning::run`] and [`Writer::adopt`].
    pub fn learn_if_grown(&mut self, resources: &RunConfig, watch: &dyn Watch) -> Result<bool> {
        if !self.is_learning_due() {
            return Ok(false);
        }
        let learnt = self.begin_learning().run(resources, watch)?;
        self.adopt(learnt)
    }

    /// Judges by what was learnt from now on: a new epoch. Pages that came meanwhile, and those that were related to pages that went, are
    /// compared once more. False if the index got another model meanwhile, or was compacted: then nothing changes.
    ///
    /// Errors: files cannot be read or written; then nothing changes.
    pub fn adopt(&mut self, learnt: Learnt) -> Result<bool> {
        self.check()?;
        let index = Arc::clone(self.index());
        let now = Basis::of(&index.read());
        let pages = learnt.basis.pages;
        if (Basis { pages, ..now }) != learnt.basis {
            return Ok(false);
        }
        let links = all_links(&index, &learnt)?;
        let manifest = {
            let state = index.read();
            let mut manifest = state.manifest.clone();
            let number = manifest.next;
            manifest.next += 1;
            manifest.links_from = number;
            manifest.epoch += 1;
            manifest.model = model_name(manifest.epoch);
            manifest.learnt = learnt.pages.len() as u64;
            manifest.tail = state.end;
            if let Some(log) = manifest.logs.last_mut() {
                log.1 = state.end;
            }
            let links = links.iter().map(|link| link.to_numbers()).collect();
            let segment = state.segment_with(index.folder(), number, links)?;
            manifest.segments.push(segment.named.clone());
            manifest
        };
        self.put_in_place(manifest, &learnt.model)?;
        Ok(true)
    }

    /// Names the new files in the manifest, and opens the index by it.
    fn put_in_place(&mut self, mut manifest: crate::state::Manifest, model: &Model) -> Result<()> {
        let index = Arc::clone(self.index());
        let folder = index.folder();
        let json = model.to_json();
        replace(&folder.join(&manifest.model), sealed(&json).as_bytes())?;
        sync_folder(folder)?;
        manifest.write(folder)?;
        let state = State::open(folder, true)?;
        *index.write() = state;
        manifest.remove_others(folder)
    }
}

/// The links of all pages under what was learnt: those found there, and those that are found now, of pages that came meanwhile, and of pages
/// with which those that went had to do.
fn all_links(index: &Index, learnt: &Learnt) -> Result<Vec<Link>> {
    let before = index.links()?.into_iter();
    let mut links: Vec<Link> = before
        .filter(|link| link.kind == LinkKind::Replaces)
        .collect();
    links.extend(&learnt.links);
    let (late, gone, all) = {
        let state = index.read();
        let is_live = |page: &u32| state.pages.is_live(*page);
        let late = learnt.basis.pages..state.visible;
        let late: Vec<u32> = late.filter(is_live).collect();
        let was_there = learnt.pages.iter().copied();
        let gone: Vec<u32> = was_there.filter(|page| !is_live(page)).collect();
        (late, gone, state.visible)
    };
    if late.is_empty() && gone.is_empty() {
        return Ok(links);
    }
    // Which pages tell one story under what was learnt: of each only a few are linked.
    let mut graph = StoryGraph::of(all as usize);
    learnt
        .links
        .iter()
        .for_each(|link| relate(&mut graph, link));
    let bereft = bereft(&graph, &gone, learnt);
    graph.remove(&gone);
    let bereft = bereft.into_iter().map(|page| (page, all));
    let asked: Vec<(u32, u32)> = bereft
        .chain(late.into_iter().map(|page| (page, page)))
        .collect();
    let judge = Judge {
        model: learnt.model.clone(),
        epoch: learnt.basis.epoch + 1,
    };
    let found = asked.par_iter().map(|&(page, before)| {
        let entry = index.entry_of(page)?;
        let view = View {
            before,
            but: Some(page),
            is_gone: &|_| false,
        };
        let fingerprint = |judge: &Judge| index.fingerprint(judge, page, &entry);
        let matches = index.matches(&judge, &entry, &fingerprint, &view, None)?;
        Ok((page, matches))
    });
    let found: Result<Vec<_>> = found.collect();
    for (page, matches) in found? {
        let more = links_of(page, &matches, |found| (graph.root(found.page), false));
        more.iter().for_each(|link| relate(&mut graph, link));
        links.extend(more);
    }
    Ok(links)
}

fn relate(graph: &mut StoryGraph, link: &Link) {
    if let LinkKind::Related(relation) = link.kind {
        graph.relate(link.page, link.other, relation);
    }
}

/// The pages that are of a story with which a page had to do that is gone, and those that are linked with one of such a story: where it held
/// a story together, they may want other links.
fn bereft(graph: &StoryGraph, gone: &[u32], learnt: &Learnt) -> Vec<u32> {
    let is_gone: FxHashSet<u32> = gone.iter().copied().collect();
    let ends = |link: &Link| [(link.page, link.other), (link.other, link.page)];
    let all = || learnt.links.iter().flat_map(ends);
    let mut touched: FxHashSet<u32> = gone.iter().map(|&page| graph.root(page)).collect();
    let beside = all().filter(|(page, _)| is_gone.contains(page));
    touched.extend(beside.map(|(_, other)| graph.root(other)));
    let is_touched = |page: u32| touched.contains(&graph.root(page));
    let of_stories = learnt
        .pages
        .iter()
        .copied()
        .filter(|&page| is_touched(page));
    let linked = all().filter(|&(_, other)| is_touched(other));
    let bereft: BTreeSet<u32> = of_stories.chain(linked.map(|(page, _)| page)).collect();
    bereft
        .difference(&is_gone.into_iter().collect())
        .copied()
        .collect()
}
