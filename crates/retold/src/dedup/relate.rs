//! The stages after sketching: from sketches to related pages, clusters, and kept pages.

use bytemuck::pod_collect_to_vec;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::by_probing::Decided;
use super::components::{self, Components};
use super::context::{Context, Limits, warn_of_filters};
use super::group::Groups;
use super::heavy_keys::{ClosePolicy, HeavyKeys};
use super::join::{Join, Joined, Traits};
use super::join_pairs::{JoinPairs, KeyedPair, keyed};
use super::list::Listed;
use super::probe::Probing;
use super::retain::Rules;
use super::retellings::Retellings;
use super::sketch_judge::SketchJudge;
use super::union_find::UnionFind;
use super::versions::linked_pairs;
use crate::cluster::{Pair, PairNumbers};
use crate::collect::Collection;
use crate::error::Result;
use crate::ids::{GroupNo, PrunedNo, Rank, SketchNo};
use crate::model::{Model, PrunedSketches};
use crate::sketch::Sketches;
use crate::spent::Spent;
use crate::spill::{Sorter, SpillVec};
use crate::stage::{Stage, StageClock};
use crate::verify::{PartialFingerprints, TextSource, Verification, Verified};

/// One in this many parts of the memory left is for sketches that are read often.
const READ_OFTEN: u64 = 8;

/// How many pairs one thread checks at a time.
const SPLIT: usize = 1 << 12;

pub(super) struct Related {
    pub(super) listed: Listed,
    pub(super) pruned: PrunedSketches,
    pub(super) pruned_of: Vec<PrunedNo>,
    pub(super) unpruned: Option<Sketches>,
    pub(super) candidates: u64,
    pub(super) partly_compared: u64,
    pub(super) verified: Verified,
    pub(super) spent: Spent,
}

/// Runs all stages after sketching. The sketches and partial fingerprints of the collection are passed separately.
///
/// Errors: those of [`TextSource::each`] and of temporary files, and the run was cancelled.
pub(super) fn relate(
    context: &Context<'_>,
    sketches: Sketches,
    partial: PartialFingerprints,
    texts: &dyn TextSource,
    clock: &mut StageClock,
) -> Result<Related> {
    let Context { model, memory, .. } = *context;
    clock.begin(Stage::Group);
    warn_of_filters(context);
    let (mut pruned, pruned_of, unpruned) = prune(model, context.collection, sketches)?;
    let groups = Groups::new(context, &pruned, &pruned_of)?;
    pruned.read_often(READ_OFTEN);
    let judge = SketchJudge {
        context,
        pruned: &pruned,
        groups: &groups,
    };
    let rules = Rules::new(model.config());
    let stages = Stages {
        context,
        rules,
        judge,
        groups: &groups,
    };

    let found = stages.find(partial, texts, clock)?;

    let components = Components {
        rules,
        judge,
        verification: &found.verification,
        decided: found.decided.as_ref(),
        retold: &found.retold,
    };
    let listed = components.list(found.to_check, &found.components, clock)?;
    memory.check()?;
    let decided = found.decided.as_ref();
    let probed = decided.map_or(0, |decided| decided.candidates);
    let partly_compared = decided.map_or(&[][..], |decided| &decided.partly_compared);
    let dropped: FxHashSet<Rank> = listed.dropped.iter().map(|dropped| dropped.page).collect();
    let partly_compared = partly_compared
        .iter()
        .filter(|&&group| !dropped.contains(&groups.first(group)))
        .count() as u64;
    let verified = found.verification.verified();
    let joined = found.joined;
    drop(found.verification);
    Ok(Related {
        listed,
        candidates: joined.candidates + probed,
        partly_compared,
        verified,
        spent: joined.spent,
        pruned,
        pruned_of,
        unpruned,
    })
}

