//! Texts read once, and one method run over them with one set of parameters after another: what `tune` and `compare`
//! stand on.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::cluster::Pair;
use crate::collect::Collection;
use crate::error::{Error, Result};
use crate::method::{Frequencies, Method, MethodInfo, Params, Sketch};
use crate::pipeline::{Canonical, Clock, Lap, Matching, order_of, preference};
use crate::text::Text;
use crate::watch::Watch;

/// Some pages of a collection, with sketches that can be used again.
pub(crate) struct Bench<'a> {
    info: &'static MethodInfo,
    collection: &'a Collection,
    texts: &'a [Text],
    pages: &'a [u32],
    made: VecDeque<Made>,
    laps: Vec<Lap>,
}

/// What is made of the texts with parameters of which only some matter for it.
struct Made {
    /// Those parameters.
    of: String,
    /// The document frequencies, if the method wants some.
    frequencies: Option<Arc<Frequencies>>,
    sketches: Rc<Vec<Sketch>>,
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
            made: VecDeque::new(),
            laps: Vec::new(),
        }
    }

    /// The related pages, as a run of the pipeline over the same pages finds them.
    pub(crate) fn pairs(&mut self, params: &Params, watch: &dyn Watch) -> Result<Found> {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let mut method = (self.info.build)(params);
        let sketches = self.sketches(&mut *method, params);
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
        let pairs = found.pairs.into_iter().map(placed).collect();
        Ok(Found {
            pairs: self.verified(&*method, pairs),
            candidates: found.candidates,
        })
    }

    /// The pairs after those of which the method is in doubt were checked on the texts; see [`crate::verify`], which
    /// does the same with texts that are read again.
    fn verified(&self, method: &dyn Method, pairs: Vec<Pair>) -> Vec<Pair> {
        let text = |page: u32| self.collection.pages[page as usize].text;
        let doubtful = |pair: &Pair| {
            text(pair.a) != text(pair.b) && method.in_doubt(f64::from(pair.similarity))
        };
        let wanted = pairs.iter().filter(|pair| doubtful(pair));
        let mut wanted: Vec<u32> = wanted.flat_map(|pair| [pair.a, pair.b]).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let proofs = wanted.par_iter();
        let proofs: Vec<Vec<u64>> = proofs
            .map(|&page| method.proof(&self.texts[page as usize]))
            .collect();
        let proof = |page: u32| wanted.binary_search(&page).ok().map(|at| &*proofs[at]);
        let checked = |pair: Pair| {
            if !doubtful(&pair) {
                return Some(pair);
            }
            let verdict = method.verify(proof(pair.a)?, proof(pair.b)?)?;
            Some(Pair {
                relation: verdict.relation,
                similarity: verdict.similarity as f32,
                length_ratio: verdict.length_ratio as f32,
                shared: verdict.shared,
                ..pair
            })
        };
        pairs.into_par_iter().filter_map(checked).collect()
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

    /// The sketches of the pages, and `method` told what it has to know of them.
    fn sketches(&mut self, method: &mut dyn Method, params: &Params) -> Rc<Vec<Sketch>> {
        let own = |name: &str| {
            self.info.params.iter().any(|param| param.name == name)
                && !method.judged_by().contains(&name)
        };
        let of = params.written(own);
        if let Some(made) = self.made.iter().find(|made| made.of == of) {
            made.frequencies
                .iter()
                .for_each(|known| method.fit(Arc::clone(known)));
            return Rc::clone(&made.sketches);
        }
        let mut clock = Clock::default();
        let frequencies = self.info.fits.then(|| self.frequencies(method));
        frequencies
            .iter()
            .for_each(|known| method.fit(Arc::clone(known)));
        let (method, texts) = (&*method, self.texts);
        let sketches = self.pages.par_iter();
        let sketches = sketches.map(|&page| method.sketch(&texts[page as usize]));
        let sketches: Rc<Vec<Sketch>> = Rc::new(sketches.collect());
        clock.lap("sketch");
        self.laps.extend(clock.laps());
        self.made.push_back(Made {
            of,
            frequencies,
            sketches: Rc::clone(&sketches),
        });
        let size = |sketch: &Sketch| sketch.keys.len() + sketch.marks.len() + sketch.evidence.len();
        let all = self.made.iter().flat_map(|made| made.sketches.iter());
        if all.map(size).sum::<usize>() > KEPT {
            self.made.pop_front();
        }
        sketches
    }

    /// The document frequencies that the method asks for; equal texts count once.
    fn frequencies(&self, method: &dyn Method) -> Arc<Frequencies> {
        let mut seen = FxHashSet::default();
        let text = |page: u32| self.collection.pages[page as usize].text;
        let different = self.pages.iter().copied();
        let different = different.filter(|&page| text(page).is_some_and(|text| seen.insert(text)));
        let counted = different.collect::<Vec<u32>>().into_par_iter();
        let counted = counted.map(|page| method.counted(&self.texts[page as usize]));
        Arc::new(Frequencies::of(counted.collect::<Vec<_>>()))
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
