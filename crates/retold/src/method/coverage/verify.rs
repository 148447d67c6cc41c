//! Verifies two texts by their fingerprints.

use super::fingerprint::Fingerprint;
use super::method::Coverage;
use crate::method::{Against, Trace, Verifier};
use crate::relation::Verdict;
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
        self.params.verdict(&a, &mut None, &b, trace)
    }

    fn own_against(&self, text: &[u64], others: &[&[u64]]) -> Option<u32> {
        let text = Fingerprint::read(text)?;
        let others: Option<Vec<_>> = others
            .iter()
            .map(|other| Fingerprint::read(other))
            .collect();
        Some(self.params.own_against(&text, &others?))
    }

    fn against<'v>(&'v self, fingerprint: &'v [u64]) -> Against<'v> {
        let (fingerprint, mut index) = (Fingerprint::read(fingerprint), None);
        Box::new(move |other| {
            let (a, b) = (fingerprint.as_ref()?, Fingerprint::read(other)?);
            self.params.verdict(a, &mut index, &b, &mut Trace::off())
        })
    }
}
