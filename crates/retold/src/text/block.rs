//! Blocks: lines of text with collapsed white space, as both HTML and plain text end up.

use super::outline::Block;

/// Builds the visible text: blocks separated by one line feed, none empty, white space inside them collapsed.
#[derive(Debug, Default)]
pub struct Blocks {
    text: Vec<u8>,
    /// White space was seen since the last word of this block.
    gap: bool,
    /// Nothing of this block has been written yet.
    fresh: bool,
    /// Line ends separate blocks instead of being white space.
    keep_lines: bool,
    /// The first bytes of a character whose rest has not come yet.
    carry: Vec<u8>,
    /// The following text is inside a link.
    linked: bool,
    /// The element that the following text is in.
    element: usize,
    /// What is known of this block, and of all before it.
    block: Block,
    blocks: Vec<Block>,
}

impl Blocks {
    /// With room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Blocks {
        Blocks {
            text: Vec::with_capacity(capacity),
            fresh: true,
            ..Blocks::default()
        }
    }

    /// Whether line ends separate blocks from here on.
    pub fn keep_lines(&mut self, keep: bool) {
        self.keep_lines = keep;
    }

    /// Whether the text is that of a link from here on.
    pub fn linked(&mut self, linked: bool) {
        self.linked = linked;
    }

    /// The element that the text is in from here on; a block belongs to that in which it begins.
    pub fn enter(&mut self, element: usize) {
        self.element = element;
    }

    /// Ends the block; a block without text vanishes.
    pub fn end_block(&mut self) {
        if !self.fresh {
            self.blocks.push(self.block);
        }
        self.carry.clear();
        self.fresh = true;
        self.gap = false;
    }

    /// Adds text to the block. The bytes are UTF-8, but may be cut inside a character (html5gum does that).
    pub fn push(&mut self, text: &[u8]) {
        let text = self.complete_carry(text);
        let whole = text.len() - incomplete_tail(text);
        self.push_whole(&text[..whole]);
        self.carry.extend_from_slice(&text[whole..]);
    }

    /// Finishes the character that the last piece of text left incomplete; returns the text after it.
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
        let mut rest = text;
        while !rest.is_empty() {
            let end = words_len(rest);
            self.words(&rest[..end]);
            rest = &rest[end..];
            let space = space_run(rest);
            if space == 0 {
                continue;
            }
            self.gap = true;
            if self.keep_lines && memchr::memchr2(b'\n', b'\r', &rest[..space]).is_some() {
                self.end_block();
            }
            rest = &rest[space..];
        }
    }

    fn words(&mut self, words: &[u8]) {
        if words.is_empty() {
            return;
        }
        if self.fresh {
            if !self.text.is_empty() {
                self.text.push(b'\n');
            }
            self.fresh = false;
            self.block = Block {
                element: self.element,
                ..Block::default()
            };
        } else if self.gap {
            self.text.push(b' ');
        }
        self.gap = false;
        self.text.extend_from_slice(words);
        let chars = words
            .iter()
            .filter(|&&b| b & 0xC0 != 0x80 && b != b' ')
            .count() as u64;
        self.block.chars += chars;
        self.block.linked += if self.linked { chars } else { 0 };
    }

    /// The text, and what is known of its blocks.
    pub fn finish(mut self) -> (String, Vec<Block>) {
        self.end_block();
        let text = String::from_utf8(self.text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        (text, self.blocks)
    }
}

/// The number of bytes at the end that begin a character without finishing it.
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

/// What a byte can begin: a word, white space, or a character that has to be looked at.
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

/// The length of the words at the start of the text, up to white space that is more than one space.
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

/// The length of the white space at the start of the text.
fn space_run(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        match space_len(&text[end..]) {
            0 => return end,
            length => end += length,
        }
    }
}

/// The length of the white space character that the bytes begin with, 0 if it is none. Control characters count as
/// white space. Beyond ASCII it is U+0085, U+00A0, U+1680, U+2000-200A, U+2028, U+2029, U+202F, U+205F and U+3000:
/// Chinese pages indent with the last, others with U+00A0.
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
