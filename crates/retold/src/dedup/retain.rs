//! Retention: which pages are kept and which are dropped. One loop decides: for small components on stored pairs, for large ones
//! on the pages that are found by probing ([`super::probe`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::cluster::{Graph, Pair};
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

/// How pages are decided.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    /// Page -> its place in the order of preference; all different, the smallest is the best.
    pub(crate) preference: &'a [u32],
    /// Whether contained pages are dropped too, or duplicates only.
    pub(crate) contained: bool,
    /// Whether a page waits for those that contain it; if not, it is kept before a less preferred one that does.
    pub(crate) containers_first: bool,
    /// Page -> whether it is kept whatever it repeats; empty if none is. These are preferred to all others.
    pub(crate) is_old: &'a [bool],
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

    /// A page was decided: dropped for that page, or kept.
    fn decided(&mut self, page: Rank, dropped_for: Option<Rank>);
}

/// Decides all pages that `neighbours` gives, and returns the dropped ones, ascending.
///
/// In each step the most preferred open page that no open page contains (with [`Rules::containers_first`] off: the most preferred open page) is kept, and all
/// pages that repeat it are dropped: its duplicates, and those contained in it. So no kept page repeats another, and every dropped page
/// repeats a kept one; it is dropped for the most preferred of these. (A circle of pages each of which contains the next is impossible
/// because of their sizes; if there were one, its most preferred page would be kept.)
///
/// A dropped page decides nothing. So for pages that are known to be dropped only relations to preferred pages matter, which
/// makes large families cheap.
///
/// Errors: those of `neighbours`.
pub(crate) fn retain(rules: Rules<'_>, neighbours: &mut impl Neighbours) -> Result<Vec<Dropped>> {
    let mut decisions = Decisions::new(rules);
    while let Some(page) = neighbours.next(&decisions)? {
        while let Some(woken) = decisions.woken_before(Some(page)) {
            decisions.visit(woken, neighbours);
        }
        if neighbours.ready(page, &decisions)? {
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
    Dropped(Rank, Relation),
}

/// The decisions so far.
pub(crate) struct Decisions<'a> {
    rules: Rules<'a>,
    of: Vec<Decision>,
    /// Open page -> pages that wait for it, because it contains them.
    waiting: FxHashMap<Rank, Vec<Rank>>,
    /// Pages to be visited again, the most preferred first.
    woken: BinaryHeap<Reverse<(u32, Rank)>>,
}

impl<'a> Decisions<'a> {
    fn new(rules: Rules<'a>) -> Decisions<'a> {
        Decisions {
            of: vec![Decision::Open; rules.preference.len()],
            rules,
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
        let limit = page.map_or(u32::MAX, |page| self.rules.preference[page.at()]);
        let &Reverse((place, _)) = self.woken.peek()?;
        (place < limit)
            .then(|| self.woken.pop())?
            .map(|next| next.0.1)
    }

    /// Keeps a page, unless an open page contains it, which it then waits for.
    fn visit(&mut self, page: Rank, neighbours: &mut impl Neighbours) {
        if !self.is_open(page) {
            return;
        }
        let waits = self.rules.contained && self.rules.containers_first;
        let may_wait = waits && !self.is_old(page);
        let container = neighbours.of(page).iter().find(|&&(other, relation)| {
            may_wait && relation == Relation::ContainedBy && self.is_open(other)
        });
        match container {
            Some(&(other, _)) => self.waiting.entry(other).or_default().push(page),
            None => self.keep(page, neighbours),
        }
    }

    fn is_old(&self, page: Rank) -> bool {
        self.rules.is_old.get(page.at()).copied().unwrap_or(false)
    }

    /// Keeps a page, and drops those that repeat it.
    fn keep(&mut self, page: Rank, neighbours: &mut impl Neighbours) {
        let mut decided = vec![page];
        self.decide(page, Decision::Kept);
        for &(other, relation) in neighbours.of(page) {
            let relation = relation.swapped();
            let repeats = match relation {
                Relation::Duplicate => true,
                Relation::ContainedBy => self.rules.contained,
                Relation::Contains | Relation::Overlaps => false,
            };
            let preference = self.rules.preference;
            let is_better = match self.of[other.at()] {
                Decision::Open => true,
                Decision::Dropped(kept, _) => preference[page.at()] < preference[kept.at()],
                Decision::Kept => false,
            };
            if repeats && is_better && !self.is_old(other) {
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
        for waiting in self.waiting.remove(&page).unwrap_or_default() {
            let place = self.rules.preference[waiting.at()];
            self.woken.push(Reverse((place, waiting)));
        }
    }

    /// Decides what is left once all pages have been visited: the dropped pages, ascending.
    fn finish(mut self, neighbours: &mut impl Neighbours) -> Vec<Dropped> {
        loop {
            while let Some(page) = self.woken_before(None) {
                self.visit(page, neighbours);
            }
            let waiting = self.waiting.values().flatten().copied();
            let open = waiting.filter(|&page| self.is_open(page));
            match open.min_by_key(|page| self.rules.preference[page.at()]) {
                Some(page) => self.keep(page, neighbours),
                None => break,
            }
        }
        let decisions = Rank::first(self.of.len()).zip(self.of);
        let dropped = decisions.filter_map(|(page, decision)| match decision {
            Decision::Dropped(canonical, relation) => Some(Dropped {
                page,
                canonical,
                relation: DroppedAs::Repeats(relation),
                lost: 0,
            }),
            _ => None,
        });
        dropped.collect()
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

    fn decided(&mut self, _: Rank, _: Option<Rank>) {}
}
