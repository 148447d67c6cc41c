//! When shared text is evidence, and when the differences are those of a reprint. Sketches are judged by the first rule,
//! texts by all.

use super::overlap::SketchOverlap;
use super::params::CoverageParams;
use crate::method::{Check, Op, Trace};

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
