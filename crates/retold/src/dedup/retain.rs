//! Retention: which pages are kept and which are dropped. One loop decides: for small components on stored pairs, for large ones
//! on the pages that are found by probing ([`super::probe`]).

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
    /// The kept page that it repeats, or whose older version it is.
    pub canonical: Rank,
    /// What the dropped page is to the kept page.
    pub relation: DroppedAs,
    /// Words in passages of the dropped page that the kept page does not have (a collection: that its parts do not have), all under the
    /// limit.
    pub lost: u32,
}

/// What a dropped page is to the page that it is dropped for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DroppedAs {
    /// Their texts say that it repeats that page.
    Repeats(Relation),
    /// It is a collection, and this number of kept pages, of which the canonical page is the largest, leave it nothing of its own.
    Collection {
        /// How many.
        parts: u32,
    },
    /// A newer page of its address is that page, or is dropped for it ([`SameUrl`](crate::SameUrl)).
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

    /// What the texts say, if they decided.
    pub fn of_texts(self) -> Option<Relation> {
        match self {
            DroppedAs::Repeats(relation) => Some(relation),
            DroppedAs::Collection { .. } | DroppedAs::SameUrl => None,
        }
    }

    /// The same read from the other page.
    pub(super) fn swapped(self) -> DroppedAs {
        match self {
            DroppedAs::Repeats(relation) => DroppedAs::Repeats(relation.swapped()),
            other => other,
        }
    }
}

/// How pages are decided, as a configuration says it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Whether contained pages are dropped too, or duplicates only.
    pub(crate) contained: bool,
    /// Whether pages that overlap a kept page are dropped too.
    pub(crate) overlaps: bool,
    /// Whether a page waits for those that contain it; if not, it is kept before a less preferred one that does.
    pub(crate) containers_first: bool,
    /// Whether a collection does not take its parts with it; if not, all contained pages go for the whole.
    pub(crate) collections: bool,
}

impl Rules {
    /// The rules of a configuration.
    pub(crate) fn new(config: &JudgeConfig) -> Rules {
        Rules {
            contained: config.drop != DropRule::Duplicate,
            overlaps: config.drop == DropRule::Overlaps,
            containers_first: !config.canonical.is_stated(),
            // If no page is to stay of which there is a copy, the parts of a collection do not stay either.
            collections: config.collections == Collections::Parts && config.drop != DropRule::All,
        }
    }
}

/// The pages that are decided.
#[derive(Clone, Copy)]
pub(crate) struct Undecided<'a> {
    /// Page -> its place in the order of preference; all different, the smallest is the best.
    pub(crate) preference: &'a [u32],
    /// Page -> whether it is kept whatever it repeats; empty if none is. These are preferred to all others.
    pub(crate) is_old: &'a [bool],
    /// Who is asked about the parts of a page; nobody where no page can be a collection.
    pub(crate) parts: Option<&'a dyn Parts>,
}

/// What is asked about the parts of a page, that is, the pages that it contains.
pub(crate) trait Parts {
    /// Whether nothing is known to relate a page to one of these others.
    fn is_unrelated_to_any(&self, page: Rank, others: &[Rank]) -> bool;

    /// How many words over the limit a page has in passages that all these others together do not have; `None` if the method does not
    /// know.
    fn own_against(&self, page: Rank, others: &[Rank]) -> Option<u32>;

    /// The length of a page's text.
    fn length(&self, page: Rank) -> u64;

    /// How many kept pages a kept page stands for.
    fn pages(&self, page: Rank) -> u32;
}

/// The pages that a page is related to, and what it is to each.
pub(crate) type Related = [(Rank, Relation)];

/// Where the related pages of a page come from: stored pairs, or probing.
pub(crate) trait Neighbours {
    /// The next page to visit, the most preferred first; pages that decide nothing may be left out.
    ///
    /// Errors: those of probing, and the run was cancelled.
    fn next(&mut self, decisions: &Decisions<'_>) -> Result<Option<Rank>>;

    /// Called when it is a page's turn: whether it still has to be visited. From now until it is decided, [`Neighbours::of`] has all pages
    /// to which it is related, except those that were dropped for a page at least as preferred as this one.
    ///
    /// Errors: a temporary file cannot be written.
    fn ready(&mut self, page: Rank, decisions: &Decisions<'_>) -> Result<bool>;

    /// The pages that a page is related to.
    fn of(&self, page: Rank) -> &Related;

    /// Whether two pages are known to be related; if not, they may still be.
    fn are_related(&self, a: Rank, b: Rank) -> bool;

    /// A page was decided: dropped for that page, or kept.
    fn decided(&mut self, page: Rank, dropped_for: Option<Rank>);
}

/// What was decided.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Retained {
    /// The dropped pages, ascending.
    pub(crate) dropped: Vec<Dropped>,
    /// The collections, kept or dropped, ascending.
    pub(crate) collections: Vec<Rank>,
}

impl Retained {
    /// What a page was dropped for.
    pub(crate) fn dropped(&self, page: Rank) -> Option<Dropped> {
        let at = self
            .dropped
            .binary_search_by_key(&page, |dropped| dropped.page);
        at.ok().map(|at| self.dropped[at])
    }

    /// Whether a page is a collection, kept or dropped.
    pub(crate) fn is_collection(&self, page: Rank) -> bool {
        self.collections.binary_search(&page).is_ok()
    }

