//! Collections: results worked out by hand, and the loop compared with its rule on all pairs. A page is a set of stories.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::retain::{
    COMPARED_PARTS, Dropped, DroppedAs, Parts, Retained, Rules, StoredPairs, Undecided, retain,
};
use crate::cluster::Pair;
use crate::cluster::tests::pair;
use crate::ids::Rank;
use crate::relation::Relation;

type Stories = BTreeSet<u32>;

/// Pages, and whether the method knows what a page has of its own.
struct TestPages {
    stories: Vec<Stories>,
    knows_own: bool,
}

/// Pages by the letters of their stories.
fn pages(written: &[&str]) -> TestPages {
    let stories = written.iter().map(|page| page.chars().map(u32::from));
    TestPages {
        stories: stories.map(Iterator::collect).collect(),
        knows_own: true,
    }
}

impl TestPages {
    fn of(&self, page: Rank) -> &Stories {
        &self.stories[page.at()]
    }

    fn relation(&self, a: Rank, b: Rank) -> Option<Relation> {
        let (a, b) = (self.of(a), self.of(b));
        Some(match (a.is_superset(b), a.is_subset(b)) {
            _ if a.is_disjoint(b) => return None,
            (true, true) => Relation::Duplicate,
            (true, false) => Relation::Contains,
            (false, true) => Relation::ContainedBy,
            (false, false) => Relation::Overlaps,
        })
    }

    fn all(&self) -> impl Iterator<Item = Rank> + use<> {
        Rank::first(self.stories.len())
    }

    fn pairs(&self) -> Vec<Pair> {
        let of = |a: Rank| self.all().skip(a.at() + 1).map(move |b| (a, b));
        let pairs = self.all().flat_map(of);
        let related = pairs.filter_map(|(a, b)| Some(pair(a.0, b.0, self.relation(a, b)?)));
        related.collect()
    }

    fn longest_first(&self) -> Vec<u32> {
        let mut order: Vec<Rank> = self.all().collect();
        order.sort_by_key(|&page| std::cmp::Reverse(self.of(page).len()));
        let place = |page| order.iter().position(|&other| other == page);
        self.all().map(|page| place(page).unwrap() as u32).collect()
    }

    fn undecided<'a>(&'a self, preference: &'a [u32]) -> Undecided<'a> {
        Undecided {
            preference,
            is_old: &[],
            parts: Some(self),
        }
    }

    fn retain(&self, rules: Rules, undecided: Undecided<'_>) -> Retained {
        let pairs = self.pairs();
        let mut stored = StoredPairs::new(self.stories.len(), &pairs, undecided.preference);
        retain(rules, undecided, &mut stored).unwrap()
    }

    /// What is decided of them, the longest preferred: page, canonical page, and what it is to that.
    fn dropped(&self) -> Vec<(u32, u32, &'static str)> {
        let preference = self.longest_first();
        decisions(&self.retain(RULES, self.undecided(&preference)))
    }
}

const RULES: Rules = Rules {
    contained: true,
    overlaps: false,
    containers_first: true,
    collections: true,
};

fn decisions(retained: &Retained) -> Vec<(u32, u32, &'static str)> {
    let dropped = retained.dropped.iter();
    dropped
        .map(|gone| (gone.page.0, gone.canonical.0, gone.relation.name()))
        .collect()
}

impl Parts for TestPages {
    fn is_unrelated_to_any(&self, page: Rank, others: &[Rank]) -> bool {
        let mut others = others.iter();
        others.any(|&other| self.relation(page, other).is_none())
    }

    fn own_against(&self, page: Rank, others: &[Rank]) -> Option<u32> {
        let elsewhere: Stories = others
            .iter()
            .flat_map(|&other| self.of(other))
            .copied()
            .collect();
        let own = self.of(page).difference(&elsewhere).count() as u32;
        self.knows_own.then_some(own)
    }

    fn length(&self, page: Rank) -> u64 {
        self.of(page).len() as u64
    }

