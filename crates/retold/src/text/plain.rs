//! Plain text and Markdown to blocks.
//!
//! A line end in plain text may end a paragraph, or only a full line. Articles in JSON mostly have one line per paragraph; mail, manuals
//! and government pages wrap paragraphs at about 70 columns, where a sentence must not end with its line. A blank line always ends a block.
//! Between two other lines the break is soft, that is, a space (nothing between two CJK characters), in two cases:
//!
//! - the paragraph's lines are 40 to 132 columns wide, and the next line's first word would not have fitted on this one;
//! - the line has 40 columns or more, ends in a letter or comma, and the next one continues in lower case.
//!
//! A line that begins like a list item, a heading, a quotation or a table row always begins a block. Measured on `webis`: of 1,000 line
//! ends in `terabyte` that are certainly inside a sentence 2 stay hard; in `core`, which has one line per paragraph, 12 of 7,328 become
//! soft.

use std::cell::Cell;

use super::bits;
use super::block::Blocks;

/// Minimum columns of a wrapped line.
const NARROWEST: usize = 40;
/// Maximum columns of a wrapped line.
const WIDEST: usize = 132;
/// The width of a line that was not counted yet.
const UNCOUNTED: u32 = u32::MAX;

/// The blocks of a plain text.
pub fn visible_text(text: &str) -> String {
    let mut blocks = Blocks::of_plain(text.len());
    let mut paragraph: Vec<PlainLine<'_>> = Vec::new();
    for line in PlainLines::new(text) {
        if line.text.is_empty() {
            add_paragraph(&paragraph, &mut blocks);
            paragraph.clear();
        } else {
            paragraph.push(line);
        }
    }
    add_paragraph(&paragraph, &mut blocks);
    blocks.finish().0
}

/// A line without white space at its end.
struct PlainLine<'a> {
    text: &'a str,
    is_ascii: bool,
    /// Whether its white space is known to be single spaces between words, apart from leading spaces.
    is_collapsed: bool,
    /// Its width in columns, once counted.
    columns: Cell<u32>,
}

impl PlainLine<'_> {
    fn columns(&self) -> usize {
        match self.is_ascii {
            true => self.text.len(),
            false => {
                if self.columns.get() == UNCOUNTED {
                    let counted = u32::try_from(columns(self.text));
                    self.columns.set(counted.unwrap_or(UNCOUNTED));
                }
                self.columns.get() as usize
            }
        }
    }
}

/// The lines of a text, examined once for all their properties.
struct PlainLines<'a> {
    text: &'a str,
    /// Where the next line begins; `None` if there is no further line.
    start: Option<usize>,
    /// Start of the last examined bytes; `found` has the bits of those after the last line.
    base: usize,
    found: bits::LineBits,
    /// Whether the previous byte is a space, and whether it is a line feed or a leading space.
    is_space: bool,
    is_indent: bool,
}

impl<'a> PlainLines<'a> {
    fn new(text: &'a str) -> PlainLines<'a> {
        let mut lines = PlainLines {
            text,
            start: Some(0),
            base: 0,
            found: bits::first(text.as_bytes(), bits::lines),
            is_space: false,
            is_indent: true,
        };
        lines.settle();
        lines
    }

    /// Finds odd spaces among the examined bytes: those that follow another space, except at the start of a line.
    fn settle(&mut self) {
        let bits::LineBits { ends, spaces, .. } = self.found;
        let begins = spaces & (ends << 1 | u64::from(self.is_indent));
        // Adding a bit to the first of a run of spaces carries it to the first byte after them.
        let (behind, reaches_on) = spaces.overflowing_add(begins);
        let indents = spaces & !behind;
        self.found.odd |= spaces & (spaces << 1 | u64::from(self.is_space)) & !indents;
        self.is_space = spaces >> (bits::WIDE - 1) != 0;
        self.is_indent = reaches_on || ends >> (bits::WIDE - 1) != 0;
    }

    /// Examines the next bytes; false if there are none.
    fn look_on(&mut self) -> bool {
        self.base += bits::WIDE;
        let rest = self.text.as_bytes().get(self.base..);
        let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
            return false;
        };
        self.found = bits::first(rest, bits::lines);
        self.settle();
        true
    }
}

impl<'a> Iterator for PlainLines<'a> {
    type Item = PlainLine<'a>;

