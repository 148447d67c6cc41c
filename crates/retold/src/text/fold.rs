//! Folding normalises text, so that texts that differ only in spelling variants are equal.
//!
//! The steps, in order: NFKC (full-width letters become narrow, ligatures letters, `…` becomes `...`); lower case (character by character;
//! final sigma becomes sigma, so that `ΣΑΣ` and `σας` agree, `ß` becomes `ss`, and an i is one with or without its dot, since `I` is the
//! capital of both: `IŞIK` and `ışık` agree, `İzmir` and `izmir`); if wanted, Serbian Cyrillic becomes Latin; traditional Chinese and Japanese characters become
//! simplified (OpenCC's tables, character by character); and, with NFKC, removal of default-ignorable characters (soft hyphens, zero-width
//! spaces, variation selectors) and of the Arabic tatweel, with Persian yeh and kaf replaced by the Arabic ones.
//!
//! Nearly all characters fold one to one whatever is around them. They go through a table of the Basic Multilingual Plane that is built
//! once per choice of options; ASCII is handled in bulk. If a character can compose with the one before it, or be reordered, the stretch
//! from the last character that cannot is folded by the slow sequence of steps.

use std::sync::OnceLock;

use encoding_rs::Encoding;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, is_nfkc_quick};

/// OpenCC's table of traditional characters and their simplified forms, the usual one first (Apache-2.0).
const TRADITIONAL: &str = include_str!("../../data/opencc/TSCharacters.txt");

/// OpenCC's table of Japanese forms in use since 1946 and the characters they replaced (Apache-2.0).
const JAPANESE: &str = include_str!("../../data/opencc/JPShinjitaiCharacters.txt");

/// Special table entries are surrogates, which no text contains.
const CONTEXT: u16 = 0xD800;
const EXPANDS: u16 = 0xD801;
const VANISHES: u16 = 0xD802;

/// Folds text as the options say. Cheap to create: the tables are static.
#[derive(Clone, Copy)]
pub struct Folder {
    switches: FoldOptions,
    table: &'static Table,
}

/// The letters of Serbian Cyrillic and of its Latin alphabet (Gaj's).
const SERBIAN: &[(char, &str)] = &[
    ('а', "a"),
    ('б', "b"),
    ('в', "v"),
    ('г', "g"),
    ('д', "d"),
    ('ђ', "đ"),
    ('е', "e"),
    ('ж', "ž"),
    ('з', "z"),
    ('и', "i"),
    ('ј', "j"),
    ('к', "k"),
    ('л', "l"),
    ('љ', "lj"),
    ('м', "m"),
    ('н', "n"),
    ('њ', "nj"),
    ('о', "o"),
    ('п', "p"),
    ('р', "r"),
    ('с', "s"),
    ('т', "t"),
    ('ћ', "ć"),
    ('у', "u"),
    ('ф', "f"),
    ('х', "h"),
    ('ц', "c"),
    ('ч', "č"),
    ('џ', "dž"),
    ('ш', "š"),
];

/// How the characters of the Basic Multilingual Plane fold.
struct Table {
    /// The folded form of each character.
    entries: Vec<u16>,
    /// One bit per character, set if it folds to itself: most text needs only these bits, and they fit into the fastest cache.
    same: [u64; 1 << 10],
}

/// The folding steps; all but `serbian` are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldOptions {
    /// Unicode NFKC: full-width letters become narrow, invisible format characters are removed.
    pub nfkc: bool,
    /// Lower case.
    pub case: bool,
    /// Traditional Chinese and Japanese characters become simplified ones, character by character.
    pub simplify: bool,
    /// Serbian Cyrillic becomes Latin, letter by letter.
    pub serbian: bool,
}

impl Default for FoldOptions {
    fn default() -> FoldOptions {
        FoldOptions {
            nfkc: true,
            case: true,
            simplify: true,
            serbian: false,
        }
    }
}

impl Folder {
    /// The folder for these options.
    pub fn new(switches: FoldOptions) -> Folder {
        static TABLES: [OnceLock<Table>; 16] = [const { OnceLock::new() }; 16];
        let slot = usize::from(switches.nfkc)
            + 2 * usize::from(switches.case)
            + 4 * usize::from(switches.simplify)
            + 8 * usize::from(switches.serbian);
        Folder {
            switches,
            table: TABLES[slot].get_or_init(|| Table::new(switches)),
        }
    }

