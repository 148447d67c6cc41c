//! Large families and crowded lists: which pages stay, without looking at all pairs.
//!
//! Pages are visited as [`Keep`] wants it, and each looks for what it is related to: among the pairs that the join found, and
//! in the crowded lists. A page is *over* once it is known to go and its component is large: nobody looks for it any more,
//! and it does not look itself. So a family of near-copies costs what the few pages in it that stay have to look at, and
//! what is decided is what all pairs would decide.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::classes::{Classes, Judge};
use super::likely::Likely;
use super::parts::Parts;
use crate::cluster::{Dropped, Keep, Pair};
use crate::error::{Error, Result};
use crate::ids::{ClassNo, Rank};
use crate::index::{Crowds, WITNESSES};
use crate::relation::Relation;
use crate::sketch::Bounds;
use crate::spill::{Held, Memory, Rows, Sorter};
use crate::watch::Watch;

/// Classes that look at the same time, at the most, and where many of them need not have looked.
const BATCH: usize = 32;
const FEWEST: usize = 4;
/// Classes that go together through a batch at the most, those that have nothing to look at included.
const TOGETHER: usize = 4096;
/// Of a class's pairs from crowded lists the likeliest are checked first; if none of so many holds, the rest is not checked.
const UNLIKELY: usize = 16;

/// What pages of large families are decided by.
pub(super) struct Families<'a> {
    pub(super) judge: Judge<'a>,
    pub(super) classes: &'a Classes,
    pub(super) memory: &'a Memory,
    pub(super) preference: &'a [u32],
    /// Class -> the place of its first page in the order of preference.
    pub(super) places: &'a [u32],
    /// Whether contained pages go.
    pub(super) contained: bool,
    /// A component of a greater size is large.
    pub(super) limit: usize,
    /// The pairs that the join found, as sketches see them.
    pub(super) near: &'a Near,
    /// Class -> whether sketches are known to relate it to none on its crowded lists ([`Families::doubtful`]); empty if nobody has looked.
    pub(super) alone: Vec<bool>,
    pub(super) watch: &'a dyn Watch,
}

/// The pairs of each class.
#[derive(Default)]
pub(super) struct Near(Rows<[u32; 6]>);

impl Near {
    /// Of (class, other class, pair as numbers), in both directions; repeated pairs count once.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn new(pairs: Sorter<[u32; 8]>, memory: &Memory) -> Result<Near> {
        let mut last = None;
        let different = pairs.finish()?.filter_map(|[class, other, pair @ ..]| {
            let is_new = last.replace((class, other)) != Some((class, other));
            is_new.then_some((class, pair))
        });
        Rows::gather(different, 0, memory).map(Near)
    }

    /// The pairs of a class, ascending by the other class.
    pub(super) fn of(&self, class: ClassNo) -> Vec<Pair> {
        self.row(class.at())
    }

    /// The same where they stand by another number of each class.
    fn row(&self, number: usize) -> Vec<Pair> {
        if number >= self.0.len() {
            return Vec::new();
        }
        let pairs = self.0.get(number);
        pairs.iter().copied().map(Pair::from_numbers).collect()
    }

    /// Whether a class has pairs.
    pub(super) fn has(&self, class: ClassNo) -> bool {
        class.at() < self.0.len() && self.0.count(class.at()) > 0
    }
}

/// Those of a class's pairs that hold: the likeliest are checked first, until [`UNLIKELY`] fail together.
pub(super) fn likely(mut pairs: Likely<'_>, truth: &Truth<'_>) -> Vec<Pair> {
    let mut held = Vec::new();
    loop {
        let next: Vec<Pair> = pairs.by_ref().take(UNLIKELY).collect();
        let before = held.len();
        held.extend(truth(&next).into_iter().flatten());
        if held.len() == before {
            return held;
        }
    }
}

/// The next classes that look, until so many of them have something to look at (or all are [`TOGETHER`]); those before them that
/// do not look are passed over. `looks` tells of each whether it has, and nothing of those that do not look.
pub(super) fn next(
    rest: &mut &[ClassNo],
    most: usize,
    looks: impl Fn(ClassNo) -> Option<bool>,
) -> Vec<ClassNo> {
    let (mut next, mut many) = (Vec::new(), 0);
    while many < most
        && next.len() < TOGETHER
        && let Some((&class, others)) = rest.split_first()
    {
        if let Some(has_something) = looks(class) {
            next.push(class);
            many += usize::from(has_something);
        }
        *rest = others;
    }
    next
}

