//! The pairs that the report shows, and the numbers behind their verdicts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

use retold::internal::shared_positions;
use retold::method::{Check, Op, Trace};
use retold::{PageNo, Pair, Rank, Relation, Result};

use super::chosen::Chosen;
use super::report::{FEATURES, OTHER_PAIRS, Report};

/// What the pairs of a cluster say about it.
#[derive(Clone, Copy, Default)]
pub(super) struct Traits {
    pub duplicate: bool,
    pub contains: bool,
    pub overlaps: bool,
    /// The least similarity of the pairs that connect it.
    pub least: Option<f64>,
}

/// Cluster of each page by rank, `u32::MAX` for none.
fn cluster_of(report: &Report<'_>) -> Vec<u32> {
    let mut cluster_of = vec![u32::MAX; report.findings.by_id.len()];
    for (number, cluster) in report.findings.clusters.iter().enumerate() {
        for rank in &cluster.members {
            cluster_of[rank.at()] = number as u32;
        }
    }
    cluster_of
}

/// The pairs inside clusters, with their cluster.
fn inner<'a>(
    report: &'a Report<'_>,
    cluster_of: &'a [u32],
) -> impl Iterator<Item = (usize, u32, Pair)> {
    let pairs = report.findings.pairs.iter().enumerate();
    pairs.filter_map(|(at, pair)| {
        let cluster = cluster_of[pair.a.at()];
        let same = cluster != u32::MAX && cluster == cluster_of[pair.b.at()];
        same.then_some((at, cluster, pair))
    })
}

/// The traits of all clusters, by number.
pub(super) fn traits(report: &Report<'_>) -> Vec<Traits> {
    let cluster_of = cluster_of(report);
    let mut traits = vec![Traits::default(); report.findings.clusters.len()];
    for (_, cluster, pair) in inner(report, &cluster_of) {
        let traits = &mut traits[cluster as usize];
        match pair.relation {
            Relation::Duplicate => traits.duplicate = true,
            Relation::Contains | Relation::ContainedBy => traits.contains = true,
            // It connects nothing.
            Relation::Overlaps => {
                traits.overlaps = true;
                continue;
            }
        }
        let similarity = f64::from(pair.similarity);
        traits.least = Some(
            traits
                .least
                .map_or(similarity, |least| least.min(similarity)),
        );
    }
    traits
}

/// What all checks of a kind have in common; pairs hold the number of the shape and the values.
#[derive(Serialize)]
pub(super) struct Shape {
    name: &'static str,
    meaning: &'static str,
    test: Option<(Op, f64)>,
    outcomes: Option<[&'static str; 2]>,
}

/// The checks shown for a pair verified on its texts, because sketches would only give estimates. `usual` is the similarity that
/// related pages have; some methods also relate others, for reasons that `explain` shows.
fn verified(pair: &Pair, usual: f64) -> Vec<Check> {
    let similarity = "computed on the full texts; the command retold explain shows the details";
    let ratio = "the smaller page's size divided by the larger's";
    vec![
        // To the digits that are written.
        match (f64::from(pair.similarity) * 1e6).round() / 1e6 {
            value if value >= usual => {
                Check::value("similarity", similarity, value).against(Op::AtLeast, usual)
            }
            value => Check::value("similarity", similarity, value),
        },
        Check::value("length ratio", ratio, f64::from(pair.length_ratio)),
    ]
}

/// Finds the numbers behind pairs.
pub(super) struct Facts<'a> {
    report: &'a Report<'a>,
    /// Shown key -> the number of different texts that have it.
    dfs: FxHashMap<u64, AtomicU64>,
    /// (place of the cluster in the order, does not have the canonical page, number of the pair), ascending.
    picked: Vec<(u32, bool, u32)>,
}

/// The numbers behind a pair.
pub(super) struct PairFacts {
    numbers: (u8, f64, f64, u32, u8),
    own: [u32; 2],
    checks: Vec<Check>,
    plain: (Vec<u64>, usize),
    grey: (Vec<u64>, usize),
    deleted: Vec<u64>,
}

/// A pair on the page: `[member, member, relation, similarity, length ratio, shared, exact, checks, [df…], features left out,
/// [df of noise…], noise left out, [df of deleted…], own words of the first, of the second]`.
pub(super) type PairRow = (
    usize,
    usize,
    u8,
    f64,
    f64,
    u32,
    u8,
    Vec<CheckRow>,
    Vec<u64>,
    usize,
    Vec<u64>,
    usize,
    Vec<u64>,
    u32,
    u32,
);

