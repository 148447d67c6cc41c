//! The tokens of shingles, found without a dictionary: words in scripts with spaces, single characters in others.

use super::bits;
use super::language::Script;
use super::page_text::Text;

/// What counts as one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Runs of letters and digits; in scripts without reliable spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) single
    /// letters. Punctuation is ignored.
    Word,
    /// Text between white space.
    Spaced,
    /// Every character that is not white space.
    Char,
}

/// What a [`Token::Word`] consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordLetters {
    /// ASCII letters and digits.
    Ascii,
    /// One character of a script without spaces.
    Alone,
    /// WordLetters and digits, not all of them ASCII.
    Mixed,
}

/// Passes the byte ranges in [`Text::folded`] of all tokens that methods see to `found`, in order. Linear.
pub fn atoms(text: &Text, token: Token, mut found: impl FnMut(usize, usize)) {
    if token == Token::Word {
        return words(text, |start, end, _| found(start, end));
    }
    for (start, block) in text.seen() {
        if token == Token::Spaced {
            spaced(block, &mut |from, to| found(start + from, start + to));
            continue;
        }
        for (at, c) in block.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            found(start + at, start + at + c.len_utf8());
        }
    }
}

/// As [`atoms`] with [`Token::Word`], telling what each word consists of.
pub fn words(text: &Text, mut found: impl FnMut(usize, usize, WordLetters)) {
    // A line feed separates tokens like a space, so blocks need not be handled one by one.
    for seen in text.seen_ranges() {
        let mut cutter = Cutter {
            text: &text.folded[..seen.end],
            start: None,
            letters: WordLetters::Ascii,
        };
        let mut at = seen.start;
        while at < seen.end {
            at = cutter.ascii(at, &mut found);
            at = cutter.others(at, &mut found);
        }
        cutter.end(at, &mut found);
    }
}

/// Tokens between spaces; blocks contain no other white space than single spaces.
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

/// Cuts text into words.
struct Cutter<'a> {
    text: &'a str,
    /// Where the open word begins, if one is open.
    start: Option<usize>,
    /// What the open word consists of so far.
    letters: WordLetters,
}

impl Cutter<'_> {
    /// Reads the ASCII text that begins at `at`, many bytes at a time; returns its end.
    fn ascii(&mut self, mut at: usize, found: &mut impl FnMut(usize, usize, WordLetters)) -> usize {
        let bytes = self.text.as_bytes();
        while at < bytes.len() {
            let (letters, others) =
                bits::first(&bytes[at..], |b| (bits::letters(b), bits::others(b)));
            let length = (others.trailing_zeros() as usize).min(bytes.len() - at);
            // A bit is set wherever a word begins or ends.
            let mut edges = letters ^ (letters << 1 | u64::from(self.start.is_some()));
            if length < bits::WIDE {
                edges &= (1 << length) - 1;
            }
            let mut next = || {
                let edge = at + edges.trailing_zeros() as usize;
                let is_one = edges != 0;
                edges &= edges.wrapping_sub(1);
                is_one.then_some(edge)
            };
            if self.start.is_some()
                && let Some(end) = next()
            {
                self.end(end, found);
            }
            while let Some(start) = next() {
                match next() {
                    Some(end) => found(start, end, WordLetters::Ascii),
                    None => (self.start, self.letters) = (Some(start), WordLetters::Ascii),
                }
            }
            at += length;
            if length < bits::WIDE {
                break;
            }
        }
        at
    }

    /// Reads characters beyond ASCII that begin at `at`, and single ASCII ones among them; returns their end.
    fn others(
        &mut self,
        mut at: usize,
        found: &mut impl FnMut(usize, usize, WordLetters),
    ) -> usize {
        let bytes = self.text.as_bytes();
        let is_ideograph = |at: usize| matches!(bytes.get(at), Some(0xE5..=0xE8));
        loop {
            // Covers nearly all of Chinese text.
            if is_ideograph(at) {
                self.end(at, found);
                while is_ideograph(at) {
                    found(at, at + 3, WordLetters::Alone);
                    at += 3;
                }
            }
            let (length, class) = match bytes[at..] {
                [] => return at,
                [0..0x80, 0..0x80, ..] => return at,
                [byte @ 0..0x80, ..] if byte.is_ascii_alphanumeric() => (1, Class::Letter),
                [0..0x80, ..] => (1, Class::None),
                _ => {
                    let c = self.text[at..].chars().next().unwrap_or_default();
                    (c.len_utf8(), class(c))
                }
            };
            if class == Class::Letter {
                let is_ascii =
                    length == 1 && (self.start.is_none() || self.letters == WordLetters::Ascii);
                self.letters = if is_ascii {
                    WordLetters::Ascii
                } else {
                    WordLetters::Mixed
                };
                self.start.get_or_insert(at);
            } else {
                self.end(at, found);
                if class == Class::Alone {
                    found(at, at + length, WordLetters::Alone);
                }
            }
            at += length;
        }
    }

    /// Ends the open word, if there is one.
    fn end(&mut self, at: usize, found: &mut impl FnMut(usize, usize, WordLetters)) {
        if let Some(start) = self.start.take() {
            found(start, at, self.letters);
        }
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
        // The common cases come first, to avoid look-ups: ideographs, and the marks between them.
        '\u{4E00}'..='\u{9FFF}' => Class::Alone,
        '\u{3000}'..='\u{3003}' | '\u{2010}'..='\u{2027}' => Class::None,
        // WordLetters with accents, and Cyrillic.
        '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{24F}' => Class::Letter,
        '\u{400}'..='\u{481}' => Class::Letter,
        // Kana; Hangul syllables, whose words extraction often cuts or joins; box drawings.
        '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{AC00}'..='\u{D7A3}' => Class::Alone,
        '\u{2500}'..='\u{25FF}' => Class::None,
        c => looked_up(c),
    }
}

fn looked_up(c: char) -> Class {
    if !c.is_alphanumeric() {
        return Class::None;
    }
    match Script::of(c) {
        Script::Han | Script::Japanese | Script::Hangul | Script::Thai | Script::SouthEastAsian => {
            Class::Alone
        }
        _ => Class::Letter,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
    fn ideographs_are_known_by_their_first_byte() {
        for c in '\u{5000}'..='\u{8FFF}' {
            assert!(matches!(
                c.encode_utf8(&mut [0; 4]).as_bytes()[0],
                0xE5..=0xE8
            ));
            assert_eq!(class(c), Class::Alone);
        }
    }

    /// Reference implementation: words by the documentation, character by character.
    fn plainly(text: &str) -> Vec<(String, WordLetters)> {
        let (mut found, mut word) = (Vec::new(), String::new());
        for c in text.chars().chain(['\n']) {
            if class(c) == Class::Letter {
                word.push(c);
                continue;
            }
            if !word.is_empty() {
                let letters = if word.is_ascii() {
                    WordLetters::Ascii
                } else {
                    WordLetters::Mixed
                };
                found.push((std::mem::take(&mut word), letters));
            }
            if class(c) == Class::Alone {
                found.push((c.to_string(), WordLetters::Alone));
            }
        }
        found
    }

    proptest! {
        #[test]
        fn words_are_cut_as_one_by_one(
            pieces in prop::collection::vec("[a-z0-9]{1,40}|[ .\n_-]{1,9}|[中文春カナ。]{1,3}|[éжก\u{300}]|.", 0..30)
        ) {
            let text = text(&pieces.concat());
            let mut found = Vec::new();
            words(&text, |start, end, letters| found.push((text.folded[start..end].to_owned(), letters)));
            prop_assert_eq!(found, plainly(&text.folded));
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
