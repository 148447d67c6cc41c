//! Pair filters exclude pages before anything is counted.

use proptest::prelude::*;
use retold::Relation;
use retold::passages::PassageOptions;

use super::*;
use crate::files::{sealed, unseal};
use crate::state::{Manifest, State};

fn across_sites() -> PairFilters {
    PairFilters {
        across: Some("site".to_owned()),
        ..PairFilters::default()
    }
}

fn model(filters: &PairFilters) -> Model {
    let config = JudgeConfig {
        filters: filters.clone(),
        ..JudgeConfig::default()
    };
    Model::new(config).unwrap()
}

fn matches(index: &Index, pages: &[Page]) -> Vec<Vec<(String, Relation)>> {
    let of = |page: &Page| {
        let found = index.matches_of(&page.id, None).unwrap();
        let found = found.into_iter();
        found.map(|of| (of.entry.id, of.verdict.relation)).collect()
    };
    pages.iter().map(of).collect()
}

/// Topic, first sentence, site, language and day of a page.
type Drawn = (u32, u32, u32, Option<&'static str>, Option<u32>);

/// Pages with few distinct texts, sites, languages and days.
fn drawn() -> impl Strategy<Value = Vec<Page>> {
    let lang = proptest::option::of(proptest::sample::select(vec!["en", "zh"]));
    let day = proptest::option::weighted(0.8, 1u32..9);
    let drawn = (0u32..2, 0u32..4, 0u32..3, lang, day);
    proptest::collection::vec(drawn, 1..40).prop_map(|drawn| {
        let pages = drawn.into_iter().enumerate();
        let page = |(number, (topic, from, site, lang, day)): (usize, Drawn)| {
            let mut page = page(&format!("p{number:02}"), &(topic, from..14, site));
            page.date = day.map(|day| format!("2020-01-{day:02}"));
            page.fields
                .extend(lang.map(|lang| ("lang".to_owned(), lang.to_owned())));
            page
        };
        pages.map(page).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Reference: all matches of an index without filters, minus those that the filters exclude.
    #[test]
    fn what_filters_leave_of_all_matches(pages in drawn(), window in 0u32..4) {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        for (across, within) in [(Some("site"), vec![]), (None, vec!["lang"]), (Some("lang"), vec![]), (None, vec![])] {
            let filters = PairFilters {
                across: across.map(str::to_owned),
                within: within.into_iter().map(str::to_owned).collect(),
                window: (window > 0).then(|| format!("{window}d").parse().unwrap()),
            };
            let at = folders.each_ref().map(|folder| folder.path().join(format!("{across:?}{}", filters.within.len())));
            let mut all = make(&at[0], &model(&PairFilters::default()));
            let mut filtered = make(&at[1], &model(&filters));
            for some in pages.chunks(7) {
                for writer in [&mut all, &mut filtered] {
                    let some = prepared(writer, some);
                    writer.add(&some, None).unwrap();
                }
            }
            let scope = |id: &str| filtered.index().side(id).unwrap().scope;
            let mut expected = matches(all.index(), &pages);
            for (page, found) in pages.iter().zip(&mut expected) {
                let own = scope(&page.id);
                found.retain(|(id, _)| filters.forbids(&own, &scope(id)).is_none());
            }
            prop_assert_eq!(&matches(filtered.index(), &pages), &expected);
            // Pair-filter values from segments and from the log.
            prop_assert_eq!(&matches(&Index::open(&at[1]).unwrap(), &pages), &expected);
            prop_assert!(Index::check(&at[1]).unwrap().problems.is_empty());
            filtered.compact(&()).unwrap();
            prop_assert_eq!(&matches(&Index::open(&at[1]).unwrap(), &pages), &expected);
        }
    }
}

/// A page of fourteen sentences that all pages share and one of its own.
fn one_of_many(id: &str, number: u32, site: u32) -> Page {
    let shared: String = (0..14).map(|at| sentence(0, at)).collect();
    let own = sentence(1000 + number, 0);
    Page::text(id, shared + &own).with_url(format!("http://s{site}.example/{id}"))
}

/// More pages than a query has candidates, with more postings than it reads, all on the site of the queried page. The one page on another
/// site is found, whether it is the first or the last.
#[test]
fn forbidden_pages_hide_none() {
    const FORBIDDEN: u32 = 2100;
    let many = || (0..FORBIDDEN).map(|number| one_of_many(&format!("p{number}"), number, 0));
    let allowed = || [one_of_many("allowed", FORBIDDEN, 1)].into_iter();
    let asked = one_of_many("asked", FORBIDDEN + 1, 0);
    for pages in [
        allowed().chain(many()).collect::<Vec<Page>>(),
        many().chain(allowed()).collect(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("index");
        let mut writer = Index::builder(&at).create(&model(&across_sites())).unwrap();
        let pages = prepared(&writer, &pages);
        writer.add(&pages, Some(0)).unwrap();
        let index = writer.index();
        let asked = index.prepare(asked.clone()).unwrap();
        assert!(asked.entry.sketch.keys.len() * FORBIDDEN as usize > crate::query::WORK[0]);
        for limit in [Some(1), Some(20), None] {
            let (_, found) = index.query(&asked, limit).unwrap();
            let ids: Vec<&str> = found.iter().map(|of| &*of.entry.id).collect();
            assert_eq!(ids, ["allowed"], "{limit:?}");
        }
        let options = PassageOptions::default();
        let found = index.passages_of("p0", &options, 20, &());
        let found = found.unwrap().unwrap();
        let ids = found.passages.iter().flat_map(|of| &of.pages);
        assert!(ids.clone().count() > 0 && ids.into_iter().all(|of| of.id == "allowed"));
    }
}

/// Segments written by earlier releases lack pair-filter values; they are read from the entries.
#[test]
fn segments_without_it_are_read() {
    let window = PairFilters {
        window: "1d".parse().ok(),
        ..PairFilters::default()
    };
    let pages: Vec<Page> = (0..12)
        .map(|n| page(&format!("p{n:02}"), &(0, 0..14, n % 2)).with_date(format!("2020-01-{n:02}")))
        .collect();
    let [old, new] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut writer = make(old.path(), &model(&PairFilters::default()));
    for some in pages[..8].chunks(2) {
        let some = prepared(&writer, some);
        writer.add(&some, None).unwrap();
    }
    writer.close().unwrap();
    // Add filters to the model; the entries have the dates.
    let path = old.path().join(Manifest::read(old.path()).unwrap().model);
    assert!(!unseal(&path).unwrap().is_empty());
    std::fs::write(&path, sealed(&model(&window).to_json())).unwrap();
    let state = State::open(old.path(), false).unwrap();
    assert!(
        state
            .segments
            .iter()
            .all(|of| of.facts().unwrap().scopes.is_empty())
    );
    assert!(!state.segments.is_empty());

    let mut other = make(new.path(), &model(&window));
    let mut writer = open(old.path());
    let own = prepared(&other, &pages);
    other.add(&own, None).unwrap();
    // Make new segments, and merged ones of old and new pages.
    for some in pages[8..].chunks(1) {
        let some = prepared(&writer, some);
        writer.add(&some, None).unwrap();
    }
    let expected = matches(other.index(), &pages);
    assert!(expected.iter().any(|of| of.len() == 2));
    assert_eq!(matches(writer.index(), &pages), expected);
    assert_eq!(matches(&Index::open(old.path()).unwrap(), &pages), expected);
    let problems = Index::check(old.path()).unwrap().problems;
    assert_eq!(problems, Vec::<String>::new());
}
