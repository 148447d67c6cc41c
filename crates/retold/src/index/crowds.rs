//! Keys that very many classes have: large families, templates, disclaimers.
//!
//! All pairs of such a list cannot be looked at. But a class that repeats a page that stays decides nothing, so a family
//! needs only the looks of the few pages in it that stay; whoever asks takes the others off the lists. What a list still
//! costs is bounded: if so many looks find nobody ([`IN_VAIN`], [`CREDIT`]), its key is a template's and tells nothing, and it
//! is closed. What is lost are pairs that share nothing but such keys. Lists that are not much longer than crowded are
//! never closed ([`WORK`]).

use rustc_hash::{FxHashMap, FxHashSet};

use super::pairs::Join;
use crate::ids::ClassNo;
use crate::sketch::Bounds;

/// Looks at a list that may find nobody before it is closed.
const IN_VAIN: u32 = 64;
/// Looks in vain that a look which finds somebody makes good.
const CREDIT: u32 = 8;
/// Looks at a list before it is closed.
const LOOKS: u32 = 1000;
/// But a list is not closed before this many places have been looked at: one of up to 181 classes never.
const WORK: u32 = 1 << 15;
/// Looks at a list between two times that it is cleared of classes that no longer matter.
const CLEARED: u32 = 8;

/// The lists of crowded keys that can make a pair.
#[derive(Debug)]
pub struct Crowds<'a> {
    join: &'a Join,
    lists: FxHashMap<u32, List>,
}

/// A crowded list.
#[derive(Debug)]
struct List {
    places: Vec<u32>,
    /// Those of them that have the key in their prefix: any pair that meets in this list is of one of these and a larger one.
    looking: Vec<u32>,
    /// Looks that are left.
    looks: u32,
    /// Looks that may still find nobody.
    in_vain: u32,
    /// As many as at first.
    patience: u32,
}

impl List {
    fn new(places: &[u32]) -> List {
        let free = WORK / places.len().max(1) as u32;
        List {
            places: places.to_vec(),
            looking: Vec::new(),
            looks: LOOKS.max(free),
            in_vain: IN_VAIN.max(free),
            patience: IN_VAIN.max(free),
        }
    }

    fn is_open(&self) -> bool {
        self.looks > 0 && self.in_vain > 0
    }

    fn tried(&mut self, found: bool) {
        self.in_vain = match found {
            true => self.patience.min(self.in_vain + CREDIT),
            false => self.in_vain - 1,
        };
    }
}

impl<'a> Crowds<'a> {
    /// The crowded lists of a join: those of keys that stand in the prefix of at least one class.
    pub fn new(join: &'a Join, bounds: impl Fn(usize) -> Bounds) -> Crowds<'a> {
        let mut lists = FxHashMap::default();
        for place in 0..join.len() {
            let [_, crowded] = join.prefix(place, &bounds);
            for &rank in crowded {
                let list = lists.entry(rank);
                let list = list.or_insert_with(|| List::new(join.list(rank)));
                list.looking.push(place as u32);
            }
        }
        Crowds { join, lists }
    }

    /// The classes of each list.
    pub fn groups(&self) -> impl Iterator<Item = impl Iterator<Item = ClassNo>> {
        let lists = self.lists.values();
        lists.map(|list| list.places.iter().map(|&place| self.join.class(place)))
    }

    /// The other classes on the open lists of a class that are wanted and within bounds of it, ascending by place.
    pub fn candidates(
        &self,
        class: ClassNo,
        bounds: &impl Fn(usize) -> Bounds,
        is_wanted: impl Fn(ClassNo) -> bool,
    ) -> Vec<ClassNo> {
        let mut places: Vec<u32> = Vec::new();
        self.any(class, bounds, |other| {
            if is_wanted(other) {
                places.push(self.join.place_of[other.at()]);
            }
            false
        });
        places.sort_unstable();
        places
            .into_iter()
            .map(|place| self.join.class(place))
            .collect()
    }

    /// Whether `test` holds for one of the other classes on the open lists of a class that are within bounds of it. They are
    /// tested, each once, until one passes.
    pub fn any(
        &self,
        class: ClassNo,
        bounds: &impl Fn(usize) -> Bounds,
        mut test: impl FnMut(ClassNo) -> bool,
    ) -> bool {
        let place = self.join.place_of[class.at()];
        let list = |rank: &u32| self.lists.get(rank);
        let smaller = self.join.crowded_of(place).iter().filter_map(list);
        let smaller = smaller.map(|list| {
            let end = list.looking.partition_point(|&other| other < place);
            &list.looking[..end]
        });
        let [_, own] = self.join.prefix(place as usize, bounds);
        let larger = own.iter().filter_map(list).map(|list| {
            let start = list.places.partition_point(|&other| other <= place);
            &list.places[start..]
        });
        let mut seen = FxHashSet::default();
        let mut others = smaller.chain(larger).flatten().copied();
        others.any(|other| {
            seen.insert(other)
                && self.join.is_within(place, other, bounds)
                && test(self.join.class(other))
        })
    }

    /// A class has looked at its lists, and has found somebody or not. `is_over` tells which classes nobody need look at
    /// any more.
    pub fn looked(&mut self, class: ClassNo, found: bool, is_over: impl Fn(ClassNo) -> bool) {
        let join = self.join;
        let goes_on = |place: &u32| !is_over(join.class(*place));
        self.each_open(class, |list| {
            list.looks -= 1;
            list.tried(found);
            if found || list.looks % CLEARED == 0 {
                list.places.retain(goes_on);
                list.looking.retain(goes_on);
            }
        });
    }

    /// The same of a class that has looked no further than for the first that it found.
    pub fn tried(&mut self, class: ClassNo, found: bool) {
        self.each_open(class, |list| list.tried(found));
    }

    fn each_open(&mut self, class: ClassNo, mut change: impl FnMut(&mut List)) {
        for rank in self.join.crowded_of(self.join.place_of[class.at()]) {
            if let Some(list) = self.lists.get_mut(rank).filter(|list| list.is_open()) {
                change(list);
                if !list.is_open() {
                    (list.places, list.looking) = (Vec::new(), Vec::new());
                }
            }
        }
    }
}
