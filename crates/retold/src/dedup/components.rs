//! From related classes to pages, one connected component after the other: which pairs are listed, which pages go, which are
//! clusters.
//!
//! Components come out of one sort by (component, kind, what): so no more of them is held than is worked on. Of a small component
//! all pairs are listed, and decide; of a large one it was decided before ([`super::families`]), and what decides is listed.

use std::collections::BTreeMap;
use std::iter::Peekable;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::classes::{Classes, Judge};
use super::families::Decided;
use super::matched::Matching;
use super::parts::Parts;
use super::verifying::Verifying;
use crate::cluster::{self, Cluster, DropRule, Dropped, Linkage, Pair, Pairs};
use crate::error::{Error, Result};
use crate::ids::{ClassNo, Rank};
use crate::relation::Relation;
use crate::spill::Sorter;

/// Kinds of records: a class of the component, by its number; a pair that is to be checked on texts; a pair that holds.
const CLASS: u32 = 0;
pub(super) const CHECK: u32 = 1;
const HOLDS: u32 = 2;

/// Records of components that are worked on at the same time.
const BATCH: usize = 1 << 16;

/// Pairs of a component that are checked at the same time.
const AT_ONCE: usize = 1 << 12;

/// Two numbers, then the numbers of a pair.
pub(super) fn joined([x, y]: [u32; 2], [a, b, c, d, e, f]: [u32; 6]) -> [u32; 8] {
    [x, y, a, b, c, d, e, f]
}

/// What components are listed by.
pub(super) struct Components<'a> {
    pub(super) matching: Matching<'a>,
    pub(super) judge: Judge<'a>,
    pub(super) verifying: &'a Verifying<'a>,
    /// What was decided of the components that were visited.
    pub(super) decided: Option<&'a Decided>,
}

/// What was found, in pages.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) pairs: Pairs,
    pub(super) dropped: Vec<Dropped>,
    pub(super) clusters: Vec<Cluster>,
    /// The most preferred page and the number of pages of each large component.
    pub(super) large: Vec<(Rank, usize)>,
}

impl Listed {
    /// Adds components, whose pairs go to `pairs`.
    fn add(&mut self, components: Vec<Component>, pairs: &mut Sorter<[u32; 6]>) -> Result<()> {
        for component in components {
            for pair in component.pairs {
                pairs.push(pair.to_numbers())?;
            }
            self.dropped.extend(component.dropped);
            self.clusters.extend(component.clusters);
            self.large.extend(component.large);
        }
        Ok(())
    }
}

/// A component before pairs are checked.
#[derive(Default)]
struct Records {
    root: ClassNo,
    classes: Vec<ClassNo>,
    to_check: Vec<Pair>,
    pairs: Vec<Pair>,
}

/// The same in pages.
#[derive(Default)]
struct Component {
    /// Its pages, ascending.
    pages: Vec<Rank>,
    pairs: Vec<Pair>,
    dropped: Vec<Dropped>,
    clusters: Vec<Cluster>,
    large: Option<(Rank, usize)>,
}

/// The next components of these records, until they have [`BATCH`].
fn next_batch(records: &mut Peekable<impl Iterator<Item = [u32; 8]>>) -> Vec<Records> {
    let (mut batch, mut size, mut last) = (Vec::new(), 0, None);
    while let Some([root, kind, numbers @ ..]) =
        records.next_if(|&[root, ..]| size < BATCH || last == Some(root))
    {
        if last.replace(root) != Some(root) {
            batch.push(Records {
                root: ClassNo(root),
                ..Records::default()
            });
        }
        size += 1;
        if let Some(component) = batch.last_mut() {
            match kind {
                CLASS => component.classes.push(ClassNo(numbers[0])),
                CHECK => component.to_check.push(Pair::from_numbers(numbers)),
                _ => component.pairs.push(Pair::from_numbers(numbers)),
            }
        }
    }
    batch
}

