//! English WordNet 3.0 in compact form (lemmas, parts of speech, synonyms), and the synonyms of the Chinese Open Wordnet.
//!
//! `data/wordnet/wordnet.bin` and `cow.bin` are built into the program; `lab/examples/build_wordnet.rs` makes them and describes their
//! format. Their licences are beside them. A lemma's **number** is its rank among all lemmas of its language.

use std::sync::OnceLock;

use fst::Map;

const FILE: &[u8] = include_bytes!("../../data/wordnet/wordnet.bin");

const CHINESE: &[u8] = include_bytes!("../../data/wordnet/cow.bin");

/// A part of speech in WordNet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PartOfSpeech {
    /// Noun.
    Noun,
    /// Verb.
    Verb,
    /// Adjective.
    Adjective,
    /// Adverb.
    Adverb,
}

impl PartOfSpeech {
    /// All of them, in the order in which lemmas are searched for.
    pub const ALL: [PartOfSpeech; 4] = [
        PartOfSpeech::Noun,
        PartOfSpeech::Verb,
        PartOfSpeech::Adjective,
        PartOfSpeech::Adverb,
    ];

    /// The letter before an irregular form.
    fn letter(self) -> char {
        ['n', 'v', 'a', 'r'][self as usize]
    }

    /// Endings of inflected forms, and their replacements in the lemma (WordNet's own rules).
    fn endings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            PartOfSpeech::Noun => &[
                ("ses", "s"),
                ("xes", "x"),
                ("zes", "z"),
                ("ches", "ch"),
                ("shes", "sh"),
                ("men", "man"),
                ("ies", "y"),
                ("s", ""),
            ],
            PartOfSpeech::Verb => &[
                ("ies", "y"),
                ("es", "e"),
                ("es", ""),
                ("ed", "e"),
                ("ed", ""),
                ("ing", "e"),
                ("ing", ""),
                ("s", ""),
            ],
            PartOfSpeech::Adjective => &[("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
            PartOfSpeech::Adverb => &[],
        }
    }
}

/// The dictionary, unpacked.
#[derive(Default)]
pub struct WordNet {
    lemmas: Option<Map<&'static [u8]>>,
    irregular: Option<Map<&'static [u8]>>,
    /// The synsets of lemma `n` are `senses[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    senses: Vec<u32>,
    parts: Vec<PartOfSpeech>,
    /// The lemmas of synset `n` are `members[member_starts[n]..member_starts[n + 1]]`.
    member_starts: Vec<u32>,
    members: Vec<u32>,
}

/// WordNet, unpacked on first use (some milliseconds, 3 MB).
pub fn wordnet() -> &'static WordNet {
    static WORDNET: OnceLock<WordNet> = OnceLock::new();
    // A damaged file would give an empty dictionary; a test rules that out.
    WORDNET.get_or_init(|| WordNet::unpack(FILE).unwrap_or_default())
}

/// The Chinese Open Wordnet: simplified Chinese words that have synonyms. It has no inflected forms, as Chinese has none.
pub fn chinese() -> &'static WordNet {
    static WORDNET: OnceLock<WordNet> = OnceLock::new();
    WORDNET.get_or_init(|| WordNet::unpack(CHINESE).unwrap_or_default())
}

impl WordNet {
    fn unpack(file: &'static [u8]) -> Option<WordNet> {
        let rest = file.strip_prefix(b"RWN1")?;
        let (lengths, mut rest) = rest.split_at_checked(12)?;
        let mut parts = lengths.chunks_exact(4).map(|length| {
            let length = u32::from_le_bytes(length.try_into().ok()?);
            let (part, after) = rest.split_at_checked(length as usize)?;
            rest = after;
            Some(part)
        });
        let lemmas = Map::new(parts.next()??).ok();
        let irregular = Map::new(parts.next()??).ok();
        let postings = parts.next()??;
        let mut wordnet = WordNet {
            lemmas,
            irregular,
            ..WordNet::default()
        };
        wordnet.read_senses(postings);
        wordnet.invert();
        Some(wordnet)
    }

