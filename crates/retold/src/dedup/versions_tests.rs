//! Versions of one page, compared with a run over the newest version alone.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::family_tests::{find_within, pages, usual};
use super::tests::{find, limits};
use super::versions::linked_pairs;
use super::*;
use crate::address::{AddressRules, SameUrl, Versions};
use crate::config::JudgeConfig;
use crate::ids::Rank;
use crate::model::Model;
use crate::page::Page;
use crate::read::Source;
use crate::spill::Memory;

const FERRY: &str = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. \
                     The captain said that it was the last boat of the day. Nobody was hurt.";
const BRIDGE: &str = "A new bridge was opened on Monday. The mayor cut the ribbon in front of many people. Traffic had \
                      to take the long way round for two years, and shops had lost half of their customers.";

fn config(method: &str, same_url: SameUrl, versions: Versions) -> JudgeConfig {
    let mut config = JudgeConfig {
        method: method.into(),
        addresses: AddressRules { same_url, versions },
        ..JudgeConfig::default()
    };
    if ["coverage", "shingle"].contains(&method) {
        config.params.insert("sample".into(), "3".into());
    }
    config
}

fn newest(same_url: SameUrl) -> JudgeConfig {
    config("coverage", same_url, Versions::Newest)
}

/// (id, the page that it is dropped for, as what) of all dropped pages.
fn gone(found: &Findings) -> Vec<(String, String, &'static str)> {
    let id = |rank| found.id(rank).into_owned();
    let gone = found.dropped.iter();
    gone.map(|gone| (id(gone.page), id(gone.canonical), gone.relation.name()))
        .collect()
}

fn ids(found: &Findings, versions: &[Rank]) -> Vec<String> {
    versions
        .iter()
        .map(|&page| found.id(page).into_owned())
        .collect()
}

fn line(id: &str, canonical: &str, relation: &'static str) -> (String, String, &'static str) {
    (id.to_owned(), canonical.to_owned(), relation)
}

fn page(id: &str, url: &str, date: &str, text: &str) -> Page {
    Page::text(id, text).with_url(url).with_date(date)
}

#[test]
fn the_newest_stays_and_a_reprint_of_an_older_one_too() {
    let pages = [
        page("old", "http://a.example/x", "2024-01-01", FERRY),
        page(
            "new",
            "http://a.example/x/?utm_source=n#top",
            "2024-01-02",
            BRIDGE,
        ),
        page("reprint", "http://b.example/y", "2024-01-03", FERRY),
    ];
    let found = find_within(&pages, &newest(SameUrl::Normalised), usual());
    assert_eq!(gone(&found), [line("old", "new", "same_url")]);
    assert_eq!(ids(&found, &found.collection.versions[0]), ["new", "old"]);
    assert!(found.pairs.is_empty());
    // Their URLs are not equal.
    let found = find_within(&pages, &newest(SameUrl::Exact), usual());
    assert_eq!(gone(&found), [line("reprint", "old", "duplicate")]);
    assert!(found.collection.versions.is_empty());
    // All versions are compared.
    let keep = config("coverage", SameUrl::Normalised, Versions::Keep);
    let found = find_within(&pages, &keep, usual());
    assert_eq!(gone(&found), [line("reprint", "old", "duplicate")]);
    assert_eq!(ids(&found, &found.collection.versions[0]), ["new", "old"]);
}

#[test]
fn if_the_newest_goes_for_another_page_the_older_ones_name_that_one() {
    let pages = [
        page("a1", "http://a.example/x", "2024-01-01", BRIDGE),
        page("a2", "http://a.example/x", "2024-01-02", FERRY),
        page(
            "b",
            "http://b.example/y",
            "2024-01-01",
            &format!("{FERRY} More of it tomorrow."),
        ),
    ];
    let found = find_within(&pages, &newest(SameUrl::Exact), usual());
    let expected = [line("a1", "b", "same_url"), line("a2", "b", "duplicate")];
    assert_eq!(gone(&found), expected);
}

