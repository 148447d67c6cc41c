//! Large families, compared with a run over all their pairs.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::tests::{find, limits};
use super::*;
use crate::cluster::{Cluster, DropRule, Linkage, Pair};
use crate::config::{JudgeConfig, RunConfig};
use crate::ids::Rank;
use crate::model::Model;
use crate::page::{Content, Page};
use crate::read::Source;
use crate::relation::Relation;
use crate::resume::Resume;
use crate::spill::Memory;
use crate::verify::Verified;

/// Pages made of few sentences, so that many are alike and some contain others.
pub(super) fn pages() -> impl Strategy<Value = Vec<Page>> {
    let story = |from: usize, length: usize, tail: usize| {
        let sentence =
            |n: usize| format!("昨天第{n}号渡船离开了港口，码头上的乘客{n}人一直在等待消息。");
        let own = format!("本页编号{tail}，由编辑部{tail}整理发布。");
        (from..from + length).map(sentence).collect::<String>() + &own
    };
    let page = (0usize..4, 1usize..14, 0usize..6, prop::option::of(1u32..28));
    proptest::collection::vec(page, 1..40).prop_map(move |pages| {
        let numbered = pages.into_iter().enumerate();
        let page =
            |(number, (from, length, tail, day)): (usize, (usize, usize, usize, Option<u32>))| {
                let mut page = Page::text(format!("p{number:02}"), story(from, length, tail));
                page.date = day.map(|day| format!("2012-01-{day:02}"));
                page
            };
        numbered.map(page).collect()
    })
}

/// Limits for the sizes of components and of posting lists.
pub(super) fn find_within(pages: &[Page], config: &JudgeConfig, limits: Limits) -> Findings {
    let source = Source::of_pages("pages", pages.to_vec());
    let model = Model::new(config.clone()).unwrap();
    find(vec![source], model, &Memory::in_small_parts(), limits)
}

pub(super) fn dropped(findings: &Findings) -> Vec<(Rank, Rank, Relation)> {
    let dropped = findings.dropped.iter();
    dropped
        .filter_map(|page| Some((page.page, page.canonical, page.relation.of_texts()?)))
        .collect()
}

/// Limits of real runs, except for those that are always small in tests.
pub(super) fn usual() -> Limits {
    limits(Limits::default().component, Limits::default().heavy)
}

/// The pairs that connect pages. Pairs that only overlap are not all searched for or listed.
pub(super) fn connecting(findings: &Findings) -> Vec<Pair> {
    let drop = findings.model.config().drop;
    let pairs = findings.pairs.iter();
    pairs.filter(|pair| drop.connects(pair.relation)).collect()
}

/// What is listed of the components of more pages than the limit, on all pairs.
pub(super) fn large(findings: &Findings, limit: usize) -> BTreeSet<Rank> {
    let pages = findings.by_id.len();
    let places: Vec<u32> = (0..pages as u32).collect();
    let all: Vec<Rank> = Rank::first(pages).collect();
    let pairs = connecting(findings);
    let components = crate::cluster::cluster(&pairs, &[], Linkage::Components, &places, &all);
    let size = |part: &Cluster| -> usize {
        let mut copies: BTreeMap<Option<u128>, usize> = BTreeMap::new();
        for &page in &part.members {
            *copies.entry(findings.page(page).text_hash).or_default() += 1;
        }
        // Two exact copies count as one.
        copies.values().map(|n| n.div_ceil(2)).sum()
    };
    let large = components.into_iter().filter(|part| size(part) > limit);
    large.flat_map(|part| part.members).collect()
}

/// A dropped page is in the cluster of the page that it is dropped for, unless it is a collection, which is in none. Canonical pages are kept.
fn clusters_follow(found: &Findings) -> Result<(), TestCaseError> {
    let cluster_of = found.cluster_of();
    for gone in &found.dropped {
        let [own, kept] = [gone.page, gone.canonical].map(|page| cluster_of[page.at()]);
        match gone.relation.of_texts() {
            Some(_) => prop_assert!(own.is_some() && own == kept),
            None => prop_assert_eq!(own, None),
        }
    }
    let gone: BTreeSet<Rank> = found.dropped.iter().map(|gone| gone.page).collect();
    let mut canonical = found.clusters.iter().map(|cluster| cluster.canonical);
    prop_assert!(canonical.all(|page| !gone.contains(&page)));
    Ok(())
}