impl Components<'_> {
    /// Lists all components: those whose pairs are `to_check`, of which `parts` are the components as sketches see them, and
    /// those that were decided.
    ///
    /// Errors: a temporary file cannot be written, and the run was cancelled.
    pub(super) fn list(&self, to_check: Sorter<[u32; 8]>, parts: &Parts) -> Result<Listed> {
        let mut records = self.records(to_check, parts)?.finish()?.peekable();
        let mut sorter = Sorter::new(self.matching.memory);
        let mut listed = Listed::default();
        let (mut batch, mut before) = (next_batch(&mut records), Vec::new());
        // What was found last is put down, and what comes next is read, meanwhile.
        while !batch.is_empty() {
            if self.matching.watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let (found, next) = rayon::join(
                || self.components(batch),
                || {
                    listed.add(std::mem::take(&mut before), &mut sorter)?;
                    Ok(next_batch(&mut records))
                },
            );
            (before, batch) = (found, next?);
        }
        listed.add(before, &mut sorter)?;
        listed.pairs = Pairs::sorted(sorter, self.matching.memory)?;
        listed.dropped.par_sort_unstable_by_key(|drop| drop.page);
        let clusters = &mut listed.clusters;
        clusters.par_sort_unstable_by_key(|cluster| cluster.members[0]);
        listed.large.sort_unstable();
        Ok(listed)
    }

    fn classes(&self) -> &Classes {
        self.judge.classes
    }

    /// Whether a component is too large for all its pairs to be listed.
    fn is_large(&self, root: ClassNo) -> bool {
        self.decided
            .is_some_and(|decided| decided.parts.size(root) > self.matching.family)
    }

    /// All records: pairs, classes of several pages, and all classes of large components.
    fn records(&self, to_check: Sorter<[u32; 8]>, parts: &Parts) -> Result<Sorter<[u32; 8]>> {
        let (classes, mut records) = (self.classes(), to_check);
        // What was decided joined no class that was not visited.
        let root = |class: ClassNo| match self.decided {
            Some(decided) if decided.visited[class.at()] => decided.parts.root(class),
            _ => parts.root(class),
        };
        for class in ClassNo::first(classes.len()) {
            let root = root(class);
            if classes.members(class).len() > 1 || self.is_large(root) {
                records.push([root.0, CLASS, class.0, 0, 0, 0, 0, 0])?;
            }
        }
        if let Some(decided) = self.decided {
            let of_pair = |&numbers: &[u32; 6]| {
                let class = classes.of(Rank(numbers[0]));
                joined([root(class).0, HOLDS], numbers)
            };
            decided.pairs.made(
                |pairs| pairs.iter().map(of_pair).collect::<Vec<_>>(),
                |of_pairs| records.extend(of_pairs),
            )?;
        }
        Ok(records)
    }

    /// The components of a batch, their pairs checked.
    fn components(&self, batch: Vec<Records>) -> Vec<Component> {
        let components = batch.into_par_iter().map(|mut records| {
            let mut to_check = std::mem::take(&mut records.to_check);
            to_check.dedup_by_key(|pair| (pair.a, pair.b));
            // A component may have half a million pairs: few copies of them at a time.
            for to_check in to_check.chunks(AT_ONCE) {
                let checked = self.verifying.truth(to_check).into_iter();
                records.pairs.extend(checked.flatten());
            }
            drop(to_check);
            self.component(records)
        });
        components.collect()
    }

    fn component(&self, records: Records) -> Component {
        let classes = self.classes();
        let mut all = records.classes;
        let of_pairs = records.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
        all.extend(of_pairs.map(|page| classes.of(page)));
        all.sort_unstable();
        all.dedup();
        let pages = all.iter().flat_map(|&class| classes.members(class));
        let mut pages: Vec<Rank> = pages.copied().collect();
        pages.sort_unstable();
        let mut component = Component {
            pages,
            ..Component::default()
        };
        match self.is_large(records.root) {
            false => self.list_small(&mut component, &all, records.pairs),
            true => self.list_large(&mut component, &all, &records.pairs),
        }
        component
    }

    /// All pairs of a component, and what they decide.
    fn list_small(&self, component: &mut Component, classes: &[ClassNo], pairs: Vec<Pair>) {
        let members = |page: Rank| self.classes().members(self.classes().of(page));
        let listed = &mut component.pairs;
        for pair in &pairs {
            for &a in members(pair.a) {
                listed.extend(members(pair.b).iter().map(|&b| pair.between(a, b)));
            }
        }
        drop(pairs);
        for &class in classes.iter().filter(|&&class| !self.classes().old(class)) {
            let pages = self.classes().members(class);
            for (at, &a) in pages.iter().enumerate() {
                listed.extend(pages[at + 1..].iter().map(|&b| self.judge.copies(a, b)));
            }
        }
        // Half a million, if the component is as large as can be.
        listed.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        let near = component.near();
        let is_old = self.classes().is_old();
        let is_old: Vec<bool> = match is_old.is_empty() {
            true => Vec::new(),
            false => component
                .pages
                .iter()
                .map(|page| is_old[page.at()])
                .collect(),
        };
        let contained = self.matching.model.config().drop == DropRule::Both;
        let preference = self.preference(component);
        let dropped = cluster::dropped(
            component.pages.len(),
            &near,
            &preference,
            contained,
            &is_old,
        );
        component.dropped = component.far_dropped(dropped);
        component.clusters = self.clusters(component, &near, &[], &preference);
    }

    /// What is listed of a large component: each page that goes, with the page that it goes for.
    fn list_large(&self, component: &mut Component, classes: &[ClassNo], pairs: &[Pair]) {
        let mut deciding: Vec<Pair> = pairs.to_vec();
        deciding.sort_unstable_by_key(|pair| (pair.a, pair.b));
        for &class in classes {
            let pages = self.classes().members(class);
            match self.goes(pages[0]) {
                Some(drop) => component.go(pages, drop, &deciding),
                // It stays, and its copies go for it.
                None if self.classes().old(class) => {}
                None => {
                    for &page in &pages[1..] {
                        component.pairs.push(self.judge.copies(page, pages[0]));
                        component.dropped.push(Dropped {
                            page,
                            canonical: pages[0],
                            relation: Relation::Duplicate,
                        });
                    }
                }
            }
        }
        self.tie(component, &deciding);
        component
            .pairs
            .sort_unstable_by_key(|pair| (pair.a, pair.b));
        let first = |class: &ClassNo| self.classes().first(*class);
        let best = classes.iter().map(first);
        let best = best.min_by_key(|page| self.matching.preference[page.at()]);
        component.large = best.map(|best| (best, component.pages.len()));
        let (near, preference) = (component.near(), self.preference(component));
        // No pair may say that classes are of one component.
        let ties = classes.iter().map(first).map(|page| component.local(page));
        let ties: Vec<Rank> = ties.collect();
        let ties: Vec<(Rank, Rank)> = ties.iter().map(|&page| (page, ties[0])).collect();
        component.clusters = self.clusters(component, &near, &ties, &preference);
        self.complete(component);
    }

    /// Adds the closest pair of each class that is in no pair with another class: it stays, and no page goes for it.
    fn tie(&self, component: &mut Component, deciding: &[Pair]) {
        let ends = |pair: &Pair| [pair.a, pair.b].map(|page| self.classes().of(page));
        let listed = component.pairs.iter().map(ends).filter(|[a, b]| a != b);
        let listed: FxHashSet<ClassNo> = listed.flatten().collect();
        let mut closest: BTreeMap<ClassNo, &Pair> = BTreeMap::new();
        for pair in deciding {
            for class in ends(pair)
                .into_iter()
                .filter(|class| !listed.contains(class))
            {
                let best = closest.entry(class).or_insert(pair);
                if pair.similarity > best.similarity {
                    *best = pair;
                }
            }
        }
        let mut ties: Vec<Pair> = closest.into_values().copied().collect();
        ties.sort_unstable_by_key(|pair| (pair.a, pair.b));
        ties.dedup_by_key(|pair| (pair.a, pair.b));
        component.pairs.extend(ties);
    }

    /// What a page goes for, as it was decided.
    fn goes(&self, page: Rank) -> Option<Dropped> {
        let dropped = &self.decided?.dropped;
        let at = dropped.binary_search_by_key(&page, |drop| drop.page).ok()?;
        Some(dropped[at])
    }

    /// The places of a component's pages in the order of preference.
    fn preference(&self, component: &Component) -> Vec<u32> {
        let preference = self.matching.preference;
        component
            .pages
            .iter()
            .map(|page| preference[page.at()])
            .collect()
    }

    fn clusters(
        &self,
        component: &Component,
        near: &[Pair],
        ties: &[(Rank, Rank)],
        preference: &[u32],
    ) -> Vec<Cluster> {
        let linkage = self.matching.model.config().cluster;
        let ties = match linkage {
            Linkage::Components => ties,
            Linkage::TwoEdge | Linkage::PerPage => &[],
        };
        let pages = component.pages.len();
        let mut clusters = cluster::cluster(pages, near, ties, linkage, preference);
        for cluster in &mut clusters {
            cluster.canonical = component.pages[cluster.canonical.at()];
            let members = cluster.members.iter_mut();
            members.for_each(|page| *page = component.pages[page.at()]);
        }
        clusters
    }

    /// Adds the pairs of canonical pages of a large component with the other pages of their clusters.
    fn complete(&self, component: &mut Component) {
        let classes = self.classes();
        let mut more = Vec::new();
        for cluster in &mut component.clusters {
            let canonical = cluster.canonical;
            cluster.complete = false;
            let others = cluster.members.iter().copied().filter(|&page| {
                let key = (page.min(canonical), page.max(canonical));
                let listed = &component.pairs;
                page != canonical && listed.binary_search_by_key(&key, |p| (p.a, p.b)).is_err()
            });
            let others: Vec<Rank> = others.collect();
            let asked = self.judge.asking(classes.of(canonical));
            let judged = others.par_iter().filter_map(|&page| {
                let pair = asked.with(classes.of(page))?;
                Some((page, pair))
            });
            let judged: Vec<(Rank, Pair)> = judged.collect();
            let asked: Vec<Pair> = judged.iter().map(|&(_, pair)| pair).collect();
            let verdicts = self.verifying.truth(&asked);
            let before = more.len();
            for ((page, _), pair) in judged.into_iter().zip(verdicts) {
                more.extend(
                    pair.map(|pair| match classes.of(pair.a) == classes.of(page) {
                        true => pair.between(page, canonical),
                        false => pair.between(canonical, page),
                    }),
                );
            }
            cluster.pairs += (more.len() - before) as u64;
        }
        component.pairs.extend(more);
    }
}

