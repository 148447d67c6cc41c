//! From sketches to related pages, clusters, and what stays.

use bytemuck::pod_collect_to_vec;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::classes::{Classes, Judge};
use super::components::{self, Components, joined};
use super::families::{Decided, Families, Near};
use super::parts::Parts;
use super::verifying::Verifying;
use crate::cluster::{Cluster, DropRule, Dropped, Pair, Pairs};
use crate::collect::{Collection, Drafts};
use crate::error::Result;
use crate::ids::{ClassNo, PageNo, Rank, SketchNo, UnitNo};
use crate::index::{Crowds, Join, Related as Found, Sketches, Traits};
use crate::model::{Model, Units};
use crate::resume::Resume;
use crate::spent::Spent;
use crate::spill::{Held, Memory, Sorter};
use crate::texts::Texts;
use crate::watch::Watch;

/// Of a connected component of more pages than this not all pairs are listed (CONTRACT, *Families*).
pub const FAMILY: usize = 1000;
/// A key that more classes of pages have than this is crowded: its list may be closed before all its pairs have been
/// looked at ([`Crowds`]).
pub const CROWD: usize = 128;

/// The part of the memory left that holds sketches which are read often.
const SKETCHES: u64 = 8;

/// Pairs that one thread looks through at a time.
const SPLIT: usize = 1 << 12;

/// What [`Matched::find`] works with.
#[derive(Clone, Copy)]
pub struct Matching<'a> {
    /// What judges.
    pub model: &'a Model,
    /// The pages.
    pub collection: &'a Collection,
    /// Pages in the order of their ids.
    pub by_id: &'a [PageNo],
    /// For each page, by rank, its place in the order of preference.
    pub preference: &'a [u32],
    /// Where texts come from, if verdicts have to be checked on them.
    pub texts: &'a dyn Texts,
    /// What may be held.
    pub memory: &'a Memory,
    /// Is told what is going on.
    pub watch: &'a dyn Watch,
    /// For each page, by rank, whether it is an old one: it stays, is preferred to all others, and not compared with other old
    /// ones. Empty if there are none.
    pub is_old: &'a [bool],
    /// Where what is done is kept.
    pub resume: Option<&'a Resume>,
    /// [`FAMILY`], or less in tests.
    pub family: usize,
    /// [`CROWD`], or less in tests.
    pub crowd: usize,
}

/// Related pages.
#[derive(Debug)]
#[non_exhaustive]
pub struct Matched {
    /// See [`super::Findings::pairs`].
    pub pairs: Pairs,
    /// See [`super::Findings::large_components`].
    pub large_components: Vec<(Rank, usize)>,
    /// See [`super::Findings::clusters`].
    pub clusters: Vec<Cluster>,
    /// See [`super::Findings::dropped`].
    pub dropped: Vec<Dropped>,
    /// See [`super::Findings::units`].
    pub units: Units,
    /// See [`super::Findings::unit_of`].
    pub unit_of: Vec<UnitNo>,
    /// See [`super::Findings::whole`].
    pub whole: Option<Sketches>,
    /// See [`super::Findings::candidates`].
    pub candidates: u64,
    /// See [`super::Findings::verified`].
    pub verified: super::Verified,
    /// Where the time went.
    pub spent: Spent,
}

impl Matched {
    /// Joins a collection, whose sketches and drafts these are, with itself.
    ///
    /// Errors: those of [`Texts::each`] and of temporary files, and the run was cancelled.
    pub fn find(matching: Matching<'_>, sketches: Sketches, drafts: Drafts) -> Result<Matched> {
        let Matching { memory, watch, .. } = matching;
        let (mut units, unit_of, whole) = prune(matching.model, matching.collection, sketches)?;
        let classes = Classes::new(&matching, &units, &unit_of)?;
        units.read_often(SKETCHES);
        let judge = Judge {
            model: matching.model,
            units: &units,
            collection: matching.collection,
            by_id: matching.by_id,
            classes: &classes,
        };
        let run = Run {
            matching,
            judge,
            classes: &classes,
        };
        let related = run.relate(drafts)?;
        watch.begin("clusters", 0);
        let (candidates, spent) = (related.candidates, related.spent);
        let components = Components {
            matching,
            judge,
            verifying: &related.verifying,
            decided: related.decided.as_ref(),
        };
        let listed = components.list(related.to_check, &related.parts)?;
        memory.check()?;
        let verified = related.verifying.verified();
        Ok(Matched {
            pairs: listed.pairs,
            large_components: listed.large,
            clusters: listed.clusters,
            dropped: listed.dropped,
            verified,
            units,
            unit_of,
            whole,
            candidates,
            spent,
        })
    }
}

