//! Learning again as the index grows. Common words and keys are counted anew, all pages are compared with each other under the new model,
//! and both take effect together between two commits.
//!
//! Sketches do not depend on what is common, so logs, postings and page numbers stay. A new model takes one model file and one segment that
//! holds the links found with it. One new manifest names both and invalidates the links of older segments. A crash before that leaves the
//! old state.

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

/// Pages needed before an index learns for the first time.
const FIRST: u64 = 100;

/// The pages to learn from: those of the index at one moment. Pages may be added and removed meanwhile.
#[derive(Debug)]
pub struct Learning {
    index: Arc<Index>,
    pages: Vec<u32>,
    basis: Basis,
}

/// The learnt model, with the links of the pages under it.
#[derive(Debug)]
pub struct Learnt {
    model: Model,
    links: Vec<Link>,
    pages: Vec<u32>,
    basis: Basis,
}

/// Identifies the state that was learnt from. It is outdated once the model or the page numbers change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Basis {
    epoch: u32,
    first_log: u32,
    /// Pages that existed have smaller numbers.
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
    /// The number of pages to learn from.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Learns a model and compares the pages with it. Time and memory are those of a batch run over them.
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
            links: links_of_run(&findings, page, |a, b| index.are_one_frame(a, b))?,
            model,
            pages: self.pages,
            basis: self.basis,
        })
    }
}

impl Writer {
    /// Whether the index has grown enough to learn again: to twice the pages that its model learnt from, or to 100 pages if it has learnt
    /// nothing yet. Never true if the index was created to keep its model, was made by an earlier release, or has a method that learns
    /// nothing.
    pub fn is_learning_due(&self) -> bool {
        let state = self.index.read();
        let learns = state.model.method().learns;
        let counts = matches!(learns, Learns::Common(_) | Learns::Noise);
        let least = FIRST.max(2 * state.manifest.learnt);
        state.manifest.learns && counts && state.pages.live() as u64 >= least
    }

    /// Takes the current pages to learn from. [`Learning::run`] may run on another thread while pages are added and removed.
    pub fn begin_learning(&self) -> Learning {
        let state = self.index.read();
        let pages = 0..state.visible;
        Learning {
            index: Arc::clone(&self.index),
            pages: pages.filter(|&page| state.pages.is_live(page)).collect(),
            basis: Basis::of(&state),
        }
    }

    /// Learns again if it is due ([`Writer::is_learning_due`]) and switches to the new model. Returns whether it did.
    ///
    /// Errors: those of [`Learning::run`] and [`Writer::adopt`].
    pub fn learn_if_grown(&mut self, resources: &RunConfig, watch: &dyn Watch) -> Result<bool> {
        if !self.is_learning_due() {
            return Ok(false);
        }
        let learnt = self.begin_learning().run(resources, watch)?;
        self.adopt(learnt)
    }

    /// Switches to a learnt model and starts a new epoch. Pages added meanwhile, and pages related to removed ones, are compared again.
    /// Returns false and changes nothing if the index got another model or was compacted meanwhile.
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

    /// Names the new files in the manifest and opens the index from it.
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

/// The links of all pages under the new model: those found while learning, and new ones for pages that were added since or were related to
/// removed pages.
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
    // Stories under the new model. Only a few pages of each story are linked.
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

/// Pages of stories that lost a page, and pages linked with such stories. If the removed page held its story together, they may need other
/// links.
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
