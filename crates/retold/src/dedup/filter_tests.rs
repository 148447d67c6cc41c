//! Pair filters, compared with a slow reference: all pairs of a run without filters, minus those that filters exclude.

use proptest::prelude::*;

use super::context::preference;
use super::family_tests::{connecting, dropped, find_within, large, usual};
use super::retain::{Rules, StoredPairs, Undecided, retain};
use super::tests::{find, limits};
use super::*;
use crate::cluster::{Collections, DropRule, Pair};
use crate::config::JudgeConfig;
use crate::filter::PairFilters;
use crate::ids::{PageNo, Rank};
use crate::model::Model;
use crate::page::Page;
use crate::read::Source;
use crate::relation::Relation;
use crate::spill::Memory;

/// What a page is made of: from which sentence, how many, which last one; its site, day and language.
type Drawn = (
    usize,
    usize,
    usize,
    Option<usize>,
    Option<u32>,
    Option<&'static str>,
);

/// Few texts, many copies of each, on few sites and of few dates.
fn pages() -> impl Strategy<Value = Vec<Page>> {
    let text = |from: usize, length: usize, tail: usize| {
        let sentence =
            |n: usize| format!("昨天第{n}号渡船离开了港口，码头上的乘客{n}人一直在等待消息。");
        let own = format!("本页编号{tail}，由编辑部{tail}整理发布。");
        (from..from + length).map(sentence).collect::<String>() + &own
    };
    let site = prop::option::weighted(0.8, 0usize..3);
    let day = prop::option::weighted(0.8, 1u32..12);
    let lang = prop::option::of(prop::sample::select(vec!["en", "zh"]));
    let page = (0usize..2, 1usize..6, 0usize..2, site, day, lang);
    proptest::collection::vec(page, 1..50).prop_map(move |pages| {
        let page = |(number, drawn): (usize, Drawn)| {
            let (from, length, tail, site, day, lang) = drawn;
            let mut page = Page::text(format!("p{number:02}"), text(from, length, tail));
            page.site = site.map(|site| format!("site{site}"));
            page.date = day.map(|day| format!("2012-01-{day:02}"));
            page.fields
                .extend(lang.map(|lang| ("lang".to_owned(), lang.to_owned())));
            page
        };
        pages.into_iter().enumerate().map(page).collect()
    })
}

fn filters() -> Vec<PairFilters> {
    let across = |name: &str| Some(name.to_owned());
    let within = || vec!["lang".to_owned()];
    let window = |length: &str| length.parse().ok();
    let of = |across, within, window| PairFilters {
        across,
        within,
        window,
    };
    vec![
        of(across("site"), vec![], None),
        of(None, within(), None),
        of(None, vec![], window("2d")),
        of(across("lang"), vec![], window("0d")),
        of(across("site"), within(), window("3d")),
    ]
}

fn configs() -> Vec<JudgeConfig> {
    let mut configs = Vec::new();
    for method in ["coverage", "shingle", "period"] {
        for drop in [DropRule::Both, DropRule::Duplicate] {
            let mut config = JudgeConfig {
                method: method.into(),
                drop,
                // Without parts what is dropped follows from all pairs.
                collections: Collections::Whole,
                ..JudgeConfig::default()
            };
            if method != "period" {
                config.params.insert("sample".into(), "3".into());
            }
            configs.push(config);
        }
    }
    configs
}

/// The pairs of a run without filters that these allow.
fn allowed(all: &Findings, model: &Model, pages: &[Page]) -> Vec<Pair> {
    let scope = |rank: Rank| {
        let page = &pages[all.by_id[rank.at()].at()];
        model.scope_of(page, &model.text(page).unwrap())
    };
    let scopes: Vec<_> = Rank::first(pages.len()).map(scope).collect();
    let filters = &model.config().filters;
    let is_allowed = |pair: &Pair| {
        filters
            .forbids(&scopes[pair.a.at()], &scopes[pair.b.at()])
            .is_none()
    };
    connecting(all).into_iter().filter(is_allowed).collect()
}

