//! Options for clusters and for which pages are dropped.

use serde::{Deserialize, Serialize};

use crate::relation::Relation;

/// How related pages become classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// The patent's classes as a partition: repeatedly the largest set of pages within two edges of one page.
    #[default]
    TwoEdge,
    /// The patent's classes page by page, as a partition: of all sets of pages within two edges of one page, each page belongs to the
    /// largest that has it, and pages of one set are together. The whole sets, which overlap, are [`super::Class`]es.
    PerPage,
    /// Connected components, which may join unrelated pages through chains.
    Components,
}

/// Which copies of a kept page are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DropRule {
    /// Its duplicates, and pages contained in it.
    #[default]
    Both,
    /// Its duplicates only.
    Duplicate,
    /// Both, and pages that overlap it, whatever they say of their own.
    Overlaps,
    /// Both, and the pages for which they are dropped: no page of which there is another copy.
    All,
}

impl DropRule {
    /// Whether a relation connects pages: those that overlap are connected only if one of them is to go for the other.
    pub(crate) fn connects(self, relation: Relation) -> bool {
        relation != Relation::Overlaps || self == DropRule::Overlaps
    }
}

/// What becomes of a collection: a page that contains pages which are not related to each other, such as the archive of a month, or a
/// digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Collections {
    /// Its parts are preferred: none is dropped for it, and it is dropped if they leave it nothing of its own.
    #[default]
    Parts,
    /// The whole is preferred: its parts are dropped for it.
    Whole,
}
