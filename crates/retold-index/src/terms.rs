//! The words under which texts are found.
//!
//! A word is a run of letters and digits of the folded text. In scripts without spaces between words, each character
//! counts as a word, and each pair of neighbours. Korean is one of them, because its particles follow the words without a space.

use std::path::Path;

use retold::Result;
use retold::method::{Script, Text};
use retold::read::TextOptions;
use rustc_hash::{FxBuildHasher, FxHashSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::record::unpack;

/// Different words of a text at the most; the text is not found by those behind them.
const MOST: usize = 1 << 16;

/// The key under which pages are found whose texts have a word.
fn key(word: &str) -> u64 {
    xxh3_64_with_seed(word.as_bytes(), 4)
}

fn is_unspaced(c: char) -> bool {
    matches!(
        Script::of(c),
        Script::Han | Script::Japanese | Script::Hangul | Script::Thai | Script::SouthEastAsian
    )
}

/// Hands on the runs of letters and digits of a folded text, each with whether it is in scripts without spaces.
fn each_run<'a>(folded: &'a str, mut take: impl FnMut(&'a str, bool)) {
    for mut rest in folded.split(|c: char| !c.is_alphanumeric()) {
        if rest.is_ascii() {
            if !rest.is_empty() {
                take(rest, false);
            }
            continue;
        }
        while let Some(first) = rest.chars().next() {
            let unspaced = is_unspaced(first);
            let end = rest.find(|c| is_unspaced(c) != unspaced);
            let (run, behind) = rest.split_at(end.unwrap_or(rest.len()));
            take(run, unspaced);
            rest = behind;
        }
    }
}

/// The pairs of neighbours of a run.
fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let mut before = None;
    run.char_indices().filter_map(move |(at, c)| {
        let start = before.replace(at)?;
        Some(&run[start..at + c.len_utf8()])
    })
}

/// The keys under which a text is found, ascending.
pub(crate) fn keys_of_text(text: &Text) -> Vec<u64> {
    let bytes: usize = text.seen().map(|(_, block)| block.len()).sum();
    // Mostly there are fewer different words, so that the table never grows.
    let room = (bytes / 12).min(MOST);
    let mut keys = FxHashSet::with_capacity_and_hasher(room, FxBuildHasher);
    let mut add = |word: &str| {
        if keys.len() < MOST {
            keys.insert(key(word));
        }
    };
    for (_, block) in text.seen() {
        each_run(block, |run, unspaced| {
            if !unspaced {
                return add(run);
            }
            run.char_indices()
                .for_each(|(at, c)| add(&run[at..at + c.len_utf8()]));
            pairs(run).for_each(&mut add);
        });
    }
    let mut keys: Vec<u64> = keys.into_iter().collect();
    keys.sort_unstable();
    keys
}

/// The same of a text in its kept form; none if texts are not kept.
pub(crate) fn keys_of_packed(
    packed: &[u8],
    options: &TextOptions,
    path: &Path,
) -> Result<Vec<u64>> {
    let text = unpack(packed, options, path)?;
    Ok(text.map_or_else(Vec::new, |text| keys_of_text(&text)))
}

/// The keys that a text has which has all words of a folded query.
pub(crate) fn keys_of_query(folded: &str) -> Vec<u64> {
    let mut keys = Vec::new();
    each_run(folded, |run, unspaced| {
        match unspaced && run.chars().nth(1).is_some() {
            true => keys.extend(pairs(run).map(key)),
            false => keys.push(key(run)),
        }
    });
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use retold::Page;
    use retold::method::text_of;

    use super::*;

    fn runs(folded: &str) -> Vec<(&str, bool)> {
        let mut runs = Vec::new();
        each_run(folded, |run, unspaced| runs.push((run, unspaced)));
        runs
    }

    #[test]
    fn words_of_a_text() {
        assert_eq!(
            runs("don't, a股市场 2024年!\n태풍이"),
            [
                ("don", false),
                ("t", false),
                ("a", false),
                ("股市场", true),
                ("2024", false),
                ("年", true),
                ("태풍이", true)
            ]
        );
        assert_eq!(pairs("股市场").collect::<Vec<_>>(), ["股市", "市场"]);
        assert_eq!(pairs("股").count() + pairs("").count(), 0);
    }

    fn keys(words: &[&str]) -> Vec<u64> {
        let mut keys: Vec<u64> = words.iter().map(|word| key(word)).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn keys_of_texts_and_queries() {
        let page = Page::text("a", "Ａ股市场, a Storm.\n渡");
        let text = text_of(&page, &TextOptions::default()).unwrap();
        assert_eq!(
            keys_of_text(&text),
            keys(&["a", "股", "市", "场", "股市", "市场", "storm", "渡"])
        );
        assert_eq!(keys_of_query("a股市场 a"), keys(&["a", "股市", "市场"]));
        // A character alone is found wherever it stands.
        assert_eq!(keys_of_query("a股"), keys(&["a", "股"]));
        assert_eq!(keys_of_query(" - !"), [0u64; 0]);
    }

    #[test]
    fn a_long_text_is_found_by_its_first_words() {
        let words: Vec<String> = (0..MOST + 10).map(|number| format!("w{number}")).collect();
        let text = text_of(&Page::text("a", words.join(" ")), &TextOptions::default()).unwrap();
        let keys = keys_of_text(&text);
        assert_eq!(keys.len(), MOST);
        let has = |word: &str| keys.binary_search(&key(word)).is_ok();
        assert!(has("w0") && has(&words[MOST - 1]) && !has(&words[MOST]));
    }
}