    fn pages(&self, _: Rank) -> u32 {
        1
    }
}

#[test]
fn a_page_of_two_articles_goes_for_both() {
    let found = pages(&["ab", "a", "b"]);
    assert_eq!(found.dropped(), [(0, 1, "collection")]);
    let preference = found.longest_first();
    let gone = found.retain(RULES, found.undecided(&preference));
    let parts = DroppedAs::Collection { parts: 2 };
    assert_eq!(gone.dropped[0].relation, parts);
    assert_eq!(gone.collections, [Rank(0)]);
    // The largest of the parts is named.
    assert_eq!(pages(&["abc", "a", "bc"]).dropped(), [(0, 2, "collection")]);
    // A single part, or parts with one text, are dropped for the whole.
    assert_eq!(pages(&["ab", "a"]).dropped(), [(1, 0, "contained_by")]);
    let of_one = [(1, 0, "contained_by"), (2, 0, "contained_by")];
    assert_eq!(pages(&["abcd", "ab", "a"]).dropped(), of_one);
    // Parts that overlap share a story: they are related.
    assert_eq!(pages(&["abc", "ab", "bc"]).dropped(), of_one);
}

#[test]
fn an_archive_goes_if_it_says_nothing_else() {
    let article = |n: u32| Stories::from([n]);
    let articles: Vec<Stories> = (0..200).map(article).collect();
    let archive = |more: &[u32]| -> Stories { (0..200).chain(more.iter().copied()).collect() };
    let with = |archives: &[Stories]| TestPages {
        stories: [archives, &articles].concat(),
        knows_own: true,
    };
    let one = with(&[archive(&[])]);
    let preference = one.longest_first();
    let gone = one.retain(RULES, one.undecided(&preference)).dropped;
    let relation = DroppedAs::Collection { parts: 200 };
    assert_eq!((gone.len(), gone[0].relation), (1, relation));
    // With a text of its own the collection stays, and so do its parts.
    assert_eq!(with(&[archive(&[900])]).dropped(), []);
    // Two copies are both dropped for the parts, or one for the other.
    let both = [(0, 2, "collection"), (1, 2, "collection")];
    assert_eq!(with(&[archive(&[]), archive(&[])]).dropped(), both);
    let copies = with(&[archive(&[900]), archive(&[900])]);
    assert_eq!(copies.dropped(), [(1, 0, "duplicate")]);
    // An archive of archives is dropped for the articles too.
    let months = [archive(&[]), (0..100).collect(), (100..200).collect()];
    let all = [
        (0, 3, "collection"),
        (1, 3, "collection"),
        (2, 103, "collection"),
    ];
    assert_eq!(with(&months).dropped(), all);
}

#[test]
fn a_chain_of_pages_of_two_articles() {
    assert_eq!(pages(&["ab", "bc", "cd"]).dropped(), []);
    let found = pages(&["ab", "bc", "cd", "a", "b", "c", "d"]);
    let all = [
        (0, 3, "collection"),
        (1, 4, "collection"),
        (2, 5, "collection"),
    ];
    assert_eq!(found.dropped(), all);
    // A collection is dropped for a longer page that is not a collection, like any page.
    let found = pages(&["abx", "ab"]);
    assert_eq!(found.dropped(), [(1, 0, "contained_by")]);
}

#[test]
fn who_does_not_know_what_is_its_own_keeps_all() {
    let found = TestPages {
        knows_own: false,
        ..pages(&["ab", "a", "b"])
    };
    assert_eq!(found.dropped(), []);
    let preference = found.longest_first();
    let collections = found
        .retain(RULES, found.undecided(&preference))
        .collections;
    assert_eq!(collections, [Rank(0)]);
}

