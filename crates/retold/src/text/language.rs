//! Language detection, stop-words and stemmers.
//!
//! A language is its ISO 639-1 code. The script of a word decides first (a Latin word on a Chinese page counts as English); the page's
//! language decides only among languages of one script. It is found by letters (CJK, Thai, …), by stop-words if one language is clearly
//! ahead, or by trigrams (crate `whatlang`), on a sample of the longer blocks; if trigrams are not certain, the language that the page
//! declares counts.
//!
//! Stop-words come from the crate `stop-words`: NLTK's lists where they exist, otherwise those of stopwords-iso, which are longer; the
//! Chinese list joins both. They are folded like texts.

use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fold::{FoldOptions, Folder};

/// Bytes of text from which a page's language is detected.
const SAMPLE: usize = 4096;
/// Minimum bytes of a block that counts as running text.
const LONG_BLOCK: usize = 80;

/// Minimum number of words for detection by stop-words.
const FEWEST_WORDS: usize = 20;

/// The script of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Script {
    /// No letters: a number.
    None,
    /// Latin letters.
    Latin,
    /// Chinese characters outside Japanese text.
    Han,
    /// Kana, and Chinese characters among them or on a Japanese page.
    Japanese,
    /// Hangul.
    Hangul,
    /// Thai.
    Thai,
    /// Lao, Khmer or Burmese, written without spaces like Thai.
    SouthEastAsian,
    /// Cyrillic letters.
    Cyrillic,
    /// Greek letters.
    Greek,
    /// Arabic letters.
    Arabic,
    /// Hebrew letters.
    Hebrew,
    /// Devanagari letters.
    Devanagari,
    /// Any other script.
    Other,
}

impl Script {
    /// The script of a letter; [`Script::None`] for other characters.
    #[inline]
    pub fn of(c: char) -> Script {
        match c {
            // Most characters of Chinese text, and its punctuation.
            '\u{4E00}'..='\u{9FFF}' => Script::Han,
            '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' => {
                Script::None
            }
            c => Script::of_any(c),
        }
    }

    /// As [`Script::of`], for any character.
    fn of_any(c: char) -> Script {
        match c {
            'a'..='z' | 'A'..='Z' => Script::Latin,
            '\0'..='\u{7F}' => Script::None,
            '\u{AA}' | '\u{BA}' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Script::Greek,
            '\u{400}'..='\u{52F}' => Script::Cyrillic,
            '\u{590}'..='\u{5FF}' => Script::Hebrew,
            '\u{600}'..='\u{6FF}' | '\u{750}'..='\u{77F}' | '\u{FB50}'..='\u{FEFC}' => {
                Script::Arabic
            }
            '\u{900}'..='\u{97F}' => Script::Devanagari,
            '\u{E00}'..='\u{E7F}' => Script::Thai,
            '\u{E80}'..='\u{EFF}'
            | '\u{1000}'..='\u{109F}'
            | '\u{1780}'..='\u{17FF}'
            | '\u{A9E0}'..='\u{A9FF}'
            | '\u{AA60}'..='\u{AA7F}' => Script::SouthEastAsian,
            '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7AF}' => {
                Script::Hangul
            }
            '\u{2E80}'..='\u{2FDF}'
            | '\u{3005}'
            | '\u{3007}'
            | '\u{3021}'..='\u{3029}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}' => Script::Han,
            '\u{3041}'..='\u{309F}'
            | '\u{30A1}'..='\u{30FA}'
            | '\u{30FC}'..='\u{30FF}'
            | '\u{31F0}'..='\u{31FF}'
            | '\u{FF66}'..='\u{FF9F}' => Script::Japanese,
            c if c.is_alphabetic() => Script::Other,
            _ => Script::None,
        }
    }

    /// The language of a word in this script on a page in language `page`.
    pub fn language(self, page: Option<&'static str>) -> Option<&'static str> {
        let among = |known: &[&str], usual: &'static str| match page {
            Some(page) if known.contains(&page) => Some(page),
            _ => Some(usual),
        };
        match self {
            Script::None => None,
            Script::Latin => match page {
                Some(page) if !NOT_LATIN.contains(&page) => Some(page),
                _ => Some("en"),
            },
            Script::Han => among(&["ja"], "zh"),
            Script::Japanese => Some("ja"),
            Script::Hangul => Some("ko"),
            Script::Thai => Some("th"),
            Script::SouthEastAsian => among(&["lo", "km", "my"], "lo"),
            Script::Cyrillic => among(&["uk", "be", "bg", "sr", "mk", "kk", "tg"], "ru"),
            Script::Greek => Some("el"),
            Script::Arabic => among(&["fa", "ur"], "ar"),
            Script::Hebrew => among(&["yi"], "he"),
            Script::Devanagari => among(&["mr", "ne"], "hi"),
            Script::Other => page,
        }
    }
}

