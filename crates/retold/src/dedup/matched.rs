//! From sketches to related pages, clusters, and what stays.

use std::collections::HashMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::classes::{Classes, Judge};
use super::families::{Decided, Families};
use super::parts::Parts;
use super::verifying::Verifying;
use crate::cluster::{self, Cluster, Drop, Dropped, Linkage, Pair};
use crate::collect::Collection;
use crate::config::Resources;
use crate::error::Result;
use crate::ids::{ClassNo, PageNo, Rank, SketchNo, UnitNo};
use crate::index::{Crowds, Join, Sketches};
use crate::model::{Model, Units};
use crate::spent::Spent;
use crate::texts::Texts;
use crate::watch::Watch;

/// Of a connected component of more pages than this not all pairs are listed (CONTRACT, *Families*).
pub const FAMILY: usize = 1000;
/// A key that more classes of pages have than this is crowded: its list may be closed before all its pairs have been
/// looked at ([`Crowds`]).
pub const CROWD: usize = 128;

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
    /// What may be used.
    pub resources: &'a Resources,
    /// Is told what is going on.
    pub watch: &'a dyn Watch,
    /// For each page, by rank, whether it is an old one: it stays, is preferred to all others, and not compared with other old
    /// ones. Empty if there are none.
    pub is_old: &'a [bool],
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
    pub pairs: Vec<Pair>,
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

/// Related pages and what stays, before clusters are made.
struct Listed {
    pairs: Vec<Pair>,
    dropped: Vec<Dropped>,
    /// Page -> whether its component is too large for all pairs to be listed.
    large: Vec<bool>,
    /// Pages of one large component that are not otherwise tied together.
    ties: Vec<(Rank, Rank)>,
    components: Vec<(Rank, usize)>,
}

