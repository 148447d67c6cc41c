//! Converts positions in the folded text, which methods use, to positions in the visible text.

use crate::text::{Folder, Text, TextOptions};

/// The unit of offsets in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offsets {
    /// Characters (Unicode scalar values), as Python counts.
    Chars,
    /// UTF-16 units, as JavaScript counts.
    Utf16,
}

/// A text for display.
pub struct Shown {
    /// The visible text, truncated at the limit.
    pub text: String,
    /// Whether it was truncated.
    pub cut: bool,
    /// For each byte of the folded text the byte of the visible text; one more at the end.
    visible: Vec<u32>,
    /// For each byte of `text` the number of units before it; one more at the end.
    units: Vec<u32>,
}

impl Shown {
    /// `limit` is in characters.
    pub fn new(text: &Text, options: &TextOptions, limit: usize, offsets: Offsets) -> Shown {
        let end = text
            .visible
            .char_indices()
            .nth(limit)
            .map_or(text.visible.len(), |(at, _)| at);
        let shown = text.visible[..end].to_owned();
        let mut units = Vec::with_capacity(end + 1);
        let mut before = 0;
        for c in shown.chars() {
            units.extend(std::iter::repeat_n(before, c.len_utf8()));
            before += if offsets == Offsets::Utf16 {
                c.len_utf16() as u32
            } else {
                1
            };
        }
        units.push(before);
        Shown {
            cut: end < text.visible.len(),
            visible: map(text, options),
            text: shown,
            units,
        }
    }

    /// The bytes of the shown text for a byte range of the folded one; `None` if truncated.
    pub fn bytes(&self, start: u32, end: u32) -> Option<(usize, usize)> {
        let at = |folded: u32| self.visible.get(folded as usize).map(|&at| at as usize);
        let (start, end) = (at(start)?, at(end)?);
        (start < end && start < self.text.len()).then(|| (start, end.min(self.text.len())))
    }

    /// As [`Shown::bytes`], in offsets.
    pub fn places(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let (start, end) = self.bytes(start, end)?;
        Some((*self.units.get(start)?, *self.units.get(end)?))
    }

    /// The offset of a byte of the folded text, or the end of the shown text if truncated before.
    pub(super) fn offset(&self, folded: u32) -> u32 {
        self.units[(self.visible[folded as usize] as usize).min(self.text.len())]
    }
}

/// Maps bytes of the folded text to characters of [`Text::shown`].
pub(crate) struct ShownPlaces {
    shown: Shown,
    /// For each block that methods do not see, its end in characters of the visible text, and the number of characters in such blocks up to
    /// there, with line feeds.
    hidden: Vec<(u32, u32)>,
}

impl ShownPlaces {
    pub(crate) fn of(text: &Text, options: &TextOptions) -> ShownPlaces {
        let (mut at, mut before, mut hidden) = (0, 0, Vec::new());
        for (block, is_main) in text.visible.split('\n').zip(&text.main) {
            let length = block.chars().count() as u32 + 1;
            at += length;
            if !is_main {
                before += length;
                hidden.push((at, before));
            }
        }
        ShownPlaces {
            shown: Shown::new(text, options, usize::MAX, Offsets::Chars),
            hidden,
        }
    }

    /// The characters of [`Text::shown`] for a byte range of the folded text.
    pub(crate) fn places(&self, first: u32, last: u32) -> (u32, u32) {
        let (begin, end) = self.shown.places(first, last).unwrap_or_default();
        let hidden_before = |at: u32| -> u32 {
            let before = self.hidden.partition_point(|(end, _)| *end <= at);
            before.checked_sub(1).map_or(0, |last| self.hidden[last].1)
        };
        (begin - hidden_before(begin), end - hidden_before(end))
    }
}