    fn read_senses(&mut self, postings: &[u8]) {
        self.starts = vec![0];
        let (mut value, mut shift) = (0usize, 0);
        for byte in postings {
            value |= usize::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 != 0 {
                continue;
            }
            let (code, last) = (value / 2, value % 2 == 1);
            let next = self.parts.len();
            match PartOfSpeech::ALL.get(code) {
                Some(part) => {
                    self.senses.push(next as u32);
                    self.parts.push(*part);
                }
                None => self.senses.push(next.saturating_sub(code - 3) as u32),
            }
            if last {
                self.starts.push(self.senses.len() as u32);
            }
            (value, shift) = (0, 0);
        }
    }

    /// Derives the lemmas of each synset from the synsets of each lemma.
    fn invert(&mut self) {
        let mut starts = vec![0u32; self.parts.len() + 1];
        for &synset in &self.senses {
            starts[synset as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut free = starts.clone();
        self.members = vec![0; self.senses.len()];
        for lemma in 0..self.starts.len().saturating_sub(1) {
            for at in self.starts[lemma]..self.starts[lemma + 1] {
                let place = &mut free[self.senses[at as usize] as usize];
                self.members[*place as usize] = lemma as u32;
                *place += 1;
            }
        }
        self.member_starts = starts;
    }

    /// The number of lemmas.
    pub fn len(&self) -> usize {
        self.lemmas.as_ref().map_or(0, Map::len)
    }

    /// True if there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of synsets.
    pub fn synsets(&self) -> usize {
        self.parts.len()
    }

    /// The number of a lemma, in lower case with spaces between words.
    pub fn number(&self, lemma: &str) -> Option<u32> {
        let number = self.lemmas.as_ref()?.get(lemma)?;
        u32::try_from(number).ok()
    }

    /// The lemma of that number.
    pub fn lemma(&self, number: u32) -> Option<String> {
        let lemmas = self.lemmas.as_ref()?.as_fst();
        String::from_utf8(lemmas.get_key(u64::from(number))?).ok()
    }

    fn synsets_of(&self, number: u32) -> &[u32] {
        let at = number as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.senses[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The number of synsets of that part of speech that contain a lemma.
    pub fn senses(&self, number: u32, part: PartOfSpeech) -> usize {
        let synsets = self.synsets_of(number).iter();
        synsets.filter(|s| self.parts[**s as usize] == part).count()
    }

    /// The parts of speech of a lemma, each once.
    pub fn parts_of_speech(&self, number: u32) -> impl Iterator<Item = PartOfSpeech> {
        PartOfSpeech::ALL
            .into_iter()
            .filter(move |part| self.senses(number, *part) > 0)
    }

    /// The numbers of a lemma and all its synonyms (members of its synsets), ascending.
    pub fn synonyms(&self, number: u32) -> Vec<u32> {
        let mut found = vec![number];
        for &synset in self.synsets_of(number) {
            let (start, end) = (
                self.member_starts[synset as usize],
                self.member_starts[synset as usize + 1],
            );
            found.extend_from_slice(&self.members[start as usize..end as usize]);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The number of the lemma of a lower-case English word, by WordNet's morphology.
    ///
    /// Irregular forms come first (`mice`, `was`), then nouns, verbs and adjectives. Among lemmas of one part of speech, the one with most
    /// senses wins, then the word itself: `things` is `thing`, but `gas` is not `ga`.
    pub fn lemma_of(&self, word: &str) -> Option<u32> {
        let word = word
            .strip_suffix("'s")
            .or_else(|| word.strip_suffix("’s"))
            .unwrap_or(word);
        for part in PartOfSpeech::ALL {
            let form = format!("{}{word}", part.letter());
            if let Some(number) = self.irregular.as_ref()?.get(form) {
                return Some(number as u32);
            }
        }
        PartOfSpeech::ALL
            .into_iter()
            .find_map(|part| self.regular(word, part))
    }

    /// The best lemma of a regular form.
    fn regular(&self, word: &str, part: PartOfSpeech) -> Option<u32> {
        let known = |lemma: &str| self.number(lemma).is_some_and(|n| self.senses(n, part) > 0);
        let base = |(ending, instead): &(&str, &str)| {
            let stem = word.strip_suffix(ending)?;
            // A stem that would have doubled its last letter lost an e: `hoped` comes from hope, `hopped` from hop.
            if instead.is_empty() && doubles(stem) && known(&format!("{stem}e")) {
                return None;
            }
            let lemma = format!("{stem}{instead}");
            (lemma.len() > 2).then_some(lemma)
        };
        let bases = part.endings().iter().filter_map(base);
        let mut best: Option<(usize, u32)> = None;
        for lemma in std::iter::once(word.to_owned()).chain(bases) {
            let Some(number) = self.number(&lemma) else {
                continue;
            };
            let senses = self.senses(number, part);
            if senses > best.map_or(0, |(most, _)| most) {
                best = Some((senses, number));
            }
        }
        best.map(|(_, number)| number)
    }
}

/// True if a stem ends like `hop`: consonant, one vowel, one consonant. Such stems of one syllable double the last letter before -ed, -ing,
/// -er and -est.
fn doubles(stem: &str) -> bool {
    let vowel = |b: &u8| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u');
    match stem.as_bytes() {
        [.., a, b, c] => !vowel(a) && vowel(b) && !vowel(c) && !matches!(c, b'w' | b'x' | b'y'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lemma(word: &str) -> String {
        let number = wordnet().lemma_of(word);
        number.and_then(|n| wordnet().lemma(n)).unwrap_or_default()
    }

    fn synonyms(lemma: &str) -> Vec<String> {
        let number = wordnet().number(lemma).expect("the lemma is known");
        let numbers = wordnet().synonyms(number).into_iter();
        numbers.filter_map(|n| wordnet().lemma(n)).collect()
    }

    #[test]
    fn chinese_words_have_synonyms() {
        let synonyms = |word: &str| -> Vec<String> {
            let number = chinese().number(word).expect("the word is known");
            let numbers = chinese().synonyms(number).into_iter();
            numbers.filter_map(|n| chinese().lemma(n)).collect()
        };
        assert!(synonyms("光盘").contains(&"光碟".to_owned()));
        assert!(chinese().synsets() > 19_000 && chinese().len() > 35_000);
        assert_eq!(chinese().number("car"), None);
    }

    #[test]
    fn it_is_all_there() {
        assert_eq!((wordnet().synsets(), wordnet().len()), (117_659, 147_306));
        for number in (0..147_306).step_by(997) {
            let lemma = wordnet().lemma(number).expect("all numbers are lemmas");
            assert_eq!(wordnet().number(&lemma), Some(number));
            assert!(wordnet().parts_of_speech(number).count() > 0);
        }
        assert_eq!(wordnet().lemma(147_306), None);
        assert_eq!(wordnet().number("nosuchword"), None);
    }

    /// Checked by hand with `wn car -synsn` and `wn dog -synsv`.
    #[test]
    fn synonyms_share_a_synset() {
        let of_car = synonyms("car");
        for word in [
            "auto",
            "automobile",
            "motorcar",
            "railcar",
            "gondola",
            "cable car",
        ] {
            assert!(of_car.iter().any(|s| s == word), "{}", of_car.join(", "));
        }
        assert!(!of_car.iter().any(|s| s == "truck"));
        assert!(synonyms("dog").iter().any(|s| s == "chase"));
        assert_eq!(synonyms("aardwolf"), ["aardwolf", "proteles cristata"]);
    }

    #[test]
    fn parts_of_speech() {
        let parts = |lemma| {
            let number = wordnet().number(lemma).expect("the lemma is known");
            wordnet().parts_of_speech(number).collect::<Vec<_>>()
        };
        assert_eq!(parts("dog"), [PartOfSpeech::Noun, PartOfSpeech::Verb]);
        assert_eq!(parts("quickly"), [PartOfSpeech::Adverb]);
        assert_eq!(
            parts("asleep"),
            [PartOfSpeech::Adjective, PartOfSpeech::Adverb]
        );
    }

    #[test]
    fn lemmas_by_rule_and_exception() {
        for (word, wanted) in [
            ("mice", "mouse"),
            ("men", "man"),
            ("children", "child"),
            ("was", "be"),
            ("better", "good"),
            ("ferries", "ferry"),
            ("boxes", "box"),
            ("churches", "church"),
            ("things", "thing"),
            ("gas", "gas"),
            ("glass", "glass"),
            ("news", "news"),
            ("running", "run"),
            ("jumped", "jump"),
            ("baking", "baking"),
            ("hoped", "hope"),
            ("warmest", "warm"),
            ("quickly", "quickly"),
            ("ferry's", "ferry"),
            ("ferry", "ferry"),
            ("retold", "retell"),
        ] {
            assert_eq!(lemma(word), wanted, "{word}");
        }
        assert_eq!(lemma("xyzzyq"), "");
        assert_eq!(lemma(""), "");
    }
}
