//! Finds the passages that two texts share: regions where the alignment score is high enough.

use std::cmp::Reverse;
use std::ops::Range;

use super::measure::Measure;
use crate::compare::{Anchor, Passage, Word, align};

/// The score of a matching word, and of one with fewer letters than [`LETTERS`], which unrelated texts share too. Each replaced or missing
/// word costs 1.
const MATCH: i64 = 2;
const SHORT_MATCH: i64 = 1;
const LETTERS: u64 = 4;
/// How many previous runs are considered for a chain.
const BACK: usize = 50;
/// The ends of a passage are extended by this many words at a time, while its score increases.
const STEP: usize = 16;
/// The score increases if two in this many words match.
const QUICK: usize = 6;

/// A chain of a single run must have at least one in this many parts of the minimum length.
const LEAST_SHARE: u64 = 8;

/// A passage of two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) here: Range<usize>,
    pub(super) there: Range<usize>,
    /// The number of matching words of the first text, including nearly equal ones.
    pub(super) matched: u32,
    pub(super) score: i64,
    /// The length of the matches, in the text where it is smaller.
    length: u64,
}

/// Two texts to be searched for passages.
#[derive(Clone, Copy)]
pub(super) struct Texts<'w> {
    pub(super) here: &'w [Word],
    pub(super) there: &'w [Word],
    pub(super) measure: Measure,
    /// Passages continue over at most this many differing words.
    pub(super) gap: usize,
}

/// A part of the alignment: a run of equal words, or the words between two runs.
#[derive(Clone, Debug)]
struct Part {
    here: Range<usize>,
    there: Range<usize>,
    score: i64,
    /// The number of matching words on either side, and their lengths.
    matched: u32,
    lengths: (u64, u64),
}

