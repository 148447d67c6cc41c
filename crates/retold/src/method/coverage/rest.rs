//! What two sketches share once the keys of templates are left out.

use super::proof::Proof;
use crate::relation::ratio;
use crate::sketch::{SketchRef, shared_positions};

/// What is counted on the comparable part of two sketches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rest {
    /// Keys of the smaller sketch.
    pub(super) sampled: usize,
    /// Keys of both.
    pub(super) sampled_shared: usize,
    /// Of the sketch that has fewer of them, keys that are no template's.
    pub(super) keys: usize,
    /// Keys of both that are no template's.
    pub(super) shared: usize,
    /// Keys of both that are on many texts, those of templates included.
    pub(super) frequent: usize,
    /// The same without those of templates.
    pub(super) rest_frequent: usize,
}

impl Rest {
    /// Of two sketches. What is frequent is not known of them.
    pub(super) fn of_sketches(a: SketchRef<'_>, b: SketchRef<'_>, below: u64) -> Rest {
        let (is_a, is_b) = (|at| a.is_common(at), |at| b.is_common(at));
        Rest::of((a.keys, is_a), (b.keys, is_b), |_| false, below)
    }

    /// Of two proofs.
    pub(super) fn of_proofs(a: &Proof<'_>, b: &Proof<'_>, below: u64) -> Rest {
        let (is_a, is_b) = (|at| a.is_template(at), |at| b.is_template(at));
        Rest::of(
            (a.sample, is_a),
            (b.sample, is_b),
            |at| a.is_frequent(at),
            below,
        )
    }

    /// Of the keys of two sketches, ascending, each with which of them are templates'; and which of the first are frequent.
    fn of(
        (a, is_a): (&[u64], impl Fn(usize) -> bool),
        (b, is_b): (&[u64], impl Fn(usize) -> bool),
        is_frequent: impl Fn(usize) -> bool,
        below: u64,
    ) -> Rest {
        let (a, b) = comparable(a, b, below);
        let rest_a = (0..a.len()).filter(|&at| !is_a(at)).count();
        let rest_b = (0..b.len()).filter(|&at| !is_b(at)).count();
        let mut counts = Rest {
            sampled: a.len().min(b.len()),
            keys: rest_a.min(rest_b),
            ..Rest::default()
        };
        for (at, _) in shared_positions(a, b) {
            let (rest, frequent) = (!is_a(at), is_frequent(at));
            counts.sampled_shared += 1;
            counts.shared += usize::from(rest);
            counts.frequent += usize::from(frequent);
            counts.rest_frequent += usize::from(rest && frequent);
        }
        counts
    }

    /// Whether some of what is compared is a template's.
    pub(super) fn leaves_out(&self) -> bool {
        self.keys < self.sampled
    }

    /// The share of the smaller sketch that the other has.
    pub(super) fn sampled_coverage(&self) -> f64 {
        ratio(self.sampled_shared, self.sampled)
    }

    /// The same of what is no template's; 0 where that is less than `fewest` keys, or all there are.
    pub(super) fn coverage(&self, fewest: usize) -> f64 {
        if self.keys < fewest.min(self.sampled) {
            return 0.0;
        }
        ratio(self.shared, self.keys)
    }
}

/// The part of two samples that both pages would have kept: where a page is so short that it kept keys beyond `below`, the
/// other page's sample may end earlier. Both lose their ends only, so that places stay what they are.
pub(super) fn comparable<'a>(a: &'a [u64], b: &'a [u64], below: u64) -> (&'a [u64], &'a [u64]) {
    let reach = |sample: &[u64]| sample.last().map_or(below, |&last| last.max(below));
    let end = reach(a).min(reach(b));
    let cut = |sample: &'a [u64]| &sample[..sample.partition_point(|&key| key <= end)];
    (cut(a), cut(b))
}
