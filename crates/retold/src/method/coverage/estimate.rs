//! Estimates the coverage of two texts from their sketches.

use super::extra::Extra;
use super::facts::Evidence;
use super::limits;
use super::overlap::{self, SketchOverlap};
use super::params::CoverageParams;
use crate::method::{Check, Op, Trace};
use crate::relation::ratio;
use crate::sketch::SketchRef;

/// Minimum estimated coverage for texts to be compared. Low, because grams of a sketch are longer than runs and an edit breaks more of
/// them.
const CANDIDATE: f64 = 0.1;
/// The same minimum if possibly only templates are shared.
const CANDIDATE_IN_TEMPLATE: f64 = 0.5;
/// Texts that share mostly templates are still compared with this coverage outside templates ...
const CANDIDATE_REST: f64 = 0.15;
/// ... or with this estimated coverage including templates.
const NEARLY_ALL: f64 = 0.92;
/// Texts are not compared if the estimate is too low by more than this number of standard errors.
const ERRORS: f64 = 1.0;

impl CoverageParams {
    /// The possible error of an estimate from `n` sampled grams.
    pub(super) fn slack(&self, n: usize) -> f64 {
        match self.verifies() {
            true => ERRORS * 0.5 / (n.max(1) as f64).sqrt(),
            false => 0.0,
        }
    }

    /// The estimated coverage that makes a candidate; without verification it decides the verdict.
    pub(super) fn candidate(&self) -> f64 {
        match self.verifies() {
            true => CANDIDATE.min(self.threshold),
            false => self.threshold,
        }
    }

    /// The least number of shared keys for an [estimate](CoverageParams::estimate), given the size of the smaller sketch.
    pub(super) fn least_shared(&self, sampled: usize) -> usize {
        at_least((self.candidate() - self.slack(sampled)) * sampled as f64)
    }

    /// With this many shared keys of `sampled`, texts are compared even if templates account for all of them.
    pub(super) fn nearly_all(&self, sampled: usize) -> usize {
        match self.verifies() {
            true => at_least((NEARLY_ALL - self.slack(sampled)) * sampled as f64),
            false => usize::MAX,
        }
    }

    /// The number of runs that this number of sampled keys represents, and its possible error (some standard errors).
    pub(super) fn runs(&self, sampled: usize) -> (usize, f64) {
        let runs = sampled * self.sample;
        let error = match self.verifies() {
            true => 3.0 * ((runs * self.sample) as f64).sqrt(),
            false => 0.0,
        };
        (runs, error)
    }

    /// Whether coverage outside templates alone makes a candidate.
    fn is_own_candidate(&self, overlap: &SketchOverlap, trace: &mut Trace) -> bool {
        let meaning = "share of the smaller sketch, without templates, that the other has";
        let value = overlap.non_boilerplate_coverage(overlap::LEAST_FOR_COVERAGE);
        let slack = self.slack(overlap.non_boilerplate);
        let (value, least) = reaching(value, slack, self.candidate());
        let least = least.max(ratio(1, overlap.non_boilerplate.max(1)));
        trace.test(Check::value("rest", meaning, value).against(Op::AtLeast, least))
    }

    /// The estimated coverage of two sketches with this overlap, if it is enough for comparing the texts.
    pub(super) fn estimate(
        &self,
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> Option<f64> {
        let prose = |sketch| Extra::of(sketch).prose;
        let (_, prose) = (a.keys.len(), prose(a)).min((b.keys.len(), prose(b)));
        self.coverage(overlap, prose, trace)
    }

    /// Whether two texts share more than a template, as far as sketches tell.
    pub(super) fn is_candidate(&self, evidence: &Evidence<'_>) -> bool {
        let (overlap, trace) = (&evidence.overlap, &mut Trace::off());
        !overlap.has_boilerplate() || self.coverage(overlap, evidence.prose(), trace).is_some()
    }

    /// The estimated coverage, given the share of prose of the text with the smaller sketch.
    fn coverage(&self, overlap: &SketchOverlap, prose: u64, trace: &mut Trace) -> Option<f64> {
        let slack = self.slack(overlap.sampled);
        let (value, least) = reaching(overlap.sampled_coverage(), slack, self.candidate());
        let meaning = "share of the smaller sketch that the other has";
        let least = least.max(ratio(1, overlap.sampled.max(1)));
        let estimate = Check::ratio(
            "sampled coverage",
            meaning,
            overlap.sampled_shared,
            overlap.sampled,
            least,
        );
        if !trace.test(estimate) {
            return None;
        }
        // Without boilerplate every shared key is evidence.
        if !overlap.has_boilerplate() {
            return Some(value);
        }
        if value + slack < CANDIDATE_IN_TEMPLATE && !self.is_own_candidate(overlap, trace) {
            return None;
        }
        let rest = overlap.non_boilerplate_coverage(overlap::LEAST_FOR_COVERAGE);
        if self.verifies() && (value + slack >= NEARLY_ALL || rest >= CANDIDATE_REST) {
            return Some(value);
        }
        let (runs, error) = self.runs(overlap.sampled_shared);
        let is_evidence = self.is_evidence(overlap, prose, runs, error, trace);
        is_evidence.then_some(value)
    }

    /// Whether two pages share more than a template. `shared` may be too low by `error` runs.
    fn is_evidence(
        &self,
        overlap: &SketchOverlap,
        prose: u64,
        shared: usize,
        error: f64,
        trace: &mut Trace,
    ) -> bool {
        let meaning = "share of the smaller sketch, without templates, that the other has";
        let value = overlap.non_boilerplate_coverage(overlap.least_to_decide());
        let outside = Check::value("rest", meaning, value).against(Op::AtLeast, self.rest);
        let outcomes = ("enough evidence", "not enough without templates");
        if trace.test(outside.deciding(outcomes.0, outcomes.1)) {
            return true;
        }
        let meaning = "thousandths of the smaller page in full sentences; in articles, shared text of templates is evidence";
        let least = self.least_prose() as f64;
        let article = Check::number("prose", meaning, prose as usize, Op::AtLeast, least);
        let is_article =
            trace.test(article.deciding("an article", "not an article; templates are no evidence"));
        if !is_article {
            return false;
        }
        let (_, least) = reaching(shared as f64, error, limits::STATEMENT_WORDS as f64);
        let meaning = "runs of words that both pages have, including those of templates";
        let least = least.ceil();
        trace.test(Check::number("shared", meaning, shared, Op::AtLeast, least))
    }
}

/// Rounds up, with a tolerance so that rounding does not require more than the estimate does.
fn at_least(number: f64) -> usize {
    (number - 1e-6).ceil() as usize
}

/// A value, and the minimum at which it reaches `threshold` with `slack` added. Both are at least 0 for display; if rounding of the
/// difference disagrees with the sum, the sum decides.
pub(super) fn reaching(value: f64, slack: f64, threshold: f64) -> (f64, f64) {
    let reaches = value + slack >= threshold;
    let (value, least) = (value.max(0.0), (threshold - slack).max(0.0));
    match reaches {
        true => (value, least.min(value)),
        false => (value, least.max(value.next_up())),
    }
}
