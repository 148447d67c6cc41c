//! The main job, stage by stage.

mod against;
mod ahead;
mod classes;
mod clock;
mod components;
mod doubtful;
mod families;
mod likely;
mod matched;
mod order;
mod parts;
mod verifying;

use std::borrow::Cow;
use std::path::Path;

pub use against::{Old, against, against_index};
use clock::Clock;
pub use clock::Lap;
pub use matched::{CROWD, FAMILY, Matched, Matching};
use order::old_first;
pub use order::{preference, ranks};
pub use verifying::Verified;

use crate::cluster::{Cluster, Dropped, Pairs};
use crate::collect::{Collection, PageRow, learn_words};
use crate::config::cores;
pub use crate::config::most_threads;
use crate::config::{JudgeConfig, RunConfig};
use crate::error::{Error, Result};
use crate::ids::{PageNo, Rank, UnitNo};
use crate::index::Sketches;
use crate::model::{Model, Units};
use crate::page::Page;
use crate::read::Source;
use crate::relation::Relation;
use crate::resume::Resume;
use crate::spill::Memory;
use crate::texts::{Reread, Texts};
use crate::watch::Watch;

/// All that a run found out.
#[derive(Debug)]
#[non_exhaustive]
pub struct Findings {
    /// What judged the pages, with what it learnt from them.
    pub model: Model,
    /// What was read.
    pub sources: Vec<Source>,
    /// How many of them are to be rid of copies; the others are those that they were compared with ([`against`](against())).
    pub new_sources: usize,
    /// How many of the last pages of the collection are old ones, which the others were compared with.
    pub old_pages: usize,
    /// The pages and what happened to all other records.
    pub collection: Collection,
    /// Pages in the order of their ids.
    pub by_id: Vec<PageNo>,
    /// Related pages, ascending.
    pub pairs: Pairs,
    /// Connected components too large for all their pairs to be listed: the most preferred page and the number of pages. A
    /// page that is related only to pages of it that go need not be counted among them.
    pub large_components: Vec<(Rank, usize)>,
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
    /// Pairs of different sketches that were looked at.
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
    pub fn page(&self, rank: Rank) -> PageRow {
        self.collection.page(self.by_id[rank.at()])
    }

    /// The id of the page with that rank.
    pub fn id(&self, rank: Rank) -> Cow<'_, str> {
        self.collection.id(self.by_id[rank.at()])
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
        let relation = self.pairs.find(a.min(b), a.max(b))?.relation;
        Some(if a < b { relation } else { relation.swapped() })
    }
}

/// Finds the copies among pages in memory: [`run`] without files.
///
/// Errors: a configuration that cannot be ([`Model::new`]), no page at all.
pub fn dedup(pages: impl IntoIterator<Item = Page>, config: &JudgeConfig) -> Result<Findings> {
    let source = Source::of_pages("pages", pages);
    let model = Model::new(config.clone())?;
    run(vec![source], model, &RunConfig::default(), &())
}

/// Finds the copies in `sources`; writes nothing. A model that knows nothing yet learns from the sources; one that does
/// judges by what it knows. What is found does not depend on `resources`, nor on the order of the sources if their ids
/// differ.
///
/// Errors: no page in all sources, an input that changed while it was read, and the run was cancelled.
pub fn run(
    sources: Vec<Source>,
    model: Model,
    resources: &RunConfig,
    watch: &dyn Watch,
) -> Result<Findings> {
    let memory = resources.memory()?;
    in_pool(resources.threads, || {
        let folder = resources.resume.as_deref();
        let resume = folder.map(|folder| Resume::open(folder, &sources, &model, watch));
        let resume = resume.transpose()?;
        let findings = find(sources, model, &memory, (FAMILY, CROWD), resume, watch)?;
        match findings.collection.pages.is_empty() && !resources.allow_empty {
            true => Err(nothing_to_read(&findings.sources, &findings.collection)),
            false => Ok(findings),
        }
    })
}

