//! Runs methods over sets.

use std::collections::BTreeMap;

use retold::internal::in_pool;
use retold::read::Extract;
use retold::{Model, PageNo, Result, Watch};

use super::comparison::Comparison;
use super::cost::Cost;
use super::curve::{Curve, Point};
use super::experiments;
use super::set::{self, LabelledSet};
use super::spec::{Grid, Spec};
use crate::bench::{Bench, Time, Unseen};

/// What to compare.
pub struct Options {
    /// The methods.
    pub specs: Vec<Spec>,
    /// The sets.
    pub sets: Vec<LabelledSet>,
    /// The thresholds to try.
    pub grid: Grid,
    /// Whether to run the experiments of the papers, too.
    pub experiments: bool,
    /// Worker threads; 0 for one per core.
    pub threads: usize,
}

/// Measures the cost of a run, preferably in a separate process; see [`cost::measure`].
pub type Measure<'a> = dyn Fn(&LabelledSet, &Spec) -> Result<Cost> + Send + Sync + 'a;

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

struct Job<'a> {
    set: &'a LabelledSet,
    specs: &'a [Spec],
    grid: &'a Grid,
    measure: &'a Measure<'a>,
    watch: &'a dyn Watch,
}

type Swept = (Vec<Point>, Time);

impl Job<'_> {
    /// Runs the wanted methods that see the same part of pages together, so that pages are read once for them.
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

    /// Checks that the curve has as many pairs as a run.
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

    fn sweep(&self, pages: &set::Pages, spec: &Spec) -> Result<Swept> {
        let all: Vec<PageNo> = PageNo::first(pages.texts.len()).collect();
        let mut bench = Bench::new(&spec.config(), &pages.collection, &pages.texts, &all);
        let mut points = Vec::new();
        for value in spec.values(self.grid) {
            let found = bench.pairs(&spec.params_at(value)?, self.watch)?;
            let scored = self.set.score(pages, &found);
            points.push(Point {
                value,
                evaluation: scored.evaluation,
                named: scored.named,
                adjusted_rand: scored.adjusted_rand,
                resampled: scored.tallies.resampled(),
                pairs: found.pairs.len() as u64,
                candidates: found.candidates,
            });
            self.watch.advance(1);
        }
        Ok((points, bench.sketch_time()))
    }
}
