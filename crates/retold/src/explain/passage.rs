//! Passages that two texts share: in the same order, or moved.
//!
//! The texts are cut into pieces (clauses), and the pieces are compared by imara-diff's histogram algorithm, which falls
//! back to Myers' algorithm with limited effort. Pieces that are repeated very often take it quadratic time. So in texts with many
//! such pieces only the others are compared, and the text between them is compared piece by piece: nearly linear for all texts. Where a few pieces differ
//! on both sides, they are compared again by words (by characters in scripts without spaces), but not in hunks longer than [`REFINED`] bytes. A
//! piece that is only in a different place is found by its hash.

use std::collections::HashMap;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};
use serde::Serialize;

use super::piece::{Piece, pieces};

/// Hunks of more bytes than this on a side are not compared word by word.
const REFINED: usize = 4096;
/// Shorter pieces are not reported as moved: short clauses are everywhere.
const MOVED_WEIGHT: u32 = 8;
/// A word-by-word match of fewer letters than this inside a changed hunk is chance.
const CHANCE: usize = 2;

/// A piece that both texts together have so often is repeated.
const REPEATED: usize = 64;
/// If one of the texts has more repeated pieces than this, they are left out of the comparison.
const MOST_REPEATED: usize = 2000;

/// What both texts have.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PassageKind {
    /// At the same place in the order.
    Same,
    /// Moved.
    Moved,
}

/// A shared passage: byte ranges of the folded texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Where in the first text.
    pub a: Range<u32>,
    /// Where in the second text.
    pub b: Range<u32>,
    /// In order or not.
    pub kind: PassageKind,
}

/// The passages that two folded texts share, in the order of the first text.
pub fn passages(a: &str, b: &str) -> Vec<Passage> {
    let (left, right) = (pieces(a), pieces(b));
    let mut input = InternedInput::default();
    input.reserve(left.len() as u32, right.len() as u32);
    input.update_before(left.iter().map(|piece| token(piece, a)));
    input.update_after(right.iter().map(|piece| token(piece, b)));
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    let mut unmatched = (Vec::new(), Vec::new());
    for hunk in hunks(&input) {
        same(
            &left[i..hunk.before.start as usize],
            &right[j..hunk.after.start as usize],
            &mut found,
        );
        let (from, to) = (range(&hunk.before), range(&hunk.after));
        if !refine(
            (a, &left[from.clone()]),
            (b, &right[to.clone()]),
            &mut found,
        ) {
            unmatched.0.extend(from);
            unmatched.1.extend(to);
        }
        (i, j) = (hunk.before.end as usize, hunk.after.end as usize);
    }
    same(&left[i..], &right[j..], &mut found);
    moved((&left, &unmatched.0), (&right, &unmatched.1), &mut found);
    found.sort_by_key(|passage| (passage.a.start, passage.b.start));
    merge(found)
}

/// Where two lists of tokens differ.
fn hunks<T: Eq + std::hash::Hash>(input: &InternedInput<T>) -> Vec<Hunk> {
    let mut counts = vec![0; input.interner.num_tokens() as usize];
    for token in input.before.iter().chain(&input.after) {
        counts[token.0 as usize] += 1;
    }
    let is_repeated = |token: &Token| counts[token.0 as usize] >= REPEATED;
    let repeated = |tokens: &[Token]| tokens.iter().filter(|token| is_repeated(token)).count();
    let (before, after) = (&input.before[..], &input.after[..]);
    if repeated(before).max(repeated(after)) <= MOST_REPEATED {
        return Diff::compute(Algorithm::Histogram, input).hunks().collect();
    }
    let others = |tokens: &[Token]| -> Vec<usize> {
        let places = 0..tokens.len();
        places.filter(|&at| !is_repeated(&tokens[at])).collect()
    };
    let (left, right) = (others(before), others(after));
    let mut input = InternedInput::default();
    input.update_before(left.iter().map(|&at| before[at].0));
    input.update_after(right.iter().map(|&at| after[at].0));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let matches: Vec<(usize, usize)> = equal(&diff, (left.len(), right.len()))
        .flat_map(|(i, j, count)| {
            left[i..][..count]
                .iter()
                .copied()
                .zip(right[j..].iter().copied())
        })
        .collect();
    hunks_around(before, after, &matches)
}

/// The runs of tokens that a diff of lists of these lengths finds equal: where each begins in both, and how many there are.
fn equal(diff: &Diff, lengths: (usize, usize)) -> impl Iterator<Item = (usize, usize, usize)> {
    let ends = (lengths.0 as u32, lengths.1 as u32);
    let behind = Hunk {
        before: ends.0..ends.0,
        after: ends.1..ends.1,
    };
    let mut at = (0, 0);
    diff.hunks().chain([behind]).map(move |hunk| {
        let run = (at.0, at.1, hunk.before.start as usize - at.0);
        at = (hunk.before.end as usize, hunk.after.end as usize);
        run
    })
}