/// Detectable languages that are not written in Latin letters.
const NOT_LATIN: &[&str] = &[
    "zh", "ja", "ko", "th", "lo", "km", "my", "ru", "uk", "be", "bg", "sr", "mk", "kk", "tg", "el",
    "ar", "fa", "ur", "he", "yi", "hi", "mr", "ne", "am", "bn", "gu", "hy", "ka", "kn", "ml", "or",
    "pa", "si", "ta", "te",
];

/// The language of a text, given as blocks and the language that its page declares.
pub fn detect<'a>(
    blocks: impl Iterator<Item = &'a str> + Clone,
    declared: Option<&str>,
) -> Option<&'static str> {
    let sample = sample(blocks);
    let (mut all, mut han, mut kana, mut hangul, mut thai) = (0usize, 0usize, 0, 0, 0);
    for c in sample.chars() {
        match Script::of(c) {
            Script::None => continue,
            Script::Han => han += 1,
            Script::Japanese => kana += 1,
            Script::Hangul => hangul += 1,
            Script::Thai => thai += 1,
            _ => {}
        }
        all += 1;
    }
    // A Chinese character or Hangul syllable says at least as much as two letters.
    let rest = all - han - kana - hangul - thai;
    let decided = if 2 * (han + kana) > rest && han + kana > hangul {
        Some(if kana * 10 > han + kana { "ja" } else { "zh" })
    } else if 2 * hangul > rest {
        Some("ko")
    } else if thai > rest {
        Some("th")
    } else {
        None
    };
    if all == 0 {
        return declared.and_then(known);
    }
    decided
        .or_else(|| by_stop_words(&sample))
        .or_else(|| by_trigrams(&sample, declared.and_then(known)))
}

/// The language of a text (ISO 639-1), or the declared one if the text does not show it.
pub fn of_text(text: &str, declared: Option<&str>) -> Option<&'static str> {
    detect(std::iter::once(text), declared)
}

/// Stop-words of the languages in Latin letters that trigrams distinguish.
struct LatinStopWords {
    languages: Vec<&'static str>,
    /// Maps a word to a bit for each language that has it.
    words: FxHashMap<String, u64>,
}

fn latin_stop_words() -> &'static LatinStopWords {
    static LATIN: OnceLock<LatinStopWords> = OnceLock::new();
    LATIN.get_or_init(|| {
        let codes = whatlang::Script::Latin.langs().iter();
        let languages: Vec<&str> = codes.filter_map(|lang| known(lang.code())).collect();
        let mut words: FxHashMap<String, u64> = FxHashMap::default();
        for (bit, language) in languages.iter().enumerate() {
            for word in stop_words(language).into_iter().flatten() {
                *words.entry(word.clone()).or_default() |= 1 << bit;
            }
        }
        LatinStopWords { languages, words }
    })
}

/// The Latin-letter language of which a quarter of the words are stop-words, if no other language has half as many. Gives the answer of
/// trigrams in a tenth of the time.
fn by_stop_words(sample: &str) -> Option<&'static str> {
    let LatinStopWords { languages, words } = latin_stop_words();
    let mut counts = vec![0; languages.len()];
    let mut all = 0;
    let sample = sample.to_lowercase();
    let parts = sample.split(|c: char| !c.is_alphabetic());
    for word in parts.filter(|word| !word.is_empty()) {
        all += 1;
        let mut bits = words.get(word).copied().unwrap_or_default();
        while bits != 0 {
            counts[bits.trailing_zeros() as usize] += 1;
            bits &= bits - 1;
        }
    }
    let mut ranked: Vec<(usize, &str)> =
        counts.into_iter().zip(languages.iter().copied()).collect();
    ranked.sort_unstable();
    let ((most, language), (second, _)) = (ranked.pop()?, ranked.pop()?);
    (all >= FEWEST_WORDS && 4 * most >= all && 2 * second <= most).then_some(language)
}

