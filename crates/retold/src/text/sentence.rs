//! Sentences, split at full stops.
//!
//! Stops are searched for in unfolded text, because folding turns `．` into `.` and `…` into `...`. `!` and `?` are not full stops here,
//! because templates use them too.

use super::bits;

/// A full stop found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Where the sentence before it begins.
    pub begin: usize,
    /// Where the mark begins.
    pub at: usize,
    /// Where the mark ends, including closing quotes and brackets after it.
    pub end: usize,
    /// True if the sentence before it is counted in words.
    pub words: bool,
}

/// Passes the full stops of all `wanted` blocks (separated by line feeds) to `found`, in order. Returns the number of blocks. Linear,
/// except for a sentence with many marks that do not end it.
pub fn stops(text: &str, wanted: impl Fn(usize) -> bool, mut found: impl FnMut(Stop)) -> usize {
    let (bytes, mut begin, mut number) = (text.as_bytes(), 0, 0);
    for at in bits::positions(bytes, bits::line_feeds_and_marks) {
        if bytes[at] == b'\n' {
            (begin, number) = (at + 1, number + 1);
            continue;
        }
        // Closing quotes are skipped with the mark.
        if at >= begin
            && wanted(number)
            && let Some(stop) = stop_at(text, begin, at)
        {
            begin = stop.end;
            found(stop);
        }
    }
    number + 1
}

/// The full stop at `at`, if there is one, of the sentence that begins at `begin`.
fn stop_at(text: &str, begin: usize, at: usize) -> Option<Stop> {
    let length = mark_len(&text.as_bytes()[at..]);
    if length == 0 {
        return None;
    }
    let mark = Mark {
        before: &text[begin..at],
        mark: &text[at..at + length],
        after: &text[at + length..],
    };
    let words = mark.is_stop()?;
    let end = at + length + mark.closers();
    Some(Stop {
        begin,
        at,
        end,
        words,
    })
}

/// The length of the mark at the start of the bytes, 0 if there is none.
fn mark_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'.', ..] => 1,
        // ۔
        [0xDB, 0x94, ..] => 2,
        // 。 ． ｡
        [0xE3, 0x80, 0x82, ..] | [0xEF, 0xBC, 0x8E, ..] | [0xEF, 0xBD, 0xA1, ..] => 3,
        // । ॥ ።
        [0xE0, 0xA5, 0xA4 | 0xA5, ..] | [0xE1, 0x8D, 0xA2, ..] => 3,
        _ => 0,
    }
}

/// A mark that may be a full stop, with the sentence before it and the text after it, which ends at a line feed.
struct Mark<'a> {
    before: &'a str,
    mark: &'a str,
    after: &'a str,
}

