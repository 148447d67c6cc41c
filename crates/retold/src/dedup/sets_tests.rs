//! Real sets, with all data in memory and with all data in files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::against_tests::by_rule;
use super::context::preference;
use super::family_tests::{connecting, dropped, large, usual};
use super::tests::{find, limits};
use super::*;
use crate::cluster::{Collections, Pair};
use crate::config::JudgeConfig;
use crate::ids::{PageNo, Rank, SketchNo};
use crate::method::Trace;
use crate::model::Model;
use crate::read::{Source, discover};
use crate::relation::Relation;
use crate::spill::Memory;

#[path = "../../tests/it/data.rs"]
mod data;

/// The pages of a labelled set, if the data is on this machine.
fn pages_of(set: &str) -> Option<PathBuf> {
    let set = data::labelled_set(set)?;
    let pages = ["pages", "pages.jsonl"].map(|name| set.join(name));
    pages.into_iter().find(|pages| pages.exists())
}

#[test]
fn sets_are_the_same_in_memory_and_in_files() {
    let folder = tempfile::tempdir().unwrap();
    for set in ["webis", "wooyun", "eventmonitor", "families"] {
        let Some(pages) = pages_of(set) else {
            continue;
        };
        let run = |memory: Memory| {
            let model = Model::new(JudgeConfig::default()).unwrap();
            let sources = discover(std::slice::from_ref(&pages), &model.config().read).unwrap();
            let found = find(sources, model, &memory, usual());
            (found, memory.on_disk())
        };
        let (held, none) = run(Memory::default());
        assert!(none == 0 && held.pairs.len() > 100, "{set}");
        let (spilled, some) = run(Memory::none(folder.path()));
        assert!(some > 1 << 20, "{set}: {some} bytes in files");
        assert!(held.pairs == spilled.pairs, "{set}");
        assert_eq!(held.clusters, spilled.clusters, "{set}");
        assert_eq!(held.dropped, spilled.dropped, "{set}");
        assert_eq!(held.model.knowledge(), spilled.model.knowledge(), "{set}");
    }
}

/// Every second record of a set is old.
fn halves(pages: &Path, folder: &Path) -> [Vec<Source>; 2] {
    let read = JudgeConfig::default().read;
    if pages.is_dir() {
        let sources = discover(&[pages.to_owned()], &read).unwrap();
        let (new, old): (Vec<_>, Vec<_>) = sources
            .into_iter()
            .enumerate()
            .partition(|(at, _)| at % 2 == 0);
        return [new, old].map(|half| half.into_iter().map(|(_, source)| source).collect());
    }
    let text = std::fs::read_to_string(pages).unwrap();
    [0, 1].map(|half| {
        let lines: Vec<&str> = text.lines().skip(half).step_by(2).collect();
        let file = folder.join(format!("{half}.jsonl"));
        std::fs::write(&file, lines.join("\n")).unwrap();
        discover(&[file], &read).unwrap()
    })
}

/// Keys that more exact groups have are heavy.
const HEAVY: usize = 128;

/// The keys that more than [`HEAVY`] groups have.
fn heavy_keys(all: &Findings, is_old: &[bool]) -> BTreeSet<u64> {
    let mut holders: BTreeMap<u64, BTreeSet<_>> = BTreeMap::new();
    for rank in Rank::first(is_old.len()) {
        let (page, pruned) = (all.page(rank), all.pruned(rank));
        let group = (page.text_hash, pruned.0, page.main_chars, is_old[rank.at()]);
        for &key in all.pruned.sketches().get(SketchNo(pruned.0)).as_ref().keys {
            holders.entry(key).or_default().insert(group);
        }
    }
    holders.retain(|_, groups| groups.len() > HEAVY);
    holders.into_keys().collect()
}

/// The pages of pairs that only bigrams relate. Such pages are compared if they have no similar page, which is not known of old pages.
fn told_again(findings: &Findings) -> Vec<Rank> {
    let by_bigrams = |pair: &Pair| {
        let [a, b] = [pair.a, pair.b].map(|page| findings.pruned.get(findings.pruned(page)));
        let estimate = findings
            .model
            .relate(a.as_ref(), b.as_ref(), &mut Trace::off());
        estimate.is_none()
    };
    let pairs = connecting(findings).into_iter().filter(by_bigrams);
    pairs.flat_map(|pair| [pair.a, pair.b]).collect()
}

/// New pages against old ones, with collections dropped for their parts, large components and heavy keys, compared with the rule on all
/// pairs of one run over both: the same pages are dropped for the same others. All verdicts are those of that run; pairs that are not
/// listed are in large components, or between pages that share only heavy keys.
#[test]
fn new_pages_of_sets_go_by_all_pairs() {
    let memory = Memory::default();
    let config = JudgeConfig {
        collections: Collections::Whole,
        ..JudgeConfig::default()
    };
    let model = || Model::new(config.clone()).unwrap();
    for (set, family) in [
        ("webis", 5),
        ("wooyun", 5),
        ("eventmonitor", 20),
        ("families", 1000),
    ] {
        let Some(pages) = pages_of(set) else {
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        let [new, old] = halves(&pages, folder.path());
        let both = [&new[..], &old[..]].concat();
        let all = find(both, model(), &memory, limits(usize::MAX, usize::MAX));
        let is_old = |&page: &PageNo| all.collection.page(page).source as usize >= new.len();
        let is_old: Vec<bool> = all.by_id.iter().map(is_old).collect();
        let job = Dedup::new(model())
            .against(old)
            .limits(limits(family, HEAVY));
        let found = job.run_within(new, &memory).unwrap();

        let canonical = &all.model.config().canonical;
        let places = preference(&all.collection, canonical, &all.by_id, &()).unwrap();
        let expected = by_rule(&all, &is_old, &places);
        assert!(expected.len() > 10, "{set}: {}", expected.len());
        let told_again = [told_again(&all), told_again(&found)].concat();
        let settled = |dropped: Vec<(Rank, Rank, Relation)>| {
            let dropped = dropped.into_iter();
            let dropped = dropped.filter(|(page, ..)| !told_again.contains(page));
            dropped.collect::<Vec<_>>()
        };
        assert_eq!(settled(dropped(&found)), settled(expected), "{set}");
        for pair in connecting(&found) {
            if !told_again.contains(&pair.a) && !told_again.contains(&pair.b) {
                assert_eq!(all.pairs.find(pair.a, pair.b), Some(pair), "{set}");
            }
        }

        let (large, heavy) = (large(&all, family), heavy_keys(&all, &is_old));
        let keys = |page: Rank| {
            let sketch = all.pruned.sketches().get(SketchNo(all.pruned(page).0));
            sketch.as_ref().keys.to_vec()
        };
        let shares_more = |pair: &Pair| {
            let other = keys(pair.b);
            let mut shared = keys(pair.a).into_iter().filter(|key| other.contains(key));
            shared.any(|key| !heavy.contains(&key))
        };
        let unexplained = connecting(&all).into_iter().find(|pair| {
            !(is_old[pair.a.at()] && is_old[pair.b.at()])
                && found.pairs.find(pair.a, pair.b).is_none()
                && !large.contains(&pair.a)
                && shares_more(pair)
        });
        assert_eq!(unexplained, None, "{set}");
    }
}
