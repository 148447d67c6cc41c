//! The public interface of the main job.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::context::{Context, Limits, field_of_no_page, old_first, preference};
use super::findings::Findings;
use super::pool::in_pool;
use super::relate::{Related, relate};
use super::versions::{find_versions, with_superseded};
use crate::collect::{Collection, learn_noise, learn_words, read_all};
use crate::config::{AgainstSelf, JudgeConfig, RunConfig};
use crate::error::{Error, Result};
use crate::ids::PageNo;
use crate::model::Model;
use crate::near::close_to;
use crate::page::Page;
use crate::read::Source;
use crate::resume::Resume;
use crate::spill::Memory;
use crate::stage::{Stage, StageClock};
use crate::verify::{Reread, TextSource};
use crate::watch::Watch;

/// Finds the copies among pages in memory.
///
/// Errors: an invalid configuration ([`Model::new`]), no page at all.
pub fn dedup(pages: impl IntoIterator<Item = Page>, config: &JudgeConfig) -> Result<Findings> {
    Dedup::new(Model::new(config.clone())?).run(vec![Source::of_pages("pages", pages)])
}

/// Old pages in a store, sketched by the same model.
pub trait StoredPages: TextSource {
    /// Adds to a collection the old pages that sketches may relate to its pages ([`Collection::push`]). Afterwards their texts are
    /// requested by their numbers in it.
    fn add_related(&mut self, collection: &mut Collection, watch: &dyn Watch) -> Result<()>;

    /// Some of the old pages, given by ascending numbers in the collection, are removed from it; later ones move up.
    fn leave_out(&mut self, pages: &[PageNo]);
}

enum Against<'a> {
    Nothing,
    Sources(Vec<Source>),
    Stored(&'a mut (dyn StoredPages + Send)),
}

/// The main job: finds the copies among pages; writes nothing. The result does not depend on [resources](Dedup::resources), nor on the
/// order of the sources if their ids differ.
///
/// ```
/// use retold::{JudgeConfig, Dedup, Model, Page};
/// use retold::read::Source;
///
/// let story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. \
///              The captain said that it was the last boat of the day.";
/// let old = vec![Source::of_pages("yesterday", [Page::text("original", story)])];
/// let new = vec![Source::of_pages("today", [Page::text("reprint", format!("{story} More news tomorrow."))])];
/// let findings = Dedup::new(Model::new(JudgeConfig::default())?).against(old).run(new)?;
/// assert_eq!(&*findings.id(findings.dropped[0].page), "reprint");
/// # Ok::<(), retold::Error>(())
/// ```
pub struct Dedup<'a> {
    model: Model,
    against: Against<'a>,
    resources: RunConfig,
    watch: &'a dyn Watch,
    limits: Limits,
}

/// Components up to this size have all pairs listed, if all are requested.
const ALL_PAIRS: usize = 1000;

