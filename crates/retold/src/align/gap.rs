//! Two short passages, aligned word by word.

use super::word::Word;

/// What is paid for a word that the other passage does not have.
const MISSING: u32 = 10;
/// For a word in the place of another; less than for two missing ones.
const REPLACED: u32 = 15;
/// For a word that is nearly the same.
const NEAR: u32 = 3;
/// For two words that are written as one.
const JOINED: u32 = 4;

/// How a cell of the table is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Step {
    Here,
    There,
    Replaced,
    Equal,
    Near,
    /// A word here is two there.
    Parted,
    /// Two words here are one there.
    Joined,
}

/// Words that match: `count.0` from `here` on those from `there` on, `count.1` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) here: usize,
    pub(super) there: usize,
    pub(super) count: (usize, usize),
    pub(super) is_near: bool,
}

/// The cheapest alignment of two passages; its matches, ascending. Time is the product of their lengths.
pub(super) fn matches(here: &[Word], there: &[Word]) -> Vec<Match> {
    let width = there.len() + 1;
    let mut steps = vec![Step::There; (here.len() + 1) * width];
    let first: Vec<u32> = (0..width as u32).map(|at| MISSING * at).collect();
    // The costs of the row before the last, of the last, and of the one that is filled.
    let (mut above, mut last, mut row) = (vec![0; width], first, vec![0; width]);
    for (at, steps) in steps.chunks_exact_mut(width).enumerate().skip(1) {
        let words = (at.checked_sub(2).map(|at| here[at]), here[at - 1]);
        row[0] = MISSING * at as u32;
        steps[0] = Step::Here;
        for other in 1..width {
            let rows = (&above[..width], &last[..width], &row[..width]);
            (row[other], steps[other]) = cheapest(words, (there, other), rows);
        }
        std::mem::swap(&mut above, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    trace_back(&steps, here.len(), there.len())
}

/// The cheapest way to a cell, given the costs of the cells in the two rows above it and before it in its own. Of `here` there are the
/// word before, if there is one, and the word of the cell.
#[inline]
fn cheapest(
    (before, a): (Option<Word>, Word),
    (there, other): (&[Word], usize),
    (above, last, row): (&[u32], &[u32], &[u32]),
) -> (u32, Step) {
    let b = there[other - 1];
    let diagonal = last[other - 1];
    if a.hash() == b.hash() {
        return (diagonal, Step::Equal);
    }
    let mut best = match a.is_near(b) {
        true => (diagonal + NEAR, Step::Near),
        false => (diagonal + REPLACED, Step::Replaced),
    };
    let mut try_step = |cost: u32, step: Step| {
        if cost < best.0 {
            best = (cost, step);
        }
    };
    try_step(last[other] + MISSING, Step::Here);
    try_step(row[other - 1] + MISSING, Step::There);
    if other > 1 && a.is_joined(there[other - 2], b) {
        try_step(last[other - 2] + JOINED, Step::Parted);
    }
    if before.is_some_and(|before| b.is_joined(before, a)) {
        try_step(above[other - 1] + JOINED, Step::Joined);
    }
    best
}

fn trace_back(steps: &[Step], here: usize, there: usize) -> Vec<Match> {
    let (width, mut at, mut other) = (there + 1, here, there);
    let mut matches = Vec::new();
    while at > 0 || other > 0 {
        let step = steps[at * width + other];
        let count = match step {
            Step::Here => (1, 0),
            Step::There => (0, 1),
            Step::Replaced | Step::Equal | Step::Near => (1, 1),
            Step::Parted => (1, 2),
            Step::Joined => (2, 1),
        };
        at -= count.0;
        other -= count.1;
        if !matches!(step, Step::Here | Step::There | Step::Replaced) {
            matches.push(Match {
                here: at,
                there: other,
                count,
                is_near: step != Step::Equal,
            });
        }
    }
    matches.reverse();
    matches
}
