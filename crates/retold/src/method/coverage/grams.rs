//! What `coverage` sees of a text: its grams, and how much of it is prose.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;
use xxhash_rust::xxh3::xxh3_64;

use crate::text::atoms::{Token, atoms};
use crate::text::{Script, Text, count_chars};

/// Multiplier of the polynomial over the hashes of a gram's tokens; odd, so that no token is lost.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The bit of a spelling that says so.
const VARIES: u64 = 1;

/// A token of a text.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    hash: u64,
    start: u32,
    end: u32,
}

/// The tokens of a text, in order.
pub(super) fn tokens(text: &Text) -> Vec<Placed> {
    let mut tokens = Vec::with_capacity(text.folded.len() / 4);
    atoms(text, Token::Word, |start, end| {
        tokens.push(Placed {
            hash: spelled(&text.folded[start..end]),
            start: start as u32,
            end: end as u32,
        });
    });
    tokens
}

/// Which of these tokens of a text are its headline.
pub(super) fn headline(text: &Text, tokens: &[Placed]) -> Range<usize> {
    let bytes = text.headline();
    let before = |byte: usize| tokens.partition_point(|token| (token.start as usize) < byte);
    before(bytes.start)..before(bytes.end)
}

/// How each of these tokens of a text is spelled: its hash, the lowest bit of which says whether it [may vary](may_vary).
pub(super) fn spellings(text: &Text, tokens: &[Placed]) -> Vec<u64> {
    let spelling = |token: &Placed| {
        let varies = varies(&text.folded[token.start as usize..token.end as usize]);
        (token.hash & !VARIES) + u64::from(varies) * VARIES
    };
    tokens.iter().map(spelling).collect()
}

/// Whether a token of this spelling is a character which another edition may spell otherwise.
pub(super) fn may_vary(spelling: u64) -> bool {
    spelling & VARIES != 0
}

/// An ideograph may, but for those that count or name a part.
fn varies(token: &str) -> bool {
    const COUNTS: &str = "〇零一二三四五六七八九十百千万亿两上中下甲乙丙丁";
    let mut token = token.chars();
    let is_ideograph = |c: char| Script::of(c) == Script::Han && !COUNTS.contains(c);
    token.next().is_some_and(is_ideograph) && token.next().is_none()
}

/// The hash of a token, the same for spellings that editions differ in: accents and other marks on letters of alphabets, and
/// the characters for he, she and it, and for a male and a female you, which older Chinese texts do not tell apart.
fn spelled(token: &str) -> u64 {
    let marked = |c: char| matches!(c, '\u{80}'..='\u{6FF}' | '\u{1E00}'..='\u{1FFF}');
    let variant = |c: char| match c {
        '她' | '它' | '牠' | '祂' => '他',
        '妳' => '你',
        c => c,
    };
    if token.is_ascii() {
        return xxh3_64(token.as_bytes());
    }
    let mut rest = token.chars();
    // A character by itself, as in all Chinese text.
    if let (Some(c), "") = (rest.next(), rest.as_str())
        && !marked(c)
    {
        return xxh3_64(variant(c).encode_utf8(&mut [0; 4]).as_bytes());
    }
    if !token.contains(|c| marked(c) || variant(c) != c) {
        return xxh3_64(token.as_bytes());
    }
    let letters = token.nfd().filter(|&c| canonical_combining_class(c) == 0);
    let letters: String = letters.map(variant).collect();
    xxh3_64(letters.as_bytes())
}

/// A run of tokens that follow each other.
pub(super) struct Gram {
    /// The hash of the tokens.
    pub(super) hash: u64,
    /// The number of the first of them.
    pub(super) place: usize,
    /// The bytes of the folded text that they take.
    pub(super) bytes: (u32, u32),
}

/// Every gram of `width` tokens, in order. Fewer tokens are one gram. The hash is a polynomial in the hashes of the
/// tokens, so that the next one costs the same however long a gram is.
pub(super) fn grams(tokens: &[Placed], width: usize) -> impl Iterator<Item = Gram> {
    let width = width.min(tokens.len());
    let leaving = (0..width).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let add = |hash: u64, token: &Placed| hash.wrapping_mul(BASE).wrapping_add(token.hash);
    let (first, rest) = tokens.split_at(width.saturating_sub(1));
    let mut polynomial = first.iter().fold(0, add);
    rest.iter().enumerate().map(move |(place, token)| {
        polynomial = add(polynomial, token);
        if place > 0 {
            let left = tokens[place - 1].hash;
            polynomial = polynomial.wrapping_sub(left.wrapping_mul(leaving));
        }
        Gram {
            // The polynomial by itself is not spread evenly.
            hash: xxh3_64(&polynomial.to_le_bytes()),
            place,
            bytes: (tokens[place].start, token.end),
        }
    })
}

/// The share of the text, in thousandths of its characters, that stands in sentences which a full stop ends.
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