#[test]
fn rules_for_collections() {
    let found = pages(&["ab", "a", "b", "ab"]);
    let preference = found.longest_first();
    let undecided = found.undecided(&preference);
    let decided = |change: fn(&mut Rules)| {
        let mut rules = RULES;
        change(&mut rules);
        decisions(&found.retain(rules, undecided))
    };
    let both = [(0, 1, "collection"), (3, 1, "collection")];
    assert_eq!(decided(|_| {}), both);
    // The whole is preferred.
    let whole = [
        (1, 0, "contained_by"),
        (2, 0, "contained_by"),
        (3, 0, "duplicate"),
    ];
    assert_eq!(decided(|rules| rules.collections = false), whole);
    // With duplicates only, a collection is not dropped either, but its copies are.
    let copies = [(3, 0, "duplicate")];
    assert_eq!(decided(|rules| rules.contained = false), copies);
    // An old page stays in any case, and its parts are dropped.
    let old = Undecided {
        is_old: &[true, false, false, false],
        ..undecided
    };
    assert_eq!(decisions(&found.retain(RULES, old)), whole);
    // With a stated preference nothing waits for a container.
    assert_eq!(decided(|rules| rules.containers_first = false), both);
}

#[test]
fn pages_that_overlap_go_if_that_is_wanted() {
    let found = pages(&["abc", "cd", "de", "x"]);
    let preference = found.longest_first();
    let rules = Rules {
        overlaps: true,
        ..RULES
    };
    let undecided = found.undecided(&preference);
    assert_eq!(
        decisions(&found.retain(rules, undecided)),
        [(1, 0, "overlaps")]
    );
    assert_eq!(found.dropped(), []);
}

/// The rule, applied to all pages directly.
struct Slow<'p> {
    pages: &'p TestPages,
    rules: Rules,
    preference: &'p [u32],
    open: BTreeSet<Rank>,
    kept: BTreeSet<Rank>,
    dropped: Vec<Option<(Rank, DroppedAs)>>,
    collections: Vec<(Rank, Vec<Rank>)>,
}

