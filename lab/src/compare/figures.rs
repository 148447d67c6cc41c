//! The results as plots.

use super::comparison::Comparison;
use super::curve::{Curve, Point};
use super::plot::{Line, Plot};

impl Comparison {
    pub(super) fn precision_over_recall(&self, set: usize, specs: &[usize]) -> Plot {
        let at = |point: &Point| {
            point
                .evaluation
                .any
                .recall
                .zip(point.evaluation.any.precision)
        };
        Plot {
            title: format!("{}: precision over recall", self.sets[set].name),
            axes: ["recall", "precision"],
            lines: self.lines(specs, |spec| self.line(set, spec, at)),
            log: false,
        }
    }

    /// F1 over the threshold, one plot for each name of a threshold, because thresholds with different names have different scales.
    pub(super) fn f1_over_threshold(&self, set: usize, specs: &[usize]) -> Vec<Plot> {
        let at = |point: &Point| Some((point.value?, point.f1()));
        let plot = |&name: &&'static str| Plot {
            title: format!("{}: F1 over {name}", self.sets[set].name),
            axes: [name, "F1"],
            lines: self.lines(specs, |spec| {
                let swept = self.specs[spec].swept()?;
                (swept.name == name).then(|| self.line(set, spec, at))?
            }),
            log: false,
        };
        self.swept(specs).iter().map(plot).collect()
    }

    /// Mean F1 over the threshold, for the sets that thresholds are chosen by.
    pub(super) fn mean_f1_over_threshold(&self, specs: &[usize]) -> Vec<Plot> {
        let line = |spec: usize| {
            let choice = self.choice(spec);
            let curve = choice.0.first()?;
            let points = curve.points.iter().enumerate();
            let points = points.map(|(at, point)| Some((point.value?, choice.mean(at, |_| true))));
            Some((points.collect::<Option<_>>()?, Some(curve.own)))
        };
        let plot = |&name: &&'static str| Plot {
            title: format!("All sets: mean F1 over {name}"),
            axes: [name, "mean F1"],
            lines: self.lines(specs, |spec| {
                let swept = self.specs[spec].swept()?;
                (swept.name == name).then(|| line(spec))?
            }),
            log: false,
        };
        self.swept(specs).iter().map(plot).collect()
    }

    /// F1 with the method's own setting over the CPU time of a run.
    pub(super) fn f1_over_time(&self, set: usize, specs: &[usize]) -> Plot {
        Plot {
            title: format!("{}: F1 over time", self.sets[set].name),
            axes: ["CPU seconds", "F1"],
            lines: self.lines(specs, |spec| {
                let curve = self.curve(set, spec)?;
                let seconds = curve.cost.cpu()?;
                Some((vec![(seconds, curve.points[curve.own].f1())], Some(0)))
            }),
            log: true,
        }
    }

    /// Mean F1 at the best single threshold, over the total time for all sets.
    pub(super) fn mean_f1_over_time(&self, specs: &[usize]) -> Plot {
        Plot {
            title: "All sets: mean F1 at one threshold over time".into(),
            axes: ["CPU seconds for all sets", "mean F1"],
            lines: self.lines(specs, |spec| {
                let choice = self.choice(spec);
                let times = choice.0.iter().map(|curve| curve.cost.cpu());
                let seconds: f64 = times.sum::<Option<f64>>()?;
                let f1 = choice.mean(choice.single(), |_| true);
                Some((vec![(seconds, f1)], Some(0)))
            }),
            log: true,
        }
    }

    /// The names of thresholds of these methods.
    fn swept(&self, specs: &[usize]) -> Vec<&'static str> {
        let swept = specs.iter().filter_map(|&spec| self.specs[spec].swept());
        let mut names: Vec<&'static str> = swept.map(|param| param.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// A line for each method that has one. The position of the method is the number of its mark.
    fn lines(&self, specs: &[usize], line: impl Fn(usize) -> Option<Drawn>) -> Vec<Line> {
        let lines = specs.iter().enumerate().filter_map(|(number, &spec)| {
            let (points, large) = line(spec)?;
            Some(Line {
                number,
                points,
                large,
            })
        });
        lines.collect()
    }

    /// The points of a curve that have coordinates, the own setting with a large mark.
    fn line(
        &self,
        set: usize,
        spec: usize,
        at: impl Fn(&Point) -> Option<(f64, f64)>,
    ) -> Option<Drawn> {
        let curve: &Curve = self.curve(set, spec)?;
        let (mut points, mut large) = (Vec::new(), None);
        for (number, point) in curve.points.iter().enumerate() {
            if let Some(place) = at(point) {
                if number == curve.own {
                    large = Some(points.len());
                }
                points.push(place);
            }
        }
        Some((points, large))
    }
}

/// Points, and the index of the one with a large mark.
type Drawn = (Vec<(f64, f64)>, Option<usize>);
