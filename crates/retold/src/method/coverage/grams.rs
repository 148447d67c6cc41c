//! The grams of a text for `coverage`, and its share of prose.

use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use xxhash_rust::xxh3::xxh3_64;

use crate::compare::Word;
use crate::text::atoms::{WordLetters, words};
use crate::text::{Text, count_chars};

/// Multiplier of the polynomial over the hashes of a gram's tokens; odd, so that no token is lost.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// A token of a text.
#[derive(Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) hash: u64,
    /// Its byte range in [`Text::folded`].
    pub(crate) start: u32,
    pub(crate) end: u32,
}

pub(crate) fn tokens(text: &Text) -> Vec<Placed> {
    let mut tokens = Vec::with_capacity(text.folded.len() / 3);
    each_token(text, |token| tokens.push(token));
    tokens
}

/// The tokens of a text in the form that alignment uses, without holding the others.
pub(crate) fn words_of(text: &Text) -> Vec<Word> {
    let mut words = Vec::with_capacity(text.folded.len() / 3);
    each_token(text, |token| words.push(word(text, &token)));
    words.shrink_to_fit();
    words
}

/// Passes the tokens of a text to `found`, in order.
#[inline]
fn each_token(text: &Text, mut found: impl FnMut(Placed)) {
    let mut letters = String::new();
    words(text, |start, end, made| {
        let token = &text.folded.as_bytes()[start..end];
        if token.len() <= 3 && token[0].is_ascii_digit() && is_list_number(&text.folded, start, end)
        {
            return;
        }
        let hash = match made {
            // Nearly all tokens; the hash code for longer ones would keep this from being inlined into the loop.
            WordLetters::Ascii if token.len() <= 16 => xxh3_64(token),
            WordLetters::Ascii => long(token),
            WordLetters::Alone => alone(token),
            WordLetters::Mixed => mixed(&text.folded[start..end], &mut letters),
        };
        let (start, end) = (start as u32, end as u32);
        found(Placed { hash, start, end });
    });
}

/// Whether a short number is a list item's: it begins a block, perhaps in parentheses, and the stop after it is not a decimal point.
fn is_list_number(folded: &str, start: usize, end: usize) -> bool {
    let before = folded[..start].trim_end_matches(['(', '#', ' ']);
    let begins = before.is_empty() || before.ends_with('\n');
    let mut behind = folded[end..].chars();
    let is_stop = match behind.next() {
        Some('.') => !behind.next().is_some_and(char::is_alphanumeric),
        next => matches!(next, Some(')' | '、')),
    };
    begins && is_stop && folded[start..end].bytes().all(|byte| byte.is_ascii_digit())
}

#[inline(never)]
fn long(token: &[u8]) -> u64 {
    xxh3_64(token)
}

/// These tokens in the form that alignment uses.
pub(crate) fn aligned<'t>(
    text: &'t Text,
    tokens: &'t [Placed],
) -> impl ExactSizeIterator<Item = Word> + 't {
    tokens.iter().map(|token| word(text, token))
}

fn word(text: &Text, token: &Placed) -> Word {
    let spelled = &text.folded[token.start as usize..token.end as usize];
    let single = single(spelled);
    let is_number = match single {
        Some(c) => counts(c),
        None => spelled.bytes().any(|byte| byte.is_ascii_digit()),
    };
    let letters = if single.is_some() { "" } else { spelled };
    Word::new(token.hash, letters.as_bytes(), is_number)
}

/// A piece of a text: a sentence, or a line without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Its first token.
    pub(crate) start: usize,
    /// A hash of its tokens, in which all numbers are equal.
    pub(crate) hash: u32,
    pub(crate) begins_line: bool,
    /// Whether it ends with a full stop, an exclamation mark or a question mark.
    pub(crate) is_sentence: bool,
}

pub(crate) fn units(text: &Text, tokens: &[Placed]) -> Vec<Unit> {
    let mut units = Vec::new();
    let (mut start, mut hash, mut begins_line) = (0, 0, true);
    for (at, token) in tokens.iter().enumerate() {
        let is_number = text.folded.as_bytes()[token.start as usize].is_ascii_digit();
        let spelled = if is_number { 1 } else { token.hash };
        hash = (u64::rotate_left(hash, 5) ^ spelled).wrapping_mul(BASE);
        let next = tokens
            .get(at + 1)
            .map_or(text.folded.len(), |next| next.start as usize);
        let behind = &text.folded[token.end as usize..next];
        let is_last = at + 1 == tokens.len();
        if behind == " " || behind.is_empty() && !is_last {
            continue;
        }
        let ends_line = behind.contains('\n') || is_last;
        let is_sentence = ends_sentence(behind, is_last);
        if ends_line || is_sentence {
            units.push(Unit {
                start,
                hash: (hash >> 32) as u32,
                begins_line,
                is_sentence,
            });
            (start, hash, begins_line) = (at + 1, 0, ends_line);
        }
    }
    units
}

