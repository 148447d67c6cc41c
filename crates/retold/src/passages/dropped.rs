//! Pages that are dropped for a kept page.

use std::ops::Range;

use super::measure::Measure;
use super::pages::{PageWords, TextPages};
use super::seeds::{Runs, Seed, is_monotonous, short};
use super::shared::{Shared, Texts};
use crate::compare::{Word, anchors};

/// The length of the runs with which a page is aligned with the page that it repeats, and how often that page may have them.
const RUN: usize = 6;
const OFTEN: usize = 4;

/// The passages of two texts, one of which repeats the other.
pub(super) fn repeated(texts: Texts<'_>) -> Vec<Shared> {
    texts.passages_of(&anchors(texts.here, texts.there, RUN, OFTEN))
}

/// The runs of words that a page repeats from the page for which it is dropped, ascending, none inside another.
pub(super) struct RepeatedRuns(Vec<Range<usize>>);

impl RepeatedRuns {
    /// `None` if the page is not dropped.
    pub(super) fn of(
        page: u32,
        words: &[Word],
        pages: &TextPages,
        all: &PageWords,
    ) -> Option<RepeatedRuns> {
        let other = all.of(pages.pages[page as usize].dropped_for?);
        let mut repeated: Vec<Range<usize>> = anchors(&other, words, RUN, OFTEN)
            .iter()
            .map(|run| run.there..run.there + run.words)
            .collect();
        repeated.sort_unstable_by_key(|run| (run.start, run.end));
        let mut longest: Vec<Range<usize>> = Vec::new();
        for run in repeated {
            // No run lies inside another if their ends are in the order of their starts.
            if longest.last().is_none_or(|last| last.end < run.end) {
                longest.push(run);
            }
        }
        Some(RepeatedRuns(longest))
    }

    /// Whether these words are in one of the runs.
    pub(super) fn have(&self, words: &Range<usize>) -> bool {
        let before = self.0.partition_point(|run| run.start <= words.start);
        let last = before.checked_sub(1).map(|at| &self.0[at]);
        last.is_some_and(|run| words.end <= run.end)
    }
}

/// The seeds of a page.
pub(super) struct PageSeeds {
    /// The seeds, and for each whether it is repeated itself, so that only longer runs around it can be the page's own.
    pub(super) seeds: Vec<(Seed, bool)>,
    /// The number of monotonous seeds left out.
    pub(super) monotonous: u64,
}

impl PageSeeds {
    /// If the page repeats another page, only seeds in a run that may contain something of its own: it shares the rest with any third page
    /// exactly as that other page does. A short seed must be its own itself.
    pub(super) fn of(
        page: u32,
        words: &[Word],
        pages: &TextPages,
        all: &PageWords,
        measure: Measure,
    ) -> PageSeeds {
        let runs = Runs::of(words, measure);
        let mut long = runs.long();
        let all_long = long.len();
        long.retain(|seed| !is_monotonous(&words[runs.around(seed.at as usize)]));
        let monotonous = (all_long - long.len()) as u64;
        // The short seeds of a large page take as much again.
        drop(runs);
        let seeds = long.into_iter().chain(short(words));
        let Some(repeated) = RepeatedRuns::of(page, words, pages, all) else {
            let seeds = seeds.map(|seed| (seed, false)).collect();
            return PageSeeds { seeds, monotonous };
        };
        let runs = Runs::of(words, measure);
        let own = seeds.filter_map(|seed| {
            let is_repeated = repeated.have(&seed.words());
            let is_own = match Seed::is_long(seed.hash) {
                true => !is_repeated || !repeated.have(&runs.around(seed.at as usize)),
                false => !is_repeated,
            };
            is_own.then_some((seed, is_repeated))
        });
        PageSeeds {
            seeds: own.collect(),
            monotonous,
        }
    }
}