/// Without dates the most preferred page, here the longest, stays; a page with a date comes before one without.
#[test]
fn what_is_newest() {
    let url = "http://a.example/x";
    let undated = |id: &str, text: &str| Page::text(id, text).with_url(url);
    let derived = |id: &str, date: &str, text: &str| Page {
        derived: true,
        ..page(id, url, date, text)
    };
    let longer = format!("{FERRY} {BRIDGE}");
    let tests: [(Vec<Page>, &[&str]); 5] = [
        (
            vec![undated("a", FERRY), undated("b", &longer)],
            &["b", "a"],
        ),
        (vec![undated("b", FERRY), undated("a", FERRY)], &["a", "b"]),
        (
            vec![undated("a", &longer), page("b", url, "1960-01-01", FERRY)],
            &["b", "a"],
        ),
        // Nothing but a consent dialogue was captured.
        (
            vec![
                page("a", url, "2024-01-01", FERRY),
                page("b", url, "2024-01-02", ""),
            ],
            &["a", "b"],
        ),
        // The text that a crawler made of a page that is there.
        (
            vec![
                page("a", url, "2024-01-01", FERRY),
                derived("b", "2024-01-02", FERRY),
            ],
            &["a", "b"],
        ),
    ];
    for (pages, expected) in tests {
        let found = find_within(&pages, &newest(SameUrl::Exact), usual());
        assert_eq!(ids(&found, &found.collection.versions[0]), expected);
    }
}

/// Old pages stay, whatever their address; a new page that is not newer than one of them goes.
#[test]
fn old_pages_stay() {
    let old = [
        page("old1", "http://a.example/x", "2024-01-01", FERRY),
        page("old2", "http://a.example/y", "2024-01-05", BRIDGE),
    ];
    let new = [
        page("x", "http://a.example/x", "2024-01-02", BRIDGE),
        page("y", "http://a.example/y", "2024-01-05", FERRY),
        page(
            "z",
            "http://a.example/z",
            "2024-01-02",
            "Something else, of which there is no other, was said here.",
        ),
    ];
    let [old, new] = [old.to_vec(), new.to_vec()].map(|pages| vec![Source::of_pages("s", pages)]);
    let model = Model::new(newest(SameUrl::Exact)).unwrap();
    let found = Dedup::new(model).against(old).run(new).unwrap();
    let expected = [
        line("x", "old2", "duplicate"),
        line("y", "old2", "same_url"),
    ];
    assert_eq!(gone(&found), expected);
}

fn linking(id: &str, url: &str, link: &str, text: &str) -> Page {
    let html = format!(
        "<html><head><link rel=canonical href='{link}'></head><body><p>{text}</p></body></html>"
    );
    Page::html(id, html).with_url(url)
}

