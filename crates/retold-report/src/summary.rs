//! `summary.json`: the statistics of a run.

use std::collections::{BTreeMap, BTreeSet};

use retold::internal::{AmbiguousDates, ExtractionCounts};
use retold::{DropRule, DroppedAs, Findings, Rank, Relation, SameUrl};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::flagged::{Flagged, flagged};
use crate::gains::{Gain, gains};
use crate::losses::Losses;
use crate::output::Request;
use crate::tally::Tallies;

/// The statistics of a run: the content of `summary.json`, also printed at the end.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Records by outcome.
    pub records: Records,
    /// Old pages compared with; for an index, those that may be related.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_pages: Option<u64>,
    /// New pages that are also among the old pages: same id and same text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_self: Option<u64>,
    /// Pages that are kept although a kept page contains them, because a rule of `--canonical` prefers them. In large components, counts
    /// only listed pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_in_longer: Option<u64>,
    /// Addresses with several pages, and pages dropped as older versions; only with `same_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_url: Option<Versions>,
    /// Skipped records that are not in `kept/` because they belong to dropped pages: requests, metadata and revisits of WARC files. Omitted
    /// if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
    /// Lines of `pairs.jsonl`.
    pub pairs: u64,
    /// Pairs by relation; `contains` counts both directions.
    pub relations: Relations,
    /// Overlapping pairs that are not listed. For each page, the most similar ones are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub overlaps_not_listed: u64,
    /// Words that only dropped pages have. Omitted if the method does not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
    /// Lines of `clusters.jsonl`.
    pub clusters: u64,
    /// Pages of the largest cluster.
    pub largest_cluster: u64,
    /// Suspicious clusters.
    pub flagged: Vec<Flagged>,
    /// Sites for whose pages many pages of other sites were dropped.
    pub gains: Vec<Gain>,
    /// Inputs and sites whose pages were dropped. Like `gains`, it counts pages that are only marked, too.
    pub losses: Losses,
    /// Connected components that are too large to list all pairs.
    pub large_components: Vec<LargeComponent>,
    /// Bytes of records.
    pub bytes: Bytes,
    /// How the main text was found, if the method saw main text only.
    pub extraction: ExtractionCounts,
    /// How ambiguous dates were read, where day and month could be swapped.
    pub ambiguous_dates: AmbiguousDates,
    /// Statistics of sketches and candidates.
    pub sketches: SketchCounts,
    /// Options needed to repeat the run.
    pub parameters: Map<String, Value>,
    /// Inputs as they were named.
    pub inputs: Vec<String>,
    /// Values that differ from run to run: times, memory, versions.
    pub run: Run,
}

/// Records by outcome: read = kept + dropped + rejected + skipped.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Records {
    /// All records.
    pub read: u64,
    /// Kept pages.
    pub kept: u64,
    /// Pages dropped because they repeat a kept page.
    pub dropped: u64,
    /// Records that could not be read.
    pub rejected: u64,
    /// Records that are no pages.
    pub skipped: u64,
    /// Skipped records by kind.
    pub skipped_by_kind: BTreeMap<String, u64>,
}

/// Pages with the same address.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Versions {
    /// Lines of `versions.jsonl`: addresses with several pages.
    pub addresses: u64,
    /// Pages dropped because there is a newer page with the same address.
    pub dropped: u64,
}

/// Pairs by relation.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Relations {
    /// Pages that repeat each other.
    pub duplicate: u64,
    /// Pairs in which one page contains the other.
    pub contains: u64,
    /// Pairs that share text while each page has content of its own.
    pub overlaps: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Words in passages that only dropped pages have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Lost {
    /// Dropped pages with such words; exact copies have none.
    pub pages: u64,
    /// Number of these words.
    pub words: u64,
    /// The largest number of such words in one page.
    pub largest: u64,
}

