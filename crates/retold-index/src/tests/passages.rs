//! Passages of a text that pages of the index have.

use retold::passages::PassageOptions;
use xxhash_rust::xxh3::xxh3_64;

use super::*;

/// Words of six letters, unique to a topic.
fn words(topic: u32, count: u32) -> String {
    let word = |number: u32| -> String {
        let hash = xxh3_64(&(u64::from(topic) << 32 | u64::from(number)).to_le_bytes());
        let letters = (0..6).map(|letter| char::from(b'a' + (hash >> (8 * letter)) as u8 % 26));
        letters.collect()
    };
    (0..count).map(word).collect::<Vec<String>>().join(" ")
}

/// Ninety words of a topic among eight hundred others, too few for a relation.
fn quoting(topic: u32, own: u32) -> String {
    [words(own, 400), words(topic, 90), words(own + 1000, 400)].join(" ")
}

fn index_of(folder: &Path, pages: &[Page]) -> Writer {
    let mut writer = make(folder, &Model::new(JudgeConfig::default()).unwrap());
    let pages = prepared(&writer, pages);
    writer.add(&pages, None).unwrap();
    writer
}

#[test]
fn a_passage_of_pages_that_are_not_related() {
    let folder = tempfile::tempdir().unwrap();
    let pages = [
        Page::text("one", quoting(7, 1)),
        Page::text("two", quoting(7, 2)),
        Page::text("other", quoting(8, 3)),
    ];
    let writer = index_of(folder.path(), &pages);
    let index = writer.index();
    assert!(index.matches_of("one", None).unwrap().is_empty());
    let options = PassageOptions::default();
    let found = index
        .passages_of("one", &options, 20, &())
        .unwrap()
        .unwrap();
    let [passage] = &found.passages[..] else {
        panic!("{found:?}")
    };
    // Each word has six letters and a space. The word after the passage may align as a misread one.
    let page = &passage.pages[0];
    for (begin, end) in [(passage.begin, passage.end), (page.begin, page.end)] {
        assert!(begin == 7 * 400 && (7 * 490 - 1..7 * 493).contains(&end));
    }
    assert_eq!((passage.pages.len(), &*page.id), (1, "two"));
    assert!((90..93).contains(&page.matched) && page.score >= 2 * 90);
    assert!(found.complete);
}

/// 120 pages with one passage do not hide the one page with the other passage.
#[test]
fn work_is_bounded_and_passages_that_few_have_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut pages: Vec<Page> = (0..120)
        .map(|at| Page::text(format!("{at:03}"), quoting(7, 100 + at)))
        .collect();
    pages.insert(60, Page::text("rare", quoting(9, 90)));
    let writer = index_of(folder.path(), &pages);
    let text = [words(7, 90), words(8, 400), words(9, 90)].join(" ");
    let asked = writer.index().prepare(Page::text("asked", text)).unwrap();
    let options = PassageOptions::default();
    let pages = |limit: usize| {
        let found = writer.index().passages(&asked, &options, limit, &());
        let found = found.unwrap();
        let places = found.passages.iter();
        let places = places.map(|of| {
            let is_rare = of.pages.iter().any(|page| page.id == "rare");
            (of.begin, of.end, of.pages.len(), is_rare)
        });
        (places.collect::<Vec<_>>(), found.complete)
    };
    let family = |pages: usize| (0, 7 * 90 - 1, pages, false);
    let rare = (7 * 490, 7 * 580 - 1, 1, true);
    assert_eq!(pages(5), (vec![family(5), rare], false));
    // At most 100 texts are read, including this one.
    assert_eq!(pages(99), (vec![family(99), rare], false));
}

#[test]
fn without_texts_there_are_no_passages() {
    let folder = tempfile::tempdir().unwrap();
    let builder = builder(folder.path()).texts(false);
    let writer = builder
        .create(&Model::new(JudgeConfig::default()).unwrap())
        .unwrap();
    let asked = writer
        .index()
        .prepare(Page::text("asked", quoting(1, 2)))
        .unwrap();
    let options = PassageOptions::default();
    let error = writer
        .index()
        .passages(&asked, &options, 20, &())
        .unwrap_err();
    assert!(error.to_string().contains("keeps no texts"), "{error}");
}