    /// Appends the folded text to `out`. Text may be folded in parts if each part begins with a character that does not combine with the
    /// one before it (a full stop, for example).
    pub fn fold_into(&self, text: &str, out: &mut String) {
        // Characters that are ASCII or fold to themselves are copied in runs; `run` is the start of the current run.
        let mut run = 0;
        // Start of the last character outside a run, in the text and in the output.
        let mut last = (0, out.len());
        let mut at = 0;
        let bytes = text.as_bytes();
        while at < bytes.len() {
            if bytes[at].is_ascii() {
                at += Encoding::ascii_valid_up_to(&bytes[at..]);
                continue;
            }
            at += self.table.same_of_three(&bytes[at..]);
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            let next = at + c.len_utf8();
            let entry = self.entry(c);
            if u32::from(entry) == u32::from(c) {
                at = next;
                continue;
            }
            if entry == CONTEXT {
                // The previous character may combine with this one.
                let before = text[run..at].char_indices().next_back();
                let from = match before {
                    Some((offset, _)) => run + offset,
                    None => last.0,
                };
                if before.is_some() {
                    self.copy(&text[run..from], out);
                } else {
                    out.truncate(last.1);
                }
                let end = at + self.stretch(&text[at..]);
                last = (from, out.len());
                self.switches.fold_slowly(&text[from..end], out);
                at = end;
            } else {
                self.copy(&text[run..at], out);
                last = (at, out.len());
                self.character(c, entry, out);
                at = next;
            }
            run = at;
        }
        self.copy(&text[run..], out);
    }

    /// The length of the prefix that folds to itself, except for the case of ASCII letters.
    pub fn same_len(&self, text: &str) -> usize {
        let (bytes, mut at) = (text.as_bytes(), 0);
        loop {
            at += Encoding::ascii_valid_up_to(&bytes[at..]);
            at += self.table.same_of_three(&bytes[at..]);
            match bytes[at..] {
                [0..0x80, ..] => {}
                [a @ 0xC0..0xE0, b, ..]
                    if self
                        .table
                        .is_same(u16::from(a & 0x1F) << 6 | u16::from(b & 0x3F)) =>
                {
                    at += 2
                }
                _ => return at,
            }
        }
    }

    /// Appends text that folds to itself, except for the case of ASCII letters.
    pub fn copy(&self, text: &str, out: &mut String) {
        let start = out.len();
        out.push_str(text);
        if self.switches.case {
            out[start..].make_ascii_lowercase();
        }
    }

    fn entry(&self, c: char) -> u16 {
        match self.table.entries.get(c as usize) {
            Some(&entry) => entry,
            None => looked_up(c, self.switches, &mut String::new()),
        }
    }

    /// Folds one character that does not depend on the characters around it.
    fn character(&self, c: char, entry: u16, out: &mut String) {
        match entry {
            VANISHES => {}
            EXPANDS => self.switches.fold_slowly(c.encode_utf8(&mut [0; 4]), out),
            entry => out.extend(char::from_u32(u32::from(entry))),
        }
    }

    /// The length of the stretch at the start of `text` that must be folded together: up to the next character that does not join the one
    /// before it.
    fn stretch(&self, text: &str) -> usize {
        text.char_indices()
            .skip(1)
            .find(|&(_, c)| self.entry(c) != CONTEXT)
            .map_or(text.len(), |(at, _)| at)
    }
}

impl FoldOptions {
    /// The general implementation, for any text.
    fn fold_slowly(self, text: &str, out: &mut String) {
        if self.nfkc {
            self.finish(text.nfkc(), out);
        } else {
            self.finish(text.chars(), out);
        }
    }

    fn finish(self, text: impl Iterator<Item = char>, out: &mut String) {
        let mut is_i = false;
        for c in text {
            // The dot of an i that was written as two characters, as some programs write the small letter of `İ`.
            if !(self.case && self.nfkc && is_i && c == '\u{307}') {
                self.cased(c, out);
            }
            is_i = matches!(c, 'i' | 'I' | 'ı');
        }
    }

    fn cased(self, c: char, out: &mut String) {
        match c {
            'İ' | 'ı' if self.case => out.push('i'),
            c if self.case => c.to_lowercase().for_each(|c| self.latin(c, out)),
            c => self.latin(c, out),
        }
    }

