//! What a record and the tables say about a page's cluster.

use std::borrow::Cow;
use std::collections::BTreeMap;

use retold::read::{AddedFields, FieldKind, FieldValue};
use retold::{Findings, Rank, Relation};

use crate::output::{Names, OutputConfig};

/// What is said of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark<'a> {
    /// The number of its cluster, if it is in one.
    pub cluster: Option<u64>,
    /// How many pages the cluster has; 1 of a page in none.
    pub size: u64,
    /// The id of the cluster's canonical page.
    pub canonical: Option<Cow<'a, str>>,
    /// What the page is to the canonical page, or as an older version or a collection to the page that it is dropped for; `None` for the
    /// canonical page itself and unrelated members.
    pub relation: Option<&'static str>,
    /// The id of the kept page for which the page is dropped.
    pub dropped_for: Option<Cow<'a, str>>,
    /// How many pages are dropped for it.
    pub dropped: u64,
}

/// What is said of all pages.
pub(crate) struct Marks<'a> {
    findings: &'a Findings,
    /// Rank -> the number of the cluster.
    cluster_of: Vec<Option<u32>>,
    /// Kept page -> how many are dropped for it.
    dropped: BTreeMap<Rank, u64>,
}

impl<'a> Marks<'a> {
    pub fn new(findings: &'a Findings) -> Marks<'a> {
        let mut dropped = BTreeMap::new();
        for drop in &findings.dropped {
            *dropped.entry(drop.canonical).or_default() += 1;
        }
        Marks {
            findings,
            cluster_of: findings.cluster_of(),
            dropped,
        }
    }

    /// The number of a page's cluster, if it is in one, and how many pages that has.
    pub fn cluster(&self, page: Rank) -> (Option<u64>, u64) {
        let number = self.cluster_of[page.at()];
        let size = number.map_or(1, |number| {
            self.findings.clusters[number as usize].members.len()
        });
        (number.map(u64::from), size as u64)
    }

    pub fn of(&self, page: Rank) -> Mark<'a> {
        let findings = self.findings;
        let (cluster, size) = self.cluster(page);
        let canonical = cluster.map(|number| findings.clusters[number as usize].canonical);
        let dropped = &findings.dropped;
        let drop = dropped.binary_search_by_key(&page, |drop| drop.page);
        let drop = drop.ok().map(|at| dropped[at]);
        let apart = drop.filter(|drop| drop.relation.of_texts().is_none());
        let relation = canonical.and_then(|canonical| findings.relation(page, canonical));
        Mark {
            cluster,
            size,
            canonical: canonical.map(|canonical| findings.id(canonical)),
            relation: relation
                .map(Relation::name)
                .or(apart.map(|drop| drop.relation.name())),
            dropped_for: drop.map(|drop| findings.id(drop.canonical)),
            dropped: self.dropped.get(&page).copied().unwrap_or(0),
        }
    }

    /// The pages that are in a cluster or dropped, ascending.
    pub fn marked(&self) -> Vec<Rank> {
        let dropped = &self.findings.dropped;
        let is_dropped = |page: &Rank| dropped.binary_search_by_key(page, |drop| drop.page).is_ok();
        let pages = Rank::first(self.cluster_of.len());
        pages
            .filter(|page| self.cluster_of[page.at()].is_some() || is_dropped(page))
            .collect()
    }
}

/// A field that is added to records, and what of a mark it holds.
type Field = (
    &'static str,
    FieldKind,
    for<'m> fn(&'m Mark<'_>) -> FieldValue<'m>,
);

const CLUSTER: Field = ("retold_cluster", FieldKind::Whole, |mark| {
    mark.cluster.map_or(FieldValue::Null, whole)
});
const SIZE: Field = ("retold_cluster_size", FieldKind::Whole, |mark| {
    whole(mark.size)
});
const MARK: &[Field] = &[
    CLUSTER,
    ("retold_canonical", FieldKind::Text, |mark| {
        text(mark.canonical.as_deref())
    }),
    ("retold_relation", FieldKind::Text, |mark| {
        text(mark.relation)
    }),
    ("retold_dropped_for", FieldKind::Text, |mark| {
        text(mark.dropped_for.as_deref())
    }),
    SIZE,
];
const ANNOTATE: &[Field] = &[
    CLUSTER,
    SIZE,
    ("retold_dropped", FieldKind::Whole, |mark| {
        whole(mark.dropped)
    }),
];
const DATATROVE: &[Field] = &[
    ("minhash_cluster_id", FieldKind::Whole, |mark| {
        mark.cluster.map_or(FieldValue::Whole(-1), whole)
    }),
    ("minhash_cluster_size", FieldKind::Whole, |mark| {
        whole(mark.size)
    }),
];

fn whole(number: u64) -> FieldValue<'static> {
    FieldValue::Whole(number as i64)
}

fn text(text: Option<&str>) -> FieldValue<'_> {
    text.map_or(FieldValue::Null, |text| FieldValue::Text(text.into()))
}

fn fields_of(output: &OutputConfig) -> &'static [Field] {
    match (output.mark || output.annotate, output.names) {
        (false, _) => &[],
        (true, Names::Datatrove) => DATATROVE,
        (true, Names::Retold) if output.mark => MARK,
        (true, Names::Retold) => ANNOTATE,
    }
}

/// The fields that records get.
pub(crate) fn fields(output: &OutputConfig) -> AddedFields {
    let fields = fields_of(output).iter();
    let fields = fields.map(|(name, kind, _)| (*name, *kind)).collect();
    AddedFields::new(output.annotate_as.as_deref(), fields)
}

/// Their values in the record of a page.
pub(crate) fn values(output: &OutputConfig, mark: &Mark) -> Vec<FieldValue<'static>> {
    let fields = fields_of(output).iter();
    let values = fields.map(|(_, _, value)| match value(mark) {
        FieldValue::Text(text) => FieldValue::Text(text.into_owned().into()),
        FieldValue::Whole(number) => FieldValue::Whole(number),
        FieldValue::Null => FieldValue::Null,
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use retold::{DroppedAs, JudgeConfig, Page, dedup};

    use super::*;

    #[test]
    fn a_collection_is_named_with_the_part_that_it_goes_for() {
        let text = |number: usize| {
            format!("Page {number} tells a story of its own, number {number}, and of nothing else.")
        };
        let pages = (0..2).map(|number| Page::text(format!("p{number}"), text(0)));
        let pages = pages.chain([Page::text("q", text(7))]);
        let mut findings = dedup(pages, &JudgeConfig::default()).unwrap();
        // As if it were a collection, which is in no cluster.
        findings.clusters.clear();
        findings.dropped[0].relation = DroppedAs::Collection { parts: 2 };
        let marks = Marks::new(&findings);
        let mark = marks.of(findings.dropped[0].page);
        assert_eq!(mark.relation, Some("collection"));
        assert_eq!(mark.dropped_for.as_deref(), Some("p0"));
        assert_eq!((mark.cluster, mark.canonical), (None, None));
    }
}