/// Says which of these pairs hold, and how.
pub(super) type Truth<'t> = dyn Fn(&[Pair]) -> Vec<Option<Pair>> + Sync + 't;

/// What was decided.
pub(super) struct Decided {
    /// The related pairs that were looked at or checked ahead, as numbers.
    pub(super) pairs: Held<[u32; 6]>,
    /// The classes of large components that go, by their first pages; of others not all.
    pub(super) dropped: Vec<Dropped>,
    pub(super) parts: Parts,
    /// Class -> whether its pairs were looked at or checked ahead.
    pub(super) visited: Vec<bool>,
    /// Pairs of classes that crowded lists proposed.
    pub(super) candidates: u64,
}

/// What is known of classes so far.
struct Fates {
    parts: Parts,
    /// Class -> the place of the page that it goes for; last for those that do not go.
    goes: Vec<u32>,
    /// A component of a greater size is large.
    limit: usize,
}

impl Fates {
    /// True if the class at `place` need not look for `other` any more: it is known to go for a page that is as good, and its
    /// component is large.
    fn is_over(&self, other: ClassNo, place: u32) -> bool {
        self.goes[other.at()] < place && self.parts.size(other) > self.limit
    }
}

/// A run in the making.
struct State<'a> {
    keep: Keep<'a>,
    /// The pairs that were checked ahead, of those that are visited, by the places of classes: so they are read in order.
    ahead: Near,
    fates: Fates,
    crowds: Crowds<'a>,
    /// Open page -> the pages that it is known to be related to, and what it is to them.
    related: FxHashMap<Rank, Vec<(Rank, Relation)>>,
    pairs: Held<[u32; 6]>,
    /// Class -> when its turn to look came: first of all for those that have looked ahead, late for those that have not looked.
    turns: Vec<u32>,
    candidates: u64,
}

impl State<'_> {
    /// Whether a class has looked ahead.
    fn is_done(&self, class: ClassNo) -> bool {
        self.turns[class.at()] == 0
    }
}

/// What a class found.
#[derive(Default)]
struct Look {
    /// Pairs that were checked ahead.
    held: Vec<Pair>,
    /// Pairs from the join, and one with each component that is over, as sketches see them.
    seen: Vec<Pair>,
    /// How many of them are from the join.
    near: usize,
    /// Pairs from crowded lists, which hold.
    crowded: Vec<Pair>,
    /// Pairs from crowded lists that were looked at.
    candidates: usize,
}

impl<'a> Families<'a> {
    /// Visits these classes, and gives the lists back.
    pub(super) fn decide(
        &self,
        mut classes: Vec<ClassNo>,
        mut crowds: Crowds<'a>,
        bounds: &(impl Fn(usize) -> Bounds + Sync),
        truth: &Truth<'_>,
    ) -> Result<(Decided, Crowds<'a>)> {
        crowds.close(self.limit, |pairs| self.are_unlike(pairs, truth));
        let ahead = self.ahead(&classes, &mut crowds, bounds, truth)?;
        let mut visited = vec![false; self.classes.len()];
        classes.iter().for_each(|class| visited[class.at()] = true);
        let turn = |&is_done: &bool| if is_done { 0 } else { u32::MAX };
        let (turns, candidates) = (ahead.is_done.iter().map(turn).collect(), ahead.candidates);
        let (mut pairs, mut parts) = (Held::new(self.memory), Parts::new(self.classes));
        let ahead = self.settle(ahead, &mut classes, (&mut pairs, &mut parts))?;
        let mut state = State {
            keep: Keep::new(self.preference, self.contained, self.classes.is_old()),
            fates: Fates {
                parts,
                goes: vec![u32::MAX; self.classes.len()],
                limit: self.limit,
            },
            crowds,
            related: FxHashMap::default(),
            pairs,
            turns,
            candidates,
            ahead,
        };
        classes.par_sort_unstable_by_key(|&class| self.place(class));
        self.watch.begin("families", classes.len() as u64);
        let (mut rest, mut turn, mut size) = (&classes[..], 1, 1);
        while !rest.is_empty() {
            if self.watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let before = rest.len();
            let looking = next(&mut rest, size, |class| {
                let looks = !state.fates.is_over(class, self.place(class));
                let is_done = state.is_done(class);
                let has_something = || self.near.has(class) || state.crowds.has_open(class);
                looks.then(|| !is_done && has_something())
            });
            for &class in &looking {
                if !state.is_done(class) {
                    state.turns[class.at()] = turn;
                    turn += 1;
                }
            }
            let over = self.look(&mut state, &looking, bounds, truth)?;
            // Where families end others' looks, few look at a time.
            size = match over {
                true => (size / 4).max(FEWEST),
                false => (2 * size).min(BATCH),
            };
            self.watch.advance((before - rest.len()) as u64);
        }
        let State {
            keep,
            related,
            pairs,
            fates: Fates { parts, .. },
            crowds,
            candidates,
            ..
        } = state;
        let of = |page: Rank| related.get(&page).map_or(&[][..], Vec::as_slice);
        let decided = Decided {
            pairs,
            dropped: keep.finish(of),
            parts,
            visited,
            candidates,
        };
        Ok((decided, crowds))
    }

