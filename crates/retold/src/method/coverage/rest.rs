//! What two sketches share once the keys of templates are left out.

use super::proof::Proof;
use crate::relation::ratio;
use crate::sketch::{Sketch, SketchRef, may_share, shared_places};

/// Minimum number of keys of the sample that are no template's for their coverage to count (fewer if it has fewer).
pub(super) const FEWEST: usize = 3;

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
    /// Of two sketches, of which `least` says how many of so many keys of the smaller one the other has to have; `None` if it has fewer.
    /// What is frequent is not known of them.
    pub(super) fn of_sketches(
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        below: u64,
        least: impl Fn(usize) -> usize,
    ) -> Option<Rest> {
        let (keys_a, keys_b) = comparable(a.keys, b.keys, below);
        let templates = (a.common_among(keys_a.len()), b.common_among(keys_b.len()));
        let least = least(keys_a.len().min(keys_b.len()));
        let marks = |at| (a.is_common(at), false);
        Rest::of((keys_a, keys_b), templates, least, marks)
    }

    /// No less of a sketch and one that is [`Seen`], without what is frequent: a key of the one in the place of a key of the other may
    /// be another.
    pub(super) fn at_most(seen: &Seen, b: SketchRef<'_>, below: u64) -> Rest {
        let a = seen.as_ref();
        let (keys_a, keys_b) = comparable(a.keys, b.keys, below);
        let templates = (a.common_among(keys_a.len()), b.common_among(keys_b.len()));
        let mut counts = Rest::none((keys_a.len(), keys_b.len()), templates);
        let (mut shared, mut own) = (0, 0);
        for &key in keys_b {
            let slot = seen.slots[key as usize & (seen.slots.len() - 1)];
            shared += usize::from(slot & Seen::KEY);
            own += usize::from(slot / Seen::OWN);
        }
        counts.sampled_shared = shared.min(counts.sampled);
        counts.shared = own.min(counts.keys);
        counts
    }

    /// Of two proofs.
    pub(super) fn of_proofs(a: &Proof<'_>, b: &Proof<'_>, below: u64) -> Rest {
        let (keys_a, keys_b) = comparable(a.sample, b.sample, below);
        let templates = (a.templates(keys_a.len()), b.templates(keys_b.len()));
        let marks = |at| (a.is_template(at), a.is_frequent(at));
        Rest::of((keys_a, keys_b), templates, 0, marks).unwrap_or_default()
    }

    /// Of so many keys that are comparable, and so many templates' among them, none of both sketches.
    fn none(keys: (usize, usize), templates: (usize, usize)) -> Rest {
        Rest {
            sampled: keys.0.min(keys.1),
            keys: (keys.0 - templates.0).min(keys.1 - templates.1),
            ..Rest::default()
        }
    }

    /// Of the keys of two sketches that are comparable, ascending; how many of each are templates'; and for a place in the first
    /// whether its key is, and whether it is frequent. `None` if they share fewer keys than `least`.
    fn of(
        (a, b): (&[u64], &[u64]),
        templates: (usize, usize),
        least: usize,
        marks: impl Fn(usize) -> (bool, bool),
    ) -> Option<Rest> {
        let mut counts = Rest::none((a.len(), b.len()), templates);
        let are_enough = shared_places(a, b, least, |places| {
            counts.sampled_shared += places.len();
            for &place in places {
                let (is_template, is_frequent) = marks(place);
                counts.shared += usize::from(!is_template);
                counts.frequent += usize::from(is_frequent);
                counts.rest_frequent += usize::from(!is_template & is_frequent);
            }
        });
        are_enough.then_some(counts)
    }

    /// Whether some of what is compared is a template's.
    pub(super) fn leaves_out(&self) -> bool {
        self.keys < self.sampled
    }

    /// So many keys that are no template's are needed where they shall decide: where templates are nearly all of these sketches, what is
    /// left is chance.
    pub(super) fn fewest(&self) -> usize {
        FEWEST.max(self.sampled / 4)
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

/// False only if the share of the smaller sketch that the other has is below `least`.
pub(super) fn may_reach(a: &[u64], b: &[u64], below: u64, least: f64) -> bool {
    let (a, b) = comparable(a, b, below);
    may_share(a, b, least)
}

/// A sketch, to hold many others against.
pub(super) struct Seen {
    sketch: Sketch,
    /// See [`SketchRef::common`].
    common: Vec<u64>,
    /// Whether a key of these low bits is one of the sketch, and one that is no template's.
    slots: Vec<u8>,
}

impl Seen {
    const KEY: u8 = 1;
    const OWN: u8 = 2;
    /// Slots of a key: one of sixteen to one of eight is taken.
    const SLOTS: usize = 8;

    pub(super) fn new(sketch: SketchRef<'_>) -> Seen {
        let mut slots = vec![0; (Seen::SLOTS * sketch.keys.len()).next_power_of_two()];
        let mask = slots.len() - 1;
        for (place, &key) in sketch.keys.iter().enumerate() {
            let own = if sketch.is_common(place) {
                0
            } else {
                Seen::OWN
            };
            slots[key as usize & mask] |= Seen::KEY | own;
        }
        Seen {
            sketch: sketch.to_owned(),
            common: sketch.common.to_vec(),
            slots,
        }
    }

    /// The sketch.
    pub(super) fn as_ref(&self) -> SketchRef<'_> {
        SketchRef {
            common: &self.common,
            ..self.sketch.as_ref()
        }
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
