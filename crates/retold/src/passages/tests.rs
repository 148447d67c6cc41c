//! Compares the guarantee with a slow reference, and results with figures worked out by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proptest::prelude::*;

use super::pages::TextPages;
use super::run::PairPassages;
use super::{PassageOptions, passages, passages_of};
use crate::dedup::in_pool;
use crate::dedup::{Dedup, Findings};
use crate::ids::Rank;
use crate::read::Source;
use crate::spill::Memory;
use crate::stage::StageClock;
use crate::text::Text;
use crate::{JudgeConfig, Model, Page, RunConfig};

fn findings(pages: Vec<Page>, memory: &Memory) -> Findings {
    let model = Model::new(JudgeConfig::default()).unwrap();
    let job = Dedup::new(model).resources(&RunConfig::default());
    job.run_within(vec![Source::of_pages("pages", pages)], memory)
        .unwrap()
}

/// Texts over few words, with runs that several texts have, once or repeatedly.
pub(super) fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let run = prop::collection::vec(0u8..40, 4..24);
    let shared = prop::collection::vec(run, 1..4);
    shared.prop_flat_map(|shared| {
        let own = prop::collection::vec(0u8..40, 0..12);
        let again = prop::sample::select(shared).prop_flat_map(|run| {
            (1usize..8).prop_map(move |times| run.repeat(if times > 6 { 6 } else { 1 }))
        });
        let part = prop_oneof![own, again];
        let text = prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat());
        prop::collection::vec(text, 2..7)
    })
}