/// Does a job on so many threads; 0 for one a core, never more than [`most_threads`]. A job within a job stays on its threads, if they
/// are as many: new ones stand on one core until the system gets around to spreading them.
pub fn in_pool<T: Send>(threads: usize, job: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let used = threads.min(most_threads());
    let wanted = match used {
        0 => cores(),
        used => used,
    };
    if rayon::current_thread_index().is_some() && rayon::current_num_threads() == wanted {
        return job();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(used).build();
    pool.map_err(|e| Error::Usage(format!("--threads {threads}: {e}")))?
        .install(job)
}

fn find(
    sources: Vec<Source>,
    mut model: Model,
    memory: &Memory,
    limits: (usize, usize),
    resume: Option<Resume>,
    watch: &dyn Watch,
) -> Result<Findings> {
    let mut clock = Clock::default();
    let collection = match &resume {
        None => learn_and_sketch(&sources, &mut model, &mut clock, memory, watch)?,
        Some(resume) => match Collection::saved(resume, memory)? {
            (Some((collection, learnt)), _) => {
                model = Model::from_json(&learnt, Path::new(""))?;
                clock.lap("resume");
                collection
            }
            (None, mut journal) => {
                let collection = learn_and_sketch(&sources, &mut model, &mut clock, memory, watch)?;
                collection.save(&mut journal, model.to_json())?;
                collection
            }
        },
    };
    let work = Work {
        sources,
        collection,
        model,
        clock,
        limits,
        old_pages: 0,
        resume,
    };
    work.find(None, watch)
}

/// Finds the copies among pages that were read and sketched before; `model` has learnt. Their texts come from `texts`.
///
/// Errors: those of `texts` and of temporary files, and the run was cancelled.
pub fn among(
    collection: Collection,
    model: Model,
    texts: &dyn Texts,
    resources: &RunConfig,
    watch: &dyn Watch,
) -> Result<Findings> {
    in_pool(resources.threads, || {
        let work = Work {
            sources: Vec::new(),
            collection,
            model,
            clock: Clock::default(),
            limits: (FAMILY, CROWD),
            old_pages: 0,
            resume: None,
        };
        work.find(Some(texts), watch)
    })
}

/// Pages that are sketched, to be compared.
struct Work {
    sources: Vec<Source>,
    collection: Collection,
    model: Model,
    clock: Clock,
    /// [`FAMILY`] and [`CROWD`].
    limits: (usize, usize),
    /// So many pages at the end are old ones.
    old_pages: usize,
    /// Where what is done is kept.
    resume: Option<Resume>,
}

impl Work {
    /// The stages after sketching. Texts of pages that are of no source come from `texts`; the others are read again.
    fn find(self, texts: Option<&dyn Texts>, watch: &dyn Watch) -> Result<Findings> {
        let Work {
            sources,
            mut collection,
            model,
            mut clock,
            limits: (family, crowd),
            old_pages,
            resume,
        } = self;
        let memory = collection.memory().clone();
        memory.suffices(collection.pages.len())?;
        let by_id = collection.pages.by_id();
        let mut preference = preference(&collection, model.config().canonical, &by_id, watch)?;
        let first_old = collection.pages.len() - old_pages;
        let mut is_old = Vec::new();
        if old_pages > 0 {
            is_old = by_id.iter().map(|page| page.at() >= first_old).collect();
            preference = old_first(&preference, &is_old);
        }
        let sketches = std::mem::take(&mut collection.sketches);
        let drafts = std::mem::take(&mut collection.drafts);
        let reread = Reread {
            sources: &sources,
            model: &model,
            collection: &collection,
            others: texts,
        };
        let matching = Matching {
            model: &model,
            collection: &collection,
            by_id: &by_id,
            preference: &preference,
            texts: &reread,
            memory: &memory,
            watch,
            is_old: &is_old,
            resume: resume.as_ref(),
            family,
            crowd,
        };
        let matched = Matched::find(matching, sketches, drafts)?;
        collection.spent += matched.spent;
        collection.pages.recall();
        clock.lap("pairs");
        Ok(Findings {
            model,
            new_sources: sources.len(),
            old_pages,
            sources,
            collection,
            by_id,
            pairs: matched.pairs,
            large_components: matched.large_components,
            clusters: matched.clusters,
            dropped: matched.dropped,
            units: matched.units,
            unit_of: matched.unit_of,
            whole: matched.whole,
            candidates: matched.candidates,
            verified: matched.verified,
            threads: rayon::current_num_threads(),
            times: clock.laps(),
        })
    }
}

/// The sketches of all pages. A model that knows nothing yet learns: words before pages are sketched, noise from the sketches.
fn learn_and_sketch(
    sources: &[Source],
    model: &mut Model,
    clock: &mut Clock,
    memory: &Memory,
    watch: &dyn Watch,
) -> Result<Collection> {
    let read = model.config().read.clone();
    if model.wants_words() {
        *model = model.learn(learn_words(sources, &read, model, watch)?);
        clock.lap("learn words");
    }
    let collection = Collection::read(sources, &read, model, memory, watch)?;
    clock.lap("read and sketch");
    watch.begin("noise", 0);
    if model.knowledge().is_none()
        && let Some(known) = collection.knowledge(model)?
    {
        *model = model.learn(known);
    }
    clock.lap("learn noise");
    Ok(collection)
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
        None => {
            let hold = if sources.len() == 1 {
                "file holds"
            } else {
                "files hold"
            };
            let (files, records) = (sources.len(), collection.read);
            message.push_str(&format!(
                ": {files} {hold} {records} records, none of them a page"
            ));
        }
    }
    Error::Usage(message)
}

#[cfg(test)]
mod against_tests;
#[cfg(test)]
mod family_tests;
#[cfg(test)]
mod sets_tests;
#[cfg(test)]
mod tests;
