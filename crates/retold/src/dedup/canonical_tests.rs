//! Which page is kept, compared with the rule on all pairs.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::context::preference;
use super::family_tests::{dropped, find_within, pages, usual};
use super::tests::limits;
use super::*;
use crate::cluster::{Collections, DropRule};
use crate::config::JudgeConfig;
use crate::ids::Rank;
use crate::model::Model;
use crate::page::Page;
use crate::read::Source;
use crate::relation::Relation;

fn config(method: &str, canonical: &str, drop: DropRule) -> JudgeConfig {
    let mut config = JudgeConfig {
        method: method.into(),
        canonical: canonical.parse().unwrap(),
        drop,
        collections: Collections::Whole,
        ..JudgeConfig::default()
    };
    if method == "coverage" {
        config.params.insert("sample".into(), "3".into());
    }
    config
}

/// A page is kept unless it repeats a preferred page that is kept; it is dropped for the most preferred of these.
fn by_rule(all: &Findings) -> Vec<(Rank, Rank, Relation)> {
    let config = all.model.config();
    let places = preference(&all.collection, &config.canonical, &all.by_id, &()).unwrap();
    let mut order: Vec<Rank> = Rank::first(places.len()).collect();
    order.sort_by_key(|page| places[page.at()]);
    let (mut kept, mut gone): (Vec<Rank>, Vec<_>) = (Vec::new(), Vec::new());
    for page in order {
        let repeats = kept.iter().find_map(|&other| {
            let relation = all.relation(page, other)?;
            let drops = match relation {
                Relation::Duplicate => true,
                Relation::ContainedBy => config.drop != DropRule::Duplicate,
                Relation::Contains | Relation::Overlaps => false,
            };
            drops.then_some((page, other, relation))
        });
        match repeats {
            Some(repeats) => gone.push(repeats),
            None => kept.push(page),
        }
    }
    gone.sort_unstable_by_key(|gone| gone.0);
    gone
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_stated_preference_goes_before_length(
        pages in pages(), scores in proptest::collection::vec(prop::option::of(0u32..4), 40),
        family in 1usize..40, heavy in 1usize..12,
    ) {
        let scored = pages.into_iter().zip(scores).map(|(page, score)| match score {
            Some(score) => page.with_field("score", score.to_string()),
            None => page,
        });
        let pages: Vec<Page> = scored.collect();
        for method in ["coverage", "shingle", "period"] {
            for drop in [DropRule::Both, DropRule::Duplicate] {
                let config = config(method, "field:score:desc,earliest", drop);
                let all = find_within(&pages, &config, usual());
                let expected = by_rule(&all);
                prop_assert_eq!(&dropped(&all), &expected, "{}", method);
                let some = find_within(&pages, &config, limits(family, heavy));
                prop_assert_eq!(dropped(&some), expected, "{}", method);
            }
        }
    }

    /// What is dropped in reverse, and for which page.
    #[test]
    fn with_drop_all_no_page_stays_that_another_goes_for(pages in pages(), family in 1usize..40, heavy in 1usize..12) {
        for method in ["coverage", "shingle", "period"] {
            for canonical in ["longest", "url-length"] {
                let all = find_within(&pages, &config(method, canonical, DropRule::Both), usual());
                let expected: BTreeSet<Rank> =
                    all.dropped.iter().flat_map(|gone| [gone.page, gone.canonical]).collect();
                for limits in [usual(), limits(family, heavy)] {
                    let found = find_within(&pages, &config(method, canonical, DropRule::All), limits);
                    let gone: Vec<Rank> = found.dropped.iter().map(|gone| gone.page).collect();
                    prop_assert!(gone.is_sorted_by(|a, b| a < b));
                    prop_assert_eq!(gone.into_iter().collect::<BTreeSet<_>>(), expected.clone(), "{}", method);
                    for gone in &found.dropped {
                        prop_assert_eq!(all.relation(gone.page, gone.canonical), gone.relation.of_texts());
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A nightly job may pass its kept pages as old ones: under the same model nothing more is dropped.
    #[test]
    fn a_second_run_over_what_is_kept_drops_nothing(
        pages in pages(), sites in proptest::collection::vec(0u32..3, 40), family in 1usize..40, heavy in 1usize..12,
    ) {
        let pages = pages.into_iter().zip(sites);
        let pages: Vec<Page> = pages.map(|(page, site)| page.with_url(format!("http://site{site}.cn/"))).collect();
        for method in ["coverage", "shingle", "period", "tfidf"] {
            for canonical in ["longest", "earliest", "url-length,first"] {
                for drop in [DropRule::Both, DropRule::Duplicate, DropRule::All] {
                    for across in [None, Some("site".to_owned())] {
                        let mut config = config(method, canonical, drop);
                        config.filters.across = across;
                        let first = find_within(&pages, &config, limits(family, heavy));
                        let gone: BTreeSet<usize> =
                            first.dropped.iter().map(|gone| first.by_id[gone.page.at()].at()).collect();
                        let kept = pages.iter().enumerate().filter(|(at, _)| !gone.contains(at));
                        let kept: Vec<Page> = kept.map(|(_, page)| page.clone()).collect();
                        if kept.is_empty() {
                            continue;
                        }
                        let again = Dedup::new(first.model.clone()).limits(limits(family, heavy));
                        let again = again.run(vec![Source::of_pages("kept", kept)]).unwrap();
                        prop_assert_eq!(dropped(&again), vec![], "{} {} {:?}", method, canonical, drop);
                    }
                }
            }
        }
    }
}

/// Worked out by hand: b contains a and c, which are not copies of each other; each rule prefers another page.
#[test]
fn orders_of_preference() {
    let ferry = "The ferry to Naxos left the harbour three hours late because of the storm. Passengers waited at the quay \
                 until noon. The captain said that it was the last boat of the day. ";
    let bread = "Mix four cups of flour with yeast and a spoon of salt. Let the dough rest under a cloth until it has \
                 doubled. Bake it on a hot stone for half an hour, then wait before cutting. ";
    let chess = "The champion gave up a rook in the opening and won it back on move thirty. Two draws and a win later \
                 the match was over, and the hall stood up to applaud both players for minutes. ";
    let pages = || {
        [
            Page::text("a", ferry)
                .with_url("http://www.small.cn/aaaaaaaa")
                .with_field("score", "9"),
            Page::text("b", format!("{ferry}{chess}{bread}"))
                .with_url("https://large.cn/bbbb")
                .with_field("score", "1.5"),
            Page::text("c", bread)
                .with_url("https://other.cn/c")
                .with_field("score", "none"),
        ]
    };
    let run = |config: &JudgeConfig| {
        let found = dedup(pages(), config).unwrap();
        let gone = found.dropped.iter();
        let gone = gone.map(|gone| {
            (
                found.id(gone.page).into_owned(),
                found.id(gone.canonical).into_owned(),
            )
        });
        gone.collect::<Vec<_>>()
    };
    let of = |names: &[(&str, &str)]| {
        let names = names
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        names.collect::<Vec<_>>()
    };
    let order = |canonical| run(&config("coverage", canonical, DropRule::Both));
    assert_eq!(order("longest"), of(&[("a", "b"), ("c", "b")]));
    // The container is not preferred but stays, because it is not a copy of a kept page.
    assert_eq!(order("field:score:desc"), of(&[("c", "b")]));
    assert_eq!(order("field:score:asc"), of(&[("a", "b"), ("c", "b")]));
    assert_eq!(order("https"), of(&[("a", "b"), ("c", "b")]));
    assert_eq!(order("url-length"), of(&[("a", "b")]));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "small.cn\nnowhere.cn\nother.cn\t1\n").unwrap();
    let ranked = JudgeConfig {
        rank: Some(crate::config::FileRef::at(file.path())),
        ..JudgeConfig::default()
    };
    assert_eq!(run(&ranked), of(&[]));
    let model = Model::new(ranked).unwrap();
    assert_eq!(model.config().canonical.to_string(), "rank,longest");
    let wrong = Model::new(config("coverage", "rank", DropRule::Both)).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "canonical `rank` needs a file: name one with --rank FILE"
    );
}