    fn latin(self, c: char, out: &mut String) {
        match SERBIAN.iter().find(|(from, _)| *from == c) {
            Some((_, to)) if self.serbian => out.push_str(to),
            _ => self.simplified(c, out),
        }
    }

    fn simplified(self, c: char, out: &mut String) {
        let c = match c {
            'ß' if self.case => {
                out.push('s');
                's'
            }
            'ς' if self.case => 'σ',
            'ی' if self.nfkc => 'ي',
            'ک' if self.nfkc => 'ك',
            c => c,
        };
        let c = if self.simplify { simplify(c) } else { c };
        if !(self.nfkc && is_ignorable(c)) {
            out.push(c);
        }
    }
}

impl Table {
    fn new(switches: FoldOptions) -> Table {
        let mut folded = String::new();
        let entry = |code: u16| match char::from_u32(u32::from(code)) {
            Some(c) if is_plain(c) => code,
            Some(c) => looked_up(c, switches, &mut folded),
            None => CONTEXT,
        };
        let mut entries: Vec<u16> = (0..=0xFFFF).map(entry).collect();
        if switches.simplify {
            let pairs = simplified_pairs()
                .iter()
                .filter(|(from, _)| is_plain(*from));
            for &(from, to) in pairs {
                entries[from as usize] = short(to);
            }
        }
        let mut same = [0; 1 << 10];
        for (code, entry) in entries.iter().enumerate() {
            same[code >> 6] |= u64::from(usize::from(*entry) == code) << (code & 63);
        }
        Table { entries, same }
    }

    /// Whether the character with this code folds to itself.
    fn is_same(&self, code: u16) -> bool {
        self.same[usize::from(code >> 6)] >> (code & 63) & 1 != 0
    }

    /// The length of the three-byte characters at the start of the text that fold to themselves.
    fn same_of_three(&self, text: &[u8]) -> usize {
        let mut rest = text;
        while let [a @ 0xE0..=0xEF, b, c, after @ ..] = rest {
            let code = u16::from(a & 0xF) << 12 | u16::from(b & 0x3F) << 6 | u16::from(c & 0x3F);
            if !self.is_same(code) {
                break;
            }
            rest = after;
        }
        text.len() - rest.len()
    }
}

/// The table entry for folding to the single character `c`.
fn short(c: char) -> u16 {
    u16::try_from(u32::from(c)).unwrap_or(EXPANDS)
}

/// The table entry of a character: a BMP character or one of the three special values. Uses `folded` as a buffer.
fn looked_up(c: char, switches: FoldOptions, folded: &mut String) -> u16 {
    folded.clear();
    // Most characters are their own normal form in any context.
    let normal =
        is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes && canonical_combining_class(c) == 0;
    if normal {
        switches.finish(std::iter::once(c), folded);
    } else if switches.nfkc && depends_on_context(c) {
        return CONTEXT;
    } else {
        switches.fold_slowly(c.encode_utf8(&mut [0; 4]), folded);
    }
    let mut chars = folded.chars();
    match (chars.next(), chars.next()) {
        (None, _) => VANISHES,
        (Some(one), None) => short(one),
        _ => EXPANDS,
    }
}

/// Whether a character is known to be its own normal form, caseless, and never joined to the one before it: ideographs, Yi and Hangul
/// syllables, private use. These are most of the BMP and need no look-up.
fn is_plain(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{A000}'..='\u{A48C}' | '\u{AC00}'..='\u{D7A3}' | '\u{E000}'..='\u{F8FF}')
}

/// Whether normalisation may join the character to the one before it or move it: part of its decomposition is not a starter, or its
/// composed form begins with a character that can be the second half of a composition.
fn depends_on_context(c: char) -> bool {
    let mut first = true;
    std::iter::once(c).nfkc().any(|part| {
        let joins = first && is_nfkc_quick(std::iter::once(part)) != IsNormalized::Yes;
        first = false;
        joins || canonical_combining_class(part) != 0
    })
}

/// Default_Ignorable_Code_Point characters, and the tatweel, which lengthens a word.
pub(super) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{640}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// The simplified form of a character.
fn simplify(c: char) -> char {
    if u32::from(c) < 0x3400 {
        return c;
    }
    let pairs = simplified_pairs();
    match pairs.binary_search_by_key(&c, |&(from, _)| from) {
        Ok(found) => pairs[found].1,
        Err(_) => c,
    }
}