impl Texts<'_> {
    /// All passages of at least the minimum length that contain one of these places, at which words are equal; the best first. Any common
    /// run of the minimum length around such a place is in a passage, on both sides.
    pub(super) fn passages(&self, places: impl Iterator<Item = (usize, usize)>) -> Vec<Shared> {
        self.passages_of(&self.runs(places))
    }

    /// As [`Texts::passages`], from maximal equal runs, ascending.
    pub(super) fn passages_of(&self, runs: &[Anchor]) -> Vec<Shared> {
        let mut found = Vec::new();
        // The best chains come first; extending them may have covered what other chains contain.
        for chain in self.chains(runs) {
            if self.is_worth_a_look(runs, &chain, &found) {
                self.add(runs, &chain, &mut found);
            }
        }
        found.retain(|passage| passage.length >= self.measure.least);
        found.sort_by_key(|passage| {
            let at = (passage.here.start, passage.there.start);
            (Reverse(passage.score), at, passage.here.end)
        });
        let mut kept: Vec<Shared> = Vec::new();
        for passage in found {
            // Text that repeats on both sides would be found for each pair of its places.
            let is_in = |other: fn(&Shared) -> &Range<usize>| {
                let (range, mut all) = (other(&passage), kept.iter());
                all.any(|kept| other(kept).start <= range.start && range.end <= other(kept).end)
            };
            if !(is_in(|passage| &passage.here) && is_in(|passage| &passage.there)) {
                kept.push(passage);
            }
        }
        kept
    }

    /// The maximal runs of equal words at these places, ascending. Places with unequal words (hash collisions) give none.
    fn runs(&self, places: impl Iterator<Item = (usize, usize)>) -> Vec<Anchor> {
        let equal = |(one, other): &(&Word, &Word)| one.hash() == other.hash();
        let mut places: Vec<(i64, usize, usize)> = places
            .map(|(here, there)| (there as i64 - here as i64, here, there))
            .collect();
        places.sort_unstable();
        let mut found: Vec<Anchor> = Vec::new();
        let mut passed = (i64::MIN, 0);
        for (diagonal, here, there) in places {
            if passed.0 == diagonal && here < passed.1 {
                continue;
            }
            let behind = self.here[here..].iter().zip(&self.there[there..]);
            let behind = behind.take_while(equal).count();
            if behind == 0 {
                continue;
            }
            let before = self.here[..here].iter().rev();
            let before = before.zip(self.there[..there].iter().rev());
            let before = before.take_while(equal).count();
            passed = (diagonal, here + behind);
            found.push(Anchor {
                here: here - before,
                there: there - before,
                words: before + behind,
            });
        }
        found.sort_unstable();
        found
    }

    /// Chains of runs in the same order in both texts and close together; each run is in one chain. The text between two runs is charged as
    /// if half of it matched.
    fn chains(&self, runs: &[Anchor]) -> Vec<Vec<usize>> {
        let mut best: Vec<(i64, Option<usize>)> = Vec::with_capacity(runs.len());
        for (at, run) in runs.iter().enumerate() {
            let own = self.worth_of(run.here..run.here + run.words);
            let mut most = (own, None);
            for before in (at.saturating_sub(BACK)..at).rev() {
                if let Some(paid) = self.step(&runs[before], run)
                    && best[before].0 - paid + own > most.0
                {
                    most = (best[before].0 - paid + own, Some(before));
                }
            }
            best.push(most);
        }
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|&at| (Reverse(best[at].0), at));
        let mut used = vec![false; runs.len()];
        let mut chains = Vec::new();
        for last in order {
            let mut chain = Vec::new();
            let mut at = Some(last);
            while let Some(run) = at.filter(|&at| !used[at]) {
                used[run] = true;
                chain.push(run);
                at = best[run].1;
            }
            chain.reverse();
            if !chain.is_empty() {
                chains.push(chain);
            }
        }
        chains
    }

    /// The cost of the step from one run to a later one, if possible.
    fn step(&self, before: &Anchor, run: &Anchor) -> Option<i64> {
        let (lost, here, there) = between(before, run);
        let is_behind = before.here < run.here && before.there < run.there;
        if !is_behind || lost >= run.words || here.max(there) > self.gap {
            return None;
        }
        // The gap is aligned later; half of it may match.
        let paid = here.max(there) as i64 - here.min(there) as i64 / 2;
        Some(paid + self.worth_of(run.here..run.here + lost))
    }

    /// Adds the passages of a chain: aligns the gaps between its runs, and cuts the chain where that does not pay.
    fn add(&self, runs: &[Anchor], chain: &[usize], found: &mut Vec<Shared>) {
        let mut parts = Vec::with_capacity(2 * chain.len());
        let mut before: Option<&Anchor> = None;
        for &at in chain {
            let run = &runs[at];
            let mut lost = 0;
            if let Some(before) = before {
                lost = between(before, run).0;
                let here = before.here + before.words..run.here + lost;
                let there = before.there + before.words..run.there + lost;
                parts.push(self.between(here, there));
            }
            parts.push(self.run(run, lost));
            before = Some(run);
        }
        for range in paying(&parts) {
            // A run whose start was cut off at the previous one is whole again if it begins a passage.
            let first = &runs[chain[range.start / 2]];
            parts[range.start] = self.run(first, 0);
            if let Some(whole) = parts[range].iter().cloned().reduce(joined) {
                self.extend(whole, found);
            }
        }
    }

    /// Whether a chain may give a passage not found yet. Extending all chains that are only a common phrase would cost more than everything
    /// else.
    fn is_worth_a_look(&self, runs: &[Anchor], chain: &[usize], found: &[Shared]) -> bool {
        let length: u64 = chain
            .iter()
            .map(|&at| {
                let run = &runs[at];
                self.measure.sum(&self.here[run.here..run.here + run.words])
            })
            .sum();
        let (first, last) = (&runs[chain[0]], &runs[chain[chain.len() - 1]]);
        let is_in = |passage: &Shared| {
            passage.here.start <= first.here
                && last.here + last.words <= passage.here.end
                && passage.there.start <= first.there
                && last.there + last.words <= passage.there.end
        };
        (chain.len() > 1 || length * LEAST_SHARE >= self.measure.least) && !found.iter().any(is_in)
    }

    fn run(&self, run: &Anchor, lost: usize) -> Part {
        let here = run.here + lost..run.here + run.words;
        let length = self.measure.sum(&self.here[here.clone()]);
        Part {
            there: run.there + lost..run.there + run.words,
            score: self.worth_of(here.clone()),
            matched: here.len() as u32,
            lengths: (length, length),
            here,
        }
    }

    fn between(&self, here: Range<usize>, there: Range<usize>) -> Part {
        let (one, other) = (&self.here[here.clone()], &self.there[there.clone()]);
        let found = align(one, other, &[]);
        let lengths = (
            self.length(one, &found.matched_here()),
            self.length(other, &found.matched_there()),
        );
        let words = found.matches().iter().map(|of| worth_of(&one[of.here]));
        let paid: i64 = found.differing().map(|passage| paid(&passage)).sum();
        Part {
            here,
            there,
            score: words.sum::<i64>() - paid,
            matched: found.matched() as u32,
            lengths,
        }
    }

    fn worth_of(&self, here: Range<usize>) -> i64 {
        self.here[here].iter().map(worth_of).sum()
    }

    fn length(&self, words: &[Word], matched: &[bool]) -> u64 {
        let matched = words.iter().zip(matched).filter(|(_, is)| **is);
        matched.map(|(word, _)| self.measure.of(*word)).sum()
    }

    /// Adds the passage of a part, extended at both ends as long as that pays.
    fn extend(&self, mut part: Part, found: &mut Vec<Shared>) {
        while let Some(more) = self.before(&part) {
            part = joined(more, part);
        }
        while let Some(more) = self.behind(&part) {
            part = joined(part, more);
        }
        found.push(Shared {
            here: part.here,
            there: part.there,
            matched: part.matched,
            score: part.score,
            length: part.lengths.0.min(part.lengths.1),
        });
    }

    /// The part before another one with the highest score, if positive.
    fn before(&self, part: &Part) -> Option<Part> {
        let (here, there) = (part.here.start, part.there.start);
        let reversed = |words: &[Word], end: usize| -> Vec<Word> {
            let window = &words[end.saturating_sub(STEP)..end];
            window.iter().rev().copied().collect()
        };
        let worth = self.worth(&reversed(self.here, here), &reversed(self.there, there))?;
        Some(Part {
            here: here - worth.here.end..here,
            there: there - worth.there.end..there,
            ..worth
        })
    }

    /// As [`Texts::before`], after the part.
    fn behind(&self, part: &Part) -> Option<Part> {
        let (here, there) = (part.here.end, part.there.end);
        let window = |words: &'_ [Word], start: usize| start..(start + STEP).min(words.len());
        let one = &self.here[window(self.here, here)];
        let worth = self.worth(one, &self.there[window(self.there, there)])?;
        Some(Part {
            here: here..here + worth.here.end,
            there: there..there + worth.there.end,
            ..worth
        })
    }

    /// The common prefix alignment with the highest score.
    fn worth(&self, one: &[Word], other: &[Word]) -> Option<Part> {
        let near = |word: &Word| {
            let mut others = other.iter().take(QUICK);
            others.any(|other| word.matches(*other))
        };
        if !one.iter().take(QUICK).any(near) {
            return None;
        }
        let nothing = Part {
            here: 0..0,
            there: 0..0,
            score: 0,
            matched: 0,
            lengths: (0, 0),
        };
        let (mut part, mut best) = (nothing.clone(), nothing);
        for of in align(one, other, &[]).matches() {
            let passage = Passage {
                here: part.here.end..of.here,
                there: part.there.end..of.there,
            };
            let (here, there) = (
                of.here..of.here + of.count.0,
                of.there..of.there + of.count.1,
            );
            part.score += worth_of(&one[of.here]) - paid(&passage);
            part.matched += of.count.0 as u32;
            part.lengths.0 += self.measure.sum(&one[here.clone()]);
            part.lengths.1 += self.measure.sum(&other[there.clone()]);
            (part.here.end, part.there.end) = (here.end, there.end);
            if part.score > best.score {
                best = part.clone();
            }
        }
        (best.score > 0).then_some(best)
    }
}

