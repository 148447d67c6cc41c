//! Merges overlapping passages on a page into one passage, on all pages that have it.

use std::ops::Range;

use super::measure::PassageOptions;
use crate::error::{Error, Result};
use crate::spill::{Memory, Sorter, SpillRows, SpillVec};

/// A passage of two pages: the pages, the word ranges in both, the number of matches, and the score.
pub(super) type PairRow = [u32; 8];

/// One side of a pair of passages: the word range, and the number of the side.
pub(super) type Span = [u32; 3];

/// A span is compared with this many of the next different spans on its page.
const BESIDE: usize = 256;

/// The spans of each page, and their clusters.
pub(super) struct Spans {
    /// The pages with spans, ascending.
    pub(super) pages: Vec<u32>,
    /// The spans of each page, ascending.
    rows: SpillRows<Span>,
    /// The cluster of each side. Sides are numbered by rows, two for each.
    clusters: Vec<u32>,
}

/// A part of a page that belongs to a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub(super) cluster: u32,
    pub(super) begin: u32,
    pub(super) end: u32,
}

impl Spans {
    /// Errors: a temporary file cannot be written; there are more than 2³¹ rows.
    pub(super) fn of(
        rows: &SpillVec<PairRow>,
        options: &PassageOptions,
        memory: &Memory,
    ) -> Result<Spans> {
        let sides = u32::try_from(2 * rows.len()).map_err(|_| {
            Error::usage("more than 2^31 passages: raise --min-words, or lower --max-df")
        })?;
        let mut sorter: Sorter<[u32; 4]> = Sorter::new(memory);
        for (number, [a, b, a_begin, a_end, b_begin, b_end, ..]) in (0u32..).zip(rows.iter()) {
            sorter.push([a, a_begin, a_end, 2 * number])?;
            sorter.push([b, b_begin, b_end, 2 * number + 1])?;
        }
        let mut spans = Spans {
            pages: Vec::new(),
            rows: SpillRows::new(memory),
            clusters: (0..sides).collect(),
        };
        for side in (0..sides).step_by(2) {
            spans.join(side, side + 1);
        }
        let mut of_page: Vec<Span> = Vec::new();
        for [page, begin, end, side] in sorter.finish()? {
            if spans.pages.last().is_some_and(|last| *last != page) {
                spans.add(&of_page, options)?;
                of_page.clear();
            }
            if of_page.is_empty() {
                spans.pages.push(page);
            }
            of_page.push([begin, end, side]);
        }
        if !of_page.is_empty() {
            spans.add(&of_page, options)?;
        }
        spans.number();
        Ok(spans)
    }

    /// Adds the spans of a page; those with enough overlap join one cluster. A page with which thousands of others were compared has most
    /// spans many times, and each is compared with the next [`BESIDE`] different ones.
    fn add(&mut self, spans: &[Span], options: &PassageOptions) -> Result<()> {
        let mut different: Vec<Span> = Vec::new();
        for span in spans {
            match different.last() {
                Some(last) if last[..2] == span[..2] => self.join(last[2], span[2]),
                _ => different.push(*span),
            }
        }
        for (at, one) in different.iter().enumerate() {
            let length = f64::from(one[1] - one[0]);
            // Spans that begin after this overlap too little.
            let reach = f64::from(one[1]) - length * options.target_overlap.min(1.0);
            for other in different[at + 1..].iter().take(BESIDE) {
                if f64::from(other[0]) > reach {
                    break;
                }
                if is_one(one, other, options) {
                    self.join(one[2], other[2]);
                }
            }
        }
        self.rows.push(spans)
    }

    fn root(&self, side: u32) -> u32 {
        let mut at = side;
        while self.clusters[at as usize] != at {
            at = self.clusters[at as usize];
        }
        at
    }

    /// The smaller root stays, so that clusters are in the order of their first sides.
    fn join(&mut self, one: u32, other: u32) {
        let roots = (self.root(one), self.root(other));
        let (first, second) = (roots.0.min(roots.1), roots.0.max(roots.1));
        self.clusters[second as usize] = first;
        // Shortens later paths.
        self.clusters[one as usize] = first;
        self.clusters[other as usize] = first;
    }

    /// Numbers the clusters in the order of their first sides.
    fn number(&mut self) {
        let mut next = 0;
        for side in 0..self.clusters.len() {
            let above = self.clusters[side] as usize;
            // The parent of a side comes before it and is already numbered.
            self.clusters[side] = match above == side {
                true => {
                    next += 1;
                    next - 1
                }
                false => self.clusters[above],
            };
        }
    }

    pub(super) fn cluster(&self, row: usize) -> u32 {
        self.clusters[2 * row]
    }