/// Traditional and Japanese characters and their simplified forms, ascending.
fn simplified_pairs() -> &'static [(char, char)] {
    static PAIRS: OnceLock<Vec<(char, char)>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let mut pairs = table_pairs(TRADITIONAL);
        pairs.sort_unstable();
        pairs.dedup_by_key(|pair| pair.0);
        let japanese = japanese_pairs(&pairs);
        pairs.extend(japanese);
        pairs.sort_unstable();
        pairs
    })
}

/// The pairs of a table, the usual form first.
fn table_pairs(table: &str) -> Vec<(char, char)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| {
        let (from, to) = line.split_once('\t')?;
        Some((from.chars().next()?, to.chars().next()?))
    });
    pairs.collect()
}

/// Japanese forms that Chinese does not use, with the simplified form of the character they replace; forms that replace several characters
/// are left out. `simplified` has the traditional pairs, ascending.
fn japanese_pairs(simplified: &[(char, char)]) -> Vec<(char, char)> {
    let find = |c: char| simplified.binary_search_by_key(&c, |&(from, _)| from).ok();
    let lines = JAPANESE.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| {
        let (form, old) = line.split_once('\t')?;
        let (form, mut old) = (form.chars().next()?, old.split(' '));
        let (old, None) = (old.next()?.chars().next()?, old.next()) else {
            return None;
        };
        let to = find(old).map_or(old, |at| simplified[at].1);
        let is_needed = form != to && find(form).is_none();
        (is_needed && !is_in_gb2312(form)).then_some((form, to))
    });
    pairs.collect()
}

/// Whether a character is one of the 6,763 of GB 2312 (1980), the standard for simplified Chinese: rows 16 to 87, whose code points GBK
/// kept.
fn is_in_gb2312(c: char) -> bool {
    let mut bytes = [0; 4];
    let (encoded, _, unmappable) = encoding_rs::GBK.encode(c.encode_utf8(&mut bytes));
    !unmappable && matches!(encoded[..], [0xB0..=0xF7, 0xA1..=0xFE])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_a_letter_are_one() {
        let folded = |text: &str, simplify| {
            let folder = Folder::new(FoldOptions {
                simplify,
                ..FoldOptions::default()
            });
            let mut out = String::new();
            folder.fold_into(text, &mut out);
            out
        };
        let same = |a: &str, b: &str| assert_eq!(folded(a, true), folded(b, true), "{a} {b}");
        same("STRASSE", "Straße");
        same("کتاب خوبی", "كتاب خوبي");
        same("جمـــيل", "جميل");
        same("廣い國の圖書館で聲を聽く", "広い国の図書館で声を聴く");
        same("經濟發展", "経済発展");
        same("İSTANBUL IŞIK", "istanbul ışık");
        same("İSTANBUL", "i\u{307}stanbul");
        same("DIŞ", "diş");
        // These stay: Chinese uses some of the forms for something else, and one stands for several.
        assert_eq!(folded("沪芸欠弁", true), "沪芸欠弁");
        assert_eq!(folded("広", false), "広");
    }

    #[test]
    fn serbian_is_one_in_both_scripts_if_wanted() {
        let folded = |text: &str, serbian| {
            let mut out = String::new();
            let options = FoldOptions {
                serbian,
                ..FoldOptions::default()
            };
            Folder::new(options).fold_into(text, &mut out);
            out
        };
        let cyrillic = "Љубазни фењерџија чађавог лица хоће да ми покаже штос.";
        let latin = "Ljubazni fenjerdžija čađavog lica hoće da mi pokaže štos.";
        assert_eq!(folded(cyrillic, true), folded(latin, true));
        assert_eq!(folded("ЊЕГОШ", true), "njegoš");
        assert_eq!(folded(cyrillic, false), cyrillic.to_lowercase());
        // Letters of other languages stay.
        assert_eq!(folded("ы щ ї", true), "ы щ ї");
    }

    #[test]
    fn the_short_way_says_what_the_tables_say() {
        for set in 0..16 {
            let switches = FoldOptions {
                nfkc: set & 1 > 0,
                case: set & 2 > 0,
                simplify: set & 4 > 0,
                serbian: set & 8 > 0,
            };
            let table = Table::new(switches);
            for c in '\0'..='\u{FFFF}' {
                let entry = looked_up(c, switches, &mut String::new());
                assert_eq!(table.entries[c as usize], entry, "{c:?}");
            }
        }
    }
}
