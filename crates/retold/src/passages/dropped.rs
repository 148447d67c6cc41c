//! Pages that are dropped for a kept page.

use std::ops::Range;

use super::measure::Measure;
use super::pages::{PageWords, TextPages};
use super::seeds::{Runs, Seed, short};
use super::shared::{Shared, Texts};
use crate::compare::{Word, anchors};

/// The length of the runs with which a page is aligned with the page that it repeats, and how often that page may have them.
const RUN: usize = 6;
const OFTEN: usize = 4;

/// The passages of two texts, one of which repeats the other.
pub(super) fn repeated(texts: Texts<'_>) -> Vec<Shared> {
    texts.passages_of(&anchors(texts.here, texts.there, RUN, OFTEN))
}

/// The seeds of a page. If it repeats another page, only those in a run that may contain something of its own: it shares the rest with any
/// third page exactly as that other page does.
pub(super) fn seeds(
    page: u32,
    words: &[Word],
    pages: &TextPages,
    all: &PageWords,
    measure: Measure,
) -> Vec<Seed> {
    let mut seeds = Runs::of(words, measure).long();
    seeds.extend(short(words));
    let Some(other) = pages.pages[page as usize].dropped_for else {
        return seeds;
    };
    let other = all.of(other);
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
    let runs = Runs::of(words, measure);
    seeds.retain(|seed| {
        let around = runs.around(seed.at as usize);
        let before = longest.partition_point(|run| run.start <= around.start);
        let last = before.checked_sub(1).map(|at| &longest[at]);
        last.is_none_or(|run| around.end > run.end)
    });
    seeds
}
