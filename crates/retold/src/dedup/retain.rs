//! Retention: decides which pages are kept and which are dropped, in one loop. Small components use stored pairs, large ones the pages
//! found by probing ([`super::probe`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::cluster::{Collections, DropRule, Graph, Pair};
use crate::config::JudgeConfig;
use crate::error::Result;
use crate::ids::Rank;
use crate::relation::Relation;

/// A page that is dropped for a kept page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The dropped page.
    pub page: Rank,
    /// The kept page that it repeats, or of which it is an older version.
    pub canonical: Rank,
    /// The relation of the dropped page to the kept page.
    pub relation: DroppedAs,
    /// Words in passages of the dropped page that the kept page does not have (for a collection: that its parts do not have), all below the
    /// limit.
    pub lost: u32,
}

/// The relation of a dropped page to the page for which it is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DroppedAs {
    /// It repeats that page, by its text.
    Repeats(Relation),
    /// It is a collection, and kept pages, of which the canonical page is the largest, leave it nothing of its own.
    Collection {
        /// The number of these kept pages.
        parts: u32,
    },
    /// That page is a newer one with its address, or the page for which the newer one is dropped ([`SameUrl`](crate::SameUrl)).
    SameUrl,
}

impl DroppedAs {
    /// The name used in all files and output.
    pub fn name(self) -> &'static str {
        match self {
            DroppedAs::Repeats(relation) => relation.name(),
            DroppedAs::Collection { .. } => "collection",
            DroppedAs::SameUrl => "same_url",
        }
    }

    /// The relation of the texts, if they decided.
    pub fn of_texts(self) -> Option<Relation> {
        match self {
            DroppedAs::Repeats(relation) => Some(relation),
            DroppedAs::Collection { .. } | DroppedAs::SameUrl => None,
        }
    }

    /// The relation with the pages swapped.
    pub(super) fn swapped(self) -> DroppedAs {
        match self {
            DroppedAs::Repeats(relation) => DroppedAs::Repeats(relation.swapped()),
            other => other,
        }
    }
}

/// The rules for dropping pages, from a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Whether contained pages are dropped too, not only duplicates.
    pub(crate) contained: bool,
    /// Whether pages that overlap a kept page are dropped too.
    pub(crate) overlaps: bool,
    /// Whether a page waits for pages that contain it; otherwise it is kept before a less preferred page that contains it.
    pub(crate) containers_first: bool,
    /// Whether the parts of a collection stay; otherwise all contained pages are dropped for the whole.
    pub(crate) collections: bool,
}

impl Rules {
    pub(crate) fn new(config: &JudgeConfig) -> Rules {
        Rules {
            contained: config.drop != DropRule::Duplicate,
            overlaps: config.drop == DropRule::Overlaps,
            containers_first: !config.canonical.is_stated(),
            // If no page with a copy stays, the parts of a collection do not stay either.
            collections: config.collections == Collections::Parts && config.drop != DropRule::All,
        }
    }
}

/// The pages to decide.
#[derive(Clone, Copy)]
pub(crate) struct Undecided<'a> {
    /// The place of each page in the order of preference; all different, the best is the smallest.
    pub(crate) preference: &'a [u32],
    /// For each page whether it is kept in any case; empty if none is. These pages are preferred to all others.
    pub(crate) is_old: &'a [bool],
    /// Answers questions about the parts of a page; `None` if no page can be a collection.
    pub(crate) parts: Option<&'a dyn Parts>,
}

/// Questions about the parts of a page, which are the pages that it contains.
pub(crate) trait Parts {
    /// Whether a page is not known to be related to at least one of these others by more than an overlap: two parts that only overlap both
    /// say something of their own.
    fn is_unrelated_to_any(&self, page: Rank, others: &[Rank]) -> bool;

    /// How many words above the limit a page has in passages that none of these others has; `None` if the method does not know.
    fn own_against(&self, page: Rank, others: &[Rank]) -> Option<u32>;

    fn length(&self, page: Rank) -> u64;

    /// The number of kept pages that a kept page represents.
    fn pages(&self, page: Rank) -> u32;
}

/// The pages related to a page, each with the page's relation to it.
pub(crate) type Related = [(Rank, Relation)];