/// The segments with the highest scores: consecutive parts whose score cannot be increased by extending or shortening them (Ruzzo and
/// Tompa, 1999). Each begins and ends with a run.
fn paying(parts: &[Part]) -> Vec<Range<usize>> {
    /// Parts, and the sums before and after them.
    struct Span {
        parts: Range<usize>,
        before: i64,
        behind: i64,
    }
    let (mut spans, mut sum): (Vec<Span>, i64) = (Vec::new(), 0);
    for (at, part) in parts.iter().enumerate() {
        let before = sum;
        sum += part.score;
        if part.score <= 0 {
            continue;
        }
        let mut span = Span {
            parts: at..at + 1,
            before,
            behind: sum,
        };
        while let Some(place) = spans.iter().rposition(|other| other.before < span.before) {
            if spans[place].behind >= span.behind {
                break;
            }
            span.parts.start = spans[place].parts.start;
            span.before = spans[place].before;
            spans.truncate(place);
        }
        spans.push(span);
    }
    let is_run = |at: usize| at.is_multiple_of(2);
    let ranges = spans.into_iter().map(|span| {
        let start = span.parts.start + usize::from(!is_run(span.parts.start));
        let end = span.parts.end - usize::from(!is_run(span.parts.end - 1));
        start..end
    });
    ranges.filter(|range| range.start < range.end).collect()
}

/// How many words of a run the previous one also has, and how many words are between them in either text.
fn between(before: &Anchor, run: &Anchor) -> (usize, usize, usize) {
    let ends = (before.here + before.words, before.there + before.words);
    let lost = ends.0.saturating_sub(run.here);
    let lost = lost.max(ends.1.saturating_sub(run.there));
    let here = (run.here + lost).saturating_sub(ends.0);
    (lost, here, (run.there + lost).saturating_sub(ends.1))
}

/// The score of a matching word.
fn worth_of(word: &Word) -> i64 {
    match word.bytes() {
        1..LETTERS => SHORT_MATCH,
        _ => MATCH,
    }
}

fn paid(passage: &Passage) -> i64 {
    passage.here.len().max(passage.there.len()) as i64
}

fn joined(one: Part, other: Part) -> Part {
    Part {
        here: one.here.start..other.here.end,
        there: one.there.start..other.there.end,
        score: one.score + other.score,
        matched: one.matched + other.matched,
        lengths: (
            one.lengths.0 + other.lengths.0,
            one.lengths.1 + other.lengths.1,
        ),
    }
}
