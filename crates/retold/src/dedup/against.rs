//! New pages against old ones: what of the new is there already, or twice.

use super::clock::Clock;
use super::{CROWD, FAMILY, Findings, Work, in_pool, nothing_to_read};
use crate::collect::{Collection, learn_words};
use crate::config::RunConfig;
use crate::error::Result;
use crate::ids::PageNo;
use crate::model::Model;
use crate::read::Source;
use crate::spill::Memory;
use crate::texts::Texts;
use crate::watch::Watch;

/// Old pages that are kept somewhere, sketched by the model that judges.
pub trait Old: Texts {
    /// Adds to a collection the old pages that sketches may relate to those in it ([`Collection::push`]). From then on the
    /// texts of these are asked for, by their numbers there.
    fn add_related(&mut self, collection: &mut Collection, watch: &dyn Watch) -> Result<()>;
}

/// Finds what of `new` repeats a page of `old`, or a page of `new` that stays. Verdicts are those of a run over all of them, from
/// which a model that knows nothing yet learns; but pages of `old` stay whatever they repeat, and are not compared with each
/// other.
///
/// Errors: those of [`super::run`].
pub fn against(
    new: Vec<Source>,
    old: Vec<Source>,
    model: Model,
    resources: &RunConfig,
    watch: &dyn Watch,
) -> Result<Findings> {
    let memory = resources.memory()?;
    in_pool(resources.threads, || {
        let memory = (&memory, resources.allow_empty);
        find([new, old], model, memory, (FAMILY, CROWD), watch)
    })
}

pub(super) fn find(
    [new, old]: [Vec<Source>; 2],
    mut model: Model,
    (memory, allow_empty): (&Memory, bool),
    limits: (usize, usize),
    watch: &dyn Watch,
) -> Result<Findings> {
    let mut clock = Clock::default();
    let read = model.config().read.clone();
    let new_sources = new.len();
    let sources = [&new[..], &old[..]].concat();
    if model.wants_words() {
        model = model.learn(learn_words(&sources, &read, &model, watch)?);
        clock.lap("learn words");
    }
    let read = |sources: &[Source], may_be_empty: bool| {
        let collection = Collection::read(sources, &read, &model, memory, watch)?;
        match collection.pages.is_empty() && !may_be_empty {
            true => Err(nothing_to_read(sources, &collection)),
            false => Ok(collection),
        }
    };
    let (mut collection, others) = (read(&new, allow_empty)?, read(&old, false)?);
    if !others.rejects.is_empty() {
        let count = others.rejects.len();
        watch.warn(&format!(
            "{count} records of the old pages could not be read"
        ));
    }
    let first = collection.pages.len();
    let old_pages = others.pages.len();
    collection.append(others, new_sources as u32)?;
    collection.settle_from(PageNo::new(first))?;
    clock.lap("read and sketch");
    if model.knowledge().is_none()
        && let Some(known) = collection.knowledge(&model)?
    {
        model = model.learn(known);
    }
    clock.lap("learn noise");
    let work = Work {
        sources,
        collection,
        model,
        clock,
        limits,
        old_pages,
        resume: None,
    };
    let findings = work.find(None, watch)?;
    Ok(Findings {
        new_sources,
        ..findings
    })
}

/// The same where the old pages are kept and `model` has judged them. Memory: that of a run over the new pages and the old ones
/// that they may be related to.
pub fn against_index(
    new: Vec<Source>,
    old: &mut (dyn Old + Send),
    model: Model,
    resources: &RunConfig,
    watch: &dyn Watch,
) -> Result<Findings> {
    let memory = resources.memory()?;
    in_pool(resources.threads, || {
        let mut clock = Clock::default();
        let mut collection = Collection::read(&new, &model.config().read, &model, &memory, watch)?;
        if collection.pages.is_empty() && !resources.allow_empty {
            return Err(nothing_to_read(&new, &collection));
        }
        let first = collection.pages.len();
        old.add_related(&mut collection, watch)?;
        collection.settle_from(PageNo::new(first))?;
        clock.lap("read and sketch");
        let work = Work {
            old_pages: collection.pages.len() - first,
            sources: new,
            collection,
            model,
            clock,
            limits: (FAMILY, CROWD),
            resume: None,
        };
        work.find(Some(old), watch)
    })
}
