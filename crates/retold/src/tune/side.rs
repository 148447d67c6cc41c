//! Sets of parameters tried on one side of the split.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use rayon::prelude::*;

use super::split::Labels;
use crate::collect::Collection;
use crate::error::{Error, Result};
use crate::eval::{Label, Score, Unlisted};
use crate::method::{Frequencies, Method, MethodInfo, Params, Sketch};
use crate::pipeline::{Clock, Matching, order_of};
use crate::text::Text;
use crate::watch::Watch;

/// What sets of parameters are tried on.
pub(super) struct Bench<'a> {
    pub(super) info: &'static MethodInfo,
    pub(super) collection: &'a Collection,
    pub(super) texts: &'a [Text],
    pub(super) labels: &'a Labels,
    pub(super) unlisted: Unlisted,
}

/// One side of the split, with sketches that can be used again.
pub(super) struct Side<'a> {
    bench: &'a Bench<'a>,
    pages: &'a [u32],
    truths: usize,
    sketches: VecDeque<(String, Rc<Vec<Sketch>>)>,
    pub(super) sketched: usize,
}

/// Sketches are kept for sets of parameters that agree in all that sketches depend on: so many numbers (256 MiB).
const KEPT: usize = 32 << 20;

impl<'a> Side<'a> {
    pub(super) fn new(bench: &'a Bench<'a>, pages: &'a [u32]) -> Side<'a> {
        let here = |page: &u32| pages.binary_search(page).is_ok();
        let labels = bench.labels.iter();
        let truths = labels.filter(|((a, b), label)| label.is_true() && here(a) && here(b));
        Side {
            truths: truths.count(),
            bench,
            pages,
            sketches: VecDeque::new(),
            sketched: 0,
        }
    }

    /// The score of the pairs of any relation that the method finds among the pages of this side.
    pub(super) fn score(&mut self, params: &Params, watch: &dyn Watch) -> Result<Score> {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let mut method = (self.bench.info.build)(params);
        self.fit(&mut *method);
        let sketches = self.sketches(&*method, params);
        let mut part = self.bench.collection.with_sketches(self.pages, &sketches);
        let by_id = order_of(&part.pages, |a, b| a.id.cmp(&b.id));
        let preference: Vec<u32> = (0..by_id.len() as u32).collect();
        let matching = Matching {
            prunes: self.bench.info.prunes,
            method: &*method,
            params,
            exact: true,
            by_id: &by_id,
            preference: &preference,
        };
        let pairs = matching
            .pairs(&mut part, &mut Clock::default(), &Unseen(watch))?
            .pairs;
        let page = |rank: u32| self.pages[by_id[rank as usize] as usize];
        let pairs = pairs.iter().map(|pair| (page(pair.a), page(pair.b), pair));
        let pairs: Vec<(u32, u32, f64)> = pairs
            .map(|(a, b, pair)| (a.min(b), a.max(b), f64::from(pair.similarity)))
            .collect();
        Ok(self.count(&self.verified(&*method, pairs)))
    }

    /// The pairs that are left when those of which the method is in doubt have been checked on their texts.
    fn verified(&self, method: &dyn Method, pairs: Vec<(u32, u32, f64)>) -> Vec<(u32, u32)> {
        let texts = self.bench.texts;
        let copies = |a: u32, b: u32| {
            let text = |page: u32| self.bench.collection.pages[page as usize].text;
            text(a) == text(b)
        };
        let in_doubt =
            |&(a, b, similarity): &(u32, u32, f64)| method.in_doubt(similarity) && !copies(a, b);
        let doubtful = pairs.iter().filter(|pair| in_doubt(pair));
        let mut pages: Vec<u32> = doubtful.flat_map(|&(a, b, _)| [a, b]).collect();
        pages.par_sort_unstable();
        pages.dedup();
        let prove = |&page: &u32| (page, method.proof(&texts[page as usize]));
        let proofs: HashMap<u32, Vec<u64>> = pages.par_iter().map(prove).collect();
        let holds = |pair: &(u32, u32, f64)| {
            !in_doubt(pair) || method.verify(&proofs[&pair.0], &proofs[&pair.1]).is_some()
        };
        let pairs = pairs.into_par_iter().filter(holds);
        pairs.map(|(a, b, _)| (a, b)).collect()
    }

    /// The score of pairs, the smaller page first.
    fn count(&self, pairs: &[(u32, u32)]) -> Score {
        let (mut tp, mut fp) = (0, 0);
        for pair in pairs {
            match self.bench.labels.get(pair) {
                Some(label) if label.is_true() => tp += 1,
                Some(Label::Distinct) => fp += 1,
                None if self.bench.unlisted == Unlisted::Distinct => fp += 1,
                _ => {}
            }
        }
        Score::of(tp, fp, self.truths as u64 - tp)
    }

    /// What a method has to know of the pages, it learns from those of this side.
    fn fit(&self, method: &mut dyn Method) {
        if self.bench.info.fits {
            let pages = self.pages.par_iter();
            let counted = pages.map(|&page| method.counted(&self.bench.texts[page as usize]));
            let frequencies = Frequencies::of(counted.collect::<Vec<_>>());
            method.fit(Arc::new(frequencies));
        }
    }

    fn sketches(&mut self, method: &dyn Method, params: &Params) -> Rc<Vec<Sketch>> {
        let own = |name: &str| {
            self.bench
                .info
                .params
                .iter()
                .any(|param| param.name == name)
                && !method.judged_by().contains(&name)
        };
        let name = written(params, own);
        if let Some((_, known)) = self.sketches.iter().find(|(known, _)| *known == name) {
            return Rc::clone(known);
        }
        let texts = self.bench.texts;
        let made = self
            .pages
            .par_iter()
            .map(|&page| method.sketch(&texts[page as usize]));
        let made = Rc::new(made.collect());
        self.sketched += 1;
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
struct Unseen<'a>(&'a dyn Watch);

impl Watch for Unseen<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// The parameters that are wanted, in one line.
pub(super) fn written(params: &Params, wanted: impl Fn(&str) -> bool) -> String {
    let values = params.iter().filter(|(name, _)| wanted(name));
    values
        .map(|(name, value)| format!("{name}={value};"))
        .collect()
}
