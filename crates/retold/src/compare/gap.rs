//! Aligns two short passages word by word.

use super::word::{Letters, Word};

/// The cost of a word that the other passage lacks.
const MISSING: u32 = 10;
/// The cost of a replaced word; less than of two missing ones.
const REPLACED: u32 = 15;
/// The cost of a nearly equal word.
const NEAR: u32 = 3;
/// The cost of two words written as one.
const JOINED: u32 = 4;

/// The step by which a cell of the table is reached. Ties go to the first.
mod step {
    pub(super) const EQUAL: u32 = 0;
    pub(super) const NEAR: u32 = 1;
    pub(super) const REPLACED: u32 = 2;
    pub(super) const HERE: u32 = 3;
    pub(super) const THERE: u32 = 4;
    /// One word here is two there.
    pub(super) const PARTED: u32 = 5;
    /// Two words here are one there.
    pub(super) const JOINED: u32 = 6;
    /// Bits per step.
    pub(super) const BITS: u32 = 3;
    pub(super) const MASK: u32 = (1 << BITS) - 1;
}

/// Cost and step in one number, so that the minimum is the first of the cheapest.
const fn paid(cost: u32, step: u32) -> u32 {
    cost << step::BITS | step
}

/// Larger than any cost.
const NEVER: u32 = u32::MAX / 2;

/// Matching words: `count.0` from `here` on match `count.1` from `there` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) here: usize,
    pub(crate) there: usize,
    pub(crate) count: (usize, usize),
    pub(crate) is_near: bool,
}

/// The matches of the cheapest alignment of two passages, ascending. Time is the product of their lengths.
pub(super) fn matches(here: &[Word], there: &[Word]) -> Vec<Match> {
    let width = there.len() + 1;
    let mut steps = vec![step::THERE as u8; (here.len() + 1) * width];
    let mut rows = Rows::new(there);
    for (at, steps) in steps.chunks_exact_mut(width).enumerate().skip(1) {
        rows.fill(at.checked_sub(2).map(|at| here[at]), here[at - 1], steps);
    }
    trace_back(&steps, here.len(), there.len())
}

/// The rows from which the next one is computed, and the words of the columns. All loops over a row but the last treat cells alike and do
/// not depend on the previous cell, so the compiler vectorises them.
struct Rows {
    hashes: Vec<u32>,
    letters: Vec<Letters>,
    /// The costs of the row before the last, the last row, and the current one.
    above: Vec<u32>,
    last: Vec<u32>,
    row: Vec<u32>,
    /// For each word the cost of the step from the previous cell of the row.
    along: Vec<u32>,
}

impl Rows {
    fn new(there: &[Word]) -> Rows {
        let width = there.len() + 1;
        Rows {
            hashes: there.iter().map(|word| word.hash()).collect(),
            letters: there.iter().map(|word| word.letters()).collect(),
            above: vec![0; width],
            last: (0..width as u32).map(|at| paid(MISSING * at, 0)).collect(),
            row: vec![0; width],
            along: vec![0; there.len()],
        }
    }

    /// Fills the row of a word; `before` is the previous word, if there is one.
    fn fill(&mut self, before: Option<Word>, word: Word, steps: &mut [u8]) {
        let first = self.last[0] + paid(MISSING, 0);
        let Some((start, row)) = self.row.split_first_mut() else {
            return;
        };
        *start = first;
        steps[0] = step::HERE as u8;
        for ((cell, diagonal), over) in row.iter_mut().zip(&self.last).zip(&self.last[1..]) {
            let replaced = diagonal + paid(REPLACED, step::REPLACED);
            *cell = replaced.min(over + paid(MISSING, step::HERE));
        }
        let letters = word.letters();
        if letters.may_be_near() {
            let cells = row.iter_mut().zip(&self.letters).zip(&self.last);
            for ((cell, other), diagonal) in cells {
                let near = diagonal + paid(NEAR, step::NEAR);
                *cell = (*cell).min(if letters.is_near(*other) { near } else { NEVER });
            }
        }
        if letters.may_be_joined() && row.len() > 1 {
            let parts = self.letters.iter().zip(&self.letters[1..]);
            for ((cell, (first, second)), from) in row[1..].iter_mut().zip(parts).zip(&self.last) {
                let parted = from + paid(JOINED, step::PARTED);
                let is_parted = letters.is_joined(*first, *second);
                *cell = (*cell).min(if is_parted { parted } else { NEVER });
            }
        }
        if let Some(before) = before.map(Word::letters) {
            let cells = row.iter_mut().zip(&self.letters).zip(&self.above);
            for ((cell, other), from) in cells {
                let joined = from + paid(JOINED, step::JOINED);
                let is_joined = other.is_joined(before, letters);
                *cell = (*cell).min(if is_joined { joined } else { NEVER });
            }
        }
        // Equal words always match.
        let cells = row.iter_mut().zip(&mut self.along);
        for (((cell, along), hash), diagonal) in cells.zip(&self.hashes).zip(&self.last) {
            let equal = if *hash == word.hash() { u32::MAX } else { 0 };
            *cell = diagonal & equal | *cell & !equal;
            *along = NEVER & equal | paid(MISSING, step::THERE) & !equal;
        }
        let mut before = first;
        for ((cell, along), step) in row.iter_mut().zip(&self.along).zip(&mut steps[1..]) {
            let cheapest = (before + along).min(*cell);
            before = cheapest & !step::MASK;
            *cell = before;
            *step = (cheapest & step::MASK) as u8;
        }
        std::mem::swap(&mut self.above, &mut self.last);
        std::mem::swap(&mut self.last, &mut self.row);
    }
}