impl Lost {
    /// Sums up the numbers of such words of dropped pages.
    fn of(words: impl Iterator<Item = u32>) -> Lost {
        words
            .filter(|&words| words > 0)
            .fold(Lost::default(), |lost, words| Lost {
                pages: lost.pages + 1,
                words: lost.words + u64::from(words),
                largest: lost.largest.max(u64::from(words)),
            })
    }
}

impl Relations {
    fn of(relations: impl Iterator<Item = Relation>) -> Relations {
        let mut counts = Relations::default();
        for relation in relations {
            match relation {
                Relation::Duplicate => counts.duplicate += 1,
                Relation::Contains | Relation::ContainedBy => counts.contains += 1,
                Relation::Overlaps => counts.overlaps += 1,
            }
        }
        counts
    }
}

/// A component for which only deciding pairs are listed.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LargeComponent {
    /// Its most preferred page.
    pub canonical: String,
    /// Number of pages.
    pub pages: u64,
}

/// Bytes of records as read, decompressed.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Bytes {
    /// Bytes of all records.
    pub read: u64,
    /// Bytes of dropped pages.
    pub dropped: u64,
}

/// Statistics of sketches and candidates.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SketchCounts {
    /// Distinct sketches.
    pub different: u64,
    /// Pages with an empty sketch; they match only exact copies.
    pub empty: u64,
    /// Features found to be noise.
    pub noise: u64,
    /// Candidate pairs of sketches.
    pub candidates: u64,
    /// Pairs verified on their texts.
    pub checked: u64,
    /// Pairs rejected by verification.
    pub refuted: u64,
    /// Pairs that can only overlap, not verified because a page has many others.
    pub unchecked: u64,
    /// Kept pages that were not compared with every page sharing their most common keys.
    pub partly_compared: u64,
}

/// Values that differ from run to run.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// Version of retold.
    pub version: &'static str,
    /// Number of threads.
    pub threads: u64,
    /// Seconds of each stage, in order.
    pub seconds: Vec<(String, f64)>,
    /// Seconds by kind of work, summed over all threads ([`retold::internal::Spent`]).
    pub thread_seconds: Vec<(String, f64)>,
    /// Peak memory of the process in bytes, if known.
    pub peak_memory: Option<u64>,
    /// Bytes written to temporary files.
    pub temporary_files: u64,
    /// Working directory of the run; relative inputs refer to it.
    pub directory: String,
}

impl Records {
    /// Counts the records of a run by outcome.
    pub(crate) fn of(findings: &Findings) -> Records {
        let collection = &findings.collection;
        let dropped = findings.dropped.len() as u64;
        Records {
            read: collection.read,
            kept: (collection.pages.len() - findings.old_pages) as u64 - dropped,
            dropped,
            rejected: collection.rejects.len() as u64,
            skipped: collection.skipped.values().sum(),
            skipped_by_kind: collection.skipped.clone(),
        }
    }
}

impl Summary {
    /// The statistics of a run. Times are filled in at its end.
    pub(crate) fn of(findings: &Findings, tallies: &Tallies, request: &Request) -> Summary {
        let output = &request.output;
        let collection = &findings.collection;
        let pages = (collection.pages.len() - findings.old_pages) as u64;
        let dropped = if output.mark {
            0
        } else {
            findings.dropped.len() as u64
        };
        let bytes_dropped = match output.mark {
            true => 0,
            false => findings
                .dropped
                .iter()
                .map(|drop| findings.page(drop.page).bytes)
                .sum(),
        };
        let lost = findings.dropped.iter().filter(|_| !output.mark);
        Summary {
            records: Records {
                kept: pages - dropped,
                dropped,
                ..Records::of(findings)
            },
            old_pages: (findings.old_pages > 0).then_some(findings.old_pages as u64),
            against_self: (findings.own_pages > 0).then_some(findings.own_pages as u64),
            kept_in_longer: kept_in_longer(findings),
            same_url: versions(findings, output.mark),
            left_out: None,
            pairs: findings.pairs.len() as u64,
            relations: Relations::of(findings.pairs.iter().map(|pair| pair.relation)),
            overlaps_not_listed: findings.overlaps_not_listed,
            lost: findings
                .model
                .method()
                .counts_own()
                .then(|| Lost::of(lost.map(|drop| drop.lost))),
            clusters: findings.clusters.len() as u64,
            largest_cluster: largest(findings),
            flagged: flagged(findings, output.alarm_size),
            gains: gains(findings, &tallies.sites),
            losses: Losses::of(findings, tallies),
            large_components: large_components(findings),
            bytes: Bytes {
                read: collection.bytes,
                dropped: bytes_dropped,
            },
            extraction: collection.extraction,
            ambiguous_dates: collection.ambiguous_dates,
            sketches: sketch_counts(findings),
            parameters: request.parameters(findings.model.config()),
            inputs: request.inputs.clone(),
            run: Run::default(),
        }
    }
}