    /// The spans of the page at a place in [`Spans::pages`].
    pub(super) fn spans(&self, place: usize) -> Vec<Span> {
        self.rows.get(place).to_vec()
    }

    /// The parts of a page with these spans that are in clusters. Spans of one cluster that overlap or touch make one part, see [`widest`].
    /// Each comes with its sides.
    pub(super) fn parts(&self, spans: &[Span]) -> Vec<(Member, Vec<u32>)> {
        let member = |&[begin, end, side]: &Span| {
            let cluster = self.clusters[side as usize];
            let member = Member {
                cluster,
                begin,
                end,
            };
            (member, side)
        };
        let mut all: Vec<(Member, u32)> = spans.iter().map(member).collect();
        all.sort_unstable();
        let mut reach = 0;
        let is_one = |(one, _): &(Member, u32), (other, _): &(Member, u32)| {
            reach = one.end.max(reach);
            let goes_on = one.cluster == other.cluster && other.begin <= reach;
            reach = if goes_on { reach } else { 0 };
            goes_on
        };
        let parts = all.chunk_by(is_one).map(|parts| {
            let (members, sides): (Vec<Member>, Vec<u32>) = parts.iter().cloned().unzip();
            (widest(&members), sides)
        });
        parts.collect()
    }

    /// As [`Spans::parts`], without the sides.
    pub(super) fn members(&self, spans: &[Span]) -> impl Iterator<Item = Member> {
        let parts = self.parts(spans).into_iter();
        parts.map(|(member, _)| member)
    }
}

/// The part of a page that these spans cover: it begins and ends where a quarter of them reach, so that a word that follows by chance on
/// some pages is not included.
fn widest(parts: &[Member]) -> Member {
    let mut ends: Vec<u32> = parts.iter().map(|part| part.end).collect();
    ends.sort_unstable();
    let quarter = (parts.len() - 1) / 4;
    // Sorted by start.
    let begin = parts[quarter].begin;
    Member {
        cluster: parts[0].cluster,
        begin,
        end: ends[parts.len() - 1 - quarter].max(begin + 1),
    }
}

fn is_one(one: &Span, other: &Span, options: &PassageOptions) -> bool {
    let range = |span: &Span| Range {
        start: span[0],
        end: span[1],
    };
    let (one, other) = (range(one), range(other));
    let overlap = one
        .end
        .min(other.end)
        .saturating_sub(one.start.max(other.start));
    let lengths = (one.len() as f64, other.len() as f64);
    let overlap = f64::from(overlap);
    overlap >= options.source_overlap * lengths.0.min(lengths.1)
        && overlap >= options.target_overlap * lengths.0.max(lengths.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three passages of page 0: two nearly equal ones, and a short one within them.
    #[test]
    fn overlaps_by_hand() {
        let options = PassageOptions::default();
        let one = |a: [u32; 2], b: [u32; 2]| is_one(&[a[0], a[1], 0], &[b[0], b[1], 0], &options);
        // 90 of 90 and of 100 words.
        assert!(one([0, 100], [5, 95]));
        // 50 of 50 and of 100 words; then 49.
        assert!(one([0, 100], [50, 100]));
        assert!(!one([0, 100], [51, 100]));
        // 60 of 80 is less than nine tenths.
        assert!(!one([0, 80], [20, 100]));

        let memory = Memory::default();
        let mut rows: SpillVec<PairRow> = SpillVec::new(&memory);
        for row in [
            [0, 1, 10, 110, 0, 100, 100, 200],
            [0, 2, 12, 110, 5, 103, 98, 196],
            [0, 3, 50, 75, 7, 32, 25, 50],
        ] {
            rows.extend(&[row]).unwrap();
        }
        let spans = Spans::of(&rows, &options, &memory).unwrap();
        assert_eq!(spans.pages, [0, 1, 2, 3]);
        let member = |(cluster, begin, end)| Member {
            cluster,
            begin,
            end,
        };
        let members = |place: usize| spans.members(&spans.spans(place)).collect::<Vec<Member>>();
        // Of 10 and 12, the earlier counts.
        assert_eq!(members(0), [(0, 10, 110), (1, 50, 75)].map(member));
        // Of nine starts and ends, the third counts.
        let spread: Vec<Member> = (0..9).map(|at| member((7, 10 + at, 50 + at))).collect();
        assert_eq!(widest(&spread), member((7, 12, 56)));
        assert_eq!(members(1), [(0, 0, 100)].map(member));
        assert_eq!(members(2), [(0, 5, 103)].map(member));
        assert_eq!(members(3), [(1, 7, 32)].map(member));
    }
}
