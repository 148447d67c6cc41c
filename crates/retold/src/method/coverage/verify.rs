//! The verdict on two texts, from their fingerprints.

use super::differences::{Alignment, Differences, replaced_at_ends};
use super::evidence::is_form;
use super::fingerprint::Fingerprint;
use super::method::Coverage;
use super::overlap::SketchOverlap;
use super::params::CoverageParams;
use super::position_index::PositionIndex;
use crate::method::{Against, Check, Op, Trace, Verifier};
use crate::relation::{Verdict, ratio};
use crate::sketch::Sketch;
use crate::text::Text;

impl Verifier for Coverage {
    fn fingerprint(&self, text: &Text) -> Vec<u64> {
        let mut fingerprint = Vec::new();
        self.sketch_with_partial(text, &mut fingerprint);
        self.complete_fingerprint(&mut fingerprint);
        fingerprint
    }

    fn sketch_and_partial(&self, text: &Text, partials: &mut Vec<u64>) -> Option<Sketch> {
        Some(self.sketch_with_partial(text, partials))
    }

    fn complete_fingerprint(&self, partial: &mut [u64]) {
        Fingerprint::complete(partial, &self.known, &self.known_keys);
    }

    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict> {
        let (a, b) = (Fingerprint::read(a)?, Fingerprint::read(b)?);
        self.params.verdict((&a, &mut None), &b, trace)
    }

    fn against<'v>(&'v self, fingerprint: &'v [u64]) -> Against<'v> {
        let (fingerprint, mut index) = (Fingerprint::read(fingerprint), None);
        Box::new(move |other| {
            let (a, b) = (fingerprint.as_ref()?, Fingerprint::read(other)?);
            self.params.verdict((a, &mut index), &b, &mut Trace::off())
        })
    }
}

