//! The comparison of two texts: what they share, where they differ, and their own passages. Verdicts and explanations use it.

use std::cell::OnceCell;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::anchors::{Anchor, anchors};
use super::own::{OwnLimit, OwnPassage, WORD, moved, own_passages, weight};
use super::passages::{Alignment, align, chained};
use super::word::Word;

/// One of two compared texts.
pub(crate) struct Side<'t> {
    pub(crate) words: &'t [Word],
    /// For each word whether it is in a frame, which is no evidence.
    pub(crate) is_frame: Vec<bool>,
    /// For each word whether it is excluded from own passages: it is in a frame, or in a short line at an end of the text.
    pub(crate) is_line: Vec<bool>,
    /// The size from which its passages are own.
    pub(crate) limit: OwnLimit,
}

/// One of two texts compared with the other. Sizes are in fifths of a word.
pub(crate) struct Compared<'t> {
    side: Side<'t>,
    other: &'t [Word],
    /// For each word whether it matches in order.
    pub(crate) matched: Vec<bool>,
    /// Size of the text.
    pub(crate) all: usize,
    /// Size of the words that match in order.
    pub(crate) in_order: usize,
    /// Size outside frames.
    pub(crate) story: usize,
    /// Size of the matching words outside frames.
    pub(crate) story_in_order: usize,
    rest: OnceCell<Rest>,
}

/// The part of a text that does not match in order. Sizes are in fifths of a word.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rest {
    /// Size of what the other text has elsewhere.
    pub(crate) moved: usize,
    /// The same outside frames.
    pub(crate) story_moved: usize,
    /// Size of what is outside frames and nowhere in the other text, single words included.
    pub(crate) unlike: usize,
    /// Passages that the other text has nowhere.
    pub(crate) own: Vec<OwnPassage>,
}

pub(crate) struct Comparison<'t> {
    /// The words that match in order, exactly or nearly, without chance matches.
    pub(crate) alignment: Alignment,
    pub(crate) here: Compared<'t>,
    pub(crate) there: Compared<'t>,
    /// Words outside lines that replace others between matches. The smaller of both sides, in fifths of a word.
    pub(crate) replaced: usize,
    /// The same before the first and after the last match.
    pub(crate) replaced_at_ends: usize,
}

impl<'t> Comparison<'t> {
    /// Compares two texts, given their common [chained](super::chained) runs. Linear, except for differing passages ([`align`]).
    pub(crate) fn of(here: Side<'t>, there: Side<'t>, runs: &[Anchor]) -> Comparison<'t> {
        let alignment = align(here.words, there.words, runs).without_chance();
        let (replaced, replaced_at_ends) = replaced([&here, &there], &alignment);
        let words = [here.words, there.words];
        Comparison {
            here: Compared::of(here, words[1], alignment.matched_here()),
            there: Compared::of(there, words[0], alignment.matched_there()),
            alignment,
            replaced,
            replaced_at_ends,
        }
    }

    /// Of the content words of the smaller text that differ: those that may be the other text's word with wrong letters, and all.
    pub(crate) fn alike(&self) -> (usize, usize) {
        let (mut alike, mut all) = (self.alignment.near(), self.alignment.near());
        for passage in self.alignment.differing() {
            let here = &self.here.side.words[passage.here.clone()];
            let there = &self.there.side.words[passage.there.clone()];
            all += here.iter().filter(|word| word.is_content()).count();
            if here.len() == there.len() {
                let both = here.iter().zip(there);
                alike += both.filter(|(a, b)| a.is_alike(**b)).count();
            }
        }
        (alike, all)
    }

    /// How many numbers outside lines are replaced by others, where neither occurs in the other text.
    pub(crate) fn replaced_numbers(&self) -> usize {
        replaced_numbers([&self.here.side, &self.there.side], &self.alignment)
    }
}

