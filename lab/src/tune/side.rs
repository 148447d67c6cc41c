//! Scores sets of parameters on one side of the split.

use retold::eval::{Label, Score, Unlisted};
use retold::method::{Params, Text};
use retold::{Collection, JudgeConfig, PageNo, Relation, Result, Watch};

use super::split::Labels;
use crate::bench::Bench;

pub(super) struct Task<'a> {
    pub(super) base: &'a JudgeConfig,
    pub(super) collection: &'a Collection,
    pub(super) texts: &'a [Text],
    pub(super) labels: &'a Labels,
    pub(super) unlisted: Unlisted,
}

pub(super) struct Side<'a> {
    task: &'a Task<'a>,
    pub(super) bench: Bench<'a>,
    truths: usize,
}

impl<'a> Side<'a> {
    pub(super) fn new(task: &'a Task<'a>, pages: &'a [PageNo]) -> Side<'a> {
        let here = |page: &PageNo| pages.binary_search(page).is_ok();
        let labels = task.labels.iter();
        let truths = labels.filter(|((a, b), label)| label.is_true() && here(a) && here(b));
        Side {
            truths: truths.count(),
            task,
            bench: Bench::new(task.base, task.collection, task.texts, pages),
        }
    }

    /// The score of pairs of any relation that the method finds among the pages of this side.
    pub(super) fn score(&mut self, params: &Params, watch: &dyn Watch) -> Result<Score> {
        let pairs = self.bench.pairs(params, watch)?.pairs;
        let (mut tp, mut fp) = (0, 0);
        for pair in &pairs {
            let (a, b) = (pair.a, pair.b);
            match self.task.labels.get(&(a.min(b), a.max(b))) {
                Some(label) if label.is_true() => tp += 1,
                _ if pair.relation == Relation::Overlaps => {}
                Some(Label::Distinct) => fp += 1,
                None if self.task.unlisted == Unlisted::Distinct => fp += 1,
                _ => {}
            }
        }
        Ok(Score::of(tp, fp, self.truths as u64 - tp))
    }
}