impl Component {
    /// The place of a page among the component's, which are ascending.
    fn local(&self, page: Rank) -> Rank {
        Rank::new(self.pages.partition_point(|&other| other < page))
    }

    /// Its pairs, pages by their places.
    fn near(&self) -> Vec<Pair> {
        let pairs = self.pairs.iter();
        pairs
            .map(|pair| Pair {
                a: self.local(pair.a),
                b: self.local(pair.b),
                ..*pair
            })
            .collect()
    }

    /// Pages that go, by their ranks.
    fn far_dropped(&self, dropped: Vec<Dropped>) -> Vec<Dropped> {
        let dropped = dropped.into_iter();
        dropped
            .map(|drop| Dropped {
                page: self.pages[drop.page.at()],
                canonical: self.pages[drop.canonical.at()],
                ..drop
            })
            .collect()
    }

    /// The pages of a class go, as the first one does.
    fn go(&mut self, pages: &[Rank], drop: Dropped, deciding: &[Pair]) {
        let key = (pages[0].min(drop.canonical), pages[0].max(drop.canonical));
        let pair = deciding.binary_search_by_key(&key, |pair| (pair.a, pair.b));
        for &page in pages {
            self.dropped.push(Dropped { page, ..drop });
            if let Ok(at) = pair {
                let pair = deciding[at];
                self.pairs.push(match pair.a == pages[0] {
                    true => pair.between(page, pair.b),
                    false => pair.between(pair.a, page),
                });
            }
        }
    }
}
