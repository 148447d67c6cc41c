//! What `coverage` says of two texts.

use super::super::{Trace, Verifier};
use super::differences::{Counterparts, Differences};
use super::proof::Proof;
use super::rest::Rest;
use super::{Coverage, Sketch};
use crate::relation::{Verdict, ratio};
use crate::text::Text;

impl Verifier for Coverage {
    fn proof(&self, text: &Text) -> Vec<u64> {
        let (_, mut proof) = self.sketch_with_draft(text);
        self.finish(&mut proof);
        proof
    }

    fn sketch_and_draft(&self, text: &Text) -> Option<(Sketch, Vec<u64>)> {
        Some(self.sketch_with_draft(text))
    }

    fn finish(&self, draft: &mut [u64]) {
        Proof::finish(draft, &self.known);
    }

    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict> {
        let (a, b) = (Proof::read(a)?, Proof::read(b)?);
        // Of texts of one length either may count as the smaller, but always the same.
        let (small, large) = if (a.tokens, &a) <= (b.tokens, &b) {
            (&a, &b)
        } else {
            (&b, &a)
        };
        let rest = Rest::of_proofs(small, large, self.below());
        let runs = small.runs();
        let enough = |shared: usize, trace: &mut Trace| {
            self.is_covered((shared, runs), &rest, trace)
                && self.is_evidence(&rest, small.prose, (shared, 0.0), trace)
        };
        // Where somebody wants to know, all is counted.
        let explained = trace.is_on();
        let counterparts = Counterparts::between(small, large, self.run, |shared| {
            explained || enough(shared, &mut Trace::off())
        })?;
        let shared = counterparts.shared;
        if !enough(shared, trace) {
            return None;
        }
        let differences =
            Differences::between(small, large, &counterparts, (self.width, self.short));
        if !self.agrees(&differences, &rest, trace) {
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
}
