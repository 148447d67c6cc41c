//! Splits text into words, with a segmenter chosen for each run of characters.
//!
//! The script decides, run by run. Chinese characters go to jieba (its own dictionary; HMM off, because it invents words that differ from
//! page to page). Runs with kana, all runs of a Japanese page, and Thai, Lao, Khmer and Burmese go to ICU's dictionaries (its LSTM models
//! took 250 ms for 32 KB of Thai). Everything else is split at Unicode's word boundaries (UAX #29), with a fast path for ASCII. Korean
//! words are the text between spaces, particles included: ICU has no Korean dictionary, and copies of a text repeat its particles. Words
//! that mix letters and Chinese characters (卡拉OK) are split between them.

use std::fmt;
use std::sync::OnceLock;

use icu_segmenter::WordSegmenter;
use icu_segmenter::WordSegmenterBorrowed;
use icu_segmenter::options::WordBreakInvariantOptions;
use jieba_rs::Jieba;
use unicode_segmentation::UnicodeSegmentation;

use super::fold::Folder;
use super::language::Script;

/// Splits text into words. Dictionaries are shared and loaded on first use.
#[derive(Default)]
pub struct Tokenizer {
    user_words: Vec<UserWord>,
    /// A dictionary with the user's words; without them the shared one is used.
    own: OnceLock<Jieba>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct UserWord {
    word: String,
    frequency: Option<usize>,
}

impl PartialEq for Tokenizer {
    fn eq(&self, other: &Tokenizer) -> bool {
        self.user_words == other.user_words
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizer")
            .field("user_words", &self.user_words.len())
            .finish_non_exhaustive()
    }
}

/// jieba's dictionary of Chinese words. The crate's own copy is not used, because packing it needs a compressor at build time.
static DICTIONARY: &[u8] = include_bytes!("../../data/jieba/dict.txt.zst");

/// jieba with only its own dictionary.
fn with_dictionary() -> Jieba {
    let lines = zstd::decode_all(DICTIONARY).expect("the packed dictionary is in the program");
    Jieba::with_dict(&mut &lines[..]).expect("the dictionary is jieba's")
}

impl Tokenizer {
    /// Adds the words of a dictionary in jieba's form: one word per line, optionally followed by its frequency and part of speech (which is
    /// ignored). Without a frequency the word gets one that makes it a word. Words are folded like texts. The error names the line.
    pub fn with_user_words(dictionary: &str, folder: Folder) -> Result<Tokenizer, String> {
        let mut user_words = Vec::new();
        for (number, line) in dictionary.lines().enumerate() {
            let line = line.trim_start_matches('\u{FEFF}');
            let mut fields = line.split_whitespace();
            let Some(word) = fields.next() else {
                continue;
            };
            // The second field is a frequency or already the part of speech.
            let frequency = match fields.next() {
                Some(field) if field.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                    Some(field.parse::<usize>().map_err(|_| {
                        format!(
                            "line {}: the frequency `{field}` of `{word}` is not a whole number",
                            number + 1
                        )
                    })?)
                }
                _ => None,
            };
            let mut folded = String::with_capacity(word.len());
            folder.fold_into(word, &mut folded);
            if !folded.is_empty() {
                user_words.push(UserWord {
                    word: folded,
                    frequency,
                });
            }
        }
        Ok(Tokenizer {
            user_words,
            own: OnceLock::new(),
        })
    }

    /// The number of words from the user's dictionary.
    pub fn user_words(&self) -> usize {
        self.user_words.len()
    }

    fn jieba(&self) -> &Jieba {
        static SHARED: OnceLock<Jieba> = OnceLock::new();
        if self.user_words.is_empty() {
            return SHARED.get_or_init(with_dictionary);
        }
        self.own.get_or_init(|| {
            let mut jieba = with_dictionary();
            for user in &self.user_words {
                jieba.add_word(&user.word, user.frequency, None);
            }
            jieba
        })
    }

    /// Calls `found` with start, end (in bytes of `text`) and script of every word, in order. `japanese` says whether the page is in
    /// Japanese.
    pub fn cut(&self, text: &str, japanese: bool, mut found: impl FnMut(usize, usize, Script)) {
        if text.is_ascii() {
            return unicode_words(text, 0, &mut found);
        }
        for run in Runs::new(text) {
            let part = &text[run.start..run.end];
            match run.kind {
                RunKind::Spaced => unicode_words(part, run.start, &mut found),
                RunKind::Complex => dictionary_words(part, run.start, None, &mut found),
                RunKind::Cjk if japanese || run.kana > 0 && run.kana * 4 >= run.chars => {
                    dictionary_words(part, run.start, Some(Script::Japanese), &mut found);
                }
                RunKind::Cjk => self.chinese_words(part, run.start, run.kana > 0, &mut found),
            }
        }
    }