/// A run over the classes of a collection.
struct Run<'a> {
    matching: Matching<'a>,
    judge: Judge<'a>,
    classes: &'a Classes,
}

/// Related classes.
struct Related<'a> {
    /// As sketches see them: connected components.
    parts: Parts,
    /// The pairs of components that were not visited, as sketches see them ([`components`]).
    to_check: Sorter<[u32; 8]>,
    /// What was decided of visited components.
    decided: Option<Decided>,
    verifying: Verifying<'a>,
    candidates: u64,
    spent: Spent,
}

impl<'a> Run<'a> {
    /// The related classes, checked on texts where need be.
    fn relate(&self, drafts: Drafts) -> Result<Related<'a>> {
        let Matching {
            model,
            family,
            crowd,
            memory,
            watch,
            preference,
            ..
        } = self.matching;
        watch.begin("pairs", self.classes.len() as u64);
        let bounds = |keys| model.bounds(keys);
        let traits = Traits {
            size: &|keys| model.size(keys),
            needs_own: &|sketch| model.needs_own(sketch),
            is_common: &|key| model.is_common(key),
        };
        let units = self.judge.units.sketches();
        let join = Join::build(units, &self.classes.units, crowd, &traits)?;
        let (mut seen, mut parts) = (Held::new(memory), Parts::new(self.classes));
        let mut add = |pair: Pair| {
            parts.join(self.classes.of(pair.a), self.classes.of(pair.b));
            seen.push(pair.to_numbers())
        };
        let found = self.join(&join, &mut add)?;
        self.judge.copies_between(preference, family, &mut add)?;
        memory.check()?;

        let crowds = Crowds::new(&join, bounds, memory)?;
        let visited = self.visited(&mut parts, &crowds);
        let mut verifying = Verifying::new(self.judge, drafts, self.matching.resume)?;
        let (to_check, near) = self.split(seen, &parts, &visited, &verifying)?;
        let all = ClassNo::first(self.classes.len());
        let places = all.map(|class| preference[self.classes.first(class).at()]);
        let places: Vec<u32> = places.collect();
        let families = Families {
            judge: self.judge,
            classes: self.classes,
            memory,
            preference,
            places: &places,
            contained: model.config().drop == DropRule::Both,
            limit: family,
            near: &near,
            alone: Vec::new(),
            watch,
        };
        let decided = self.decide(families, crowds, &visited, &mut verifying)?;
        let looked_at = decided.as_ref().map_or(0, |decided| decided.candidates);
        Ok(Related {
            parts,
            to_check,
            decided,
            verifying,
            candidates: found.candidates + looked_at,
            spent: found.spent,
        })
    }

    /// Hands the pairs that the join finds, as sketches see them, to `add`: first those that an interrupted run has found.
    fn join(&self, join: &Join, mut add: impl FnMut(Pair) -> Result<()>) -> Result<Found<Pair>> {
        let Matching { watch, resume, .. } = self.matching;
        let (mut all, mut done) = (Found::default(), 0);
        // A chunk is: pieces that are done, candidates of the last one, its pairs.
        let take_up = |chunk: &[u8]| {
            let numbers: Vec<u32> = pod_collect_to_vec(chunk);
            if let [pieces, candidates, pairs @ ..] = &numbers[..] {
                (done, all.candidates) =
                    (*pieces as usize, all.candidates + u64::from(*candidates));
                let (pairs, _) = pairs.as_chunks();
                pairs
                    .iter()
                    .try_for_each(|&pair| add(Pair::from_numbers(pair)))?;
            }
            Ok(())
        };
        let journal = resume.map(|resume| resume.journal("pairs", take_up));
        let mut journal = journal.transpose()?;
        let bounds = |keys| self.judge.model.bounds(keys);
        let judge = |class, others: &[ClassNo], made: &mut Vec<Pair>| {
            made.extend(self.judge.asking(class).with_each(others));
        };
        join.pairs(done, bounds, watch, judge, |done, piece| {
            if let Some(journal) = &mut journal {
                let mut chunk = vec![done as u32, piece.candidates as u32];
                chunk.extend(piece.made.iter().flat_map(|pair| pair.to_numbers()));
                journal.append(bytemuck::cast_slice(&chunk))?;
            }
            all.candidates += piece.candidates;
            all.spent += piece.spent;
            piece.made.drain(..).try_for_each(&mut add)
        })?;
        Ok(all)
    }

    /// What families decide, once the texts are at hand that it takes.
    fn decide<'c>(
        &self,
        mut families: Families<'c>,
        mut crowds: Crowds<'c>,
        visited: &[bool],
        verifying: &mut Verifying<'a>,
    ) -> Result<Option<Decided>> {
        let bounds = |keys| self.judge.model.bounds(keys);
        let all = ClassNo::first(visited.len());
        let mut visited: Vec<ClassNo> = all.filter(|class| visited[class.at()]).collect();
        let mut found = Vec::new();
        if self.judge.model.verifier().is_some() {
            found = families.doubtful(visited.clone(), &mut crowds, &bounds)?;
            found
                .par_chunks(SPLIT)
                .for_each(|found| verifying.want(found));
        }
        visited = families.side_by_side(&visited, found);
        loop {
            verifying.read(self.matching.texts, self.matching.watch)?;
            let truth = |pairs: &[Pair]| verifying.truth(pairs);
            let decided = match visited.is_empty() {
                true => None,
                false => {
                    crowds.begin_again();
                    let (decided, again) =
                        families.decide(visited.clone(), crowds, &bounds, &truth)?;
                    crowds = again;
                    Some(decided)
                }
            };
            self.matching.memory.check()?;
            // Seldom do texts lead to pages that sketches did not lead to.
            if !verifying.wants_more() {
                return Ok(decided);
            }
        }
    }

    /// Class -> whether [`Families`] visits it: as far as sketches tell, its component may have more pages than the limit, or
    /// holds crowded lists. `parts` are the components of the pairs that were found; classes of one crowded list are joined.
    fn visited(&self, parts: &mut Parts, crowds: &Crowds<'_>) -> Vec<bool> {
        let all = || ClassNo::first(self.classes.len());
        let mut crowded = vec![false; self.classes.len()];
        crowds.groups(|group| {
            if let Some(first) = group.next() {
                crowded[first.at()] = true;
                group.for_each(|other| parts.join(first, other));
            }
        });
        for class in all() {
            if crowded[class.at()] {
                crowded[parts.root(class).at()] = true;
            }
        }
        let is_visited =
            |class| parts.size(class) > self.matching.family || crowded[parts.root(class).at()];
        all().map(is_visited).collect()
    }

    /// Splits pairs, as sketches see them, into those of components that are not visited, and those of visited classes.
    fn split(
        &self,
        seen: Held<[u32; 6]>,
        parts: &Parts,
        visited: &[bool],
        verifying: &Verifying<'_>,
    ) -> Result<(Sorter<[u32; 8]>, Near)> {
        let memory = self.matching.memory;
        let (mut to_check, mut near) = (Sorter::new(memory), Sorter::new(memory));
        let split = |pairs: &[[u32; 6]]| {
            let (mut to_check, mut near) = (Vec::new(), Vec::new());
            for &numbers in pairs {
                let pair = Pair::from_numbers(numbers);
                verifying.want(std::slice::from_ref(&pair));
                let [a, b] = [pair.a, pair.b].map(|page| self.classes.of(page));
                if visited[a.at()] {
                    near.push(joined([a.0, b.0], numbers));
                    near.push(joined([b.0, a.0], numbers));
                } else {
                    to_check.push(joined([parts.root(a).0, components::CHECK], numbers));
                }
            }
            (to_check, near)
        };
        seen.made(split, |(of_small, of_visited)| {
            to_check.extend(of_small)?;
            near.extend(of_visited)
        })?;
        drop(seen);
        Ok((to_check, Near::new(near, memory)?))
    }
}

