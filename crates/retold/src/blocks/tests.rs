use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::page::{Content, Page};
use crate::read::{ReadOptions, Source};
use crate::spill::Memory;
use crate::text::{BlockUnit, TextOptions};

pub(super) fn found(pages: &[Page], options: &BlockOptions, memory: &Memory) -> Blocks {
    let sources = [Source::of_pages("pages", pages.to_vec())];
    let (reading, text) = (ReadOptions::default(), TextOptions::default());
    blocks(&sources, options, &reading, &text, None, memory, &()).unwrap()
}

/// The cut blocks (page and block number), and the dropped pages.
type Cut = (BTreeSet<(usize, usize)>, BTreeSet<usize>);

fn cut(found: &Blocks) -> Cut {
    let spans = found
        .spans()
        .map(|span| (span.page as usize, span.number as usize));
    let pages = 0..found.pages().len();
    let dropped = pages.filter(|page| found.is_dropped(*page as u32));
    (spans.collect(), dropped.collect())
}

/// The pages without cut blocks and without dropped pages.
pub(super) fn applied(pages: &[Page], found: &Blocks) -> Vec<Page> {
    let kept = pages.iter().enumerate().filter_map(|(at, page)| {
        let mut page = page.clone();
        if let Some(cuts) = found.cuts(at as u32)
            && let Content::Unicode { text, .. } = &mut page.content
        {
            *text = cuts.of(text);
        }
        (!found.is_dropped(at as u32)).then_some(page)
    });
    kept.collect()
}

/// A page of all paragraphs of others takes none of them, whatever its date, and even if it cannot be cut.
#[test]
fn a_page_put_together_from_others_keeps_nothing() {
    let own = |n: usize| -> Vec<String> {
        let paragraph = |k: usize| format!("Number {n} says this in its paragraph {k}, at length.");
        (0..4).map(paragraph).collect()
    };
    let honest =
        |n: usize| Page::text(format!("h{n:02}"), own(n).join("\n\n")).with_date("2026-01-01");
    let all: Vec<String> = (0..4)
        .flat_map(|k| (0..30).map(move |n| own(n).swap_remove(k)))
        .collect();
    let hostile = [
        Page::text("z", all.join("\n\n")).with_date("1970-01-01"),
        Page::html("z", format!("<p>{}", all.join("<p>"))),
    ];
    for hostile in hostile {
        let mut pages: Vec<Page> = (0..30).map(honest).collect();
        pages.push(hostile);
        let options = options(BlockUnit::Paragraph, BlockScope::Collection, BlockKeep::One);
        let found = found(&pages, &options, &Memory::default());
        assert_eq!(found.compiled().collect::<Vec<_>>(), [30]);
        let (cut, dropped) = cut(&found);
        assert!(cut.iter().all(|(page, _)| *page == 30) && cut.len() == 120);
        assert!(dropped.iter().all(|page| *page == 30));
        // A copy of one page is no such page.
        pages[30] = Page::text("z", own(7).join("\n\n")).with_date("1970-01-01");
        let copied = self::found(&pages, &options, &Memory::default());
        assert_eq!(copied.compiled().count(), 0);
        assert!(copied.is_dropped(7));
    }
}

fn options(unit: BlockUnit, scope: BlockScope, keep: BlockKeep) -> BlockOptions {
    BlockOptions {
        unit,
        scope,
        keep,
        min_chars: 6,
        min_words: 3,
        ..BlockOptions::default()
    }
}

#[test]
fn the_preferred_page_keeps_a_block() {
    let page = |id: &str, date: &str, score: &str, text: &str| {
        let text = format!("{text}\nShare this page");
        Page::text(id, text)
            .with_date(date)
            .with_field("score", score)
    };
    let pages = [
        page("b", "2024-01-02", "9", "The ferry left at noon."),
        page(
            "a",
            "2024-01-03",
            "10",
            "A bridge was opened on Monday by the mayor.",
        ),
        page("c", "2024-01-01", "1", "The ferry left again."),
    ];
    let keeper = |order: &str| {
        let options = BlockOptions {
            canonical: order.parse().unwrap(),
            ..options(BlockUnit::Line, BlockScope::Collection, BlockKeep::One)
        };
        options.check().unwrap();
        let (spans, _) = cut(&found(&pages, &options, &Memory::default()));
        assert_eq!(spans.len(), 2, "{order}");
        (0..3).find(|page| !spans.contains(&(*page, 1))).unwrap()
    };
    let of = |order| pages[keeper(order)].id.as_str();
    assert_eq!(of("earliest,first"), "c");
    assert_eq!(of("first"), "a");
    assert_eq!(of("longest"), "a");
    assert_eq!(of("field:score:asc"), "c");
    assert_eq!(of("field:score:desc"), "a");
    // No page has the field or a URL, so the longest page is preferred.
    assert_eq!(of("field:other:desc,https"), "a");
    let ranked = BlockOptions {
        canonical: "rank".parse().unwrap(),
        ..BlockOptions::default()
    };
    assert!(ranked.check().is_err());
}

