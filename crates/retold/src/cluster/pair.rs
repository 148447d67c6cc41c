//! Two related pages.

use crate::ids::Rank;
use crate::relation::{Relation, Verdict};

/// Two related pages, `a < b`, and what `a` is to `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The first page.
    pub a: Rank,
    /// The second page.
    pub b: Rank,
    /// What `a` is to `b`.
    pub relation: Relation,
    /// The verdict's, in half the bytes: collections have more pairs than pages.
    pub similarity: f32,
    /// The verdict's.
    pub length_ratio: f32,
    /// The verdict's.
    pub shared: u32,
}

impl Pair {
    /// The pair of pages `x` and `y`, in either order; `verdict` is the relation of `x` to `y`.
    pub fn new(x: Rank, y: Rank, verdict: &Verdict) -> Pair {
        let swapped = x > y;
        Pair {
            a: x.min(y),
            b: x.max(y),
            relation: if swapped {
                verdict.relation.swapped()
            } else {
                verdict.relation
            },
            similarity: verdict.similarity as f32,
            length_ratio: verdict.length_ratio as f32,
            shared: verdict.shared,
        }
    }

    /// The same verdict on other pages: `x` in the place of `a`, `y` in that of `b`.
    pub fn between(&self, x: Rank, y: Rank) -> Pair {
        Pair {
            a: x.min(y),
            b: x.max(y),
            relation: match x > y {
                true => self.relation.swapped(),
                false => self.relation,
            },
            ..*self
        }
    }
}

impl Pair {
    /// The pair as numbers, which order as pairs do.
    pub(crate) fn to_numbers(self) -> [u32; 6] {
        let relation = match self.relation {
            Relation::Duplicate => 0,
            Relation::Contains => 1,
            Relation::ContainedBy => 2,
        };
        let [similarity, ratio] = [self.similarity, self.length_ratio].map(f32::to_bits);
        [self.a.0, self.b.0, relation, similarity, ratio, self.shared]
    }

    /// The pair of these numbers.
    pub(crate) fn from_numbers(numbers: [u32; 6]) -> Pair {
        let [a, b, relation, similarity, length_ratio, shared] = numbers;
        Pair {
            a: Rank(a),
            b: Rank(b),
            relation: match relation {
                0 => Relation::Duplicate,
                1 => Relation::Contains,
                _ => Relation::ContainedBy,
            },
            similarity: f32::from_bits(similarity),
            length_ratio: f32::from_bits(length_ratio),
            shared,
        }
    }
}