fn by_trigrams(sample: &str, declared: Option<&'static str>) -> Option<&'static str> {
    let Some(found) = whatlang::detect(sample) else {
        return declared;
    };
    let code = known(found.lang().code()).filter(|code| shows(sample, code));
    if found.is_reliable() || declared.is_none() && found.confidence() > 0.3 {
        code.or(declared)
    } else {
        declared
    }
}

/// Whether a text shows its language by more than trigrams: by a letter that English does not have, or a stop-word that it does not have.
/// Otherwise some lists of English keywords would be Danish, and share no stems with the pages of their collection.
fn shows(sample: &str, language: &str) -> bool {
    let is_latin = |c: char| !c.is_ascii() && Script::of(c) == Script::Latin;
    if language == "en" || NOT_LATIN.contains(&language) || sample.contains(is_latin) {
        return true;
    }
    let (own, english) = (StopWords::of(Some(language)), StopWords::of(Some("en")));
    let mut words = sample.split(|c: char| !c.is_alphabetic());
    words.any(|word| own.contains(word) && !english.contains(word))
}

/// The first long blocks, or the first blocks if none is long.
fn sample<'a>(blocks: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut sample = String::new();
    take(blocks.clone(), LONG_BLOCK, &mut sample);
    if sample.len() < SAMPLE / 16 {
        sample.clear();
        take(blocks, 1, &mut sample);
    }
    sample
}

fn take<'a>(blocks: impl Iterator<Item = &'a str>, least: usize, sample: &mut String) {
    for block in blocks.filter(|block| block.len() >= least) {
        let room = SAMPLE - sample.len();
        sample.push_str(&block[..block.floor_char_boundary(room)]);
        if sample.len() + 4 > SAMPLE {
            return;
        }
        sample.push('\n');
    }
}

/// ISO 639-1 codes by the names that pages and `whatlang` (ISO 639-3) use.
const CODES: &[(&str, &str)] = &[
    ("afr", "af"),
    ("amh", "am"),
    ("ara", "ar"),
    ("aze", "az"),
    ("bel", "be"),
    ("ben", "bn"),
    ("bul", "bg"),
    ("cat", "ca"),
    ("ces", "cs"),
    ("cmn", "zh"),
    ("cym", "cy"),
    ("dan", "da"),
    ("deu", "de"),
    ("ell", "el"),
    ("eng", "en"),
    ("epo", "eo"),
    ("est", "et"),
    ("eus", "eu"),
    ("fin", "fi"),
    ("fra", "fr"),
    ("gle", "ga"),
    ("guj", "gu"),
    ("heb", "he"),
    ("hin", "hi"),
    ("hrv", "hr"),
    ("hun", "hu"),
    ("hye", "hy"),
    ("ind", "id"),
    ("isl", "is"),
    ("ita", "it"),
    ("jav", "jv"),
    ("jpn", "ja"),
    ("kan", "kn"),
    ("kat", "ka"),
    ("kaz", "kk"),
    ("khm", "km"),
    ("kor", "ko"),
    ("lao", "lo"),
    ("lat", "la"),
    ("lav", "lv"),
    ("lit", "lt"),
    ("mal", "ml"),
    ("mar", "mr"),
    ("mkd", "mk"),
    ("msa", "ms"),
    ("mya", "my"),
    ("nep", "ne"),
    ("nld", "nl"),
    ("nob", "no"),
    ("ori", "or"),
    ("pan", "pa"),
    ("pes", "fa"),
    ("pol", "pl"),
    ("por", "pt"),
    ("ron", "ro"),
    ("rus", "ru"),
    ("sin", "si"),
    ("slk", "sk"),
    ("slv", "sl"),
    ("sna", "sn"),
    ("spa", "es"),
    ("sqi", "sq"),
    ("srp", "sr"),
    ("swa", "sw"),
    ("swe", "sv"),
    ("tam", "ta"),
    ("tel", "te"),
    ("tgk", "tg"),
    ("tgl", "tl"),
    ("tha", "th"),
    ("tuk", "tk"),
    ("tur", "tr"),
    ("ukr", "uk"),
    ("urd", "ur"),
    ("uzb", "uz"),
    ("vie", "vi"),
    ("yid", "yi"),
    ("zul", "zu"),
    ("nb", "no"),
    ("nn", "no"),
];

/// The code of a language by name: `zh-CN`, `en_US`, `deu`.
fn known(name: &str) -> Option<&'static str> {
    let primary = name.split(['-', '_']).next()?.trim().to_ascii_lowercase();
    CODES
        .iter()
        .find(|(long, code)| *long == primary || *code == primary)
        .map(|(_, code)| *code)
}