    pub(super) fn place(&self, class: ClassNo) -> u32 {
        self.places[class.at()]
    }

    /// Whether two classes may be related: not two old ones, and none that is alone (and has no near pairs, or it had not been asked).
    pub(super) fn may_be_related(&self, a: ClassNo, b: ClassNo) -> bool {
        let is_alone = |class: ClassNo| self.alone.get(class.at()) == Some(&true);
        !self.classes.are_old(a, b) && !is_alone(a) && !is_alone(b)
    }

    /// The class that a pair relates this one to.
    pub(super) fn other(&self, class: ClassNo, pair: &Pair) -> ClassNo {
        let [a, b] = [pair.a, pair.b].map(|page| self.classes.of(page));
        if a == class { b } else { a }
    }

    /// These classes look, and then are visited one by one. Returns whether one of them was over before its turn.
    fn look(
        &self,
        state: &mut State<'a>,
        looking: &[ClassNo],
        bounds: &(impl Fn(usize) -> Bounds + Sync),
        truth: &Truth<'_>,
    ) -> Result<bool> {
        let shared = &*state;
        let looks = looking.par_iter();
        let looks: Vec<Look> = looks
            .map(|&class| self.look_around(shared, class, bounds, truth))
            .collect();
        let seen: Vec<Pair> = looks
            .iter()
            .flat_map(|look| look.seen.iter().copied())
            .collect();
        let mut verdicts = truth(&seen).into_iter();
        let mut over = false;
        for (&class, look) in looking.iter().zip(&looks) {
            self.wake(state, Some(class));
            let verdicts: Vec<Option<Pair>> = verdicts.by_ref().take(look.seen.len()).collect();
            state.candidates += look.candidates as u64;
            let place = self.place(class);
            let is_done = state.is_done(class);
            if state.fates.is_over(class, place) {
                over |= !is_done;
                continue;
            }
            let mut found = Vec::new();
            // What holds of two is added by the first of them.
            for &pair in &look.held {
                if self.place(self.other(class, &pair)) > place {
                    found.extend(self.add(state, class, pair)?);
                }
            }
            let (near, ties) = verdicts.split_at(look.near);
            let near: Vec<Pair> = near.iter().copied().flatten().collect();
            for &pair in &near {
                self.add(state, class, pair)?;
            }
            for &pair in &look.crowded {
                found.extend(self.add(state, class, pair)?);
            }
            // One that is over since this class looked is told as one that was before.
            let holds = [&look.held, &near, &look.crowded].into_iter().flatten();
            let holds = holds.map(|pair| (self.other(class, pair), pair));
            for pair in self.ties(state, class, holds) {
                self.tie(state, pair)?;
            }
            if is_done {
                self.visit(state, self.classes.first(class));
                continue;
            }
            for &pair in ties.iter().flatten() {
                self.tie(state, pair)?;
            }
            let fates = &state.fates;
            let is_over = |other| fates.is_over(other, place);
            state.crowds.looked(class, &found, is_over);
            self.visit(state, self.classes.first(class));
        }
        Ok(over)
    }