impl<'a> Dedup<'a> {
    /// A job with this model. A model without knowledge learns from the pages; otherwise it judges by what it has learnt.
    pub fn new(model: Model) -> Dedup<'a> {
        Dedup {
            model,
            against: Against::Nothing,
            resources: RunConfig::default(),
            watch: &(),
            limits: Limits::default(),
        }
    }

    /// Also compares the pages with those of `old`, and drops pages that repeat one. Verdicts are those of a run over all pages, but old
    /// pages are always kept and not compared with each other.
    pub fn against(mut self, old: Vec<Source>) -> Self {
        self.against = Against::Sources(old);
        self
    }

    /// As [`Dedup::against`], with old pages in a store that the model has judged. Memory: that of a run over the new pages and the old
    /// ones that they may be related to.
    pub fn against_stored(mut self, old: &'a mut (dyn StoredPages + Send)) -> Self {
        self.against = Against::Stored(old);
        self
    }

    /// Sets the resources; by default one thread per core, and no temporary files.
    pub fn resources(mut self, resources: &RunConfig) -> Self {
        self.resources = resources.clone();
        if resources.all_pairs {
            self.limits.component = ALL_PAIRS;
        }
        self
    }

    /// Sets who receives progress and may cancel the run.
    pub fn watch(mut self, watch: &'a dyn Watch) -> Self {
        self.watch = watch;
        self
    }

    /// Sets the sizes above which not all pairs are compared.
    #[doc(hidden)]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Finds the copies in `sources`.
    ///
    /// Errors: no page in all sources, an input that changed while it was read, and the job was cancelled.
    pub fn run(self, sources: Vec<Source>) -> Result<Findings> {
        let memory = self.resources.memory()?;
        self.run_within(sources, &memory)
    }

    /// As [`Dedup::run`], with this memory whatever the resources say.
    pub(crate) fn run_within(self, sources: Vec<Source>, memory: &Memory) -> Result<Findings> {
        in_pool(self.resources.threads, || {
            let mut clock = StageClock::default();
            self.read(sources, memory, &mut clock)?.find(clock)
        })
    }

    /// Finds the copies among pages that were sketched before by a model that has learnt. Their texts come from `texts`.
    ///
    /// Errors: those of `texts` and of temporary files, and the job was cancelled.
    pub fn run_sketched(self, collection: Collection, texts: &dyn TextSource) -> Result<Findings> {
        in_pool(self.resources.threads, || {
            let job = Sketched {
                sources: Vec::new(),
                new_sources: 0,
                collection,
                model: self.model,
                watch: self.watch,
                limits: self.limits,
                old_pages: 0,
                own_pages: 0,
                resume: None,
                texts: Some(texts),
            };
            job.find(StageClock::default())
        })
    }

    /// Runs the stages up to sketches.
    fn read(
        self,
        sources: Vec<Source>,
        memory: &Memory,
        clock: &mut StageClock,
    ) -> Result<Sketched<'a>> {
        let Dedup {
            mut model,
            against,
            resources,
            watch,
            limits,
        } = self;
        model = model.reading_within(resources.memory);
        let (mut resume, new_sources) = (None, sources.len());
        let mut texts: Option<&dyn TextSource> = None;
        let (may_be_empty, rule) = (resources.allow_empty, resources.against_self);
        let (mut all, mut old_pages, mut own_pages) = (sources, 0, 0);
        let collection = match against {
            Against::Nothing => {
                if let Some(folder) = &resources.resume {
                    clock.begin(Stage::HashInputs);
                    let chunk = limits.journal_chunk;
                    resume = Some(Resume::open(folder, &all, &model.to_json(), chunk, watch)?);
                }
                let from = resume.as_ref();
                let collection =
                    collect_or_resume(&all, &mut model, memory, from, may_be_empty, watch, clock)?;
                // The model of an interrupted run does not know the memory of this one.
                model = model.reading_within(resources.memory);
                collection
            }
            Against::Sources(old) => {
                all.extend(old);
                let both = all.split_at(new_sources).into();
                let collected =
                    collect_both(both, &mut model, rule, may_be_empty, memory, watch, clock)?;
                [old_pages, own_pages] = collected.1;
                collected.0
            }
            Against::Stored(old) => {
                clock.begin(Stage::Read);
                let mut collection = read_new(&all, &model, may_be_empty, memory, watch)?;
                [old_pages, own_pages] = add_stored(old, &mut collection, rule, watch)?;
                texts = Some(&*old);
                collection
            }
        };
        Ok(Sketched {
            sources: all,
            new_sources,
            collection,
            model,
            watch,
            limits,
            old_pages,
            own_pages,
            resume,
            texts,
        })
    }
}

/// The note that an interrupted run leaves beside its collection.
#[derive(Serialize, Deserialize)]
struct Note {
    /// The model with its knowledge, as JSON.
    model: String,
    /// For each source, whether its records have headers ([`Source::may_have_companions`]).
    heads: Vec<Option<bool>>,
}

/// Reads, sketches and learns, unless an interrupted run has done so.
fn collect_or_resume(
    sources: &[Source],
    model: &mut Model,
    memory: &Memory,
    resume: Option<&Resume>,
    may_be_empty: bool,
    watch: &dyn Watch,
    clock: &mut StageClock,
) -> Result<Collection> {
    let Some(resume) = resume else {
        return collect(sources, model, may_be_empty, memory, watch, clock);
    };
    match Collection::saved(resume, memory)? {
        (Some((mut collection, note)), _) => {
            let unreadable = |e| Error::usage(format!("what an interrupted run learnt: {e}"));
            let note: Note = serde_json::from_str(&note).map_err(unreadable)?;
            *model = Model::from_json(&note.model, Path::new(""))?;
            for (source, heads) in sources.iter().zip(note.heads) {
                if let Some(heads) = heads {
                    source.facts.heads.get_or_init(|| heads);
                }
            }
            find_versions(&mut collection, model, 0, watch)?;
            Ok(collection)
        }
        (None, mut journal) => {
            let collection = collect(sources, model, may_be_empty, memory, watch, clock)?;
            let heads = sources
                .iter()
                .map(|source| source.facts.heads.get().copied());
            let note = Note {
                model: model.to_json(),
                heads: heads.collect(),
            };
            let note = serde_json::to_string(&note).expect("plain values can be written");
            collection.save(&mut journal, note)?;
            Ok(collection)
        }
    }
}