    fn next(&mut self) -> Option<PlainLine<'a>> {
        let start = self.start?;
        let (mut others, mut odd) = (0, 0);
        let end = loop {
            let bits::LineBits { ends, .. } = self.found;
            // All bits before the line feed, or all if there is none.
            let before = ends.wrapping_sub(1) & !ends;
            others |= self.found.others & before;
            odd |= self.found.odd & before;
            if ends != 0 {
                self.found.others &= !before;
                self.found.odd &= !before;
                self.found.ends &= ends - 1;
                break self.base + ends.trailing_zeros() as usize;
            }
            if !self.look_on() {
                break self.text.len();
            }
        };
        self.start = (end < self.text.len()).then_some(end + 1);
        let line = &self.text[start..end];
        let is_collapsed = odd == 0 && !line.ends_with(' ');
        Some(PlainLine {
            text: if is_collapsed { line } else { line.trim_end() },
            is_ascii: others == 0,
            is_collapsed,
            columns: Cell::new(UNCOUNTED),
        })
    }
}

fn add_paragraph(lines: &[PlainLine<'_>], blocks: &mut Blocks) {
    let mut full = None;
    for (i, line) in lines.iter().enumerate() {
        match line.is_collapsed {
            true => {
                let mut words = line.text;
                if words.starts_with(' ') {
                    words = words.trim_start_matches(' ');
                    blocks.space_between();
                }
                blocks.words(words);
            }
            false => blocks.push(line.text),
        }
        // A line has at most as many columns as bytes.
        let next = lines.get(i + 1).filter(|_| line.text.len() >= NARROWEST);
        match next {
            Some(next)
                if is_soft(line, next.text, || {
                    *full.get_or_insert_with(|| full_width(lines))
                }) =>
            {
                if !are_cjk(line.text, next.text) {
                    blocks.space_between();
                }
            }
            _ => blocks.end_block(),
        }
    }
}

/// The columns of the widest line, if all lines are narrow enough to be wrapped.
fn full_width(lines: &[PlainLine<'_>]) -> Option<usize> {
    let mut full = 0;
    for line in lines {
        // A character has at most four bytes, so most long lines need no counting.
        if line.text.len() > 4 * WIDEST {
            return None;
        }
        // A line has at most as many columns as bytes.
        if line.text.len() <= full {
            continue;
        }
        full = full.max(line.columns());
        if full > WIDEST {
            return None;
        }
    }
    Some(full)
}

/// Whether the break between two lines of a paragraph is only layout; `full` gives the paragraph's width if its lines may be wrapped.
fn is_soft(line: &PlainLine<'_>, next: &str, mut full: impl FnMut() -> Option<usize>) -> bool {
    let next = next.trim_start();
    let (Some(last), Some(first)) = (line.text.chars().next_back(), next.chars().next()) else {
        return false;
    };
    if matches!(last, '。' | '！' | '？' | '：' | '；') {
        return false;
    }
    let goes_on = (last == ',' || last.is_alphabetic()) && first.is_lowercase();
    if !goes_on && full().is_none() {
        return false;
    }
    let width = line.columns();
    if width < NARROWEST || begins_block(next) {
        return false;
    }
    goes_on || full().is_some_and(|full| width + first_word(next) > full)
}

/// The columns that a line's first word needs, with the space before it.
fn first_word(line: &str) -> usize {
    // The word is usually ASCII and ends at a space or at the line end.
    let bytes = line.as_bytes();
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_graphic());
    let letters = letters.count();
    if letters > 0 && matches!(bytes.get(letters), None | Some(b' ')) {
        return 1 + letters;
    }
    match line.chars().next() {
        Some(c) if is_wide(c) => 2,
        _ => 1 + columns(line.split_whitespace().next().unwrap_or_default()),
    }
}

/// The width of a line on a terminal.
fn columns(line: &str) -> usize {
    if line.is_ascii() {
        return line.len();
    }
    let (bytes, mut count) = (line.as_bytes(), 0);
    for at in (0..bytes.len()).step_by(bits::WIDE) {
        let held = u64::MAX >> (bits::WIDE - (bytes.len() - at).min(bits::WIDE));
        let look = |bytes: &_| (bits::begins(bytes), bits::at_least(bytes, 0xE2));
        let (begins, mut large) = bits::first(&bytes[at..], look);
        count += (begins & held).count_ones() as usize;
        while large != 0 {
            let lead = at + large.trailing_zeros() as usize;
            count += usize::from(match bytes[lead] {
                // Chinese, from U+4000.
                0xE4..=0xE9 => true,
                _ => line[lead..].chars().next().is_some_and(is_wide),
            });
            large &= large - 1;
        }
    }
    count
}

/// Whether a line begins with the mark of a list item, heading, quotation, code fence or table row.
fn begins_block(line: &str) -> bool {
    if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    if line.starts_with(['#', '>', '|', '•', '·', '●', '■', '◆']) || line.starts_with("```")
    {
        return true;
    }
    let marker = line.split_whitespace().next().unwrap_or_default();
    let number = marker.trim_end_matches(['.', ')', '、']);
    let is_number = number.len() < marker.len()
        && !number.is_empty()
        && number
            .trim_start_matches('(')
            .bytes()
            .all(|b| b.is_ascii_digit());
    is_number || matches!(marker, "-" | "*" | "+" | "–" | "—" | "--")
}

/// True if the break is between two characters of scripts without spaces.
fn are_cjk(line: &str, next: &str) -> bool {
    let last = line.chars().next_back().is_some_and(is_wide);
    last && next.trim_start().chars().next().is_some_and(is_wide)
}

/// East Asian characters that take two columns, except Hangul, which has spaces.
fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{2E80}'..='\u{312F}' | '\u{3190}'..='\u{A4CF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}' | '\u{FF01}'..='\u{FF60}' | '\u{FFE0}'..='\u{FFE6}'
        | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_a_block() {
        assert_eq!(
            visible_text("one\r\ntwo  three\n\n\nfour"),
            "one\ntwo three\nfour"
        );
        assert_eq!(visible_text("短行\n另一行"), "短行\n另一行");
        assert_eq!(visible_text(" \n\t\n\u{3000}"), "");
    }

    #[test]
    fn wrapped_paragraphs_are_joined() {
        let wrapped = "The committee met on Tuesday evening and found that the\n\
                       bridge, which had been closed since March, could open.\n\
                       It will.\n\nA new paragraph";
        assert_eq!(
            visible_text(wrapped),
            "The committee met on Tuesday evening and found that the bridge, which had been closed since March, could \
             open. It will.\nA new paragraph"
        );
    }

    #[test]
    fn wrapped_chinese_is_joined_without_space() {
        let line = "春天来了河水涨了起来小镇的人们又开始修理他们的旧木船";
        assert_eq!(
            visible_text(&format!("{line}\n{line}\n完了")),
            format!("{line}{line}完了")
        );
    }

    #[test]
    fn lists_and_headings_are_not_joined() {
        let list = "- the first of the things that somebody has to remember here\n\
                    - the second of the things that somebody has to remember too\n\
                    1. the third";
        assert_eq!(visible_text(list), list);
    }

    /// Reference implementation: joins paragraphs by the documentation, without shortcuts.
    fn plainly(text: &str) -> String {
        let wide = |line: &str| {
            line.chars()
                .map(|c| 1 + usize::from(is_wide(c)))
                .sum::<usize>()
        };
        let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
        let mut out = Blocks::with_capacity(0);
        for paragraph in lines.split(|line| line.is_empty()) {
            let widest = paragraph.iter().map(|line| wide(line)).max().unwrap_or(0);
            let full = (widest <= WIDEST).then_some(widest);
            for (i, line) in paragraph.iter().enumerate() {
                out.push(line);
                let next = paragraph.get(i + 1).map_or("", |next| next.trim_start());
                let (last, first) = (line.chars().next_back(), next.chars().next());
                let letter = last.is_some_and(|c| c == ',' || c.is_alphabetic());
                let goes_on = letter && first.is_some_and(char::is_lowercase);
                let word = match first {
                    Some(c) if is_wide(c) => 2,
                    _ => 1 + wide(next.split_whitespace().next().unwrap_or_default()),
                };
                let fits = full.is_none_or(|full| wide(line) + word <= full);
                let ends = matches!(last, Some('。' | '！' | '？' | '：' | '；'));
                let hard = next.is_empty() || wide(line) < NARROWEST || begins_block(next) || ends;
                if hard || !goes_on && fits {
                    out.end_block();
                } else if !are_cjk(line, next) {
                    out.push(" ");
                }
            }
        }
        out.finish().0
    }

    proptest! {
        #[test]
        fn first_words_are_measured_by_the_definition(line in "[a-z0-9!é中，]{0,9}[ \\t\u{3000}\u{85}]?\\PC{0,9}") {
            let word = line.split_whitespace().next().unwrap_or_default();
            let needed = match line.chars().next() {
                Some(c) if is_wide(c) => 2,
                _ => 1 + columns(word),
            };
            prop_assert_eq!(first_word(&line), needed);
        }

        #[test]
        fn columns_are_counted_as_one_by_one(line in "([a-z ]{0,90}|[é中文，가\u{2010}𠀀]{0,30}|\\PC){0,9}") {
            let one_by_one = line.chars().map(|c| 1 + usize::from(is_wide(c))).sum::<usize>();
            prop_assert_eq!(columns(&line), one_by_one);
        }

        #[test]
        fn paragraphs_are_joined_as_the_rules_say(
            lines in prop::collection::vec("(- |1. |# | {0,70}|)([a-d]{1,9}[ ,]|中文|é){0,26}( {0,9}|。|[.]|\t|\r)", 0..8)
        ) {
            let text = lines.join("\n");
            prop_assert_eq!(visible_text(&text), plainly(&text));
        }
    }
}
