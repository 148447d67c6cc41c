//! The words of plain text, and the runs of words that make passages.

use std::ops::Range;

use super::parts::{lines, paragraphs};
use super::sentence::without_spaces;

/// A word, or a character in scripts without spaces. Marks after it belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    start: u32,
    end: u32,
    is_character: bool,
}

/// The weights of a word and of a character: 25 words count as much as 40 characters.
const WEIGHT: [u32; 2] = [8, 5];

impl Word {
    /// Its bytes in the text.
    pub fn place(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn weight(&self) -> u32 {
        WEIGHT[usize::from(self.is_character)]
    }

    /// Two for a word, one for a character.
    fn half_words(&self) -> u32 {
        2 - u32::from(self.is_character)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Paragraph {
    /// Its bytes in the text, including the blank lines after it.
    pub place: Range<usize>,
    pub words: Vec<Word>,
    /// The number of half words before each word, and after the last.
    pub before: Vec<u32>,
}

impl Paragraph {
    /// For each word, the shortest run from there that weighs as much as `least` words.
    pub fn runs(&self, least: u32) -> impl Iterator<Item = Range<usize>> + '_ {
        let least = u64::from(least) * u64::from(WEIGHT[0]);
        let (mut end, mut weight) = (0, 0u64);
        (0..self.words.len()).map_while(move |start| {
            while weight < least && end < self.words.len() {
                weight += u64::from(self.words[end].weight());
                end += 1;
            }
            let is_enough = weight >= least;
            weight -= u64::from(self.words[start].weight());
            is_enough.then_some(start..end)
        })
    }
}

/// The paragraphs of a text of at most 4 GiB with their words. In HTML each block is a line, so lines are paragraphs.
pub(crate) fn paragraphs_of_words(
    text: &str,
    is_html: bool,
) -> impl Iterator<Item = Paragraph> + '_ {
    let places: Vec<Range<usize>> = match is_html {
        true => lines(text).collect(),
        false => paragraphs(text),
    };
    let mut at = 0u32;
    places.into_iter().map(move |place| {
        let words = words(text, place.clone());
        let mut before = Vec::with_capacity(words.len() + 1);
        before.push(at);
        for word in &words {
            at = at.saturating_add(word.half_words());
            before.push(at);
        }
        Paragraph {
            place,
            words,
            before,
        }
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Piece {
    Word,
    Character,
    Marks,
}

fn words(text: &str, part: Range<usize>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    // Start of marks before the first word, which belong to that word.
    let mut marks = None;
    let mut add = |place: Range<usize>, piece: Piece| match (piece, words.last_mut()) {
        (Piece::Marks, Some(last)) => last.end = place.end as u32,
        (Piece::Marks, None) => {
            marks.get_or_insert(place.start);
        }
        (Piece::Word | Piece::Character, _) => words.push(Word {
            start: marks.take().unwrap_or(place.start) as u32,
            end: place.end as u32,
            is_character: piece == Piece::Character,
        }),
    };
    let mut at = part.start;
    for word in text[part].split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let word = word.trim_end();
        if !word.is_empty() {
            pieces(word, |piece, kind| {
                add(start + piece.start..start + piece.end, kind);
            });
        }
    }
    words
}

/// Passes the pieces of a text without spaces to `take`, in order.
fn pieces(word: &str, mut take: impl FnMut(Range<usize>, Piece)) {
    let kind = |piece: &str| match piece.chars().any(char::is_alphanumeric) {
        true => Piece::Word,
        false => Piece::Marks,
    };
    if word.is_ascii() {
        return take(0..word.len(), kind(word));
    }
    let mut start = 0;
    for (at, c) in word.char_indices() {
        if without_spaces(c) && c.is_alphanumeric() {
            if start < at {
                take(start..at, kind(&word[start..at]));
            }
            start = at + c.len_utf8();
            take(at..start, Piece::Character);
        } else if start > 0
            && start < at
            && c.is_alphanumeric()
            && kind(&word[start..at]) == Piece::Marks
        {
            // Marks belong to the character before them.
            take(start..at, Piece::Marks);
            start = at;
        }
    }
    if start < word.len() {
        take(start..word.len(), kind(&word[start..]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let all = paragraphs_of_words(text, false);
        let places = all.flat_map(|of| of.words.into_iter().map(|word| word.place()));
        places.map(|place| &text[place]).collect()
    }

    #[test]
    fn marks_belong_to_the_word_before_them() {
        assert_eq!(
            texts("  – He said,  “go” … 南开 大学。ABC大”\n\n* * *\n\n- naïve "),
            [
                "– He",
                "said,",
                "“go” …",
                "南",
                "开",
                "大",
                "学。",
                "ABC",
                "大”",
                "- naïve"
            ]
        );
        assert_eq!(texts(" \n\n - \n"), [""; 0]);
    }

    #[test]
    fn runs_are_of_words_or_of_as_much_in_characters() {
        let of = |text: &str, least: u32| -> Vec<Vec<(usize, usize)>> {
            let ends = |run: Range<usize>| (run.start, run.end);
            let all = paragraphs_of_words(text, false);
            all.map(|of| of.runs(least).map(ends).collect()).collect()
        };
        assert_eq!(of("a b c d\n\ne f", 3), [vec![(0, 3), (1, 4)], vec![]]);
        assert_eq!(of("a b\n\nc d", 2), [[(0, 2)], [(0, 2)]]);
        // Five words weigh 40, as do eight characters; seven characters and a word 43, six and a word 38.
        assert_eq!(of("一二三四五六七八九", 5), [[(0, 8), (1, 9)]]);
        assert_eq!(of("a一二三四五六七", 5), [[(0, 8)]]);
        assert_eq!(of("a一二三四五六", 5), [vec![]]);
    }

    #[test]
    fn half_words_are_counted_from_the_beginning_of_the_text() {
        let before: Vec<Vec<u32>> = paragraphs_of_words("a b\n\n一 c", false)
            .map(|of| of.before)
            .collect();
        assert_eq!(before, [[0, 2, 4], [4, 5, 7]]);
    }
}
