//! The phrases of a page, and the concepts into which they are merged.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::merge::{self, Meaning};
use crate::text::{Interned, Word, WordForm, Words, language};

/// The most words in a phrase.
pub(super) const WORDS: usize = 3;

/// The most phrases on a page; if there are more (dictionaries, log files), the most frequent count, then the earliest.
pub(super) const MOST: usize = 3000;

/// Phrases with the same meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Concept {
    /// Its most frequent phrase; ties go to the first by text.
    pub(super) name: String,
    /// All phrases with their counts, by text.
    pub(super) phrases: Vec<(String, u32)>,
    /// Where its phrases begin, ascending: indices into [`Words::all`].
    pub(super) positions: Vec<u32>,
    /// The last word of each occurrence.
    pub(super) ends: Vec<u32>,
}

impl Concept {
    /// Its phrases other than its name.
    pub(super) fn others(&self) -> impl Iterator<Item = &str> {
        let phrases = self.phrases.iter().map(|(text, _)| text.as_str());
        phrases.filter(|text| *text != self.name)
    }
}

/// The concepts of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Concepts {
    /// Sorted by name.
    pub(super) all: Vec<Concept>,
    /// The concepts of the page's phrases in order, as indices into `all`.
    pub(super) sequence: Vec<u32>,
    /// The first word of each of these phrases, as an index into [`Words::all`].
    pub(super) starts: Vec<u32>,
    pub(super) phrases: usize,
}

/// The phrases of a page. In each run of content words, from left to right, a phrase is the longest sequence of at most `phrase` words that
/// occurs at least twice on the page, or else a single word. So the start of a phrase does not depend on how many words come before it.
struct Phrases<'a> {
    /// The words of each phrase, as numbers of `interned`; unused places have [`EMPTY`].
    words: Vec<[u32; WORDS]>,
    texts: Vec<String>,
    languages: Vec<[Option<&'a str>; WORDS]>,
    counts: Vec<u32>,
    /// Each phrase with the position of its first word.
    sequence: Vec<(u32, u32)>,
}

const EMPTY: u32 = u32::MAX;

/// The length of the run of content words at the start, at most `most`.
fn run_length(words: &[Word], most: usize) -> usize {
    let goes_on = |word: &&Word| word.is_content() && !word.after_break;
    let first = usize::from(words.first().is_some_and(|word| word.is_content()));
    let rest = words.iter().skip(1).take(most - 1).take_while(goes_on);
    first * (1 + rest.count())
}

/// The sequences of two or more words that occur at least twice on a page.
struct Repeated(FxHashMap<[u32; WORDS], bool>);

impl Repeated {
    fn of(all: &[Word], interned: &Interned<'_>, most: usize) -> Repeated {
        let mut seen: FxHashMap<[u32; WORDS], bool> = FxHashMap::default();
        if most > 1 {
            for at in 0..all.len() {
                for length in 2..=run_length(&all[at..], most) {
                    let again = seen.entry(key(&interned.ids[at..at + length]));
                    again.and_modify(|again| *again = true).or_insert(false);
                }
            }
        }
        Repeated(seen)
    }

    /// The length of the longest phrase at the start of these words.
    fn longest(&self, ids: &[u32]) -> usize {
        let repeated = |length: &usize| self.0.get(&key(&ids[..*length])) == Some(&true);
        (2..=ids.len()).rev().find(repeated).unwrap_or(1)
    }
}

fn key(ids: &[u32]) -> [u32; WORDS] {
    let mut key = [EMPTY; WORDS];
    key[..ids.len()].copy_from_slice(ids);
    key
}

/// Lemmas for words in WordNet, stems in languages with a stemmer.
fn interned<'a>(words: &Words<'a>) -> Interned<'a> {
    let page = words.page_language().filter(|page| *page != "en");
    let stemmed = page.is_some_and(|page| language::stemmer(page).is_some());
    words.interned(if stemmed {
        WordForm::Stem
    } else {
        WordForm::Lemma
    })
}