/// A link alone does not drop a page.
#[test]
fn texts_decide_of_canonical_links() {
    let pages = [
        page("home", "http://a.example/", "2024-01-01", FERRY),
        linking("print", "http://a.example/print", "/", FERRY),
        linking("wrong", "http://b.example/x", "http://a.example/", BRIDGE),
        linking(
            "lost",
            "http://c.example/x",
            "http://nowhere.example/",
            "Nothing like it was ever said of the harbour.",
        ),
        linking(
            "alone",
            "http://c.example/y",
            "http://nowhere.example",
            BRIDGE,
        ),
    ];
    let found = find_within(&pages, &newest(SameUrl::Canonical), usual());
    let expected = [
        line("print", "home", "duplicate"),
        line("wrong", "alone", "duplicate"),
    ];
    assert_eq!(gone(&found), expected);
    assert!(found.collection.versions.is_empty());
    let Findings {
        model,
        collection,
        by_id,
        ..
    } = &found;
    let places: Vec<u32> = (0..5).collect();
    let pairs = linked_pairs(model, collection, by_id, &places).unwrap();
    let pairs = pairs.iter().map(|&(a, b)| (found.id(a), found.id(b)));
    let named: Vec<(String, String)> = pairs.map(|(a, b)| (a.into(), b.into())).collect();
    let expected = [("alone", "lost"), ("home", "print"), ("home", "wrong")];
    assert_eq!(named, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

/// The pages of an address of which a newer one is there, by the rule.
fn superseded(pages: &[Page]) -> BTreeSet<String> {
    let length = |page: &Page| page.content.len();
    let mut of_url: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
    for page in pages {
        if let Some(url) = page.url.as_deref() {
            of_url.entry(url).or_default().push(page);
        }
    }
    let is_elsewhere = |page: &Page| {
        let mut others = pages.iter().filter(|other| other.url != page.url);
        others.any(|other| other.url.is_some() && other.content == page.content)
    };
    let is_lesser = |page: &Page, older: &Page| {
        3 * length(page) < length(older)
            || length(page) < length(older) && is_elsewhere(page) && !is_elsewhere(older)
    };
    let mut gone = BTreeSet::new();
    for versions in of_url.values_mut() {
        versions.sort_by_key(|page| {
            let date = std::cmp::Reverse(page.date.clone());
            (date, std::cmp::Reverse(length(page)), page.id.clone())
        });
        let is_whole = |at: &usize| {
            !versions[at + 1..]
                .iter()
                .any(|older| is_lesser(versions[*at], older))
        };
        let kept = (0..versions.len()).find(is_whole).unwrap();
        let others = versions.iter().enumerate().filter(|(at, _)| *at != kept);
        gone.extend(others.map(|(_, page)| page.id.clone()));
    }
    gone
}

/// A capture that was cut off, or that says what other addresses say, does not replace the article that was there before.
#[test]
fn lesser_captures_do_not_replace_whole_ones() {
    let (x, y) = ("http://a.example/x", "http://a.example/y");
    let login =
        "Please log in to go on reading. It takes no more than a minute, and costs nothing.";
    let pages = [
        page("x1", x, "2024-01-01", FERRY),
        page("x2", x, "2024-01-02", login),
        page("y1", y, "2024-01-01", BRIDGE),
        page("y2", y, "2024-01-02", login),
        page(
            "z1",
            "http://a.example/z",
            "2024-01-01",
            &format!("{FERRY} {BRIDGE} And so it went on."),
        ),
        page(
            "z2",
            "http://a.example/z",
            "2024-01-02",
            "The ferry to Naxos left late because of the storm.",
        ),
    ];
    let found = find_within(&pages, &newest(SameUrl::Exact), usual());
    let versions = found
        .collection
        .versions
        .iter()
        .map(|versions| ids(&found, versions));
    let versions: Vec<Vec<String>> = versions.collect();
    assert_eq!(versions, [["x1", "x2"], ["y1", "y2"], ["z1", "z2"]]);
}

/// The dropped pages and the pairs of a run, by ids.
type Results = (Vec<(String, String, &'static str)>, Vec<[String; 2]>);

fn results(found: &Findings) -> Results {
    let pairs = found.pairs.iter();
    let pairs = pairs.map(|pair| [pair.a, pair.b].map(|page| found.id(page).into_owned()));
    (gone(found), pairs.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_run_is_one_over_the_newest_alone(
        pages in pages(), urls in proptest::collection::vec(prop::option::of(0u32..6), 40),
        family in 1usize..40, heavy in 1usize..12,
    ) {
        let addressed = pages.into_iter().zip(urls).map(|(page, url)| match url {
            Some(url) => page.with_url(format!("http://a.example/{url}")),
            None => page,
        });
        let pages: Vec<Page> = addressed.collect();
        let older = superseded(&pages);
        let rest: Vec<Page> = pages.iter().filter(|page| !older.contains(&page.id)).cloned().collect();
        for method in ["coverage", "shingle", "period"] {
            let alone = find_within(&rest, &config(method, SameUrl::Off, Versions::Newest), usual());
            for (limits, memory) in [
                (usual(), Memory::in_small_parts()),
                (limits(family, heavy), Memory::none(&std::env::temp_dir())),
            ] {
                let source = Source::of_pages("pages", pages.clone());
                let model = Model::new(config(method, SameUrl::Exact, Versions::Newest)).unwrap();
                let all = find(vec![source], model, &memory, limits);
                prop_assert_eq!(all.model.knowledge(), alone.model.knowledge());
                let (texts, versions): (Vec<_>, Vec<_>) = gone(&all).into_iter().partition(|gone| gone.2 != "same_url");
                prop_assert_eq!(&texts, &results(&alone).0, "{}", method);
                let names: BTreeSet<String> = versions.iter().map(|gone| gone.0.clone()).collect();
                prop_assert_eq!(&names, &older);
                // Every dropped page names a kept one.
                let dropped: BTreeSet<&String> = texts.iter().chain(&versions).map(|gone| &gone.0).collect();
                prop_assert!(texts.iter().chain(&versions).all(|gone| !dropped.contains(&gone.1)));
                if limits.component == usual().component {
                    prop_assert_eq!(results(&all).1, results(&alone).1);
                }
            }
            // If all versions stay, addresses make no difference.
            let off = find_within(&pages, &config(method, SameUrl::Off, Versions::Newest), usual());
            for (same_url, versions) in [(SameUrl::Exact, Versions::Keep), (SameUrl::Canonical, Versions::Keep)] {
                let keep = find_within(&pages, &config(method, same_url, versions), usual());
                prop_assert_eq!(results(&keep), results(&off));
            }
        }
    }
}
