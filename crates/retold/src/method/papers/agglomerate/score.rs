//! Scores words by how their occurrences cluster, and selects the best words of a page.

use crate::text::{Interned, Words};

/// Scores are multiples of 1 / UNIT, so that sums do not depend on order and ties are ties on every machine.
const UNIT: f64 = (1u64 << 40) as f64;

/// Distances below this are in a table.
const TABLE: usize = 4096;

/// f(b) = b^(−k₁) up to B, m · b^(−k₂) beyond.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    k1: f64,
    k2: f64,
    bend: f64,
    table: Vec<u64>,
}

impl Curve {
    pub(super) fn new(k1: f64, k2: f64, bend: usize) -> Curve {
        let mut curve = Curve {
            k1,
            k2,
            bend: bend as f64,
            table: Vec::new(),
        };
        curve.table = (0..TABLE).map(|b| curve.units_of(b)).collect();
        curve
    }

    /// f at a distance of at least one word.
    pub(super) fn at(&self, distance: f64) -> f64 {
        if distance <= self.bend {
            distance.powf(-self.k1)
        } else {
            // m makes the two parts meet at B.
            self.bend.powf(self.k2 - self.k1) * distance.powf(-self.k2)
        }
    }

    fn units_of(&self, distance: usize) -> u64 {
        (self.at(distance.max(1) as f64) * UNIT).round() as u64
    }

    fn units(&self, distance: u32) -> u64 {
        let distance = distance as usize;
        let known = self.table.get(distance).copied();
        known.unwrap_or_else(|| self.units_of(distance))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scored {
    /// Its number among the interned words, in order of first occurrence.
    pub(super) id: u32,
    pub(super) count: u32,
    last: u32,
    /// Its length in characters.
    length: u32,
    units: u64,
}

impl Scored {
    /// Σ f over the distances between its occurrences.
    pub(super) fn score(&self) -> f64 {
        self.units as f64 / UNIT
    }
}

/// The `count` best words, best first: by score; ties (such as words that occur once) by length, longest first, then the earliest.
pub(super) fn best(
    words: Words<'_>,
    interned: &Interned<'_>,
    curve: &Curve,
    count: usize,
) -> Vec<Scored> {
    let mut scored = vec![Scored::default(); interned.forms.len()];
    for ((&id, word), at) in interned.ids.iter().zip(words.all()).zip(0u32..) {
        let entry = &mut scored[id as usize];
        if !word.is_content() {
            continue;
        }
        if entry.count > 0 {
            entry.units += curve.units(at - entry.last);
        }
        *entry = Scored {
            id,
            count: entry.count + 1,
            last: at,
            ..*entry
        };
    }
    scored.retain(|word| word.count > 0);
    for word in &mut scored {
        word.length = interned.forms[word.id as usize].chars().count() as u32;
    }
    let better = |a: &Scored, b: &Scored| {
        let by_score = b.units.cmp(&a.units);
        by_score
            .then_with(|| b.length.cmp(&a.length))
            .then_with(|| a.id.cmp(&b.id))
    };
    if scored.len() > count {
        scored.select_nth_unstable_by(count, better);
        scored.truncate(count);
    }
    scored.sort_unstable_by(better);
    scored
}
