//! What records and tables say about the cluster of a page.

use std::borrow::Cow;
use std::collections::BTreeMap;

use retold::internal::date_text;
use retold::read::{AddedFields, FieldKind, FieldValue};
use retold::{Findings, Rank, Relation};

use crate::agreement::Agreement;
use crate::output::{Names, OutputConfig};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark<'a> {
    /// Number of its cluster, if any.
    pub cluster: Option<u64>,
    /// Pages in the cluster; 1 if the page is in none.
    pub size: u64,
    /// Id of the cluster's canonical page.
    pub canonical: Option<Cow<'a, str>>,
    /// Relation to the canonical page; for older versions and collections, to the page that it is dropped for. `None` for the canonical
    /// page and unrelated members.
    pub relation: Option<&'static str>,
    /// Id of the kept page for which it is dropped.
    pub dropped_for: Option<Cow<'a, str>>,
    /// Number of pages dropped for it.
    pub dropped: u64,
    /// Of its cluster; of the page alone if it is in none.
    pub agreement: Agreement,
}

pub(crate) struct Marks<'a> {
    findings: &'a Findings,
    /// The agreement of each cluster.
    agreements: &'a [Agreement],
    cluster_of: Vec<Option<u32>>,
    /// Kept page -> number of pages dropped for it.
    dropped: BTreeMap<Rank, u64>,
}

impl<'a> Marks<'a> {
    pub fn new(findings: &'a Findings, agreements: &'a [Agreement]) -> Marks<'a> {
        let mut dropped = BTreeMap::new();
        for drop in &findings.dropped {
            *dropped.entry(drop.canonical).or_default() += 1;
        }
        Marks {
            findings,
            agreements,
            cluster_of: findings.cluster_of(),
            dropped,
        }
    }

    /// A page's cluster number, if any, and the size of the cluster.
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
            agreement: match cluster {
                Some(number) => self.agreements[number as usize],
                None => Agreement::of(findings, &[page]),
            },
        }
    }

    /// Pages that are in a cluster or dropped, ascending.
    pub fn marked(&self) -> Vec<Rank> {
        let dropped = &self.findings.dropped;
        let is_dropped = |page: &Rank| dropped.binary_search_by_key(page, |drop| drop.page).is_ok();
        let pages = Rank::first(self.cluster_of.len());
        pages
            .filter(|page| self.cluster_of[page.at()].is_some() || is_dropped(page))
            .collect()
    }
}

/// A field that is added to records, and its value in a mark.
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
const PAGES: Field = ("retold_pages", FieldKind::Whole, |mark| {
    whole(mark.agreement.pages)
});
const SITES: Field = ("retold_sites", FieldKind::Whole, |mark| {
    whole(mark.agreement.sites)
});
const INPUTS: Field = ("retold_inputs", FieldKind::Whole, |mark| {
    whole(mark.agreement.inputs)
});
const FIRST_DATE: Field = ("retold_first_date", FieldKind::Text, |mark| {
    date(mark.agreement.first_date)
});
const LAST_DATE: Field = ("retold_last_date", FieldKind::Text, |mark| {
    date(mark.agreement.last_date)
});
const LOST: Field = ("retold_lost", FieldKind::Whole, |mark| {
    whole(mark.agreement.lost)
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
    PAGES,
    SITES,
    INPUTS,
    FIRST_DATE,
    LAST_DATE,
    LOST,
];
const ANNOTATE: &[Field] = &[
    CLUSTER,
    SIZE,
    ("retold_dropped", FieldKind::Whole, |mark| {
        whole(mark.dropped)
    }),
    PAGES,
    SITES,
    INPUTS,
    FIRST_DATE,
    LAST_DATE,
    LOST,
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

fn date(date: Option<i64>) -> FieldValue<'static> {
    let date = date.and_then(date_text);
    date.map_or(FieldValue::Null, |date| FieldValue::Text(date.into()))
}

fn fields_of(output: &OutputConfig) -> &'static [Field] {
    match (output.mark || output.annotate, output.names) {
        (false, _) => &[],
        (true, Names::Datatrove) => DATATROVE,
        (true, Names::Retold) if output.mark => MARK,
        (true, Names::Retold) => ANNOTATE,
    }
}

pub(crate) fn fields(output: &OutputConfig) -> AddedFields {
    let fields = fields_of(output).iter();
    let fields = fields.map(|(name, kind, _)| (*name, *kind)).collect();
    AddedFields::new(output.annotate_as.as_deref(), fields)
}

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
        // Treat it as a collection, which is in no cluster.
        findings.clusters.clear();
        findings.dropped[0].relation = DroppedAs::Collection { parts: 2 };
        let marks = Marks::new(&findings, &[]);
        let mark = marks.of(findings.dropped[0].page);
        assert_eq!(mark.relation, Some("collection"));
        assert_eq!(mark.dropped_for.as_deref(), Some("p0"));
        assert_eq!((mark.cluster, mark.canonical), (None, None));
        // It agrees with nobody but itself.
        assert_eq!((mark.agreement.pages, mark.agreement.inputs), (1, 1));
    }
}
