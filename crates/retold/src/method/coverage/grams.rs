//! What `coverage` sees of a text: its grams, and how much of it is prose.

use xxhash_rust::xxh3::xxh3_64;

use crate::text::atoms::{Token, atoms};
use crate::text::{Text, count_chars};

/// Multiplier of the polynomial over the hashes of a gram's tokens; odd, so that no token is lost.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Set, in proofs, in the hash of a gram that is common in the collection; free for that in every gram.
pub(super) const COMMON: u64 = 1;

/// Hands every gram, the hash of `width` tokens that follow each other, to `found`, with its byte range in the folded
/// text, in order. A text of fewer tokens is one gram. The hash is a polynomial in the hashes of the tokens, so that
/// the next one costs the same however long a gram is.
pub(super) fn grams(text: &Text, width: usize, mut found: impl FnMut(u64, u32, u32)) {
    let leaving = (0..width).fold(1u64, |power, _| power.wrapping_mul(BASE));
    // The last `width` tokens, each with the byte at which it begins.
    let mut ring: Vec<(u64, usize)> = Vec::with_capacity(width);
    let (mut hash, mut count, mut last) = (0u64, 0usize, 0usize);
    atoms(text, Token::Word, |start, end| {
        let token = xxh3_64(&text.folded.as_bytes()[start..end]);
        hash = hash.wrapping_mul(BASE).wrapping_add(token);
        if count < width {
            ring.push((token, start));
        } else {
            let (old, _) = std::mem::replace(&mut ring[count % width], (token, start));
            hash = hash.wrapping_sub(old.wrapping_mul(leaving));
        }
        count += 1;
        last = end;
        if count >= width {
            found(spread(hash), ring[count % width].1 as u32, end as u32);
        }
    });
    if let Some(&(_, first)) = ring.first()
        && count < width
    {
        found(spread(hash), first as u32, last as u32);
    }
}

/// A hash of the polynomial, which by itself is not spread evenly; leaves [`COMMON`] free.
fn spread(polynomial: u64) -> u64 {
    xxh3_64(&polynomial.to_le_bytes()) & !COMMON
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