/// `[shape, part, whole]` of counts, `[shape, value]` of anything else.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum CheckRow {
    Count(usize, u64, Option<u64>),
    Value(usize, f64),
}

impl PairFacts {
    /// The pair of these members as the page has it.
    pub(super) fn row(self, [a, b]: [usize; 2], shapes: &mut Shapes) -> PairRow {
        let (relation, similarity, length_ratio, shared, exact) = self.numbers;
        let checks = self.checks.iter().map(|check| shapes.row(check)).collect();
        let ((plain, more), (grey, more_grey)) = (self.plain, self.grey);
        (
            a,
            b,
            relation,
            similarity,
            length_ratio,
            shared,
            exact,
            checks,
            plain,
            more,
            grey,
            more_grey,
            self.deleted,
            self.own[0],
            self.own[1],
        )
    }
}

/// The shapes of checks, numbered in the order in which they are first met.
#[derive(Default)]
pub(super) struct Shapes {
    pub(super) all: Vec<Shape>,
    number_of: FxHashMap<(&'static str, &'static str, u64), usize>,
}

impl Shapes {
    fn row(&mut self, check: &Check) -> CheckRow {
        let threshold = check.test.map_or(f64::NAN, |(_, threshold)| threshold);
        let key = (check.name, check.meaning, threshold.to_bits());
        let all = &mut self.all;
        let shape = *self.number_of.entry(key).or_insert_with(|| {
            all.push(Shape {
                name: check.name,
                meaning: check.meaning,
                test: check.test,
                outcomes: (!check.outcomes.0.is_empty())
                    .then_some([check.outcomes.0, check.outcomes.1]),
            });
            all.len() - 1
        });
        match check.part {
            Some(part) => CheckRow::Count(shape, part, check.whole),
            None => CheckRow::Value(shape, check.value),
        }
    }
}

impl<'a> Facts<'a> {
    pub(super) fn new(report: &'a Report<'a>, with_text: &Chosen) -> Result<Self> {
        let findings = report.findings;
        let sketches = findings.sketches();
        let texts = findings.collection.texts_per_sketch(sketches.len())?;
        let picked = pick(report);
        // Only what is shown is counted.
        let of_pages = |(a, b): (Rank, Rank)| {
            let [a, b] = [a, b].map(|rank| sketches.get(findings.page(rank).sketch));
            let (a, b) = (a.as_ref().keys, b.as_ref().keys);
            let shared = shared_positions(a, b).map(|(i, _)| a[i]);
            shared.collect::<Vec<u64>>()
        };
        let of_pair = |&(.., at): &(u32, bool, u32)| {
            let pair = findings.pairs.get(at as usize);
            of_pages((pair.a, pair.b))
        };
        let mut shown: Vec<u64> = picked.par_iter().flat_map_iter(of_pair).collect();
        shown.extend(report.drops.pairs(findings).flat_map(of_pages));
        for &page in with_text.pages() {
            let sketch = sketches.get(findings.collection.page(page).sketch);
            shown.extend(sketch.as_ref().keys);
        }
        shown.par_sort_unstable();
        shown.dedup();
        let dfs = shown.iter().map(|&key| (key, AtomicU64::new(0)));
        let dfs: FxHashMap<u64, AtomicU64> = dfs.collect();
        sketches.made(
            |piece| {
                for (number, sketch) in piece {
                    for df in sketch.keys.iter().filter_map(|key| dfs.get(key)) {
                        df.fetch_add(u64::from(texts[number.at()]), Relaxed);
                    }
                }
            },
            |()| Ok(()),
        )?;
        Ok(Facts {
            report,
            dfs,
            picked,
        })
    }

    /// The number of different texts that have a key.
    pub(super) fn df(&self, key: u64) -> u64 {
        self.dfs.get(&key).map_or(1, |df| df.load(Relaxed).max(1))
    }

    /// The pairs of the cluster at a place, those with the canonical page first.
    pub(super) fn of_place(&self, place: u32) -> Vec<Pair> {
        let start = self.picked.partition_point(|&(p, ..)| p < place);
        let end = self.picked.partition_point(|&(p, ..)| p <= place);
        let pairs = &self.report.findings.pairs;
        let picked = self.picked[start..end].iter();
        picked.map(|&(.., at)| pairs.get(at as usize)).collect()
    }