#[test]
fn boilerplate_of_a_site_is_on_more_than_half_of_its_pages() {
    let page = |n: u32, date: &str, text: &str| {
        let page = Page::text(format!("p{n}"), text).with_url(format!("http://a.example/{n}"));
        page.with_date(date)
    };
    let pages = [
        page(
            1,
            "2024-01-04",
            "Share this page\nThe ferry left at noon.\nRead more news",
        ),
        page(
            2,
            "2024-01-02",
            "Share  this page\nA bridge was opened on Monday.\nRead more news",
        ),
        page(3, "2024-01-03", "SHARE THIS PAGE\nTo be continued."),
        page(4, "2024-01-05", "It rained all day long.\nTo be continued."),
    ];
    let line = options(BlockUnit::Line, BlockScope::Site, BlockKeep::One);
    // `Share this page` is on 3 of 4 and kept on the page with the first date; the others are on 2 of 4. Page 3 is left with three words.
    let blocks = found(&pages, &line, &Memory::default());
    assert_eq!(cut(&blocks), ([(0, 0), (2, 0)].into(), [].into()));
    let row = blocks.rows().next().unwrap();
    assert_eq!(
        (row.pages(), row.places(), row.cut(), row.sites()),
        (3, 3, 2, 1)
    );
    assert_eq!(blocks.site_of(&row), Some("a.example"));
    let span = blocks.spans().next().unwrap();
    assert_eq!((span.begin, span.end, span.hash()), (0, 15, row.hash()));
    assert_eq!(blocks.words_left(2), 3);
    let texts = {
        let sources = [Source::of_pages("pages", pages.to_vec())];
        let (reading, text) = (&ReadOptions::default(), &TextOptions::default());
        blocks.texts(&sources, reading, text, &()).unwrap()
    };
    assert_eq!(texts.of(0), "Share  this page");
    // If four words are required, page 3 is dropped; of the remaining three, two have `Read more news`.
    let more = BlockOptions {
        min_words: 4,
        ..line.clone()
    };
    let blocks = found(&pages, &more, &Memory::default());
    let expected = [(0, 0), (0, 2), (2, 0)].into();
    assert_eq!(cut(&blocks), (expected, [2].into()));
    // In the whole collection two pages are enough, and `To be continued.` is kept on page 3.
    let all = options(BlockUnit::Line, BlockScope::Collection, BlockKeep::One);
    let blocks = found(&pages, &all, &Memory::default());
    let expected = [(0, 0), (0, 2), (2, 0), (3, 1)].into();
    assert_eq!(cut(&blocks), (expected, [].into()));
    let under = BlockOptions {
        keep: BlockKeep::Under(3),
        ..all
    };
    let blocks = found(&pages, &under, &Memory::default());
    assert_eq!(cut(&blocks).0, [(0, 0), (1, 0), (2, 0)].into());
    // Shorter blocks are left.
    let long = BlockOptions {
        min_chars: 14,
        ..under
    };
    assert!(cut(&found(&pages, &long, &Memory::default())).0.is_empty());
}

/// An HTML page keeps its blocks anyway, so it is the one that keeps them.
#[test]
fn of_html_blocks_are_named_only() {
    let html = |n: u32| Page::html(format!("h{n}"), "<p>Share this page<p>A story of the sea");
    let mut pages = vec![
        html(1),
        html(2),
        Page::text("a", "Share this page\n\nof today"),
    ];
    pages[2].date = Some("1999-01-01".into());
    let options = options(BlockUnit::Paragraph, BlockScope::Collection, BlockKeep::One);
    let blocks = found(&pages, &options, &Memory::default());
    assert_eq!(cut(&blocks), ([(1, 0), (1, 1), (2, 0)].into(), [2].into()));
    assert!(blocks.cuts(1).is_none() && blocks.cuts(2).is_some());
}