/// Words of the Latin alphabet, or characters.
pub(super) fn spelled(words: &[u8], is_chinese: bool) -> String {
    let character = |word: &u8| char::from_u32(0x4E00 + u32::from(*word) * 7).unwrap();
    match is_chinese {
        true => words.iter().map(character).collect(),
        false => {
            let word = |word: &u8| {
                format!("w{}x", char::from(b'a' + word / 8))
                    + &"yzvut"[..usize::from(word % 5)]
                    + ["a", "b"][usize::from(word % 2)]
            };
            words.iter().map(word).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Whether a text has a run within one of these parts.
pub(super) fn has_in(text: &[u8], run: &[u8], parts: &[Range<usize>]) -> bool {
    parts.iter().any(|part| has(&text[part.clone()], run))
}

pub(super) fn has(text: &[u8], run: &[u8]) -> bool {
    text.windows(run.len()).any(|words| words == run)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every run of the minimum length that two pages share is in a passage of both; if many pages have it, in a passage of each with some
    /// other. Text that a page takes from the page for which it is dropped counts as that page's.
    #[test]
    fn all_common_runs_are_found(texts in texts(), least in 3u32..12, max_df in 2u32..5, is_chinese in any::<bool>()) {
        let texts: Vec<Vec<u8>> = texts.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        let ids = 0..texts.len();
        let pages: Vec<Page> = ids.map(|at| Page::text(format!("{at:03}"), spelled(&texts[at], is_chinese))).collect();
        // Each word is one token, so that the reference can count in numbers.
        prop_assume!(texts.iter().all(|text| !text.is_empty()));
        let distinct: BTreeSet<String> = texts.iter().map(|text| spelled(text, is_chinese)).collect();
        prop_assume!(distinct.len() == texts.len());
        let findings = findings(pages, &Memory::default());
        let options = PassageOptions { min_words: least, min_chars: least, max_df, ..PassageOptions::default() };
        let of = TextPages::of(&findings);
        prop_assert_eq!(of.pages.len(), texts.len());
        let found = in_pool(1, || PairPassages::of(&findings, &of, &options, &(), &mut StageClock::default())).unwrap();
        let mut parts: BTreeMap<(u32, u32), [Vec<Range<usize>>; 2]> = BTreeMap::new();
        for [a, b, a_begin, a_end, b_begin, b_end, ..] in found.rows.iter() {
            let sides = parts.entry((a, b)).or_default();
            sides[0].push(a_begin as usize..a_end as usize);
            sides[1].push(b_begin as usize..b_end as usize);
        }
        let least = least as usize;
        let runs: BTreeSet<&[u8]> = texts.iter().flat_map(|text| text.windows(least)).collect();
        for run in runs {
            let having: Vec<usize> = (0..texts.len()).filter(|&page| has(&texts[page], run)).collect();
            if run.iter().collect::<BTreeSet<_>>().len() < 3 {
                continue;
            }
            let are_many = having.len() > max_df as usize;
            let stands_for = |page: usize| {
                let other = of.pages[page].dropped_for.map(|other| other as usize);
                other.filter(|&other| has(&texts[other], run)).unwrap_or(page)
            };
            let having: BTreeSet<usize> = having.into_iter().map(stands_for).collect();
            let is_found = |a: usize, b: usize| {
                let sides = parts.get(&(a as u32, b as u32));
                sides.is_some_and(|[one, other]| has_in(&texts[a], run, one) && has_in(&texts[b], run, other))
            };
            if are_many && having.len() > 1 {
                for &a in &having {
                    let is_found = (0..texts.len()).any(|b| is_found(a.min(b), a.max(b)));
                    prop_assert!(is_found, "{run:?} of {a} in {texts:?}");
                }
                continue;
            }
            for &a in &having {
                for &b in having.range(a + 1..) {
                    prop_assert!(is_found(a, b), "{run:?} of {a} and {b} in {texts:?}");
                }
            }
        }
    }

    /// Every run of the minimum length that a text shares with another is in a passage, on both sides, however many texts have it.
    #[test]
    fn all_runs_of_a_text_are_found(texts in texts(), least in 3u32..12) {
        let model = Model::new(JudgeConfig::default()).unwrap();
        // Characters are words, so that places equal those of the reference.
        let text = |words: &Vec<u8>| model.text(&Page::text("page", spelled(words, true))).unwrap();
        let (first, others): (Vec<u8>, &[Vec<u8>]) = (texts[0].clone(), &texts[1..]);
        prop_assume!(texts.iter().all(|text| !text.is_empty()));
        let options = PassageOptions { min_chars: least, max_df: 2, ..PassageOptions::default() };
        let found = passages_of(&text(&first), &others.iter().map(text).collect::<Vec<_>>(), &options, &model, &()).unwrap();
        let range = |(begin, end): (u32, u32)| begin as usize..end as usize;
        let varied = |run: &&[u8]| run.iter().collect::<BTreeSet<_>>().len() > 2;
        for run in first.windows(least as usize).filter(varied) {
            for (number, other) in others.iter().enumerate().filter(|(_, other)| has(other, run)) {
                let mut there = Vec::new();
                let mut here = Vec::new();
                for place in found.iter().flat_map(|passage| &passage.others) {
                    if place.text == number {
                        here.push(range(place.here));
                        there.push(range(place.place));
                    }
                }
                let is_found = has_in(&first, run, &here) && has_in(other, run, &there);
                prop_assert!(is_found, "{run:?} of {number} in {texts:?}: {found:?}");
            }
        }
    }

    /// The result does not depend on memory or threads.
    #[test]
    fn passages_do_not_depend_on_resources(texts in texts(), max_df in 2u32..5) {
        let pages = || {
            let page = |(at, text): (usize, &Vec<u8>)| Page::text(format!("{at:03}"), spelled(text, at % 2 == 0));
            texts.iter().enumerate().map(page).collect::<Vec<Page>>()
        };
        prop_assume!(texts.iter().all(|text| !text.is_empty()));
        let options = PassageOptions { min_words: 4, min_chars: 4, max_df, text: true, ..PassageOptions::default() };
        let folder = tempfile::tempdir().unwrap();
        let all = |memory: &Memory, threads: usize| {
            let findings = findings(pages(), memory);
            let found = in_pool(threads, || passages(&findings, &options, &())).unwrap();
            (found.pairs().collect::<Vec<_>>(), found.rows().collect::<Vec<_>>(), found.most_common, found.copies)
        };
        let plainly = all(&Memory::default(), 1);
        prop_assert_eq!(&all(&Memory::none(folder.path()), 3), &plainly);
    }
}

/// Pages of three out of twelve paragraphs, and versions of one growing text: the number of aligned pairs is linear in that of pages, and
/// each page is on the list of each passage.
#[test]
fn aligned_pairs_grow_with_pages() {
    let paragraph = |number: usize| -> String {
        let word = |at: usize| format!("w{number}x{at}");
        (0..30).map(word).collect::<Vec<_>>().join(" ")
    };
    let picks = |count: usize| -> Vec<String> {
        let pick = |page: usize| {
            [
                page % 12,
                (page / 12 + page + 1) % 12,
                (page / 144 + 7 * page) % 12,
            ]
        };
        (0..count)
            .map(|page| pick(page).map(paragraph).join("\n\n"))
            .collect()
    };
    let growing = |count: usize| -> Vec<String> {
        let text: Vec<String> = (0..12).map(paragraph).collect();
        let text = text.join(" ");
        let words: Vec<&str> = text.split(' ').collect();
        let page = |number: usize| {
            let mut words = words[..60 + 300 * number / count].to_vec();
            let own = format!("own{number}");
            let at = number * 37 % words.len();
            words[at] = &own;
            words.join(" ")
        };
        (0..count).map(page).collect()
    };
    let options = PassageOptions {
        max_df: 5,
        text: true,
        ..PassageOptions::default()
    };
    for (kind, texts) in [
        ("picks", &picks as &dyn Fn(usize) -> Vec<String>),
        ("growing", &growing),
    ] {
        let aligned = |count: usize| {
            let texts = texts(count).into_iter().enumerate();
            let pages = texts
                .map(|(at, text)| Page::text(format!("{at:04}"), text))
                .collect();
            let findings = findings(pages, &Memory::default());
            let found = in_pool(2, || passages(&findings, &options, &())).unwrap();
            let places: BTreeSet<Rank> = found.rows().map(|row| row.page).collect();
            assert_eq!(places.len() + found.copies.len(), count, "{kind}");
            found.aligned as usize
        };
        let few = [aligned(150), aligned(300)];
        assert!(
            few[1] < 5 * few[0] / 2 && few[1] < 20 * 300,
            "{kind}: {few:?}"
        );
    }
}

/// A quotation of ten words in two pages, with a word changed and one left out; and the same text twice.
#[test]
fn a_quotation_by_hand() {
    let quoted = "to be or not to be that is the question whether tis nobler in the mind to suffer";
    let misquoted =
        "to be or not to be that is the question whether it is nobler in mind to suffer";
    let pages = vec![
        Page::text(
            "a",
            format!("Nobody reads the second act of that play. {quoted}, he said aloud."),
        )
        .with_date("2020-01-02"),
        Page::text(
            "b",
            format!("Yesterday an actor forgot half of it: {misquoted} and left the stage."),
        )
        .with_date("2020-01-01"),
        Page::text(
            "c",
            format!("Nobody reads the second act of that play. {quoted}, he said aloud."),
        ),
        Page::text(
            "d",
            "Nothing of this kind stands here, but other words of some length, for once and for all.",
        ),
    ];
    let findings = findings(pages, &Memory::default());
    let options = PassageOptions {
        min_words: 8,
        text: true,
        ..PassageOptions::default()
    };
    let found = passages(&findings, &options, &()).unwrap();
    assert_eq!(found.copies, [(Rank(2), Rank(0))]);
    let pairs: Vec<_> = found.pairs().collect();
    assert_eq!(pairs.len(), 1);
    // Of 16 matching words, 10 have up to three letters; "tis" stands for "it is", and "the" is missing.
    assert_eq!(
        (pairs[0].matched, pairs[0].score),
        (16, 2 * 16 - 10 - 2 - 1)
    );
    let rows: Vec<_> = found.rows().collect();
    let texts: Vec<&str> = rows.iter().filter_map(|row| row.text.as_deref()).collect();
    assert_eq!(texts, [quoted, misquoted]);
    assert_eq!(
        rows.iter().map(|row| row.first).collect::<Vec<_>>(),
        [false, true]
    );
    assert!(rows.iter().all(|row| row.size == 2 && !row.boilerplate));
}

/// Two texts have the quotation, one of them twice, and one has nothing of it.
#[test]
fn passages_of_a_text_by_hand() {
    let quoted = "to be or not to be that is the question whether tis nobler in the mind to suffer";
    let misquoted =
        "to be or not to be that is the question whether it is nobler in mind to suffer";
    let model = Model::new(JudgeConfig::default()).unwrap();
    let text = |text: String| model.text(&Page::text("page", text)).unwrap();
    let others = [
        text("Nothing of this kind stands here, but other words of some length.".to_owned()),
        text(format!("He said: {misquoted}.")),
        text(format!(
            "Twice:\n{quoted}, and later all of it once more:\n{quoted}!"
        )),
    ];
    let options = PassageOptions {
        min_words: 8,
        ..PassageOptions::default()
    };
    let of = |asked: &Text| passages_of(asked, &others, &options, &model, &()).unwrap();
    let length = quoted.len() as u32;
    let found = of(&text(format!("A letter. {quoted}.")));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].place, (10, 10 + length));
    let places: Vec<_> = found[0].others.iter().collect();
    let places: Vec<_> = places
        .iter()
        .map(|of| (of.text, of.place, of.matched, of.score))
        .collect();
    let again = 7 + length + ", and later all of it once more:\n".len() as u32;
    // Of 18 words 12 have up to three letters; of the 16 that match in the misquotation, 10, and three are charged.
    let expected = [
        (2, (7, 7 + length), 18, 24),
        (2, (again, again + length), 18, 24),
        (1, (9, 9 + misquoted.len() as u32), 16, 19),
    ];
    assert_eq!(places, expected);
    assert_eq!(of(&text("Another letter of a few words.".to_owned())), []);
    let none = PassageOptions {
        min_words: 0,
        ..PassageOptions::default()
    };
    assert!(passages_of(&others[0], &others, &none, &model, &()).is_err());
}
