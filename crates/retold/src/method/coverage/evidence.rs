//! When shared text is evidence, and when the differences are those of a reprint. Sketches are judged by the first rule,
//! texts by all.

use super::differences::Differences;
use super::overlap::{self, SketchOverlap};
use super::params::CoverageParams;
use crate::method::{Check, Op, Trace};
use crate::relation::ratio;

/// Coverage of what is no template's from which on the templates around it count nothing.
const SURE: f64 = 0.85;
/// Share of frequent keys among what two sketches share from which on a form is suspected.
const FREQUENT: f64 = 1.0 / 3.0;
/// Pages with so much template that their coverage is below the threshold are covered if this share of the text outside templates
/// is ...
const LEAST_NON_BOILERPLATE: f64 = 0.65;
/// ... and their coverage is not below this share of the threshold.
const LEAST: f64 = 5.0 / 6.0;
/// What articles share is evidence from this many runs on: a statement, not a line at the foot of a page.
const LEAST_RUNS: usize = 50;

impl CoverageParams {
    /// Whether what two pages share is more than a template. They may share `error` more runs than `shared`.
    pub(super) fn is_evidence(
        &self,
        overlap: &SketchOverlap,
        prose: u64,
        (shared, error): (usize, f64),
        trace: &mut Trace,
    ) -> bool {
        let meaning = "share of the smaller sketch, without templates, that the other has";
        let value = overlap.non_boilerplate_coverage(overlap.least_non_boilerplate());
        let distinctive = Check::value("rest", meaning, value).against(Op::AtLeast, self.rest);
        let outcomes = ("enough evidence", "not enough without templates");
        if trace.test(distinctive.deciding(outcomes.0, outcomes.1)) {
            return true;
        }
        let meaning = "thousandths of the smaller page in full sentences; in articles, shared text of templates is evidence";
        let least = self.least_prose() as f64;
        let article = Check::number("prose", meaning, prose as usize, Op::AtLeast, least);
        let is_article = trace.test(article.deciding(
            "an article",
            "not an article; evidence only if more is shared than in any template",
        ));
        let least = match is_article {
            true => self.many.min(LEAST_RUNS),
            false => self.many,
        };
        let (_, least) = reaching(shared as f64, error, least as f64);
        let meaning = "runs of words that both pages have, including those of templates";
        let least = least.ceil();
        trace.test(Check::number("shared", meaning, shared, Op::AtLeast, least))
    }

    /// Whether enough of the smaller page is covered.
    pub(super) fn is_covered(
        &self,
        (shared, runs): (usize, usize),
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> bool {
        let meaning = "shared runs of words divided by all runs of words of the smaller page";
        // Nothing in common is never enough.
        let least = |threshold: f64| threshold.max(ratio(1, runs.max(1)));
        let (high, low) = (least(self.threshold), least(self.threshold * LEAST));
        let covered = Check::ratio("coverage", meaning, shared, runs, high);
        if covered.holds() || !overlap.has_boilerplate() {
            return trace.test(covered);
        }
        trace.test(covered.deciding("enough", "enough only if the text outside templates agrees"));
        let meaning = "share of the smaller sketch, without templates, that the other has";
        let value = overlap.non_boilerplate_coverage(overlap::LEAST_NON_BOILERPLATE);
        let least = self.threshold.max(LEAST_NON_BOILERPLATE);
        let distinctive = Check::value("rest", meaning, value).against(Op::AtLeast, least);
        trace.test(distinctive)
            && trace.test(Check::ratio("coverage", "the same", shared, runs, low))
    }

    /// Whether what differs is what reprints differ in.
    pub(super) fn differs_as_reprints_do(
        &self,
        differences: &Differences,
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> bool {
        let tokens = differences.tokens;
        let at_most = |name, meaning, value, most| {
            Check::value(name, meaning, value).against(Op::AtMost, most)
        };
        let meaning = "share of the smaller page in gaps between shared text, except lines after the headline";
        let gaps = at_most("gaps", meaning, ratio(differences.gaps, tokens), self.gaps);
        if !trace.test(gaps) {
            return false;
        }
        let share = |replaced: usize| ratio(replaced, tokens) * differences.distinctive;
        if tokens < self.short {
            let outcomes = ["no character may differ", "single characters may differ"];
            let is_spelling = differences.variants > 0 && !is_form(overlap, outcomes, trace);
            let variants = if is_spelling { differences.variants } else { 0 };
            let meaning = "share of a short page that is replaced by words that are rare in the collection, including its ends";
            let replaced = share(differences.replaced - variants);
            return trace.test(at_most("replaced", meaning, replaced, self.short_replaced));
        }
        let outcomes = ["nearly no words may be replaced", "words may be replaced"];
        let most = match is_form(overlap, outcomes, trace) {
            true => self.replaced_frequent,
            false => self.replaced,
        };
        let meaning = "share of the smaller page that is replaced by other words, both rare in the collection";
        let replaced = share(differences.replaced);
        trace.test(at_most("replaced", meaning, replaced, most))
    }
}

/// Whether what two pages share may be a form: much of it is on many texts. The trace says what follows if so (`form`), and what if not (`none`).
pub(super) fn is_form(
    overlap: &SketchOverlap,
    [form, none]: [&'static str; 2],
    trace: &mut Trace,
) -> bool {
    let is_sure = overlap.non_boilerplate_coverage(overlap.sampled / 3) >= SURE;
    let (frequent, shared) = match is_sure {
        true => (
            overlap.non_boilerplate_frequent,
            overlap.non_boilerplate_shared,
        ),
        false => (overlap.frequent, overlap.sampled_shared),
    };
    let meaning = "share of the shared shingles that are on many texts (without templates if the rest agrees)";
    let share = Check::value("frequent", meaning, ratio(frequent, shared));
    trace.test(share.against(Op::AtLeast, FREQUENT).deciding(form, none))
}

/// A value, and what it must reach so that with `slack` it reaches `threshold`: their difference. Neither is given below
/// 0, and where the difference is rounded to the wrong side, the sum decides.
pub(super) fn reaching(value: f64, slack: f64, threshold: f64) -> (f64, f64) {
    let reaches = value + slack >= threshold;
    let (value, least) = (value.max(0.0), (threshold - slack).max(0.0));
    match reaches {
        true => (value, least.min(value)),
        false => (value, least.max(value.next_up())),
    }
}
