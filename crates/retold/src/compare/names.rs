//! Names and numbers: whether two texts have the same.

use rustc_hash::FxHashSet;

use super::word::Word;

/// So many of the longest words of each text are looked up in the other: names and terms are long, and what is rare is, too
/// (Zipf 1935, the law of abbreviation).
const LONGEST: usize = 20;

/// How many numbers of a page match or are elsewhere in the other, and how many it has.
pub(crate) fn numbers_found(
    (words, matched): (&[Word], &[bool]),
    other: &[Word],
) -> (usize, usize) {
    let others = other.iter().filter(|word| word.is_number());
    let others: FxHashSet<u32> = others.map(|word| word.hash()).collect();
    let numbers = words
        .iter()
        .zip(matched)
        .filter(|(word, _)| word.is_number());
    numbers.fold((0, 0), |(found, all), (word, &is_matched)| {
        let is_found = is_matched || others.contains(&word.hash());
        (found + usize::from(is_found), all + 1)
    })
}

/// How many of the [`LONGEST`] different words of a page match or are elsewhere in the other, and how many there are.
pub(crate) fn longest_found(
    (words, matched): (&[Word], &[bool]),
    other: &[Word],
) -> (usize, usize) {
    // Descending; of a text nearly all words are shorter than the last of these.
    let mut longest: Vec<(u64, u32)> = Vec::with_capacity(LONGEST + 1);
    for word in words {
        let key = (word.bytes(), word.hash());
        if longest.len() == LONGEST && longest.last() > Some(&key) {
            continue;
        }
        if let Err(at) = longest.binary_search_by(|other| key.cmp(other)) {
            longest.insert(at, key);
            longest.truncate(LONGEST);
        }
    }
    let bit = |hash: u32| 1u64 << (hash % 64);
    let bits = longest.iter().fold(0, |bits, (_, hash)| bits | bit(*hash));
    let matching = words.iter().zip(matched).filter(|(_, is)| **is);
    let all = matching.map(|(word, _)| word).chain(other);
    let mut found = [false; LONGEST];
    for word in all.filter(|word| bits & bit(word.hash()) != 0) {
        let places = longest.iter().zip(&mut found);
        places
            .filter(|((_, hash), _)| *hash == word.hash())
            .for_each(|(_, found)| *found = true);
    }
    (found.iter().filter(|found| **found).count(), longest.len())
}
