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

/// The cheapest alignment of two passages; its matches, ascending. Time and memory are the product of their lengths.
pub(super) fn matches(here: &[Word], there: &[Word]) -> Vec<Match> {
    let width = there.len() + 1;
    let mut costs = vec![0u32; (here.len() + 1) * width];
    let mut steps = vec![Step::There; costs.len()];
    for (there, cost) in costs[..width].iter_mut().enumerate() {
        *cost = MISSING * there as u32;
    }
    for at in 1..=here.len() {
        costs[at * width] = MISSING * at as u32;
        steps[at * width] = Step::Here;
        for other in 1..width {
            let (cost, step) = cheapest((here, at), (there, other), &costs);
            costs[at * width + other] = cost;
            steps[at * width + other] = step;
        }
    }
    trace_back(&steps, here.len(), there.len())
}

/// The cheapest way to a cell, given the cells before it.
fn cheapest(
    (here, at): (&[Word], usize),
    (there, other): (&[Word], usize),
    costs: &[u32],
) -> (u32, Step) {
    let width = there.len() + 1;
    let cell = at * width + other;
    let (a, b) = (here[at - 1], there[other - 1]);
    let diagonal = costs[cell - width - 1];
    let mut best = match a.hash() == b.hash() {
        true => return (diagonal, Step::Equal),
        false if a.is_near(b) => (diagonal + NEAR, Step::Near),
        false => (diagonal + REPLACED, Step::Replaced),
    };
    let mut try_step = |cost: u32, step: Step| {
        if cost < best.0 {
            best = (cost, step);
        }
    };
    try_step(costs[cell - width] + MISSING, Step::Here);
    try_step(costs[cell - 1] + MISSING, Step::There);
    if other > 1 && a.is_joined(there[other - 2], b) {
        try_step(costs[cell - width - 2] + JOINED, Step::Parted);
    }
    if at > 1 && b.is_joined(here[at - 2], a) {
        try_step(costs[cell - 2 * width - 1] + JOINED, Step::Joined);
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
