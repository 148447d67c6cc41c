//! Verifies the pairs of connected components, decides which of their pages are kept, and lists the result, one batch of components after
//! the other.
//!
//! A sort by (component, kind, value) brings components together, so memory holds only the current components, and neither a graph of all
//! pages nor all pairs. In a small component all pairs decide. Large ones were decided before ([`super::by_probing`]).

use std::iter::Peekable;

use rayon::prelude::*;

use super::by_probing::Decided;
use super::context::Context;
use super::group::Groups;
use super::join_pairs::{KeyedPair, keyed};
use super::list::{Component, Listed, Listing};
use super::overlaps::Overlaps;
use super::parts::AskedParts;
use super::retain::{Retained, Rules, StoredPairs, Undecided, retain};
use super::sketch_judge::SketchJudge;
use super::union_find::UnionFind;
use crate::cluster::{Pair, PairNumbers, Pairs};
use crate::error::{Error, Result};
use crate::ids::{GroupNo, Rank};
use crate::spill::{Sorter, SpillVec};
use crate::stage::{Stage, StageClock};
use crate::verify::Verification;

/// Kinds of records: a group of the component; a pair to be verified; a related pair.
const GROUP: u32 = 0;
pub(super) const CHECK: u32 = 1;
const HOLDS: u32 = 2;

/// How many records of components are processed at the same time.
const BATCH: usize = 1 << 16;

/// How many pairs of a component are verified at the same time.
const AT_ONCE: usize = 1 << 12;

/// Decides and lists components.
pub(super) struct Components<'a> {
    pub(super) rules: Rules,
    pub(super) judge: SketchJudge<'a>,
    pub(super) verification: &'a Verification<'a>,
    /// The decisions on groups that probed.
    pub(super) decided: Option<&'a Decided>,
    /// Pairs that connect nothing and were found apart from the others.
    pub(super) retold: &'a SpillVec<PairNumbers>,
}

/// A component with its pairs.
#[derive(Default)]
struct ComponentPairs {
    root: GroupNo,
    groups: Vec<GroupNo>,
    /// Pairs to be verified.
    to_check: Vec<Pair>,
    pairs: Vec<Pair>,
}

struct Settled {
    groups: Vec<GroupNo>,
    pairs: Vec<Pair>,
    is_large: bool,
    /// The decisions on a small component.
    retained: Retained,
    component: Component,
}