impl Matched {
    /// Joins a collection, whose sketches these are, with itself.
    ///
    /// Errors: those of [`Texts::each`] and of temporary files, and the run was cancelled.
    pub fn find(matching: Matching<'_>, sketches: Sketches) -> Result<Matched> {
        let (units, unit_of, whole) = prune(matching.model, matching.collection, sketches);
        let judge = Judge {
            model: matching.model,
            units: &units,
            collection: matching.collection,
            by_id: matching.by_id,
            exact: matching.model.config().exact,
        };
        let classes = Classes::new(&judge, &unit_of, matching.preference, matching.is_old);
        let run = Run {
            matching,
            judge,
            classes: &classes,
        };
        let (made, candidates, spent, mut verifying) = run.relate()?;
        let listed = run.list(made);
        matching.watch.begin("clusters", 0);
        let mut pairs = listed.pairs;
        let linkage = matching.model.config().cluster;
        let ties: &[(Rank, Rank)] = match linkage {
            Linkage::Components => &listed.ties,
            Linkage::TwoEdge => &[],
        };
        let pages = matching.by_id.len();
        let mut clusters = cluster::cluster(pages, &pairs, ties, linkage, matching.preference);
        run.complete(&mut pairs, &mut clusters, &listed.large, &mut verifying)?;
        Ok(Matched {
            pairs,
            large_components: listed.components,
            clusters,
            dropped: listed.dropped,
            verified: verifying.verified(),
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

/// Related classes: those of small components, and what was decided of large ones.
struct Made {
    pairs: Vec<Pair>,
    decided: Option<Decided>,
}

impl<'a> Run<'a> {
    /// The related classes, checked on texts where need be.
    fn relate(&self) -> Result<(Made, u64, Spent, Verifying<'a>)> {
        let Matching {
            model,
            family,
            crowd,
            watch,
            preference,
            ..
        } = self.matching;
        watch.begin("pairs", self.classes.len() as u64);
        let bounds = |keys| model.bounds(keys);
        let join = Join::build(self.judge.units.sketches(), &self.classes.units, crowd);
        let found = join.pairs(bounds, watch, |a, b, made| {
            made.extend(self.judge.pair(self.classes, a, b));
        })?;
        let mut pairs = found.made;
        let copies = self.judge.copies_between(self.classes, preference, family);
        pairs.extend(copies);
        pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        pairs.dedup_by_key(|pair| (pair.a, pair.b));

        let visited = self.visited(&pairs, &Crowds::new(&join, bounds));
        let is_visited = |page: Rank| visited[self.classes.of(page).at()];
        let (to_decide, to_check): (Vec<Pair>, Vec<Pair>) =
            pairs.into_iter().partition(|pair| is_visited(pair.a));
        let near = self.by_class(&to_decide);
        let families = Families {
            judge: self.judge,
            classes: self.classes,
            preference,
            contained: model.config().drop == Drop::Both,
            limit: family,
            near: &near,
            watch,
        };
        let visited = ClassNo::first(visited.len()).filter(|class| visited[class.at()]);
        let (decided, verifying) =
            self.decide(&families, &join, [&to_check, &to_decide], visited.collect())?;
        let pairs = verifying.truth(&to_check)?.into_iter().flatten().collect();
        let looked_at = decided.as_ref().map_or(0, |decided| decided.candidates);
        let made = Made { pairs, decided };
        Ok((made, found.candidates + looked_at, found.spent, verifying))
    }

    /// What families decide, and what checks pairs, once the texts are at hand that it takes.
    fn decide(
        &self,
        families: &Families<'_>,
        join: &Join,
        [to_check, to_decide]: [&[Pair]; 2],
        visited: Vec<ClassNo>,
    ) -> Result<(Option<Decided>, Verifying<'a>)> {
        let bounds = |keys| self.judge.model.bounds(keys);
        let crowds = || Crowds::new(join, bounds);
        let mut verifying = Verifying::new(self.judge, self.matching.resources);
        if self.judge.model.verifier().is_some() {
            verifying.want(to_check);
            verifying.want(to_decide);
            verifying.want(&families.doubtful(visited.clone(), crowds(), &bounds)?);
        }
        loop {
            verifying.read(self.matching.texts, self.matching.watch)?;
            let truth = |pairs: &[Pair]| verifying.truth(pairs);
            let decided = match visited.is_empty() {
                true => None,
                false => Some(families.decide(visited.clone(), crowds(), &bounds, &truth)?),
            };
            // Seldom do texts lead to pages that sketches did not lead to.
            if !verifying.wants_more() {
                return Ok((decided, verifying));
            }
        }
    }

    /// Class -> whether [`Families`] visits it: as far as sketches tell, its component may have more pages than the limit, or
    /// holds crowded lists.
    fn visited(&self, pairs: &[Pair], crowds: &Crowds<'_>) -> Vec<bool> {
        let all = || ClassNo::first(self.classes.len());
        let mut parts = Parts::new(self.classes);
        for pair in pairs {
            parts.join(self.classes.of(pair.a), self.classes.of(pair.b));
        }
        let mut crowded = vec![false; self.classes.len()];
        for mut group in crowds.groups() {
            if let Some(first) = group.next() {
                crowded[first.at()] = true;
                group.for_each(|other| parts.join(first, other));
            }
        }
        for class in all()
            .filter(|class| crowded[class.at()])
            .collect::<Vec<_>>()
        {
            crowded[parts.root(class).at()] = true;
        }
        let is_visited =
            |class| parts.size(class) > self.matching.family || crowded[parts.root(class).at()];
        all().map(is_visited).collect()
    }

    /// The pairs of each class, ascending by the other class.
    fn by_class(&self, pairs: &[Pair]) -> FxHashMap<ClassNo, Vec<Pair>> {
        let mut near: FxHashMap<ClassNo, Vec<(ClassNo, Pair)>> = FxHashMap::default();
        for &pair in pairs {
            let [a, b] = [pair.a, pair.b].map(|page| self.classes.of(page));
            near.entry(a).or_default().push((b, pair));
            near.entry(b).or_default().push((a, pair));
        }
        let sorted = near.into_iter().map(|(class, mut pairs)| {
            pairs.sort_unstable_by_key(|&(other, _)| other);
            (class, pairs.into_iter().map(|(_, pair)| pair).collect())
        });
        sorted.collect()
    }

    /// From classes to pages: all pairs of small components, of large ones those that decide.
    fn list(&self, made: Made) -> Listed {
        let (classes, limit) = (self.classes, self.matching.family);
        let all = || ClassNo::first(classes.len());
        let mut pairs = made.pairs;
        let mut large = vec![false; self.matching.by_id.len()];
        let (mut deciding, mut gone) = (FxHashMap::default(), Vec::new());
        let (mut ties, mut components) = (Vec::new(), FxHashMap::default());
        if let Some(decided) = made.decided {
            let is_large = |page: Rank| decided.parts.size(classes.of(page)) > limit;
            for class in all().filter(|&class| decided.parts.size(class) > limit) {
                let root = decided.parts.root(class);
                let first = classes.first(class);
                ties.push((first, classes.first(root)));
                let best = components.entry(root).or_insert((first, 0));
                best.0 = self.better(best.0, first);
                best.1 += classes.members(class).len();
                classes
                    .members(class)
                    .iter()
                    .for_each(|page| large[page.at()] = true);
            }
            gone = decided.dropped;
            gone.retain(|drop| is_large(drop.page));
            let (in_large, in_small): (Vec<Pair>, Vec<Pair>) =
                decided.pairs.into_iter().partition(|pair| is_large(pair.a));
            pairs.extend(in_small);
            deciding = in_large
                .into_iter()
                .map(|pair| ((pair.a, pair.b), pair))
                .collect();
        }
        let mut pairs = self.pages_of(&pairs, &large);
        let contained = self.matching.model.config().drop == Drop::Both;
        let preference = self.matching.preference;
        let mut dropped = cluster::dropped(
            preference.len(),
            &pairs,
            preference,
            contained,
            classes.is_old(),
        );
        self.list_large(&large, &gone, &deciding, &mut pairs, &mut dropped);
        pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        dropped.par_sort_unstable_by_key(|drop| drop.page);
        let mut components: Vec<(Rank, usize)> = components.into_values().collect();
        components.sort_unstable();
        Listed {
            pairs,
            dropped,
            large,
            ties,
            components,
        }
    }

    fn better(&self, a: Rank, b: Rank) -> Rank {
        let preference = self.matching.preference;
        match preference[a.at()] < preference[b.at()] {
            true => a,
            false => b,
        }
    }

    /// The pairs of pages of small components.
    fn pages_of(&self, pairs: &[Pair], large: &[bool]) -> Vec<Pair> {
        let members = |page: Rank| self.classes.members(self.classes.of(page));
        let between = pairs.par_iter().flat_map_iter(|pair| {
            let others = members(pair.b);
            let pages = members(pair.a).iter();
            pages.flat_map(move |&a| others.iter().map(move |&b| pair.between(a, b)))
        });
        let mut made: Vec<Pair> = between.collect();
        for class in ClassNo::first(self.classes.len()) {
            let pages = self.classes.members(class);
            if large[pages[0].at()] || self.classes.old(class) {
                continue;
            }
            for (at, &a) in pages.iter().enumerate() {
                made.extend(pages[at + 1..].iter().map(|&b| self.judge.copies(a, b)));
            }
        }
        made
    }

    /// What is listed of large components: each page that goes, with the page that it goes for.
    fn list_large(
        &self,
        large: &[bool],
        gone: &[Dropped],
        deciding: &FxHashMap<(Rank, Rank), Pair>,
        pairs: &mut Vec<Pair>,
        dropped: &mut Vec<Dropped>,
    ) {
        let goes: FxHashMap<Rank, &Dropped> = gone.iter().map(|drop| (drop.page, drop)).collect();
        for class in ClassNo::first(self.classes.len()) {
            let pages = self.classes.members(class);
            let first = pages[0];
            if !large[first.at()] {
                continue;
            }
            let Some(&&drop) = goes.get(&first) else {
                // It stays, and its copies go for it.
                let copies = match self.classes.old(class) {
                    true => &[][..],
                    false => &pages[1..],
                };
                for &page in copies {
                    pairs.push(self.judge.copies(page, first));
                    dropped.push(Dropped {
                        page,
                        canonical: first,
                        relation: crate::relation::Relation::Duplicate,
                    });
                }
                continue;
            };
            let key = (first.min(drop.canonical), first.max(drop.canonical));
            let pair = deciding.get(&key);
            for &page in pages {
                dropped.push(Dropped { page, ..drop });
                pairs.extend(pair.map(|pair| match pair.a == first {
                    true => pair.between(page, pair.b),
                    false => pair.between(pair.a, page),
                }));
            }
        }
    }

    /// Adds the pairs of canonical pages of large components with the other pages of their clusters.
    fn complete(
        &self,
        pairs: &mut Vec<Pair>,
        clusters: &mut [Cluster],
        large: &[bool],
        verifying: &mut Verifying<'_>,
    ) -> Result<()> {
        let mut more = Vec::new();
        for cluster in clusters.iter_mut() {
            let canonical = cluster.canonical;
            if !large[canonical.at()] {
                continue;
            }
            cluster.complete = false;
            let others = cluster.members.iter().copied();
            let others = others.filter(|&page| {
                let key = (page.min(canonical), page.max(canonical));
                page != canonical && pairs.binary_search_by_key(&key, |p| (p.a, p.b)).is_err()
            });
            let others: Vec<Rank> = others.collect();
            let judged = others.par_iter().filter_map(|&page| {
                let [a, b] = [page, canonical].map(|page| self.classes.of(page));
                let pair = self.judge.pair(self.classes, a, b)?;
                Some((page, pair))
            });
            let judged: Vec<(Rank, Pair)> = judged.collect();
            let asked: Vec<Pair> = judged.iter().map(|&(_, pair)| pair).collect();
            let verdicts = verifying.truth(&asked)?;
            let before = more.len();
            for ((page, _), pair) in judged.into_iter().zip(verdicts) {
                more.extend(pair.map(|pair| {
                    match self.classes.of(pair.a) == self.classes.of(page) {
                        true => pair.between(page, canonical),
                        false => pair.between(canonical, page),
                    }
                }));
            }
            cluster.pairs += (more.len() - before) as u64;
        }
        if !more.is_empty() {
            pairs.extend(more);
            pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        }
        Ok(())
    }
}

/// Takes the noise out of the sketches: the units that are left, which of them each page has (in the order of reading), and
/// the keys of the sketches as they were, if that makes a difference.
fn prune(
    model: &Model,
    collection: &Collection,
    sketches: Sketches,
) -> (Units, Vec<UnitNo>, Option<Sketches>) {
    let known = model.knowledge().filter(|known| !known.deletes_nothing());
    let Some(known) = known else {
        let unit_of = collection
            .pages
            .iter()
            .map(|page| UnitNo(page.sketch.0))
            .collect();
        return (model.units(sketches), unit_of, None);
    };
    let mut units = Sketches::default();
    let mut seen: HashMap<(SketchNo, Option<u32>), UnitNo> = HashMap::new();
    let unit_of = collection.pages.iter().map(|page| {
        let name = collection.site(page);
        let site = name.filter(|site| known.deleted_on_site.contains_key(*site));
        let key = (page.sketch, page.site.filter(|_| site.is_some()));
        *seen.entry(key).or_insert_with(|| {
            let kept = model.without_noise(sketches.get(page.sketch), site);
            UnitNo(units.add(kept.as_ref()).0)
        })
    });
    let unit_of = unit_of.collect();
    (model.units(units), unit_of, Some(sketches.keys_only()))
}
