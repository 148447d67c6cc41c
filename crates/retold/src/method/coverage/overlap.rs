//! What two sketches share, with and without boilerplate (keys of templates).

use super::fingerprint::Fingerprint;
use super::limits;
use crate::relation::ratio;
use crate::sketch::{Sketch, SketchRef, may_share, shared_places};

/// Minimum number of keys outside boilerplate for their coverage to count (fewer if the sample has fewer).
pub(super) const LEAST_FOR_COVERAGE: usize = 3;

/// Counts over the comparable part of two sketches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SketchOverlap {
    /// Keys of the smaller sketch.
    pub(super) sampled: usize,
    /// Shared keys.
    pub(super) sampled_shared: usize,
    /// Keys outside boilerplate, of the sketch with fewer of them.
    pub(super) non_boilerplate: usize,
    /// Shared keys outside boilerplate.
    pub(super) non_boilerplate_shared: usize,
}

impl SketchOverlap {
    /// The overlap of two sketches; `None` if they share fewer keys than `least` requires, given the size of the smaller one.
    pub(super) fn of_sketches(
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        below: u64,
        least: impl Fn(usize) -> usize,
    ) -> Option<SketchOverlap> {
        let (keys_a, keys_b) = comparable(a.keys, b.keys, below);
        let boilerplate = (a.common_among(keys_a.len()), b.common_among(keys_b.len()));
        let least = least(keys_a.len().min(keys_b.len()));
        SketchOverlap::of(keys_a, keys_b, boilerplate, least, |at| a.is_common(at))
    }

    /// An upper bound on the overlap with the sketch of these slots: two keys in one slot count as equal.
    pub(super) fn at_most(slots: &KeySlots, b: SketchRef<'_>, below: u64) -> SketchOverlap {
        let a = slots.sketch();
        let (keys_a, keys_b) = comparable(a.keys, b.keys, below);
        let boilerplate = (a.common_among(keys_a.len()), b.common_among(keys_b.len()));
        let mut counts = SketchOverlap::none((keys_a.len(), keys_b.len()), boilerplate);
        let (mut shared, mut non_boilerplate) = (0, 0);
        for &key in keys_b {
            let slot = slots.slots[key as usize & (slots.slots.len() - 1)];
            shared += usize::from(slot & KeySlots::KEY);
            non_boilerplate += usize::from(slot / KeySlots::NON_BOILERPLATE);
        }
        counts.sampled_shared = shared.min(counts.sampled);
        counts.non_boilerplate_shared = non_boilerplate.min(counts.non_boilerplate);
        counts
    }

    pub(super) fn of_fingerprints(
        a: &Fingerprint<'_>,
        b: &Fingerprint<'_>,
        below: u64,
    ) -> SketchOverlap {
        let (keys_a, keys_b) = comparable(a.sample, b.sample, below);
        let boilerplate = (
            a.boilerplate_among(keys_a.len()),
            b.boilerplate_among(keys_b.len()),
        );
        let is_boilerplate = |at| a.is_boilerplate(at);
        SketchOverlap::of(keys_a, keys_b, boilerplate, 0, is_boilerplate).unwrap_or_default()
    }

    /// The counts of two sketches that share nothing, given their comparable keys and boilerplate keys.
    fn none(keys: (usize, usize), boilerplate: (usize, usize)) -> SketchOverlap {
        SketchOverlap {
            sampled: keys.0.min(keys.1),
            non_boilerplate: (keys.0 - boilerplate.0).min(keys.1 - boilerplate.1),
            ..SketchOverlap::default()
        }
    }

