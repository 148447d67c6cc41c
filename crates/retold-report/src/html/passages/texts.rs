//! The parts of texts that are shown: passages, and the text around them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::Range;

use retold::method::Text;
use retold::passages::Passages;
use retold::{Findings, PageNo, Rank, Watch};
use serde_json::{Value, json};

use super::chosen::Shown;
use crate::html::page::DataPage;
use crate::html::reread::reread;

/// Approximate characters of all texts, and the limit for one page.
const TEXT_CHARS: u64 = 24 << 20;
pub(super) const PAGE_CHARS: usize = 20_000;
/// For a longer page, characters shown around its passages, and at both ends of a passage longer than `LONG`.
const AROUND: usize = 300;
const LONG: usize = 2_000;
const MARKS: usize = 500;
pub(super) const EXCERPT: usize = 600;
pub(super) const TEXT_CHUNK: usize = 32;

/// A passage on a page, and its number if the report shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    begin: u32,
    end: u32,
    shown: Option<usize>,
}

/// The pages whose text is shown in part, and these parts.
pub(super) struct Texts {
    /// Ascending. The slot of a page is its position in this list.
    pages: Vec<PageNo>,
    /// Marks of each page; empty where only the text of a passage is taken.
    marks: Vec<Vec<Mark>>,
    /// Passages whose text is taken from the page.
    excerpts: Vec<Vec<(usize, Range<u32>)>>,
}

impl Texts {
    pub(super) fn of(findings: &Findings, found: &Passages, shown: &[Shown]) -> Texts {
        let mut marks = with_texts(findings, shown);
        let numbers = shown.iter().enumerate();
        let numbers: BTreeMap<u32, usize> =
            numbers.map(|(at, shown)| (shown.cluster, at)).collect();
        for row in found.places() {
            if let Some(marks) = marks.get_mut(&row.page) {
                let shown = numbers.get(&row.cluster).copied();
                if shown.is_some() || marks.len() < MARKS {
                    let (begin, end) = row.place;
                    marks.push(Mark { begin, end, shown });
                }
            }
        }
        let mut excerpts: BTreeMap<Rank, Vec<(usize, Range<u32>)>> = BTreeMap::new();
        for (number, passage) in shown.iter().enumerate() {
            let first = passage.places[0];
            let of_page = excerpts.entry(first.page).or_default();
            of_page.push((number, first.begin..first.end));
        }
        let ranks: BTreeSet<Rank> = marks.keys().chain(excerpts.keys()).copied().collect();
        let mut pages: Vec<(PageNo, Rank)> = ranks
            .into_iter()
            .map(|rank| (findings.by_id[rank.at()], rank))
            .collect();
        pages.sort_unstable();
        Texts {
            marks: pages
                .iter()
                .map(|(_, rank)| marks.remove(rank).unwrap_or_default())
                .collect(),
            excerpts: pages
                .iter()
                .map(|(_, rank)| excerpts.remove(rank).unwrap_or_default())
                .collect(),
            pages: pages.into_iter().map(|(page, _)| page).collect(),
        }
    }

    /// The slot of a page whose text is shown.
    pub(super) fn slot(&self, page: PageNo) -> Option<usize> {
        let at = self.pages.binary_search(&page).ok()?;
        (!self.marks[at].is_empty()).then_some(at)
    }

    /// Writes the texts. Returns the texts of passages; of long ones, the beginning.
    pub(super) fn write<W: Write>(
        &self,
        findings: &Findings,
        shown: &[Shown],
        page: &mut DataPage<W>,
        watch: &dyn Watch,
    ) -> io::Result<Vec<String>> {
        let mut of_passages = vec![String::new(); shown.len()];
        let (mut chunk, mut chunks) = (Vec::new(), 0);
        let make = |at: usize, text: &Text| self.made(at, text);
        let take = |made: Option<(Value, Vec<(usize, String)>)>| {
            let (text, excerpts) = made.unwrap_or_default();
            for (number, excerpt) in excerpts {
                of_passages[number] = excerpt;
            }
            chunk.push(text);
            if chunk.len() == TEXT_CHUNK {
                page.chunk("text", chunks, &std::mem::take(&mut chunk))?;
                chunks += 1;
            }
            Ok(())
        };
        reread(findings, &self.pages, make, take, watch)?;
        page.chunk("text", chunks, &chunk)?;
        Ok(of_passages)
    }

