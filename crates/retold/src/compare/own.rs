//! The own passages of a text, which another text does not have.

use std::ops::Range;

use super::bits::Bits;
use super::word::{Word, hash};

/// Fifths in a word. A word counts five fifths, a single character three, as 20 characters say as much as 12 words.
pub(crate) const WORD: usize = 5;
const CHARACTER: usize = 3;

/// Size of a matching run that ends a passage: four words, or seven characters.
const STRONG: usize = 4 * WORD;

/// Size of a phrase that is searched for anywhere in the other text: three words or five characters.
const PHRASE: usize = 3 * WORD;
/// The size from which passages count as own, in fifths of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnLimit {
    /// Minimum for a single passage.
    pub(crate) least: usize,
    /// Minimum for all passages together, ...
    pub(crate) together: usize,
    /// ... counting only passages of at least this size.
    counted: usize,
}

impl OwnLimit {
    /// The limit in words and as a share of a text of this size; both must be reached.
    pub(crate) fn of(words: usize, share: f64, size: usize) -> OwnLimit {
        let words = (words * WORD).max(1);
        let least = words.max((share * size as f64).ceil() as usize);
        OwnLimit {
            least,
            together: 3 * least,
            counted: words.min(least.div_ceil(4)),
        }
    }
}

/// A passage that the other text has nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnPassage {
    /// From the first own word to the last.
    pub(crate) words: Range<usize>,
    /// The size of its own words, in fifths of a word.
    pub(crate) own: usize,
}

/// The size of a token, in fifths of a word.
pub(crate) fn weight(word: Word) -> usize {
    match word.bytes() {
        0 => CHARACTER,
        _ => WORD,
    }
}

pub(crate) fn size(words: &[Word]) -> usize {
    words.iter().map(|word| weight(*word)).sum()
}

/// For each unmatched word of a text whether it is in a phrase that the other text has. Linear, except for sorting the phrases that seem to
/// be in both.
pub(super) fn moved(words: &[Word], matched: &[bool], other: &[Word]) -> Vec<bool> {
    let mut marks = vec![false; words.len()];
    let starts = (0..words.len()).filter(|&start| !matched[start]);
    let phrases = starts.filter_map(|start| Some((start, phrase(words, start)?)));
    let mut phrases: Vec<(usize, usize, u64)> = phrases
        .map(|(start, phrase)| (start, start + phrase.len(), hash(phrase)))
        .collect();
    // A long text and a part of it share hardly any of these phrases.
    if phrases.len() > other.len() {
        let theirs = (0..other.len()).filter_map(|start| phrase(other, start).map(hash));
        let theirs = Bits::of(theirs, other.len());
        phrases.retain(|(_, _, hash)| theirs.may_have(*hash));
    }
    if phrases.is_empty() {
        return marks;
    }
    // Most phrases of the other text do not even begin like one of these.
    let first = |at: usize| u64::from(words[at].hash());
    let firsts = Bits::of(phrases.iter().map(|phrase| first(phrase.0)), phrases.len());
    let wanted = Bits::of(phrases.iter().map(|phrase| phrase.2), phrases.len());
    let others = (0..other.len()).filter(|&at| firsts.may_have(u64::from(other[at].hash())));
    let others = others.filter_map(|start| phrase(other, start).map(hash));
    let mut others: Vec<u64> = others.filter(|&hash| wanted.may_have(hash)).collect();
    others.sort_unstable();
    for (start, end, hash) in phrases {
        if others.binary_search(&hash).is_ok() {
            marks[start..end].fill(true);
        }
    }
    marks
}

/// The phrase that begins at `start`.
fn phrase(words: &[Word], start: usize) -> Option<&[Word]> {
    let mut size = 0;
    for (at, &word) in words[start..].iter().enumerate() {
        size += weight(word);
        if size >= PHRASE {
            return Some(&words[start..=start + at]);
        }
    }
    None
}

/// The own passages of a text. `matched` says for each word whether the other text has it in its place, `neutral` whether it is elsewhere
/// or in a frame. A passage lies between strong runs of matching words, and its own words outweigh the matching ones: it begins with the
/// first own word and ends where the balance is greatest.
pub(super) fn own_passages(words: &[Word], matched: &[bool], neutral: &[bool]) -> Vec<OwnPassage> {
    let mut found = Vec::new();
    let mut open = Open::default();
    let mut run = 0;
    for (at, &word) in words.iter().enumerate() {
        let weight = weight(word);
        if matched[at] {
            run += weight;
            open.score = open.score.saturating_sub(weight);
            if open.score == 0 || run >= STRONG {
                found.extend(open.close());
            }
            continue;
        }
        run = 0;
        if !neutral[at] {
            open.add(at, weight);
        }
    }
    found.extend(open.close());
    found
}

#[derive(Default)]
struct Open {
    start: usize,
    own: usize,
    score: usize,
    /// The best end so far, with the balance and size up to there.
    best: (usize, usize, usize),
}

impl Open {
    fn add(&mut self, at: usize, weight: usize) {
        if self.own == 0 {
            self.start = at;
        }
        self.own += weight;
        self.score += weight;
        if self.score > self.best.0 {
            self.best = (self.score, at + 1, self.own);
        }
    }

    fn close(&mut self) -> Option<OwnPassage> {
        let passage = (self.own > 0).then_some(OwnPassage {
            words: self.start..self.best.1,
            own: self.best.2,
        });
        *self = Open::default();
        passage
    }
}

