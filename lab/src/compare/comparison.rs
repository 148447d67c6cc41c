//! The results of a comparison.

use std::collections::BTreeMap;

use super::choose::Choice;
use super::curve::Curve;
use super::experiments::Experiment;
use super::set::LabelledSet;
use super::spec::Spec;

/// The results of a comparison.
pub struct Comparison {
    /// The methods: requested ones, then those that only figures need.
    pub specs: Vec<Spec>,
    /// Number of requested methods.
    pub(super) main: usize,
    pub(super) experiments: Vec<Experiment>,
    /// The sets.
    pub sets: Vec<LabelledSet>,
    /// (Set, spec) by number -> result.
    pub curves: BTreeMap<(usize, usize), Curve>,
}

impl Comparison {
    pub(super) fn curve(&self, set: usize, spec: usize) -> Option<&Curve> {
        self.curves.get(&(set, spec))
    }

    pub(super) fn asked(&self) -> Vec<usize> {
        (0..self.main).collect()
    }

    /// The sets for choosing the threshold of a method: all sets it ran on, except planted ones, which have the same pairs as the set that
    /// was planted.
    pub(super) fn choosing(&self, spec: usize) -> Vec<usize> {
        let sets = (0..self.sets.len()).filter(|&set| self.curve(set, spec).is_some());
        sets.filter(|&set| self.sets[set].haystack.is_none())
            .collect()
    }

    pub(super) fn choice(&self, spec: usize) -> Choice<'_> {
        let sets = self.choosing(spec).into_iter();
        Choice(sets.filter_map(|set| self.curve(set, spec)).collect())
    }
}
