//! Texts read once, and one method run over them with one set of parameters after another: what `tune` and `compare`
//! stand on.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use rayon::prelude::*;

use crate::cluster::Pair;
use crate::collect::Collection;
use crate::error::{Error, Result};
use crate::method::{Method, MethodInfo, Params, Sketch};
use crate::pipeline::{Canonical, Clock, Lap, Matching, order_of, preference};
use crate::text::Text;
use crate::watch::Watch;

/// Some pages of a collection, with sketches that can be used again.
pub(crate) struct Bench<'a> {
    info: &'static MethodInfo,
    collection: &'a Collection,
    texts: &'a [Text],
    pages: &'a [u32],
    sketches: VecDeque<(String, Rc<Vec<Sketch>>)>,
    laps: Vec<Lap>,
}

/// What a method finds with one set of parameters.
pub(crate) struct Found {
    /// The related pages, by their places in the collection; the id of `a` comes before that of `b`.
    pub(crate) pairs: Vec<Pair>,
    /// Pairs of sketches that were looked at.
    pub(crate) candidates: u64,
}

/// Sketches are kept for sets of parameters that agree in all that sketches depend on: so many numbers (256 MiB).
const KEPT: usize = 32 << 20;

impl<'a> Bench<'a> {
    /// For the pages at these places, ascending, of a collection; `texts` has the texts of all its pages.
    pub(crate) fn new(
        info: &'static MethodInfo,
        (collection, texts): (&'a Collection, &'a [Text]),
        pages: &'a [u32],
    ) -> Bench<'a> {
        Bench {
            info,
            collection,
            texts,
            pages,
            sketches: VecDeque::new(),
            laps: Vec::new(),
        }
    }

    /// The related pages, as a run of the pipeline over the same pages finds them.
    pub(crate) fn pairs(&mut self, params: &Params, watch: &dyn Watch) -> Result<Found> {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let method = (self.info.build)(params);
        let sketches = self.sketches(&*method, params);
        let mut part = self.collection.with_sketches(self.pages, &sketches);
        let by_id = order_of(&part.pages, |a, b| a.id.cmp(&b.id));
        let preference = preference(&part, Canonical::default(), &by_id, watch);
        let matching = Matching {
            prunes: self.info.prunes,
            method: &*method,
            params,
            exact: true,
            by_id: &by_id,
            preference: &preference,
        };
        let found = matching.pairs(&mut part, &mut Clock::default(), &Unseen(watch))?;
        let page = |rank: u32| self.pages[by_id[rank as usize] as usize];
        let placed = |pair: Pair| Pair {
            a: page(pair.a),
            b: page(pair.b),
            ..pair
        };
        Ok(Found {
            pairs: found.pairs.into_iter().map(placed).collect(),
            candidates: found.candidates,
        })
    }

    /// How many times texts were sketched, rather than sketches taken from an earlier trial.
    pub(crate) fn sketched(&self) -> usize {
        self.laps.len()
    }

    /// How long the sketches took the first time: elapsed, and on all cores, where the system tells.
    pub(crate) fn sketch_time(&self) -> (Duration, Option<Duration>) {
        let first = self.laps.first();
        first.map_or_else(Default::default, |lap| (lap.wall, lap.cpu))
    }

    fn sketches(&mut self, method: &dyn Method, params: &Params) -> Rc<Vec<Sketch>> {
        let own = |name: &str| {
            self.info.params.iter().any(|param| param.name == name)
                && !method.judged_by().contains(&name)
        };
        let name = params.written(own);
        if let Some((_, known)) = self.sketches.iter().find(|(known, _)| *known == name) {
            return Rc::clone(known);
        }
        let texts = self.texts;
        let mut clock = Clock::default();
        let made = self.pages.par_iter();
        let made = made.map(|&page| method.sketch(&texts[page as usize]));
        let made: Rc<Vec<Sketch>> = Rc::new(made.collect());
        clock.lap("sketch");
        self.laps.extend(clock.laps());
        self.sketches.push_back((name, Rc::clone(&made)));
        let size = |sketch: &Sketch| sketch.keys.len() + sketch.marks.len() + sketch.evidence.len();
        let all = self.sketches.iter().flat_map(|(_, made)| made.iter());
        if all.map(size).sum::<usize>() > KEPT {
            self.sketches.pop_front();
        }
        made
    }
}

/// Hides the stages of a trial, and lets it be stopped.
pub(crate) struct Unseen<'a>(pub(crate) &'a dyn Watch);

impl Watch for Unseen<'_> {
    fn warn(&self, message: &str) {
        self.0.warn(message);
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
