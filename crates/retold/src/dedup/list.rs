//! From related groups to pages, one connected component after the other: which pairs are listed, which pages are dropped, and
//! the clusters.
//!
//! One sort by (component, kind, what) brings components together, so only the components in work are in memory, and neither a graph of all
//! pages nor all pairs. In a small component all pairs are listed and decide. A large one was decided before
//! ([`super::by_probing`]), and the pairs that decided are listed.

use std::collections::BTreeMap;
use std::iter::Peekable;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::by_probing::Decided;
use super::context::Context;
use super::group::Groups;
use super::join_pairs::{KeyedPair, keyed};
use super::overlaps::Overlaps;
use super::parts::AskedParts;
use super::retain::{Dropped, DroppedAs, Retained, Rules, StoredPairs, retain};
use super::sketch_judge::SketchJudge;
use super::union_find::UnionFind;
use super::verify::Verification;
use crate::cluster::{self, Class, Cluster, DropRule, Linkage, Pair, PairNumbers, Pairs};
use crate::error::{Error, Result};
use crate::ids::{GroupNo, Rank};
use crate::relation::Relation;
use crate::spill::Sorter;

/// Kinds of records: a group of the component, by its number; a pair that is to be checked on texts; a pair that holds.
const GROUP: u32 = 0;
pub(super) const CHECK: u32 = 1;
const HOLDS: u32 = 2;

/// Records of components that are worked on at the same time.
const BATCH: usize = 1 << 16;

/// Pairs of a component that are checked at the same time.
const AT_ONCE: usize = 1 << 12;

/// What components are listed by.
pub(super) struct Components<'a> {
    pub(super) judge: SketchJudge<'a>,
    pub(super) verification: &'a Verification<'a>,
    /// What was decided of groups that probed.
    pub(super) decided: Option<&'a Decided>,
}

/// What was found, in pages.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) pairs: Pairs,
    pub(super) dropped: Vec<Dropped>,
    pub(super) clusters: Vec<Cluster>,
    /// Overlapping classes, if they were requested ([`Linkage::PerPage`]).
    pub(super) classes: Vec<Class>,
    /// The most preferred page and the number of pages of each large component.
    pub(super) large: Vec<(Rank, usize)>,
    /// Pairs that overlap and are not listed.
    pub(super) overlaps_not_listed: u64,
}

impl Listed {
    /// Adds components, whose pairs go to `pairs`, and those that connect nothing to `overlaps`.
    fn add(
        &mut self,
        components: Vec<Component>,
        (pairs, overlaps): (&mut Sorter<PairNumbers>, &mut Overlaps),
        groups: &Groups,
    ) -> Result<()> {
        for component in components {
            for pair in component.pairs {
                pairs.push(pair.to_numbers())?;
            }
            for pair in component.overlaps {
                overlaps.add(pair, |page| groups.members(groups.of(page)))?;
            }
            self.dropped.extend(component.dropped);
            self.clusters.extend(component.clusters);
            self.classes.extend(component.classes);
            self.large.extend(component.large);
        }
        Ok(())
    }
}

/// A component before pairs are checked.
#[derive(Default)]
struct Records {
    root: GroupNo,
    groups: Vec<GroupNo>,
    to_check: Vec<Pair>,
    pairs: Vec<Pair>,
}

/// The same in pages.
#[derive(Default)]
struct Component {
    /// Its pages, ascending.
    pages: Vec<Rank>,
    pairs: Vec<Pair>,
    /// The pairs of its groups that connect nothing.
    overlaps: Vec<Pair>,
    dropped: Vec<Dropped>,
    clusters: Vec<Cluster>,
    classes: Vec<Class>,
    large: Option<(Rank, usize)>,
}

