//! Builds `crates/retold/data/wordnet/wordnet.bin` from Debian's package `wordnet-base` (WordNet 3.0), and `cow.bin` from the table of the
//! Chinese Open Wordnet:
//!
//!     cargo run -p retold-lab --example build_wordnet -- DIRECTORY OUT
//!     cargo run -p retold-lab --example build_wordnet -- wn-data-cmn.tab OUT
//!
//! From the Chinese wordnet, only synsets of at least two words are used, because it is only used for synonyms.
//!
//! DIRECTORY holds `data.*` and `*.exc` (`usr/share/wordnet` in the package). `check.sh`, next to the built file, fetches the package, runs
//! this and compares. Synsets are identified by their words, because offsets differ between distributions.
//!
//! The file, with little-endian numbers: `RWN1`, the lengths of the three parts as u32, then
//!
//! 1. an fst of the lemmas (lower case, spaces for `_`) to their rank in sorted order;
//! 2. an fst of irregular forms, each with the letter of its part of speech in front (`nmice`), to the lemma's rank;
//! 3. for each lemma by rank its senses as varints of `code * 2 + last`. A synset is numbered when it comes up first:
//!    codes 0 to 3 mean the next number and the part of speech (noun, verb, adjective, adverb), `4 + n` means the
//!    synset that is n + 1 before the next number.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::path::Path;

use fst::MapBuilder;

/// File extensions, with the code of their part of speech.
const PARTS: [(&str, u8); 4] = [("noun", b'n'), ("verb", b'v'), ("adj", b'a'), ("adv", b'r')];

/// A synset: its part of speech and its words.
type Synset = (usize, Vec<String>);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, out] = arguments.as_slice() else {
        return Err("usage: build_wordnet DIRECTORY|TABLE OUT".into());
    };
    let directory = Path::new(directory);
    let synsets = match directory.is_dir() {
        true => read_synsets(directory)?,
        false => read_table(directory)?,
    };
    let mut senses: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, (_, words)) in synsets.iter().enumerate() {
        for word in words.iter().collect::<BTreeSet<_>>() {
            senses.entry(word).or_default().push(number);
        }
    }
    let ranks: HashMap<&str, u64> = senses.keys().copied().zip(0..).collect();
    let lemmas = map(senses.keys().map(|word| word.as_bytes()).zip(0..))?;
    let irregular = match directory.is_dir() {
        true => read_irregular(directory, &ranks)?,
        false => BTreeMap::new(),
    };
    let irregular = map(irregular
        .iter()
        .map(|(form, rank)| (form.as_bytes(), *rank)))?;
    let postings = postings(&synsets, senses.values());
    let mut file = b"RWN1".to_vec();
    for part in [&lemmas, &irregular, &postings] {
        file.extend(u32::try_from(part.len())?.to_le_bytes());
    }
    for part in [&lemmas, &irregular, &postings] {
        file.extend_from_slice(part);
    }
    std::fs::write(out, &file)?;
    println!(
        "{} synsets, {} lemmas: lemmas {} bytes, irregular forms {} bytes, postings {} bytes",
        synsets.len(),
        senses.len(),
        lemmas.len(),
        irregular.len(),
        postings.len()
    );
    Ok(())
}

/// The synsets, sorted by part of speech and words, so that their order in the package does not matter.
fn read_synsets(directory: &Path) -> Result<Vec<Synset>, Box<dyn Error>> {
    let mut synsets = Vec::new();
    for (part, (name, _)) in PARTS.iter().enumerate() {
        let text = std::fs::read_to_string(directory.join(format!("data.{name}")))?;
        // Lines that begin with spaces are the licence.
        for line in text.lines().filter(|line| !line.starts_with("  ")) {
            let fields: Vec<&str> = line.split(' ').collect();
            let count = usize::from_str_radix(fields.get(3).ok_or("a line is cut")?, 16)?;
            let words = fields.get(4..4 + 2 * count).ok_or("a line is cut")?;
            let words = words.iter().step_by(2).map(|word| lemma(word));
            synsets.push((part, words.collect()));
        }
    }
    synsets.sort();
    Ok(synsets)
}

/// The synsets of several words from a table of the Open Multilingual Wordnet: lines of synset, kind and word, separated by tabs.
/// Multi-word entries are joined by `+`.
fn read_table(path: &Path) -> Result<Vec<Synset>, Box<dyn Error>> {
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if let [synset, kind, word] = fields[..]
            && kind.ends_with(":lemma")
        {
            let word = word.replace('+', "").trim().to_lowercase();
            words.entry(synset.to_owned()).or_default().insert(word);
        }
    }
    let several = words.into_iter().filter(|(_, words)| words.len() > 1);
    let mut synsets: Vec<Synset> = several
        .map(|(synset, words)| {
            let letter = synset.bytes().last().unwrap_or_default();
            let part = PARTS.iter().position(|(_, part)| *part == letter);
            (part.unwrap_or_default(), words.into_iter().collect())
        })
        .collect();
    synsets.sort();
    Ok(synsets)
}

/// A word as it is looked up: without the marker of an adjective's position, such as `(p)`.
fn lemma(word: &str) -> String {
    let word = word.split('(').next().unwrap_or_default();
    word.replace('_', " ").to_lowercase()
}

/// Irregular forms with their part of speech, and the rank of the first of their lemmas.
fn read_irregular(
    directory: &Path,
    ranks: &HashMap<&str, u64>,
) -> Result<BTreeMap<String, u64>, Box<dyn Error>> {
    let mut irregular = BTreeMap::new();
    for (name, letter) in PARTS {
        let text = std::fs::read_to_string(directory.join(format!("{name}.exc")))?;
        for line in text.lines() {
            let mut words = line.split_whitespace().map(lemma);
            let form = words.next().unwrap_or_default();
            let found = words.find_map(|word| ranks.get(word.as_str()));
            if let Some(rank) = found {
                irregular
                    .entry(format!("{}{form}", char::from(letter)))
                    .or_insert(*rank);
            }
        }
    }
    Ok(irregular)
}

fn map<'a>(entries: impl Iterator<Item = (&'a [u8], u64)>) -> Result<Vec<u8>, fst::Error> {
    let mut builder = MapBuilder::memory();
    for (key, value) in entries {
        builder.insert(key, value)?;
    }
    builder.into_inner()
}

fn postings<'a>(synsets: &[Synset], senses: impl Iterator<Item = &'a Vec<usize>>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    for list in senses {
        for (at, synset) in list.iter().enumerate() {
            let next = numbers.len();
            let code = match numbers.get(synset) {
                Some(number) => 4 + (next - 1 - number),
                None => {
                    numbers.insert(*synset, next);
                    synsets[*synset].0
                }
            };
            varint(code * 2 + usize::from(at + 1 == list.len()), &mut out);
        }
    }
    out
}

fn varint(mut value: usize, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