/// What these pairs drop.
fn dropped_by(found: &Findings, pairs: &[Pair]) -> Vec<(Rank, Rank, Relation)> {
    let config = found.model.config();
    let places = preference(&found.collection, &config.canonical, &found.by_id, &()).unwrap();
    let rules = Rules {
        contained: config.drop == DropRule::Both,
        overlaps: false,
        containers_first: true,
        collections: true,
    };
    let undecided = Undecided {
        preference: &places,
        is_old: &[],
        parts: None,
    };
    let mut stored = StoredPairs::new(places.len(), pairs, &places);
    let retained = retain(rules, undecided, &mut stored).unwrap();
    let dropped = retained.dropped.into_iter();
    dropped
        .filter_map(|page| Some((page.page, page.canonical, page.relation.of_texts()?)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_run_with_filters_is_all_pairs_without_those_that_they_forbid(
        pages in pages(), family in 1usize..40, heavy in 1usize..12,
    ) {
        for config in configs() {
            let all = find_within(&pages, &config, limits(usize::MAX, usize::MAX));
            for filters in filters() {
                let config = JudgeConfig { filters, ..config.clone() };
                let model = Model::new(config.clone()).unwrap();
                let expected = allowed(&all, &model, &pages);
                let usual = find_within(&pages, &config, usual());
                prop_assert_eq!(connecting(&usual), expected.clone(), "{} {:?}", config.method, config.filters);
                let gone = dropped_by(&usual, &expected);
                prop_assert_eq!(dropped(&usual), gone.clone());
                // With large families and heavy keys, in files, on one thread.
                let some = in_pool(1, || {
                    let source = Source::of_pages("pages", pages.clone());
                    let memory = Memory::none(&std::env::temp_dir());
                    Ok(find(vec![source], model.clone(), &memory, limits(family, heavy)))
                }).unwrap();
                prop_assert_eq!(dropped(&some), gone, "{} {:?}", config.method, config.filters);
                let large = large(&usual, family.div_ceil(2));
                for pair in &expected {
                    let is_listed = some.pairs.find(pair.a, pair.b).as_ref() == Some(pair);
                    prop_assert!(is_listed || large.contains(&pair.a), "{} {pair:?}", config.method);
                }
                for pair in connecting(&some) {
                    prop_assert!(expected.binary_search_by_key(&(pair.a, pair.b), |p| (p.a, p.b)).is_ok());
                }
                for gone in &some.dropped {
                    prop_assert_eq!(some.relation(gone.page, gone.canonical), gone.relation.of_texts());
                }
            }
        }
    }
}

/// So many copies of one text that no pairs are made beforehand: copies of each day, or of one site, are compared only with each other.
#[test]
fn many_copies_go_by_date_and_site() {
    const DAYS: usize = 3000;
    let text = "The ferry left the harbour late because of the storm, and came back at night.";
    let page = |n: usize| {
        let seconds = 86_400 * n as i64;
        let date = jiff::Timestamp::from_second(seconds).unwrap().to_string();
        Page::text(format!("p{n:04}"), text).with_date(date)
    };
    let run = |filters: PairFilters, page: &dyn Fn(usize) -> Page| {
        let config = JudgeConfig {
            filters,
            ..JudgeConfig::default()
        };
        let found = dedup((0..DAYS).map(page), &config).unwrap();
        let is_gone = |n: usize| {
            let rank = Rank::new(
                found
                    .by_id
                    .iter()
                    .position(|page| *page == PageNo::new(n))
                    .unwrap(),
            );
            found
                .dropped
                .iter()
                .find(|gone| gone.page == rank)
                .map(|gone| gone.canonical.at())
        };
        (0..DAYS).map(is_gone).collect::<Vec<Option<usize>>>()
    };
    // The first of ten days and the nine behind it; all are as long, so the smallest id is preferred.
    let window = PairFilters {
        window: "9d".parse().ok(),
        ..PairFilters::default()
    };
    let expected = |n: usize| Some(n - n % 10).filter(|&first| first < n);
    assert_eq!(
        run(window, &page),
        (0..DAYS).map(expected).collect::<Vec<_>>()
    );
    // Of 1,500 sites with two copies each only the first one's stay.
    let across = PairFilters {
        across: Some("site".into()),
        ..PairFilters::default()
    };
    let of_site = |n: usize| {
        let mut page = page(n);
        page.site = Some(format!("site{}", n / 2));
        page
    };
    let expected = |n: usize| (n > 1).then_some(0);
    assert_eq!(
        run(across, &of_site),
        (0..DAYS).map(expected).collect::<Vec<_>>()
    );
}
