//! Compares passages with their definition.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::tests::{applied, found, keep};
use super::*;
use crate::page::{Content, Page};
use crate::spill::Memory;
use crate::text::BlockUnit;

/// Words of a run.
const LEAST: usize = 3;

fn options(scope: BlockScope, keep: BlockKeep, min_words: u32) -> BlockOptions {
    BlockOptions {
        unit: BlockUnit::Passage,
        passage_words: LEAST as u32,
        scope,
        keep,
        min_chars: 2,
        min_words,
        ..BlockOptions::default()
    }
}

/// A page of a generated collection: site, date, and paragraphs of words by number.
type DrawnPassages = (u8, u8, Vec<Vec<usize>>);

fn page(number: usize, (site, date, paragraphs): &DrawnPassages) -> Page {
    let word = |word: &usize| ["red", "moon,", "river", "Stone.", "blue", "sea"][*word];
    let paragraph = |words: &Vec<usize>| words.iter().map(word).collect::<Vec<_>>().join(" ");
    let paragraphs: Vec<String> = paragraphs.iter().map(paragraph).collect();
    let mut page = Page::text(format!("p{}", number * 7 % 10), paragraphs.join("\n\n"));
    page.site = (*site > 0).then(|| format!("s{site}"));
    page.date = (*date > 0).then(|| format!("2020-01-0{date}"));
    page
}

fn pages(made: &[DrawnPassages]) -> Vec<Page> {
    let numbered = made.iter().enumerate();
    numbered.map(|(number, made)| page(number, made)).collect()
}

/// The cut words (page and word number), and the dropped pages.
type Cut = (BTreeSet<(usize, usize)>, BTreeSet<usize>);

fn cut(found: &Blocks) -> Cut {
    let spans = found.spans().flat_map(|span| {
        let words = span.number / 2..(span.number + span.half_words) / 2;
        words.map(move |word| (span.page as usize, word as usize))
    });
    let pages = 0..found.pages().len();
    let dropped = pages.filter(|page| found.is_dropped(*page as u32));
    (spans.collect(), dropped.collect())
}

/// The runs of words of a page, and the number of the first word of each.
fn runs((.., paragraphs): &DrawnPassages) -> Vec<(usize, &[usize])> {
    let mut at = 0;
    let mut all = Vec::new();
    for words in paragraphs {
        all.extend(
            words
                .windows(LEAST)
                .enumerate()
                .map(|(from, run)| (at + from, run)),
        );
        at += words.len();
    }
    all
}