/// Deletes noise from the sketches. Returns the pruned sketches, the pruned sketch of each page (in reading order), and the keys of the
/// original sketches if they differ.
///
/// Errors: a temporary file cannot be written.
fn prune(
    model: &Model,
    collection: &Collection,
    sketches: Sketches,
) -> Result<(PrunedSketches, Vec<PrunedNo>, Option<Sketches>)> {
    let known = model.knowledge().filter(|known| !known.deletes_nothing());
    let Some(known) = known else {
        let pages = collection.pages.iter();
        let pruned_of = pages.map(|page| PrunedNo(page.sketch.0)).collect();
        return Ok((model.prune_all(sketches)?, pruned_of, None));
    };
    let mut pruned = Sketches::new(collection.memory());
    let mut seen: FxHashMap<(SketchNo, Option<u32>), PrunedNo> = FxHashMap::default();
    let mut pruned_of = Vec::with_capacity(collection.pages.len());
    for page in collection.pages.iter() {
        let name = collection.site(&page);
        let site = name.filter(|site| known.deleted_on_site.contains_key(*site));
        let key = (page.sketch, page.site.filter(|_| site.is_some()));
        let number = match seen.get(&key) {
            Some(&number) => number,
            None => {
                let sketch = sketches.get(page.sketch);
                let kept = model.without_noise(sketch.as_ref(), site);
                let number = PrunedNo(pruned.add(kept.as_ref())?.0);
                seen.insert(key, number);
                number
            }
        };
        pruned_of.push(number);
    }
    let unpruned = Some(sketches.keys_only()?);
    Ok((model.prune_all(pruned)?, pruned_of, unpruned))
}

/// The state of groups after those that probe are decided.
struct FoundGroups<'a> {
    /// The components of the pairs found, as estimated by sketches.
    components: UnionFind,
    /// The pairs of components that do not probe, as estimated by sketches ([`components`]).
    to_check: Sorter<KeyedPair>,
    /// The decisions on groups that probed.
    decided: Option<Decided>,
    verification: Verification<'a>,
    joined: Joined<Pair>,
    /// See [`Found::retold`].
    retold: SpillVec<PairNumbers>,
}

/// What the join finds.
struct Found<'a> {
    /// Pairs, as estimated by sketches.
    seen: SpillVec<PairNumbers>,
    /// Their components.
    components: UnionFind,
    joined: Joined<Pair>,
    retellings: Retellings<'a>,
    /// Pairs that only overlap and connect no component.
    retold: SpillVec<PairNumbers>,
}

/// The stages of a run over the exact groups of a collection.
struct Stages<'a> {
    context: &'a Context<'a>,
    rules: Rules,
    judge: SketchJudge<'a>,
    groups: &'a Groups,
}

impl<'a> Stages<'a> {
    /// Runs the stages from the join until pages are decided. Posting lists and pairs by group are freed at the end.
    fn find(
        &self,
        partial: PartialFingerprints,
        texts: &dyn TextSource,
        clock: &mut StageClock,
    ) -> Result<FoundGroups<'a>> {
        let Context { model, memory, .. } = self.context;
        clock.begin(Stage::Join);
        let join = self.index()?;
        let mut found = self.join(&join)?;
        memory.check()?;
        let mut verification = Verification::new(self.judge, partial)?;
        self.add_retellings(&mut found, &mut verification, texts)?;
        let Found {
            seen,
            mut components,
            joined,
            retold,
            ..
        } = found;