/// The stop-words of a language.
#[derive(Clone, Copy)]
pub struct StopWords(Option<&'static FxHashSet<String>>);

impl StopWords {
    /// The stop-words of `language`; none if there is no list.
    pub fn of(language: Option<&str>) -> StopWords {
        StopWords(language.and_then(stop_words))
    }

    /// Whether `word` is a stop-word.
    pub fn contains(self, word: &str) -> bool {
        let Some(list) = self.0 else {
            return false;
        };
        if list.contains(word) {
            return true;
        }
        // Texts may be unfolded, and the apostrophe has two forms.
        word.chars().any(is_variant)
            && list.contains(word.replace('’', "'").to_lowercase().as_str())
    }
}

/// Whether a character is written differently in stop-word lists: capitals and `’`.
fn is_variant(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => c.is_ascii_uppercase(),
        '’' => true,
        // No capitals from here on; covers Chinese, Japanese and Korean.
        '\u{2E80}'..='\u{A63F}' | '\u{AC00}'..='\u{FAFF}' => false,
        c => c.is_uppercase(),
    }
}

fn stop_words(language: &str) -> Option<&'static FxHashSet<String>> {
    static LISTS: OnceLock<Vec<OnceLock<FxHashSet<String>>>> = OnceLock::new();
    let languages = stop_words::available_languages();
    let at = languages.binary_search(&language).ok()?;
    let lists = LISTS.get_or_init(|| languages.iter().map(|_| OnceLock::new()).collect());
    Some(lists[at].get_or_init(|| folded_list(language)))
}

fn folded_list(language: &str) -> FxHashSet<String> {
    let folder = Folder::new(FoldOptions::default());
    let words = stop_words::lookup(language).unwrap_or_default();
    let fold = |word: &&str| {
        let mut folded = String::with_capacity(word.len());
        folder.fold_into(word.trim(), &mut folded);
        folded
    };
    let more = match language {
        "zh" => MORE_CHINESE,
        _ => "",
    };
    let more: Vec<&str> = more.lines().collect();
    words.iter().chain(&more).map(fold).collect()
}

/// The words of stopwords-iso that NLTK's Chinese list lacks.
static MORE_CHINESE: &str = include_str!("../../data/stop-words/zh.txt");

/// Stop-words from a file, one per line, folded like texts.
pub fn user_stop_words(file: &str, folder: Folder) -> FxHashSet<String> {
    let fold = |word: &str| {
        let mut folded = String::with_capacity(word.len());
        folder.fold_into(word, &mut folded);
        folded
    };
    let words = file.lines().map(str::trim).filter(|word| !word.is_empty());
    words.map(fold).collect()
}

/// The stemmer of a language, if there is one.
pub fn stemmer(language: &str) -> Option<Stemmer> {
    let algorithm = match language {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "nl" => Algorithm::Dutch,
        "en" => Algorithm::English,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "no" => Algorithm::Norwegian,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "es" => Algorithm::Spanish,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    };
    Some(Stemmer::create(algorithm))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_stop_words_are_both_lists() {
        let words = StopWords::of(Some("zh"));
        // 的 is in both lists, 表示 in NLTK's alone, the others in stopwords-iso alone.
        for word in ["上", "还", "不", "都", "年", "月", "日", "会", "的", "表示"] {
            assert!(words.contains(word), "{word}");
        }
        assert!(!words.contains("渡船"));
    }

    #[test]
    fn stop_words_tell_a_language_only_where_it_is_clear() {
        // Nine of twenty words: the, of, was, to, the, and, the, the, at.
        let english = "The crew of ferry four was ordered to leave the harbour and reach the island, \
                       the master said at Leith.";
        assert_eq!(by_stop_words(english), Some("en"));
        assert_eq!(
            by_stop_words(&english.replace(" Leith", "")),
            None,
            "19 words"
        );
        let german = "Die Fähre und das Boot sind nach dem Sturm nicht mehr gefahren, weil der Hafen von \
                      der Stadt für die Nacht gesperrt war.";
        assert_eq!(by_stop_words(german), Some("de"));
        let both = format!("{english} {german}");
        assert_eq!(by_stop_words(&both), None, "neither has twice as many");
        let names = "Kernel Documentation Guide Index Drivers Network Storage Memory Process Security Testing Tools \
                     Rust Firmware Tracing Fault Injection Livepatching Userspace Licensing";
        assert_eq!(by_stop_words(names), None);
        assert_eq!(by_stop_words(""), None);
    }

    #[test]
    fn shortcuts_agree_with_the_long_way_for_all_characters() {
        for c in '\0'..=char::MAX {
            assert_eq!(Script::of(c), Script::of_any(c), "{}", c.escape_unicode());
            let variant = c == '’' || c.is_uppercase();
            assert_eq!(is_variant(c), variant, "{}", c.escape_unicode());
        }
    }
}
