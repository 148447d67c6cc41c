//! Keys that very many classes have: large families, templates, disclaimers.
//!
//! All pairs of such a list cannot be looked at. But a class that repeats a page that stays decides nothing, so a family
//! needs only the looks of the few pages in it that stay; whoever asks takes the others off the lists. What a list still
//! costs is bounded: if so many looks find nobody ([`IN_VAIN`], [`CREDIT`]), its key is a template's and tells nothing, and it
//! is closed, and so are long lists of which hardly any sampled pair holds ([`Crowds::close`]). What is lost are pairs that share nothing but such keys. Lists that are not much longer than crowded are
//! never closed ([`WORK`]).

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::pairs::Join;
use crate::error::Result;
use crate::ids::ClassNo;
use crate::sketch::Bounds;
use crate::spill::{Memory, Row, Rows, Sorter};

/// Looks at a list that may find nobody before it is closed.
const IN_VAIN: u32 = 64;
/// Looks in vain that a look which finds somebody makes good.
const CREDIT: u32 = 8;
/// Looks at a list before it is closed: some more than the pages that make a component large, so that what all of them quote is known
/// to be over, and is left as a witness.
const LOOKS: u32 = 1100;
/// A look for the first that is found, in vain, counts as so many of these; so 275 close a list.
const TRIED: u32 = 4;
/// But a list is not closed before this many places have been looked at: one of up to 181 classes never.
const WORK: u32 = 1 << 15;
/// Pairs sampled of a list, at random and with its smallest classes.
const SAMPLED: usize = 32;
const SMALLEST: usize = 4;
/// Steps whose multiples, less whole numbers, are spread evenly over the unit square (powers of the inverse of the plastic number).
const SPREAD: [f64; 2] = [0.754_877_666_246_693, 0.569_840_290_998_053];
/// Looks at a list between two times that it is cleared of classes that no longer matter.
const CLEARED: u32 = 8;
/// Of those that a list is cleared of, so many are remembered.
pub const WITNESSES: usize = 4;

/// The lists of crowded keys that can make a pair.
#[derive(Debug)]
pub struct Crowds<'a> {
    join: &'a Join,
    /// By rank, from the first crowded one on.
    lists: Vec<List>,
    /// Of each list the places that have the key in their prefix: any pair that meets in this list is of one of these and a
    /// larger one.
    looking: Rows<u32>,
}

/// A crowded list.
#[derive(Debug, Default)]
struct List {
    /// What is left of the list, and of those of its places that look, once some were taken off.
    left: Option<[Vec<u32>; 2]>,
    /// Of the places that were taken off, those with the fewest keys: ascending, and [`WITNESSES`] at the most.
    witnesses: Vec<u32>,
    /// Looks that are left.
    looks: u32,
    /// Looks that may still find nobody.
    in_vain: u32,
    /// As many as at first.
    patience: u32,
    /// Closed, and stays so.
    is_settled: bool,
}

impl List {
    fn new(length: usize) -> List {
        let free = WORK / length.max(1) as u32;
        List {
            left: None,
            witnesses: Vec::new(),
            looks: LOOKS.max(free),
            in_vain: IN_VAIN.max(free),
            patience: IN_VAIN.max(free),
            is_settled: false,
        }
    }

    fn is_open(&self) -> bool {
        self.looks > 0 && self.in_vain > 0
    }

    /// Whether one of these classes is on what is left of the list, whose rank in the join this is.
    fn has_any(&self, classes: &[ClassNo], (join, rank): (&Join, u32)) -> bool {
        let places = match &self.left {
            _ if classes.is_empty() => return false,
            Some([places, _]) => Row::Held(places),
            None => join.list(rank),
        };
        let place = |class: &ClassNo| join.place_of[class.at()];
        classes
            .iter()
            .any(|class| places.binary_search(&place(class)).is_ok())
    }

    /// A class has looked at this list, whose rank in the join this is, and has found these; whether one of them is on the list.
    fn looked(&mut self, found: &[ClassNo], at: (&Join, u32)) -> bool {
        let found = self.has_any(found, at);
        self.looks -= 1;
        self.tried(found);
        found
    }

    fn tried(&mut self, found: bool) {
        self.in_vain = match found {
            true => self.patience.min(self.in_vain + CREDIT),
            false => self.in_vain - 1,
        };
    }

