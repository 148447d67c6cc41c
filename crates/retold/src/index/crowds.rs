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
/// But a list is not closed before this many places have been looked at: one of up to 1,024 classes never.
const WORK: u32 = 1 << 20;
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
}

impl List {
    fn new(places: &[u32]) -> List {
        let free = WORK / places.len().max(1) as u32;
        List {
            places: places.to_vec(),
            looking: Vec::new(),
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
        let place = self.join.place_of[class.at()];
        let mut places: Vec<u32> = Vec::new();
        let crowded = self.join.crowded_of(place).iter();
        for list in crowded.filter_map(|rank| self.lists.get(rank)) {
            let smaller = list.looking.partition_point(|&other| other < place);
            places.extend_from_slice(&list.looking[..smaller]);
        }
        let [_, own] = self.join.prefix(place as usize, bounds);
        for list in own.iter().filter_map(|rank| self.lists.get(rank)) {
            let larger = list.places.partition_point(|&other| other <= place);
            places.extend_from_slice(&list.places[larger..]);
        }
        places.sort_unstable();
        places.dedup();
        places.retain(|&other| {
            is_wanted(self.join.class(other)) && self.join.is_within(place, other, bounds)
        });
        places
            .into_iter()
            .map(|other| self.join.class(other))
            .collect()
    }

    /// A class has looked at its lists, and has found somebody or not. `is_over` tells which classes nobody need look at
    /// any more.
    pub fn looked(&mut self, class: ClassNo, found: bool, is_over: impl Fn(ClassNo) -> bool) {
        for rank in self.join.crowded_of(self.join.place_of[class.at()]) {
            let Some(list) = self.lists.get_mut(rank).filter(|list| list.is_open()) else {
                continue;
            };
            list.looks -= 1;
            list.in_vain -= u32::from(!found);
            if !list.is_open() {
                (list.places, list.looking) = (Vec::new(), Vec::new());
            } else if found || list.looks % CLEARED == 0 {
                let goes_on = |place: &u32| !is_over(self.join.class(*place));
                list.places.retain(goes_on);
                list.looking.retain(goes_on);
            }
        }
    }
}