/// Counts pages with the same address, if versions were searched for; with `mark` none is dropped.
fn versions(findings: &Findings, mark: bool) -> Option<Versions> {
    let is_on = findings.model.config().addresses.same_url != SameUrl::Off;
    let dropped = findings.dropped.iter();
    let dropped = dropped.filter(|drop| !mark && drop.relation == DroppedAs::SameUrl);
    is_on.then(|| Versions {
        addresses: findings.collection.versions.len() as u64,
        dropped: dropped.count() as u64,
    })
}

/// Kept pages that another kept page contains; `None` if there are none, or if contained pages are always kept.
fn kept_in_longer(findings: &Findings) -> Option<u64> {
    if findings.model.config().drop == DropRule::Duplicate {
        return None;
    }
    let dropped: BTreeSet<Rank> = findings.dropped.iter().map(|gone| gone.page).collect();
    let pairs = findings.pairs.iter();
    let inner = pairs.filter_map(|pair| match pair.relation {
        _ if dropped.contains(&pair.a) || dropped.contains(&pair.b) => None,
        Relation::Contains => Some(pair.b),
        Relation::ContainedBy => Some(pair.a),
        Relation::Duplicate | Relation::Overlaps => None,
    });
    let first_old = findings.collection.pages.len() - findings.old_pages;
    let is_new = |page: &Rank| findings.by_id[page.at()].at() < first_old;
    let inner: BTreeSet<Rank> = inner.filter(is_new).collect();
    (!inner.is_empty()).then_some(inner.len() as u64)
}

fn sketch_counts(findings: &Findings) -> SketchCounts {
    let pages = findings.collection.pages.iter();
    let known = findings.model.knowledge();
    SketchCounts {
        different: findings.sketches().len() as u64,
        empty: pages.filter(|page| page.keys == 0).count() as u64,
        noise: known.map_or(0, |known| known.noise() as u64),
        candidates: findings.candidates,
        partly_compared: findings.partly_compared,
        checked: findings.verified.checked,
        refuted: findings.verified.refuted,
        unchecked: findings.verified.unchecked,
    }
}

fn largest(findings: &Findings) -> u64 {
    findings
        .clusters
        .iter()
        .map(|cluster| cluster.members.len())
        .max()
        .unwrap_or(0) as u64
}

fn large_components(findings: &Findings) -> Vec<LargeComponent> {
    let components = findings.large_components.iter();
    components
        .map(|&(canonical, pages)| LargeComponent {
            canonical: findings.id(canonical).into_owned(),
            pages: pages as u64,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_words_are_added_up() {
        assert_eq!(Lost::of([].into_iter()), Lost::default());
        let expected = Lost {
            pages: 3,
            words: 20,
            largest: 11,
        };
        assert_eq!(Lost::of([0, 4, 11, 0, 5].into_iter()), expected);
    }

    #[test]
    fn relations_are_counted_by_name_in_both_directions() {
        use Relation::*;
        let all = [
            Contains,
            Duplicate,
            Overlaps,
            ContainedBy,
            Overlaps,
            Overlaps,
        ];
        let counts = Relations::of(all.into_iter());
        assert_eq!(
            (counts.duplicate, counts.contains, counts.overlaps),
            (1, 2, 3)
        );
    }
}
