//! The items of benchmarks, indexed by the n-grams of their questions.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::fields::BenchmarkFields;
use super::items::{RawItem, read};
use super::ngram::{Ngram, Tokens, WIDTH};
use super::question::{Question, rarity};
use crate::error::{Error, Result};
use crate::method::grams::aligned;
use crate::page::Page;
use crate::read::{ReadOptions, Source};
use crate::text::{Text, TextOptions, text_of};

/// An n-gram of more questions than this is boilerplate and is not looked up, unless a question has no others.
const MOST_QUESTIONS: u32 = 64;
/// Answers and passages of fewer bytes are ignored.
const LEAST_BYTES: u32 = 4;

/// A file of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Benchmark {
    /// Its name: that of the file, or of the folder if the file is named after its split only.
    pub name: String,
    /// Train, test and so on, if the file's name says so.
    pub split: Option<String>,
    /// The number of items.
    pub items: u64,
    /// The number of records without a question.
    pub without_question: u64,
}

/// An item of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The number of its benchmark.
    pub benchmark: u32,
    /// Its id.
    pub id: String,
    pub(super) answers: Vec<Part>,
    pub(super) passages: Vec<Part>,
}

/// An answer or a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) ngrams: FxHashSet<u64>,
    pub(super) tokens: usize,
}

/// The items of all benchmarks, indexed by the n-grams of their questions.
#[derive(Clone, Debug, Default)]
pub struct Benchmarks {
    benchmarks: Vec<Benchmark>,
    items: Vec<Item>,
    pub(super) questions: Vec<Question>,
    /// For each n-gram the range of its `places`.
    ngrams: FxHashMap<u64, (u32, u32)>,
    /// (question, index of the n-gram in it).
    places: Vec<(u32, u32)>,
    /// One bit for every n-gram, at the position given by its hash: most n-grams of pages need only this look-up.
    filter: Vec<u64>,
    /// A bit for each length, in tokens, of questions shorter than an n-gram.
    pub(super) short: u64,
}

impl Benchmarks {
    /// Reads and indexes benchmarks.
    ///
    /// Errors: a file that cannot be read or has no question.
    pub fn read(
        sources: &[Source],
        fields: &BenchmarkFields,
        options: &ReadOptions,
    ) -> Result<Benchmarks> {
        let mut building = Building::default();
        for source in sources {
            let (items, without_question) = read(source, fields, options)?;
            let (name, split) = named(&source.path, &source.kept);
            building.made.benchmarks.push(Benchmark {
                name,
                split,
                items: items.len() as u64,
                without_question,
            });
            for item in items {
                building.add(item)?;
            }
        }
        Ok(building.finish())
    }

    /// Indexes items in memory, as one benchmark of that name.
    #[cfg(test)]
    pub(super) fn of_items(name: &str, items: Vec<RawItem>) -> Benchmarks {
        let mut building = Building::default();
        building.made.benchmarks.push(Benchmark {
            name: name.into(),
            split: None,
            items: items.len() as u64,
            without_question: 0,
        });
        items
            .into_iter()
            .for_each(|item| building.add(item).unwrap());
        building.finish()
    }

    /// All benchmarks, in the order of reading.
    pub fn all(&self) -> &[Benchmark] {
        &self.benchmarks
    }

    /// All items, in the order of reading.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Where this n-gram occurs: (question, index of the n-gram in it).
    pub(super) fn places(&self, hash: u64) -> &[(u32, u32)] {
        let bit = bit(hash, self.filter.len());
        if self.filter.is_empty() || self.filter[bit >> 6] >> (bit & 63) & 1 == 0 {
            return &[];
        }
        let range = self.ngrams.get(&hash);
        range.map_or(&[], |&(from, to)| &self.places[from as usize..to as usize])
    }
}

/// The position of an n-gram's bit in a filter of this many words, a power of two.
fn bit(hash: u64, words: usize) -> usize {
    (hash >> 20) as usize & (words * 64).saturating_sub(1)
}

/// The state of indexing.
#[derive(Default)]
struct Building {
    made: Benchmarks,
    /// The n-grams of each question.
    ngrams: Vec<Vec<Ngram>>,
    /// The questions by their words.
    known: FxHashMap<Vec<u64>, u32>,
    options: TextOptions,
}

impl Building {
    fn add(&mut self, raw: RawItem) -> Result<()> {
        self.options.sentences = false;
        let text = self.text(raw.question)?;
        let tokens = Tokens::of(&text);
        if tokens.placed.is_empty() {
            return Ok(());
        }
        let number = self.made.items.len() as u32;
        let words = tokens.placed.iter().map(|token| token.hash).collect();
        let next = self.made.questions.len() as u32;
        let question = *self.known.entry(words).or_insert(next);
        if question == next {
            let ngrams = tokens.ngrams();
            self.made.questions.push(Question {
                words: aligned(&text, &tokens.placed).collect(),
                ngrams: ngrams.iter().map(|ngram| (ngram.tokens, 0.0)).collect(),
                evidence: (tokens.weigh_all() as f64 / WIDTH as f64).min(1.0),
                items: Vec::new(),
            });
            self.ngrams.push(ngrams);
        }
        self.made.questions[question as usize].items.push(number);
        let item = Item {
            benchmark: self.made.benchmarks.len() as u32 - 1,
            id: raw.id,
            answers: self.parts(raw.answers)?,
            passages: self.parts(raw.passages)?,
        };
        self.made.items.push(item);
        Ok(())
    }