/// The next components of these records, until they have [`BATCH`].
fn next_batch(records: &mut Peekable<impl Iterator<Item = KeyedPair>>) -> Vec<Records> {
    let (mut batch, mut size, mut last) = (Vec::new(), 0, None);
    while let Some([root, kind, numbers @ ..]) =
        records.next_if(|&[root, ..]| size < BATCH || last == Some(root))
    {
        if last.replace(root) != Some(root) {
            batch.push(Records {
                root: GroupNo(root),
                ..Records::default()
            });
        }
        size += 1;
        if let Some(component) = batch.last_mut() {
            match kind {
                GROUP => component.groups.push(GroupNo(numbers[0])),
                CHECK => component.to_check.push(Pair::from_numbers(numbers)),
                _ => component.pairs.push(Pair::from_numbers(numbers)),
            }
        }
    }
    batch
}

impl Components<'_> {
    /// Lists all components: those whose pairs are `to_check`, given the components as sketches see them, and those that were decided.
    ///
    /// Errors: a temporary file cannot be written, and the run was cancelled.
    pub(super) fn list(
        &self,
        to_check: Sorter<KeyedPair>,
        components: &UnionFind,
    ) -> Result<Listed> {
        let (memory, groups) = (self.context().memory, self.groups());
        let mut overlaps = Overlaps::new(memory);
        let records = self.records(to_check, components, &mut overlaps)?;
        let mut records = records.finish()?.peekable();
        let mut sorter = Sorter::new(memory);
        let mut listed = Listed::default();
        let (mut batch, mut before) = (next_batch(&mut records), Vec::new());
        // What was found last is put down, and what comes next is read, meanwhile.
        while !batch.is_empty() {
            if self.context().watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let (found, next) = rayon::join(
                || self.components(batch),
                || {
                    let before = std::mem::take(&mut before);
                    listed.add(before, (&mut sorter, &mut overlaps), groups)?;
                    Ok(next_batch(&mut records))
                },
            );
            (before, batch) = (found?, next?);
        }
        listed.add(before, (&mut sorter, &mut overlaps), groups)?;
        listed.overlaps_not_listed = overlaps.list(&mut sorter, memory)?;
        listed.pairs = Pairs::sorted(sorter, memory)?;
        listed
            .dropped
            .par_sort_unstable_by_key(|dropped| dropped.page);
        let clusters = &mut listed.clusters;
        clusters.par_sort_unstable_by_key(|cluster| cluster.members[0]);
        listed
            .classes
            .par_sort_unstable_by_key(|class| class.center);
        listed.large.sort_unstable();
        Ok(listed)
    }

    fn context(&self) -> &Context<'_> {
        self.judge.context
    }

    fn groups(&self) -> &Groups {
        self.judge.groups
    }

    /// Whether a component is too large for all its pairs to be listed.
    fn is_large(&self, root: GroupNo) -> bool {
        self.decided
            .is_some_and(|decided| decided.components.size(root) > self.context().limits.component)
    }

    /// All records: pairs, groups of several pages, and all groups of large components. Pairs that connect nothing are of no large component, nor of two
    /// components: those go to `overlaps`.
    fn records(
        &self,
        to_check: Sorter<KeyedPair>,
        components: &UnionFind,
        overlaps: &mut Overlaps,
    ) -> Result<Sorter<KeyedPair>> {
        let (groups, mut records) = (self.groups(), to_check);
        // What was decided joined no group that was not.
        let root = |group: GroupNo| match self.decided {
            Some(decided) if decided.is_decided[group.at()] => decided.components.root(group),
            _ => components.root(group),
        };
        for group in GroupNo::first(groups.len()) {
            let root = root(group);
            if groups.members(group).len() > 1 || self.is_large(root) {
                records.push(keyed([root.0, GROUP], [group.0, 0, 0, 0, 0, 0, 0, 0]))?;
            }
        }
        if let Some(decided) = self.decided {
            let split = |pairs: &[PairNumbers]| {
                let (mut of_components, mut apart) = (Vec::new(), Vec::new());
                for &numbers in pairs {
                    let pair = Pair::from_numbers(numbers);
                    let [a, b] = [pair.a, pair.b].map(|page| root(groups.of(page)));
                    match self.context().connects(&pair) || a == b && !self.is_large(a) {
                        true => of_components.push(keyed([a.0, HOLDS], numbers)),
                        false => apart.push(pair),
                    }
                }
                (of_components, apart)
            };
            decided.pairs.made(split, |(of_components, apart)| {
                let mut apart = apart.iter();
                let members = |page| groups.members(groups.of(page));
                apart.try_for_each(|&pair| overlaps.add(pair, members))?;
                records.extend(of_components)
            })?;
        }
        Ok(records)
    }

    /// The components of a batch, their pairs checked.
    fn components(&self, batch: Vec<Records>) -> Result<Vec<Component>> {
        let components = batch.into_par_iter().map(|mut records| {
            let mut to_check = std::mem::take(&mut records.to_check);
            to_check.dedup_by_key(|pair| (pair.a, pair.b));
            // A component may have half a million pairs: few copies of them at a time.
            for to_check in to_check.chunks(AT_ONCE) {
                let checked = self.verification.verify(to_check).into_iter();
                records.pairs.extend(checked.flatten());
            }
            drop(to_check);
            self.component(records)
        });
        components.collect()
    }

    fn component(&self, records: Records) -> Result<Component> {
        let groups = self.groups();
        let mut all = records.groups;
        let of_pairs = records.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
        all.extend(of_pairs.map(|page| groups.of(page)));
        all.sort_unstable();
        all.dedup();
        let pages = all.iter().flat_map(|&group| groups.members(group));
        let mut pages: Vec<Rank> = pages.copied().collect();
        pages.sort_unstable();
        let mut component = Component {
            pages,
            ..Component::default()
        };
        match self.is_large(records.root) {
            false => self.list_small(&mut component, &all, records.pairs)?,
            true => self.list_large(&mut component, &all, &records.pairs),
        }
        Ok(component)
    }

    /// All pairs of a component, and what they decide.
    fn list_small(
        &self,
        component: &mut Component,
        groups: &[GroupNo],
        pairs: Vec<Pair>,
    ) -> Result<()> {
        let retained = self.retain(component, &pairs)?;
        self.drop_groups(component, groups, &retained);
        let members = |page: Rank| self.groups().members(self.groups().of(page));
        let listed = &mut component.pairs;
        for pair in pairs {
            if !self.context().connects(&pair) {
                component.overlaps.push(pair);
                continue;
            }
            for &a in members(pair.a) {
                listed.extend(members(pair.b).iter().map(|&b| pair.between(a, b)));
            }
        }
        let has_pairs =
            |group: GroupNo| self.groups().has_copies(group) && !self.groups().old(group);
        for &group in groups.iter().filter(|&&group| has_pairs(group)) {
            let pages = self.groups().members(group);
            for (at, &a) in pages.iter().enumerate() {
                listed.extend(pages[at + 1..].iter().map(|&b| self.judge.copies(a, b)));
            }
        }
        // Half a million, if the component is as large as can be.
        listed.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        let pairs = self.joining(component, &component.pairs, &retained);
        component.clusters = self.clusters(component, &pairs, &[]);
        component.classes = self.classes(component, &pairs);
        self.drop_kept(component);
        component.count_lost();
        Ok(())
    }

    /// Decides the groups of a small component by all their pairs.
    fn retain(&self, component: &Component, pairs: &[Pair]) -> Result<Retained> {
        let preference = self.preference(component);
        let is_old = self.context().is_old.first().map(|_| {
            let pages = component.pages.iter();
            pages.map(|&page| self.context().is_old(page)).collect()
        });
        let is_old: Vec<bool> = is_old.unwrap_or_default();
        let parts = AskedParts {
            judge: self.judge,
            verification: self.verification,
            pages: Some(&component.pages),
        };
        let config = self.context().model.config();
        let rules = Rules::new(config, &preference, &is_old, &parts);
        let pairs = component.local_pairs(pairs);
        let mut stored = StoredPairs::new(component.pages.len(), &pairs, &preference);
        let retained = retain(rules, &mut stored)?;
        Ok(component.global(retained))
    }

    /// What is listed of a large component: each dropped page, with the page that it is dropped for.
    fn list_large(&self, component: &mut Component, groups: &[GroupNo], pairs: &[Pair]) {
        let none = Retained::default();
        let retained = self.decided.map_or(&none, |decided| &decided.retained);
        let mut deciding: Vec<Pair> = pairs.to_vec();
        deciding.sort_unstable_by_key(|pair| (pair.a, pair.b));
        self.drop_groups(component, groups, retained);
        self.list_dropped(component, &deciding);
        self.list_parts(component, &deciding, retained);
        self.connect(component, &deciding);
        let listed = &mut component.pairs;
        listed.sort_unstable_by_key(|pair| (pair.a, pair.b));
        listed.dedup_by_key(|pair| (pair.a, pair.b));
        let first = |group: &GroupNo| self.groups().first(*group);
        let best = groups.iter().map(first);
        let best = best.min_by_key(|page| self.context().preference[page.at()]);
        component.large = best.map(|best| (best, component.pages.len()));
        let pairs = self.joining(component, &component.pairs, retained);
        let edges = self.edges(&self.joining(component, &deciding, retained), component);
        component.clusters = self.clusters(component, &pairs, &edges);
        component.classes = self.classes(component, &pairs);
        self.drop_kept(component);
        component.count_lost();
        self.complete(component);
    }

    /// Drops the pages of groups as their first pages are dropped, and the copies of a kept page for that.
    fn drop_groups(&self, component: &mut Component, groups: &[GroupNo], retained: &Retained) {
        for &group in groups {
            let pages = self.groups().members(group);
            let (first, copies) = (pages[0], &pages[1..]);
            match retained.dropped(first) {
                Some(dropped) => {
                    let all = pages.iter().map(|&page| Dropped { page, ..dropped });
                    component.dropped.extend(all);
                }
                None if self.groups().old(group) || !self.groups().has_copies(group) => {}
                None => component.dropped.extend(copies.iter().map(|&page| Dropped {
                    page,
                    canonical: first,
                    relation: DroppedAs::Repeats(Relation::Duplicate),
                    lost: 0,
                })),
            }
        }
    }

    /// Lists the pair of each dropped page with the page that it is dropped for.
    fn list_dropped(&self, component: &mut Component, deciding: &[Pair]) {
        let groups = self.groups();
        for gone in &component.dropped {
            let first = groups.first(groups.of(gone.page));
            if gone.canonical == first {
                component.pairs.push(self.judge.copies(gone.page, first));
                continue;
            }
            if let Some(pair) = found(deciding, first, gone.canonical) {
                component.pairs.push(match pair.a == first {
                    true => pair.between(gone.page, pair.b),
                    false => pair.between(pair.a, gone.page),
                });
            }
        }
    }

    /// Lists the pairs of collections with their kept parts; of those that are dropped for these, for each copy.
    fn list_parts(&self, component: &mut Component, deciding: &[Pair], retained: &Retained) {
        for pair in deciding {
            let (whole, part) = match pair.relation {
                Relation::Contains => (pair.a, pair.b),
                Relation::ContainedBy => (pair.b, pair.a),
                Relation::Duplicate | Relation::Overlaps => continue,
            };
            if !retained.is_collection(whole) || retained.dropped(part).is_some() {
                continue;
            }
            let copies = match retained.is_dropped_collection(whole) {
                true => self.groups().members(self.groups().of(whole)),
                false => &[whole],
            };
            let pairs = copies.iter().map(|&copy| match whole == pair.a {
                true => pair.between(copy, part),
                false => pair.between(part, copy),
            });
            component.pairs.extend(pairs);
        }
    }

    /// Those of these pairs, pages by their places, that make clusters. A collection is in no cluster with its parts, and in none at all if it is
    /// dropped for them.
    fn joining(&self, component: &Component, pairs: &[Pair], retained: &Retained) -> Vec<Pair> {
        let first = |page: Rank| self.groups().first(self.groups().of(page));
        let joins = |pair: &&Pair| {
            let [a, b] = [pair.a, pair.b].map(first);
            let is_part = match pair.relation {
                Relation::Contains => retained.is_collection(a),
                Relation::ContainedBy => retained.is_collection(b),
                Relation::Duplicate | Relation::Overlaps => false,
            };
            let is_gone = |page| retained.is_dropped_collection(page);
            self.context().connects(pair) && !is_part && !is_gone(a) && !is_gone(b)
        };
        if retained.collections.is_empty() {
            return component.local_pairs(pairs);
        }
        let joining: Vec<Pair> = pairs.iter().filter(joins).copied().collect();
        component.local_pairs(&joining)
    }

    /// What connects the pages of a large component, by their places: the pairs of groups, and the pages of groups that are no copies of each other. The
    /// pairs that are listed need not connect all of them.
    fn edges(&self, joining: &[Pair], component: &Component) -> Vec<(Rank, Rank)> {
        let mut edges: Vec<(Rank, Rank)> = joining.iter().map(|pair| (pair.a, pair.b)).collect();
        let firsts = joining.iter().flat_map(|pair| [pair.a, pair.b]);
        let mut firsts: Vec<Rank> = firsts.collect();
        firsts.sort_unstable();
        firsts.dedup();
        for first in firsts {
            let group = self.groups().of(component.pages[first.at()]);
            if !self.groups().has_copies(group) {
                let others = self.groups().members(group)[1..].iter();
                edges.extend(others.map(|&page| (first, component.local(page))));
            }
        }
        edges
    }

    /// Adds the closest pair of each group that is in no pair with another group: it is kept, and no page is dropped for it.
    fn connect(&self, component: &mut Component, deciding: &[Pair]) {
        let ends = |pair: &Pair| [pair.a, pair.b].map(|page| self.groups().of(page));
        let listed = component.pairs.iter().map(ends).filter(|[a, b]| a != b);
        let listed: FxHashSet<GroupNo> = listed.flatten().collect();
        let mut closest: BTreeMap<GroupNo, &Pair> = BTreeMap::new();
        for pair in deciding {
            for group in ends(pair)
                .into_iter()
                .filter(|group| !listed.contains(group))
            {
                let best = closest.entry(group).or_insert(pair);
                if pair.similarity > best.similarity {
                    *best = pair;
                }
            }
        }
        let mut edges: Vec<Pair> = closest.into_values().copied().collect();
        edges.sort_unstable_by_key(|pair| (pair.a, pair.b));
        edges.dedup_by_key(|pair| (pair.a, pair.b));
        component.pairs.extend(edges);
    }

    /// If nothing of a cluster is to stay, drops the pages for which others are dropped, for the most preferred of these.
    fn drop_kept(&self, component: &mut Component) {
        let (context, groups) = (self.context(), self.groups());
        if context.model.config().drop != DropRule::All {
            return;
        }
        let place = |page: Rank| context.preference[page.at()];
        let mut best: BTreeMap<GroupNo, Dropped> = BTreeMap::new();
        for &gone in &component.dropped {
            let first = best.entry(groups.of(gone.canonical)).or_insert(gone);
            if place(gone.page) < place(first.page) {
                *first = gone;
            }
        }
        let gone: FxHashSet<Rank> = component.dropped.iter().map(|gone| gone.page).collect();
        for (group, first) in best {
            // Pages of a group that are no copies of each other are related to the same others.
            let kept = groups.members(group).iter();
            let kept = kept.filter(|page| !gone.contains(page) && !context.is_old(**page));
            component.dropped.extend(kept.map(|&page| Dropped {
                page,
                canonical: first.page,
                relation: first.relation.swapped(),
                lost: 0,
            }));
        }
    }

    /// The places of a component's pages in the order of preference.
    fn preference(&self, component: &Component) -> Vec<u32> {
        let preference = self.context().preference;
        component
            .pages
            .iter()
            .map(|page| preference[page.at()])
            .collect()
    }

    fn clusters(
        &self,
        component: &Component,
        pairs: &[Pair],
        edges: &[(Rank, Rank)],
    ) -> Vec<Cluster> {
        let linkage = self.context().model.config().cluster;
        let edges = match linkage {
            Linkage::Components => edges,
            Linkage::TwoEdge | Linkage::PerPage => &[],
        };
        let (preference, kept_for) = (self.preference(component), component.kept_for());
        let mut clusters = cluster::cluster(pairs, edges, linkage, &preference, &kept_for);
        for cluster in &mut clusters {
            cluster.canonical = component.pages[cluster.canonical.at()];
            let members = cluster.members.iter_mut();
            members.for_each(|page| *page = component.pages[page.at()]);
        }
        clusters
    }

    /// The overlapping classes of the component's pages, if they were requested.
    fn classes(&self, component: &Component, pairs: &[Pair]) -> Vec<Class> {
        if self.context().model.config().cluster != Linkage::PerPage {
            return Vec::new();
        }
        let mut classes = cluster::classes(pairs, component.pages.len());
        for class in &mut classes {
            let Class {
                center,
                members,
                pages,
            } = class;
            let numbers = std::iter::once(center).chain(members).chain(pages);
            numbers.for_each(|page| *page = component.pages[page.at()]);
        }
        classes
    }

    /// Adds the pairs of canonical pages of a large component with the other pages of their clusters.
    fn complete(&self, component: &mut Component) {
        let groups = self.groups();
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
            let one = self.judge.one(groups.of(canonical));
            let judged = others.par_iter().filter_map(|&page| {
                let pair = one.with(groups.of(page))?;
                Some((page, pair))
            });
            let judged: Vec<(Rank, Pair)> = judged.collect();
            let asked: Vec<Pair> = judged.iter().map(|&(_, pair)| pair).collect();
            let verdicts = self.verification.verify(&asked);
            let before = more.len();
            for ((page, _), pair) in judged.into_iter().zip(verdicts) {
                let pair = pair.filter(|pair| self.context().connects(pair));
                more.extend(pair.map(|pair| match groups.of(pair.a) == groups.of(page) {
                    true => pair.between(page, canonical),
                    false => pair.between(canonical, page),
                }));
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

    /// Pairs of its pages, by their places.
    fn local_pairs(&self, pairs: &[Pair]) -> Vec<Pair> {
        let local = pairs.iter().map(|pair| Pair {
            a: self.local(pair.a),
            b: self.local(pair.b),
            ..*pair
        });
        local.collect()
    }

    /// The places of the pages for which its pages are dropped; of those that are kept, and of collections that are dropped for their parts, their
    /// own.
    fn kept_for(&self) -> Vec<Rank> {
        let mut kept_for: Vec<Rank> = Rank::first(self.pages.len()).collect();
        for dropped in &self.dropped {
            if dropped.relation.of_texts().is_some() {
                kept_for[self.local(dropped.page).at()] = self.local(dropped.canonical);
            }
        }
        kept_for
    }

    /// What was decided, pages by their ranks.
    fn global(&self, mut retained: Retained) -> Retained {
        for dropped in &mut retained.dropped {
            dropped.page = self.pages[dropped.page.at()];
            dropped.canonical = self.pages[dropped.canonical.at()];
        }
        let collections = retained.collections.iter_mut();
        collections.for_each(|page| *page = self.pages[page.at()]);
        retained
    }

    /// Counts what its dropped pages have of their own, by the pairs with the pages that they are dropped for, which are listed.
    fn count_lost(&mut self) {
        let pairs = &self.pairs;
        for dropped in &mut self.dropped {
            let pair = found(pairs, dropped.page, dropped.canonical);
            dropped.lost = match pair.filter(|_| dropped.relation.of_texts().is_some()) {
                Some(pair) if pair.a == dropped.page => pair.own_a,
                Some(pair) => pair.own_b,
                None => 0,
            };
        }
    }
}

/// The pair of two pages among these, which ascend.
fn found(pairs: &[Pair], x: Rank, y: Rank) -> Option<&Pair> {
    let key = (x.min(y), x.max(y));
    let at = pairs.binary_search_by_key(&key, |pair| (pair.a, pair.b));
    at.ok().map(|at| &pairs[at])
}