    fn made(&self, at: usize, text: &Text) -> (Value, Vec<(usize, String)>) {
        let shown = text.shown().collect::<Vec<&str>>().join("\n");
        let chars: Vec<char> = shown.chars().collect();
        let cut = |range: Range<usize>| -> String {
            chars[range.start.min(chars.len())..range.end.min(chars.len())]
                .iter()
                .collect()
        };
        let excerpt = |(number, range): &(usize, Range<u32>)| {
            let begin = range.start as usize;
            (
                *number,
                cut(begin..(range.end as usize).min(begin + EXCERPT)),
            )
        };
        let excerpts = self.excerpts[at].iter().map(excerpt).collect();
        let marks = &self.marks[at];
        if marks.is_empty() {
            return (Value::Null, excerpts);
        }
        let windows = windows(marks, chars.len());
        let is_seen = |mark: &&Mark| {
            let seen = |window: &Range<usize>| {
                (mark.begin as usize) < window.end && window.start < mark.end as usize
            };
            windows.iter().any(seen)
        };
        let marks = marks.iter().filter(is_seen);
        let marks: Vec<Value> = marks
            .map(|mark| json!([mark.begin, mark.end, mark.shown.map_or(-1, |at| at as i64)]))
            .collect();
        let windows: Vec<Value> = windows
            .iter()
            .map(|window| json!([window.start, cut(window.clone())]))
            .collect();
        (
            json!({"chars": chars.len(), "windows": windows, "marks": marks}),
            excerpts,
        )
    }
}

/// The pages whose texts are shown: those of the first passages, while there is room. They have no marks yet.
fn with_texts(findings: &Findings, shown: &[Shown]) -> BTreeMap<Rank, Vec<Mark>> {
    let (mut pages, mut chars) = (BTreeMap::new(), 0);
    for place in shown.iter().flat_map(|passage| &passage.places) {
        if chars < TEXT_CHARS && pages.insert(place.page, Vec::new()).is_none() {
            chars += findings.page(place.page).chars.min(PAGE_CHARS as u64);
        }
    }
    pages
}

/// The parts of a page with this many characters that are shown: all of it if it is short, otherwise the text around its passages while
/// there is room, passages in the report first.
fn windows(marks: &[Mark], chars: usize) -> Vec<Range<usize>> {
    if chars <= PAGE_CHARS {
        return Vec::from_iter(Some(0..chars));
    }
    let mut order: Vec<&Mark> = marks.iter().collect();
    order.sort_by_key(|mark| (mark.shown.unwrap_or(usize::MAX), mark.begin, mark.end));
    let (mut all, mut room) = (Vec::new(), PAGE_CHARS);
    for mark in order {
        let (begin, end) = (mark.begin as usize, mark.end as usize);
        let (from, to) = (begin.saturating_sub(AROUND), (end + AROUND).min(chars));
        let parts = match end - begin > 2 * LONG {
            true => vec![from..begin + LONG, end - LONG..to],
            false => Vec::from_iter(Some(from..to)),
        };
        let length: usize = parts.iter().map(Range::len).sum();
        if length > room {
            break;
        }
        room -= length;
        all.extend(parts);
    }
    joined(all)
}

fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_page_what_stands_around_its_passages_is_shown() {
        let mark = |begin, end, shown| Mark { begin, end, shown };
        let marks = [
            mark(100, 200, None),
            mark(400, 500, Some(3)),
            mark(30_000, 40_000, Some(0)),
        ];
        assert_eq!(windows(&marks, 20_000).first(), Some(&(0..20_000)));
        // The first two touch; the long one is shown at its beginning and end.
        let expected = [0..800, 29_700..32_000, 38_000..40_100];
        assert_eq!(windows(&marks, 40_100), expected);
        // A passage of 4,000 characters takes 4,600, so there is room for four, those in the report first.
        let many: Vec<Mark> = (0..10)
            .map(|at| mark(10_000 * at, 10_000 * at + 4_000, Some(9 - at as usize)))
            .collect();
        let shown = windows(&many, 200_000);
        assert_eq!(shown.len(), 4);
        assert_eq!(
            (shown[0].clone(), shown[3].clone()),
            (59_700..64_300, 89_700..94_300)
        );
    }
}
