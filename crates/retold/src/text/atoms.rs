//! The tokens of shingles, found without a dictionary: words where a script writes spaces, single
//! characters where it does not.

use super::Text;
use super::language::Script;

/// What counts as one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Runs of letters and digits; in scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) single
    /// letters. Punctuation counts nothing.
    Word,
    /// Text between white space.
    Spaced,
    /// Every character but white space.
    Char,
}

/// Hands the byte ranges in [`Text::folded`] of all tokens that methods see to `found`, in order. Linear.
pub fn atoms(text: &Text, token: Token, mut found: impl FnMut(usize, usize)) {
    for (start, block) in text.seen() {
        let mut found = |from: usize, to: usize| found(start + from, start + to);
        match token {
            Token::Word => words(block, &mut found),
            Token::Spaced => spaced(block, &mut found),
            Token::Char => {
                for (at, c) in block.char_indices().filter(|(_, c)| !c.is_whitespace()) {
                    found(at, at + c.len_utf8());
                }
            }
        }
    }
}

/// Blocks hold no other white space than single spaces.
fn spaced(block: &str, found: &mut impl FnMut(usize, usize)) {
    let mut start = 0;
    for end in memchr::memchr_iter(b' ', block.as_bytes()) {
        if end > start {
            found(start, end);
        }
        start = end + 1;
    }
    if block.len() > start {
        found(start, block.len());
    }
}

fn words(block: &str, found: &mut impl FnMut(usize, usize)) {
    let bytes = block.as_bytes();
    let mut start = None;
    let mut at = 0;
    while at < bytes.len() {
        let (length, class) = if bytes[at].is_ascii() {
            let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric();
            match bytes[at..].iter().take_while(is_letter).count() {
                0 => (1, Class::None),
                letters => (letters, Class::Letter),
            }
        } else {
            let c = block[at..].chars().next().unwrap_or_default();
            (c.len_utf8(), class(c))
        };
        if class == Class::Letter {
            start.get_or_insert(at);
        } else {
            if let Some(start) = start.take() {
                found(start, at);
            }
            if class == Class::Alone {
                found(at, at + length);
            }
        }
        at += length;
    }
    if let Some(start) = start {
        found(start, block.len());
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Part of a word.
    Letter,
    /// A token by itself.
    Alone,
    /// Between tokens.
    None,
}

fn class(c: char) -> Class {
    match c {
        // Nearly all that Chinese is written with, so that nothing has to be looked up: ideographs, and the marks between them.
        '\u{4E00}'..='\u{9FFF}' => Class::Alone,
        '\u{3000}'..='\u{3003}' | '\u{2010}'..='\u{2027}' => Class::None,
        c => looked_up(c),
    }
}

fn looked_up(c: char) -> Class {
    if !c.is_alphanumeric() {
        return Class::None;
    }
    match Script::of(c) {
        Script::Han | Script::Japanese | Script::Thai | Script::SouthEastAsian => Class::Alone,
        _ => Class::Letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::text;

    fn tokens(content: &str, token: Token) -> Vec<String> {
        let text = text(content);
        let mut tokens = Vec::new();
        atoms(&text, token, |start, end| {
            tokens.push(text.folded[start..end].to_owned());
        });
        tokens
    }

    #[test]
    fn the_short_way_says_what_the_tables_say() {
        for c in '\0'..=char::MAX {
            assert_eq!(class(c), looked_up(c), "{c:?}");
        }
    }

    #[test]
    fn words_and_single_characters() {
        assert_eq!(
            tokens("It's 5 km, 在3月。\nÜber カナ", Token::Word),
            ["it", "s", "5", "km", "在", "3", "月", "über", "カ", "ナ"]
        );
        assert_eq!(
            tokens("It's 5 km.\nYes", Token::Spaced),
            ["it's", "5", "km.", "yes"]
        );
        assert_eq!(tokens("a 在, b", Token::Char), ["a", "在", ",", "b"]);
        assert!(tokens("", Token::Word).is_empty());
    }
}