/// A page of the tests: site, date, and numbers of blocks.
type DrawnPage = (u8, u8, Vec<usize>);

const BLOCKS: [&str; 9] = [
    "red stone",
    "Moon and river",
    "river river river river",
    "blue",
    "a stone of the moon by the river",
    "stone",
    "blue moon rises",
    "the red river",
    "many moons ago it was",
];

fn page(number: usize, (site, date, blocks): &DrawnPage, unit: BlockUnit) -> Page {
    let between = match unit {
        BlockUnit::Line => "\n",
        BlockUnit::Paragraph => "\n \n",
        BlockUnit::Sentence => ".  ",
        BlockUnit::Passage => unreachable!(),
    };
    let blocks = blocks.iter().map(|block| BLOCKS[*block]);
    let end = if unit == BlockUnit::Sentence { "." } else { "" };
    let blocks = blocks.map(|block| format!("{block}{end}"));
    let text = blocks
        .collect::<Vec<_>>()
        .join(between.trim_start_matches('.'));
    let mut page = Page::text(format!("p{}", number * 7 % 10), text);
    page.site = (*site > 0).then(|| format!("s{site}"));
    page.date = (*date > 0).then(|| format!("2020-01-0{date}"));
    page
}

/// The pages that have each block, by the site in which it is counted.
type On = BTreeMap<(u8, usize), BTreeSet<usize>>;

fn common(
    pages: &[DrawnPage],
    options: &BlockOptions,
    dropped: &BTreeSet<usize>,
) -> (On, Vec<(u8, usize)>) {
    let is_site = options.scope == BlockScope::Site;
    let stop = u32::from(options.unit == BlockUnit::Sentence);
    let chars = |block: usize| BLOCKS[block].replace(' ', "").len() as u32 + stop;
    let (mut on, mut of_site) = (On::new(), BTreeMap::new());
    for (at, (site, _, blocks)) in pages.iter().enumerate() {
        if dropped.contains(&at) || is_site && *site == 0 {
            continue;
        }
        let group = if is_site { *site } else { 0 };
        *of_site.entry(group).or_insert(0) += 1;
        for block in blocks
            .iter()
            .filter(|block| chars(**block) >= options.min_chars)
        {
            on.entry((group, *block)).or_default().insert(at);
        }
    }
    let is_common = |key: &(u8, usize), on: &BTreeSet<usize>| match (options.keep, options.scope) {
        (BlockKeep::Under(least), _) => on.len() >= least as usize,
        (_, BlockScope::Collection) => on.len() >= 2,
        (_, BlockScope::Site) => of_site[&key.0] >= 3 && 2 * on.len() > of_site[&key.0],
    };
    let common = on.iter().filter(|(key, on)| is_common(key, on));
    let common = common.map(|(key, _)| *key).collect();
    (on, common)
}

