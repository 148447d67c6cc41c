//! The accuracy of a method at different thresholds.

use std::time::Duration;

use retold::eval::Evaluation;

use super::chance;
use super::cost::Cost;

/// A method on a set.
pub struct Curve {
    /// One point for each value of the threshold that was tried, ascending.
    pub points: Vec<Point>,
    /// The point of the method's own setting.
    pub own: usize,
    /// What one run with that setting costs.
    pub cost: Cost,
    /// The time of the sketches alone, with the texts in memory: elapsed, and on all cores if the system reports it.
    pub sketch: (Duration, Option<Duration>),
}

/// A method on a set with one value of its threshold.
pub struct Point {
    /// The value; `None` if the method has no threshold or the user has set it.
    pub value: Option<f64>,
    /// How good it is.
    pub evaluation: Evaluation,
    /// True pairs found whose relation the labels name.
    pub named: u64,
    /// The adjusted Rand index of the clusters, of the pages that the gold names.
    pub adjusted_rand: Option<f64>,
    /// F1 of any relation in each resample of the pages.
    pub(super) resampled: Vec<f64>,
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

    /// Of the true pairs found whose relation the labels name, the share with the right relation.
    pub fn kind_right(&self) -> Option<f64> {
        let right = self.evaluation.duplicate.tp + self.evaluation.containment.tp;
        (self.named > 0).then(|| right as f64 / self.named as f64)
    }

    /// The standard error of [`Point::f1`] by the choice of pages.
    pub fn error(&self) -> f64 {
        chance::error_of(&self.resampled)
    }
}