/// Reads and sketches. A model without knowledge learns words from all pages, and noise from those without a newer version.
fn collect(
    sources: &[Source],
    model: &mut Model,
    may_be_empty: bool,
    memory: &Memory,
    watch: &dyn Watch,
    clock: &mut StageClock,
) -> Result<Collection> {
    if model.wants_words() {
        clock.begin(Stage::CountWords);
        *model = model.with_knowledge(learn_words(sources, model, watch)?);
    }
    clock.begin(Stage::Read);
    let mut collection = read_new(sources, model, may_be_empty, memory, watch)?;
    find_versions(&mut collection, model, 0, watch)?;
    learn_noise(&collection, model, watch, clock)?;
    Ok(collection)
}

/// Reads and sketches new pages.
///
/// Errors: those of `read_all`; the model prefers pages by a field that no page has.
fn read_new(
    sources: &[Source],
    model: &Model,
    may_be_empty: bool,
    memory: &Memory,
    watch: &dyn Watch,
) -> Result<Collection> {
    let collection = read_all(sources, model, may_be_empty, memory, watch)?;
    if let Some((rule, name)) = field_of_no_page(&collection, &model.config().canonical) {
        let names = sources
            .iter()
            .map(|source| source.names(&model.config().read));
        let names = names.flatten().collect::<BTreeSet<String>>();
        let close = close_to(name, names.iter().map(String::as_str));
        let close = match close.first() {
            Some(close) => format!("; did you mean `{close}`?"),
            None => String::new(),
        };
        return Err(Error::usage(format!(
            "--canonical {rule}: no page has a number or date in `{name}`{close}"
        )));
    }
    Ok(collection)
}

/// Reads and sketches new and old sources; a model without knowledge learns from both. Also returns the number of old pages, which come
/// last, and how many of them are new pages as well.
fn collect_both(
    [new, old]: [&[Source]; 2],
    model: &mut Model,
    against_self: AgainstSelf,
    may_be_empty: bool,
    memory: &Memory,
    watch: &dyn Watch,
    clock: &mut StageClock,
) -> Result<(Collection, [usize; 2])> {
    if model.wants_words() {
        clock.begin(Stage::CountWords);
        *model = model.with_knowledge(learn_words(&[new, old].concat(), model, watch)?);
    }
    clock.begin(Stage::Read);
    let mut collection = read_new(new, model, may_be_empty, memory, watch)?;
    let others = read_all(old, model, false, memory, watch)?;
    if !others.rejects.is_empty() {
        let count = others.rejects.len();
        watch.warn(&format!(
            "{count} records of the old pages could not be read"
        ));
    }
    let first = collection.pages.len();
    collection.append(others, new.len() as u32)?;
    let own = own_pages_among(&mut collection, first, against_self)?;
    collection.settle_from(PageNo::new(first))?;
    let old_pages = collection.pages.len() - first;
    find_versions(&mut collection, model, old_pages, watch)?;
    learn_noise(&collection, model, watch, clock)?;
    Ok((collection, [old_pages, own.len()]))
}

/// Adds old pages from a store; returns their number, and how many of them are new pages as well.
fn add_stored(
    old: &mut dyn StoredPages,
    collection: &mut Collection,
    rule: AgainstSelf,
    watch: &dyn Watch,
) -> Result<[usize; 2]> {
    let first = collection.pages.len();
    old.add_related(collection, watch)?;
    let own = own_pages_among(collection, first, rule)?;
    if rule == AgainstSelf::Skip {
        old.leave_out(&own);
    }
    collection.settle_from(PageNo::new(first))?;
    Ok([collection.pages.len() - first, own.len()])
}