    /// Counts the overlap of comparable keys, ascending. `boilerplate` is the number of boilerplate keys in each; `is_boilerplate` tells it
    /// for a place in the first. `None` if fewer than `least` keys are shared.
    fn of(
        a: &[u64],
        b: &[u64],
        boilerplate: (usize, usize),
        least: usize,
        is_boilerplate: impl Fn(usize) -> bool,
    ) -> Option<SketchOverlap> {
        let mut counts = SketchOverlap::none((a.len(), b.len()), boilerplate);
        let are_enough = shared_places(a, b, least, |places| {
            counts.sampled_shared += places.len();
            for &place in places {
                counts.non_boilerplate_shared += usize::from(!is_boilerplate(place));
            }
        });
        are_enough.then_some(counts)
    }

    /// Whether some of the compared keys are boilerplate.
    pub(super) fn has_boilerplate(&self) -> bool {
        self.non_boilerplate < self.sampled
    }

    /// Whether a large part of the shared keys is boilerplate, as in a form.
    pub(super) fn is_mostly_boilerplate(&self) -> bool {
        let boilerplate = self.sampled_shared - self.non_boilerplate_shared;
        ratio(boilerplate, self.sampled_shared) >= limits::FORM
    }

    /// How many keys outside boilerplate are needed for them to decide: if nearly all keys are boilerplate, the rest is chance.
    pub(super) fn least_to_decide(&self) -> usize {
        LEAST_FOR_COVERAGE.max(self.sampled / 4)
    }

    /// The share of the smaller sketch that the other has.
    pub(super) fn sampled_coverage(&self) -> f64 {
        ratio(self.sampled_shared, self.sampled)
    }

    /// The share outside boilerplate; 0 if there are fewer than `least` such keys (or than all, if there are fewer).
    pub(super) fn non_boilerplate_coverage(&self, least: usize) -> f64 {
        if self.non_boilerplate < least.min(self.sampled) {
            return 0.0;
        }
        ratio(self.non_boilerplate_shared, self.non_boilerplate)
    }
}

/// False only if the share of the smaller sketch that the other has is below `least`.
pub(super) fn may_reach(a: &[u64], b: &[u64], below: u64, least: f64) -> bool {
    let (a, b) = comparable(a, b, below);
    may_share(a, b, least)
}

/// A sketch and a table of its keys, for comparing it with many others.
pub(super) struct KeySlots {
    sketch: Sketch,
    /// See [`SketchRef::common`].
    common: Vec<u64>,
    /// For the low bits of a key, whether the sketch has a key with these bits, and one outside boilerplate.
    slots: Vec<u8>,
}

impl KeySlots {
    const KEY: u8 = 1;
    const NON_BOILERPLATE: u8 = 2;
    /// Slots per key: at most one in eight is taken.
    const SLOTS: usize = 8;

    pub(super) fn new(sketch: SketchRef<'_>) -> KeySlots {
        let mut slots = vec![0; (KeySlots::SLOTS * sketch.keys.len()).next_power_of_two()];
        let mask = slots.len() - 1;
        for (place, &key) in sketch.keys.iter().enumerate() {
            let non_boilerplate = match sketch.is_common(place) {
                true => 0,
                false => KeySlots::NON_BOILERPLATE,
            };
            slots[key as usize & mask] |= KeySlots::KEY | non_boilerplate;
        }
        KeySlots {
            sketch: sketch.to_owned(),
            common: sketch.common.to_vec(),
            slots,
        }
    }

    pub(super) fn sketch(&self) -> SketchRef<'_> {
        SketchRef {
            common: &self.common,
            ..self.sketch.as_ref()
        }
    }
}

/// The part of two samples that both pages would have kept. A short page also kept keys above `below`, where the other page's sample may
/// end earlier. Only the ends are cut, so places stay the same.
pub(super) fn comparable<'a>(a: &'a [u64], b: &'a [u64], below: u64) -> (&'a [u64], &'a [u64]) {
    let reach = |sample: &[u64]| sample.last().map_or(below, |&last| last.max(below));
    let end = reach(a).min(reach(b));
    let cut = |sample: &'a [u64]| &sample[..sample.partition_point(|&key| key <= end)];
    (cut(a), cut(b))
}