/// Takes the noise out of the sketches: the units that are left, which of them each page has (in the order of reading), and
/// the keys of the sketches as they were, if that makes a difference.
///
/// Errors: a temporary file cannot be written.
fn prune(
    model: &Model,
    collection: &Collection,
    sketches: Sketches,
) -> Result<(Units, Vec<UnitNo>, Option<Sketches>)> {
    let known = model.knowledge().filter(|known| !known.deletes_nothing());
    let Some(known) = known else {
        let pages = collection.pages.iter();
        let unit_of = pages.map(|page| UnitNo(page.sketch.0)).collect();
        return Ok((model.units(sketches)?, unit_of, None));
    };
    let mut units = Sketches::new(collection.memory());
    let mut seen: FxHashMap<(SketchNo, Option<u32>), UnitNo> = FxHashMap::default();
    let mut unit_of = Vec::with_capacity(collection.pages.len());
    for page in collection.pages.iter() {
        let name = collection.site(&page);
        let site = name.filter(|site| known.deleted_on_site.contains_key(*site));
        let key = (page.sketch, page.site.filter(|_| site.is_some()));
        let unit = match seen.get(&key) {
            Some(&unit) => unit,
            None => {
                let sketch = sketches.get(page.sketch);
                let kept = model.without_noise(sketch.as_ref(), site);
                let unit = UnitNo(units.add(kept.as_ref())?.0);
                seen.insert(key, unit);
                unit
            }
        };
        unit_of.push(unit);
    }
    Ok((model.units(units)?, unit_of, Some(sketches.keys_only()?)))
}
