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
use super::retain::{Dropped, DroppedAs, Rules, StoredPairs, retain};
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
}

impl Listed {
    /// Adds components, whose pairs go to `pairs`.
    fn add(&mut self, components: Vec<Component>, pairs: &mut Sorter<PairNumbers>) -> Result<()> {
        for component in components {
            for pair in component.pairs {
                pairs.push(pair.to_numbers())?;
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
        let mut records = self.records(to_check, components)?.finish()?.peekable();
        let mut sorter = Sorter::new(self.context().memory);
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
                    listed.add(std::mem::take(&mut before), &mut sorter)?;
                    Ok(next_batch(&mut records))
                },
            );
            (before, batch) = (found?, next?);
        }
        listed.add(before, &mut sorter)?;
        listed.pairs = Pairs::sorted(sorter, self.context().memory)?;
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

    /// All records: pairs, groups of several pages, and all groups of large components.
    fn records(
        &self,
        to_check: Sorter<KeyedPair>,
        components: &UnionFind,
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
            let of_pair = |&numbers: &PairNumbers| {
                let group = groups.of(Rank(numbers[0]));
                keyed([root(group).0, HOLDS], numbers)
            };
            decided.pairs.made(
                |pairs| pairs.iter().map(of_pair).collect::<Vec<_>>(),
                |of_pairs| records.extend(of_pairs),
            )?;
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
        let members = |page: Rank| self.groups().members(self.groups().of(page));
        let listed = &mut component.pairs;
        for pair in &pairs {
            for &a in members(pair.a) {
                listed.extend(members(pair.b).iter().map(|&b| pair.between(a, b)));
            }
        }
        drop(pairs);
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
        let pairs = component.local_pairs();
        let is_old = self.context().is_old;
        let is_old: Vec<bool> = match is_old.is_empty() {
            true => Vec::new(),
            false => component
                .pages
                .iter()
                .map(|page| is_old[page.at()])
                .collect(),
        };
        let preference = self.preference(component);
        let rules = Rules {
            preference: &preference,
            contained: self.context().model.config().drop != DropRule::Duplicate,
            containers_first: !self.context().model.config().canonical.is_stated(),
            is_old: &is_old,
        };
        let mut stored = StoredPairs::new(component.pages.len(), &pairs, &preference);
        let dropped = retain(rules, &mut stored)?;
        component.dropped = component.global_dropped(dropped);
        component.clusters = self.clusters(component, &pairs, &[]);
        component.classes = self.classes(component, &pairs);
        self.drop_kept(component);
        Ok(())
    }

    /// What is listed of a large component: each dropped page, with the page that it is dropped for.
    fn list_large(&self, component: &mut Component, groups: &[GroupNo], pairs: &[Pair]) {
        let mut deciding: Vec<Pair> = pairs.to_vec();
        deciding.sort_unstable_by_key(|pair| (pair.a, pair.b));
        for &group in groups {
            let pages = self.groups().members(group);
            match self.dropped(pages[0]) {
                Some(dropped) => component.drop_group(pages, dropped, &deciding),
                None if self.groups().old(group) || !self.groups().has_copies(group) => {}
                // It is kept, and its copies are dropped for it.
                None => {
                    for &page in &pages[1..] {
                        component.pairs.push(self.judge.copies(page, pages[0]));
                        component.dropped.push(Dropped {
                            page,
                            canonical: pages[0],
                            relation: DroppedAs::Repeats(Relation::Duplicate),
                            lost: 0,
                        });
                    }
                }
            }
        }
        self.connect(component, &deciding);
        component
            .pairs
            .sort_unstable_by_key(|pair| (pair.a, pair.b));
        let first = |group: &GroupNo| self.groups().first(*group);
        let best = groups.iter().map(first);
        let best = best.min_by_key(|page| self.context().preference[page.at()]);
        component.large = best.map(|best| (best, component.pages.len()));
        let pairs = component.local_pairs();
        // The pairs that are listed need not connect all its groups, nor all pages of groups without copies.
        let apart = |group: &GroupNo| match self.groups().has_copies(*group) {
            true => &self.groups().members(*group)[..1],
            false => self.groups().members(*group),
        };
        let apart = groups.iter().flat_map(apart);
        let apart: Vec<Rank> = apart.map(|&page| component.local(page)).collect();
        let edges: Vec<(Rank, Rank)> = apart.iter().map(|&page| (page, apart[0])).collect();
        component.clusters = self.clusters(component, &pairs, &edges);
        component.classes = self.classes(component, &pairs);
        self.complete(component);
        self.drop_kept(component);
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

    /// The page for which a page is dropped, as it was decided.
    fn dropped(&self, page: Rank) -> Option<Dropped> {
        let dropped = &self.decided?.dropped;
        let at = dropped
            .binary_search_by_key(&page, |dropped| dropped.page)
            .ok()?;
        Some(dropped[at])
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

    /// Its pairs, pages by their places.
    fn local_pairs(&self) -> Vec<Pair> {
        let pairs = self.pairs.iter();
        pairs
            .map(|pair| Pair {
                a: self.local(pair.a),
                b: self.local(pair.b),
                ..*pair
            })
            .collect()
    }

    /// The places of the pages for which its pages are dropped; of those that are kept their own.
    fn kept_for(&self) -> Vec<Rank> {
        let mut kept_for: Vec<Rank> = Rank::first(self.pages.len()).collect();
        for dropped in &self.dropped {
            kept_for[self.local(dropped.page).at()] = self.local(dropped.canonical);
        }
        kept_for
    }

    /// Dropped pages, by their ranks.
    fn global_dropped(&self, dropped: Vec<Dropped>) -> Vec<Dropped> {
        let dropped = dropped.into_iter();
        dropped
            .map(|dropped| Dropped {
                page: self.pages[dropped.page.at()],
                canonical: self.pages[dropped.canonical.at()],
                ..dropped
            })
            .collect()
    }

    /// The pages of a group are dropped, as the first one is.
    fn drop_group(&mut self, pages: &[Rank], dropped: Dropped, deciding: &[Pair]) {
        let canonical = dropped.canonical;
        let key = (pages[0].min(canonical), pages[0].max(canonical));
        let pair = deciding.binary_search_by_key(&key, |pair| (pair.a, pair.b));
        for &page in pages {
            self.dropped.push(Dropped { page, ..dropped });
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
