//! Search by words, compared with reading all pages.

use std::collections::BTreeMap;

use proptest::prelude::*;
use retold::Model;

use super::*;
use crate::PageFilter;

/// Parts of titles and texts. Some words stand within others, some characters beside each other in one part and apart in another.
const PARTS: &[&str] = &[
    "storm",
    "Seastorm",
    "ferry 12",
    "the Straße",
    "渡船晚点",
    "船晚了",
    "晚点 渡",
    "新聞",
    "ａ股市场",
    "태풍이",
    "don't",
];

const QUERIES: &[&str] = &[
    "storm",
    "STORM ferry",
    "seastorm",
    "12",
    "1",
    "strasse the",
    "渡船晚点",
    "晚点",
    "渡",
    "新闻 storm",
    "A股",
    "태풍",
    "don't",
    "-",
    "nothing",
];

fn made(id: u32, (title, text): &(Vec<usize>, Vec<usize>)) -> Page {
    let joined = |parts: &[usize]| {
        parts
            .iter()
            .map(|&part| PARTS[part])
            .collect::<Vec<_>>()
            .join(", ")
    };
    let page = Page::text(format!("p{id:02}"), joined(text));
    match title.is_empty() {
        true => page,
        false => page.with_title(joined(title)),
    }
}

/// Folded as texts are.
fn fold(text: &str) -> String {
    let mut folded = String::new();
    retold::internal::Folder::new(retold::method::FoldOptions::default())
        .fold_into(text, &mut folded);
    folded
}

/// Whether a page has the words of a query.
fn has(page: &Page, query: &str) -> bool {
    let query = fold(query);
    let title = fold(page.title.as_deref().unwrap_or_default());
    if query.split_whitespace().all(|word| title.contains(word)) {
        return true;
    }
    let text = retold::method::text_of(page, &retold::read::TextOptions::default()).unwrap();
    let text = text.folded;
    let is_latin = |c: char| c.is_ascii_alphanumeric();
    let words: Vec<&str> = text.split(|c| !is_latin(c)).collect();
    let asked: Vec<&str> = query
        .split(|c| !is_latin(c))
        .filter(|w| !w.is_empty())
        .collect();
    let others: Vec<&str> = query
        .split(|c: char| c.is_ascii())
        .filter(|run| !run.is_empty())
        .collect();
    let has_run = |run: &&str| {
        let run: Vec<char> = run.chars().collect();
        let mut pairs = run.windows(run.len().min(2));
        pairs.all(|pair| text.contains(&pair.iter().collect::<String>()))
    };
    asked.len() + others.len() > 0
        && asked.iter().all(|word| words.contains(word))
        && others.iter().all(has_run)
}

fn found(index: &Index, query: &str) -> Vec<String> {
    let filter = PageFilter {
        words: Some(query.to_owned()),
        ..PageFilter::default()
    };
    let keys = index.page_keys(&filter).unwrap();
    let lines = index.page_lines(&keys, &filter).unwrap();
    let mut ids: Vec<String> = lines.into_iter().map(|line| line.id).collect();
    ids.sort();
    ids
}

type Made = (Vec<usize>, Vec<usize>);

fn some() -> impl Strategy<Value = Vec<(u32, Made)>> {
    let parts = |most| proptest::collection::vec(0..PARTS.len(), 0..most);
    proptest::collection::vec((0u32..30, (parts(3), parts(5))), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn pages_by_words_are_those_that_have_them(
        commits in proptest::collection::vec((some(), 0u32..30, 0u32..5), 1..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
        let reader = Index::open(folder.path()).unwrap();
        let mut pages: BTreeMap<String, Page> = BTreeMap::new();
        for (commit, gone, then) in commits {
            let new: Vec<Page> = commit.iter().map(|(id, made_of)| made(*id, made_of)).collect();
            writer.add(&prepared(&writer, &new), Some(3)).unwrap();
            pages.extend(new.into_iter().map(|page| (page.id.clone(), page)));
            let gone = format!("p{gone:02}");
            writer.remove(std::slice::from_ref(&gone)).unwrap();
            pages.remove(&gone);
            match then {
                0 => writer.compact(&()).unwrap(),
                1 => {
                    drop(writer);
                    writer = open(folder.path());
                }
                _ => {}
            }
            reader.refresh().unwrap();
            for query in QUERIES {
                let expected: Vec<&String> =
                    pages.iter().filter(|(_, page)| has(page, query)).map(|(id, _)| id).collect();
                for index in [&**writer.index(), &reader] {
                    let found = found(index, query);
                    prop_assert_eq!(found.iter().collect::<Vec<_>>(), &*expected, "{}", query);
                }
            }
        }
        prop_assert!(reader.finds_texts());
        drop(writer);
        prop_assert_eq!(Index::check(folder.path()).unwrap().problems, Vec::<String>::new());
    }
}

#[test]
fn where_the_words_stand() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    let long = format!(
        "{}渡船今天晚點，船長說。{}",
        "好".repeat(100),
        "了".repeat(300)
    );
    let pages = [
        Page::text(
            "a",
            format!("A first line with a storm.\n\n{long}\n\nstorm 晚点"),
        )
        .with_title("Titled"),
        Page::text("b", "Nothing").with_title("渡船晚点"),
    ];
    writer.add(&prepared(&writer, &pages), None).unwrap();
    let excerpt = |query: &str| {
        let filter = PageFilter {
            words: Some(query.to_owned()),
            ..PageFilter::default()
        };
        let keys = writer.index().page_keys(&filter).unwrap();
        let lines = writer.index().page_lines(&keys, &filter).unwrap();
        lines
            .into_iter()
            .map(|line| (line.id, line.excerpt))
            .collect::<Vec<_>>()
    };
    let a = |excerpt: &str| vec![("a".to_owned(), Some(excerpt.to_owned()))];
    assert_eq!(excerpt("storm line"), a("A first line with a storm."));
    // The block that has both words, not the first that has one.
    assert_eq!(excerpt("storm 晚点"), a("storm 晚点"));
    // Sixty characters before the place, two hundred in all: 60 + 11 + 129.
    let piece = format!(
        "…{}渡船今天晚點，船長說。{}…",
        "好".repeat(60),
        "了".repeat(129)
    );
    assert_eq!(
        excerpt("渡船"),
        [("a".to_owned(), Some(piece)), ("b".to_owned(), None)]
    );
}

#[test]
fn an_index_without_texts_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::new(JudgeConfig::default()).unwrap();
    let mut writer = builder(folder.path()).texts(false).create(&model).unwrap();
    let pages = [Page::text("a", "A storm.").with_title("Title")];
    writer.add(&prepared(&writer, &pages), None).unwrap();
    assert_eq!(found(writer.index(), "storm"), [""; 0]);
    assert_eq!(found(writer.index(), "title"), ["a"]);
    assert!(!writer.index().finds_texts());
}