    fn text(&self, text: String) -> Result<Text> {
        text_of(&Page::text("", text), &self.options).map_err(Error::Usage)
    }

    fn parts(&self, texts: Vec<String>) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        for text in texts {
            let text = self.text(text)?;
            let tokens = Tokens::of(&text);
            let bytes: u32 = tokens
                .placed
                .iter()
                .map(|token| token.end - token.start)
                .sum();
            if bytes >= LEAST_BYTES {
                parts.push(Part {
                    ngrams: tokens.ngrams().iter().map(|ngram| ngram.hash).collect(),
                    tokens: tokens.placed.len(),
                });
            }
        }
        Ok(parts)
    }

    /// Computes the weights of n-grams, and lists their places.
    fn finish(mut self) -> Benchmarks {
        let mut having: FxHashMap<u64, u32> = FxHashMap::default();
        for ngrams in &self.ngrams {
            let different: FxHashSet<u64> = ngrams.iter().map(|ngram| ngram.hash).collect();
            different
                .into_iter()
                .for_each(|hash| *having.entry(hash).or_default() += 1);
        }
        let questions = self.made.questions.len();
        let mut listed: Vec<(u64, u32, u32)> = Vec::new();
        for (number, ngrams) in self.ngrams.iter().enumerate() {
            let question = &mut self.made.questions[number];
            for (ngram, weighed) in ngrams.iter().zip(&mut question.ngrams) {
                weighed.1 = rarity(questions, having[&ngram.hash]);
            }
            if question.evidence < 1.0 {
                self.made.short |= 1 << question.words.len();
            }
            let weights: f64 = question.ngrams.iter().map(|(_, weight)| weight).sum();
            question.evidence *= weights / rarity(questions, 1);
            let rarest = ngrams.iter().map(|ngram| having[&ngram.hash]).min();
            let most = rarest.unwrap_or_default().max(MOST_QUESTIONS);
            let wanted = ngrams.iter().enumerate();
            let wanted = wanted.filter(|(_, ngram)| having[&ngram.hash] <= most);
            listed.extend(wanted.map(|(place, ngram)| (ngram.hash, number as u32, place as u32)));
        }
        listed.sort_unstable();
        self.made.list(&listed);
        self.made
    }
}

impl Benchmarks {
    /// Adds the places of all n-grams, (n-gram, question, index of the n-gram in it) ascending.
    fn list(&mut self, listed: &[(u64, u32, u32)]) {
        // Sixteen bits per n-gram, so that few others pass.
        self.filter = vec![0; (listed.len() / 4).next_power_of_two()];
        for chunk in listed.chunk_by(|one, other| one.0 == other.0) {
            let from = self.places.len() as u32;
            let places = chunk.iter().map(|&(_, question, place)| (question, place));
            self.places.extend(places);
            self.ngrams
                .insert(chunk[0].0, (from, self.places.len() as u32));
            let bit = bit(chunk[0].0, self.filter.len());
            self.filter[bit >> 6] |= 1 << (bit & 63);
        }
    }
}

/// File names that stand for a split.
const SPLITS: [&str; 7] = ["train", "test", "validation", "valid", "val", "dev", "eval"];

/// The benchmark and split of a file: `gsm8k/test-00000-of-00001.parquet` and `gsm8k_test.jsonl` are the split `test` of `gsm8k`. `kept` is
/// the file's path below its input.
fn named(path: &Path, kept: &Path) -> (String, Option<String>) {
    let file = kept.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.split('.').next().unwrap_or_default();
    let stem = match stem.split_once("-of-") {
        Some((before, _)) => before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-'),
        None => stem,
    };
    let folder = || {
        let below = kept
            .parent()
            .filter(|folder| folder.components().next().is_some());
        let named = below.map(|folder| folder.display().to_string());
        let above = || {
            path.parent()?
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        named.or_else(above).unwrap_or_else(|| stem.to_owned())
    };
    for split in SPLITS {
        let Some(before) = stem.strip_suffix(split) else {
            continue;
        };
        let name = before.trim_end_matches(['-', '_']);
        if name.is_empty() {
            return (folder(), Some(split.to_owned()));
        }
        if name.len() < before.len() {
            return (name.to_owned(), Some(split.to_owned()));
        }
    }
    (stem.to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_benchmark_and_split() {
        let of = |kept: &str| {
            let (name, split) = named(&Path::new("/evals").join(kept), Path::new(kept));
            format!("{name}:{}", split.unwrap_or_default())
        };
        assert_eq!(of("gsm8k/test-00000-of-00001.parquet"), "gsm8k:test");
        assert_eq!(of("gsm8k_test.jsonl.gz"), "gsm8k:test");
        assert_eq!(of("gsm8k.jsonl"), "gsm8k:");
        assert_eq!(of("mmlu/law/dev.csv"), "mmlu/law:dev");
        assert_eq!(of("test.jsonl"), "evals:test");
        assert_eq!(of("contest.jsonl"), "contest:");
    }
}
