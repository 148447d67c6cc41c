//! What happens to a record when the kept ones are written, and what `--mark` adds to it.

use std::borrow::Cow;

use crate::relation::Relation;

/// What is decided on a record when `kept/` is written.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordDecision<'a> {
    /// Copied unchanged.
    Keep,
    /// Not written: a dropped page or a reject.
    Leave,
    /// `--mark`: written with the fields `retold_cluster`, `retold_canonical`, `retold_relation` and `retold_dropped_for` added where
    /// the format has fields (JSONL, CSV, Parquet, WARC as named fields of the record header); `None` for a page that is
    /// in no cluster and would be kept (fields null or empty).
    Mark(Option<Mark<'a>>),
}

/// What `--mark` adds to a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark<'a> {
    /// The number of the page's cluster, if it is in one.
    pub cluster: Option<u64>,
    /// The id of the cluster's canonical page.
    pub canonical: Option<Cow<'a, str>>,
    /// What the page is to the canonical page; `None` for the canonical page itself and unrelated members.
    pub relation: Option<Relation>,
    /// The id of the kept page for which the page would be dropped; `None` if it would be kept.
    pub dropped_for: Option<Cow<'a, str>>,
}

impl Mark<'_> {
    /// The values of all fields but the first.
    pub(super) fn texts(&self) -> [Option<&str>; 3] {
        [
            self.canonical.as_deref(),
            self.relation.map(Relation::name),
            self.dropped_for.as_deref(),
        ]
    }
}

/// Decides on each record of a source by its number, asked once for each, in order.
pub(super) type Decide<'d, 'a> = &'d mut dyn FnMut(u64) -> RecordDecision<'a>;

/// The names of the fields that `--mark` adds.
pub(crate) const MARK_FIELDS: [&str; 4] = [
    "retold_cluster",
    "retold_canonical",
    "retold_relation",
    "retold_dropped_for",
];
