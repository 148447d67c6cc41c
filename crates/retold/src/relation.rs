//! The relation of two pages, and how it follows from a similarity and a length ratio.

use serde::{Deserialize, Serialize};

/// What the first page of a pair is to the second.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The two pages repeat each other.
    Duplicate,
    /// The first page has all of the second and much more.
    Contains,
    /// The second page contains the first, and is much longer.
    ContainedBy,
    /// The pages share a story, and each says something of its own besides.
    Overlaps,
}

impl Relation {
    /// The same relation read from the other page.
    pub fn swapped(self) -> Relation {
        match self {
            Relation::Duplicate => Relation::Duplicate,
            Relation::Contains => Relation::ContainedBy,
            Relation::ContainedBy => Relation::Contains,
            Relation::Overlaps => Relation::Overlaps,
        }
    }

    /// The name used in all files and output.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Duplicate => "duplicate",
            Relation::Contains => "contains",
            Relation::ContainedBy => "contained_by",
            Relation::Overlaps => "overlaps",
        }
    }
}

/// What a method says of two pages. It is symmetric: swapping the pages swaps `contains` and `contained_by` only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// What the first page is to the second.
    pub relation: Relation,
    /// 0 to 1; what it measures is the method's own (for `period`: CCS).
    pub similarity: f64,
    /// The shorter page's size over the longer's, in the unit the method counts (for `period`: CLR over features).
    pub length_ratio: f64,
    /// How many keys the two sketches share.
    pub shared: u32,
    /// Characters of text (without white space) behind the shared keys; 0 if the method does not know.
    pub shared_chars: u64,
    /// Words of the first page in its own passages, that is, in passages that the second does not have; 0 if the method does not know.
    pub own_a: u32,
    /// Words of the second page in its own passages.
    pub own_b: u32,
}

impl Verdict {
    /// The same verdict with the pages swapped.
    pub fn swapped(self) -> Verdict {
        Verdict {
            relation: self.relation.swapped(),
            own_a: self.own_b,
            own_b: self.own_a,
            ..self
        }
    }
}

/// `part / whole`, and 0 over an empty whole: nothing in common is never everything in common.
pub fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
