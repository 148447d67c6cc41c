//! The lines and paragraphs of plain text.

use std::ops::Range;

/// The lines of a text, each including its line end.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = start;
        start += line.len();
        begin..start
    })
}

/// The paragraphs of a text, each including the blank lines after it. Blank lines at the start belong to none.
pub(crate) fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut is_behind_blank = true;
    for line in lines(text) {
        let is_blank = text[line.clone()].trim().is_empty();
        match all.last_mut() {
            Some(last) if is_blank || !is_behind_blank => last.end = line.end,
            _ if !is_blank => all.push(line),
            _ => {}
        }
        is_behind_blank = is_blank;
    }
    all
}

/// A part of a text without surrounding white space; `None` if it is blank.
pub(crate) fn trimmed(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let inner = text[part.clone()].trim_start();
    let begin = part.end - inner.len();
    let inner = inner.trim_end();
    (!inner.is_empty()).then(|| begin..begin + inner.len())
}