impl OwnLimit {
    /// Whether one passage, or all together, reach the limit.
    pub(crate) fn is_reached(self, passages: &[OwnPassage]) -> bool {
        let sizes = passages.iter().map(|passage| passage.own);
        let together: usize = sizes.clone().filter(|own| *own >= self.counted).sum();
        sizes.max().unwrap_or_default() >= self.least || together >= self.together
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{numbered, words};
    use super::*;

    /// The own passages of a text in which these ranges do not match.
    fn own(words: &[Word], differing: &[Range<usize>]) -> Vec<(Range<usize>, usize)> {
        let differs = |at: usize| differing.iter().any(|range| range.contains(&at));
        let matched: Vec<bool> = (0..words.len()).map(|at| !differs(at)).collect();
        let found = own_passages(words, &matched, &vec![false; words.len()]);
        let found = found.into_iter();
        found.map(|passage| (passage.words, passage.own)).collect()
    }

    #[test]
    fn passages_by_hand() {
        let text = words(&numbered(0, 60));
        assert_eq!(own(&text, &[]), []);
        // Twelve words are 60 fifths.
        assert_eq!(own(&text, std::slice::from_ref(&(20..32))), [(20..32, 60)]);
        // Two matching words do not split a longer passage; as many as there are own words do, and four always.
        assert_eq!(own(&text, &[20..24, 26..30]), [(20..30, 40)]);
        assert_eq!(own(&text, &[20..23, 26..30]), [(20..23, 15), (26..30, 20)]);
        assert_eq!(own(&text, &[20..30, 34..44]), [(20..30, 50), (34..44, 50)]);
        assert_eq!(own(&text, &[20..30, 33..43]), [(20..43, 100)]);
        // A last own word that does not outweigh the matching words before it is not in the passage.
        assert_eq!(own(&text, &[20..25, 28..29]), [(20..25, 25)]);
        // Characters count three fifths, so that twenty of them are as much as twelve words.
        let text = words("一 二 三 四 五 六 七 八 九 十 甲 乙 丙 丁 戊 己 庚 辛 壬 癸 子 丑");
        assert_eq!(own(&text, std::slice::from_ref(&(1..21))), [(1..21, 60)]);
    }

    #[test]
    fn what_is_neutral_is_neither_own_nor_shared() {
        let text = words(&numbered(0, 40));
        let matched: Vec<bool> = (0..40).map(|at| !(10..30).contains(&at)).collect();
        let neutral: Vec<bool> = (0..40).map(|at| (15..25).contains(&at)).collect();
        let expected = OwnPassage {
            words: 10..30,
            own: 10 * WORD,
        };
        assert_eq!(own_passages(&text, &matched, &neutral), [expected]);
        assert_eq!(own_passages(&text, &matched, &[true; 40]), []);
    }

    #[test]
    fn limits_by_hand() {
        let least = |words, share, size| OwnLimit::of(words, share, size).least;
        // 5 % of 100 words are five, of 1,000 fifty.
        assert_eq!(least(12, 0.05, 100 * WORD), 12 * WORD);
        assert_eq!(least(12, 0.05, 1000 * WORD), 50 * WORD);
        // A single character is enough.
        assert_eq!(least(0, 0.0, 1000 * WORD), 1);
        let limit = OwnLimit::of(12, 0.05, 100 * WORD);
        let is_reached = |words: &[usize]| {
            let passage = |&words: &usize| OwnPassage {
                words: 0..words,
                own: words * WORD,
            };
            limit.is_reached(&words.iter().map(passage).collect::<Vec<_>>())
        };
        assert!(is_reached(&[12]) && !is_reached(&[11]) && !is_reached(&[]));
        // Three times as much in total: 36 words.
        assert!(is_reached(&[10, 10, 10, 6]) && !is_reached(&[10, 10, 10, 5]));
        // Two words are no passage, however often.
        assert!(!is_reached(&[2; 40]) && is_reached(&[3; 12]));
        // In a long text twelve words are a passage, although they are less than a quarter of its limit of 500.
        let limit = OwnLimit::of(12, 0.05, 10_000 * WORD);
        let passages = |words: usize| {
            let passage = OwnPassage {
                words: 0..words,
                own: words * WORD,
            };
            limit.is_reached(&vec![passage; 1500 / words])
        };
        assert!(passages(12) && !passages(11));
    }

    /// The words in a phrase that the other text has.
    fn found(text: &str, other: &str, matched: &[usize]) -> Vec<usize> {
        let text = words(text);
        let matched: Vec<bool> = (0..text.len()).map(|at| matched.contains(&at)).collect();
        let marks = moved(&text, &matched, &words(other));
        (0..text.len()).filter(|&at| marks[at]).collect()
    }

    #[test]
    fn phrases_by_hand() {
        assert_eq!(found("a b c d e f", "x d e f y", &[]), [3, 4, 5]);
        // Two words, or four characters, may be anywhere.
        assert_eq!(found("a b c d e f", "x e f y d", &[]), [0; 0]);
        assert_eq!(
            found("春 天 来 了 吗 雨", "雪 春 天 来 了 吗", &[]),
            [0, 1, 2, 3, 4]
        );
        assert_eq!(found("春 天 来 了 吗 雨", "雪 春 天 来 了 雨", &[]), [0; 0]);
        // A phrase begins with an unmatched word.
        assert_eq!(found("a b c d", "a b c", &[0]), [0; 0]);
        assert_eq!(found("a b c d", "", &[]), [0; 0]);
    }

    #[test]
    fn no_phrase_seems_to_be_where_it_is_not() {
        assert_eq!(
            found(&numbered(0, 5000), &numbered(6000, 11_000), &[]),
            [0; 0]
        );
    }
}