pub(super) fn configs() -> Vec<JudgeConfig> {
    let mut configs = Vec::new();
    for method in ["period", "coverage", "shingle", "agglomerate"] {
        for canonical in ["longest", "earliest", "first"] {
            for drop in [DropRule::Both, DropRule::Duplicate] {
                let mut config = JudgeConfig {
                    method: method.into(),
                    canonical: canonical.parse().unwrap(),
                    drop,
                    ..JudgeConfig::default()
                };
                if ["coverage", "shingle"].contains(&method) {
                    config.params.insert("sample".into(), "3".into());
                }
                configs.push(config);
            }
        }
    }
    configs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_kept_does_not_depend_on_limits(pages in pages(), family in 1usize..40, heavy in 1usize..12) {
        let mut greedy = JudgeConfig { drop: DropRule::Overlaps, ..JudgeConfig::default() };
        greedy.params.insert("sample".into(), "3".into());
        for config in configs().into_iter().chain([greedy]) {
            let all = find_within(&pages, &config, usual());
            let some = find_within(&pages, &config, limits(family, heavy));
            prop_assert_eq!(&some.dropped, &all.dropped, "{} {:?} {:?}", config.method, config.canonical, config.drop);
            let large = large(&all, family);
            // Of small components all pairs are listed, of large ones some.
            for pair in connecting(&all).iter().filter(|pair| !large.contains(&pair.a)) {
                prop_assert!(some.pairs.find(pair.a, pair.b).as_ref() == Some(pair), "{} {pair:?}", config.method);
            }
            for pair in connecting(&some) {
                prop_assert!(all.pairs.find(pair.a, pair.b) == Some(pair), "{} {pair:?}", config.method);
            }
            for gone in &some.dropped {
                let relation = gone.relation.of_texts().unwrap_or(Relation::Contains);
                prop_assert_eq!(some.relation(gone.page, gone.canonical), Some(relation));
            }
            clusters_follow(&some)?;
            clusters_follow(&all)?;
            for &(page, size) in &some.large_components {
                prop_assert!(size > family && large.contains(&page));
            }
        }
    }

    /// With everything in temporary files, or all in memory.
    #[test]
    fn memory_makes_no_difference(pages in pages(), family in 1usize..40, heavy in 1usize..12) {
        for config in configs() {
            let run = |memory: Memory| {
                let source = Source::of_pages("pages", pages.clone());
                let model = Model::new(config.clone()).unwrap();
                let found = find(vec![source], model, &memory, limits(family, heavy));
                (found, memory.on_disk())
            };
            let (held, none) = run(Memory::in_small_parts());
            let (spilled, some) = run(Memory::none(&std::env::temp_dir()));
            prop_assert_eq!((none, some > 0), (0, !pages.is_empty()));
            prop_assert_eq!(&spilled.pairs, &held.pairs, "{}", config.method);
            prop_assert_eq!(&spilled.clusters, &held.clusters);
            prop_assert_eq!(&spilled.dropped, &held.dropped);
            prop_assert_eq!(&spilled.large_components, &held.large_components);
            prop_assert_eq!(spilled.model.knowledge(), held.model.knowledge());
            prop_assert_eq!((spilled.candidates, spilled.verified), (held.candidates, held.verified));
        }
    }

    /// With all stages done by an interrupted run, with some of them, and with journals cut off anywhere.
    #[test]
    fn an_interrupted_run_goes_on(pages in pages(), family in 1usize..40, heavy in 1usize..12, cut in 0u64..100) {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("pages.jsonl");
        let line = |page: &Page| match &page.content {
            Content::Unicode { text, .. } => serde_json::json!({"id": page.id, "text": text}).to_string() + "\n",
            Content::Bytes { .. } => String::new(),
        };
        std::fs::write(&input, pages.iter().map(line).collect::<String>()).unwrap();
        for config in configs().into_iter().step_by(6) {
            let sources = crate::read::discover(std::slice::from_ref(&input), &config.read).unwrap();
            let saved = folder.path().join("saved");
            let run = |resume: bool| {
                let model = Model::new(config.clone()).unwrap();
                let resources = RunConfig { resume: resume.then(|| saved.clone()), ..RunConfig::default() };
                let job = Dedup::new(model).resources(&resources).limits(limits(family, heavy));
                let found = job.run_within(sources.clone(), &Memory::in_small_parts()).unwrap();
                (found.pairs, found.clusters, found.dropped, found.large_components, found.candidates, found.verified, found.model.to_json())
            };
            let all = run(false);
            prop_assert_eq!(&run(true), &all, "first {}", config.method);
            let lengths: Vec<(std::path::PathBuf, u64)> = std::fs::read_dir(&saved).unwrap()
                .map(|file| file.unwrap())
                .map(|file| (file.path(), file.metadata().unwrap().len()))
                .collect();
            prop_assert!(lengths.len() >= 2);
            prop_assert_eq!(&run(true), &all, "again {}", config.method);
            for (path, length) in &lengths {
                // Nothing was done twice.
                prop_assert_eq!(std::fs::metadata(path).unwrap().len(), *length, "{}", path.display());
                let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
                file.set_len(length * cut / 100).unwrap();
            }
            prop_assert_eq!(&run(true), &all, "cut {}", config.method);
            Resume::done(&saved).unwrap();
        }
    }

    #[test]
    fn threads_do_not_matter_to_families(pages in pages(), family in 1usize..12, heavy in 1usize..12) {
        let config = JudgeConfig::default();
        let run = |threads| in_pool(threads, || Ok(find_within(&pages, &config, limits(family, heavy)))).unwrap();
        let (one, four) = (run(1), run(4));
        prop_assert_eq!(one.pairs, four.pairs);
        prop_assert_eq!(one.clusters, four.clusters);
        prop_assert_eq!(one.large_components, four.large_components);
    }
}