/// The next components from these records, up to [`BATCH`] records.
fn next_batch(records: &mut Peekable<impl Iterator<Item = KeyedPair>>) -> Vec<ComponentPairs> {
    let (mut batch, mut size, mut last) = (Vec::new(), 0, None);
    while let Some([root, kind, numbers @ ..]) =
        records.next_if(|&[root, ..]| size < BATCH || last == Some(root))
    {
        if last.replace(root) != Some(root) {
            batch.push(ComponentPairs {
                root: GroupNo(root),
                ..ComponentPairs::default()
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
    /// Decides and lists all components. `to_check` has the pairs to be verified, for components by estimates of sketches; others were
    /// decided by probing.
    ///
    /// Errors: a temporary file cannot be written, and the run was cancelled.
    pub(super) fn list(
        &self,
        to_check: Sorter<KeyedPair>,
        components: &UnionFind,
        clock: &mut StageClock,
    ) -> Result<Listed> {
        let (memory, groups) = (self.context().memory, self.groups());
        clock.begin(Stage::Verify);
        self.context().watch.begin(Stage::Cluster.name(), 0);
        let mut overlaps = Overlaps::new(memory);
        let records = self.records(to_check, components, &mut overlaps)?;
        let mut records = records.finish()?.peekable();
        let mut pairs = Sorter::new(memory);
        let mut listed = Listed::default();
        let (mut batch, mut before) = (next_batch(&mut records), Vec::new());
        while !batch.is_empty() {
            if self.context().watch.cancelled() {
                return Err(Error::Cancelled);
            }
            clock.begin(Stage::Verify);
            // The last list is stored and the next records are read meanwhile.
            let ((), next) = rayon::join(
                || self.verify(&mut batch),
                || {
                    listed.add(before, &mut pairs, &mut overlaps, groups)?;
                    Ok::<_, Error>(next_batch(&mut records))
                },
            );
            clock.begin(Stage::Retain);
            let settled = self.retain(std::mem::replace(&mut batch, next?))?;
            clock.begin(Stage::Cluster);
            before = self.list_all(settled);
        }
        clock.begin(Stage::Cluster);
        listed.add(before, &mut pairs, &mut overlaps, groups)?;
        listed.overlaps_not_listed = overlaps.list(&mut pairs, memory)?;
        listed.pairs = Pairs::sorted(pairs, memory)?;
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

    /// All records: pairs, groups of several pages, and all groups of large components. Pairs that connect nothing and lie in a large
    /// component or between two components go to `overlaps`.
    fn records(
        &self,
        to_check: Sorter<KeyedPair>,
        components: &UnionFind,
        overlaps: &mut Overlaps,
    ) -> Result<Sorter<KeyedPair>> {
        let (groups, mut records) = (self.groups(), to_check);
        // Probing never joined a decided group with an undecided one.
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
        let members = |page| groups.members(groups.of(page));
        for retold in self.retold.blocks() {
            let mut pairs = retold.iter().copied().map(Pair::from_numbers);
            pairs.try_for_each(|pair| overlaps.add(pair, members))?;
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
                apart.try_for_each(|&pair| overlaps.add(pair, members))?;
                records.extend(of_components)
            })?;
        }
        Ok(records)
    }

    /// Verifies the pairs of a batch.
    fn verify(&self, batch: &mut [ComponentPairs]) {
        batch.par_iter_mut().for_each(|found| {
            let mut to_check = std::mem::take(&mut found.to_check);
            to_check.dedup_by_key(|pair| (pair.a, pair.b));
            // A component may have half a million pairs, so few are copied at a time.
            for to_check in to_check.chunks(AT_ONCE) {
                let checked = self.verification.verify(to_check).into_iter();
                found.pairs.extend(checked.flatten());
            }
        });
    }

    /// Decides the undecided components of a batch.
    fn retain(&self, batch: Vec<ComponentPairs>) -> Result<Vec<Settled>> {
        let settled = batch.into_par_iter().map(|found| {
            let (is_large, groups) = (self.is_large(found.root), self.groups());
            let mut all = found.groups;
            let of_pairs = found.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
            all.extend(of_pairs.map(|page| groups.of(page)));
            all.sort_unstable();
            all.dedup();
            let pages = all.iter().flat_map(|&group| groups.members(group));
            let mut pages: Vec<Rank> = pages.copied().collect();
            pages.sort_unstable();
            let component = Component::of(pages);
            let retained = match is_large {
                false => self.retain_small(&component, &found.pairs)?,
                true => Retained::default(),
            };
            Ok(Settled {
                groups: all,
                pairs: found.pairs,
                is_large,
                retained,
                component,
            })
        });
        settled.collect()
    }

    fn retain_small(&self, component: &Component, pairs: &[Pair]) -> Result<Retained> {
        let listing = Listing { judge: self.judge };
        let preference = listing.preference(component);
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
        let undecided = Undecided {
            preference: &preference,
            is_old: &is_old,
            parts: Some(&parts),
        };
        let pairs = component.local_pairs(pairs);
        let mut stored = StoredPairs::new(component.pages.len(), &pairs, &preference);
        Ok(component.global(retain(self.rules, undecided, &mut stored)?))
    }

    fn list_all(&self, settled: Vec<Settled>) -> Vec<Component> {
        let listing = Listing { judge: self.judge };
        let none = Retained::default();
        let of_large = self.decided.map_or(&none, |decided| &decided.retained);
        let listed = settled.into_par_iter().map(|settled| {
            let Settled {
                groups,
                pairs,
                is_large,
                retained,
                mut component,
            } = settled;
            match is_large {
                false => listing.list_small(&mut component, &groups, pairs, &retained),
                true => {
                    listing.list_large(&mut component, &groups, &pairs, of_large);
                    self.complete(&mut component);
                }
            }
            component
        });
        listed.collect()
    }

    /// Adds the pairs of a large component's canonical pages with the other pages of their clusters.
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
            let pairs: Vec<Pair> = judged.iter().map(|&(_, pair)| pair).collect();
            let verdicts = self.verification.verify(&pairs);
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