/// For each byte of the folded text the byte of the visible text. Both have the same blocks.
fn map(text: &Text, options: &TextOptions) -> Vec<u32> {
    let folder = options.folder();
    let ascii = folded_ascii(&folder);
    let mut map = Vec::with_capacity(text.folded.len() + 1);
    let (mut visible_at, mut buffer) = (0, String::new());
    let mut visible = text.visible.split('\n');
    for folded in text.folded.split('\n') {
        let block = visible.next().unwrap_or_default();
        map_block(
            block,
            folded,
            visible_at,
            &folder,
            &ascii,
            &mut buffer,
            &mut map,
        );
        visible_at += block.len();
        // The line feed, or the end.
        map.push(visible_at as u32);
        visible_at += 1;
    }
    map
}

/// The most characters that are folded together, if one alone does not fold to the characters in the folded text.
const TRIED_TOGETHER: usize = 8;

/// The folded form of each ASCII character, if it is a single one.
fn folded_ascii(folder: &Folder) -> [Option<u8>; 128] {
    let mut buffer = String::new();
    std::array::from_fn(|byte| {
        buffer.clear();
        folder.fold_into(char::from(byte as u8).encode_utf8(&mut [0]), &mut buffer);
        match buffer.as_bytes() {
            [folded] => Some(*folded),
            _ => None,
        }
    })
}

fn map_block(
    block: &str,
    folded: &str,
    offset: usize,
    folder: &Folder,
    ascii: &[Option<u8>; 128],
    buffer: &mut String,
    map: &mut Vec<u32>,
) {
    let (mut at, mut done) = (0, 0);
    'next: while at < block.len() {
        // A fast path for most characters of most texts.
        let plain = ascii.get(usize::from(block.as_bytes()[at]));
        if let Some(Some(plain)) = plain
            && folded.as_bytes().get(done) == Some(plain)
        {
            map.push((offset + at) as u32);
            (at, done) = (at + 1, done + 1);
            continue;
        }
        let mut ends = block[at..]
            .char_indices()
            .map(|(end, c)| at + end + c.len_utf8());
        for end in ends.by_ref().take(TRIED_TOGETHER) {
            buffer.clear();
            folder.fold_into(&block[at..end], buffer);
            if folded[done..].starts_with(buffer.as_str()) {
                map.extend(std::iter::repeat_n((offset + at) as u32, buffer.len()));
                (at, done) = (end, done + buffer.len());
                continue 'next;
            }
        }
        break;
    }
    // Where the texts cannot be aligned further, the rest is spread evenly.
    let (left, room) = (folded.len() - done, block.len() - at);
    for step in 0..left {
        let mut place = at + step * room / left.max(1);
        while !block.is_char_boundary(place) {
            place -= 1;
        }
        map.push((offset + place) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::text;

    #[test]
    fn positions_lead_back_to_what_people_see() {
        let original = "ＡＢＣ　é e\u{301} 漢字…終。\n第二行 ǅ";
        let text = text(original);
        let shown = Shown::new(&text, &TextOptions::default(), 1000, Offsets::Utf16);
        for (folded, visible) in [
            ("abc", "ＡＢＣ"),
            ("汉字", "漢字"),
            ("...", "…"),
            ("第二行", "第二行"),
        ] {
            let start = text.folded.find(folded).unwrap();
            let (start, end) = shown
                .bytes(start as u32, (start + folded.len()) as u32)
                .unwrap();
            assert_eq!(&shown.text[start..end], visible);
        }
        assert_eq!(*shown.visible.last().unwrap() as usize, text.visible.len());
        assert_eq!(shown.visible.len(), text.folded.len() + 1);
        let (start, end) = (
            text.folded.find('汉').unwrap() as u32,
            text.folded.find('终').unwrap() as u32,
        );
        let (from, to) = shown.places(start, end).unwrap();
        let units: Vec<u16> = shown.text.encode_utf16().collect();
        assert_eq!(
            String::from_utf16(&units[from as usize..to as usize]).unwrap(),
            "漢字…"
        );
    }

    #[test]
    fn a_limit_cuts_and_says_so() {
        let shown = Shown::new(
            &text("一二三四五六。七八九十。"),
            &TextOptions::default(),
            4,
            Offsets::Chars,
        );
        assert_eq!((shown.text.as_str(), shown.cut), ("一二三四", true));
        assert_eq!(shown.bytes(0, 18), Some((0, 12)));
        assert_eq!(shown.bytes(21, 24), None);
    }
}