    /// The pages of the pairs that are shown.
    pub(super) fn pages(&self) -> impl Iterator<Item = [PageNo; 2]> + '_ {
        let findings = self.report.findings;
        let of_clusters = self.picked.iter().map(|&(.., at)| {
            let pair = findings.pairs.get(at as usize);
            (pair.a, pair.b)
        });
        let all = of_clusters.chain(self.report.drops.pairs(findings));
        all.map(|(a, b)| [a, b].map(|rank| findings.by_id[rank.at()]))
    }

    /// The numbers behind a pair.
    pub(super) fn of(&self, pair: &Pair) -> PairFacts {
        let findings = self.report.findings;
        let (a, b) = (findings.page(pair.a), findings.page(pair.b));
        let units = [pair.a, pair.b].map(|rank| findings.pruned.get(findings.pruned(rank)));
        let [unit_a, unit_b] = [units[0].as_ref(), units[1].as_ref()];
        let (left, right) = (unit_a.whole, unit_b.whole);
        let model = self.report.model;
        let exact = model.config().exact && a.text_hash.is_some() && a.text_hash == b.text_hash;
        let checks = match model.verifier() {
            Some(_) if !exact => verified(pair, (model.method().least_similarity)(model.params())),
            _ => {
                let mut trace = Trace::on();
                if let Some(relating) = model.relate(unit_a, unit_b, &mut trace) {
                    model.conclude(&relating, || a.main_chars.min(b.main_chars), &mut trace);
                }
                trace.into_checks()
            }
        };
        let shared = shared_positions(left.keys, right.keys).map(|(i, _)| left.keys[i]);
        let (grey, plain): (Vec<u64>, Vec<u64>) = shared.partition(|&key| model.is_common(key));
        let relation = match pair.relation {
            Relation::Duplicate => 0,
            Relation::Contains => 1,
            Relation::ContainedBy => 2,
            Relation::Overlaps => 3,
        };
        let [similarity, length_ratio] = [pair.similarity, pair.length_ratio]
            .map(|value| (f64::from(value) * 1e6).round() / 1e6);
        PairFacts {
            numbers: (
                relation,
                similarity,
                length_ratio,
                pair.shared,
                u8::from(exact),
            ),
            own: [pair.own_a, pair.own_b],
            checks,
            plain: self.rarest(plain),
            grey: self.rarest(grey),
            deleted: self.rarest(self.deleted(pair)).0,
        }
    }

    /// Keys of both pages that noise pruning deleted from one of them.
    fn deleted(&self, pair: &Pair) -> Vec<u64> {
        let findings = self.report.findings;
        let Some(whole) = &findings.unpruned else {
            return Vec::new();
        };
        let (a, b) = (findings.page(pair.a), findings.page(pair.b));
        let [on_a, on_b] = [&a, &b].map(|page| findings.collection.site(page));
        let model = self.report.model;
        let (left, right) = (whole.get(a.sketch), whole.get(b.sketch));
        let (left, right) = (left.as_ref().keys, right.as_ref().keys);
        shared_positions(left, right)
            .map(|(i, _)| left[i])
            .filter(|&key| model.deletes(key, on_a) || model.deletes(key, on_b))
            .collect()
    }

    /// The document frequencies of the rarest keys, ascending, and how many keys were left out.
    fn rarest(&self, keys: Vec<u64>) -> (Vec<u64>, usize) {
        let mut dfs: Vec<u64> = keys.iter().map(|&key| self.df(key)).collect();
        dfs.sort_unstable();
        let more = dfs.len().saturating_sub(FEATURES);
        dfs.truncate(FEATURES);
        (dfs, more)
    }
}

/// The pairs with details of every cluster in the order: those with the canonical page and some others.
fn pick(report: &Report<'_>) -> Vec<(u32, bool, u32)> {
    let findings = report.findings;
    let cluster_of = cluster_of(report);
    let mut place_of = vec![u32::MAX; findings.clusters.len()];
    for (place, &cluster) in report.order.iter().enumerate() {
        place_of[cluster as usize] = place as u32;
    }
    let mut others = vec![0usize; findings.clusters.len()];
    let mut picked = Vec::new();
    for (at, cluster, pair) in inner(report, &cluster_of) {
        let number = cluster as usize;
        let canonical = findings.clusters[number].canonical;
        let other = pair.a != canonical && pair.b != canonical;
        others[number] += usize::from(other);
        if place_of[number] != u32::MAX && (!other || others[number] <= OTHER_PAIRS) {
            picked.push((place_of[number], other, at as u32));
        }
    }
    picked.sort_unstable();
    picked
}