#[test]
fn a_family_without_limits_on_its_size_is_one_page() {
    let story: String = (0..30)
        .map(|n| format!("The ferry of the day left the harbour late because of storm {n}. "))
        .collect();
    let page = |n: usize| {
        Page::text(
            format!("p{n:04}"),
            format!("Edition {n} of today. {story} Read on: {}.", n * 7),
        )
    };
    for method in ["coverage", "shingle", "period"] {
        let config = JudgeConfig {
            method: method.into(),
            ..JudgeConfig::default()
        };
        let findings = dedup((0..1500).map(page), &config).unwrap();
        assert_eq!(findings.dropped.len(), 1499, "{method}");
        assert_eq!(findings.pairs.len(), 1499, "{method}");
        assert_eq!(
            findings.large_components,
            [(findings.clusters[0].canonical, 1500)]
        );
        assert!(!findings.clusters[0].is_loose());
    }
}

fn sentences(of: usize, count: usize) -> String {
    let sentence = |n| {
        let (ferry, line) = (of * 31 + n, n * of);
        format!("Ferry {ferry} of line {line} left late because of storm {n}. ")
    };
    (0..count).map(sentence).collect()
}

fn quote(n: usize, story: &str) -> Page {
    let [head, foot] = [2 * n, 2 * n + 1].map(|of| sentences(of + 10, 20));
    Page::text(format!("q{n:04}"), format!("{head}{story}{foot}"))
}

/// Pages that quote a story of a large family are dropped for no page, and no page but one for them. They are still listed.
#[test]
fn who_quotes_a_large_family_is_listed_with_it() {
    let story = sentences(1, 30);
    let reprint = |n: usize| {
        Page::text(
            format!("p{n:04}"),
            format!("Edition {n} of today. {story} Read on: {}.", n * 7),
        )
    };
    let quote = |n: usize| quote(n, &story);
    let pages: Vec<Page> = (0..300).map(reprint).chain((0..100).map(quote)).collect();
    for method in ["coverage", "shingle", "period"] {
        let config = JudgeConfig {
            method: method.into(),
            ..JudgeConfig::default()
        };
        let found = find_within(&pages, &config, limits(200, 16));
        let all = find_within(&pages, &config, limits(1000, 1000));
        let quotes = |found: &Findings| -> BTreeSet<Rank> {
            let quotes = Rank::first(pages.len()).filter(|&rank| found.id(rank).starts_with('q'));
            let pairs = found.pairs.to_vec();
            quotes
                .filter(|&rank| pairs.iter().any(|pair| pair.a == rank || pair.b == rank))
                .collect()
        };
        assert_eq!(quotes(&all).len(), 100, "{method}");
        assert_eq!(quotes(&found), quotes(&all), "{method}");
        assert!(found.pairs.len() < 1000, "{method}: {}", found.pairs.len());
        assert_eq!(dropped(&found), dropped(&all), "{method}");
        assert_eq!(found.large_components[0].1, 400, "{method}");
    }
}

/// Many long pages quote a short story and share nothing else: all have heavy keys, but two of them are hardly ever related.
#[test]
fn who_quotes_what_nobody_reprints_is_listed_with_it() {
    let story = sentences(1, 20);
    let quote = |n: usize| quote(n, &story);
    let story_page = Page::text("story", story.clone());
    let pages = (0..1200).map(quote).chain([story_page]);
    let pages: Vec<Page> = pages.collect();
    for method in ["coverage", "shingle", "period"] {
        let config = JudgeConfig {
            method: method.into(),
            ..JudgeConfig::default()
        };
        let found = find_within(&pages, &config, limits(1000, 16));
        let all = find_within(&pages, &config, limits(2000, 2000));
        let listed = |found: &Findings| -> BTreeSet<Rank> {
            let pairs = found.pairs.to_vec();
            pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect()
        };
        assert!(listed(&all).len() > 1190, "{method}");
        assert_eq!(listed(&found), listed(&all), "{method}");
        assert_eq!(dropped(&found), dropped(&all), "{method}");
    }
}

