//! Compares pair filters with a slow reference that tests every two pages.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proptest::prelude::*;

use super::pages::TextPages;
use super::run::PairPassages;
use super::tests::{has, has_in, spelled, texts};
use super::{PassageOptions, passages};
use crate::dedup::in_pool;
use crate::dedup::{Dedup, Findings};
use crate::filter::{PairFilters, Scope};
use crate::ids::Rank;
use crate::read::Source;
use crate::spill::Memory;
use crate::stage::StageClock;
use crate::{JudgeConfig, Model, Page, RunConfig};

fn findings(pages: Vec<Page>, filters: &PairFilters, memory: &Memory) -> Findings {
    let config = JudgeConfig {
        filters: filters.clone(),
        ..JudgeConfig::default()
    };
    let job = Dedup::new(Model::new(config).unwrap()).resources(&RunConfig::default());
    job.run_within(vec![Source::of_pages("pages", pages)], memory)
        .unwrap()
}

fn filters() -> impl Strategy<Value = PairFilters> {
    let across = prop::option::of(prop::sample::select(vec!["site", "lang"]));
    let within = prop::sample::select(vec![vec![], vec!["lang"]]);
    let window = prop::option::of(prop::sample::select(vec!["0d", "2d"]));
    (across, within, window).prop_map(|(across, within, window)| PairFilters {
        across: across.map(str::to_owned),
        within: within.into_iter().map(str::to_owned).collect(),
        window: window.and_then(|window| window.parse().ok()),
    })
}

