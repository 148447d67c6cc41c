//! Options for clusters and dropped pages.

use serde::{Deserialize, Serialize};

use crate::relation::Relation;

/// How related pages are grouped into classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// The patent's classes as a partition: repeatedly takes the largest set of pages within two edges of one page.
    #[default]
    TwoEdge,
    /// The patent's classes page by page, as a partition: each page belongs to the largest set of pages within two edges of one page that
    /// contains it, and pages with the same set are together. The whole, overlapping sets are [`super::Class`]es.
    PerPage,
    /// Connected components, which may join unrelated pages through chains.
    Components,
}

/// Which copies of a kept page are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DropRule {
    /// Duplicates, and pages contained in it.
    #[default]
    Both,
    /// Duplicates only.
    Duplicate,
    /// As `Both`, and pages that overlap it, whatever they say of their own.
    Overlaps,
    /// As `Both`, and the pages for which they are dropped: no page with a copy stays.
    All,
}

impl DropRule {
    /// Whether a relation connects pages. Overlapping pages are connected only if one is dropped for the other.
    pub(crate) fn connects(self, relation: Relation) -> bool {
        relation != Relation::Overlaps || self == DropRule::Overlaps
    }
}

/// What is done with a collection: a page that contains pages which are not related to each other, such as a monthly archive or a digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Collections {
    /// The parts are preferred: none is dropped for it, and it is dropped if they leave it nothing of its own.
    #[default]
    Parts,
    /// The whole is preferred: its parts are dropped for it.
    Whole,
}
