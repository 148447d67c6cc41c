//! The main job, stage by stage.

mod clock;
mod groups;
mod order;

use std::collections::HashMap;

use rayon::prelude::*;

use clock::Clock;
pub use clock::Lap;
use groups::Groups;
pub use order::{order_of, preference};

use crate::cluster::{self, Cluster, Drop, Dropped, Pair};
use crate::collect::{Collection, PageRow, learn_words};
use crate::config::{Config, Resources};
use crate::error::{Error, Result};
use crate::ids::{PageNo, Rank, SketchNo, UnitNo};
use crate::index::{Sketches, related_pairs};
use crate::model::{Model, Units};
use crate::page::Page;
use crate::read::Source;
use crate::relation::Relation;
use crate::texts::{Reread, Verification, Verified};
use crate::watch::Watch;

/// All that a run found out.
#[derive(Debug)]
#[non_exhaustive]
pub struct Findings {
    /// What judged the pages, with what it learnt from them.
    pub model: Model,
    /// What was read.
    pub sources: Vec<Source>,
    /// The pages and what happened to all other records.
    pub collection: Collection,
    /// Pages in the order of their ids.
    pub by_id: Vec<PageNo>,
    /// Related pages, ascending.
    pub pairs: Vec<Pair>,
    /// Groups too large for all their pairs to be listed: the canonical page and the number of pages.
    pub large_groups: Vec<(Rank, usize)>,
    /// Clusters of two pages or more.
    pub clusters: Vec<Cluster>,
    /// The pages that go, ascending.
    pub dropped: Vec<Dropped>,
    /// What was compared: the different sketches, noise deleted.
    pub units: Units,
    /// Which of them each page has, in the order of reading.
    pub unit_of: Vec<UnitNo>,
    /// The sketches as pages have them ([`PageRow::sketch`]), keys only, if noise was deleted from them; `None` if they
    /// are the `units`.
    pub whole: Option<Sketches>,
    /// Pairs of units that were looked at.
    pub candidates: u64,
    /// Verdicts that were checked on texts.
    pub verified: Verified,
    /// Threads that worked.
    pub threads: usize,
    /// The stages, in order.
    pub times: Vec<Lap>,
}

impl Findings {
    /// The page with that rank.
    pub fn page(&self, rank: Rank) -> &PageRow {
        self.collection.page(self.by_id[rank.at()])
    }

    /// The id of the page with that rank.
    pub fn id(&self, rank: Rank) -> &str {
        &self.page(rank).id
    }

    /// The different sketches that pages have ([`PageRow::sketch`]), noise included; of marks and the like only if no noise
    /// was deleted.
    pub fn sketches(&self) -> &Sketches {
        self.whole.as_ref().unwrap_or(self.units.sketches())
    }

    /// The unit of the page with that rank.
    pub fn unit(&self, rank: Rank) -> UnitNo {
        self.unit_of[self.by_id[rank.at()].at()]
    }

    /// What the page `a` is to the page `b`, if they are listed as related.
    pub fn relation(&self, a: Rank, b: Rank) -> Option<Relation> {
        let key = (a.min(b), a.max(b));
        let at = self
            .pairs
            .binary_search_by_key(&key, |pair| (pair.a, pair.b))
            .ok()?;
        let relation = self.pairs[at].relation;
        Some(if a < b { relation } else { relation.swapped() })
    }
}

/// Finds the copies among pages in memory: [`run`] without files.
///
/// Errors: a configuration that cannot be ([`Model::new`]), no page at all.
pub fn dedup(pages: impl IntoIterator<Item = Page>, config: &Config) -> Result<Findings> {
    let source = Source::of_pages("pages", pages);
    let model = Model::new(config.clone())?;
    run(vec![source], model, &Resources::default(), &())
}

/// Finds the copies in `sources`; writes nothing. A model that knows nothing yet learns from the sources; one that does
/// judges by what it knows. What is found does not depend on `resources`, nor on the order of the sources if their ids
/// differ.
///
/// Errors: no page in all sources, an input that changed while it was read, and the run was cancelled.
pub fn run(
    sources: Vec<Source>,
    model: Model,
    resources: &Resources,
    watch: &dyn Watch,
) -> Result<Findings> {
    in_pool(resources.threads, || find(sources, model, resources, watch))
}

/// Does a job on so many threads; 0 for one a core.
pub fn in_pool<T: Send>(threads: usize, job: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::Usage(format!("--threads {threads}: {e}")))?
        .install(job)
}

fn find(
    sources: Vec<Source>,
    mut model: Model,
    resources: &Resources,
    watch: &dyn Watch,
) -> Result<Findings> {
    let mut clock = Clock::default();
    let mut collection = learn_and_sketch(&sources, &mut model, &mut clock, watch)?;
    let by_id = order_of(&collection.pages, |a, b| a.id.cmp(&b.id));
    let preference = preference(&collection, model.config().canonical, &by_id, watch);
    let mut matched = Matched::find(&model, &mut collection, &by_id, &preference, watch)?;
    clock.lap("pairs");

    let texts = Reread {
        sources: &sources,
        model: &model,
        collection: &collection,
    };
    let verification = Verification {
        model: &model,
        collection: &collection,
        by_id: &by_id,
        texts: &texts,
        memory: resources.verify_memory,
    };
    let verified = verification.run(&mut matched.pairs, watch)?;
    if verified.checked > 0 {
        clock.lap("verify");
    }

    watch.begin("clusters", 0);
    let config = model.config();
    let clusters = cluster::cluster(by_id.len(), &matched.pairs, config.cluster, &preference);
    let contained = config.drop == Drop::Both;
    let dropped = cluster::dropped(by_id.len(), &matched.pairs, &preference, contained);
    clock.lap("clusters");
    Ok(Findings {
        model,
        sources,
        collection,
        by_id,
        pairs: matched.pairs,
        large_groups: matched.large_groups,
        clusters,
        dropped,
        units: matched.units,
        unit_of: matched.unit_of,
        whole: matched.whole,
        candidates: matched.candidates,
        verified,
        threads: rayon::current_num_threads(),
        times: clock.laps(),
    })
}

