//! Aligns two texts: the words that match in order, and the differing passages between them.

use std::ops::Range;

use super::anchors::{Anchor, anchors, chain};
use super::gap::{Match, matches};
use super::word::Word;

/// Passages are compared word by word if the product of their lengths is at most this.
const CELLS: usize = 10_000;

/// Longer passages are split at common runs, by each of these in turn: words in a run, and how often one passage may contain it.
const CUTS: [(usize, usize); 2] = [(4, 8), (1, 1)];

/// How many words on either side of a match are examined: if at least half of them match in both texts, the match is no coincidence.
const AROUND: usize = 8;

/// The matching words of two texts, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// Ascending and without overlap.
    matches: Vec<Match>,
    /// The numbers of words of the texts.
    lengths: (usize, usize),
}

/// A passage of one text and the passage in its place in the other. One of them may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Words of the first text.
    pub(crate) here: Range<usize>,
    /// Words of the other.
    pub(crate) there: Range<usize>,
}

impl Alignment {
    /// Removes matches that may be coincidence between different passages: fewer than half of the words around them match, in either text.
    pub(crate) fn without_chance(mut self) -> Alignment {
        let sums = [self.matched_here(), self.matched_there()].map(|marks| {
            let mut sums = vec![0u32];
            sums.extend(marks.iter().scan(0, |sum, &is| {
                *sum += u32::from(is);
                Some(*sum)
            }));
            sums
        });
        let is_dense = |sums: &[u32], from: usize, count: usize| {
            let to = (from + count + AROUND).min(sums.len() - 1);
            let from = from.saturating_sub(AROUND);
            2 * (sums[to] - sums[from]) as usize >= to - from
        };
        self.matches.retain(|found| {
            found.count.0 >= AROUND
                || is_dense(&sums[0], found.here, found.count.0)
                    && is_dense(&sums[1], found.there, found.count.1)
        });
        self
    }

    pub(crate) fn matches(&self) -> &[Match] {
        &self.matches
    }

    /// For each word of the first text whether it matches.
    pub(crate) fn matched_here(&self) -> Vec<bool> {
        let ranges = self
            .matches
            .iter()
            .map(|found| found.here..found.here + found.count.0);
        flags(ranges, self.lengths.0)
    }

    /// For each word of the other text whether it matches.
    pub(crate) fn matched_there(&self) -> Vec<bool> {
        let ranges = self.matches.iter();
        let ranges = ranges.map(|found| found.there..found.there + found.count.1);
        flags(ranges, self.lengths.1)
    }

    /// How many words of the first text match.
    pub(crate) fn matched(&self) -> usize {
        self.matches.iter().map(|found| found.count.0).sum()
    }

    /// How many words of the first text match nearly.
    pub(crate) fn near(&self) -> usize {
        let near = self.matches.iter().filter(|found| found.is_near);
        near.map(|found| found.count.0).sum()
    }

    /// The differing passages, in order.
    pub(crate) fn differing(&self) -> impl Iterator<Item = Passage> {
        let behind = Match {
            here: self.lengths.0,
            there: self.lengths.1,
            count: (0, 0),
            is_near: false,
        };
        let (mut here, mut there) = (0, 0);
        let matches = self.matches.iter().copied().chain([behind]);
        matches.filter_map(move |found| {
            let passage = Passage {
                here: here..found.here,
                there: there..found.there,
            };
            (here, there) = (found.here + found.count.0, found.there + found.count.1);
            (!passage.here.is_empty() || !passage.there.is_empty()).then_some(passage)
        })
    }
}

impl Match {
    pub(crate) fn of_run(run: &Anchor) -> Match {
        Match {
            here: run.here,
            there: run.there,
            count: (run.words, run.words),
            is_near: false,
        }
    }
}

fn flags(ranges: impl Iterator<Item = Range<usize>>, length: usize) -> Vec<bool> {
    let mut flags = vec![false; length];
    ranges.for_each(|range| flags[range].fill(true));
    flags
}

/// Those of the candidate runs, ascending by place in the first text, that really are in both texts and in the same order.
pub(crate) fn chained(here: &[Word], there: &[Word], runs: &[Anchor]) -> Vec<Anchor> {
    let equal = |run: &&Anchor| {
        let here = here[run.here..].iter().map(|word| word.hash());
        let there = there[run.there..].iter().map(|word| word.hash());
        here.take(run.words).eq(there.take(run.words))
    };
    let runs: Vec<Anchor> = runs.iter().filter(equal).copied().collect();
    chain(&runs)
}

