//! The accuracy of a method at different thresholds.

use std::time::Duration;

use retold::eval::Evaluation;

use super::chance;
use super::cost::Cost;

/// A method on a set.
pub struct Curve {
    /// A point for each threshold value that was tried, ascending.
    pub points: Vec<Point>,
    /// Index of the point with the method's own setting.
    pub own: usize,
    /// Cost of one run with that setting.
    pub cost: Cost,
    /// Time for sketching with texts in memory: elapsed, and CPU time of all cores if the system reports it.
    pub sketch: (Duration, Option<Duration>),
}

/// A method on a set with one threshold value.
pub struct Point {
    /// The value; `None` if the method has no threshold or it was set.
    pub value: Option<f64>,
    /// The scores.
    pub evaluation: Evaluation,
    /// True pairs found for which the labels name the relation.
    pub named: u64,
    /// Adjusted Rand index of clusters, for pages in the gold.
    pub adjusted_rand: Option<f64>,
    /// F1 of any relation in each resample.
    pub(super) resampled: Vec<f64>,
    /// Pairs reported.
    pub pairs: u64,
    /// Candidate pairs of sketches.
    pub candidates: u64,
}

impl Point {
    /// F1 of any relation; 0 if nothing is true and nothing reported.
    pub fn f1(&self) -> f64 {
        self.evaluation.any.f_beta(1.0)
    }

    /// Share of true pairs found with the right relation, among those whose relation the labels name.
    pub fn kind_right(&self) -> Option<f64> {
        let right = self.evaluation.duplicate.tp + self.evaluation.containment.tp;
        (self.named > 0).then(|| right as f64 / self.named as f64)
    }

    /// Standard error of [`Point::f1`] due to the choice of pages.
    pub fn error(&self) -> f64 {
        chance::error_of(&self.resampled)
    }
}
