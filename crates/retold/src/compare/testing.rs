//! Words for tests.

use xxhash_rust::xxh3::xxh3_64;

use super::word::Word;

/// The words of a text, separated by spaces. Ideographs are single characters; words with a digit are numbers.
pub(super) fn words(text: &str) -> Vec<Word> {
    let word = |word: &str| {
        let is_single = !word.is_ascii() && word.chars().count() == 1;
        let letters = if is_single { "" } else { word };
        let is_number = word.contains(|c: char| c.is_ascii_digit());
        Word::new(xxh3_64(word.as_bytes()), letters.as_bytes(), is_number)
    };
    text.split_whitespace().map(word).collect()
}

/// The words `from` to `to` of an endless text, of three letters each.
pub(super) fn numbered(from: usize, to: usize) -> String {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    let word = |n: usize| [letter(n / 676), letter(n / 26), letter(n)];
    let words: Vec<String> = (from..to).map(|n| word(n).iter().collect()).collect();
    words.join(" ")
}
