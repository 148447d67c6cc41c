//! The relation of two pages, and how it follows from a similarity and a length ratio.

use serde::{Deserialize, Serialize};

/// The relation of the first page of a pair to the second.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The two pages repeat each other.
    Duplicate,
    /// The first page has all of the second, and is much longer.
    Contains,
    /// The second page has all of the first, and is much longer.
    ContainedBy,
    /// The pages share a story, and each also says something of its own.
    Overlaps,
}

impl Relation {
    /// The relation with the pages swapped.
    pub fn swapped(self) -> Relation {
        match self {
            Relation::Duplicate => Relation::Duplicate,
            Relation::Contains => Relation::ContainedBy,
            Relation::ContainedBy => Relation::Contains,
            Relation::Overlaps => Relation::Overlaps,
        }
    }

    /// The name used in files and output.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Duplicate => "duplicate",
            Relation::Contains => "contains",
            Relation::ContainedBy => "contained_by",
            Relation::Overlaps => "overlaps",
        }
    }
}

/// A method's verdict on two pages. Symmetric: swapping the pages only swaps `contains` and `contained_by`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The relation of the first page to the second.
    pub relation: Relation,
    /// 0 to 1; each method has its own measure (for `period`: CCS).
    pub similarity: f64,
    /// The shorter page's size divided by the longer's, in the method's unit (for `period`: CLR over features).
    pub length_ratio: f64,
    /// The number of keys that the sketches share.
    pub shared: u32,
    /// Characters of text (without white space) behind the shared keys; 0 if the method does not know.
    pub shared_chars: u64,
    /// Words of the first page in own passages, which the second does not have; 0 if the method does not know.
    pub own_a: u32,
    /// Words of the second page in own passages.
    pub own_b: u32,
}

impl Verdict {
    /// The verdict with the pages swapped.
    pub fn swapped(self) -> Verdict {
        Verdict {
            relation: self.relation.swapped(),
            own_a: self.own_b,
            own_b: self.own_a,
            ..self
        }
    }
}

/// `part / whole`, or 0 if `whole` is 0: having nothing in common never counts as everything.
pub fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
