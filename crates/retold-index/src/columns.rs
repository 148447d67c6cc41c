//! The columns that lists of pages need for every page, in memory: its site, its language and its title. They are read once from the entries, when a
//! list first needs them, and then extended by what is added.

use std::collections::BTreeMap;

use retold::internal::Folder;
use rustc_hash::FxHashMap;

/// No site, or no language.
pub(crate) const NONE: u32 = u32::MAX;

/// Names by number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: Option<&str>) -> u32 {
        let Some(name) = name else {
            return NONE;
        };
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(crate) fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(String::as_str)
    }
}

/// The columns; a row for each page, those that are gone included.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) sites: Names,
    pub(crate) languages: Names,
    pub(crate) site: Vec<u32>,
    pub(crate) language: Vec<u32>,
    /// Folded titles, one behind the other, each behind a line end.
    titles: String,
    /// Where the title of each page ends.
    ends: Vec<usize>,
}

impl Columns {
    /// How many pages it has.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn push(&mut self, site: Option<&str>, language: Option<&str>, title: &str) {
        self.site.push(self.sites.number(site));
        self.language.push(self.languages.number(language));
        self.titles.push('\n');
        self.titles.push_str(title);
        self.ends.push(self.titles.len());
    }

    fn title(&self, page: usize) -> &str {
        let start = page.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.titles[start + 1..self.ends[page]]
    }

    /// The pages whose titles have all these words, ascending. The words are folded as titles are.
    pub(crate) fn titled(&self, words: &[String]) -> Vec<u32> {
        let Some(longest) = words.iter().max_by_key(|word| word.len()) else {
            return Vec::new();
        };
        let mut pages: Vec<u32> = memchr::memmem::find_iter(self.titles.as_bytes(), longest)
            .map(|at| self.ends.partition_point(|&end| end <= at) as u32)
            .collect();
        pages.dedup();
        pages.retain(|&page| {
            let title = self.title(page as usize);
            words.iter().all(|word| title.contains(word))
        });
        pages
    }
}

/// A title as searches see it: folded, on one line.
pub(crate) fn folded(title: &str, folder: Folder) -> String {
    let mut folded = String::new();
    folder.fold_into(title, &mut folded);
    folded.replace(['\n', '\r'], " ")
}

/// The words of a search.
pub(crate) fn words(query: &str, folder: Folder) -> Vec<String> {
    let folded = folded(query, folder);
    folded.split_whitespace().map(str::to_owned).collect()
}

/// How often each name comes, the most frequent first.
pub(crate) fn ranked(counts: BTreeMap<u32, u64>, most: usize) -> Vec<(u32, u64)> {
    let mut ranked: Vec<(u32, u64)> = counts
        .into_iter()
        .filter(|(name, _)| *name != NONE)
        .collect();
    ranked.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    ranked.truncate(most);
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_by_words() {
        let mut columns = Columns::default();
        for title in [
            "",
            "storm at sea",
            "a storm",
            "seastorm and sea",
            "渡船 晚点",
            "",
        ] {
            columns.push(Some("a"), None, title);
        }
        let find = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            columns.titled(&words)
        };
        assert_eq!(find(&["storm"]), [1, 2, 3]);
        assert_eq!(find(&["sea", "storm"]), [1, 3]);
        assert_eq!(find(&["晚点"]), [4]);
        assert_eq!(find(&["storm\na"]), [0u32; 0]);
        assert_eq!(find(&[]), [0u32; 0]);
        assert_eq!(columns.sites.name(0), Some("a"));
        assert_eq!(columns.sites.name(1), None);
    }
}
