//! Blocks: lines of text with collapsed white space, made from HTML or plain text.

use super::bits;
use super::count::count_chars;
use super::outline::{Block, BlockFacts};

/// The blocks of a visible or folded text, which line feeds separate.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    ends.map(move |end| {
        let block = &text[start..end];
        start = end + 1;
        block
    })
}

/// Builds the visible text: non-empty blocks separated by one line feed, with white space inside them collapsed.
#[derive(Debug, Default)]
pub struct Blocks {
    text: String,
    /// White space was read since the last word of this block.
    gap: bool,
    /// Nothing of this block was written yet.
    fresh: bool,
    /// Line ends separate blocks instead of being white space.
    keep_lines: bool,
    /// The first bytes of an incomplete character.
    carry: Vec<u8>,
    /// Where the uncounted text of the open link begins, if a link is open.
    link: Option<usize>,
    /// The element that the following text is in.
    element: usize,
    /// The facts about this block, its start, and the facts about the blocks before it if they are wanted.
    block: Block,
    start: usize,
    facts: BlockFacts,
    is_plain: bool,
}

impl Blocks {
    pub fn with_capacity(capacity: usize) -> Blocks {
        Blocks {
            text: String::with_capacity(capacity),
            fresh: true,
            ..Blocks::default()
        }
    }

    /// For plain text, whose blocks have no facts to note.
    pub fn of_plain(capacity: usize) -> Blocks {
        Blocks {
            is_plain: true,
            ..Blocks::with_capacity(capacity)
        }
    }

    /// Sets whether line ends separate blocks from here on.
    pub fn keep_lines(&mut self, keep: bool) {
        self.keep_lines = keep;
    }

    /// Sets whether the text is in a link from here on.
    pub fn linked(&mut self, linked: bool) {
        self.count_link();
        self.link = linked.then_some(self.text.len());
    }

    /// Counts the text of the open link.
    fn count_link(&mut self) {
        if let Some(from) = &mut self.link {
            self.block.linked += count_chars(&self.text[*from..]);
            *from = self.text.len();
        }
    }

    /// Sets the element of the text from here on; a block belongs to the element in which it begins.
    pub fn enter(&mut self, element: usize) {
        self.element = element;
    }

    /// Ends the block; a block without text vanishes.
    pub fn end_block(&mut self) {
        self.count_link();
        if !self.fresh && !self.is_plain {
            self.block.chars = count_chars(&self.text[self.start..]);
            self.facts.push(self.block);
        }
        self.carry.clear();
        self.fresh = true;
        self.gap = false;
    }

    /// Adds text that may be cut inside a character (html5gum does that).
    pub fn push_bytes(&mut self, text: &[u8]) {
        // Between tags there is mostly only white space.
        if self.carry.is_empty() && !self.keep_lines && text.iter().all(|&byte| byte <= b' ') {
            self.gap |= !text.is_empty();
            return;
        }
        let text = self.complete_carry(text);
        let whole = text.len() - incomplete_tail(text);
        self.push_whole(&text[..whole]);
        self.carry.extend_from_slice(&text[whole..]);
    }

    /// Completes the character that the previous piece left unfinished; returns the text after it.
    fn complete_carry<'a>(&mut self, text: &'a [u8]) -> &'a [u8] {
        if self.carry.is_empty() {
            return text;
        }
        let mut carry = std::mem::take(&mut self.carry);
        let mut used = 0;
        while used < text.len() && incomplete_tail(&carry) > 0 {
            carry.push(text[used]);
            used += 1;
        }
        if incomplete_tail(&carry) > 0 {
            self.carry = carry;
        } else {
            self.push_whole(&carry);
        }
        &text[used..]
    }

    fn push_whole(&mut self, text: &[u8]) {
        match simdutf8::basic::from_utf8(text) {
            Ok(text) => self.push(text),
            Err(_) => self.push(&String::from_utf8_lossy(text)),
        }
    }

    pub fn push(&mut self, text: &str) {
        let mut rest = self.space(text);
        if is_collapsed(rest.as_bytes()) {
            return self.words(rest);
        }
        while !rest.is_empty() {
            let (words, after) = rest.split_at(words_len(rest.as_bytes()));
            self.words(words);
            rest = self.space(after);
        }
    }

    /// Takes white space from the start of the text; returns the rest.
    fn space<'a>(&mut self, text: &'a str) -> &'a str {
        if let Some(b'!'..=b'~') = text.as_bytes().first() {
            return text;
        }
        let (space, rest) = text.split_at(space_run(text.as_bytes()));
        if !space.is_empty() {
            self.gap = true;
            if self.keep_lines && memchr::memchr2(b'\n', b'\r', space.as_bytes()).is_some() {
                self.end_block();
            }
        }
        rest
    }

    pub fn space_between(&mut self) {
        self.gap = true;
    }

    /// Adds text whose white space is already single spaces between words.
    pub fn words(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        if self.fresh {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.fresh = false;
            self.start = self.text.len();
            self.block = Block {
                element: self.element,
                ..Block::default()
            };
        } else if self.gap {
            self.text.push(' ');
        }
        self.gap = false;
        self.text.push_str(words);
    }

    /// The text and the facts about its blocks.
    pub fn finish(mut self) -> (String, BlockFacts) {
        self.end_block();
        (self.text, self.facts)
    }
}

/// The number of bytes at the end that form an incomplete character.
fn incomplete_tail(text: &[u8]) -> usize {
    let from = text.len().saturating_sub(3);
    let Some(lead) = text[from..].iter().rposition(|b| b & 0xC0 != 0x80) else {
        return 0;
    };
    let have = text.len() - from - lead;
    let need = match text[from + lead] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    };
    if have < need { have } else { 0 }
}

