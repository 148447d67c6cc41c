//! Lists a decided component: its pairs of pages, the dropped pages, and the clusters.
//!
//! All pairs of a small component are listed; of a large one only those that decided.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::context::Context;
use super::group::Groups;
use super::overlaps::Overlaps;
use super::retain::{Dropped, DroppedAs, Retained};
use super::sketch_judge::SketchJudge;
use crate::cluster::{self, Class, Cluster, DropRule, Linkage, Pair, PairNumbers, Pairs};
use crate::error::Result;
use crate::ids::{GroupNo, Rank};
use crate::relation::Relation;
use crate::spill::Sorter;

#[derive(Clone, Copy)]
pub(super) struct Listing<'a> {
    pub(super) judge: SketchJudge<'a>,
}

#[derive(Default)]
pub(super) struct Listed {
    pub(super) pairs: Pairs,
    pub(super) dropped: Vec<Dropped>,
    pub(super) clusters: Vec<Cluster>,
    /// Overlapping classes, if they were requested ([`Linkage::PerPage`]).
    pub(super) classes: Vec<Class>,
    /// The most preferred page and the number of pages of each large component.
    pub(super) large: Vec<(Rank, usize)>,
    pub(super) overlaps_not_listed: u64,
}

impl Listed {
    /// Adds components; their pairs go to `pairs`, and those that connect nothing to `overlaps`.
    pub(super) fn add(
        &mut self,
        components: Vec<Component>,
        pairs: &mut Sorter<PairNumbers>,
        overlaps: &mut Overlaps,
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

#[derive(Default)]
pub(super) struct Component {
    pub(super) pages: Vec<Rank>,
    pub(super) pairs: Vec<Pair>,
    /// The pairs of its groups that connect nothing.
    overlaps: Vec<Pair>,
    dropped: Vec<Dropped>,
    pub(super) clusters: Vec<Cluster>,
    classes: Vec<Class>,
    large: Option<(Rank, usize)>,
}

impl Listing<'_> {
    fn context(&self) -> &Context<'_> {
        self.judge.context
    }

    fn groups(&self) -> &Groups {
        self.judge.groups
    }

    pub(super) fn list_small(
        &self,
        component: &mut Component,
        groups: &[GroupNo],
        pairs: Vec<Pair>,
        retained: &Retained,
    ) {
        self.drop_groups(component, groups, retained);
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
        // Up to half a million, in the largest small component.
        listed.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        let pairs = self.joining(component, &component.pairs, retained);
        component.clusters = self.clusters(component, &pairs, &[]);
        component.classes = self.classes(component, &pairs);
        self.drop_kept(component);
        component.count_lost();
    }

    /// Lists a large component: each dropped page with the page for which it is dropped.
    pub(super) fn list_large(
        &self,
        component: &mut Component,
        groups: &[GroupNo],
        pairs: &[Pair],
        retained: &Retained,
    ) {
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
    }

    /// Drops the pages of groups like their first pages, and the copies of a kept page for that page.
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

    /// Lists the pair of each dropped page with the page for which it is dropped.
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

    /// Lists the pairs of collections with their kept parts; for each copy of a collection that is dropped for its parts.
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

    /// Those of these pairs (given by places) that make clusters. A collection is in no cluster with its parts, and in no cluster at all if
    /// it is dropped for them.
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

    /// Edges that connect the pages of a large component, by places: pairs of groups, and pages of one group that are not copies of each
    /// other. The listed pairs need not connect all pages.
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

    /// Adds the closest pair of each kept group that has no listed pair with another group, because no page was dropped for it.
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

    /// With [`DropRule::All`], also drops the pages for which others are dropped, each for the most preferred of these.
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
            // Pages of a group that are not copies of each other are related to the same others.
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
    pub(super) fn preference(&self, component: &Component) -> Vec<u32> {
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

    /// The overlapping classes of the component's pages, if requested.
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
}

impl Component {
    /// A component of these pages (ascending) with nothing listed yet.
    pub(super) fn of(pages: Vec<Rank>) -> Component {
        Component {
            pages,
            ..Component::default()
        }
    }

    /// The place of a page among the component's, which are ascending.
    fn local(&self, page: Rank) -> Rank {
        Rank::new(self.pages.partition_point(|&other| other < page))
    }

    /// Pairs with pages replaced by their places.
    pub(super) fn local_pairs(&self, pairs: &[Pair]) -> Vec<Pair> {
        let local = pairs.iter().map(|pair| Pair {
            a: self.local(pair.a),
            b: self.local(pair.b),
            ..*pair
        });
        local.collect()
    }

    /// For each page the place of the page for which it is dropped; its own for kept pages and for collections dropped for their parts.
    fn kept_for(&self) -> Vec<Rank> {
        let mut kept_for: Vec<Rank> = Rank::first(self.pages.len()).collect();
        for dropped in &self.dropped {
            if dropped.relation.of_texts().is_some() {
                kept_for[self.local(dropped.page).at()] = self.local(dropped.canonical);
            }
        }
        kept_for
    }

    /// The decisions with places replaced by ranks.
    pub(super) fn global(&self, mut retained: Retained) -> Retained {
        for dropped in &mut retained.dropped {
            dropped.page = self.pages[dropped.page.at()];
            dropped.canonical = self.pages[dropped.canonical.at()];
        }
        let collections = retained.collections.iter_mut();
        collections.for_each(|page| *page = self.pages[page.at()]);
        retained
    }

    /// Counts the own words of dropped pages, by the listed pairs with the pages for which they are dropped.
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

/// The pair of two pages among these ascending pairs.
fn found(pairs: &[Pair], x: Rank, y: Rank) -> Option<&Pair> {
    let key = (x.min(y), x.max(y));
    let at = pairs.binary_search_by_key(&key, |pair| (pair.a, pair.b));
    at.ok().map(|at| &pairs[at])
}