impl CoverageParams {
    /// The verdict on two texts. The index of the positions of `a`'s runs is made when it is first needed.
    fn verdict(
        &self,
        (a, index): (&Fingerprint<'_>, &mut Option<PositionIndex>),
        b: &Fingerprint<'_>,
        trace: &mut Trace,
    ) -> Option<Verdict> {
        // Of texts of one length either may count as the smaller, but always the same.
        let is_smaller = (a.tokens, a) <= (b.tokens, b);
        let (small, large) = if is_smaller { (a, b) } else { (b, a) };
        let overlap = SketchOverlap::of_fingerprints(small, large, self.below());
        let copy = self.copied((a, index), (b, is_smaller), &overlap, trace);
        if copy.is_some() || self.reworded >= 1.0 {
            return copy;
        }
        // For a pair that is not a reworded copy either, the trace shows why it is not a plain copy.
        let mut own = if trace.is_on() {
            Trace::on()
        } else {
            Trace::off()
        };
        let reworded = self.reworded((small, large), &overlap, &mut own)?;
        *trace = own;
        Some(if is_smaller {
            reworded
        } else {
            reworded.swapped()
        })
    }

    /// The verdict by runs of words that both have; `is_smaller` says whether `a` is the smaller text.
    fn copied(
        &self,
        (a, index): (&Fingerprint<'_>, &mut Option<PositionIndex>),
        (b, is_smaller): (&Fingerprint<'_>, bool),
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> Option<Verdict> {
        let (small, large) = if is_smaller { (a, b) } else { (b, a) };
        let runs = small.run_count(self.run);
        let enough = |shared: usize, trace: &mut Trace| {
            self.is_covered((shared, runs), overlap, trace)
                && self.is_evidence(overlap, small.prose, (shared, 0.0), trace)
        };
        // When tracing, do not stop early: people are shown the full counts.
        let traced = trace.is_on();
        let can_be_enough = |shared| traced || enough(shared, &mut Trace::off());
        if !can_be_enough(runs) {
            return None;
        }
        let index = index.get_or_insert_with(|| PositionIndex::of(a.runs(self.run)));
        let matches = match is_smaller {
            true => index.in_larger(&large.runs(self.run), can_be_enough),
            false => index.of_smaller(&small.runs(self.run), can_be_enough),
        };
        let alignment = Alignment::new(matches?, small.tokens, self.run);
        let shared = alignment.matches.runs;
        if !enough(shared, trace) {
            return None;
        }
        let scale = (self.width, self.short);
        let differences = Differences::between(small, large, &alignment, scale);
        if !self.differs_as_reprints_do(&differences, overlap, trace)
            || !self.differs_so_at_ends((small, large), &alignment, overlap, trace)
            || !self.agrees_in_distinctive(&differences, large.tokens, overlap, trace)
            || !self.replaces_no_passage((small, large), &alignment, overlap, trace)
        {
            return None;
        }
        Some(self.related((a.tokens, b.tokens), (shared, runs), trace))
    }

    /// The verdict on two related texts with these numbers of words; `shared` of `all` are in both.
    pub(super) fn related(
        &self,
        sizes: (usize, usize),
        (shared, all): (usize, usize),
        trace: &mut Trace,
    ) -> Verdict {
        let meaning = "length ratio: words of the smaller page divided by those of the larger";
        let least = self.length_threshold;
        let (relation, length_ratio) = trace.by_length("length ratio", meaning, sizes, least);
        Verdict {
            relation,
            similarity: ratio(shared, all),
            length_ratio,
            shared: u32::try_from(shared).unwrap_or(u32::MAX),
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        }
    }

    /// Whether texts of similar length, much of which is on many texts, are not just a menu with other texts before or after it. For articles this
    /// is not tested: some sites put their own lines around them. (The ends of short texts are tested before.)
    fn differs_so_at_ends(
        &self,
        (small, large): (&Fingerprint<'_>, &Fingerprint<'_>),
        alignment: &Alignment,
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> bool {
        let does_not_apply = small.tokens < self.short
            || small.prose >= self.least_prose()
            || ratio(small.tokens, large.tokens) < self.length_threshold;
        if does_not_apply || !is_form(overlap, ["", ""], &mut Trace::off()) {
            return true;
        }
        let meaning = "share of the smaller page that is replaced by other words before or after all shared text, both rare in the collection";
        let ends = replaced_at_ends(small, large, alignment, self.width);
        let ends = Check::value("ends", meaning, ends / small.tokens.max(1) as f64);
        trace.test(ends.against(Op::AtMost, self.replaced))
    }

    /// Whether texts with few distinctive words agree in these: a short notice in a template is a short notice, and one word makes it
    /// another. A page that is contained in one of `larger` tokens is not a form that is filled differently. Neither are reprints of a story
    /// that is so common that its keys are taken for a template: almost none of their words is distinctive.
    fn agrees_in_distinctive(
        &self,
        differences: &Differences,
        larger: usize,
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> bool {
        let tokens = differences.tokens;
        let does_not_apply = tokens < self.short
            || !overlap.has_boilerplate()
            || overlap.non_boilerplate < overlap.least_non_boilerplate();
        if does_not_apply || ratio(tokens, larger) < self.length_threshold {
            return true;
        }
        let distinctive = tokens as f64 * ratio(overlap.non_boilerplate, overlap.sampled);
        let meaning = "words of the smaller page outside templates, estimated from the sketches";
        let is_short = Check::value("own words", meaning, distinctive);
        let is_short = is_short.against(Op::Below, self.short as f64);
        if !trace.test(is_short.deciding("a short text in a template", "not a short text")) {
            return true;
        }
        let meaning = "replaced words that are rare in the collection, divided by the words outside templates";
        let replaced = differences.replaced as f64 * differences.distinctive;
        let replaced = Check::value("replaced of own", meaning, replaced / distinctive.max(1.0));
        trace.test(replaced.against(Op::AtMost, self.short_replaced))
    }
}