/// The sketches of all pages. A model that knows nothing yet learns: words before pages are sketched, noise from the sketches.
fn learn_and_sketch(
    sources: &[Source],
    model: &mut Model,
    clock: &mut Clock,
    watch: &dyn Watch,
) -> Result<Collection> {
    let read = model.config().read.clone();
    if model.wants_words() {
        *model = model.learn(learn_words(sources, &read, model, watch)?);
        clock.lap("learn words");
    }
    let collection = Collection::read(sources, &read, model, watch)?;
    if collection.pages.is_empty() {
        return Err(nothing_to_read(sources, &collection));
    }
    clock.lap("read and sketch");
    watch.begin("noise", 0);
    if model.knowledge().is_none()
        && let Some(known) = collection.knowledge(model)
    {
        *model = model.learn(known);
    }
    clock.lap("learn noise");
    Ok(collection)
}

/// From sketches to pairs of pages, before texts are asked.
#[derive(Debug)]
#[non_exhaustive]
pub struct Matched {
    /// Related pages, ascending; see [`crate::model::Judgement`] for those that texts have to confirm.
    pub pairs: Vec<Pair>,
    /// See [`Findings::large_groups`].
    pub large_groups: Vec<(Rank, usize)>,
    /// See [`Findings::units`].
    pub units: Units,
    /// See [`Findings::unit_of`].
    pub unit_of: Vec<UnitNo>,
    /// See [`Findings::whole`].
    pub whole: Option<Sketches>,
    /// See [`Findings::candidates`].
    pub candidates: u64,
}

impl Matched {
    /// Joins the collection with itself. Takes the sketches out of it.
    pub fn find(
        model: &Model,
        collection: &mut Collection,
        by_id: &[PageNo],
        preference: &[u32],
        watch: &dyn Watch,
    ) -> Result<Matched> {
        let (units, unit_of, whole) = prune(model, collection);
        watch.begin("pairs", units.len() as u64);
        let groups = Groups::new(model, &units, collection, &unit_of, by_id, preference);
        let judge = |a: SketchNo, b: SketchNo, pairs: &mut Vec<Pair>| {
            groups.between(UnitNo(a.0), UnitNo(b.0), pairs);
        };
        let bounds = |keys| model.bounds(keys);
        let related = related_pairs(units.sketches(), bounds, watch, judge)?;
        let mut pairs = related.made;
        groups.inside(&mut pairs);
        let mut large_groups = groups.large();
        pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        if model.config().exact {
            groups.add_exact_copies(&mut pairs, &mut large_groups);
        }
        drop(groups);
        collection.spent += related.spent;
        Ok(Matched {
            pairs,
            large_groups,
            units,
            unit_of,
            whole,
            candidates: related.candidates,
        })
    }
}

/// Takes the noise out of the sketches: the units that are left, which of them each page has (in the order of reading), and
/// the keys of the sketches as they were, if that makes a difference.
fn prune(model: &Model, collection: &mut Collection) -> (Units, Vec<UnitNo>, Option<Sketches>) {
    let sketches = std::mem::take(&mut collection.sketches);
    let known = model.knowledge().filter(|known| !known.deletes_nothing());
    let Some(known) = known else {
        let unit_of = collection
            .pages
            .iter()
            .map(|page| UnitNo(page.sketch.0))
            .collect();
        return (model.units(sketches), unit_of, None);
    };
    let mut units = Sketches::default();
    let mut seen: HashMap<(SketchNo, Option<u32>), UnitNo> = HashMap::new();
    let unit_of = collection.pages.iter().map(|page| {
        let name = collection.site(page);
        let site = name.filter(|site| known.deleted_on_site.contains_key(*site));
        let key = (page.sketch, page.site.filter(|_| site.is_some()));
        *seen.entry(key).or_insert_with(|| {
            let kept = model.without_noise(sketches.get(page.sketch), site);
            UnitNo(units.add(kept.as_ref()).0)
        })
    });
    let unit_of = unit_of.collect();
    (model.units(units), unit_of, Some(sketches.keys_only()))
}

fn nothing_to_read(sources: &[Source], collection: &Collection) -> Error {
    const NAMED: usize = 3;
    let names = sources
        .iter()
        .take(NAMED)
        .map(|source| source.name.as_str());
    let names: Vec<&str> = names.collect();
    let more = match sources.len() {
        n if n > NAMED => format!(" and {} more files", n - NAMED),
        _ => String::new(),
    };
    let mut message = format!("no page could be read from {}{more}", names.join(", "));
    match collection.rejects.first() {
        Some(reject) => message.push_str(&format!(
            ": {} of {} records were rejected, the first one in {}, record {}: {}",
            collection.rejects.len(),
            collection.read,
            sources[reject.source as usize].name,
            reject.record,
            reject.reason
        )),
        None => message.push_str(&format!(
            ": {} files hold {} records, none of them a page",
            sources.len(),
            collection.read
        )),
    }
    Error::Usage(message)
}

#[cfg(test)]
mod tests;
