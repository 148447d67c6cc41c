//! Bounds that cost less than a comparison.

use super::bits::Bits;
use super::word::Word;
use crate::relation::ratio;

/// The share of these words that are, or seem to be, among the others: one word in nine may share the bit of another.
pub(crate) fn in_common(words: &[Word], others: &[Word]) -> f64 {
    let hash = |word: &Word| u64::from(word.hash());
    share(words.iter().map(hash), others.iter().map(hash))
}

/// The share of pairs of neighbouring words, as [`in_common`].
pub(crate) fn pairs_in_common(words: &[Word], others: &[Word]) -> f64 {
    let pair = |pair: &[Word]| u64::from(pair[0].hash()) << 32 | u64::from(pair[1].hash());
    match words.len() {
        0 | 1 => 1.0,
        _ => share(words.windows(2).map(pair), others.windows(2).map(pair)),
    }
}

fn share(
    parts: impl ExactSizeIterator<Item = u64>,
    others: impl ExactSizeIterator<Item = u64>,
) -> f64 {
    let count = others.len();
    let others = Bits::of(others, count);
    let all = parts.len();
    let common = parts.filter(|&part| others.may_have(part));
    ratio(common.count(), all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::words;
    use super::*;

    #[test]
    fn words_and_pairs_by_hand() {
        let (text, other) = (words("a b c d"), words("c d a b x"));
        assert_eq!(in_common(&text, &other), 1.0);
        // Of the pairs a b, b c and c d, the other has all but b c.
        assert_eq!(pairs_in_common(&text, &other), 2.0 / 3.0);
        assert_eq!(in_common(&words("a b e f"), &words("a b c d")), 0.5);
        assert_eq!(in_common(&text, &[]), 0.0);
        // A single word has no pair that could be missing.
        assert_eq!(pairs_in_common(&words("a"), &words("b")), 1.0);
    }

    proptest! {
        #[test]
        fn never_less_than_there_is(text in "([a-f] ){0,20}", other in "([a-f] ){0,20}") {
            let (text, other) = (words(&text), words(&other));
            let found = text.iter().filter(|word| other.contains(word)).count();
            prop_assert!(in_common(&text, &other) >= ratio(found, text.len()));
            let pairs = text.windows(2).filter(|pair| other.windows(2).any(|other| other == *pair)).count();
            prop_assert!(pairs_in_common(&text, &other) >= ratio(pairs, text.len().max(1) - 1));
        }
    }
}
