//! The words of a page, computed when a method first needs them.
//!
//! A word is a byte range of [`Text::folded`]; punctuation is not a word. A word's **position** is its index among all words that methods
//! use, stop-words included.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::derived::Word;
use super::language::{self, Script, StopWords};
use super::page_text::Text;
use super::synonyms::Synonyms;
use super::wordnet::wordnet;

impl Text {
    /// The language of the text that methods use (ISO 639-1), or the language that the page declares if the text does not show one.
    /// Computed once.
    pub fn language(&self) -> Option<&'static str> {
        *self.derived.language.get_or_init(|| {
            let blocks = self.seen().map(|(_, block)| block);
            language::detect(blocks, self.meta.lang.as_deref())
        })
    }

    /// The words that methods see. Computed once.
    pub fn words(&self) -> Words<'_> {
        Words {
            text: &self.folded,
            synonyms: &self.derived.synonyms,
            language: self.language(),
            words: self.derived.words.get_or_init(|| self.find_words()),
        }
    }

    fn find_words(&self) -> Vec<Word> {
        let page = self.language();
        let mut words: Vec<Word> = Vec::with_capacity(self.folded.len() / 6);
        let own = &self.derived.stop_words;
        // Words of one script usually follow each other.
        let mut stop_words = (Script::None, StopWords::of(None));
        for (offset, block) in self.seen() {
            let mut before = None;
            self.derived
                .tokenizer
                .cut(block, page == Some("ja"), |start, end, script| {
                    if script != stop_words.0 {
                        stop_words = (script, StopWords::of(script.language(page)));
                    }
                    let gap = before.map(|before| &block[before..start]);
                    before = Some(end);
                    words.push(Word {
                        // Text lengths are checked to fit 32 bits.
                        start: (offset + start) as u32,
                        end: (offset + end) as u32,
                        script,
                        stop: stop_words.1.contains(&block[start..end])
                            || own.contains(&block[start..end]),
                        after_break: gap.is_none_or(|gap| !is_space(gap)),
                    });
                });
        }
        words.shrink_to_fit();
        words
    }
}

/// True if there is only white space.
fn is_space(gap: &str) -> bool {
    gap.is_empty() || gap == " " || gap.trim().is_empty()
}

/// The form in which words are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordForm {
    /// As in the folded text.
    Surface,
    /// Its Snowball stem, in languages that have a stemmer.
    Stem,
    /// WordNet's lemma for English words, otherwise as in the text.
    Lemma,
}

/// The words of a text.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    text: &'a str,
    synonyms: &'a Synonyms,
    language: Option<&'static str>,
    words: &'a [Word],
}

/// Words as numbers: equal words have equal numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interned<'a> {
    /// The word number at each position; numbers start at 0, in order of first occurrence.
    pub ids: Vec<u32>,
    /// The word of each number.
    pub forms: Vec<Cow<'a, str>>,
}

impl<'a> Words<'a> {
    /// All words, by position.
    pub fn all(&self) -> &'a [Word] {
        self.words
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// True if there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The word as in the folded text.
    pub fn as_str(&self, word: Word) -> &'a str {
        &self.text[word.start as usize..word.end as usize]
    }

    /// The words as strings, in order.
    pub fn strings(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let words = *self;
        words.words.iter().map(move |&word| words.as_str(word))
    }

    /// The language of the page.
    pub fn page_language(&self) -> Option<&'static str> {
        self.language
    }

    /// The language of a word.
    pub fn language(&self, word: Word) -> Option<&'static str> {
        word.script.language(self.language)
    }

    /// A word in a given form.
    pub fn form(&self, word: Word, form: WordForm) -> Cow<'a, str> {
        let surface = self.as_str(word);
        let language = self.language(word);
        match form {
            WordForm::Surface => Cow::Borrowed(surface),
            WordForm::Stem => {
                let stem = language
                    .and_then(language::stemmer)
                    .map(|stemmer| stemmer.stem(surface));
                // Snowball removes some Arabic words completely, as endings.
                stem.filter(|stem| !stem.is_empty())
                    .unwrap_or(Cow::Borrowed(surface))
            }
            WordForm::Lemma => {
                let known = (language == Some("en")).then(|| wordnet().lemma_of(surface));
                let lemma = known.flatten().and_then(|number| wordnet().lemma(number));
                lemma.map_or(Cow::Borrowed(surface), Cow::Owned)
            }
        }
    }

    /// The numbers of a term (lemmas separated by spaces) and its synonyms, ascending and the same on all pages.
    pub fn concepts(&self, term: &str, language: Option<&str>) -> Vec<u64> {
        self.synonyms.of(term, language)
    }

    /// All words in a form, as numbers. Each different word is converted once.
    pub fn interned(&self, form: WordForm) -> Interned<'a> {
        let mut surfaces: FxHashMap<&'a str, u32> = FxHashMap::default();
        surfaces.reserve(self.words.len() / 3);
        let mut numbers: FxHashMap<Cow<'a, str>, u32> = FxHashMap::default();
        let mut forms: Vec<Cow<'a, str>> = Vec::new();
        let mut add = |text: &Cow<'a, str>| {
            forms.push(text.clone());
            forms.len() as u32 - 1
        };
        let ids = self.words.iter().map(|&word| {
            let surface = self.as_str(word);
            *surfaces.entry(surface).or_insert_with(|| match form {
                WordForm::Surface => add(&Cow::Borrowed(surface)),
                form => *numbers
                    .entry(self.form(word, form))
                    .or_insert_with_key(&mut add),
            })
        });
        let ids = ids.collect();
        Interned { ids, forms }
    }
}
