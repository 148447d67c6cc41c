//! Verifies two texts by their fingerprints.

use super::fingerprint::Fingerprint;
use super::method::Coverage;
use super::params::CoverageParams;
use crate::method::{Against, OwnWords, Trace, Verifier};
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
        let is_frequent = |bigram| self.is_frequent(bigram);
        Fingerprint::complete(partial, &self.known, &self.known_keys, is_frequent);
    }

    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict> {
        let (a, b) = (Fingerprint::read(a)?, Fingerprint::read(b)?);
        self.params.verdict(&a, &mut None, &b, trace)
    }

    fn may_repeat(&self, a: &[u64], b: &[u64]) -> bool {
        let texts = Fingerprint::read(a).zip(Fingerprint::read(b));
        texts.is_none_or(|(a, b)| CoverageParams::may_repeat(&a, &b))
    }

    fn own_against(&self, text: &[u64], others: &[&[u64]]) -> Option<u32> {
        let (text, others) = (Fingerprint::read(text)?, read_all(others)?);
        Some(self.params.own_against(&text, &others))
    }

    fn own_passages(&self, text: &[u64], others: &[&[u64]]) -> Option<Vec<OwnWords>> {
        let (text, others) = (Fingerprint::read(text)?, read_all(others)?);
        Some(self.params.own_passages(&text, &others))
    }

    fn against<'v>(&'v self, fingerprint: &'v [u64]) -> Against<'v> {
        let (fingerprint, mut index) = (Fingerprint::read(fingerprint), None);
        Box::new(move |other| {
            let (a, b) = (fingerprint.as_ref()?, Fingerprint::read(other)?);
            self.params.verdict(a, &mut index, &b, &mut Trace::off())
        })
    }
}

fn read_all<'a>(fingerprints: &[&'a [u64]]) -> Option<Vec<Fingerprint<'a>>> {
    let read = fingerprints
        .iter()
        .map(|numbers| Fingerprint::read(numbers));
    read.collect()
}
