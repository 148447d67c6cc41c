//! The key by which blocks are equal.

use xxhash_rust::xxh3::xxh3_128;

use crate::text::sentence::without_spaces;
use crate::text::{Folder, TextOptions, count_chars};

/// The key of a block's text, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockKey {
    /// The hash of its folded text with collapsed white space; zero if nothing remains.
    pub hash: u128,
    /// Its characters without white space.
    pub chars: u32,
    /// Its length in half words: a character of a script without spaces counts one, any other word two.
    pub half_words: u32,
}

/// Computes the keys of blocks.
pub(super) struct Keys {
    folder: Folder,
    folded: String,
    collapsed: String,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys {
            folder: TextOptions::default().folder(),
            folded: String::new(),
            collapsed: String::new(),
        }
    }
}

impl Keys {
    pub fn of(&mut self, text: &str) -> BlockKey {
        self.folded.clear();
        self.collapsed.clear();
        self.folder.fold_into(text, &mut self.folded);
        let mut half_words = 0;
        for word in self.folded.split_whitespace() {
            if !self.collapsed.is_empty() {
                self.collapsed.push(' ');
            }
            self.collapsed.push_str(word);
            half_words += half_words_of(word);
        }
        BlockKey {
            hash: match self.collapsed.is_empty() {
                true => 0,
                false => xxh3_128(self.collapsed.as_bytes()),
            },
            chars: count_chars(&self.collapsed) as u32,
            half_words,
        }
    }
}

fn half_words_of(word: &str) -> u32 {
    if word.is_ascii() {
        return 2 * u32::from(word.bytes().any(|byte| byte.is_ascii_alphanumeric()));
    }
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    let (mut single, mut other) = (0, 0);
    letters.for_each(|c| match without_spaces(c) {
        true => single += 1,
        false => other = 2,
    });
    single + other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_and_white_space_count_nothing() {
        let mut keys = Keys::default();
        let key = keys.of("Ｓｈａｒｅ  this\n page");
        assert_eq!(key, keys.of("share\u{a0}this page"));
        assert_eq!((key.chars, key.half_words), (13, 6));
        assert_ne!(key.hash, keys.of("share thispage").hash);
        // Four characters, two alphabetic words, and a dash.
        let key = keys.of("南開大學ABC — naïve");
        assert_eq!((key.chars, key.half_words), (13, 8));
        assert_eq!(keys.of("\u{200b}").hash, 0);
    }
}