/// Whether the text after a word ends a sentence; the word may be the last of a text.
fn ends_sentence(behind: &str, is_last: bool) -> bool {
    let mut chars = behind.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '。' | '!' | '?' | '．' | '｡' | '।' | '॥' | '۔' | '።' => return true,
            // Not between digits or inside a file name.
            '.' if chars.peek().map_or(is_last, |next| *next != '.') => return true,
            '\n' => return false,
            _ => {}
        }
    }
    false
}

/// The single character of a token, if it is not ASCII.
pub(crate) fn single(token: &str) -> Option<char> {
    let is_beyond = token.len() > 1 && token.len() <= 4 && !token.as_bytes()[0].is_ascii();
    let mut chars = token.chars();
    let first = chars.next().filter(|_| is_beyond)?;
    chars.as_str().is_empty().then_some(first)
}

/// Whether an ideograph is a token.
fn counts(c: char) -> bool {
    matches!(
        c,
        '〇' | '零'
            | '一'
            | '二'
            | '三'
            | '四'
            | '五'
            | '六'
            | '七'
            | '八'
            | '九'
            | '十'
            | '百'
            | '千'
            | '万'
            | '亿'
    )
}

/// Maps the characters for he, she and it, and for a male and a female you, to one each: older Chinese texts do not distinguish them.
fn variant(c: char) -> char {
    match c {
        '她' | '它' | '牠' | '祂' => '他',
        '妳' => '你',
        c => c,
    }
}

/// The hash of a single-character token, equal for all [variants](variant).
fn alone(token: &[u8]) -> u64 {
    let of_three = |token: &[u8; 3]| match token {
        [0xE5, 0xA5, 0xB9] | [0xE5, 0xAE, 0x83] | [0xE7, 0x89, 0xA0] | [0xE7, 0xA5, 0x82] => {
            xxh3_64("他".as_bytes())
        }
        [0xE5, 0xA6, 0xB3] => xxh3_64("你".as_bytes()),
        token => xxh3_64(token),
    };
    match token.try_into() {
        Ok(token) => of_three(token),
        Err(_) => xxh3_64(token),
    }
}

/// The hash of a token of letters, without accents and other marks, in which editions differ. Uses `letters` as a buffer.
fn mixed(token: &str, letters: &mut String) -> u64 {
    let marked = |c: char| matches!(c, '\u{80}'..='\u{6FF}' | '\u{1E00}'..='\u{1FFF}');
    if !token.contains(|c| marked(c) || variant(c) != c) {
        return xxh3_64(token.as_bytes());
    }
    letters.clear();
    for c in token.chars() {
        if c.is_ascii() {
            letters.push(c);
            continue;
        }
        // Normalisation reorders only marks, which are removed.
        decompose_canonical(c, |part| {
            if canonical_combining_class(part) == 0 {
                letters.push(variant(part));
            }
        });
    }
    xxh3_64(letters.as_bytes())
}

/// A run of consecutive tokens.
pub(super) struct Gram {
    pub(super) hash: u64,
    /// Its byte range in the folded text.
    pub(super) bytes: (u32, u32),
}

/// Every gram of `width` tokens, in order. A shorter text is one gram.
pub(super) fn grams(tokens: &[Placed], width: usize) -> impl Iterator<Item = Gram> {
    let before = width.min(tokens.len()).saturating_sub(1);
    let hashes = rolling(tokens, width, |token| token.hash);
    let ends = tokens.iter().zip(&tokens[before..]);
    ends.zip(hashes).map(|((first, last), hash)| Gram {
        hash,
        bytes: (first.start, last.end),
    })
}

/// Half of the hash of each run of `width` words, in order. One of 4,300 pairs of texts of 1,000 words shares a run by chance.
pub(super) fn runs(words: &[Word], width: usize) -> impl Iterator<Item = u32> {
    rolling(words, width, |word| u64::from(word.hash())).map(|hash| (hash >> 32) as u32)
}

/// The rolling hashes of all runs of `width` parts, or of all parts if they are fewer. Each is a polynomial in the hashes of the parts, so
/// the cost does not depend on the width.
fn rolling<T>(parts: &[T], width: usize, hash: impl Fn(&T) -> u64) -> impl Iterator<Item = u64> {
    let before = width.min(parts.len()).saturating_sub(1);
    let leading = (0..before).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let (head, rest) = parts.split_at(before);
    let add = |sum: u64, part: u64| sum.wrapping_mul(BASE).wrapping_add(part);
    let mut polynomial = head.iter().map(&hash).fold(0, add);
    parts.iter().zip(rest).map(move |(first, last)| {
        let whole = add(polynomial, hash(last));
        polynomial = whole.wrapping_sub(hash(first).wrapping_mul(leading));
        // The polynomial itself is not evenly distributed.
        xxh3_64(&whole.to_le_bytes())
    })
}