/// The source of related pages: stored pairs, or probing.
pub(crate) trait Neighbours {
    /// The next page to visit, the most preferred first; pages that decide nothing may be left out.
    ///
    /// Errors: those of probing, and the run was cancelled.
    fn next(&mut self, decisions: &Decisions<'_>) -> Result<Option<Rank>>;

    /// Called at a page's turn; returns whether it must still be visited. From now until its decision, [`Neighbours::of`] has all pages
    /// related to it, except those dropped for a page of equal or higher preference.
    ///
    /// Errors: a temporary file cannot be written.
    fn ready(&mut self, page: Rank, decisions: &Decisions<'_>) -> Result<bool>;

    fn of(&self, page: Rank) -> &Related;

    /// Whether two pages are known to be related by more than an overlap; if not, they may still be.
    fn are_related(&self, a: Rank, b: Rank) -> bool;

    /// Called when a page was decided: dropped for `dropped_for`, or kept.
    fn decided(&mut self, page: Rank, dropped_for: Option<Rank>);
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Retained {
    /// The dropped pages, ascending.
    pub(crate) dropped: Vec<Dropped>,
    /// The collections, kept or dropped, ascending.
    pub(crate) collections: Vec<Rank>,
}

impl Retained {
    /// The record of a page, if it was dropped.
    pub(crate) fn dropped(&self, page: Rank) -> Option<Dropped> {
        let at = self
            .dropped
            .binary_search_by_key(&page, |dropped| dropped.page);
        at.ok().map(|at| self.dropped[at])
    }

    pub(crate) fn is_collection(&self, page: Rank) -> bool {
        self.collections.binary_search(&page).is_ok()
    }

    pub(crate) fn is_dropped_collection(&self, page: Rank) -> bool {
        let dropped = self
            .is_collection(page)
            .then(|| self.dropped(page))
            .flatten();
        dropped.is_some_and(|dropped| dropped.relation.of_texts().is_none())
    }
}

/// How many parts of a page are compared with all its other parts: the least preferred ones, as they are seldom collections themselves. A
/// page that contains thousands of versions of one text costs that many comparisons for each.
pub(super) const COMPARED_PARTS: usize = 4;

/// Decides all pages of `neighbours`.
///
/// In each step the most preferred open page that no open page contains (without [`Rules::containers_first`]: the most preferred open page)
/// is kept, and all pages that repeat it are dropped: its duplicates, those contained in it, and with [`Rules::overlaps`] those that
/// overlap it. So no kept page repeats another, and every dropped page repeats a kept one; it is dropped for the most preferred of these.
/// (A cycle of containment is impossible because of the sizes; if there were one, its most preferred page would be kept.)
///
/// A page that contains two pages which are not related to each other, or only overlap, is a collection. Its parts do not wait for it and
/// are not dropped for it. It waits for their decisions, and is dropped if the kept ones leave it nothing of its own. Otherwise it is treated
/// like any page: it may be dropped for a duplicate or a container, and its duplicates for it. Old pages are never collections: they stay
/// anyway, so their parts are dropped.
///
/// A dropped page decides nothing. So for dropped pages only relations to preferred pages matter, which makes large families cheap. For the
/// same reason, a part that was dropped, before the turn of the whole, for a page preferred to the whole does not count as a part.
///
/// Errors: those of `neighbours`.
pub(crate) fn retain(
    rules: Rules,
    pages: Undecided<'_>,
    neighbours: &mut impl Neighbours,
) -> Result<Retained> {
    let mut decisions = Decisions::new(rules, pages);
    while let Some(page) = neighbours.next(&decisions)? {
        while let Some(woken) = decisions.woken_before(Some(page)) {
            decisions.visit(woken, neighbours);
        }
        if neighbours.ready(page, &decisions)? {
            decisions.find_parts(page, neighbours);
            decisions.visit(page, neighbours);
        }
    }
    Ok(decisions.finish(neighbours))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Decision {
    Open,
    Kept,
    /// Dropped for that page, with this relation to it.
    Dropped(Rank, DroppedAs),
}

/// The parts of an undecided collection.
#[derive(Default)]
struct Collected {
    parts: Vec<Rank>,
    /// How many leading parts are known to be decided.
    decided: usize,
}

pub(crate) struct Decisions<'a> {
    rules: Rules,
    pages: Undecided<'a>,
    of: Vec<Decision>,
    /// The pages found to be collections.
    collections: FxHashMap<Rank, Collected>,
    /// For each open page the pages that wait for it, because it contains them or is a part of them.
    waiting: FxHashMap<Rank, Vec<Rank>>,
    /// Pages to visit again, the most preferred first.
    woken: BinaryHeap<Reverse<(u32, Rank)>>,
}

impl<'a> Decisions<'a> {
    fn new(rules: Rules, pages: Undecided<'a>) -> Decisions<'a> {
        Decisions {
            of: vec![Decision::Open; pages.preference.len()],
            rules,
            pages,
            collections: FxHashMap::default(),
            waiting: FxHashMap::default(),
            woken: BinaryHeap::new(),
        }
    }

    pub(crate) fn is_open(&self, page: Rank) -> bool {
        self.of[page.at()] == Decision::Open
    }

    /// The next page to visit again before `page`, or before the end.
    fn woken_before(&mut self, page: Option<Rank>) -> Option<Rank> {
        let limit = page.map_or(u32::MAX, |page| self.place(page));
        let &Reverse((place, _)) = self.woken.peek()?;
        (place < limit)
            .then(|| self.woken.pop())?
            .map(|next| next.0.1)
    }

    fn place(&self, page: Rank) -> u32 {
        self.pages.preference[page.at()]
    }

    /// Answers questions about parts, if the parts of collections stay.
    fn parts(&self) -> Option<&'a dyn Parts> {
        self.pages.parts.filter(|_| self.rules.collections)
    }

    fn is_old(&self, page: Rank) -> bool {
        self.pages.is_old.get(page.at()).copied().unwrap_or(false)
    }

    /// Checks at a page's turn whether it is a collection.
    fn find_parts(&mut self, page: Rank, neighbours: &impl Neighbours) {
        let may_be = self.is_open(page) && !self.is_old(page);
        let Some(of_parts) = self.parts().filter(|_| may_be) else {
            return;
        };
        let decides_nothing = |part: Rank| match self.of[part.at()] {
            Decision::Dropped(kept, _) => self.place(kept) < self.place(page),
            _ => false,
        };
        let related = neighbours.of(page).iter();
        let contained = related.filter(|(_, relation)| *relation == Relation::Contains);
        let parts = contained.map(|&(part, _)| part);
        let mut parts: Vec<Rank> = parts.filter(|&part| !decides_nothing(part)).collect();
        parts.sort_unstable_by_key(|&part| Reverse(self.place(part)));
        parts.dedup();
        let is_unrelated_to_any = |(at, &part): (usize, &Rank)| {
            let others = parts[at + 1..].iter().copied();
            let others = others.filter(|&other| !neighbours.are_related(part, other));
            let others: Vec<Rank> = others.collect();
            !others.is_empty() && of_parts.is_unrelated_to_any(part, &others)
        };
        let mut compared = parts.iter().enumerate().take(COMPARED_PARTS);
        if compared.any(is_unrelated_to_any) {
            let decided = 0;
            self.collections.insert(page, Collected { parts, decided });
            self.wake(page);
        }
    }

    /// Keeps a page, unless it must wait for another one, or the parts of a collection leave it nothing of its own.
    fn visit(&mut self, page: Rank, neighbours: &mut impl Neighbours) {
        if !self.is_open(page) {
            return;
        }
        if let Some(other) = self.waits_for(page, neighbours) {
            self.waiting.entry(other).or_default().push(page);
        } else if let Some((largest, parts)) = self.replaced_by_parts(page) {
            self.decide(page, Decision::Dropped(largest, parts));
            neighbours.decided(page, Some(largest));
        } else {
            self.keep(page, neighbours);
        }
    }

    /// An open page that must be decided before this one: a container, or a part of a collection.
    fn waits_for(&mut self, page: Rank, neighbours: &impl Neighbours) -> Option<Rank> {
        if !self.rules.contained || self.is_old(page) {
            return None;
        }
        let contains = |&&(other, relation): &&(Rank, Relation)| {
            relation == Relation::ContainedBy
                && self.is_open(other)
                && !self.collections.contains_key(&other)
        };
        let mut related = neighbours.of(page).iter();
        let waits = self.rules.containers_first;
        if let Some(&(container, _)) = waits.then(|| related.find(contains)).flatten() {
            return Some(container);
        }
        let collected = self.collections.get_mut(&page)?;
        let left = &collected.parts[collected.decided..];
        let is_open = |part: &Rank| self.of[part.at()] == Decision::Open;
        collected.decided += left.iter().position(is_open).unwrap_or(left.len());
        collected.parts.get(collected.decided).copied()
    }

    /// The largest kept part of a collection, and the collection's relation to it, if the kept parts leave it nothing of its own.
    fn replaced_by_parts(&self, page: Rank) -> Option<(Rank, DroppedAs)> {
        let collected = self.collections.get(&page)?;
        let of_parts = self.parts().filter(|_| self.rules.contained)?;
        let is_kept = |part: &Rank| self.of[part.at()] == Decision::Kept;
        let kept = collected.parts.iter().copied().filter(is_kept);
        let kept: Vec<Rank> = kept.collect();
        let by_length = |&part: &Rank| (of_parts.length(part), Reverse(self.place(part)));
        let largest = kept.iter().copied().max_by_key(by_length)?;
        let parts = kept.iter().map(|&part| of_parts.pages(part)).sum();
        let own = of_parts.own_against(page, &kept)?;
        (own == 0).then_some((largest, DroppedAs::Collection { parts }))
    }

    /// Whether a page with this relation to a kept page is dropped for it.
    fn repeats(&self, relation: Relation, kept: Rank) -> bool {
        match relation {
            Relation::Duplicate => true,
            Relation::ContainedBy => self.rules.contained && !self.collections.contains_key(&kept),
            Relation::Overlaps => self.rules.overlaps,
            Relation::Contains => false,
        }
    }

    /// Keeps a page, and drops those that repeat it.
    fn keep(&mut self, page: Rank, neighbours: &mut impl Neighbours) {
        let mut decided = vec![page];
        self.decide(page, Decision::Kept);
        for &(other, relation) in neighbours.of(page) {
            let relation = relation.swapped();
            let is_better = match self.of[other.at()] {
                Decision::Open => true,
                Decision::Dropped(kept, _) => self.place(page) < self.place(kept),
                Decision::Kept => false,
            };
            if self.repeats(relation, page) && is_better && !self.is_old(other) {
                let relation = DroppedAs::Repeats(relation);
                self.decide(other, Decision::Dropped(page, relation));
                decided.push(other);
            }
        }
        for page in decided {
            neighbours.decided(page, self.dropped_for(page));
        }
    }

    fn dropped_for(&self, page: Rank) -> Option<Rank> {
        match self.of[page.at()] {
            Decision::Dropped(kept, _) => Some(kept),
            _ => None,
        }
    }

    fn decide(&mut self, page: Rank, decision: Decision) {
        self.of[page.at()] = decision;
        // It is still recorded as a collection, but its parts are no longer needed.
        if let Some(collected) = self.collections.get_mut(&page) {
            *collected = Collected::default();
        }
        self.wake(page);
    }

    /// Lets the pages that wait for this one be visited again.
    fn wake(&mut self, page: Rank) {
        for waiting in self.waiting.remove(&page).unwrap_or_default() {
            self.woken.push(Reverse((self.place(waiting), waiting)));
        }
    }

    /// Decides the remaining pages after all were visited.
    fn finish(mut self, neighbours: &mut impl Neighbours) -> Retained {
        loop {
            while let Some(page) = self.woken_before(None) {
                self.visit(page, neighbours);
            }
            let waiting = self.waiting.values().flatten().copied();
            let open = waiting.filter(|&page| self.is_open(page));
            match open.min_by_key(|&page| self.place(page)) {
                Some(page) => self.keep(page, neighbours),
                None => break,
            }
        }
        let decisions = Rank::first(self.of.len()).zip(self.of);
        let dropped = decisions.filter_map(|(page, decision)| match decision {
            Decision::Dropped(canonical, relation) => Some(Dropped {
                page,
                canonical,
                relation,
                lost: 0,
            }),
            _ => None,
        });
        let mut collections: Vec<Rank> = self.collections.into_keys().collect();
        collections.sort_unstable();
        Retained {
            dropped: dropped.collect(),
            collections,
        }
    }
}

/// Pages with all their pairs.
pub(crate) struct StoredPairs {
    graph: Graph,
    /// The pages with related pages, the most preferred last.
    left: Vec<Rank>,
}

impl StoredPairs {
    pub(crate) fn new(pages: usize, pairs: &[Pair], preference: &[u32]) -> StoredPairs {
        let graph = Graph::build(pages, pairs, &[]);
        let mut left: Vec<Rank> = Rank::first(pages).collect();
        left.retain(|&page| !graph.of(page).is_empty());
        left.sort_unstable_by_key(|page| Reverse(preference[page.at()]));
        StoredPairs { graph, left }
    }
}

impl Neighbours for StoredPairs {
    fn next(&mut self, _: &Decisions<'_>) -> Result<Option<Rank>> {
        Ok(self.left.pop())
    }

    fn ready(&mut self, _: Rank, _: &Decisions<'_>) -> Result<bool> {
        Ok(true)
    }

    fn of(&self, page: Rank) -> &Related {
        self.graph.of(page)
    }

    fn are_related(&self, a: Rank, b: Rank) -> bool {
        let related = self.graph.of(a);
        let at = related.binary_search_by_key(&b, |&(other, _)| other);
        at.is_ok_and(|at| related[at].1 != Relation::Overlaps)
    }

    fn decided(&mut self, _: Rank, _: Option<Rank>) {}
}