fn trace_back(steps: &[u8], here: usize, there: usize) -> Vec<Match> {
    let (width, mut at, mut other) = (there + 1, here, there);
    let mut matches = Vec::new();
    while at > 0 || other > 0 {
        let step = u32::from(steps[at * width + other]);
        let count = match step {
            step::HERE => (1, 0),
            step::THERE => (0, 1),
            step::PARTED => (1, 2),
            step::JOINED => (2, 1),
            _ => (1, 1),
        };
        at -= count.0;
        other -= count.1;
        if !matches!(step, step::HERE | step::THERE | step::REPLACED) {
            matches.push(Match {
                here: at,
                there: other,
                count,
                is_near: step != step::EQUAL,
            });
        }
    }
    matches.reverse();
    matches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn words(letters: &[String]) -> Vec<Word> {
        let word = |letters: &String| {
            let is_number = letters.ends_with('9');
            Word::new(xxh3_64(letters.as_bytes()), letters.as_bytes(), is_number)
        };
        letters.iter().map(word).collect()
    }

    /// Reference implementation: the cost of each cell, one after the other.
    fn cheapest(here: &[Word], there: &[Word]) -> (u32, Vec<u8>) {
        let width = there.len() + 1;
        let mut costs = vec![0; (here.len() + 1) * width];
        let mut steps = vec![step::THERE as u8; costs.len()];
        for at in 0..=here.len() {
            for other in 0..width {
                let cell = at * width + other;
                let mut ways = Vec::new();
                let mut way = |back: usize, cost: u32, step: u32| {
                    ways.push((costs[cell - back] + cost, step));
                };
                if at > 0 && other > 0 {
                    let (a, b) = (here[at - 1], there[other - 1]);
                    if a.hash() == b.hash() {
                        (costs[cell], steps[cell]) = (costs[cell - width - 1], step::EQUAL as u8);
                        continue;
                    }
                    way(width + 1, REPLACED, step::REPLACED);
                    if a.letters().is_near(b.letters()) {
                        way(width + 1, NEAR, step::NEAR);
                    }
                    if other > 1
                        && a.letters()
                            .is_joined(there[other - 2].letters(), b.letters())
                    {
                        way(width + 2, JOINED, step::PARTED);
                    }
                    if at > 1 && b.letters().is_joined(here[at - 2].letters(), a.letters()) {
                        way(2 * width + 1, JOINED, step::JOINED);
                    }
                }
                if at > 0 {
                    way(width, MISSING, step::HERE);
                }
                if other > 0 {
                    way(1, MISSING, step::THERE);
                }
                if let Some((cost, step)) = ways.into_iter().min() {
                    (costs[cell], steps[cell]) = (cost, step as u8);
                }
            }
        }
        (costs[costs.len() - 1], steps)
    }

    /// Words that are equal, nearly equal, or joined from two others.
    fn passage() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec(
            "(exam|ple|example|sample|exampel|minister|minifter|[ab]{1,3}|[ab]{4}9?)",
            0..20,
        )
    }

    proptest! {
        #[test]
        fn rows_are_filled_as_cells_would_be(here in passage(), there in passage()) {
            let (here, there) = (words(&here), words(&there));
            let (cost, steps) = cheapest(&here, &there);
            prop_assert_eq!(matches(&here, &there), trace_back(&steps, here.len(), there.len()));
            let mut rows = Rows::new(&there);
            let mut before = None;
            for &word in &here {
                rows.fill(before, word, &mut vec![0; there.len() + 1]);
                before = Some(word);
            }
            prop_assert_eq!(rows.last.last().copied(), Some(paid(cost, 0)));
        }
    }
}
