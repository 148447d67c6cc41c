//! What two sketches share once the keys of templates are left out.

use super::proof::Proof;
use crate::relation::ratio;
use crate::sketch::{SketchRef, shared_positions};

/// A key of a sketch, as it is compared.
#[derive(Clone, Copy)]
struct Key {
    key: u64,
    is_template: bool,
    is_frequent: bool,
}

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
        let keys = |sketch: SketchRef<'_>| -> Vec<Key> {
            let keys = sketch.keys.iter().enumerate();
            let keys = keys.map(|(place, &key)| Key {
                key,
                is_template: sketch.is_common(place),
                is_frequent: false,
            });
            keys.collect()
        };
        // Most pairs have no template's keys: those need no copies.
        if a.common.is_empty() && b.common.is_empty() {
            let (a, b) = comparable(a.keys, b.keys, |&key| key, below);
            let shared = shared_positions(a, b).count();
            let sampled = a.len().min(b.len());
            return Rest {
                sampled,
                sampled_shared: shared,
                keys: sampled,
                shared,
                ..Rest::default()
            };
        }
        Rest::of(&keys(a), &keys(b), below)
    }

    /// Of two proofs.
    pub(super) fn of_proofs(a: &Proof<'_>, b: &Proof<'_>, below: u64) -> Rest {
        let keys = |proof: &Proof<'_>| -> Vec<Key> {
            let keys = proof.sample().map(|sampled| Key {
                key: sampled.key,
                is_template: sampled.is_template,
                is_frequent: sampled.is_frequent,
            });
            keys.collect()
        };
        Rest::of(&keys(a), &keys(b), below)
    }

    fn of(a: &[Key], b: &[Key], below: u64) -> Rest {
        let (a, b) = comparable(a, b, |key| key.key, below);
        let rest = |keys: &[Key]| keys.iter().filter(|key| !key.is_template).count();
        let mut counts = Rest {
            sampled: a.len().min(b.len()),
            keys: rest(a).min(rest(b)),
            ..Rest::default()
        };
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            match a[i].key.cmp(&b[j].key) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    let (rest, frequent) = (!a[i].is_template, a[i].is_frequent);
                    counts.sampled_shared += 1;
                    counts.shared += usize::from(rest);
                    counts.frequent += usize::from(frequent);
                    counts.rest_frequent += usize::from(rest && frequent);
                    (i, j) = (i + 1, j + 1);
                }
            }
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
pub(super) fn comparable<'a, K>(
    a: &'a [K],
    b: &'a [K],
    key: impl Fn(&K) -> u64,
    below: u64,
) -> (&'a [K], &'a [K]) {
    let reach = |sample: &[K]| sample.last().map_or(below, |last| key(last).max(below));
    let end = reach(a).min(reach(b));
    let cut = |sample: &'a [K]| &sample[..sample.partition_point(|k| key(k) <= end)];
    (cut(a), cut(b))
}