    /// Whether a page is a collection that is dropped for its parts.
    pub(crate) fn is_dropped_collection(&self, page: Rank) -> bool {
        let dropped = self
            .is_collection(page)
            .then(|| self.dropped(page))
            .flatten();
        dropped.is_some_and(|dropped| dropped.relation.of_texts().is_none())
    }
}

/// So many parts of a page are compared with all its other parts: those that are preferred least, as they are seldom collections
/// themselves. A page that contains thousands of versions of one text costs that many comparisons for each.
pub(super) const COMPARED_PARTS: usize = 4;

/// Decides all pages that `neighbours` gives.
///
/// In each step the most preferred open page that no open page contains (with [`Rules::containers_first`] off: the most preferred open page) is kept, and all
/// pages that repeat it are dropped: its duplicates, those contained in it, and with [`Rules::overlaps`] those that overlap it. So no kept page repeats
/// another, and every dropped page repeats a kept one; it is dropped for the most preferred of these. (A circle of pages each of which contains the next is
/// impossible because of their sizes; if there were one, its most preferred page would be kept.)
///
/// A page that contains two pages which nothing relates to each other is a collection. Its parts do not wait for it and are not dropped for it. It waits until
/// they are decided, and is dropped if those that are kept leave it nothing of its own. All else that is said of pages holds for it too: it may be dropped
/// for a duplicate or for a page that contains it, and its duplicates for it. Old pages are no collections: as they stay in any case, the parts go.
///
/// A dropped page decides nothing. So for pages that are known to be dropped only relations to preferred pages matter, which
/// makes large families cheap. For the same reason a part that was dropped for a page preferred to the whole, before it was the turn of that, is no part.
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

/// What is decided of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decision {
    Open,
    Kept,
    /// It is dropped for that page, to which it is this.
    Dropped(Rank, DroppedAs),
}

/// The parts of a collection that is not decided yet.
#[derive(Default)]
struct Collected {
    parts: Vec<Rank>,
    /// So many of them are known to be decided.
    decided: usize,
}

/// The decisions so far.
pub(crate) struct Decisions<'a> {
    rules: Rules,
    pages: Undecided<'a>,
    of: Vec<Decision>,
    /// The pages that were found to be collections.
    collections: FxHashMap<Rank, Collected>,
    /// Open page -> pages that wait for it, because it contains them or is a part of them.
    waiting: FxHashMap<Rank, Vec<Rank>>,
    /// Pages to be visited again, the most preferred first.
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

    /// Whether nothing is decided of a page yet.
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

    /// Who is asked about parts, if collections do not take them with them.
    fn asked(&self) -> Option<&'a dyn Parts> {
        self.pages.parts.filter(|_| self.rules.collections)
    }

    fn is_old(&self, page: Rank) -> bool {
        self.pages.is_old.get(page.at()).copied().unwrap_or(false)
    }

    /// Finds out whether a page is a collection, when it is its turn.
    fn find_parts(&mut self, page: Rank, neighbours: &impl Neighbours) {
        let may_be = self.is_open(page) && !self.is_old(page);
        let Some(asked) = self.asked().filter(|_| may_be) else {
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
            !others.is_empty() && asked.is_unrelated_to_any(part, &others)
        };
        let mut compared = parts.iter().enumerate().take(COMPARED_PARTS);
        if compared.any(is_unrelated_to_any) {
            let decided = 0;
            self.collections.insert(page, Collected { parts, decided });
            self.wake(page);
        }
    }

    /// Keeps a page, unless it has to wait for another one, or the parts of a collection leave it nothing of its own.
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

    /// An open page that is to be decided before this one: one that contains it, or a part of a collection.
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

    /// The largest kept part of a collection, and what the collection is to it, if the kept parts leave it nothing of its own.
    fn replaced_by_parts(&self, page: Rank) -> Option<(Rank, DroppedAs)> {
        let collected = self.collections.get(&page)?;
        let asked = self.asked().filter(|_| self.rules.contained)?;
        let is_kept = |part: &Rank| self.of[part.at()] == Decision::Kept;
        let kept = collected.parts.iter().copied().filter(is_kept);
        let kept: Vec<Rank> = kept.collect();
        let by_length = |&part: &Rank| (asked.length(part), Reverse(self.place(part)));
        let largest = kept.iter().copied().max_by_key(by_length)?;
        let parts = kept.iter().map(|&part| asked.pages(part)).sum();
        let own = asked.own_against(page, &kept)?;
        (own == 0).then_some((largest, DroppedAs::Collection { parts }))
    }

    /// Whether a page that is this to a kept page is dropped for it.
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
        // That it is one is still to be known, its parts are not.
        if let Some(collected) = self.collections.get_mut(&page) {
            *collected = Collected::default();
        }
        self.wake(page);
    }

    /// The pages that wait for this one are visited again.
    fn wake(&mut self, page: Rank) {
        for waiting in self.waiting.remove(&page).unwrap_or_default() {
            self.woken.push(Reverse((self.place(waiting), waiting)));
        }
    }

    /// Decides what is left once all pages have been visited.
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

/// Pages whose pairs are all known.
pub(crate) struct StoredPairs {
    graph: Graph,
    /// The pages that are related to others, the most preferred last.
    left: Vec<Rank>,
}

impl StoredPairs {
    /// For this number of pages.
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
        related
            .binary_search_by_key(&b, |&(other, _)| other)
            .is_ok()
    }

    fn decided(&mut self, _: Rank, _: Option<Rank>) {}
}
