//! Which pages stay.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::Dropped;
use crate::ids::Rank;
use crate::relation::Relation;

/// What is decided of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Open,
    Stays,
    /// It goes for that page, to which it is this.
    Goes(Rank, Relation),
}

/// Decides which pages stay, one page after the other.
///
/// Again and again the most preferred open page that no open page contains stays, and all pages that repeat it go: they are
/// its duplicates, or contained in it. So no page that stays repeats another, and every page that goes repeats one that
/// stays; it is dropped for the most preferred of these. (A circle of pages each of which contains the next cannot come
/// from sizes; if there were one, its most preferred page would stay.)
///
/// A page that goes decides nothing. So of pages that are known to go only relations to preferred pages matter, which is
/// what keeps large families cheap.
pub struct Keep<'a> {
    preference: &'a [u32],
    contained: bool,
    /// Page -> whether it stays whatever it repeats; empty if none does.
    is_old: &'a [bool],
    fates: Vec<Fate>,
    /// Open page -> pages that wait for it, because it contains them.
    waiting: FxHashMap<Rank, Vec<Rank>>,
    /// Pages that were decided since somebody asked.
    decided: Vec<Rank>,
    /// Pages to be visited again, the most preferred first.
    woken: BinaryHeap<Reverse<(u32, Rank)>>,
}

impl<'a> Keep<'a> {
    /// All pages are open. `preference` has a number for each, the smallest is the best; `contained` says whether contained
    /// pages go too, or duplicates only. Pages that `is_old` has stay; they are preferred to all others.
    pub fn new(preference: &'a [u32], contained: bool, is_old: &'a [bool]) -> Keep<'a> {
        Keep {
            preference,
            contained,
            is_old,
            fates: vec![Fate::Open; preference.len()],
            waiting: FxHashMap::default(),
            decided: Vec::new(),
            woken: BinaryHeap::new(),
        }
    }

    /// The page that a page goes for.
    pub fn goes_for(&self, page: Rank) -> Option<Rank> {
        match self.fates[page.at()] {
            Fate::Goes(stays, _) => Some(stays),
            _ => None,
        }
    }

    /// Whether nothing is decided of a page yet. Of one that is decided, relations are not asked for again.
    pub fn is_open(&self, page: Rank) -> bool {
        self.fates[page.at()] == Fate::Open
    }

    /// The pages that were decided since the last call.
    pub fn decided(&mut self) -> Vec<Rank> {
        std::mem::take(&mut self.decided)
    }

    /// The next page to visit again before `page`, or before the end.
    pub fn woken_before(&mut self, page: Option<Rank>) -> Option<Rank> {
        let limit = page.map_or(u32::MAX, |page| self.preference[page.at()]);
        let &Reverse((place, _)) = self.woken.peek()?;
        (place < limit)
            .then(|| self.woken.pop())?
            .map(|next| next.0.1)
    }

    /// Visits a page, the most preferred first. `related` are all pages that it is related to and what it is to each; those
    /// that go for a page as good as this one may be left out.
    pub fn visit(&mut self, page: Rank, related: &[(Rank, Relation)]) {
        if !self.is_open(page) {
            return;
        }
        let waits = self.contained && !self.is_old(page);
        let container = related.iter().find(|&&(other, relation)| {
            waits && relation == Relation::ContainedBy && self.is_open(other)
        });
        match container {
            Some(&(other, _)) => self.waiting.entry(other).or_default().push(page),
            None => self.stays(page, related),
        }
    }

    fn is_old(&self, page: Rank) -> bool {
        self.is_old.get(page.at()).copied().unwrap_or(false)
    }

    fn stays(&mut self, page: Rank, related: &[(Rank, Relation)]) {
        self.decide(page, Fate::Stays);
        for &(other, relation) in related {
            let relation = relation.swapped();
            let repeats = match relation {
                Relation::Duplicate => true,
                Relation::ContainedBy => self.contained,
                Relation::Contains => false,
            };
            let better = match self.fates[other.at()] {
                Fate::Open => true,
                Fate::Goes(stays, _) => self.preference[page.at()] < self.preference[stays.at()],
                Fate::Stays => false,
            };
            if repeats && better && !self.is_old(other) {
                self.decide(other, Fate::Goes(page, relation));
            }
        }
    }

    fn decide(&mut self, page: Rank, fate: Fate) {
        self.fates[page.at()] = fate;
        self.decided.push(page);
        for waited in self.waiting.remove(&page).unwrap_or_default() {
            let place = self.preference[waited.at()];
            self.woken.push(Reverse((place, waited)));
        }
    }

    /// Decides what is left once all pages have been visited: the pages that go, ascending.
    pub fn finish<'r>(mut self, related: impl Fn(Rank) -> &'r [(Rank, Relation)]) -> Vec<Dropped> {
        loop {
            while let Some(page) = self.woken_before(None) {
                self.visit(page, related(page));
            }
            let waiting = self.waiting.values().flatten().copied();
            let open = waiting.filter(|&page| self.is_open(page));
            match open.min_by_key(|page| self.preference[page.at()]) {
                Some(page) => self.stays(page, related(page)),
                None => break,
            }
        }
        let fates = Rank::first(self.fates.len()).zip(self.fates);
        let dropped = fates.filter_map(|(page, fate)| match fate {
            Fate::Goes(canonical, relation) => Some(Dropped {
                page,
                canonical,
                relation,
            }),
            _ => None,
        });
        dropped.collect()
    }
}
