//! How much two sketches tell of the coverage of their texts.

use super::super::{Check, Trace};
use super::rest::Rest;
use super::{Coverage, reaching};
use crate::relation::ratio;
use crate::sketch::SketchRef;

/// Estimated coverage from which on texts are looked at. Grams of a sketch are longer than runs, so that an edit breaks
/// more of them.
const CANDIDATE: f64 = 0.5;
/// How many standard errors an estimate may lie below what is needed before the texts are not even looked at.
const ERRORS: f64 = 1.0;

impl Coverage {
    /// How far an estimate from `n` sampled grams may be off.
    pub(super) fn slack(&self, n: usize) -> f64 {
        match self.verify {
            true => ERRORS * 0.5 / (n.max(1) as f64).sqrt(),
            false => 0.0,
        }
    }

    /// The estimated coverage that makes a candidate; without verification, a verdict.
    pub(super) fn candidate(&self) -> f64 {
        match self.verify {
            true => CANDIDATE.min(self.threshold),
            false => self.threshold,
        }
    }

    /// Of fewer shared keys, of so many of the smaller sketch, there is no [estimate](Coverage::estimate).
    pub(super) fn least_shared(&self, sampled: usize) -> usize {
        let least = (self.candidate() - self.slack(sampled)) * sampled as f64;
        // Rounding must not ask for more than the estimate does.
        (least - 1e-6).ceil() as usize
    }

    /// Of how many runs so many sampled keys tell, and by how many that may be off: some standard errors.
    pub(super) fn runs(&self, sampled: usize) -> (usize, f64) {
        let runs = sampled * self.sample;
        let error = match self.verify {
            true => 3.0 * ((runs * self.sample) as f64).sqrt(),
            false => 0.0,
        };
        (runs, error)
    }

    /// The estimated coverage of two sketches that share this, if their texts have to be looked at.
    pub(super) fn estimate(
        &self,
        (a, b): (SketchRef<'_>, SketchRef<'_>),
        rest: &Rest,
        trace: &mut Trace,
    ) -> Option<f64> {
        let slack = self.slack(rest.sampled);
        let (value, least) = reaching(rest.sampled_coverage(), slack, self.candidate());
        let told = "share of the smaller sketch that the other has";
        let least = least.max(ratio(1, rest.sampled.max(1)));
        let estimate = Check::ratio(
            "sampled coverage",
            told,
            rest.sampled_shared,
            rest.sampled,
            least,
        );
        if !trace.test(estimate) {
            return None;
        }
        let prose = |sketch: SketchRef<'_>| sketch.extra.first().copied().unwrap_or_default();
        let (_, prose) = (a.keys.len(), prose(a)).min((b.keys.len(), prose(b)));
        let is_evidence = self.is_evidence(rest, prose, self.runs(rest.sampled_shared), trace);
        is_evidence.then_some(value)
    }
}