impl Slow<'_> {
    fn place(&self, page: Rank) -> u32 {
        self.preference[page.at()]
    }

    fn parts(&self, page: Rank) -> Option<&[Rank]> {
        let mut all = self.collections.iter();
        all.find(|(whole, _)| *whole == page)
            .map(|(_, parts)| &parts[..])
    }

    fn turn(&mut self, page: Rank) {
        let decides_nothing = |part: &Rank| {
            self.dropped[part.at()].is_some_and(|(kept, _)| self.place(kept) < self.place(page))
        };
        let contained = |part: &Rank| self.pages.relation(page, *part) == Some(Relation::Contains);
        let parts = self.pages.all().filter(contained);
        let mut parts: Vec<Rank> = parts.filter(|part| !decides_nothing(part)).collect();
        parts.sort_by_key(|&part| std::cmp::Reverse(self.place(part)));
        let is_unrelated = |at: usize| {
            parts[at + 1..]
                .iter()
                .any(|&other| self.pages.relation(parts[at], other).is_none())
        };
        if (0..parts.len().min(COMPARED_PARTS)).any(is_unrelated) && self.open.contains(&page) {
            self.collections.push((page, parts));
        }
    }

    fn waits(&self, page: Rank) -> bool {
        let mut containers = self.open.iter().filter(|&&other| {
            self.pages.relation(page, other) == Some(Relation::ContainedBy)
                && self.parts(other).is_none()
        });
        let mut parts = self.parts(page).into_iter().flatten();
        self.rules.containers_first && containers.next().is_some()
            || parts.any(|part| self.open.contains(part))
    }

    /// Decides what can be decided of the pages whose turn it was.
    fn settle(&mut self, last: u32) {
        loop {
            let of_turn = self
                .open
                .iter()
                .copied()
                .filter(|&page| self.place(page) <= last);
            let free = of_turn.filter(|&page| !self.waits(page));
            let Some(page) = free.min_by_key(|&page| self.place(page)) else {
                return;
            };
            self.open.remove(&page);
            match self.replaced(page) {
                Some(replaced) => self.dropped[page.at()] = Some(replaced),
                None => self.keep(page),
            }
        }
    }

    fn replaced(&self, page: Rank) -> Option<(Rank, DroppedAs)> {
        let kept = self
            .parts(page)?
            .iter()
            .filter(|part| self.kept.contains(part));
        let kept: Vec<Rank> = kept.copied().collect();
        let best = kept.iter().max_by_key(|&&part| {
            (
                self.pages.of(part).len(),
                std::cmp::Reverse(self.place(part)),
            )
        })?;
        let parts = kept.len() as u32;
        let is_nothing_left = self.pages.own_against(page, &kept) == Some(0);
        is_nothing_left.then_some((*best, DroppedAs::Collection { parts }))
    }

    fn keep(&mut self, page: Rank) {
        self.kept.insert(page);
        for other in self.pages.all() {
            let repeats = match self.pages.relation(other, page) {
                Some(Relation::Duplicate) => true,
                Some(Relation::ContainedBy) => self.parts(page).is_none(),
                Some(Relation::Overlaps) => self.rules.overlaps,
                Some(Relation::Contains) | None => false,
            };
            let is_better = match self.dropped[other.at()] {
                Some((kept, _)) => self.place(page) < self.place(kept),
                None => self.open.contains(&other),
            };
            if repeats && is_better && other != page {
                self.open.remove(&other);
                let relation = self.pages.relation(other, page).unwrap();
                self.dropped[other.at()] = Some((page, DroppedAs::Repeats(relation)));
            }
        }
    }

    fn retained(mut self) -> Retained {
        let mut order: Vec<Rank> = self.pages.all().collect();
        order.sort_by_key(|&page| self.place(page));
        for page in order {
            self.turn(page);
            self.settle(self.place(page));
        }
        assert!(self.open.is_empty());
        let dropped = self.pages.all().filter_map(|page| {
            let (canonical, relation) = self.dropped[page.at()]?;
            Some(Dropped {
                page,
                canonical,
                relation,
                lost: 0,
            })
        });
        let mut collections: Vec<Rank> = self.collections.iter().map(|(page, _)| *page).collect();
        collections.sort_unstable();
        Retained {
            dropped: dropped.collect(),
            collections,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_loop_follows_the_rule(
        stories in prop::collection::vec(prop::collection::btree_set(0u32..6, 1..6), 1..14),
        order in Just((0u32..14).collect::<Vec<_>>()).prop_shuffle(),
        longest: bool, containers_first: bool, overlaps: bool,
    ) {
        let found = TestPages { stories, knows_own: true };
        let mut order: Vec<u32> = order;
        order.retain(|&place| (place as usize) < found.stories.len());
        let preference = if longest { found.longest_first() } else { order };
        let rules = Rules { containers_first, overlaps, ..RULES };
        let retained = found.retain(rules, found.undecided(&preference));
        let slow = Slow {
            pages: &found,
            rules,
            preference: &preference,
            open: found.all().collect(),
            kept: BTreeSet::new(),
            dropped: vec![None; found.stories.len()],
            collections: Vec::new(),
        };
        prop_assert_eq!(&slow.retained(), &retained);
        let kept: Vec<Rank> = found.all().filter(|&page| retained.dropped(page).is_none()).collect();
        for &page in &kept {
            for &other in kept.iter().filter(|&&other| other != page) {
                let relation = found.relation(page, other);
                prop_assert!(relation != Some(Relation::Duplicate));
                prop_assert!(!overlaps || relation != Some(Relation::Overlaps));
                let is_within = containers_first && relation == Some(Relation::ContainedBy);
                prop_assert!(!is_within || retained.is_collection(other));
            }
        }
        // No story is lost, unless pages that overlap go.
        let listed: BTreeSet<&u32> = kept.iter().flat_map(|&page| found.of(page)).collect();
        let all: BTreeSet<&u32> = found.stories.iter().flatten().collect();
        prop_assert!(overlaps || listed == all);
        for gone in &retained.dropped {
            prop_assert!(kept.contains(&gone.canonical));
        }
    }
}
