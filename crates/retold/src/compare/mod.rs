//! Methods over labelled sets: how good each is over its threshold, which threshold to choose, and what it costs.
//!
//! A set's pages are read once and stay in memory; each method then runs over them with one threshold after another
//! (`crate::bench`), by the same matching as `retold dedup`, and [`crate::eval`] scores it. What a run costs is measured
//! apart, over one whole run of the pipeline ([`cost`]), because times and memory of methods that share a process and
//! texts say nothing.

mod chance;
mod choose;
pub mod cost;
mod csv;
mod figures;
mod page;
mod plot;
mod set;
mod spec;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::bench::{Bench, Unseen};
use crate::error::Result;
use crate::eval::Evaluation;
use crate::pipeline::in_pool;
use crate::text::Extract;
use crate::watch::Watch;
use choose::Choice;
use cost::Cost;
pub use set::LabelledSet;
pub use spec::{Grid, Spec, grid};

/// What is compared.
pub struct Options {
    /// The methods.
    pub specs: Vec<Spec>,
    /// The sets.
    pub sets: Vec<LabelledSet>,
    /// The thresholds to try.
    pub grid: Grid,
    /// Threads that work; 0 for one a core.
    pub threads: usize,
}

/// Measures what a run of the pipeline costs, best in a process of its own; see [`cost::measure`].
pub type Measure<'a> = dyn Fn(&LabelledSet, &Spec) -> Result<Cost> + Send + Sync + 'a;

/// What came of it.
pub struct Comparison {
    /// The methods.
    pub specs: Vec<Spec>,
    /// The sets.
    pub sets: Vec<LabelledSet>,
    /// Set and spec, by number -> the result.
    pub curves: BTreeMap<(usize, usize), Curve>,
}

/// A method on a set.
pub struct Curve {
    /// One point for each value of the threshold that was tried, ascending.
    pub points: Vec<Point>,
    /// The point of the method's own setting.
    pub own: usize,
    /// What one run with that setting costs.
    pub cost: Cost,
    /// Time that the sketches alone took, the texts being in memory: elapsed, and on all cores where the system tells.
    pub sketch: (Duration, Option<Duration>),
}

/// A method on a set with one value of its threshold.
pub struct Point {
    /// The value; `None` if the method has no threshold or the user has set it.
    pub value: Option<f64>,
    /// How good it is.
    pub evaluation: Evaluation,
    /// F1 of any relation in each resample of the pages.
    resampled: Vec<f64>,
    /// Pairs that were reported.
    pub pairs: u64,
    /// Pairs of sketches that were looked at.
    pub candidates: u64,
}

impl Point {
    /// F1 of any relation; 0 where nothing is true and nothing reported.
    pub fn f1(&self) -> f64 {
        self.evaluation.any.f_beta(1.0)
    }

    /// The standard error of [`Point::f1`] by the choice of pages.
    pub fn error(&self) -> f64 {
        chance::error_of(&self.resampled)
    }
}

impl Comparison {
    fn curve(&self, set: usize, spec: usize) -> Option<&Curve> {
        self.curves.get(&(set, spec))
    }

    /// The sets by which thresholds are chosen: a planted set holds the same pairs as the one that was planted.
    fn choosing(&self) -> Vec<usize> {
        let numbers = 0..self.sets.len();
        numbers
            .filter(|&set| self.sets[set].haystack.is_none())
            .collect()
    }

    fn choice(&self, spec: usize) -> Choice<'_> {
        let sets = self.choosing();
        Choice(
            sets.iter()
                .filter_map(|&set| self.curve(set, spec))
                .collect(),
        )
    }
}

/// Runs all methods on all sets.
pub fn run(options: Options, measure: &Measure<'_>, watch: &dyn Watch) -> Result<Comparison> {
    let Options {
        specs,
        sets,
        grid,
        threads,
    } = options;
    let runs = specs.iter().map(|spec| spec.values(&grid).len() + 1);
    watch.begin("comparing", (runs.sum::<usize>() * sets.len()) as u64);
    let mut curves = BTreeMap::new();
    in_pool(threads, || {
        for (number, set) in sets.iter().enumerate() {
            for (spec, curve) in on_set(set, &specs, &grid, measure, watch)? {
                curves.insert((number, spec), curve);
            }
        }
        Ok(())
    })?;
    Ok(Comparison {
        specs,
        sets,
        curves,
    })
}

/// All methods on one set: those that see the same part of pages together, so that no page is read twice for them.
fn on_set(
    set: &LabelledSet,
    specs: &[Spec],
    grid: &Grid,
    measure: &Measure<'_>,
    watch: &dyn Watch,
) -> Result<Vec<(usize, Curve)>> {
    let mut swept = Vec::new();
    for extract in [Extract::None, Extract::Main, Extract::Precise] {
        let same: Vec<usize> = (0..specs.len())
            .filter(|&spec| specs[spec].extract == extract)
            .collect();
        let Some(first) = same.first() else {
            continue;
        };
        watch.part(&format!("{}: reading", set.name));
        let pages = set.read(&set::text_options(&specs[*first]), &Unseen(watch))?;
        for number in same {
            watch.part(&format!("{}: {}", set.name, specs[number].label));
            swept.push((number, sweep(set, &pages, &specs[number], grid, watch)?));
        }
    }
    let mut curves = Vec::new();
    for (number, (points, sketch)) in swept {
        let spec = &specs[number];
        watch.part(&format!("{}: {}, time", set.name, spec.label));
        let own = spec.own_value();
        let own = points.iter().position(|point| point.value == own);
        let curve = Curve {
            own: own.unwrap_or_default(),
            points,
            sketch,
            cost: measure(set, spec)?,
        };
        watch.advance(1);
        curves.push((number, curve));
    }
    Ok(curves)
}

type Swept = (Vec<Point>, (Duration, Option<Duration>));

/// One method on one set, over its threshold.
fn sweep(
    set: &LabelledSet,
    pages: &set::Pages,
    spec: &Spec,
    grid: &Grid,
    watch: &dyn Watch,
) -> Result<Swept> {
    let all: Vec<u32> = (0..pages.collection.pages.len() as u32).collect();
    let mut bench = Bench::new(spec.info, (&pages.collection, &pages.texts), &all);
    let mut points = Vec::new();
    for value in spec.values(grid) {
        let found = bench.pairs(&spec.params_at(value)?, watch)?;
        let scored = set.score(pages, &found);
        points.push(Point {
            value,
            evaluation: scored.evaluation,
            resampled: scored.tallies.resampled(),
            pairs: found.pairs.len() as u64,
            candidates: found.candidates,
        });
        watch.advance(1);
    }
    Ok((points, bench.sketch_time()))
}