    /// What there is to say of a class and those that it should look for.
    fn look_around(
        &self,
        state: &State<'_>,
        class: ClassNo,
        bounds: &(impl Fn(usize) -> Bounds + Sync),
        truth: &Truth<'_>,
    ) -> Look {
        let held = state.ahead.row(self.place(class) as usize);
        if state.is_done(class) {
            return Look {
                held,
                ..Look::default()
            };
        }
        let other_of = |pair: &Pair| self.other(class, pair);
        // Of two that have not looked, the first to look looks for both.
        let is_wanted = |other: ClassNo| {
            let turns = &state.turns;
            turns[other.at()] > turns[class.at()] && self.may_be_related(other, class)
        };
        // One that is over tells which component a class belongs to.
        let mut over: Vec<ClassNo> = state.crowds.witnesses(class, bounds).collect();
        let near = self.near.of(class);
        let known: Vec<ClassNo> = near.iter().map(other_of).collect();
        let mut seen = near.clone();
        let place = self.place(class);
        let is_over = |other: ClassNo| state.fates.is_over(other, place);
        seen.retain(|pair| is_wanted(other_of(pair)) && !is_over(other_of(pair)));
        let from_near = seen.len();
        let crowded = state.crowds.candidates(class, bounds, |other, is_within| {
            if is_over(other) {
                if over.len() < WITNESSES && is_within() {
                    over.push(other);
                }
                return false;
            }
            is_wanted(other) && is_within() && known.binary_search(&other).is_err()
        });
        // Of its own component it need not be told.
        let parts = &state.fates.parts;
        let own = parts.root(class);
        over.retain(|&other| parts.root(other) != own);
        let asked = self.judge.asking(class);
        let over = over.into_iter().filter_map(|other| asked.with(other));
        let over: Vec<Pair> = near.iter().copied().chain(over).collect();
        seen.extend(self.ties(state, class, over.iter().map(|pair| (other_of(pair), pair))));
        Look {
            held,
            near: from_near,
            seen,
            candidates: crowded.len(),
            crowded: likely(Likely::new(&asked, &crowded), truth),
        }
    }

    /// The closest pair with each large component whose pages are over: it tells whether the class belongs to it too.
    fn ties<'p>(
        &self,
        state: &State<'_>,
        class: ClassNo,
        near: impl Iterator<Item = (ClassNo, &'p Pair)>,
    ) -> Vec<Pair> {
        let (fates, place) = (&state.fates, self.place(class));
        let own = fates.parts.root(class);
        let mut closest: FxHashMap<ClassNo, &Pair> = FxHashMap::default();
        for (other, pair) in near.filter(|&(other, _)| fates.is_over(other, place)) {
            let root = fates.parts.root(other);
            if root != own {
                let best = closest.entry(root).or_insert(pair);
                if pair.similarity > best.similarity {
                    *best = pair;
                }
            }
        }
        let mut ties: Vec<Pair> = closest.into_values().copied().collect();
        ties.sort_unstable_by_key(|pair| (pair.a, pair.b));
        ties
    }

    /// A pair that holds, of this class and the one that is returned; `None` if that is over.
    fn add(&self, state: &mut State<'_>, class: ClassNo, pair: Pair) -> Result<Option<ClassNo>> {
        let other = self.other(class, &pair);
        if state.fates.is_over(other, self.place(class)) {
            return Ok(None);
        }
        let swapped = pair.relation.swapped();
        for (page, relation) in [
            (pair.a, (pair.b, pair.relation)),
            (pair.b, (pair.a, swapped)),
        ] {
            if state.keep.is_open(page) {
                state.related.entry(page).or_default().push(relation);
            }
        }
        state.fates.parts.join(class, other);
        state.pairs.push(pair.to_numbers())?;
        Ok(Some(other))
    }

    /// A pair that holds, with a class that is over.
    fn tie(&self, state: &mut State<'_>, pair: Pair) -> Result<()> {
        let [a, b] = [pair.a, pair.b].map(|page| self.classes.of(page));
        state.fates.parts.join(a, b);
        state.pairs.push(pair.to_numbers())
    }

    fn wake(&self, state: &mut State<'_>, before: Option<ClassNo>) {
        let before = before.map(|class| self.classes.first(class));
        while let Some(page) = state.keep.woken_before(before) {
            self.visit(state, page);
        }
    }

    fn visit(&self, state: &mut State<'_>, page: Rank) {
        let related = state.related.get(&page).map_or(&[][..], Vec::as_slice);
        state.keep.visit(page, related);
        for page in state.keep.decided() {
            state.related.remove(&page);
            let class = self.classes.of(page);
            if self.classes.first(class) == page {
                let stays = state.keep.goes_for(page);
                state.fates.goes[class.at()] =
                    stays.map_or(u32::MAX, |page| self.preference[page.at()]);
            }
        }
    }
}