/// Aligns two texts, given some [`chained`] runs. Shorter runs between these are chained too, and the words in between are aligned one by
/// one, including nearly equal words. Linear, except for passages without a common word, which cost at most [`CELLS`] each.
pub(crate) fn align(here: &[Word], there: &[Word], runs: &[Anchor]) -> Alignment {
    let mut matches = Vec::new();
    let whole = |words| Part { words, at: 0 };
    add_between(runs, whole(here), whole(there), &CUTS, &mut matches);
    Alignment {
        matches,
        lengths: (here.len(), there.len()),
    }
}

#[derive(Clone, Copy)]
struct Part<'w> {
    words: &'w [Word],
    at: usize,
}

impl Part<'_> {
    fn slice(self, range: Range<usize>) -> Self {
        Part {
            at: self.at + range.start,
            words: &self.words[range],
        }
    }
}

fn add(here: Part<'_>, there: Part<'_>, cuts: &[(usize, usize)], found: &mut Vec<Match>) {
    if here.words.is_empty() || there.words.is_empty() {
        return;
    }
    if here.words.len().saturating_mul(there.words.len()) <= CELLS {
        found.extend(
            matches(here.words, there.words)
                .into_iter()
                .map(|of| Match {
                    here: here.at + of.here,
                    there: there.at + of.there,
                    ..of
                }),
        );
        return;
    }
    let [(width, most), cuts @ ..] = cuts else {
        return;
    };
    let anchors = chain(&anchors(here.words, there.words, *width, *most));
    add_between(&anchors, here, there, cuts, found);
}

