//! Detects garbled text: bytes decoded with the wrong encoding.
//!
//! There are two degrees. **Broken** characters come from bytes that the encoding does not have; a text full of them is not text.
//! **Garbled** text decodes without error into characters that nobody writes side by side, which happens to encodings that `encoding_rs`
//! lacks (Johab, EUC-TW). Measured on the set `charset`: Johab read as windows-1252 has 45 to 54 % odd characters, real Latin text under 1
//! %; EUC-TW read as GBK has 34 % second-level Han characters, real GBK text under 5 %.

use std::sync::OnceLock;

use encoding_rs::{Encoding, GB18030, GBK};

/// Minimum number of characters beyond ASCII for a verdict.
const ENOUGH: usize = 20;
/// How many characters are examined.
const WINDOW: usize = 32 * 1024;
/// How many Han characters are examined.
const HAN_WINDOW: usize = 2048;

/// Signs that a text is decoded wrongly.
#[derive(Debug, Default)]
pub struct Damage {
    /// Characters that replace undecodable bytes.
    pub broken: usize,
    /// All characters beyond ASCII.
    pub beyond_ascii: usize,
    /// True if the characters are implausible as text although the bytes decode.
    pub garbled: bool,
}

impl Damage {
    /// Examines a text that was decoded from `encoding`.
    pub fn of(text: &str, encoding: &'static Encoding) -> Damage {
        let mut damage = Damage::default();
        for c in text.chars().filter(|c| !c.is_ascii()) {
            damage.beyond_ascii += 1;
            // U+FFFD replaces undecodable bytes; decoders map unused bytes to C1 controls and private characters.
            let broken = matches!(c, '\u{FFFD}' | '\u{80}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}');
            damage.broken += usize::from(broken);
        }
        damage.garbled = if encoding.is_single_byte() {
            has_odd_letters(text)
        } else {
            (encoding == GBK || encoding == GB18030) && has_rare_han(text)
        };
        damage
    }

    /// The share of broken characters among those beyond ASCII.
    pub fn share(&self) -> f64 {
        self.broken as f64 / self.beyond_ascii.max(1) as f64
    }

    /// True if almost nothing is broken and the text is plausible.
    pub fn is_light(&self) -> bool {
        self.share() < 0.01 && !self.garbled
    }

    /// True if so much is broken that the rest is useless.
    pub fn is_heavy(&self) -> bool {
        self.broken > 3 && self.share() > 0.1
    }
}

/// Symbols inside words and capitals after small letters, as in multi-byte text read as Latin.
fn has_odd_letters(text: &str) -> bool {
    let (mut beyond, mut odd) = (0usize, 0usize);
    let mut before = ' ';
    for c in text.chars().take(WINDOW) {
        if !c.is_ascii() {
            beyond += 1;
            let symbol = !c.is_alphabetic() && !is_common_symbol(c);
            odd += usize::from(symbol || (c.is_uppercase() && before.is_lowercase()));
        }
        before = c;
    }
    beyond >= ENOUGH && odd * 5 > beyond
}

/// Symbols that are common in real single-byte texts, box drawings included.
fn is_common_symbol(c: char) -> bool {
    matches!(c,
        '\u{A0}' | '«' | '»' | '©' | '®' | '°' | '·' | '§' | '£' | '¿' | '¡' | '№' | '\u{AD}'
        | '\u{2010}'..='\u{2026}' | '€' | '™' | '\u{2500}'..='\u{25FF}')
        || unicode_normalization::char::is_combining_mark(c)
}

/// Many Han characters of the second level of GB 2312, which are rare.
fn has_rare_han(text: &str) -> bool {
    let (mut all, mut rare) = (0usize, 0usize);
    let second = second_level();
    for c in text
        .chars()
        .filter(|c| ('\u{4E00}'..='\u{9FFF}').contains(c))
    {
        all += 1;
        rare += usize::from(second.binary_search(&c).is_ok());
        if all == HAN_WINDOW {
            break;
        }
    }
    all >= 2 * ENOUGH && rare * 5 > all
}

/// The second-level characters of GB 2312, sorted. Obtained by decoding, since encoding is slow.
fn second_level() -> &'static [char] {
    static LEVEL: OnceLock<Vec<char>> = OnceLock::new();
    LEVEL.get_or_init(|| {
        let rows = 0xD8..=0xF7u8;
        let pairs: Vec<u8> = rows
            .flat_map(|row| (0xA1..=0xFEu8).flat_map(move |cell| [row, cell]))
            .collect();
        let (text, _) = GBK.decode_without_bom_handling(&pairs);
        let mut level: Vec<char> = text.chars().collect();
        level.sort_unstable();
        level
    })
}
