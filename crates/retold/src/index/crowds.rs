//! Keys that very many classes have: large families, templates, disclaimers.
//!
//! All pairs of such a list cannot be looked at. But a class that repeats a page that stays decides nothing, so a family
//! needs only the looks of the few pages in it that stay; whoever asks takes the others off the lists. What a list still
//! costs is bounded: if so many looks find nobody ([`IN_VAIN`]), its key is a template's and tells nothing, and it is
//! closed. Lists that are not much longer than crowded are never closed ([`WORK`]).

use rustc_hash::FxHashMap;

use super::pairs::Join;
use crate::ids::ClassNo;
use crate::sketch::Bounds;

/// Looks at a list that find nobody before it is closed.
const IN_VAIN: u32 = 64;
/// Looks at a list before it is closed.
const LOOKS: u32 = 1000;
/// But a list is not closed before this many places have been looked at: one of up to 2,048 classes never.
const WORK: u32 = 1 << 22;
/// Looks at a list between two times that it is cleared of classes that no longer matter.
const CLEARED: u32 = 8;

/// The lists of crowded keys that can make a pair.
#[derive(Debug)]
pub struct Crowds<'a> {
    join: &'a Join<'a>,
    lists: FxHashMap<u32, List>,
}

/// A crowded list.
#[derive(Debug)]
struct List {
    places: Vec<u32>,
    /// Looks that are left.
    looks: u32,
    /// Looks that may still find nobody.
    in_vain: u32,
}

impl List {
    fn new(places: &[u32]) -> List {
        let free = WORK / places.len().max(1) as u32;
        List {
            places: places.to_vec(),
            looks: LOOKS.max(free),
            in_vain: IN_VAIN.max(free),
        }
    }

    fn is_open(&self) -> bool {
        self.looks > 0 && self.in_vain > 0
    }
}

impl<'a> Crowds<'a> {
    /// The crowded lists of a join: those of keys that stand in the prefix of at least one class.
    pub fn new(join: &'a Join<'a>, bounds: impl Fn(usize) -> Bounds) -> Crowds<'a> {
        let mut lists = FxHashMap::default();
        for place in 0..join.len() {
            let [_, crowded] = join.prefix(place, &bounds);
            for &rank in crowded {
                let list = || List::new(join.list(rank));
                lists.entry(rank).or_insert_with(list);
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
        let place = self.join.place_of[class.at()];
        let mut places: Vec<u32> = Vec::new();
        for list in self.of(place).filter_map(|rank| self.lists.get(&rank)) {
            if list.is_open() {
                let wanted = |&&other: &&u32| other != place && is_wanted(self.join.class(other));
                places.extend(list.places.iter().filter(wanted));
            }
        }
        places.sort_unstable();
        places.dedup();
        places.retain(|&other| self.join.is_within(place, other, bounds));
        places.into_iter().map(|other| self.join.class(other)).collect()
    }

    /// A class has looked at its lists, and has found somebody or not. `is_over` tells which classes nobody need look at
    /// any more.
    pub fn looked(&mut self, class: ClassNo, found: bool, is_over: impl Fn(ClassNo) -> bool) {
        let ranks: Vec<u32> = self.of(self.join.place_of[class.at()]).collect();
        for rank in ranks {
            let Some(list) = self.lists.get_mut(&rank).filter(|list| list.is_open()) else {
                continue;
            };
            list.looks -= 1;
            list.in_vain -= u32::from(!found);
            if !list.is_open() {
                list.places = Vec::new();
            } else if found || list.looks % CLEARED == 0 {
                list.places.retain(|&place| !is_over(self.join.class(place)));
            }
        }
    }

    fn of(&self, place: u32) -> impl Iterator<Item = u32> {
        let ranks = self.join.ranks_of(place as usize);
        let crowded = ranks.partition_point(|&rank| rank < self.join.crowded);
        ranks[crowded..].iter().copied()
    }
}