    /// Words of a run of Chinese characters; stray kana between them are words of their own.
    fn chinese_words(
        &self,
        run: &str,
        offset: usize,
        kana: bool,
        found: &mut impl FnMut(usize, usize, Script),
    ) {
        if !kana {
            for token in self.jieba().cut(run, false) {
                found(
                    offset + token.byte_start,
                    offset + token.byte_end,
                    Script::Han,
                );
            }
            return;
        }
        let mut at = 0;
        while let Some(first) = run[at..].chars().next() {
            let is_kana = |c: char| Script::of(c) == Script::Japanese;
            let part = &run[at..];
            let end = part
                .find(|c| is_kana(c) != is_kana(first))
                .unwrap_or(part.len());
            if is_kana(first) {
                found(offset + at, offset + at + end, Script::Japanese);
            } else {
                self.chinese_words(&part[..end], offset + at, false, found);
            }
            at += end;
        }
    }
}

fn unicode_words(text: &str, offset: usize, found: &mut impl FnMut(usize, usize, Script)) {
    // Most runs between Chinese words are a comma or a full stop.
    if !text.contains(may_be_of_word) {
        return;
    }
    for (at, segment) in text.unicode_word_indices() {
        // NFKC turns some characters into a space and a combining mark, which UAX #29 keeps together.
        let word = segment.trim_start();
        let at = at + segment.len() - word.len();
        let script = word
            .chars()
            .map(Script::of)
            .find(|script| *script != Script::None)
            .unwrap_or(Script::None);
        found(offset + at, offset + at + word.len(), script);
    }
}

/// False for the common characters that are neither letter nor digit.
fn may_be_of_word(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_alphanumeric(),
        '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' => false,
        _ => true,
    }
}

/// Words of a run in a script without spaces, split by ICU.
fn dictionary_words(
    run: &str,
    offset: usize,
    script: Option<Script>,
    found: &mut impl FnMut(usize, usize, Script),
) {
    static ICU: OnceLock<WordSegmenterBorrowed<'static>> = OnceLock::new();
    let icu =
        ICU.get_or_init(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));
    let mut start = 0;
    for end in icu.segment_str(run) {
        let word = &run[start..end];
        if word.contains(char::is_alphanumeric) {
            let of_letters = || word.chars().map(Script::of).find(|s| *s != Script::None);
            let script = script.or_else(of_letters).unwrap_or(Script::None);
            found(offset + start, offset + end, script);
        }
        start = end;
    }
}

/// How a run of characters is split into words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunKind {
    /// At the boundaries of UAX #29.
    Spaced,
    /// Chinese characters and kana.
    Cjk,
    /// Thai, Lao, Khmer, Burmese.
    Complex,
}

fn kind(c: char) -> RunKind {
    match Script::of(c) {
        Script::Han | Script::Japanese => RunKind::Cjk,
        Script::Thai | Script::SouthEastAsian => RunKind::Complex,
        _ => RunKind::Spaced,
    }
}

/// A run of characters of one kind.
struct Run {
    start: usize,
    end: usize,
    kind: RunKind,
    chars: usize,
    kana: usize,
}

struct Runs<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Runs<'a> {
    fn new(text: &'a str) -> Runs<'a> {
        Runs { text, at: 0 }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let rest = &self.text[self.at..];
        let mut run = Run {
            start: self.at,
            end: self.text.len(),
            kind: kind(rest.chars().next()?),
            chars: 0,
            kana: 0,
        };
        for (at, c) in rest.char_indices() {
            if kind(c) != run.kind {
                run.end = self.at + at;
                break;
            }
            run.chars += 1;
            run.kana += usize::from(run.kind == RunKind::Cjk && Script::of(c) == Script::Japanese);
        }
        self.at = run.end;
        Some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_or_digit_is_taken_for_a_mark() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_alphanumeric()) {
            assert!(may_be_of_word(c), "{}", c.escape_unicode());
        }
    }
}
