//! Two related pages.

use crate::ids::Rank;
use crate::relation::{Relation, Verdict};

/// Two related pages, `a < b`, with the relation of `a` to `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The first page.
    pub a: Rank,
    /// The second page.
    pub b: Rank,
    /// The relation of `a` to `b`.
    pub relation: Relation,
    /// The verdict's similarity, in half the bytes: collections have more pairs than pages.
    pub similarity: f32,
    /// The verdict's length ratio.
    pub length_ratio: f32,
    /// The verdict's number of shared features.
    pub shared: u32,
    /// Words of `a` in passages that `b` does not have.
    pub own_a: u32,
    /// Words of `b` in passages that `a` does not have.
    pub own_b: u32,
}

pub(crate) type PairNumbers = [u32; 8];

impl Pair {
    /// The pair of pages `x` and `y`, in either order; `verdict` relates `x` to `y`.
    pub fn new(x: Rank, y: Rank, verdict: &Verdict) -> Pair {
        let verdict = match x > y {
            true => verdict.swapped(),
            false => *verdict,
        };
        Pair {
            a: x.min(y),
            b: x.max(y),
            relation: verdict.relation,
            similarity: verdict.similarity as f32,
            length_ratio: verdict.length_ratio as f32,
            shared: verdict.shared,
            own_a: verdict.own_a,
            own_b: verdict.own_b,
        }
    }

    /// The same verdict for other pages: `x` in place of `a`, `y` in place of `b`.
    pub fn between(&self, x: Rank, y: Rank) -> Pair {
        let (relation, own_a, own_b) = match x > y {
            true => (self.relation.swapped(), self.own_b, self.own_a),
            false => (self.relation, self.own_a, self.own_b),
        };
        Pair {
            a: x.min(y),
            b: x.max(y),
            relation,
            own_a,
            own_b,
            ..*self
        }
    }
}

impl Pair {
    pub(crate) fn to_numbers(self) -> PairNumbers {
        let relation = match self.relation {
            Relation::Duplicate => 0,
            Relation::Contains => 1,
            Relation::ContainedBy => 2,
            Relation::Overlaps => 3,
        };
        let [similarity, ratio] = [self.similarity, self.length_ratio].map(f32::to_bits);
        [
            self.a.0,
            self.b.0,
            relation,
            similarity,
            ratio,
            self.shared,
            self.own_a,
            self.own_b,
        ]
    }

    pub(crate) fn from_numbers(numbers: PairNumbers) -> Pair {
        let [
            a,
            b,
            relation,
            similarity,
            length_ratio,
            shared,
            own_a,
            own_b,
        ] = numbers;
        Pair {
            a: Rank(a),
            b: Rank(b),
            relation: match relation {
                0 => Relation::Duplicate,
                1 => Relation::Contains,
                2 => Relation::ContainedBy,
                _ => Relation::Overlaps,
            },
            similarity: f32::from_bits(similarity),
            length_ratio: f32::from_bits(length_ratio),
            shared,
            own_a,
            own_b,
        }
    }
}