impl<'a> Phrases<'a> {
    fn find(words: Words<'a>, interned: &Interned<'_>, most: usize) -> Phrases<'a> {
        let mut found = Phrases {
            words: Vec::new(),
            texts: Vec::new(),
            languages: Vec::new(),
            counts: Vec::new(),
            sequence: Vec::new(),
        };
        let mut numbers: FxHashMap<[u32; WORDS], u32> = FxHashMap::default();
        let all = words.all();
        let repeated = Repeated::of(all, interned, most);
        let mut at = 0;
        while at < all.len() {
            if !all[at].is_content() {
                at += 1;
                continue;
            }
            let length = repeated.longest(&interned.ids[at..at + run_length(&all[at..], most)]);
            let mut phrase = [EMPTY; WORDS];
            phrase[..length].copy_from_slice(&interned.ids[at..at + length]);
            let number = *numbers.entry(phrase).or_insert_with(|| {
                let forms = phrase[..length]
                    .iter()
                    .map(|&id| &*interned.forms[id as usize]);
                found.texts.push(forms.collect::<Vec<_>>().join(" "));
                let mut languages = [None; WORDS];
                for (language, &word) in languages.iter_mut().zip(&all[at..at + length]) {
                    *language = words.language(word);
                }
                found.languages.push(languages);
                found.words.push(phrase);
                found.counts.push(0);
                found.words.len() as u32 - 1
            });
            found.counts[number as usize] += 1;
            found.sequence.push((number, at as u32));
            at += length;
        }
        found.keep_most();
        found
    }

    /// Removes from the sequence the phrases beyond [`MOST`].
    fn keep_most(&mut self) {
        if self.words.len() <= MOST {
            return;
        }
        let mut ranked: Vec<u32> = (0..self.words.len() as u32).collect();
        ranked.sort_by_key(|&phrase| Reverse(self.counts[phrase as usize]));
        let mut kept = vec![false; self.words.len()];
        ranked[..MOST]
            .iter()
            .for_each(|&phrase| kept[phrase as usize] = true);
        self.sequence.retain(|(phrase, _)| kept[*phrase as usize]);
        for (count, kept) in self.counts.iter_mut().zip(kept) {
            *count *= u32::from(kept);
        }
    }
}

impl Concepts {
    /// The concepts of a page. Phrases have up to `most` words; phrases related by more than `threshold` become one.
    pub(super) fn find(words: Words<'_>, most: usize, threshold: f64) -> Concepts {
        let interned = interned(&words);
        let mut phrases = Phrases::find(words, &interned, most);
        let kept = phrases.counts.iter().filter(|count| **count > 0).count();
        let groups = if threshold < 1.0 {
            phrases.groups(words, &interned, threshold)
        } else {
            // Nothing is related by more than 1.
            (0..phrases.words.len() as u32).collect()
        };
        phrases.concepts(&groups, kept)
    }
}

impl Phrases<'_> {
    /// For each phrase the representative of its group.
    fn groups(&self, words: Words<'_>, interned: &Interned<'_>, threshold: f64) -> Vec<u32> {
        let kept: Vec<usize> = (0..self.words.len())
            .filter(|&n| self.counts[n] > 0)
            .collect();
        let mut known: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        let meanings: Vec<Meaning<'_>> = kept
            .iter()
            .map(|&phrase| {
                let mut concepts = Vec::new();
                for (&id, language) in self.words[phrase].iter().zip(self.languages[phrase]) {
                    if id != EMPTY {
                        let of_word = known.entry(id).or_insert_with(|| {
                            words.concepts(&interned.forms[id as usize], language)
                        });
                        concepts.extend_from_slice(of_word);
                    }
                }
                concepts.sort_unstable();
                concepts.dedup();
                Meaning {
                    text: &self.texts[phrase],
                    concepts,
                }
            })
            .collect();
        let mut groups: Vec<u32> = (0..self.words.len() as u32).collect();
        for (&phrase, group) in kept.iter().zip(merge::groups(&meanings, threshold)) {
            groups[phrase] = kept[group as usize] as u32;
        }
        groups
    }

    fn concepts(&mut self, groups: &[u32], phrases: usize) -> Concepts {
        let mut concepts: Vec<Concept> = vec![Concept::default(); groups.len()];
        for (phrase, text) in self.texts.drain(..).enumerate() {
            let count = self.counts[phrase];
            if count > 0 {
                concepts[groups[phrase] as usize]
                    .phrases
                    .push((text, count));
            }
        }
        for &(phrase, at) in &self.sequence {
            let words = self.words[phrase as usize]
                .iter()
                .filter(|id| **id != EMPTY)
                .count();
            let concept = &mut concepts[groups[phrase as usize] as usize];
            concept.positions.push(at);
            concept.ends.push(at + words as u32 - 1);
        }
        for concept in &mut concepts {
            concept.phrases.sort_unstable();
            let by_count = concept.phrases.iter().rev().max_by_key(|(_, count)| *count);
            concept.name = by_count.map(|(text, _)| text.clone()).unwrap_or_default();
        }
        let mut order: Vec<u32> = (0..concepts.len() as u32).collect();
        order.retain(|&n| !concepts[n as usize].phrases.is_empty());
        order.sort_unstable_by(|&a, &b| concepts[a as usize].name.cmp(&concepts[b as usize].name));
        let mut place = vec![0u32; concepts.len()];
        for (&number, at) in order.iter().zip(0..) {
            place[number as usize] = at;
        }
        let sequence = self.sequence.iter();
        let sequence = sequence.map(|&(phrase, _)| place[groups[phrase as usize] as usize]);
        let sequence = sequence.collect();
        let starts = self.sequence.iter().map(|&(_, at)| at).collect();
        let mut taken = |&number: &u32| std::mem::take(&mut concepts[number as usize]);
        Concepts {
            all: order.iter().map(&mut taken).collect(),
            sequence,
            starts,
            phrases,
        }
    }
}
