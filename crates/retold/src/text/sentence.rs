//! Sentences: where full stops end them.
//!
//! Stops are looked for in unfolded text, because folding makes `．` a `.` and `…` three of them.
//! `!` and `?` are no full stops here: templates shout and ask.

/// A full stop found in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Where the mark begins.
    pub at: usize,
    /// Where the mark and the closing quotes and brackets after it end.
    pub end: usize,
    /// True if the sentence before it is counted in words.
    pub words: bool,
}

/// Finds the next full stop of a block at or after `from`; `begin` is where the sentence under way begins.
pub fn next_stop(block: &str, begin: usize, from: usize) -> Option<Stop> {
    let bytes = block.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let length = match bytes[at..] {
            [b'.', ..] => 1,
            [0xDB, 0x94, ..] => 2,
            [0xE3, 0x80, 0x82, ..] | [0xEF, 0xBC, 0x8E, ..] | [0xEF, 0xBD, 0xA1, ..] => 3,
            [0xE0, 0xA5, 0xA4 | 0xA5, ..] | [0xE1, 0x8D, 0xA2, ..] => 3,
            _ => 0,
        };
        if length > 0 {
            let mark = Mark {
                before: &block[begin..at],
                mark: &block[at..at + length],
                after: &block[at + length..],
            };
            if let Some(words) = mark.is_stop() {
                let closers = mark.closers();
                return Some(Stop {
                    at,
                    end: at + length + closers,
                    words,
                });
            }
        }
        at += length.max(1);
    }
    None
}

/// A mark that may be a full stop, with the sentence before it and the block after it.
struct Mark<'a> {
    before: &'a str,
    mark: &'a str,
    after: &'a str,
}

impl Mark<'_> {
    /// Whether the mark ends a sentence, and if so whether that is counted in words.
    fn is_stop(&self) -> Option<bool> {
        match self.mark {
            "." => self.is_period().then(|| self.in_words()),
            "．" => self.is_wide_period().then_some(false),
            "。" | "｡" => Some(false),
            _ => Some(self.in_words()),
        }
    }

    /// The script of the last letter or digit before the mark decides the unit.
    fn in_words(&self) -> bool {
        self.before
            .chars()
            .rev()
            .find(|c| c.is_alphanumeric())
            .is_none_or(|c| !without_spaces(c))
    }

    /// `．` is a decimal point between digits, and no stop after a list number or an initial.
    fn is_wide_period(&self) -> bool {
        let Some(last) = self.before.chars().next_back() else {
            return false;
        };
        let is_digit = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
        let number_first = self.before.trim().chars().all(is_digit);
        let before_digit = self.after.chars().next().is_some_and(is_digit);
        let initial = last.is_alphabetic()
            && !without_spaces(last)
            && !self
                .before
                .chars()
                .rev()
                .nth(1)
                .is_some_and(char::is_alphanumeric);
        !(is_digit(last) && (before_digit || number_first)) && !initial
    }

    fn is_period(&self) -> bool {
        let Some(last) = self.before.chars().next_back() else {
            return false;
        };
        if last == '.' || self.after.starts_with('.') {
            return false;
        }
        let next = self.after[self.closers()..].chars().next();
        if without_spaces(last) {
            return next.is_none_or(|c| !c.is_ascii_alphanumeric());
        }
        let ends = next.is_none_or(char::is_whitespace);
        ends && !self.is_abbreviation(next.is_none())
    }

    /// Whether the word before the period makes it a part of that word.
    fn is_abbreviation(&self, at_end: bool) -> bool {
        let word_start = self
            .before
            .rfind(|c: char| !(c.is_alphanumeric() || c == '.'))
            .map_or(0, |at| {
                at + self.before[at..].chars().next().map_or(1, char::len_utf8)
            });
        let word = &self.before[word_start..];
        let first = self.before[..word_start].trim().is_empty();
        if word.is_empty() {
            return false;
        }
        let is_short = word.split('.').all(|part| part.chars().count() <= 1);
        let is_number = word.chars().all(|c| c.is_numeric());
        // A list number, or a letter that does the same: `1. `, `a. `.
        if first && (is_short || is_number) {
            return true;
        }
        if at_end || is_number {
            return false;
        }
        is_short || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
    }

    /// The length of closing quotes, brackets and note numbers right after the mark.
    fn closers(&self) -> usize {
        let mut rest = self.after;
        loop {
            let quotes = rest.trim_start_matches(is_closer);
            let note = note_len(quotes);
            if note == 0 {
                return self.after.len() - quotes.len();
            }
            rest = &quotes[note..];
        }
    }
}

/// The length of a note like `[12]` at the start of the text.
fn note_len(text: &str) -> usize {
    let Some(inner) = text.strip_prefix('[') else {
        return 0;
    };
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) && inner[digits..].starts_with(']') {
        digits + 2
    } else {
        0
    }
}

fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '’'
            | '”'
            | '»'
            | '›'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '］'
            | '〕'
            | '＂'
            | '＇'
            | '｣'
    )
}

/// Scripts that write no spaces between words: Han, kana, bopomofo; Thai, Lao, Khmer, Myanmar.
fn without_spaces(c: char) -> bool {
    matches!(c,
        '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{312F}'
        | '\u{31A0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFF}'
        | '\u{E00}'..='\u{EFF}' | '\u{1780}'..='\u{17FF}' | '\u{1000}'..='\u{109F}')
}

/// Words whose period does not end a sentence inside a block; lower case, without the period.
const ABBREVIATIONS: &[&str] = &[
    // English
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "rev", "gen", "col", "capt", "lt", "sgt",
    "gov", "sen", "rep", "no", "nos", "vol", "vols", "pp", "fig", "figs", "eq", "sec", "ch", "ed",
    "eds", "vs", "etc", "al", "cf", "approx", "inc", "ltd", "co", "corp", "dept", "est", "jan",
    "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "ph.d",
    // German, French, Spanish, Italian, Portuguese, Dutch
    "nr", "bzw", "ca", "usw", "evtl", "ggf", "inkl", "vgl", "abs", "art", "str", "bd", "hrsg",
    "mme", "mlle", "ex", "env", "sra", "srta", "dra", "ud", "uds", "av", "avda", "pág", "núm",
    "sig", "dott", "ecc", "pag", "bijv", "enz", "dhr", "mevr", // Russian
    "г", "гг", "ул", "им", "руб", "млн", "млрд", "тыс", "стр", "см",
];