impl Mark<'_> {
    /// Whether the mark ends a sentence, and if so, whether the sentence is counted in words.
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

    /// `．` between digits is a decimal point; after a list number or an initial it is no stop either.
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
        // The most frequent case: `main.rs`, 3.14.
        let after = self.after.as_bytes().first();
        if after.is_some_and(u8::is_ascii_alphanumeric) {
            return false;
        }
        let Some(last) = self.before.chars().next_back() else {
            return false;
        };
        if last == '.' || self.after.starts_with('.') {
            return false;
        }
        let next = self.after[self.closers()..].chars().next();
        let next = next.filter(|&next| next != '\n');
        if without_spaces(last) {
            return next.is_none_or(|c| !c.is_ascii_alphanumeric());
        }
        let ends = next.is_none_or(char::is_whitespace);
        ends && !self.is_abbreviation(next.is_none())
    }

    /// Whether the period belongs to the word before it.
    fn is_abbreviation(&self, at_end: bool) -> bool {
        let (before, word) = self.before.split_at(last_word(self.before));
        if word.is_empty() {
            return false;
        }
        // One letter of an alphabet has at most two bytes; a Hangul syllable can be a word.
        let is_letter = |part: &[u8]| part.len() <= 1 || part.len() == 2 && !part[0].is_ascii();
        let is_short = || word.as_bytes().split(|&byte| byte == b'.').all(is_letter);
        let is_section = word.chars().all(|c| c.is_numeric() || c == '.');
        // A list number or letter: `1. `, `2.3. `, `a. `.
        if before.trim_start().is_empty() && (is_section || is_short()) {
            return true;
        }
        // `Chapter 1. `, `Figure 2.3. `
        if is_section && !before.trim().contains(char::is_whitespace) {
            return true;
        }
        if at_end || word.chars().all(char::is_numeric) {
            return false;
        }
        is_short() || is_abbreviation(word)
    }

    /// The length of closing quotes, brackets and note numbers right after the mark.
    fn closers(&self) -> usize {
        // Usually there are none.
        if matches!(self.after.as_bytes().first(), None | Some(b' ' | b'\n')) {
            return 0;
        }
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

/// Start of the letters, digits and periods at the end of a text.
fn last_word(text: &str) -> usize {
    // Usually the word and the text before it are ASCII.
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
    let other = text.bytes().rposition(|byte| !is_part(&byte));
    match other {
        Some(other) if !text.as_bytes()[other].is_ascii() => {
            let is_part = |c: char| c.is_alphanumeric() || c == '.';
            text.trim_end_matches(is_part).len()
        }
        other => other.map_or(0, |other| other + 1),
    }
}

/// Whether a word is one of [`ABBREVIATIONS`].
fn is_abbreviation(word: &str) -> bool {
    if word.len() > LONGEST_ABBREVIATION {
        return false;
    }
    if !word.is_ascii() {
        return ABBREVIATIONS.contains(&word.to_lowercase().as_str());
    }
    let mut small = [0; LONGEST_ABBREVIATION];
    let small = &mut small[..word.len()];
    small.copy_from_slice(word.as_bytes());
    small.make_ascii_lowercase();
    let lengths = small
        .first()
        .map_or(0, |&first| LENGTHS[usize::from(first)]);
    lengths >> small.len() & 1 != 0 && ABBREVIATIONS.iter().any(|word| word.as_bytes() == small)
}

/// For the first byte of an abbreviation, a bit for each length of those abbreviations.
const LENGTHS: [u16; 256] = {
    let mut lengths = [0; 256];
    let mut i = 0;
    while i < ABBREVIATIONS.len() {
        let word = ABBREVIATIONS[i].as_bytes();
        lengths[word[0] as usize] |= 1 << word.len();
        i += 1;
    }
    lengths
};

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

/// Scripts without spaces between words: Han, kana, bopomofo; Thai, Lao, Khmer, Myanmar.
pub fn without_spaces(c: char) -> bool {
    matches!(c,
        '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{312F}'
        | '\u{31A0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFF}'
        | '\u{E00}'..='\u{EFF}' | '\u{1780}'..='\u{17FF}' | '\u{1000}'..='\u{109F}')
}

/// Length in bytes of the longest abbreviation below.
const LONGEST_ABBREVIATION: usize = 8;

/// Words whose period does not end a sentence inside a block, in lower case without the period.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The sentences of a block, each after `w` (words) or `c` (characters).
    fn sentences(block: &str) -> Vec<String> {
        let mut found = Vec::new();
        stops(
            block,
            |_| true,
            |stop| {
                let unit = if stop.words { 'w' } else { 'c' };
                found.push(format!("{unit}:{}", block[stop.begin..stop.at].trim()));
            },
        );
        found
    }

    #[test]
    fn chinese_and_japanese_marks_end_sentences() {
        assert_eq!(
            sentences("一句。二句．三句｡四"),
            ["c:一句", "c:二句", "c:三句"]
        );
        assert_eq!(sentences("用 Linux。好"), ["c:用 Linux"]);
        assert_eq!(
            sentences("他说：“走。”她走了。"),
            ["c:他说：“走", "c:她走了"]
        );
    }

    #[test]
    fn a_wide_period_in_a_number_is_no_stop() {
        assert!(sentences("长３．１４米").is_empty());
        assert!(sentences("１．标题").is_empty());
        assert!(sentences("Ｊ．史密斯").is_empty());
        assert_eq!(sentences("共３。完．"), ["c:共３", "c:完"]);
    }

    #[test]
    fn other_scripts_have_their_marks() {
        assert_eq!(sentences("यह वाक्य है। दूसरा॥"), ["w:यह वाक्य है", "w:दूसरा"]);
        assert_eq!(sentences("یہ ایک جملہ ہے۔"), ["w:یہ ایک جملہ ہے"]);
        assert_eq!(sentences("ሰላም ነው።"), ["w:ሰላም ነው"]);
        assert_eq!(sentences("Вот дом. И сад."), ["w:Вот дом", "w:И сад"]);
        assert_eq!(
            sentences("한국어 문장이다. 둘."),
            ["w:한국어 문장이다", "w:둘"]
        );
    }

    #[test]
    fn a_period_after_scripts_without_spaces_counts_characters() {
        assert_eq!(sentences("第一句.第二句. "), ["c:第一句", "c:第二句"]);
        assert_eq!(sentences("ภาษาไทย. "), ["c:ภาษาไทย"]);
        assert!(sentences("文档.txt 和 中文.com").is_empty());
    }

    #[test]
    fn a_period_ends_a_sentence_only_at_its_end() {
        for block in [
            "about 3.14 metres",
            "see e.g. this",
            "in the U.S. market",
            "example.com is",
            "Mr. Miller and Dr. No",
            "J. Smith wrote",
            "read No. 5 in vol. 3",
            "wait... what",
            "and so on.. what",
            "main.rs is a file",
            "1. first",
            "2.3. Section",
            "a. first",
            "Chapter 1. Beginning",
            "Figure 2.3. A plot",
            "z. B. heute",
        ] {
            assert!(sentences(block).is_empty(), "{block}");
        }
        assert_eq!(sentences("It costs 3.50. Next"), ["w:It costs 3.50"]);
        assert_eq!(sentences("Go to example.com. Now"), ["w:Go to example.com"]);
        assert_eq!(
            sentences("She left (“now.”) He stayed."),
            ["w:She left (“now", "w:He stayed"]
        );
        assert_eq!(sentences("A fact.[12] Next."), ["w:A fact", "w:Next"]);
        assert_eq!(
            sentences("It ended in 2010. Then apples, etc."),
            ["w:It ended in 2010", "w:Then apples, etc"]
        );
    }

    #[test]
    fn shouting_and_asking_end_nothing() {
        assert!(sentences("What? No! 真的？是！").is_empty());
    }

    /// Reference implementation: looks for a stop at every character of one block.
    fn plainly(block: &str, start: usize) -> Vec<Stop> {
        let (mut found, mut begin) = (Vec::new(), 0);
        for (at, _) in block.char_indices() {
            if at >= begin
                && let Some(stop) = stop_at(block, begin, at)
            {
                begin = stop.end;
                found.push(Stop {
                    begin: start + stop.begin,
                    at: start + stop.at,
                    end: start + stop.end,
                    words: stop.words,
                });
            }
        }
        found
    }

    proptest! {
        #[test]
        fn last_words_are_found_as_by_characters(text in "([a-z ,]{0,3}|[é中。’１3.]){0,6}") {
            let is_part = |c: char| c.is_alphanumeric() || c == '.';
            prop_assert_eq!(last_word(&text), text.trim_end_matches(is_part).len());
        }

        #[test]
        fn marks_are_found_as_block_by_block(
            blocks in prop::collection::vec("[a-cA-C1-3 .,。．｡，、।॥۔።“”\\[\\]（）é中한]{0,60}", 0..5),
            wanted in prop::collection::vec(any::<bool>(), 5),
        ) {
            let (mut found, mut expected, mut start) = (Vec::new(), Vec::new(), 0);
            let count = stops(&blocks.join("\n"), |number| wanted[number], |stop| found.push(stop));
            prop_assert_eq!(count, blocks.len().max(1));
            for (block, wanted) in blocks.iter().zip(wanted) {
                expected.extend(plainly(block, start).into_iter().filter(|_| wanted));
                start += block.len() + 1;
            }
            prop_assert_eq!(found, expected);
        }
    }
}