impl<'t> Compared<'t> {
    fn of(side: Side<'t>, other: &'t [Word], matched: Vec<bool>) -> Compared<'t> {
        let mut compared = Compared {
            other,
            matched,
            all: 0,
            in_order: 0,
            story: 0,
            story_in_order: 0,
            rest: OnceCell::new(),
            side,
        };
        let words = compared.side.words.iter().zip(&compared.matched);
        for ((&word, &is_matched), &is_frame) in words.zip(&compared.side.is_frame) {
            let weight = weight(word);
            let of = |is: bool| if is { weight } else { 0 };
            compared.all += weight;
            compared.in_order += of(is_matched);
            compared.story += of(!is_frame);
            compared.story_in_order += of(!is_frame & is_matched);
        }
        compared
    }

    /// What does not match in order. Computed on first use, since most pairs are decided without it.
    pub(crate) fn rest(&self) -> &Rest {
        let rest = || rest(&self.side, self.other, &self.matched);
        self.rest.get_or_init(rest)
    }

    /// Whether the text has own passages above the limit.
    pub(crate) fn has_own(&self) -> bool {
        self.side.limit.is_reached(&self.rest().own)
    }

    /// The total size of own passages, in fifths of a word.
    pub(crate) fn own_size(&self) -> usize {
        self.rest().own.iter().map(|passage| passage.own).sum()
    }
}

/// Minimum size of a moved phrase; shorter ones may be in another text by chance.
pub(crate) const MOVED: usize = 8 * WORD;

fn rest(text: &Side<'_>, other: &[Word], matched: &[bool]) -> Rest {
    let mut rest = Rest::default();
    let mut neutral = moved(text.words, matched, other);
    let mut start = 0;
    for run in neutral.chunk_by(|a, b| a == b) {
        let range = start..start + run.len();
        start = range.end;
        let unmatched = range.filter(|&at| !matched[at]);
        let (mut all, mut story) = (0, 0);
        for at in unmatched {
            let weight = weight(text.words[at]);
            all += weight;
            story += if text.is_frame[at] { 0 } else { weight };
        }
        match run[0] {
            true if all >= MOVED => {
                rest.moved += all;
                rest.story_moved += story;
            }
            true => {}
            false => rest.unlike += story,
        }
    }
    for (neutral, is_line) in neutral.iter_mut().zip(&text.is_line) {
        *neutral |= is_line;
    }
    rest.own = own_passages(text.words, matched, &neutral);
    rest
}

/// The replaced words between matches, and at the ends. If both sides have enough words for an own passage each, neither replaces the
/// other.
fn replaced(sides: [&Side<'_>; 2], alignment: &Alignment) -> (usize, usize) {
    let size = |side: &Side<'_>, range: &Range<usize>| -> usize {
        let words = side.words[range.clone()].iter();
        let words = words.zip(&side.is_line[range.clone()]);
        let words = words.filter(|(_, is_line)| !**is_line);
        words.map(|(word, _)| weight(*word)).sum()
    };
    let [here, there] = sides;
    let (mut inside, mut at_ends) = (0, 0);
    for passage in alignment.differing() {
        let sizes = (size(here, &passage.here), size(there, &passage.there));
        if sizes.0 >= here.limit.least && sizes.1 >= there.limit.least {
            continue;
        }
        let is_end = passage.here.start == 0 && passage.there.start == 0
            || passage.here.end == here.words.len() && passage.there.end == there.words.len();
        let replaced = if is_end { &mut at_ends } else { &mut inside };
        *replaced += sizes.0.min(sizes.1);
    }
    (inside, at_ends)
}