/// The share of the text in sentences that end with a full stop, in thousandths of its characters.
pub(super) fn prose(text: &Text) -> u64 {
    let sentences = text.sentences.iter();
    let inside: u64 = sentences
        .map(|s| 1 + count_chars(&text.folded[s.start as usize..s.end as usize]))
        .sum();
    (inside * 1000)
        .checked_div(text.seen_chars())
        .unwrap_or_default()
        .min(1000)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::*;
    use crate::text::testing::text;

    /// Reference implementation of the spelling of a token.
    fn plainly(token: &str) -> u64 {
        let marked = |c: char| matches!(c, '\u{80}'..='\u{6FF}' | '\u{1E00}'..='\u{1FFF}');
        if !token.contains(|c| marked(c) || variant(c) != c) {
            return xxh3_64(token.as_bytes());
        }
        let letters = token.nfd().filter(|&c| canonical_combining_class(c) == 0);
        let letters: String = letters.map(variant).collect();
        xxh3_64(letters.as_bytes())
    }

    /// For each unit its first token, whether it begins a line, and whether it is a sentence.
    fn parts(content: &str) -> Vec<(usize, bool, bool)> {
        let text = text(content);
        let units = units(&text, &tokens(&text));
        let part = |unit: &Unit| (unit.start, unit.begins_line, unit.is_sentence);
        units.iter().map(part).collect()
    }

    #[test]
    fn units_are_sentences_and_lines() {
        assert_eq!(
            parts("Menu\nHe left at 10. So did she!\nContact us"),
            [
                (0, true, false),
                (1, true, true),
                (5, false, true),
                (8, true, false)
            ]
        );
        assert_eq!(
            parts("春天来了。夏天"),
            [(0, true, true), (4, false, false)]
        );
        assert_eq!(parts(""), []);
    }

    #[test]
    fn decimal_points_end_nothing() {
        assert_eq!(parts("It took 1.5 hours, main.c said."), [(0, true, true)]);
    }

    #[test]
    fn numbers_count_as_one_in_a_unit() {
        let hash = |content: &str| {
            let text = text(content);
            units(&text, &tokens(&text))[0].hash
        };
        assert_eq!(hash("Page 7 of 12"), hash("Page 108 of 9"));
        assert_ne!(hash("Page 7 of 12"), hash("Part 7 of 12"));
    }

    #[test]
    fn numbers_of_list_items_are_no_tokens() {
        let tokens_of = |content: &str| {
            let text = text(content);
            let spelled =
                |token: Placed| text.folded[token.start as usize..token.end as usize].to_owned();
            tokens(&text)
                .into_iter()
                .map(spelled)
                .collect::<Vec<String>>()
        };
        let items = "1. Peel 2 onions.\n\n(2) Fry them.\n\n3、加水\n\n#12) Serve.";
        assert_eq!(
            tokens_of(items),
            ["peel", "2", "onions", "fry", "them", "加", "水", "serve"]
        );
        // Amounts, years, versions and chapters are kept.
        let others = "1.5 litres\n\n1984. A year.\n\n2 eggs\n\nabout 3. Then 4.";
        assert_eq!(
            tokens_of(others),
            [
                "1", "5", "litres", "1984", "a", "year", "2", "eggs", "about", "3", "then", "4"
            ]
        );
    }

    proptest! {
        #[test]
        fn tokens_are_spelled_as_the_rules_say(content in "([a-z]{0,20}[éüắжйάكก]{0,2}[她它牠祂妳他你中が가] ?|\\PC){0,40}") {
            let text = text(&content);
            for token in tokens(&text) {
                let spelled = plainly(&text.folded[token.start as usize..token.end as usize]);
                prop_assert_eq!(token.hash, spelled);
            }
        }

        #[test]
        fn grams_are_hashed_as_from_the_start(hashes in prop::collection::vec(any::<u64>(), 0..30), width in 1..9usize) {
            let placed = |hash: u64| Placed { hash, start: 0, end: 0 };
            let tokens: Vec<Placed> = hashes.iter().map(|&hash| placed(hash)).collect();
            let one = |tokens: &[u64]| tokens.iter().fold(0u64, |sum, hash| sum.wrapping_mul(BASE).wrapping_add(*hash));
            let windows = hashes.windows(width.min(hashes.len()).max(1));
            let plainly: Vec<u64> = windows.map(|tokens| xxh3_64(&one(tokens).to_le_bytes())).collect();
            let found: Vec<u64> = grams(&tokens, width).map(|gram| gram.hash).collect();
            prop_assert_eq!(found, plainly);
        }
    }
}