/// The differences of two lists, given the places that match; equal pieces before and after a match, up to the next match, also match.
fn hunks_around(before: &[Token], after: &[Token], matches: &[(usize, usize)]) -> Vec<Hunk> {
    let (mut hunks, mut at) = (Vec::new(), (0, 0));
    let equal = |(a, b): &(&Token, &Token)| a == b;
    for &(here, there) in matches.iter().chain([&(before.len(), after.len())]) {
        let (a, b) = (&before[at.0..here], &after[at.1..there]);
        let behind = a.iter().zip(b).take_while(equal).count();
        let (a, b) = (&a[behind..], &b[behind..]);
        let ahead = a.iter().rev().zip(b.iter().rev()).take_while(equal).count();
        let hunk = Hunk {
            before: (at.0 + behind) as u32..(here - ahead) as u32,
            after: (at.1 + behind) as u32..(there - ahead) as u32,
        };
        if !hunk.before.is_empty() || !hunk.after.is_empty() {
            hunks.push(hunk);
        }
        at = (here + 1, there + 1);
    }
    hunks
}

/// Pieces are equal by their letters; pieces without letters by their text.
fn token<'a>(piece: &Piece, text: &'a str) -> (u64, &'a str) {
    match piece.hash {
        0 => (0, &text[piece.start as usize..piece.end as usize]),
        hash => (hash, ""),
    }
}

fn range(hunk: &Range<u32>) -> Range<usize> {
    hunk.start as usize..hunk.end as usize
}

fn same(a: &[Piece], b: &[Piece], found: &mut Vec<Passage>) {
    for (a, b) in a.iter().zip(b) {
        found.push(Passage {
            a: a.start..a.end,
            b: b.start..b.end,
            kind: PassageKind::Same,
        });
    }
}

/// Compares a changed hunk word by word; false if it has only one side, is too long, or has next to nothing in common.
fn refine(
    (a, left): (&str, &[Piece]),
    (b, right): (&str, &[Piece]),
    found: &mut Vec<Passage>,
) -> bool {
    let whole =
        |pieces: &[Piece]| Some(pieces.first()?.start as usize..pieces.last()?.end as usize);
    let (Some(from), Some(to)) = (whole(left), whole(right)) else {
        return false;
    };
    if from.len() > REFINED || to.len() > REFINED {
        return false;
    }
    let (a_words, b_words) = (words(a, from), words(b, to));
    let mut input = InternedInput::default();
    input.update_before(a_words.iter().map(|word| &a[word.clone()]));
    input.update_after(b_words.iter().map(|word| &b[word.clone()]));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let mut matches = Vec::new();
    for (i, j, count) in equal(&diff, (a_words.len(), b_words.len())) {
        if count == 0 {
            continue;
        }
        let at = |words: &[Range<usize>], from: usize| {
            words[from].start as u32..words[from + count - 1].end as u32
        };
        let (a_range, b_range) = (at(&a_words, i), at(&b_words, j));
        let letters = a[a_range.start as usize..a_range.end as usize].chars();
        if letters.filter(|c| c.is_alphanumeric()).count() >= CHANCE {
            matches.push(Passage {
                a: a_range,
                b: b_range,
                kind: PassageKind::Same,
            });
        }
    }
    let covered: u32 = matches
        .iter()
        .map(|passage| passage.a.end - passage.a.start)
        .sum();
    let shorter = a_words
        .iter()
        .map(ExactSizeIterator::len)
        .sum::<usize>()
        .min(b_words.iter().map(ExactSizeIterator::len).sum());
    // Two unlike sentences share some words by chance; an edited one keeps a good part.
    if (covered as usize) * 5 < shorter * 2 {
        return false;
    }
    found.extend(matches);
    true
}

/// Words where they are written with spaces, characters where they are not, white space left out.
fn words(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, c) in text[range.clone()].char_indices() {
        let (at, end) = (range.start + at, range.start + at + c.len_utf8());
        if c.is_whitespace() {
            open = false;
        } else if open && c.is_alphanumeric() && u32::from(c) < 0x2E80 {
            if let Some(word) = words.last_mut() {
                word.end = end;
            }
        } else {
            words.push(at..end);
            open = c.is_alphanumeric() && u32::from(c) < 0x2E80;
        }
    }
    words
}