fn add_between(
    anchors: &[Anchor],
    here: Part<'_>,
    there: Part<'_>,
    cuts: &[(usize, usize)],
    found: &mut Vec<Match>,
) {
    let mut at = (0, 0);
    for anchor in anchors {
        let before = (
            here.slice(at.0..anchor.here),
            there.slice(at.1..anchor.there),
        );
        add(before.0, before.1, cuts, found);
        found.push(Match {
            here: here.at + anchor.here,
            there: there.at + anchor.there,
            ..Match::of_run(anchor)
        });
        at = (anchor.here + anchor.words, anchor.there + anchor.words);
    }
    let behind = (
        here.slice(at.0..here.words.len()),
        there.slice(at.1..there.words.len()),
    );
    add(behind.0, behind.1, cuts, found);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn words(text: &str) -> Vec<Word> {
        let word = |word: &str| Word::new(xxh3_64(word.as_bytes()), word.as_bytes(), false);
        text.split_whitespace().map(word).collect()
    }

    /// The differences as text: "is|was" for a replaced word.
    fn differing(one: &str, other: &str) -> Vec<String> {
        let [here, there]: [Vec<&str>; 2] =
            [one, other].map(|text| text.split_whitespace().collect());
        let found = align(&words(one), &words(other), &[]);
        let shown = |passage: Passage| {
            format!(
                "{}|{}",
                here[passage.here].join(" "),
                there[passage.there].join(" ")
            )
        };
        found.differing().map(shown).collect()
    }

    #[test]
    fn words_that_differ_by_hand() {
        assert_eq!(
            differing("the ferry was late", "the ferry was late"),
            [""; 0]
        );
        assert_eq!(
            differing("the ferry was late", "the boat was very late"),
            ["ferry|boat", "|very"]
        );
        assert_eq!(differing("", "a word"), ["|a word"]);
        // One letter of a long word is misread; another word is split by a hyphen.
        assert_eq!(
            differing(
                "the government of examples",
                "the goverment of exam ples today"
            ),
            ["|today"]
        );
        // Only matches in one order.
        assert_eq!(
            differing("one two three four", "three four one two"),
            ["|three four", "three four|"]
        );
    }

    #[test]
    fn chance_matches_are_left_out() {
        let matched = |one: &str, other: &str| {
            let (one, other) = (words(one), words(other));
            let runs = chained(&one, &other, &anchors(&one, &other, 5, 8));
            align(&one, &other, &runs).without_chance().matched()
        };
        let unlike = |from: u8| {
            let letters = (from..from + 12).map(|n| char::from(b'a' + n).to_string().repeat(3));
            letters.collect::<Vec<_>>().join(" ")
        };
        let around = |of: u8, middle: &str| format!("{} {middle} {}", unlike(of), unlike(of));
        // One or five matching words between twelve different ones on either side.
        assert_eq!(matched(&around(0, "the"), &around(13, "the")), 0);
        let five = "it was late on monday";
        assert_eq!(matched(&around(0, five), &around(13, five)), 0);
        // Eight matching words are no coincidence, nor is a match where every second word matches.
        let eight = "it was late on monday in the harbour";
        assert_eq!(matched(&around(0, eight), &around(13, eight)), 8);
        assert_eq!(matched("a x b y c z d", "a u b v c w d"), 4);
    }

    #[test]
    fn long_texts_are_cut_at_what_both_have() {
        let numbered = |from: usize, to: usize| {
            (from..to)
                .map(|n| format!("w{n}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (one, other) = (
            format!("{} old {}", numbered(0, 300), numbered(300, 600)),
            format!("{} fresh {} more", numbered(0, 300), numbered(300, 600)),
        );
        assert_eq!(differing(&one, &other), ["old|fresh", "|more"]);
    }

    /// Few different words and repeated phrases, whose anchors overlap.
    fn words_that_repeat() -> impl Strategy<Value = Vec<u8>> {
        let phrase = (prop::collection::vec(0u8..9, 1..20), 1usize..12);
        let phrase = phrase.prop_map(|(words, times)| words.repeat(times));
        prop::collection::vec(phrase, 0..8).prop_map(|phrases| phrases.concat())
    }

    proptest! {
        #[test]
        fn matches_ascend(
            one in words_that_repeat(), other in words_that_repeat(), width in 1usize..8,
            wrong in prop::collection::vec((0usize..40, 0usize..40, 1usize..9), 0..4),
        ) {
            let text = |numbers: &[u8]| numbers.iter().map(|n| format!("word{n}{n}{n}")).collect::<Vec<_>>().join(" ");
            let (here, there) = (words(&text(&one)), words(&text(&other)));
            // No runs; the common runs of some length; and some runs with equal hashes that differ.
            let runs = anchors(&here, &there, width, 8);
            let wrong = wrong.into_iter().map(|(at, other, words)| Anchor { here: at, there: other, words });
            let wrong = wrong.filter(|run| run.here + run.words <= here.len() && run.there + run.words <= there.len());
            let mut mixed: Vec<Anchor> = runs.iter().copied().chain(wrong).collect();
            mixed.sort_unstable();
            for known in [vec![], runs, mixed] {
                let runs = chained(&here, &there, &known);
                let found = align(&here, &there, &runs);
                // Additional matches split differing passages and never lengthen them.
                let lengths = (here.len(), there.len());
                let matches = runs.iter().map(Match::of_run).collect();
                let of_runs: Vec<Passage> = Alignment { matches, lengths }.differing().collect();
                for passage in found.differing() {
                    let is_part = |of: &Passage| of.here.start <= passage.here.start && passage.here.end <= of.here.end
                        && of.there.start <= passage.there.start && passage.there.end <= of.there.end;
                    prop_assert!(of_runs.iter().any(is_part), "{passage:?} of {of_runs:?}");
                }
                let mut ends = (0, 0);
                for of in &found.matches {
                    prop_assert!(ends.0 <= of.here && ends.1 <= of.there);
                    ends = (of.here + of.count.0, of.there + of.count.1);
                    prop_assert!(ends.0 <= here.len() && ends.1 <= there.len());
                    if !of.is_near {
                        let (a, b) = (&here[of.here..ends.0], &there[of.there..ends.1]);
                        prop_assert!(a.iter().zip(b).all(|(a, b)| a.hash() == b.hash()));
                    }
                }
                let lost: usize = found.differing().map(|passage| passage.here.len()).sum();
                let matched = found.matched_here().iter().filter(|is| **is).count();
                prop_assert_eq!(lost + matched, here.len());
            }
        }

        /// Short texts are aligned at the cost of the reference table.
        #[test]
        fn short_texts_cost_the_least(one in prop::collection::vec(0u8..4, 0..12), other in prop::collection::vec(0u8..4, 0..12)) {
            let text = |numbers: &[u8]| numbers.iter().map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
            let found = align(&words(&text(&one)), &words(&text(&other)), &[]);
            let cost: usize = found.differing().map(|passage| {
                let (a, b) = (passage.here.len(), passage.there.len());
                15 * a.min(b) + 10 * a.abs_diff(b)
            }).sum();
            fn least(a: &[u8], b: &[u8]) -> usize {
                match (a, b) {
                    ([], rest) | (rest, []) => 10 * rest.len(),
                    ([x, a_rest @ ..], [y, b_rest @ ..]) => {
                        let both = least(a_rest, b_rest) + if x == y { 0 } else { 15 };
                        if x == y { both } else { both.min(10 + least(a_rest, b)).min(10 + least(a, b_rest)) }
                    }
                }
            }
            prop_assert_eq!(cost, least(&one, &other));
        }
    }
}