    /// Takes off the places that do not go on.
    fn clear(&mut self, [mut places, mut looking]: [Vec<u32>; 2], goes_on: impl Fn(&u32) -> bool) {
        let off = places.iter().filter(|&place| !goes_on(place));
        self.witnesses.extend(off.take(WITNESSES));
        self.witnesses.sort_unstable();
        self.witnesses.truncate(WITNESSES);
        places.retain(&goes_on);
        looking.retain(&goes_on);
        self.left = Some([places, looking]);
    }
}

impl<'a> Crowds<'a> {
    /// The crowded lists of a join: those of keys that stand in the prefix of at least one class.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn new(
        join: &'a Join,
        bounds: impl Fn(usize) -> Bounds,
        memory: &Memory,
    ) -> Result<Crowds<'a>> {
        let mut pairs = Sorter::new(memory);
        for place in 0..join.len() {
            let ranks = join.ranks_of(place);
            let [_, crowded] = join.prefix(place, &ranks, &bounds);
            for &rank in &*crowded {
                pairs.push([rank - join.crowded, place as u32])?;
            }
        }
        let pairs = pairs.finish()?.map(|[number, place]| (number, place));
        let looking = Rows::gather(pairs, join.crowded(), memory)?;
        // A key in nobody's prefix makes no pair: its list is closed.
        let list = |number: usize| match looking.count(number) {
            0 => List::default(),
            _ => List::new(join.length(join.crowded + number as u32)),
        };
        let mut crowds = Crowds {
            join,
            lists: (0..looking.len()).map(list).collect(),
            looking,
        };
        crowds.settle();
        Ok(crowds)
    }

    /// Lists that are closed now stay closed.
    pub fn settle(&mut self) {
        for list in &mut self.lists {
            list.is_settled = !list.is_open();
        }
    }

    /// All lists as at first, but those that were closed when this was settled.
    pub fn begin_again(&mut self) {
        for (list, rank) in self.lists.iter_mut().zip(self.join.crowded..) {
            if !list.is_settled {
                *list = List::new(self.join.length(rank));
            }
        }
    }

    /// Closes those open lists of more than `least` classes of which `is_template` says so, of pairs sampled at random, and of pairs
    /// with one of the smallest classes that look: a text that many pages quote is one of these, and related to all others of its
    /// list, which are not related to each other. Those of a pair may be the same, and out of bounds.
    pub fn close(&mut self, least: usize, is_template: impl Fn(&[[ClassNo; 2]]) -> bool + Sync) {
        let this = &*self;
        let is_long = |&number: &usize| {
            let length = this.join.length(this.join.crowded + number as u32);
            this.lists[number].is_open() && length > least && length * length > WORK as usize
        };
        let long = (0..this.lists.len()).into_par_iter().filter(is_long);
        let closed = long.filter(|&number| {
            let [places, looking] = this.left(number);
            let sampled = |many: usize| -> Vec<[ClassNo; 2]> {
                let pairs = (1..=SAMPLED).map(|at| {
                    let [a, b] = SPREAD.map(|step| (at as f64 * step).fract());
                    let a = looking[(a * many.min(looking.len()) as f64) as usize];
                    let b = places[(b * places.len() as f64) as usize];
                    [a, b].map(|place| this.join.class(place))
                });
                pairs.collect()
            };
            is_template(&sampled(looking.len())) && is_template(&sampled(SMALLEST))
        });
        for number in closed.collect::<Vec<usize>>() {
            self.lists[number] = List {
                is_settled: true,
                ..List::default()
            };
        }
    }

    /// Hands the classes of each list to `take`.
    pub fn groups(&self, mut take: impl FnMut(&mut dyn Iterator<Item = ClassNo>)) {
        for number in (0..self.lists.len()).filter(|&number| self.lists[number].is_open()) {
            let [places, _] = self.left(number);
            take(&mut places.iter().map(|&place| self.join.class(place)));
        }
    }

    /// What is left of a list, and of those of its places that look.
    fn left(&self, number: usize) -> [Row<'_, u32>; 2] {
        let list = &self.lists[number];
        match &list.left {
            _ if !list.is_open() => Default::default(),
            Some([places, looking]) => [places, looking].map(|list| Row::Held(list)),
            None => [
                self.join.list(self.join.crowded + number as u32),
                self.looking.get(number),
            ],
        }
    }

    /// Whether one of the lists of a class is open.
    pub fn has_open(&self, class: ClassNo) -> bool {
        let ranks = self.join.ranks_of(self.join.place_of[class.at()] as usize);
        let mut numbers = self.numbers(self.join.crowded_of(&ranks));
        numbers.any(|number| self.lists[number].is_open())
    }

    /// The length of the longest of the open lists of a class, as it was at first; 0 if none is open.
    pub fn longest(&self, class: ClassNo) -> usize {
        let ranks = self.join.ranks_of(self.join.place_of[class.at()] as usize);
        let numbers = self.numbers(self.join.crowded_of(&ranks));
        let open = numbers.filter(|&number| self.lists[number].is_open());
        let lengths = open.map(|number| self.join.length(self.join.crowded + number as u32));
        lengths.max().unwrap_or(0)
    }

    /// The numbers of the lists with these crowded ranks.
    fn numbers(&self, ranks: &[u32]) -> impl Iterator<Item = usize> {
        let first = self.join.crowded;
        ranks.iter().map(move |rank| (rank - first) as usize)
    }

    /// The other classes on the open lists of a class that are wanted, ascending by place. `is_wanted` can ask whether a class is
    /// within bounds of this one.
    pub fn candidates(
        &self,
        class: ClassNo,
        bounds: &impl Fn(usize) -> Bounds,
        mut is_wanted: impl FnMut(ClassNo, &dyn Fn() -> bool) -> bool,
    ) -> Vec<ClassNo> {
        let place = self.join.place_of[class.at()];
        let ranks = self.join.ranks_of(place as usize);
        let crowded = self.join.crowded_of(&ranks);
        let mut places: Vec<u32> = Vec::new();
        self.each_part(place, &ranks, bounds, |others| {
            places.extend_from_slice(others);
            false
        });
        // Lists ascend, and those of one template hold the same classes: merged, they are short.
        places.sort();
        places.dedup();
        places.retain(|&other| {
            let is_within = || self.join.is_within((place, &ranks, crowded), other, bounds);
            is_wanted(self.join.class(other), &is_within)
        });
        places
            .into_iter()
            .map(|place| self.join.class(place))
            .collect()
    }

    /// Whether `test` holds for one of the other classes on the open lists of a class. They are tested, each once, until one
    /// passes; `test` can ask whether a class is within bounds of this one, which takes longer than to tell who it is.
    pub fn any(
        &self,
        class: ClassNo,
        bounds: &impl Fn(usize) -> Bounds,
        mut test: impl FnMut(ClassNo, &dyn Fn() -> bool) -> bool,
    ) -> bool {
        let place = self.join.place_of[class.at()];
        let ranks = self.join.ranks_of(place as usize);
        let crowded = self.join.crowded_of(&ranks);
        let mut seen = FxHashSet::default();
        self.each_part(place, &ranks, bounds, |others| {
            others.iter().any(|&other| {
                let is_within = || self.join.is_within((place, &ranks, crowded), other, bounds);
                seen.insert(other) && test(self.join.class(other), &is_within)
            })
        })
    }

    /// Hands what of each open list of the class at a place, with these ranks, it may be within bounds of to `take`, until that says
    /// that it is enough; whether it did.
    fn each_part(
        &self,
        place: u32,
        ranks: &[u32],
        bounds: &impl Fn(usize) -> Bounds,
        mut take: impl FnMut(&[u32]) -> bool,
    ) -> bool {
        // Smaller classes that have the key in their prefix, then larger ones where this one has.
        for number in self.numbers(self.join.crowded_of(ranks)) {
            let [_, looking] = self.left(number);
            let end = looking.partition_point(|&other| other < place);
            if take(&looking[..end]) {
                return true;
            }
        }
        let [_, own] = self.join.prefix(place as usize, ranks, bounds);
        self.numbers(&own).any(|number| {
            let [places, _] = self.left(number);
            let start = places.partition_point(|&other| other <= place);
            take(&places[start..])
        })
    }

    /// Some of the classes within bounds of a class that were taken off its lists, ascending by place.
    pub fn witnesses(
        &self,
        class: ClassNo,
        bounds: &impl Fn(usize) -> Bounds,
    ) -> impl Iterator<Item = ClassNo> {
        let place = self.join.place_of[class.at()];
        let ranks = self.join.ranks_of(place as usize);
        let crowded = self.join.crowded_of(&ranks);
        let lists = self.numbers(crowded);
        let mut places: Vec<u32> = lists
            .flat_map(|number| self.lists[number].witnesses.iter().copied())
            .filter(|&other| other != place)
            .collect();
        places.sort_unstable();
        places.dedup();
        places.retain(|&other| self.join.is_within((place, &ranks, crowded), other, bounds));
        places.into_iter().map(|place| self.join.class(place))
    }

    /// A class has looked at its lists, and has found these. A list on which none of them stands has been looked at in vain: what
    /// a page's family has says nothing of the template that the page has too. `is_over` tells which classes nobody need look
    /// at any more.
    pub fn looked(&mut self, class: ClassNo, found: &[ClassNo], is_over: impl Fn(ClassNo) -> bool) {
        let join = self.join;
        let goes_on = |place: &u32| !is_over(join.class(*place));
        self.each_open(class, |list, rank, whole| {
            let found = list.looked(found, (join, rank));
            if list.is_open() && (found || list.looks % CLEARED == 0) {
                let left = list.left.take().unwrap_or_else(whole);
                list.clear(left, goes_on);
            }
        });
    }

    /// The same before it is known of any class that it is over.
    pub fn looked_ahead(&mut self, class: ClassNo, found: &[ClassNo]) {
        let join = self.join;
        self.each_open(class, |list, rank, _| {
            list.looked(found, (join, rank));
        });
    }

    /// For each of the crowded lists of a class whether it is open and another class stands on it.
    pub fn shared_open(&self, class: ClassNo, other: ClassNo) -> Vec<bool> {
        let ranks = self.join.ranks_of(self.join.place_of[class.at()] as usize);
        let other = self.join.place_of[other.at()];
        // A key of the other one says that it is on the whole list, without a look at that.
        let others = self.join.ranks_of(other as usize);
        let is_shared = |&rank: &u32| {
            let list = &self.lists[(rank - self.join.crowded) as usize];
            list.is_open()
                && match &list.left {
                    Some([places, _]) => places.binary_search(&other).is_ok(),
                    None => others.binary_search(&rank).is_ok(),
                }
        };
        let crowded = self.join.crowded_of(&ranks);
        crowded.iter().map(is_shared).collect()
    }

    /// The same of a class that has looked no further than for the first that it found, which stands on [those of its
    /// lists](Crowds::shared_open): of others it says nothing. On long lists many find somebody by chance, so that credit alone would keep a
    /// list open: looks in vain count, and more than looks that are checked.
    pub fn tried(&mut self, class: ClassNo, found_on: Option<&[bool]>) {
        let mut found_on = found_on.map(|found_on| found_on.iter());
        self.each(class, |list, _, _| {
            let found = found_on.as_mut().map(|found_on| found_on.next());
            match found {
                _ if !list.is_open() => {}
                None => {
                    list.tried(false);
                    list.looks = list.looks.saturating_sub(TRIED);
                }
                Some(Some(true)) => list.tried(true),
                Some(_) => {}
            }
        });
    }

    /// Changes the open lists of a class; `change` is told the rank, and can ask for a list as it was at first.
    fn each_open(
        &mut self,
        class: ClassNo,
        mut change: impl FnMut(&mut List, u32, &dyn Fn() -> [Vec<u32>; 2]),
    ) {
        self.each(class, |list, rank, whole| {
            if list.is_open() {
                change(list, rank, whole);
            }
        });
    }

    /// The same of all its crowded lists.
    fn each(
        &mut self,
        class: ClassNo,
        mut change: impl FnMut(&mut List, u32, &dyn Fn() -> [Vec<u32>; 2]),
    ) {
        let ranks = self.join.ranks_of(self.join.place_of[class.at()] as usize);
        for &rank in self.join.crowded_of(&ranks) {
            let number = (rank - self.join.crowded) as usize;
            let list = &mut self.lists[number];
            let whole = || {
                let lists = [self.join.list(rank), self.looking.get(number)];
                lists.map(|list| list.to_vec())
            };
            change(list, rank, &whole);
            if !list.is_open() {
                list.left = None;
            }
        }
    }
}
