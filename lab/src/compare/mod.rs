//! Methods over labelled sets: how good each is over its threshold, which threshold to choose, and what it costs.
//!
//! A set's pages are read once and stay in memory; each method then runs over them with one threshold after another
//! (`crate::bench`), judged as by `retold dedup`, and [`retold::eval`] scores it. What a run costs is measured apart,
//! over one whole run ([`cost`]), because times and memory of methods that share a process and texts say nothing.

mod chance;
mod choose;
pub mod cost;
mod csv;
mod experiments;
mod figures;
mod html;
mod plot;
mod row;
mod set;
mod spec;
mod table;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use choose::Choice;
use cost::Cost;
use experiments::Experiment;
use retold::dedup::in_pool;
use retold::eval::Evaluation;
use retold::ids::PageNo;
use retold::text::Extract;
use retold::watch::Watch;
use retold::{Model, Result};

use crate::bench::{Bench, Time, Unseen};
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
    /// Whether to run and show the experiments of the papers as well.
    pub experiments: bool,
    /// Worker threads; 0 for one per core.
    pub threads: usize,
}

/// Measures what a run costs, best in a process of its own; see [`cost::measure`].
pub type Measure<'a> = dyn Fn(&LabelledSet, &Spec) -> Result<Cost> + Send + Sync + 'a;

/// What came of it.
pub struct Comparison {
    /// The methods: those that were asked for, then those that only the figures have.
    pub specs: Vec<Spec>,
    /// How many were asked for.
    main: usize,
    /// The papers' figures.
    experiments: Vec<Experiment>,
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
    /// True pairs found of which the labels say how they are related.
    pub named: u64,
    /// F1 of any relation in each resample of the pages.
    resampled: Vec<f64>,
    /// Pairs that were reported.
    pub pairs: u64,
    /// Candidate pairs of sketches.
    pub candidates: u64,
}

impl Point {
    /// F1 of any relation; 0 where nothing is true and nothing reported.
    pub fn f1(&self) -> f64 {
        self.evaluation.any.f_beta(1.0)
    }

    /// The share of the true pairs found whose kind of relation is right, of those of which the labels name it.
    pub fn kind_right(&self) -> Option<f64> {
        let right = self.evaluation.duplicate.tp + self.evaluation.containment.tp;
        (self.named > 0).then(|| right as f64 / self.named as f64)
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

    /// The methods that were asked for.
    fn asked(&self) -> Vec<usize> {
        (0..self.main).collect()
    }

    /// The sets by which the threshold of a method is chosen: all that it ran on but planted ones, which hold the same
    /// pairs as the set that was planted.
    fn choosing(&self, spec: usize) -> Vec<usize> {
        let sets = (0..self.sets.len()).filter(|&set| self.curve(set, spec).is_some());
        sets.filter(|&set| self.sets[set].haystack.is_none())
            .collect()
    }

    fn choice(&self, spec: usize) -> Choice<'_> {
        let sets = self.choosing(spec).into_iter();
        Choice(sets.filter_map(|set| self.curve(set, spec)).collect())
    }
}

/// Runs all methods on all sets.
pub fn run(options: Options, measure: &Measure<'_>, watch: &dyn Watch) -> Result<Comparison> {
    let Options {
        mut specs,
        sets,
        grid,
        experiments,
        threads,
    } = options;
    let main = specs.len();
    let experiments = match experiments {
        true => experiments::plan(&mut specs, &sets),
        false => Vec::new(),
    };
    let wanted = |set: usize| -> Vec<usize> {
        let specs = 0..specs.len();
        specs
            .filter(|&spec| spec < main || experiments.iter().any(|e| e.needs(set, spec)))
            .collect()
    };
    let steps = |spec: usize| specs[spec].values(&grid).len() + 1;
    let runs = (0..sets.len()).flat_map(wanted);
    watch.begin("comparing", runs.map(steps).sum::<usize>() as u64);
    let mut curves = BTreeMap::new();
    in_pool(threads, || {
        for (number, set) in sets.iter().enumerate() {
            let job = Job {
                set,
                specs: &specs,
                grid: &grid,
                measure,
                watch,
            };
            for (spec, curve) in job.run(&wanted(number))? {
                curves.insert((number, spec), curve);
            }
        }
        Ok(())
    })?;
    Ok(Comparison {
        specs,
        main,
        experiments,
        sets,
        curves,
    })
}

/// Methods on one set.
struct Job<'a> {
    set: &'a LabelledSet,
    specs: &'a [Spec],
    grid: &'a Grid,
    measure: &'a Measure<'a>,
    watch: &'a dyn Watch,
}

type Swept = (Vec<Point>, Time);

impl Job<'_> {
    /// Those methods that see the same part of pages run together, so that no page is read twice for them.
    fn run(&self, wanted: &[usize]) -> Result<Vec<(usize, Curve)>> {
        let mut swept = Vec::new();
        for extract in Extract::ALL {
            let same = || wanted.iter().filter(|&&n| self.specs[n].extract == extract);
            let Some(&first) = same().next() else {
                continue;
            };
            self.says("reading");
            let model = Model::new(self.specs[first].config())?;
            let pages = self.set.read(&model, &Unseen(self.watch))?;
            for &number in same() {
                self.says(&self.specs[number].label);
                swept.push((number, self.sweep(&pages, &self.specs[number])?));
            }
        }
        swept.sort_by_key(|(number, _)| *number);
        let mut curves = Vec::new();
        for (number, (points, sketch)) in swept {
            let spec = &self.specs[number];
            self.says(&format!("{}, time", spec.label));
            let own = spec.own_value();
            let own = points.iter().position(|point| point.value == own);
            let curve = Curve {
                own: own.unwrap_or_default(),
                points,
                sketch,
                cost: (self.measure)(self.set, spec)?,
            };
            self.check(spec, &curve);
            self.watch.advance(1);
            curves.push((number, curve));
        }
        Ok(curves)
    }

    /// The curve must be of what a run finds.
    fn check(&self, spec: &Spec, curve: &Curve) {
        let (tried, ran) = (curve.points[curve.own].pairs, curve.cost.pairs);
        if tried != ran {
            self.watch.warn(&format!(
                "set {}: the curve of {} has {tried} pairs at its own setting, but a run finds {ran}; this is a bug",
                self.set.name, spec.label
            ));
        }
    }

    fn says(&self, what: &str) {
        self.watch.part(&format!("{}: {what}", self.set.name));
    }

    /// A method over its threshold.
    fn sweep(&self, pages: &set::Pages, spec: &Spec) -> Result<Swept> {
        let all: Vec<PageNo> = PageNo::first(pages.texts.len()).collect();
        let mut bench = Bench::new(&spec.config(), (&pages.collection, &pages.texts), &all);
        let mut points = Vec::new();
        for value in spec.values(self.grid) {
            let found = bench.pairs(&spec.params_at(value)?, self.watch)?;
            let scored = self.set.score(pages, &found);
            points.push(Point {
                value,
                evaluation: scored.evaluation,
                named: scored.named,
                resampled: scored.tallies.resampled(),
                pairs: found.pairs.len() as u64,
                candidates: found.candidates,
            });
            self.watch.advance(1);
        }
        Ok((points, bench.sketch_time()))
    }
}
