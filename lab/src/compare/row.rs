//! A method on a set, with the columns of tables.

use super::comparison::Comparison;
use super::curve::{Curve, Point};
use super::set::LabelledSet;
use super::spec::Spec;

#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    comparison: &'a Comparison,
    set: usize,
    spec: usize,
    pub curve: &'a Curve,
}

/// A column: its name and its value.
pub(super) type Column = (&'static str, fn(&Row<'_>) -> String);

impl Comparison {
    /// The result of a method on a set, if it ran there.
    pub(super) fn row(&self, set: usize, spec: usize) -> Option<Row<'_>> {
        Some(Row {
            comparison: self,
            set,
            spec,
            curve: self.curves.get(&(set, spec))?,
        })
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.curves
            .keys()
            .filter_map(|&(set, spec)| self.row(set, spec))
    }
}

impl<'a> Row<'a> {
    pub fn set(&self) -> &'a LabelledSet {
        &self.comparison.sets[self.set]
    }

    pub fn spec(&self) -> &'a Spec {
        &self.comparison.specs[self.spec]
    }

    /// Name of the threshold that was varied.
    pub fn parameter(&self) -> &'static str {
        self.spec().swept().map_or("", |param| param.name)
    }

    /// The point with the method's own setting.
    pub fn own(&self) -> &'a Point {
        &self.curve.points[self.curve.own]
    }

    /// The point that is best on this set.
    pub fn best(&self) -> &'a Point {
        &self.curve.points[self.curve.best()]
    }

    /// The point that is best over all sets.
    pub fn single(&self) -> &'a Point {
        &self.curve.points[self.comparison.choice(self.spec).single()]
    }

    /// The point that is best on the other sets; `None` if there are no other sets, or the set is planted.
    pub fn left_out(&self) -> Option<&'a Point> {
        let sets = self.comparison.choosing(self.spec);
        let place = sets.iter().position(|&set| set == self.set)?;
        let point = self.comparison.choice(self.spec).without(place)?;
        Some(&self.curve.points[point])
    }

    /// Candidates per true pair.
    pub fn candidates_per_true_pair(&self) -> f64 {
        self.own().candidates as f64 / self.set().true_pairs().max(1) as f64
    }
}
