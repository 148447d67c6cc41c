//! What two texts share, where they differ, and what each says of its own: all evidence that verdicts and explanations use.

use std::cell::OnceCell;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::anchors::{Anchor, anchors};
use super::own::{OwnLimit, OwnPassage, WORD, moved, own_passages, weight};
use super::passages::{Alignment, align, chained};
use super::word::Word;

/// One of two texts that are compared.
pub(crate) struct Side<'t> {
    pub(crate) words: &'t [Word],
    /// For each word whether it belongs to a frame, which is no evidence.
    pub(crate) is_frame: Vec<bool>,
    /// For each word whether it may be no own passage: it belongs to a frame, or to a short line at an end of the text.
    pub(crate) is_line: Vec<bool>,
    /// From which size on its passages are its own.
    pub(crate) limit: OwnLimit,
}

/// One of two texts beside the other. Sizes are in fifths of a word.
pub(crate) struct Compared<'t> {
    side: Side<'t>,
    other: &'t [Word],
    /// For each word whether the other text has it in the same order.
    pub(crate) matched: Vec<bool>,
    /// Of the text.
    pub(crate) all: usize,
    /// Of it, what the other text has in the same order.
    pub(crate) in_order: usize,
    /// Outside frames.
    pub(crate) story: usize,
    /// Of it, what the other text has in the same order.
    pub(crate) story_in_order: usize,
    rest: OnceCell<Rest>,
}

/// What of a text the other does not have in the same order. Sizes are in fifths of a word.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rest {
    /// What the other text has elsewhere.
    pub(crate) moved: usize,
    /// Of it, outside frames.
    pub(crate) story_moved: usize,
    /// What is outside frames and the other text has nowhere, single words included.
    pub(crate) unlike: usize,
    /// Passages that the other text has nowhere.
    pub(crate) own: Vec<OwnPassage>,
}

/// Two texts, compared.
pub(crate) struct Comparison<'t> {
    /// Which words match in order, exactly or nearly; no chance matches.
    pub(crate) alignment: Alignment,
    pub(crate) here: Compared<'t>,
    pub(crate) there: Compared<'t>,
    /// Words outside lines that stand in the place of others, between matching words. The smaller of both sides, in fifths of a word.
    pub(crate) replaced: usize,
    /// The same before the first and after the last match.
    pub(crate) replaced_at_ends: usize,
}

impl<'t> Comparison<'t> {
    /// Compares two texts that have these [chained](super::chained) runs in common. Linear, except for passages that differ
    /// ([`align`]).
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

    /// Numbers outside lines in the place of others, neither of which the other text has.
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

    /// What the other text does not have in the same order. Found when it is first asked for: most pairs are told apart without it.
    pub(crate) fn rest(&self) -> &Rest {
        let rest = || rest(&self.side, self.other, &self.matched);
        self.rest.get_or_init(rest)
    }

    /// Whether it has something of its own.
    pub(crate) fn has_own(&self) -> bool {
        self.side.limit.is_reached(&self.rest().own)
    }

    /// How much is in own passages, in fifths of a word.
    pub(crate) fn own_size(&self) -> usize {
        self.rest().own.iter().map(|passage| passage.own).sum()
    }
}

/// Shorter phrases may be in another text by chance.
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

/// Words in the place of others between matches, and at the ends. Where both texts say so much that each may be a passage of its own, none
/// of it replaces the other.
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

/// Numbers in the place of others, which the other text does not have.
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

/// The own passages of a text against several others together: what at least one of them has is not own. `is_line` as in [`Side`].
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

/// Words in a run that the alignment with a part of a text begins with, and how often the text may have it.
const RUN: usize = 5;
const MOST: usize = 8;

#[cfg(test)]
mod tests {
    use super::super::testing::{numbered, words};
    use super::*;

    /// What this reads in the comparison of two texts without frames.
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
        // Seven words may be elsewhere by chance: they are not own, but count for nothing.
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
        // Where both say something of their own nothing is replaced; twelve words are that here.
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
        // The other text has it elsewhere, or a word stands there.
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
        // A line of a frame is not own.
        let is_line: Vec<bool> = (0..90).map(|at| at >= 45).collect();
        assert_eq!(own_against(&text, &is_line, &[&first]), []);
    }
}
