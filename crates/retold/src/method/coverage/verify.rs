//! What `coverage` says of two texts.

use super::super::{Asking, Check, Op, Trace, Verifier};
use super::differences::{Counterparts, Differences, replaced_at_ends};
use super::places::Places;
use super::proof::Proof;
use super::rest::Rest;
use super::{Coverage, Sketch};
use crate::relation::{Verdict, ratio};
use crate::text::Text;

impl Verifier for Coverage {
    fn proof(&self, text: &Text) -> Vec<u64> {
        let mut proof = Vec::new();
        self.sketch_with_draft(text, &mut proof);
        self.finish(&mut proof);
        proof
    }

    fn sketch_and_partial(&self, text: &Text, drafts: &mut Vec<u64>) -> Option<Sketch> {
        Some(self.sketch_with_draft(text, drafts))
    }

    fn finish(&self, draft: &mut [u64]) {
        Proof::finish(draft, &self.known, &self.of_many);
    }

    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict> {
        self.verdict((&Proof::read(a)?, &mut None), &Proof::read(b)?, trace)
    }

    fn asking<'v>(&'v self, proof: &'v [u64]) -> Asking<'v> {
        let (proof, mut places) = (Proof::read(proof), None);
        Box::new(move |other| {
            let (a, b) = (proof.as_ref()?, Proof::read(other)?);
            self.verdict((a, &mut places), &b, &mut Trace::off())
        })
    }
}

impl Coverage {
    /// The verdict on two texts. Where the runs of `a` stand is found out when it is needed.
    fn verdict<'p>(
        &self,
        (a, places): (&Proof<'p>, &mut Option<Places<'p>>),
        b: &Proof<'_>,
        trace: &mut Trace,
    ) -> Option<Verdict> {
        // Of texts of one length either may count as the smaller, but always the same.
        let is_smaller = (a.tokens, a) <= (b.tokens, b);
        let (small, large) = if is_smaller { (a, b) } else { (b, a) };
        let rest = Rest::of_proofs(small, large, self.below());
        let runs = small.runs().len();
        let enough = |shared: usize, trace: &mut Trace| {
            self.is_covered((shared, runs), &rest, trace)
                && self.is_evidence(&rest, small.prose, (shared, 0.0), trace)
        };
        // Where somebody wants to know, all is counted.
        let explained = trace.is_on();
        let can_be_enough = |shared| explained || enough(shared, &mut Trace::off());
        if !can_be_enough(runs) {
            return None;
        }
        let places = places.get_or_insert_with(|| Places::of(a.runs()));
        let shared = match is_smaller {
            true => places.in_larger(large.runs(), can_be_enough),
            false => places.of_smaller(small.runs(), can_be_enough),
        };
        let counterparts = Counterparts::new(shared?, small.tokens, self.run);
        let shared = counterparts.shared.runs;
        if !enough(shared, trace) {
            return None;
        }
        let differences =
            Differences::between(small, large, &counterparts, (self.width, self.short));
        if !self.agrees(&differences, &rest, trace)
            || !self.agrees_at_ends((small, large), &counterparts, &rest, trace)
            || !self.agrees_in_own(&differences, large.tokens, &rest, trace)
        {
            return None;
        }
        let told = "length ratio: words of the smaller page over those of the larger";
        let (relation, length_ratio) = trace.by_length(
            "length ratio",
            told,
            (a.tokens, b.tokens),
            self.length_threshold,
        );
        Some(Verdict {
            relation,
            similarity: ratio(shared, runs),
            length_ratio,
            shared: u32::try_from(shared).unwrap_or(u32::MAX),
            shared_chars: 0,
        })
    }

    /// Whether texts of like length of which much is on many texts are no menu with other texts before or behind it. Articles may be:
    /// some sites put lines of their own around them. (The ends of short texts are asked about before.)
    fn agrees_at_ends(
        &self,
        (small, large): (&Proof<'_>, &Proof<'_>),
        counterparts: &Counterparts,
        rest: &Rest,
        trace: &mut Trace,
    ) -> bool {
        let is_told = small.tokens < self.short
            || small.prose >= self.prose
            || ratio(small.tokens, large.tokens) < self.length_threshold;
        if is_told || !Coverage::is_form(rest, ["", ""], &mut Trace::off()) {
            return true;
        }
        let told = "share of the smaller page before and behind all that both pages have that is replaced by other words, both rare in the collection";
        let ends = replaced_at_ends(small, large, counterparts, self.width);
        let ends = Check::value("ends", told, ends / small.tokens.max(1) as f64);
        trace.test(ends.against(Op::AtMost, self.replaced))
    }

    /// Whether texts of which little is their own agree in that: a short notice in a template is a short notice, and a word makes
    /// another of it. A page that is contained in one of `larger` tokens is no other filling of a form. Nor are reprints of a story
    /// so common that its keys are taken for a template's: next to nothing of them is their own.
    fn agrees_in_own(
        &self,
        differences: &Differences,
        larger: usize,
        rest: &Rest,
        trace: &mut Trace,
    ) -> bool {
        let tokens = differences.tokens;
        let is_told = tokens < self.short || !rest.leaves_out() || rest.keys < rest.fewest();
        if is_told || ratio(tokens, larger) < self.length_threshold {
            return true;
        }
        let own = tokens as f64 * ratio(rest.keys, rest.sampled);
        let told = "words of the smaller page, by the sketches' share of what is no template's";
        let is_short = Check::value("own words", told, own).against(Op::Below, self.short as f64);
        if !trace.test(is_short.deciding("a short text in a template", "no short text")) {
            return true;
        }
        let told = "words that are replaced, rare in the collection, over the own words";
        let replaced = differences.replaced as f64 * differences.own / own.max(1.0);
        let replaced = Check::value("replaced of own", told, replaced);
        trace.test(replaced.against(Op::AtMost, self.short_replaced))
    }
}