/// Site, day and language of a page.
type PageFields = (Option<usize>, Option<u32>, Option<&'static str>);

fn fields() -> impl Strategy<Value = Vec<PageFields>> {
    let site = prop::option::weighted(0.8, 0usize..3);
    let day = prop::option::weighted(0.8, 1u32..9);
    let lang = prop::option::of(prop::sample::select(vec!["en", "zh"]));
    prop::collection::vec((site, day, lang), 12)
}

/// A page for each text, then the first ones again, so that some are equal.
fn pages(texts: &[Vec<u8>], fields: &[PageFields]) -> (Vec<Page>, Vec<Vec<u8>>) {
    let all: Vec<Vec<u8>> = texts
        .iter()
        .chain(&texts[..texts.len().min(4)])
        .cloned()
        .collect();
    let page = |(at, text): (usize, &Vec<u8>)| {
        let (site, day, lang) = fields[at % fields.len()];
        let mut page = Page::text(format!("{at:03}"), spelled(text, true));
        page.site = site.map(|site| format!("site{site}"));
        page.date = day.map(|day| format!("2012-01-{day:02}"));
        page.fields
            .extend(lang.map(|lang| ("lang".to_owned(), lang.to_owned())));
        page
    };
    (all.iter().enumerate().map(page).collect(), all)
}

/// The part of each page: pages that filters may connect, also through others, by equal values and near dates, are in one part.
fn parts(having: &[usize], scopes: &[Scope], filters: &PairFilters) -> Vec<usize> {
    let is_near = |a: usize, b: usize| {
        let apart = scopes[a]
            .date
            .zip(scopes[b].date)
            .map_or(0, |(a, b)| a.abs_diff(b));
        scopes[a].within == scopes[b].within && filters.reach().is_none_or(|reach| apart <= reach)
    };
    let mut part: Vec<usize> = (0..having.len()).collect();
    for _ in having {
        for a in 0..having.len() {
            for b in 0..having.len() {
                if is_near(having[a], having[b]) {
                    part[a] = part[a].min(part[b]);
                }
            }
        }
    }
    part
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// For every two pages that filters allow, each common run is found, of many pages at least once for each; for other pairs nothing is
    /// found.
    #[test]
    fn filters_forbid_pairs_and_nothing_else(
        texts in texts(), fields in fields(), filters in filters(), least in 3u32..10, max_df in 2u32..5,
    ) {
        prop_assume!(texts.iter().all(|text| !text.is_empty()));
        let (made, all) = pages(&texts, &fields);
        let findings = findings(made, &filters, &Memory::default());
        let options = PassageOptions { min_chars: least, max_df, ..PassageOptions::default() };
        let of = TextPages::of(&findings);
        let found = in_pool(1, || PairPassages::of(&findings, &of, &options, &(), &mut StageClock::default())).unwrap();
        // Ids ascend, so ranks are page numbers.
        let page_of: Vec<usize> = of.pages.iter().map(|page| page.rank.at()).collect();
        let place_of = |page: usize| {
            let copy = of.copies.iter().find(|(copy, _)| copy.at() == page);
            let shown = copy.map_or(page, |(_, of)| of.at());
            page_of.iter().position(|other| *other == shown).unwrap()
        };
        let scopes: Vec<Scope> = (0..all.len()).map(|page| findings.scope(Rank::new(page))).collect();
        // A page represents another with its text only if all filters see the same values in both.
        for (copy, shown) in &of.copies {
            prop_assert_eq!(&all[copy.at()], &all[shown.at()]);
            prop_assert_eq!(scopes[copy.at()], scopes[shown.at()]);
        }
        let mut parts_of: BTreeMap<(usize, usize), [Vec<Range<usize>>; 2]> = BTreeMap::new();
        for [a, b, a_begin, a_end, b_begin, b_end, ..] in found.rows.iter() {
            let (a, b) = (a as usize, b as usize);
            let allowed = filters.forbids(&scopes[page_of[a]], &scopes[page_of[b]]).is_none();
            prop_assert!(allowed, "{a} and {b}: {filters:?}");
            let sides = parts_of.entry((a, b)).or_default();
            sides[0].push(a_begin as usize..a_end as usize);
            sides[1].push(b_begin as usize..b_end as usize);
        }
        for run in all.iter().flat_map(|text| text.windows(least as usize)) {
            if run.iter().collect::<BTreeSet<_>>().len() < 3 {
                continue;
            }
            let having: Vec<usize> = page_of.iter().copied().filter(|&page| has(&all[page], run)).collect();
            let part = parts(&having, &scopes, &filters);
            let df = |number: usize| part.iter().filter(|other| **other == part[number]).count();
            let stands_for = |place: usize| {
                let other = of.pages[place].dropped_for.map(|other| other as usize);
                other.filter(|&other| has(&all[page_of[other]], run)).unwrap_or(place)
            };
            for (number, &one) in having.iter().enumerate() {
                for &other in &having[number + 1..] {
                    let is_allowed = filters.forbids(&scopes[one], &scopes[other]).is_none();
                    if !is_allowed {
                        continue;
                    }
                    let (a, b) = (stands_for(place_of(one)), stands_for(place_of(other)));
                    let (a, b) = (a.min(b), a.max(b));
                    if a == b {
                        continue;
                    }
                    let is_found = |a: usize, b: usize| {
                        let sides = parts_of.get(&(a.min(b), a.max(b)));
                        sides.is_some_and(|[here, there]| {
                            has_in(&all[page_of[a.min(b)]], run, here) && has_in(&all[page_of[a.max(b)]], run, there)
                        })
                    };
                    let is_found = match df(number) > max_df as usize {
                        true => [a, b].iter().all(|&one| (0..page_of.len()).any(|other| is_found(one, other))),
                        false => is_found(a, b),
                    };
                    prop_assert!(is_found, "{run:?} of {a} and {b}: {filters:?}");
                }
            }
        }
        // The result does not depend on memory.
        let folder = tempfile::tempdir().unwrap();
        let (made, _) = pages(&texts, &fields);
        let spilled = self::findings(made, &filters, &Memory::none(folder.path()));
        let rows = |findings: &Findings| {
            let found = in_pool(2, || passages(findings, &options, &())).unwrap();
            (found.pairs().collect::<Vec<_>>(), found.rows().collect::<Vec<_>>(), found.copies)
        };
        prop_assert_eq!(rows(&spilled), rows(&findings));
    }
}

/// One quotation on two sites: across sites it is found once, and two pages of one site are not compared.
#[test]
fn filters_by_hand() {
    let quoted = "to be or not to be that is the question whether tis nobler in the mind to suffer";
    let page = |id: &str, site: &str, date: &str, text: String| {
        let mut page = Page::text(id, text).with_date(date);
        page.site = Some(site.to_owned());
        page
    };
    let essay = format!("Nobody reads the second act of that play. {quoted}, he said aloud.");
    let made = || {
        vec![
            page("a", "one", "2020-01-01", essay.clone()),
            page("b", "one", "2020-01-09", essay.clone()),
            page(
                "c",
                "one",
                "2020-01-02",
                format!("What I remember of my schooldays: {quoted}."),
            ),
            page("d", "two", "2020-01-02", essay.clone()),
        ]
    };
    let options = PassageOptions {
        min_words: 12,
        ..PassageOptions::default()
    };
    let run = |filters: PairFilters| {
        let findings = findings(made(), &filters, &Memory::default());
        let found = passages(&findings, &options, &()).unwrap();
        let pairs: Vec<(u32, u32)> = found.pairs().map(|pair| (pair.a.0, pair.b.0)).collect();
        let copies: Vec<(u32, u32)> = found
            .copies
            .iter()
            .map(|(copy, of)| (copy.0, of.0))
            .collect();
        (pairs, copies)
    };
    // The first page represents all with its text.
    assert_eq!(
        run(PairFilters::default()),
        (vec![(0, 2)], vec![(1, 0), (3, 0)])
    );
    // The page of the other site is not represented, and is compared with both.
    let across = PairFilters {
        across: Some("site".into()),
        ..PairFilters::default()
    };
    assert_eq!(run(across), (vec![(0, 3), (2, 3)], vec![(1, 0)]));
    // Only c and d have equal dates; b is far from all.
    let window = PairFilters {
        window: "1d".parse().ok(),
        ..PairFilters::default()
    };
    assert_eq!(run(window), (vec![(0, 2), (0, 3), (2, 3)], vec![]));
}
