//! Blocks: lines of text with collapsed white space, as both HTML and plain text end up.

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
}

impl Blocks {
    /// With room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Blocks {
        Blocks {
            text: Vec::with_capacity(capacity),
            gap: false,
            fresh: true,
            keep_lines: false,
        }
    }

    /// Whether line ends separate blocks from here on.
    pub fn keep_lines(&mut self, keep: bool) {
        self.keep_lines = keep;
    }

    /// Ends the block; a block without text vanishes.
    pub fn end_block(&mut self) {
        self.fresh = true;
        self.gap = false;
    }

    /// Adds text to the block.
    pub fn push(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some((word, space, next)) = split_word(rest) {
            self.word(word);
            if space.is_empty() {
                return;
            }
            self.gap = true;
            if self.keep_lines && memchr::memchr2(b'\n', b'\r', space).is_some() {
                self.end_block();
            }
            rest = next;
        }
    }

    fn word(&mut self, word: &[u8]) {
        if word.is_empty() {
            return;
        }
        if self.fresh {
            if !self.text.is_empty() {
                self.text.push(b'\n');
            }
            self.fresh = false;
        } else if self.gap {
            self.text.push(b' ');
        }
        self.gap = false;
        self.text.extend_from_slice(word);
    }

    /// The text.
    pub fn finish(self) -> String {
        String::from_utf8(self.text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

/// Splits off a word, the white space after it, and the rest. `None` at the end.
fn split_word(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    if text.is_empty() {
        return None;
    }
    let mut end = 0;
    while end < text.len() && space_len(&text[end..]) == 0 {
        end += 1;
    }
    let mut next = end;
    while next < text.len() {
        match space_len(&text[next..]) {
            0 => break,
            length => next += length,
        }
    }
    Some((&text[..end], &text[end..next], &text[next..]))
}

/// The length of the white space character that the bytes begin with, 0 if it is none. Beyond ASCII these are
/// U+0085, U+00A0, U+1680, U+2000-200A, U+2028, U+2029, U+202F, U+205F and U+3000: Chinese pages indent with the last,
/// others with U+00A0.
fn space_len(bytes: &[u8]) -> usize {
    match bytes {
        [b' ' | 0x09..=0x0D, ..] => 1,
        [0xC2, 0x85 | 0xA0, ..] => 2,
        [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}