/// The numbers that are replaced by others and do not occur in the other text.
fn replaced_numbers(sides: [&Side<'_>; 2], alignment: &Alignment) -> usize {
    let numbers = |side: usize, range: &Range<usize>| {
        let words = sides[side].words[range.clone()].iter();
        let words = words.zip(&sides[side].is_line[range.clone()]);
        let numbers = words.filter(|(word, is_line)| word.is_number() && !**is_line);
        numbers.map(|(word, _)| word.hash()).collect::<Vec<u32>>()
    };
    let passages = alignment.differing();
    let in_place = passages.map(|passage| [numbers(0, &passage.here), numbers(1, &passage.there)]);
    let in_place: Vec<[Vec<u32>; 2]> = in_place
        .filter(|[here, there]| !here.is_empty() && !there.is_empty())
        .collect();
    if in_place.is_empty() {
        return 0;
    }
    let all = sides.map(|side| {
        let numbers = side.words.iter().filter(|word| word.is_number());
        numbers.map(|word| word.hash()).collect::<FxHashSet<u32>>()
    });
    let missing = |numbers: &[u32], other: usize| {
        let missing = numbers.iter().filter(|number| !all[other].contains(number));
        missing.count()
    };
    let replaced = in_place.iter();
    replaced
        .map(|[here, there]| missing(here, 1).min(missing(there, 0)))
        .sum()
}

/// The own passages of a text against several others together: a passage in any of them is not own. `is_line` as in [`Side`].
pub(crate) fn own_against(words: &[Word], is_line: &[bool], others: &[&[Word]]) -> Vec<OwnPassage> {
    let (mut matched, mut neutral) = (vec![false; words.len()], is_line.to_vec());
    let add = |marks: &mut [bool], more: Vec<bool>| {
        marks
            .iter_mut()
            .zip(more)
            .for_each(|(mark, more)| *mark |= more);
    };
    for other in others {
        let runs = chained(words, other, &anchors(words, other, RUN, MOST));
        let found = align(words, other, &runs).without_chance().matched_here();
        add(&mut neutral, moved(words, &found, other));
        add(&mut matched, found);
    }
    own_passages(words, &matched, &neutral)
}

/// Words in a run with which the alignment starts, and how often the text may contain the run.
const RUN: usize = 5;
const MOST: usize = 8;

#[cfg(test)]
mod tests {
    use super::super::testing::{numbered, words};
    use super::*;

    /// The result of `read` on the comparison of two texts without frames.
    fn compared<R>(here: &str, there: &str, read: impl FnOnce(&Comparison<'_>) -> R) -> R {
        let texts = [here, there].map(words);
        let [here, there] = texts.each_ref().map(|words| Side {
            words,
            is_frame: vec![false; words.len()],
            is_line: vec![false; words.len()],
            limit: OwnLimit::of(12, 0.05, 100 * WORD),
        });
        let runs = anchors(here.words, there.words, RUN, MOST);
        let runs = chained(here.words, there.words, &runs);
        read(&Comparison::of(here, there, &runs))
    }

    fn own(text: &Compared<'_>) -> Vec<(Range<usize>, usize)> {
        let own = text.rest().own.iter();
        own.map(|own| (own.words.clone(), own.own / WORD)).collect()
    }

    #[test]
    fn an_inserted_passage_is_own() {
        let story = numbered(0, 100);
        let (before, inserted, behind) = (numbered(0, 50), numbered(500, 512), numbered(50, 100));
        let longer = format!("{before} {inserted} {behind}");
        compared(&story, &longer, |found| {
            let passages = (own(&found.here), own(&found.there));
            assert_eq!(passages, (vec![], vec![(50..62, 12)]));
            assert_eq!((found.here.in_order, found.here.all), (500, 500));
            assert_eq!((found.there.in_order, found.there.rest().unlike), (500, 60));
            assert_eq!((found.replaced, found.replaced_at_ends), (0, 0));
        });
    }

    #[test]
    fn a_moved_paragraph_is_not_own() {
        let moved = format!("{} {}", numbered(40, 100), numbered(0, 40));
        compared(&numbered(0, 100), &moved, |found| {
            for text in [&found.here, &found.there] {
                assert_eq!((own(text), text.in_order), (vec![], 300));
                assert_eq!(text.rest().moved, 200);
            }
        });
        // Seven words may be elsewhere by chance: they are not own, but also not moved.
        let few = format!("{} {}", numbered(7, 100), numbered(0, 7));
        compared(&numbered(0, 100), &few, |found| {
            let rest = found.here.rest();
            assert_eq!((own(&found.here), rest.moved, rest.unlike), (vec![], 0, 0));
        });
    }

    #[test]
    fn nearly_equal_words_are_not_own() {
        let right = "government minister colour streets example harbour passenger bearings inspection temporary";
        let misread = "goverment minifter color street exampel harbonr passengcr bearmgs inspectiou temporury";
        let page = |words: &str| format!("{} {words} {}", numbered(0, 40), numbered(40, 80));
        compared(&page(right), &page(misread), |found| {
            for text in [&found.here, &found.there] {
                assert!(own(text).iter().all(|(_, own)| *own < 6), "{:?}", own(text));
            }
            assert!(found.alignment.near() > 5);
        });
    }

    #[test]
    fn words_in_the_place_of_others() {
        let page = |[first, middle, last]: [&str; 3]| {
            let (before, behind) = (numbered(0, 40), numbered(40, 80));
            format!("{first} {before} {middle} {behind} {last}")
        };
        let replaced = |a: [&str; 3], b: [&str; 3]| {
            compared(&page(a), &page(b), |found| {
                (found.replaced / WORD, found.replaced_at_ends / WORD)
            })
        };
        let (three, two) = (["", "one two three", ""], ["", "vier acht", ""]);
        assert_eq!(replaced(three, two), (2, 0));
        let (ends, others) = (["one", "", "two three"], ["eins", "", "zwei drei"]);
        assert_eq!(replaced(ends, others), (0, 3));
        assert_eq!(replaced(["", "one two", ""], [""; 3]), (0, 0));
        // If both have an own passage, nothing is replaced; here twelve words make one.
        let own = |words: usize| {
            let texts = [numbered(500, 500 + words), numbered(600, 620)];
            replaced(["", &texts[0], ""], ["", &texts[1], ""])
        };
        assert_eq!((own(12), own(11)), ((0, 0), (11, 0)));
    }

    #[test]
    fn numbers_in_the_place_of_others() {
        let page = |number: &str, last: &str| {
            format!("{} {number} {} {last}", numbered(0, 40), numbered(40, 80))
        };
        let replaced = |a: &str, b: &str| compared(a, b, |found| found.replaced_numbers());
        assert_eq!(replaced(&page("12", ""), &page("13", "")), 1);
        assert_eq!(replaced(&page("12 or 15", ""), &page("13 or 16", "")), 2);
        assert_eq!(replaced(&page("12", ""), &page("12", "")), 0);
        // The other text has the number elsewhere, or has a word in its place.
        assert_eq!(replaced(&page("12", ""), &page("13", "from 12")), 0);
        assert_eq!(replaced(&page("12", ""), &page("noon", "")), 0);
    }

    #[test]
    fn several_texts_together_have_what_none_has_alone() {
        let text = words(&numbered(0, 90));
        let (first, second) = (words(&numbered(0, 45)), words(&numbered(45, 90)));
        let own = |others: &[&[Word]]| -> Vec<(Range<usize>, usize)> {
            let found = own_against(&text, &[false; 90], others).into_iter();
            found.map(|own| (own.words, own.own / WORD)).collect()
        };
        assert_eq!(own(&[&first, &second]), []);
        assert_eq!(own(&[&first]), [(45..90, 45)]);
        assert_eq!(own(&[&second]), [(0..45, 45)]);
        assert_eq!(own(&[]), [(0..90, 90)]);
        // A frame's line is not own.
        let is_line: Vec<bool> = (0..90).map(|at| at >= 45).collect();
        assert_eq!(own_against(&text, &is_line, &[&first]), []);
    }
}
