//! Spot signatures: a frequent small word and the chain of content words after it.

use xxhash_rust::xxh3::Xxh3;

use crate::method::Highlight;
use crate::param::choices;
use crate::text::{Text, Word, Words};

/// Which places of a text make signatures, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::method) struct Signatures {
    /// The words with which a signature begins.
    pub(super) antecedents: Antecedents,
    /// Every `distance`-th content word after the antecedent is in the chain.
    pub(super) distance: usize,
    pub(super) chain: usize,
}

impl Signatures {
    /// The measured best (`docs/lab/methods.md`).
    pub(in crate::method) const DEFAULT: Signatures = Signatures {
        antecedents: Antecedents::Common,
        distance: 1,
        chain: 2,
    };

    /// The signatures of a text, in order, with repetitions. An antecedent with too few content words after it gives none.
    pub(in crate::method) fn highlights(&self, text: &Text) -> Vec<Highlight> {
        let words = text.words();
        let all = words.all();
        let content: Vec<Word> = all.iter().copied().filter(|word| !word.stop).collect();
        let mut highlights = Vec::with_capacity(all.len() / 8);
        let mut passed = 0;
        for &word in all {
            passed += usize::from(!word.stop);
            if !word.stop || !self.antecedents.contain(words, word) {
                continue;
            }
            let after = content[passed..].iter().skip(self.distance - 1);
            let chain = after.step_by(self.distance).take(self.chain);
            if let Some(last) = chain.clone().nth(self.chain - 1) {
                // The place shows the words, including those that are skipped.
                highlights.push(Highlight {
                    key: hash(words, word, chain),
                    start: word.start,
                    end: last.end,
                    label: None,
                });
            }
        }
        highlights
    }
}

/// Hashes words, separated by a byte that no word contains.
fn hash<'a>(words: Words<'_>, first: Word, chain: impl Iterator<Item = &'a Word>) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(words.as_str(first).as_bytes());
    for &word in chain {
        hash.update(b"\n");
        hash.update(words.as_str(word).as_bytes());
    }
    hash.digest()
}

choices! {
    /// A named list of antecedents in every language; each list extends the previous one.
    pub(in crate::method) enum Antecedents {
        /// The copula.
        Is = "is",
        /// The copula and articles: the list of the paper.
        Articles = "articles",
        /// The copula, articles and the most frequent other small words.
        Common = "common",
        /// All stop-words of the language.
        All = "all",
    }
}

/// The most frequent function words of a language, for the named choices of [`Antecedents`].
struct Lists {
    is: &'static [&'static str],
    articles: &'static [&'static str],
    more: &'static [&'static str],
}

const ENGLISH: Lists = Lists {
    is: &["is"],
    articles: &["a", "an", "the"],
    more: &[
        "that", "was", "are", "were", "be", "been", "has", "had", "have", "to", "of", "in",
    ],
};

const CHINESE: Lists = Lists {
    is: &["是"],
    articles: &["的"],
    more: &[
        "了", "在", "和", "有", "也", "就", "而", "及", "与", "着", "这", "对", "为", "被",
    ],
};

impl Antecedents {
    /// Whether a stop-word is an antecedent. In languages without lists every stop-word is.
    fn contain(self, words: Words<'_>, stop: Word) -> bool {
        let lists = match words.language(stop) {
            Some("en") => ENGLISH,
            Some("zh") => CHINESE,
            _ => return true,
        };
        let is_in = |list: &[&str]| list.contains(&words.as_str(stop));
        match self {
            Antecedents::Is => is_in(lists.is),
            Antecedents::Articles => is_in(lists.is) || is_in(lists.articles),
            Antecedents::Common => is_in(lists.is) || is_in(lists.articles) || is_in(lists.more),
            Antecedents::All => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::testing::text;
    use crate::text::language::StopWords;

    /// The signatures as words joined by colons.
    fn signatures(signatures: Signatures, content: &str) -> Vec<String> {
        let text = text(content);
        let words = text.words();
        let highlights = signatures.highlights(&text);
        let name = |highlight: &Highlight| {
            let within = |word: &&Word| word.start >= highlight.start && word.end <= highlight.end;
            let mut inside = words.all().iter().filter(within);
            let first = *inside.next().unwrap();
            let content: Vec<Word> = inside.copied().filter(|word| !word.stop).collect();
            let every = signatures.distance;
            let chain: Vec<Word> = content.into_iter().skip(every - 1).step_by(every).collect();
            assert_eq!(highlight.key, hash(words, first, chain.iter()));
            let all = std::iter::once(&first).chain(&chain);
            let all: Vec<&str> = all.map(|&word| words.as_str(word)).collect();
            all.join(":")
        };
        highlights.iter().map(name).collect()
    }

    /// The sentence and signatures of the paper's example, §3.1.
    #[test]
    fn the_example_of_the_paper() {
        let sentence = "At a rally to kick off a weeklong campaign for the South Carolina primary, Obama tried \
            to set the record straight from an attack circulating widely on the Internet that is designed to play \
            into prejudices against Muslims and fears of terrorism.";
        let of_paper = Signatures {
            antecedents: Antecedents::Articles,
            ..Signatures::DEFAULT
        };
        let expected = [
            "a:rally:kick",
            "a:weeklong:campaign",
            "the:south:carolina",
            "the:record:straight",
            "an:attack:circulating",
            "the:internet:designed",
            "is:designed:play",
        ];
        assert_eq!(signatures(of_paper, sentence), expected);
    }

    #[test]
    fn distance_and_chain_by_hand() {
        let signature = |distance, chain| Signatures {
            antecedents: Antecedents::Is,
            distance,
            chain,
        };
        let sentence = "is one2 the two2 three3 of four4 five5";
        assert_eq!(signatures(signature(1, 1), sentence), ["is:one2"]);
        assert_eq!(signatures(signature(2, 2), sentence), ["is:two2:four4"]);
        assert_eq!(
            signatures(signature(1, 5), sentence),
            ["is:one2:two2:three3:four4:five5"]
        );
        // Too few words after it.
        assert!(signatures(signature(3, 2), sentence).is_empty());
        assert!(signatures(signature(1, 6), sentence).is_empty());
    }

    #[test]
    fn chinese_has_antecedents_of_its_own() {
        let articles = Signatures {
            antecedents: Antecedents::Articles,
            ..Signatures::DEFAULT
        };
        assert_eq!(signatures(articles, "中国的经济增长。"), ["的:经济:增长"]);
        let is = Signatures {
            antecedents: Antecedents::Is,
            ..articles
        };
        assert_eq!(signatures(is, "北京是中国首都。"), ["是:中国:首都"]);
    }

    #[test]
    fn antecedents_are_stop_words() {
        for (language, lists) in [("en", ENGLISH), ("zh", CHINESE)] {
            let stop = StopWords::of(Some(language));
            for &word in lists.is.iter().chain(lists.articles).chain(lists.more) {
                assert!(stop.contains(word), "{word}");
            }
        }
    }
}
