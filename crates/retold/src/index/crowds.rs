//! Keys that very many classes have: large families, templates, disclaimers.
//!
//! All pairs of such a list cannot be looked at. But a class that repeats a page that stays decides nothing, so a family
//! needs only the looks of the few pages in it that stay; whoever asks takes the others off the lists. What a list still
//! costs is bounded: if so many looks find nobody ([`IN_VAIN`], [`CREDIT`]), its key is a template's and tells nothing, and it
//! is closed. What is lost are pairs that share nothing but such keys. Lists that are not much longer than crowded are
//! never closed ([`WORK`]).

use rustc_hash::FxHashSet;

use super::pairs::Join;
use crate::error::Result;
use crate::ids::ClassNo;
use crate::sketch::Bounds;
use crate::spill::{Memory, Row, Rows, Sorter};

/// Looks at a list that may find nobody before it is closed.
const IN_VAIN: u32 = 64;
/// Looks in vain that a look which finds somebody makes good.
/// A look for the first that is found which finds somebody, but not at once, counts as so many in vain: in a family nearly all are
/// related, in a template some are by chance.
const CREDIT: u32 = 8;
/// Looks at a list before it is closed.
const LOOKS: u32 = 1000;
/// A look for the first that is found, in vain, counts as so many of these; so 250 close a list.
const TRIED: u32 = 4;
/// But a list is not closed before this many places have been looked at: one of up to 181 classes never.
const WORK: u32 = 1 << 15;
/// Mixes the places of a list: a prime that is greater than their number, so that each is met once.
const MIXING: usize = 4_294_967_291;
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

/// The first class that another one found.
#[derive(Clone, Copy, Debug)]
pub struct First {
    /// Which one.
    pub class: ClassNo,
    /// The number of the list on which it was found, and whether it was the first of it that was tested.
    list: usize,
    at_once: bool,
}

#[cfg(test)]
impl First {
    /// One that was found on the list of that number.
    pub fn on(list: usize, class: ClassNo, at_once: bool) -> First {
        First {
            class,
            list,
            at_once,
        }
    }
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

    /// So many looks have found nobody.
    fn lose(&mut self, looks: u32) {
        self.in_vain = self.in_vain.saturating_sub(looks);
    }

    fn gain(&mut self) {
        self.in_vain = self.patience.min(self.in_vain + CREDIT);
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
            for &rank in crowded {
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
        self.each_part(place, &ranks, bounds, |_, others| {
            places.extend_from_slice(others);
            false
        });
        // Lists ascend, and those of one template hold the same classes: merged, they are short.
        places.sort();
        places.dedup();
        places.retain(|&other| {
            let is_within = || self.join.is_within((place, crowded), other, bounds);
            is_wanted(self.join.class(other), &is_within)
        });
        places
            .into_iter()
            .map(|place| self.join.class(place))
            .collect()
    }

    /// The first of the other classes on the open lists of a class for which `test` holds; those of which it says nothing are passed
    /// over. They are tested, each once, those of a list in an order that has nothing to do with their sizes; `test` can ask
    /// whether a class is within bounds of this one, which takes longer than to tell who it is.
    pub fn first(
        &self,
        class: ClassNo,
        bounds: &impl Fn(usize) -> Bounds,
        mut test: impl FnMut(ClassNo, &dyn Fn() -> bool) -> Option<bool>,
    ) -> Option<First> {
        let place = self.join.place_of[class.at()];
        let ranks = self.join.ranks_of(place as usize);
        let crowded = self.join.crowded_of(&ranks);
        let (mut seen, mut first) = (FxHashSet::default(), None);
        let mut passes = |other: u32| {
            let is_within = || self.join.is_within((place, crowded), other, bounds);
            match seen.insert(other) {
                true => test(self.join.class(other), &is_within),
                false => Some(false),
            }
        };
        self.each_part(place, &ranks, bounds, |list, others| {
            let (many, start) = (others.len(), place as usize);
            let mixed = (start..start + many).map(|at| others[at % many * MIXING % many]);
            let tested = mixed.filter_map(|other| Some((other, passes(other)?)));
            first = tested
                .enumerate()
                .find(|&(_, (_, passes))| passes)
                .map(|(at, (other, _))| First {
                    class: self.join.class(other),
                    list,
                    at_once: at == 0,
                });
            first.is_some()
        });
        first
    }

    /// Hands the number of each open list of the class at a place, with these ranks, and what of it it may be within bounds of to
    /// `take`, until that says that it is enough.
    fn each_part(
        &self,
        place: u32,
        ranks: &[u32],
        bounds: &impl Fn(usize) -> Bounds,
        mut take: impl FnMut(usize, &[u32]) -> bool,
    ) {
        // Smaller classes that have the key in their prefix, then larger ones where this one has.
        for number in self.numbers(self.join.crowded_of(ranks)) {
            let [_, looking] = self.left(number);
            let end = looking.partition_point(|&other| other < place);
            if take(number, &looking[..end]) {
                return;
            }
        }
        let [_, own] = self.join.prefix(place as usize, ranks, bounds);
        for number in self.numbers(own) {
            let [places, _] = self.left(number);
            let start = places.partition_point(|&other| other <= place);
            if take(number, &places[start..]) {
                return;
            }
        }
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
        places.retain(|&other| self.join.is_within((place, crowded), other, bounds));
        places.into_iter().map(|place| self.join.class(place))
    }

    /// A class has looked at its lists, and has found these. A list on which none of them stands has been looked at in vain: what
    /// a page's family has says nothing of the template that the page has too. `is_over` tells which classes nobody need look
    /// at any more.
    pub fn looked(&mut self, class: ClassNo, found: &[ClassNo], is_over: impl Fn(ClassNo) -> bool) {
        let join = self.join;
        let goes_on = |place: &u32| !is_over(join.class(*place));
        self.each_open(class, |list, rank, whole| {
            let found = list.has_any(found, (join, rank));
            list.looks -= 1;
            match found {
                true => list.gain(),
                false => list.lose(1),
            }
            if list.is_open() && (found || list.looks % CLEARED == 0) {
                let left = list.left.take().unwrap_or_else(whole);
                list.clear(left, goes_on);
            }
        });
    }

    /// The same of a class that has looked no further than for the first that it found: of lists on which that does not stand it
    /// says nothing. On long lists many find somebody by chance, so that credit alone would keep a list open: looks in vain
    /// count, and more than looks that are checked.
    pub fn tried(&mut self, class: ClassNo, found: Option<First>) {
        let join = self.join;
        self.each_open(class, |list, rank, _| match &found {
            None => {
                list.lose(1);
                list.looks = list.looks.saturating_sub(TRIED);
            }
            Some(first) if !first.at_once => {
                if join.crowded + first.list as u32 == rank {
                    list.lose(CREDIT);
                }
            }
            Some(first) if list.has_any(&[first.class], (join, rank)) => list.gain(),
            Some(_) => {}
        });
    }

    /// Changes the open lists of a class; `change` is told the rank, and can ask for a list as it was at first.
    fn each_open(
        &mut self,
        class: ClassNo,
        mut change: impl FnMut(&mut List, u32, &dyn Fn() -> [Vec<u32>; 2]),
    ) {
        let ranks = self.join.ranks_of(self.join.place_of[class.at()] as usize);
        for &rank in self.join.crowded_of(&ranks) {
            let number = (rank - self.join.crowded) as usize;
            let list = &mut self.lists[number];
            if list.is_open() {
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
}