/// The old pages, from `first` on, with the id and text of a new one; they are removed if they are to be skipped.
///
/// Errors: there are such pages and none are allowed; a temporary file cannot be written.
fn own_pages_among(
    collection: &mut Collection,
    first: usize,
    rule: AgainstSelf,
) -> Result<Vec<PageNo>> {
    let own = collection.pages.repeated_from(PageNo::new(first));
    match (rule, own.first()) {
        (AgainstSelf::Skip, Some(_)) => collection.pages.take_out(&own)?,
        (AgainstSelf::Error, Some(&page)) => {
            return Err(Error::Usage(format!(
                "the page {} is among the old pages too, with the same text, and so are {} of {first} pages: compare with old pages \
                 only, or use --against-self skip to leave these out of them",
                collection.id(page),
                own.len(),
            )));
        }
        _ => {}
    }
    Ok(own)
}

/// Sketched pages, ready to be compared.
struct Sketched<'a> {
    sources: Vec<Source>,
    new_sources: usize,
    collection: Collection,
    model: Model,
    watch: &'a dyn Watch,
    limits: Limits,
    old_pages: usize,
    /// The number of new pages that are also old ones.
    own_pages: usize,
    /// The journals of the run.
    resume: Option<Resume>,
    /// The texts of pages that belong to no source.
    texts: Option<&'a dyn TextSource>,
}

/// For each page, by rank, its place in the order of preference, and whether it is old; the second is empty if there are no old pages.
fn order(
    collection: &Collection,
    model: &Model,
    old_pages: usize,
    by_id: &[PageNo],
    watch: &dyn Watch,
) -> Result<(Vec<u32>, Vec<bool>)> {
    let preference = preference(collection, &model.config().canonical, by_id, watch)?;
    if old_pages == 0 {
        return Ok((preference, Vec::new()));
    }
    let first_old = collection.pages.len() - old_pages;
    let is_old = by_id.iter().map(|page| page.at() >= first_old);
    let is_old: Vec<bool> = is_old.collect();
    Ok((old_first(&preference, &is_old), is_old))
}

impl Sketched<'_> {
    /// Runs the stages after sketching. The texts of pages that belong to a source are read again.
    fn find(mut self, mut clock: StageClock) -> Result<Findings> {
        let pages = &self.collection.pages;
        self.collection.memory().suffices(pages.len())?;
        let by_id = pages.by_id();
        let related = self.relate(&by_id, &mut clock)?;
        let Sketched {
            sources,
            new_sources,
            mut collection,
            model,
            old_pages,
            own_pages,
            ..
        } = self;
        collection.spent += related.spent;
        collection.pages.recall();
        Ok(Findings {
            dropped: with_superseded(related.listed.dropped, &by_id, &collection),
            model,
            new_sources,
            old_pages,
            own_pages,
            sources,
            collection,
            by_id,
            pairs: related.listed.pairs,
            large_components: related.listed.large,
            overlaps_not_listed: related.listed.overlaps_not_listed,
            clusters: related.listed.clusters,
            classes: related.listed.classes,
            pruned: related.pruned,
            pruned_of: related.pruned_of,
            unpruned: related.unpruned,
            candidates: related.candidates,
            partly_compared: related.partly_compared,
            verified: related.verified,
            threads: rayon::current_num_threads(),
            times: clock.finish(),
        })
    }

    /// Relates the pages, given in the order of ids.
    fn relate(&mut self, by_id: &[PageNo], clock: &mut StageClock) -> Result<Related> {
        let (collection, old_pages) = (&self.collection, self.old_pages);
        let (preference, is_old) = order(collection, &self.model, old_pages, by_id, self.watch)?;
        let sketches = std::mem::take(&mut self.collection.sketches);
        let partial = std::mem::take(&mut self.collection.partial);
        let (collection, model) = (&self.collection, &self.model);
        let reread = Reread {
            sources: &self.sources,
            model,
            collection,
            others: self.texts,
        };
        let context = Context {
            model,
            collection,
            by_id,
            preference: &preference,
            memory: collection.memory(),
            watch: self.watch,
            is_old: &is_old,
            resume: self.resume.as_ref(),
            limits: self.limits,
        };
        relate(&context, sketches, partial, &reread, clock)
    }
}