/// Reference implementation: decides everything again until no more pages are dropped.
fn plainly(pages: &[DrawnPassages], options: &BlockOptions) -> Cut {
    let is_site = options.scope == BlockScope::Site;
    let order = |page: usize| (pages[page].1 == 0, pages[page].1, page * 7 % 10, page);
    let (mut dropped, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    loop {
        let mut on: BTreeMap<(u8, &[usize]), BTreeSet<usize>> = BTreeMap::new();
        let mut of_site = BTreeMap::new();
        for (at, made) in pages.iter().enumerate() {
            if dropped.contains(&at) || is_site && made.0 == 0 {
                continue;
            }
            let group = if is_site { made.0 } else { 0 };
            *of_site.entry(group).or_insert(0) += 1;
            for (_, run) in runs(made) {
                on.entry((group, run)).or_default().insert(at);
            }
        }
        for (key, on) in &on {
            let is_common = match (options.keep, options.scope) {
                (BlockKeep::Under(least), _) => on.len() >= least as usize,
                (_, BlockScope::Collection) => on.len() >= 2,
                (_, BlockScope::Site) => of_site[&key.0] >= 3 && 2 * on.len() > of_site[&key.0],
            };
            if is_common {
                repeated.insert(*key);
            }
        }
        let (mut cut, before) = (BTreeSet::new(), dropped.len());
        for (at, made) in pages.iter().enumerate() {
            let group = if is_site { made.0 } else { 0 };
            for (from, run) in runs(made) {
                let first = on.get(&(group, run));
                let first = first.and_then(|on| on.iter().copied().min_by_key(|page| order(*page)));
                let is_kept = options.keep == BlockKeep::One && first == Some(at);
                if repeated.contains(&(group, run)) && !is_kept {
                    cut.extend((from..from + LEAST).map(|word| (at, word)));
                }
            }
            let lost = cut.range((at, 0)..(at + 1, 0)).count();
            let words: usize = made.2.iter().map(Vec::len).sum();
            if lost > 0 && words - lost < options.min_words as usize {
                dropped.insert(at);
            }
        }
        if dropped.len() == before {
            return (cut, dropped);
        }
    }
}

fn all_options() -> impl Strategy<Value = BlockOptions> {
    let scopes = vec![BlockScope::Site, BlockScope::Collection];
    let choice = (prop::sample::select(scopes), keep(), 1u32..9);
    choice.prop_map(|(scope, keep, min_words)| options(scope, keep, min_words))
}

fn made() -> impl Strategy<Value = Vec<DrawnPassages>> {
    let paragraph = prop::collection::vec(0usize..6, 1..9);
    let page = (0u8..3, 0u8..3, prop::collection::vec(paragraph, 1..3));
    prop::collection::vec(page, 0..10)
}

/// One passage on three pages is cut from all but the first, and the text around it is split there.
#[test]
fn a_passage_is_cut_from_the_middle_of_a_paragraph() {
    let text = |own: &str, end: &str| format!("{own} the red moon over the sea, {end}");
    let pages = [
        Page::text("a", text("It was", "he said.\nMore of it.")),
        Page::text("b", text("Nobody saw", "and then it rained.\n")),
        Page::text("c", "THE  red moon\nover the sea, once.\n\nAnother day."),
    ];
    let wanted = options(BlockScope::Collection, BlockKeep::One, 1);
    let blocks = found(&pages, &wanted, &Memory::default());
    let rest = applied(&pages, &blocks);
    let texts = rest.iter().map(|page| match &page.content {
        Content::Unicode { text, .. } => text.as_str(),
        _ => unreachable!(),
    });
    let expected = [
        "It was the red moon over the sea, he said.\nMore of it.",
        "Nobody saw\n\nand then it rained.\n",
        "once.\n\nAnother day.",
    ];
    assert_eq!(texts.collect::<Vec<_>>(), expected);
    // Four runs of three words as one span; the row is that of the first.
    let spans: Vec<(u32, u32, u32)> = blocks
        .spans()
        .map(|of| (of.page, of.begin, of.end))
        .collect();
    assert_eq!(spans, [(1, 11, 37), (2, 0, 27)]);
    let row = blocks.rows().next().unwrap();
    assert_eq!(
        (blocks.count_rows(), row.pages(), row.places(), row.cut()),
        (1, 3, 3, 2)
    );
    let sources = [crate::read::Source::of_pages("pages", pages.to_vec())];
    let (reading, text) = (
        &crate::read::ReadOptions::default(),
        &crate::text::TextOptions::default(),
    );
    assert_eq!(
        blocks.texts(&sources, reading, text, &()).unwrap().of(0),
        "the red moon"
    );
    assert_eq!(blocks.words_left(2), 3);
}

#[test]
fn the_page_that_keeps_a_passage_keeps_all_its_places() {
    let pages = [("a", "la la la la la la la"), ("b", "la la la la la")];
    let pages = pages.map(|(id, text)| Page::text(id, text));
    let wanted = options(BlockScope::Collection, BlockKeep::One, 1);
    let blocks = found(&pages, &wanted, &Memory::default());
    assert_eq!(
        cut(&blocks),
        ((0..5).map(|word| (1, word)).collect(), [1].into())
    );
}

proptest! {
    #[test]
    fn what_is_cut_is_found_plainly_too(made in made(), options in all_options()) {
        let found = found(&pages(&made), &options, &Memory::default());
        prop_assert_eq!(cut(&found), plainly(&made, &options));
    }

    /// Remaining runs are among the original ones.
    #[test]
    fn a_second_run_cuts_nothing(made in made(), options in all_options(), html in prop::collection::vec(0u8..6, 10)) {
        let mut pages = pages(&made);
        for (page, html) in pages.iter_mut().zip(html) {
            if html == 0 && let Content::Unicode { text, .. } = &page.content {
                page.content = Page::html("", format!("<p>{}", text.replace('\n', "<p>"))).content;
            }
        }
        let first = found(&pages, &options, &Memory::default());
        let rest = applied(&pages, &first);
        let again = found(&rest, &options, &Memory::default());
        for page in 0..rest.len() as u32 {
            prop_assert!(!again.is_dropped(page) && again.cuts(page).is_none(), "{:?}", rest);
        }
        prop_assert!(again.count <= first.count);
    }

    #[test]
    fn memory_makes_no_difference(made in made(), options in all_options()) {
        let made = pages(&made);
        let held = found(&made, &options, &Memory::in_small_parts());
        let spilled = found(&made, &options, &Memory::none(&std::env::temp_dir()));
        prop_assert_eq!(cut(&held), cut(&spilled));
        prop_assert_eq!(held.rows().collect::<Vec<_>>(), spilled.rows().collect::<Vec<_>>());
        prop_assert_eq!(held.spans().collect::<Vec<_>>(), spilled.spans().collect::<Vec<_>>());
    }
}