/// Pieces that both texts have at different places.
fn moved(
    (left, a): (&[Piece], &[usize]),
    (right, b): (&[Piece], &[usize]),
    found: &mut Vec<Passage>,
) {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for &at in b
        .iter()
        .rev()
        .filter(|&&at| right[at].weight >= MOVED_WEIGHT)
    {
        places.entry(right[at].hash).or_default().push(at);
    }
    for &at in a.iter().filter(|&&at| left[at].weight >= MOVED_WEIGHT) {
        if let Some(place) = places.get_mut(&left[at].hash).and_then(Vec::pop) {
            found.push(Passage {
                a: left[at].start..left[at].end,
                b: right[place].start..right[place].end,
                kind: PassageKind::Moved,
            });
        }
    }
}

/// Joins passages that follow each other in both texts.
fn merge(found: Vec<Passage>) -> Vec<Passage> {
    let mut merged: Vec<Passage> = Vec::new();
    for passage in found {
        match merged.last_mut() {
            Some(last)
                if last.kind == passage.kind
                    && last.a.end == passage.a.start
                    && last.b.end == passage.b.start =>
            {
                last.a.end = passage.a.end;
                last.b.end = passage.b.end;
            }
            _ => merged.push(passage),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages_of(a: &str, b: &str) -> Vec<(String, String, PassageKind)> {
        let text = |text: &str, range: &Range<u32>| {
            text[range.start as usize..range.end as usize]
                .trim()
                .to_owned()
        };
        passages(a, b)
            .iter()
            .map(|p| (text(a, &p.a), text(b, &p.b), p.kind))
            .collect()
    }

    #[test]
    fn an_edited_sentence_is_marked_word_by_word() {
        let found = passages_of(
            "the cat sat on the mat. the end.",
            "the cat lay on the mat. the end.",
        );
        let kept: Vec<&str> = found.iter().map(|(a, ..)| a.as_str()).collect();
        assert_eq!(kept, ["the cat", "on the mat.", "the end."]);
        let found = passages_of("他们昨天去了北京。完了吧。", "他们今天去了北京。完了吧。");
        assert_eq!(found[0].0, "他们");
        assert!(found.iter().any(|(a, ..)| a.starts_with("天去了北京")));
    }

    /// Lines of one word again and again, and some of their own, of which one differs.
    #[test]
    fn repeated_lines_are_compared_around_the_others() {
        let page = |name: &str| {
            let part = "yes.\nno.\n".repeat(1500);
            format!("{part}the ferry was late.\n{part}nobody knows {name} about it.\n{part}")
        };
        let found = passages_of(&page("anything"), &page("something"));
        let kept: Vec<&str> = found.iter().map(|(a, ..)| a.as_str()).collect();
        assert_eq!(kept.len(), 2, "{kept:?}");
        assert!(kept[0].ends_with("nobody knows") && kept[0].contains("the ferry was late"));
        assert!(kept[1].starts_with("about it."));
        // Nothing but these: as far as they are equal from either end.
        let (one, other) = ("yes.\nno.\n".repeat(1500), "no.\nyes.\nyes.\n".repeat(1000));
        let found = passages_of(&one, &other);
        assert!(found.iter().all(|(a, ..)| a.is_empty()), "{found:?}");
        assert_eq!(passages_of(&one, &one).len(), 1);
    }

    #[test]
    fn what_stands_elsewhere_is_moved() {
        let a = "the first paragraph is here. the second paragraph is there. a third one ends it.";
        let b = "the second paragraph is there. a third one ends it. the first paragraph is here.";
        let found = passages_of(a, b);
        assert_eq!(
            found[0],
            (
                "the first paragraph is here.".into(),
                "the first paragraph is here.".into(),
                PassageKind::Moved
            )
        );
        assert_eq!(found[1].2, PassageKind::Same);
        assert_eq!(passages_of("", "x"), []);
        assert_eq!(passages_of("nothing alike here.", "完全不同的内容。"), []);
    }

    #[test]
    fn long_texts_are_compared_to_their_ends() {
        // 5 MB on each side, every tenth sentence changed: hours in quadratic time.
        let sentence = |i: usize, x: usize| format!("sentence number {i} tells of {x} things. ");
        let a: String = (0..120_000).map(|i| sentence(i, i % 7)).collect();
        let b: String = (0..120_000)
            .map(|i| sentence(i, if i % 10 == 0 { 9 } else { i % 7 }))
            .collect();
        let found = passages(&a, &b);
        assert!(found.len() > 12_000);
        let same = "all the same. ".repeat(300_000);
        assert!(!passages(&same, &same[14..]).is_empty());
    }
}