/// Whether white space in the text is only single spaces between words. May return false for such a text: the check treats all bytes alike,
/// so that the compiler can vectorise it.
fn is_collapsed(text: &[u8]) -> bool {
    let [first, .., before, last] = text else {
        return false;
    };
    if [first, before, last]
        .iter()
        .any(|byte| matches!(byte, 0..=b' ' | 0x7F | 0xC2))
    {
        return false;
    }
    // Stretches have one length; the last may overlap the one before, so that no remainder is left.
    let starts = text.len() - 2;
    let mut at = 0;
    while at + STRETCH <= starts {
        if is_odd(&text[at..]) {
            return false;
        }
        at += STRETCH;
    }
    match starts.checked_sub(STRETCH) {
        Some(last) => !is_odd(&text[last..]),
        None => {
            let mut filled = [b'a'; STRETCH + 2];
            filled[..text.len()].copy_from_slice(text);
            !is_odd(&filled)
        }
    }
}

/// Length of a stretch in bytes.
const STRETCH: usize = 16;

/// Whether a stretch may contain white space other than single spaces.
fn is_odd(text: &[u8]) -> bool {
    let stretch = text.first_chunk::<{ STRETCH + 2 }>();
    stretch.is_some_and(|stretch| bits::may_be_space(stretch) && is_surely_odd(stretch))
}

/// Decides exactly, also about characters that share their first byte with white space.
fn is_surely_odd(text: &[u8; STRETCH + 2]) -> bool {
    let bytes = text.iter().zip(&text[1..]).zip(&text[2..]);
    let odd = bytes.fold(0, |odd, ((&a, &b), &c)| {
        let space = (a < b' ') | (a == 0x7F) | (a == b' ') & (b == b' ');
        let two = (a == 0xC2) & ((b == 0x85) | (b == 0xA0));
        let three = (a == 0xE3) & (b == 0x80) & (c == 0x80) | (a == 0xE1) & (b == 0x9A);
        let general = (a == 0xE2) & ((b == 0x81) | (b == 0x80) & !(0x8B..0xA8).contains(&c));
        odd | u8::from(space | two | three | general)
    });
    odd != 0
}

/// What a byte can begin: a word, white space, or a character that must be examined.
const WORD: u8 = 0;
const SPACE: u8 = 1;
const LOOK: u8 = 2;

const CLASS: [u8; 256] = {
    let mut class = [WORD; 256];
    let mut i = 0;
    while i <= b' ' as usize {
        class[i] = SPACE;
        i += 1;
    }
    class[0x7F] = SPACE;
    class[0xC2] = LOOK;
    class[0xE1] = LOOK;
    class[0xE2] = LOOK;
    class[0xE3] = LOOK;
    class
};

fn class_of(byte: u8) -> u8 {
    CLASS[usize::from(byte)]
}

/// The length of the words at the start of the text, up to white space of more than one space.
fn words_len(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let Some(skip) = text[end..].iter().position(|&b| class_of(b) != WORD) else {
            return text.len();
        };
        end += skip;
        let single =
            end > 0 && text[end] == b' ' && text.get(end + 1).is_some_and(|&b| class_of(b) == WORD);
        if !single && space_len(&text[end..]) > 0 {
            return end;
        }
        end += 1;
    }
}

fn space_run(text: &[u8]) -> usize {
    // Usually spaces.
    let mut end = text.iter().take_while(|&&byte| byte == b' ').count();
    loop {
        match space_len(&text[end..]) {
            0 => return end,
            length => end += length,
        }
    }
}

/// The length of the white space character at the start of the bytes, 0 if there is none. Control characters count as white space. Beyond
/// ASCII these are U+0085, U+00A0, U+1680, U+2000-200A, U+2028, U+2029, U+202F, U+205F and U+3000; Chinese pages indent with the last,
/// others with U+00A0.
fn space_len(bytes: &[u8]) -> usize {
    match bytes {
        [0x00..=0x20 | 0x7F, ..] => 1,
        [0xC2, 0x85 | 0xA0, ..] => 2,
        [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reference implementation: collapses white space by the documentation, character by character.
    fn plainly(text: &str) -> String {
        let is_space = |c: char| {
            c.is_whitespace() || c < ' ' || c == '\u{7F}' || ('\u{2000}'..='\u{200A}').contains(&c)
        };
        let words = text.split(is_space).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }

    fn hard_text() -> impl Strategy<Value = String> {
        let hard = "ab.é“”…，。、　\u{A0}\u{85}\u{1680}\u{2003}\u{200B}\u{2028}\u{202F}\u{205F}\u{2060}\t\n\r\u{1}\u{7F}𠀀";
        let hard = prop::sample::select(hard.chars().collect::<Vec<_>>());
        let char = prop_oneof![12 => Just('x'), 3 => Just(' '), 2 => hard, 1 => any::<char>()];
        prop::collection::vec(char, 0..70).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn white_space_collapses_as_one_by_one(text in hard_text()) {
            let mut blocks = Blocks::with_capacity(0);
            blocks.push(&text);
            prop_assert_eq!(blocks.finish().0, plainly(&text));
        }

        #[test]
        fn text_may_come_in_pieces_cut_anywhere(text in hard_text(), cuts in prop::collection::vec(0..200usize, 0..4)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            cuts.push(bytes.len());
            let mut blocks = Blocks::with_capacity(0);
            let mut from = 0;
            for cut in cuts {
                blocks.push_bytes(&bytes[from..cut]);
                from = cut;
            }
            prop_assert_eq!(blocks.finish().0, plainly(&text));
        }
    }
}