/// Reference implementation: decides everything again, by texts, until no more pages are dropped.
fn plainly(pages: &[DrawnPage], options: &BlockOptions) -> Cut {
    let words = |block: usize| BLOCKS[block].split_whitespace().count();
    let order = |page: usize| {
        let date = pages[page].1;
        (date == 0, date, page * 7 % 10, page)
    };
    let (mut dropped, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    loop {
        let (on, common) = common(pages, options, &dropped);
        repeated.extend(common);
        let mut cut = BTreeSet::new();
        let before = dropped.len();
        for (at, (site, _, blocks)) in pages.iter().enumerate() {
            let group = if options.scope == BlockScope::Site {
                *site
            } else {
                0
            };
            let mut left = 0;
            for (number, block) in blocks.iter().enumerate() {
                let first = on.get(&(group, *block));
                let first = first.and_then(|on| on.iter().copied().min_by_key(|page| order(*page)));
                let is_first = first == Some(at) && !blocks[..number].contains(block);
                let is_kept = is_first && options.keep == BlockKeep::One;
                match repeated.contains(&(group, *block)) && !is_kept {
                    true => drop(cut.insert((at, number))),
                    false => left += words(*block),
                }
            }
            let is_cut = cut.range((at, 0)..(at + 1, 0)).next().is_some();
            if is_cut && left < options.min_words as usize {
                dropped.insert(at);
            }
        }
        if dropped.len() == before {
            return (cut, dropped);
        }
    }
}

pub(super) fn keep() -> impl Strategy<Value = BlockKeep> {
    let under = (2u32..5).prop_map(BlockKeep::Under);
    prop_oneof![Just(BlockKeep::One), Just(BlockKeep::None), under]
}

fn all_options() -> impl Strategy<Value = BlockOptions> {
    let units = [BlockUnit::Line, BlockUnit::Paragraph, BlockUnit::Sentence];
    let scopes = [BlockScope::Site, BlockScope::Collection];
    let choice = (
        prop::sample::select(units.to_vec()),
        prop::sample::select(scopes.to_vec()),
        keep(),
    );
    (choice, 1u32..8, 1u32..9).prop_map(|((unit, scope, keep), min_chars, min_words)| {
        BlockOptions {
            unit,
            scope,
            keep,
            min_chars,
            min_words,
            ..BlockOptions::default()
        }
    })
}

fn pages() -> impl Strategy<Value = Vec<DrawnPage>> {
    let page = (0u8..3, 0u8..3, prop::collection::vec(0..BLOCKS.len(), 0..6));
    prop::collection::vec(page, 0..10)
}

proptest! {
    #[test]
    fn what_is_cut_is_found_plainly_too(pages in pages(), options in all_options()) {
        let made = pages.iter().enumerate().map(|(number, made)| page(number, made, options.unit));
        let made: Vec<Page> = made.collect();
        let found = found(&made, &options, &Memory::default());
        prop_assert_eq!(cut(&found), plainly(&pages, &options));
    }

    /// With one occurrence kept, no block long enough to be a page of its own is lost.
    #[test]
    fn a_second_run_cuts_nothing(
        pages in pages(), options in all_options(), html in prop::collection::vec(0u8..6, 10),
        order in prop::sample::select(vec!["earliest,first", "longest", "first"]),
    ) {
        let options = BlockOptions { canonical: order.parse().unwrap(), ..options };
        let made = pages.iter().enumerate().map(|(number, made)| {
            let mut page = page(number, made, options.unit);
            if html[number] == 0 && let Content::Unicode { text, .. } = &page.content {
                page = Page { content: Page::html("", format!("<p>{}", text.replace('\n', "<p>"))).content, ..page };
            }
            page
        });
        let made: Vec<Page> = made.collect();
        let first = found(&made, &options, &Memory::default());
        let rest = applied(&made, &first);
        let again = found(&rest, &options, &Memory::default());
        for page in 0..rest.len() as u32 {
            prop_assert!(!again.is_dropped(page) && again.cuts(page).is_none(), "{:?}", rest);
        }
        if options.keep == BlockKeep::One {
            let has = |pages: &[DrawnPage], left: &dyn Fn(usize, usize) -> bool| -> BTreeSet<usize> {
                let all = pages.iter().enumerate();
                let all = all.flat_map(|(at, (.., blocks))| blocks.iter().enumerate().map(move |(n, block)| (at, n, *block)));
                all.filter(|&(at, n, _)| left(at, n)).map(|(.., block)| block).collect()
            };
            let (cut, dropped) = cut(&first);
            let left = |at: usize, n: usize| !cut.contains(&(at, n)) && !dropped.contains(&at);
            let lost = |block: &&usize| BLOCKS[**block].split_whitespace().count() >= options.min_words as usize;
            let (before, after) = (has(&pages, &|_, _| true), has(&pages, &left));
            let lost: Vec<&usize> = before.difference(&after).filter(lost).collect();
            prop_assert!(lost.is_empty(), "{:?}", lost);
        }
    }

    #[test]
    fn memory_makes_no_difference(pages in pages(), options in all_options()) {
        let made = pages.iter().enumerate().map(|(number, made)| page(number, made, options.unit));
        let made: Vec<Page> = made.collect();
        let held = found(&made, &options, &Memory::in_small_parts());
        let memory = Memory::none(&std::env::temp_dir());
        let spilled = found(&made, &options, &memory);
        prop_assert_eq!(cut(&held), cut(&spilled));
        prop_assert_eq!(held.rows().collect::<Vec<_>>(), spilled.rows().collect::<Vec<_>>());
        prop_assert_eq!(held.spans().collect::<Vec<_>>(), spilled.spans().collect::<Vec<_>>());
        prop_assert!(memory.on_disk() > 0 || held.count_spans() < 4);
    }
}