/// Pages of five of the same ten paragraphs, in any order.
fn of_ten_paragraphs() -> Vec<Page> {
    let number = |n: usize| xxhash_rust::xxh3::xxh3_64(&n.to_le_bytes());
    let word = |n: usize| format!("w{} ", number(n) % 100_000);
    let paragraph = |n: usize| (0..40).map(|at| word(40 * n + at)).collect::<String>() + ".";
    let paragraphs: Vec<String> = (0..10).map(paragraph).collect();
    let page = |n: usize| {
        let mut order: Vec<usize> = (0..10).collect();
        order.sort_by_key(|at| number(n * 10 + at));
        let chosen: Vec<&str> = order[..5].iter().map(|&at| &*paragraphs[at]).collect();
        Page::text(format!("p{n:04}"), chosen.join("\n"))
    };
    (0..4000).map(page).collect()
}

/// Each paragraph is on half of the pages, so lists are closed and kept pages may repeat each other, which is counted. Clusters and dropped
/// pages still agree.
#[test]
fn what_is_not_compared_with_all_is_counted() {
    let thin = of_ten_paragraphs();
    let found = find_within(&thin, &JudgeConfig::default(), usual());
    assert!(found.partly_compared > 0, "{}", found.partly_compared);
    for dropped in &found.dropped {
        let has = |cluster: &&Cluster| cluster.members.contains(&dropped.page);
        let cluster = found.clusters.iter().find(has).unwrap();
        assert!(cluster.members.contains(&dropped.canonical));
    }
    let is_dropped = |page: Rank| found.dropped.iter().any(|dropped| dropped.page == page);
    assert!(
        found
            .clusters
            .iter()
            .all(|cluster| !is_dropped(cluster.canonical))
    );
    // Pages with stories of their own leave nothing uncompared.
    let own: Vec<Page> = (0..300)
        .map(|n| Page::text(format!("p{n}"), sentences(n + 1, 12)))
        .collect();
    assert_eq!(
        find_within(&own, &JudgeConfig::default(), usual()).partly_compared,
        0
    );
}

/// Pages of five of the same two hundred paragraphs share one of these with many others, and only overlap. Not all of these pairs are verified,
/// and no page is dropped.
#[test]
fn of_many_pairs_not_all_are_verified() {
    let number = |n: usize| xxhash_rust::xxh3::xxh3_64(&n.to_le_bytes());
    let letter = |digit: u8| char::from(digit - b'0' + b'a');
    let word = |n: usize| -> String {
        let digits = format!("{:07}", number(n) % 10_000_000);
        digits.bytes().map(letter).collect()
    };
    let paragraph = |n: usize| -> Vec<String> { (0..40).map(|at| word(40 * n + at)).collect() };
    let paragraphs: Vec<Vec<String>> = (0..200).map(paragraph).collect();
    let words = |n: usize| -> Vec<String> {
        let mut order: Vec<usize> = (0..200).collect();
        order.sort_by_key(|at| number(n * 200 + at));
        let chosen = order[..5].iter().map(|&at| &paragraphs[at]);
        chosen.flatten().cloned().collect()
    };
    let text = |words: Vec<String>| -> String {
        let paragraphs = words.chunks(40).map(|words| words.join(" ") + ".");
        paragraphs.collect::<Vec<String>>().join("\n")
    };
    let page = |n: usize| Page::text(format!("p{n:04}"), text(words(n)));
    let pages: Vec<Page> = (0..1500).map(page).collect();
    let found = find_within(&pages, &JudgeConfig::default(), usual());
    let Verified {
        checked, unchecked, ..
    } = found.verified;
    assert!(5 * unchecked > checked, "{unchecked} {checked}");
    assert_eq!(found.dropped.len(), 0);
}

#[test]
fn no_more_pages_are_counted_than_are_kept() {
    let thin = of_ten_paragraphs();
    let found = find_within(&thin, &JudgeConfig::default(), usual());
    let kept = thin.len() - found.dropped.len();
    assert!(
        found.partly_compared as usize <= kept,
        "{} of {kept}",
        found.partly_compared
    );
}
