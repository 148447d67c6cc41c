//! Checks whether two texts have the same names and numbers.

use rustc_hash::FxHashSet;

use super::word::Word;

/// How many of the longest words of each text are looked up in the other: names and terms are long, and so are rare words (Zipf 1935, the
/// law of abbreviation).
const LONGEST: usize = 20;

/// How many of the page's numbers the other has, and how many there are.
pub(crate) fn numbers_found(words: &[Word], other: &[Word]) -> (usize, usize) {
    let others = other.iter().filter(|word| word.is_number());
    let others: FxHashSet<u32> = others.map(|word| word.hash()).collect();
    let numbers = words.iter().filter(|word| word.is_number());
    numbers.fold((0, 0), |(found, all), number| {
        let is_found = others.contains(&number.hash());
        (found + usize::from(is_found), all + 1)
    })
}

/// How many of the page's [`LONGEST`] longest distinct words the other has, and how many there are.
pub(crate) fn longest_found(words: &[Word], other: &[Word]) -> (usize, usize) {
    // Sorted descending; nearly all words are shorter than the last of these.
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
    let mut found = [false; LONGEST];
    for word in other.iter().filter(|word| bits & bit(word.hash()) != 0) {
        let places = longest.iter().zip(&mut found);
        places
            .filter(|((_, hash), _)| *hash == word.hash())
            .for_each(|(_, found)| *found = true);
    }
    (found.iter().filter(|found| **found).count(), longest.len())
}

#[cfg(test)]
mod tests {
    use super::super::testing::words;
    use super::*;

    #[test]
    fn numbers_by_hand() {
        let text = words("on 12 march 1931 with 4 bearings");
        let found = |other: &str| numbers_found(&text, &words(other));
        assert_eq!(found("in 1931 and 12 more"), (2, 3));
        assert_eq!(numbers_found(&words("none"), &text), (0, 0));
    }

    #[test]
    fn the_longest_words_by_hand() {
        let text = words("the bearings of the bridge");
        // The other has two of the four distinct words.
        assert_eq!(longest_found(&text, &words("the old bridge")), (2, 4));
        // The twenty longest of 40 words are looked up.
        let named =
            |name: &str| -> Vec<String> { (10..30).map(|n| format!("{name}{n}")).collect() };
        let (long, short) = (named("longword"), named("s"));
        let text = words(&format!("{} {}", short.join(" "), long.join(" ")));
        let found = longest_found(&text, &words(&long[..15].join(" ")));
        assert_eq!(found, (15, 20));
    }
}