        clock.begin(Stage::HeavyKeys);
        let bounds = |size| model.bounds(size);
        let heavy = HeavyKeys::new(&join, &bounds, ClosePolicy::default(), memory)?;
        let probes = self.probing_groups(&mut components, &heavy);
        let (to_check, join_pairs) = self.split(seen, &components, &probes, &verification)?;
        let places = self.places();
        let probing = Probing {
            judge: self.judge,
            places: &places,
            join_pairs: &join_pairs,
            isolated: Vec::new(),
        };
        let decided = self.decide(probing, heavy, &probes, &mut verification, texts, clock)?;
        Ok(FoundGroups {
            components,
            to_check,
            decided,
            verification,
            joined,
            retold,
        })
    }

    fn index(&self) -> Result<Join> {
        let Context { model, limits, .. } = self.context;
        let Limits { heavy, .. } = limits;
        let has_filters = !model.config().filters.is_empty();
        let parts = has_filters.then_some(|groups| self.groups.parts(groups));
        let traits = Traits {
            size: &|keys| model.size(keys),
            needs_distinctive: &|sketch| model.needs_distinctive(sketch),
            is_common: &|key| model.is_common(key),
            parts: parts.as_ref().map(|parts| parts as _),
        };
        let sketches = self.judge.pruned.sketches();
        let watch = self.context.watch;
        watch.begin(Stage::Join.name(), self.groups.len() as u64);
        Join::build(sketches, &self.groups.sketches, *heavy, &traits)
    }

    /// The pairs of the join, and those of exact copies in different groups, as estimated by sketches, with their components. Results of an
    /// interrupted run come first.
    fn join(&self, join: &Join) -> Result<Found<'a>> {
        let mut components = UnionFind::new(self.groups.component_sizes());
        let mut seen = SpillVec::new(self.context.memory);
        let mut retellings = Retellings::new(self.judge);
        let mut add = |pair: Pair| {
            let groups = [pair.a, pair.b].map(|page| self.groups.of(page));
            components.join(groups[0], groups[1]);
            retellings.note(groups, pair.similarity);
            seen.push(pair.to_numbers())
        };
        let (mut all, mut done) = (Joined::default(), 0);
        // A chunk: the number of finished pieces, the candidates of the last one, its pairs.
        let take_up = |chunk: &[u8]| {
            let numbers: Vec<u32> = pod_collect_to_vec(chunk);
            if let [pieces, candidates, pairs @ ..] = &numbers[..] {
                done = *pieces as usize;
                all.candidates += u64::from(*candidates);
                let (pairs, _) = pairs.as_chunks();
                pairs
                    .iter()
                    .try_for_each(|&pair| add(Pair::from_numbers(pair)))?;
            }
            Ok(())
        };
        let journal = self.context.resume;
        let journal = journal.map(|resume| resume.journal("pairs", take_up));
        let mut journal = journal.transpose()?;
        let bounds = |size| self.context.model.bounds(size);
        let judge = |group, others: &[GroupNo], made: &mut Vec<Pair>| {
            made.extend(self.judge.one(group).with_each(others));
        };
        let may_compare = |a, b| self.groups.may_compare(a, b);
        let watch = self.context.watch;
        join.pairs(done, bounds, may_compare, watch, judge, |done, piece| {
            if let Some(journal) = &mut journal {
                let mut chunk = vec![done as u32, piece.candidates as u32];
                chunk.extend(piece.made.iter().flat_map(|pair| pair.to_numbers()));
                journal.append(bytemuck::cast_slice(&chunk))?;
            }
            all.candidates += piece.candidates;
            all.spent += piece.spent;
            piece.made.drain(..).try_for_each(&mut add)
        })?;
        self.judge.copies_between_groups(&mut add)?;
        self.linked(&mut add)?;
        Ok(Found {
            seen,
            components,
            joined: all,
            retellings,
            retold: SpillVec::new(self.context.memory),
        })
    }

    /// Adds the pairs of groups that bigrams bring together and texts confirm. Others would connect components by chance.
    fn add_retellings(
        &self,
        found: &mut Found<'_>,
        verification: &mut Verification<'a>,
        texts: &dyn TextSource,
    ) -> Result<()> {
        let (candidates, compared) = found.retellings.candidates()?;
        found.joined.candidates += compared;
        let pairs = |numbers: &[PairNumbers]| -> Vec<Pair> {
            numbers.iter().copied().map(Pair::from_numbers).collect()
        };
        candidates
            .blocks()
            .for_each(|numbers| verification.need(&pairs(&numbers)));
        verification.prepare(texts)?;
        candidates.made(
            |numbers| verification.verify(&pairs(numbers)),
            |verified| {
                verified.iter().flatten().try_for_each(|pair| {
                    if !self.context.connects(pair) {
                        return found.retold.push(pair.to_numbers());
                    }
                    let [a, b] = [pair.a, pair.b].map(|page| self.groups.of(page));
                    found.components.join(a, b);
                    found.seen.push(pair.to_numbers())
                })
            },
        )
    }

    /// Passes the pairs of groups that canonical links bring together, as estimated by sketches, to `take`.
    fn linked(&self, mut take: impl FnMut(Pair) -> Result<()>) -> Result<()> {
        let Context {
            model,
            collection,
            by_id,
            preference,
            ..
        } = self.context;
        let pairs = linked_pairs(model, collection, by_id, preference)?;
        let groups = |&(a, b): &(Rank, Rank)| {
            let [a, b] = [a, b].map(|page| self.groups.of(page));
            [a.min(b), a.max(b)]
        };
        let mut pairs: Vec<[GroupNo; 2]> = pairs.iter().map(groups).collect();
        pairs.retain(|[a, b]| a != b);
        pairs.sort_unstable();
        pairs.dedup();
        for of_one in pairs.chunk_by(|one, other| one[0] == other[0]) {
            let others: Vec<GroupNo> = of_one.iter().map(|pair| pair[1]).collect();
            let found = self.judge.one(of_one[0][0]).with_each(&others);
            found.into_iter().try_for_each(&mut take)?;
        }
        Ok(())
    }

    /// For each group whether it probes: its component may have more pages than the limit, judged by sketches, or has posting lists of
    /// heavy keys. `components` are those of the pairs found; groups on one such list are joined, and so are many copies.
    fn probing_groups(&self, components: &mut UnionFind, heavy: &HeavyKeys<'_>) -> Vec<bool> {
        let all = || GroupNo::first(self.groups.len());
        let mut is_heavy = vec![false; self.groups.len()];
        heavy.each_list(|list| {
            if let Some(first) = list.next() {
                is_heavy[first.at()] = true;
                list.for_each(|other| components.join(first, other));
            }
        });
        let limit = self.context.limits.component;
        for group in all() {
            if self.groups.has_many_copies(group, limit) {
                components.join(group, self.groups.first_of_text(group));
            }
        }
        for group in all() {
            if is_heavy[group.at()] {
                is_heavy[components.root(group).at()] = true;
            }
        }
        let probes =
            |group| components.size(group) > limit || is_heavy[components.root(group).at()];
        all().map(probes).collect()
    }

    /// Splits pairs into those of components that do not probe, and those of groups that do.
    fn split(
        &self,
        seen: SpillVec<PairNumbers>,
        components: &UnionFind,
        probes: &[bool],
        verification: &Verification<'_>,
    ) -> Result<(Sorter<KeyedPair>, JoinPairs)> {
        let memory = self.context.memory;
        let (mut to_check, mut of_probing) = (Sorter::new(memory), Sorter::new(memory));
        let split = |pairs: &[PairNumbers]| {
            let (mut to_check, mut of_probing) = (Vec::new(), Vec::new());
            for &numbers in pairs {
                let pair = Pair::from_numbers(numbers);
                verification.need(std::slice::from_ref(&pair));
                let [a, b] = [pair.a, pair.b].map(|page| self.groups.of(page));
                if probes[a.at()] {
                    of_probing.push(keyed([a.0, b.0], numbers));
                    of_probing.push(keyed([b.0, a.0], numbers));
                } else {
                    to_check.push(keyed([components.root(a).0, components::CHECK], numbers));
                }
            }
            (to_check, of_probing)
        };
        seen.made(split, |(small, probing)| {
            to_check.extend(small)?;
            of_probing.extend(probing)
        })?;
        drop(seen);
        Ok((to_check, JoinPairs::new(of_probing, memory)?))
    }

    /// The place of each group's first page in the order of preference.
    fn places(&self) -> Vec<u32> {
        let all = GroupNo::first(self.groups.len());
        all.map(|group| self.context.preference[self.groups.first(group).at()])
            .collect()
    }

    /// Decides the groups that probe, after making all needed fingerprints.
    fn decide<'j>(
        &self,
        mut probing: Probing<'j>,
        mut heavy: HeavyKeys<'j>,
        probes: &[bool],
        verification: &mut Verification<'a>,
        texts: &dyn TextSource,
        clock: &mut StageClock,
    ) -> Result<Option<Decided>>
    where
        'a: 'j,
    {
        let all = GroupNo::first(probes.len());
        let mut groups: Vec<GroupNo> = all.filter(|group| probes[group.at()]).collect();
        let mut found = Vec::new();
        if self.context.model.verifier().is_some() {
            probing.begin(Stage::HeavyKeys, groups.len());
            found = probing.first_probes(groups.clone(), &mut heavy)?;
            found
                .par_chunks(SPLIT)
                .for_each(|found| verification.need(found));
            verification.need_texts(&groups);
        }
        groups = probing.by_family(&groups, found);
        clock.begin(Stage::Fingerprint);
        verification.prepare(texts)?;
        if groups.is_empty() {
            return Ok(None);
        }
        clock.begin(Stage::Verify);
        heavy.reopen();
        let ahead = probing.verify(&groups, &mut heavy, verification)?;
        clock.begin(Stage::Retain);
        let decided = probing.decide(self.rules, &groups, ahead, &mut heavy, verification)?;
        self.context.memory.check()?;
        Ok(Some(decided))
    }
}
