//! Synonyms from WordNet (English), the Chinese Open Wordnet, and a user's file (any language).

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::fold::Folder;
use super::wordnet::{chinese, wordnet};

/// Looks up synonyms, by default in WordNet and the Chinese Open Wordnet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synonyms {
    groups_of: FxHashMap<String, Vec<u32>>,
    /// The words of each group, as numbers.
    groups: Vec<Vec<u64>>,
}

/// Words unknown to WordNet have numbers from here on; WordNet's are below.
const OWN: u64 = 1 << 63;

impl Synonyms {
    /// Adds the synonyms of a file: one group per line, words separated by tabs. Lines that begin with `#` are ignored. Words are folded
    /// like texts. The error names the line.
    pub fn with_groups(file: &str, folder: Folder) -> Result<Synonyms, String> {
        let mut synonyms = Synonyms::default();
        for (number, line) in file.trim_start_matches('\u{FEFF}').lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let fold = |word: &str| {
                let mut folded = String::with_capacity(word.len());
                folder.fold_into(word, &mut folded);
                folded
            };
            let words = line.split('\t').map(|word| fold(word.trim()));
            let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
            if words.len() < 2 {
                return Err(format!(
                    "line {}: a group of two words or more expected, with tabs between them",
                    number + 1
                ));
            }
            let group = synonyms.groups.len() as u32;
            let mut numbers: Vec<u64> = words.iter().map(|word| number_of(word)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            synonyms.groups.push(numbers);
            for word in words {
                synonyms.groups_of.entry(word).or_default().push(group);
            }
        }
        Ok(synonyms)
    }

    /// The number of groups in the user's file.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The numbers of a term and its synonyms, ascending. Uses WordNet if `language` is English, and the Chinese Open Wordnet if it is
    /// Chinese. A term's number is the same on all pages.
    pub fn of(&self, term: &str, language: Option<&str>) -> Vec<u64> {
        let mut found = vec![number_of(term)];
        if language == Some("en")
            && let Some(number) = wordnet().number(term)
        {
            found.extend(wordnet().synonyms(number).into_iter().map(u64::from));
        }
        if language == Some("zh")
            && let Some(number) = chinese().number(term)
        {
            let synonyms = chinese().synonyms(number).into_iter();
            let words = synonyms.filter_map(|number| chinese().lemma(number));
            found.extend(words.map(|word| number_of(&word)));
        }
        for group in self.groups_of.get(term).into_iter().flatten() {
            found.extend_from_slice(&self.groups[*group as usize]);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The number of a term: WordNet's, or a hash.
fn number_of(term: &str) -> u64 {
    let known = term.is_ascii().then(|| wordnet().number(term)).flatten();
    known.map_or_else(|| xxh3_64(term.as_bytes()) | OWN, u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextOptions;

    #[test]
    fn a_users_groups_join_wordnets() {
        let file = "# 交通\n電腦\t计算机\tcomputer\n\n渡船\t摆渡船\n";
        let synonyms = Synonyms::with_groups(file, TextOptions::default().folder());
        let synonyms = synonyms.expect("the file is right");
        assert_eq!(synonyms.groups(), 2);
        let [of_one, of_other] = ["电脑", "计算机"].map(|term| synonyms.of(term, None));
        assert_eq!((of_one.len(), &of_one), (3, &of_other));
        // The Chinese Open Wordnet adds more.
        let of_both = synonyms.of("电脑", Some("zh"));
        assert!(of_both.len() > 3 && of_one.iter().all(|n| of_both.contains(n)));
        assert_eq!(synonyms.of("云娜", Some("zh")).len(), 1);
        let computer = synonyms.of("computer", Some("en"));
        assert!(computer.len() > 3);
        assert!(
            synonyms
                .of("电脑", None)
                .iter()
                .all(|n| computer.contains(n))
        );
        let error = Synonyms::with_groups("a\tb\nlonely", TextOptions::default().folder());
        assert_eq!(
            error.expect_err("a group of one"),
            "line 2: a group of two words or more expected, with tabs between them"
        );
    }

    #[test]
    fn english_knows_wordnet() {
        let synonyms = Synonyms::default();
        assert_eq!(synonyms.of("car", Some("en")).len(), 11);
        assert_eq!(synonyms.of("car", Some("fr")).len(), 1);
    }
}
