//! The list of clusters and their details.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;

use super::chosen::Chosen;
use super::pairs::{Facts, PairFacts, PairRow, Shapes, Traits};
use super::report::Report;
use crate::agreement::Agreement;
use retold::{Rank, Relation};

/// Sites of a cluster that the search finds at most.
const SITES: usize = 12;

#[derive(Serialize)]
pub(super) struct List<'a> {
    /// Position of its first cluster in the order.
    first: usize,
    number: Vec<u32>,
    size: Vec<usize>,
    canonical: Vec<Cow<'a, str>>,
    /// Titles of canonical pages, if any.
    title: Vec<Option<String>>,
    /// Bits: 1 has duplicates, 2 has containments, 4 loose, 8 larger than the alarm size, 16 much of a site has collapsed into it, 32 has
    /// overlaps.
    flags: Vec<u8>,
    /// Smallest similarity of its pairs, in thousandths.
    least: Vec<u32>,
    /// Number of dropped pages, and their bytes.
    dropped: Vec<usize>,
    bytes: Vec<u64>,
    sites: Vec<Vec<u32>>,
    /// Number of all sites.
    of_sites: Vec<u64>,
}

pub(super) fn list<'a>(
    report: &'a Report<'_>,
    clusters: &[u32],
    traits: &[Traits],
    first: usize,
) -> List<'a> {
    let findings = report.findings;
    let mut list = List {
        first,
        number: clusters.to_vec(),
        size: Vec::new(),
        canonical: Vec::new(),
        title: Vec::new(),
        flags: Vec::new(),
        least: Vec::new(),
        dropped: Vec::new(),
        bytes: Vec::new(),
        sites: Vec::new(),
        of_sites: Vec::new(),
    };
    for &number in clusters {
        let cluster = &findings.clusters[number as usize];
        let gone = cluster
            .members
            .iter()
            .filter(|&&rank| report.drop_of(rank).is_some());
        let bytes: Vec<u64> = gone.map(|&rank| findings.page(rank).bytes).collect();
        list.size.push(cluster.members.len());
        list.canonical.push(findings.id(cluster.canonical));
        list.title.push(title(report, cluster.canonical));
        list.flags.push(flags(report, number as usize, traits));
        let least = traits[number as usize].least.unwrap_or(0.0);
        list.least.push((least * 1000.0).floor() as u32);
        list.dropped.push(bytes.len());
        list.bytes.push(bytes.iter().sum());
        list.sites.push(sites(report, &cluster.members));
        list.of_sites.push(report.agreements[number as usize].sites);
    }
    list
}

fn flags(report: &Report<'_>, number: usize, traits: &[Traits]) -> u8 {
    let cluster = &report.findings.clusters[number];
    let large = cluster.members.len() > report.output.alarm_size;
    u8::from(traits[number].duplicate)
        | u8::from(traits[number].contains) << 1
        | u8::from(cluster.is_loose()) << 2
        | u8::from(large) << 3
        | u8::from(report.collapsed.contains(&(number as u64))) << 4
        | u8::from(traits[number].overlaps) << 5
}

fn sites(report: &Report<'_>, members: &[Rank]) -> Vec<u32> {
    let mut sites = Vec::new();
    for &rank in members {
        if let Some(site) = report.findings.page(rank).site
            && !sites.contains(&site)
        {
            sites.push(site);
            if sites.len() == SITES {
                break;
            }
        }
    }
    sites
}

/// The details of a cluster, without the numbers of check shapes.
pub(super) struct Detail<'a> {
    members: Vec<MemberRow<'a>>,
    more: usize,
    pairs: Vec<([usize; 2], PairFacts)>,
    all_pairs: u64,
    agreement: Agreement,
}

pub(super) fn title(report: &Report<'_>, rank: Rank) -> Option<String> {
    let findings = report.findings;
    findings.collection.pages.title(findings.by_id[rank.at()])
}

/// A member: `[id, site, characters, bytes, date, decision, member it is dropped for, features, text, title]`. Decisions: 0 kept, 1 dropped
/// as a duplicate, 2 dropped as contained, 3 dropped as overlapping. -1 means none.
pub(super) type MemberRow<'a> = (
    Cow<'a, str>,
    i64,
    u64,
    u64,
    Option<i64>,
    u8,
    i64,
    u32,
    i64,
    Option<String>,
);

/// A cluster: `[members, members left out, pairs, pairs in all, agreement]`. The canonical page is the first member.
type DetailRow<'a> = (Vec<MemberRow<'a>>, usize, Vec<PairRow>, u64, Agreement);

pub(super) fn detail<'a>(
    report: &'a Report<'_>,
    number: u32,
    place: u32,
    facts: &Facts<'_>,
    texts: &Chosen,
) -> Detail<'a> {
    let cluster = &report.findings.clusters[number as usize];
    let members = report.shown(number);
    let at: HashMap<Rank, usize> = members
        .iter()
        .enumerate()
        .map(|(at, &rank)| (rank, at))
        .collect();
    let pairs = facts.of_place(place).into_iter().filter_map(|pair| {
        let (&a, &b) = (at.get(&pair.a)?, at.get(&pair.b)?);
        Some(([a, b], facts.of(&pair)))
    });
    Detail {
        pairs: pairs.collect(),
        more: cluster.members.len() - members.len(),
        members: members
            .iter()
            .map(|&rank| member(report, rank, Some(&at), texts))
            .collect(),
        all_pairs: cluster.pairs,
        agreement: report.agreements[number as usize],
    }
}

impl<'a> Detail<'a> {
    pub(super) fn row(self, shapes: &mut Shapes) -> DetailRow<'a> {
        let pairs = self.pairs.into_iter();
        let pairs = pairs.map(|(members, facts)| facts.row(members, shapes));
        let pairs = pairs.collect();
        (
            self.members,
            self.more,
            pairs,
            self.all_pairs,
            self.agreement,
        )
    }
}

/// A page as a member; `at` maps the members of its cluster to their positions.
pub(super) fn member<'a>(
    report: &'a Report<'_>,
    rank: Rank,
    at: Option<&HashMap<Rank, usize>>,
    texts: &Chosen,
) -> MemberRow<'a> {
    let page = report.findings.page(rank);
    let drop = report.drop_of(rank);
    let decision = match drop.map(|(_, relation)| relation) {
        None => 0,
        Some(Relation::Duplicate) => 1,
        Some(Relation::Contains | Relation::ContainedBy) => 2,
        Some(Relation::Overlaps) => 3,
    };
    let for_whom = drop.and_then(|(canonical, _)| at?.get(&canonical));
    let slot = texts.slot(report.findings.by_id[rank.at()]);
    (
        report.findings.id(rank),
        page.site.map_or(-1, i64::from),
        page.chars,
        page.bytes,
        // In days. `null` means no date, because days may be negative.
        page.date.map(|date| date.div_euclid(86_400)),
        decision,
        for_whom.map_or(-1, |&at| at as i64),
        page.keys,
        slot.map_or(-1, |slot| slot as i64),
        title(report, rank),
    )
}
