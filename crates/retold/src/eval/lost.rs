//! Finds what dropped pages say that their kept pages do not, by a slow comparison that is independent of a run's verdicts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use imara_diff::{Algorithm, Diff, InternedInput};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::pairs::{each_line, read_pairs};
use crate::error::Result;
use crate::explain::find::ExplainInputs;
use crate::page::Page;
use crate::read::{each_page, page_ids};
use crate::relation::Relation;
use crate::stage::Stage;
use crate::watch::Watch;

/// The limits of a comparison, for texts of words and of characters.
struct Limits {
    /// Minimum length of a shared run of words in order.
    run: usize,
    /// Minimum length of a counted passage.
    passage: usize,
}

const WORDS: Limits = Limits {
    run: 4,
    passage: 12,
};
const CHARACTERS: Limits = Limits {
    run: 6,
    passage: 20,
};

/// Minimum share of the page of a counted passage.
const SHARE: f64 = 0.05;

/// Groups of this many words that the other text has anywhere are not own text.
const ELSEWHERE: usize = 3;

/// How many pages are shown, and how many characters of each passage.
const EXAMPLES: usize = 20;
const SHOWN: usize = 200;

/// Counts of dropped pages with an own passage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// Pages that were dropped because of their texts, and compared.
    pub dropped: u64,
    /// How many of them have an own passage.
    pub losing: u64,
    /// Words in these passages (characters, in scripts without spaces), counting the longest passage of each page.
    pub words: u64,
    /// Pages that were not compared, because a text is not in the inputs of the run.
    #[serde(skip_serializing_if = "is_none")]
    pub not_compared: u64,
    /// The pages that lose most.
    pub examples: Vec<LostExample>,
}

/// A dropped page with an own passage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostExample {
    /// The dropped page.
    pub id: String,
    /// The page for which it was dropped; for a collection the largest part.
    pub canonical: String,
    /// Its relation to that page.
    pub relation: String,
    /// Words of the passage.
    pub words: u64,
    /// Words of the page.
    pub of: u64,
    /// The start of the passage, folded.
    pub passage: String,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

#[derive(Clone, Debug, Deserialize)]
struct DroppedLine {
    id: String,
    canonical: String,
    relation: String,
}

/// A text as word numbers.
type Numbers = Vec<u32>;

/// Compares each page that a run dropped with its kept page (a collection with all its kept parts together), given the folder and the
/// inputs of the run. Older versions of an address are not compared.
///
/// A passage lies between runs of words that both texts have in order. Words do not count if the other text has them anywhere in groups of
/// three, or has as many equal words.
///
/// Errors: the folder is not a run's, or the inputs cannot be read.
pub fn lost_passages(out: &Path, inputs: &ExplainInputs, watch: &dyn Watch) -> Result<Lost> {
    let dropped = read_dropped(&out.join("dropped.jsonl"))?;
    let parts = kept_parts(&out.join("pairs.jsonl"), &dropped)?;
    let compared = dropped.iter().filter(|line| line.relation != "same_url");
    let compared: Vec<&DroppedLine> = compared.collect();
    let others = |line: &DroppedLine| match line.relation.as_str() {
        "collection" => parts.get(&line.id).cloned().unwrap_or_default(),
        _ => BTreeSet::from([line.canonical.clone()]),
    };
    let ids = compared.iter().flat_map(|line| {
        let others = others(line).into_iter();
        others.chain([line.id.clone()])
    });
    let (texts, words) = read_texts(inputs, &ids.collect(), watch)?;
    let found = compared.par_iter().map(|line| {
        let page = texts.get(&line.id)?;
        let others: Option<Vec<&Numbers>> = others(line).iter().map(|id| texts.get(id)).collect();
        let kept: Numbers = others?.into_iter().flatten().copied().collect();
        Some(Compared {
            line,
            length: page.len(),
            own: own_passage(page, &kept, &words),
        })
    });
    let found: Vec<Option<Compared<'_>>> = found.collect();
    let dropped = found.iter().flatten().count();
    let losing = found.iter().flatten().filter(|page| !page.own.is_empty());
    let mut losing: Vec<&Compared<'_>> = losing.collect();
    losing.sort_by_key(|page| (Reverse(page.own.len()), &page.line.id));
    let examples = losing.iter().take(EXAMPLES);
    Ok(Lost {
        dropped: dropped as u64,
        losing: losing.len() as u64,
        words: losing.iter().map(|page| page.own.len() as u64).sum(),
        not_compared: (found.len() - dropped) as u64,
        examples: examples.map(|page| page.example(&words)).collect(),
    })
}

struct Compared<'a> {
    line: &'a DroppedLine,
    /// The number of words of its text.
    length: usize,
    /// Its longest own passage, if it counts.
    own: Numbers,
}

impl Compared<'_> {
    fn example(&self, words: &[String]) -> LostExample {
        let DroppedLine {
            id,
            canonical,
            relation,
        } = self.line.clone();
        LostExample {
            id,
            canonical,
            relation,
            words: self.own.len() as u64,
            of: self.length as u64,
            passage: shown(&self.own, words),
        }
    }
}

fn read_dropped(path: &Path) -> Result<Vec<DroppedLine>> {
    let mut dropped = Vec::new();
    each_line(path, "a dropped page", |line| {
        if !line.trim().is_empty() {
            dropped.push(serde_json::from_str(line)?);
        }
        Ok(())
    })?;
    Ok(dropped)
}

/// The kept pages that each dropped collection contains.
fn kept_parts(pairs: &Path, dropped: &[DroppedLine]) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let gone: HashSet<&str> = dropped.iter().map(|line| line.id.as_str()).collect();
    let collections = dropped.iter().filter(|line| line.relation == "collection");
    let mut parts: BTreeMap<String, BTreeSet<String>> = collections
        .map(|line| (line.id.clone(), BTreeSet::new()))
        .collect();
    if parts.is_empty() {
        return Ok(parts);
    }
    read_pairs(pairs, |pair| {
        let (whole, part) = match pair.relation {
            Relation::Contains => (&pair.a, &pair.b),
            Relation::ContainedBy => (&pair.b, &pair.a),
            Relation::Duplicate | Relation::Overlaps => return,
        };
        if !gone.contains(&**part)
            && let Some(parts) = parts.get_mut(&**whole)
        {
            parts.insert(part.to_string());
        }
    })?;
    Ok(parts)
}

/// The texts of these pages, as methods see them, and the words behind the numbers.
fn read_texts(
    inputs: &ExplainInputs,
    ids: &HashSet<String>,
    watch: &dyn Watch,
) -> Result<(HashMap<String, Numbers>, Vec<String>)> {
    let read = &inputs.model.config().read;
    let pages = page_ids(&inputs.sources, read, watch)?;
    let wanted = pages.iter().filter(|page| ids.contains(&*page.id));
    let place = |source, record| (std::ptr::from_ref(source) as usize, record);
    let wanted: HashMap<(usize, u64), &str> = wanted
        .map(|page| (place(page.source, page.record), &*page.id))
        .collect();
    let make = |page: Page| {
        let text = inputs.model.text(&page).map_err(|e| e.to_string())?;
        let seen: Vec<&str> = text.seen().map(|(_, block)| block).collect();
        Ok(words_of(&seen.join("\n")))
    };
    let (mut texts, mut numbers) = (HashMap::new(), HashMap::new());
    let stage = Stage::Read.name();
    each_page(
        &inputs.sources,
        read,
        watch,
        stage,
        make,
        |source, record, made| {
            if let (Some(&id), Ok(words)) = (wanted.get(&place(source, record)), made) {
                let number = |word: String| {
                    let next = numbers.len() as u32;
                    *numbers.entry(word).or_insert(next)
                };
                texts.insert(id.to_owned(), words.into_iter().map(number).collect());
            }
            Ok(())
        },
    )?;
    let mut words = vec![String::new(); numbers.len()];
    for (word, number) in numbers {
        words[number as usize] = word;
    }
    Ok((texts, words))
}

/// Whether a character is a word of its own: those of scripts without spaces, and Hangul syllables, since spaces are unreliable there.
fn is_word(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut goes_on = false;
    for c in text.chars() {
        let is_letter = c.is_alphanumeric() && !is_word(c);
        match words.last_mut() {
            Some(word) if is_letter && goes_on => word.push(c),
            _ if is_letter || is_word(c) => words.push(c.to_string()),
            _ => {}
        }
        goes_on = is_letter;
    }
    words
}

fn are_characters(text: &[u32], words: &[String]) -> bool {
    let is_character = |number: &&u32| words[**number as usize].chars().all(is_word);
    text.iter().filter(is_character).count() > text.len() / 2
}

/// The words of the longest passage of a text that another does not have. Empty if none is long enough.
fn own_passage(text: &[u32], other: &[u32], words: &[String]) -> Numbers {
    let limits = match are_characters(text, words) {
        true => CHARACTERS,
        false => WORDS,
    };
    let groups: HashSet<&[u32]> = other.windows(ELSEWHERE).collect();
    let mut counts: HashMap<u32, usize> = HashMap::new();
    other
        .iter()
        .for_each(|&word| *counts.entry(word).or_default() += 1);
    let passages = between_runs(text, other, limits.run);
    let own = passages
        .iter()
        .map(|passage| own_words(passage, &groups, &counts));
    let own = own.max_by_key(Vec::len).unwrap_or_default();
    let is_enough = own.len() >= limits.passage && own.len() as f64 >= SHARE * text.len() as f64;
    if is_enough { own } else { Vec::new() }
}

/// The parts of a text between runs of at least `run` words that both texts have in order.
fn between_runs(text: &[u32], other: &[u32], run: usize) -> Vec<Numbers> {
    let mut input = InternedInput::default();
    input.update_before(text.iter().copied());
    input.update_after(other.iter().copied());
    let diff = Diff::compute(Algorithm::Myers, &input);
    let (mut passages, mut passage, mut at) = (Vec::new(), Vec::new(), 0);
    let changed = diff.hunks().map(|hunk| hunk.before);
    let end = text.len() as u32;
    for changed in changed.chain(std::iter::once(end..end)) {
        let [start, end] = [changed.start, changed.end].map(|at| at as usize);
        match start - at >= run {
            true => passages.push(std::mem::take(&mut passage)),
            false => passage.extend_from_slice(&text[at..start]),
        }
        passage.extend_from_slice(&text[start..end]);
        at = end;
    }
    passages.push(passage);
    passages
}

/// The words of a passage that are in no group of three of the other text, minus as many equal ones as the other text has.
fn own_words(passage: &[u32], groups: &HashSet<&[u32]>, counts: &HashMap<u32, usize>) -> Numbers {
    let mut is_own = vec![true; passage.len()];
    for (at, group) in passage.windows(ELSEWHERE).enumerate() {
        if groups.contains(group) {
            is_own[at..at + ELSEWHERE].fill(false);
        }
    }
    let mut left = counts.clone();
    let own = passage.iter().zip(is_own).filter(|(_, is_own)| *is_own);
    let own = own.filter(|(word, _)| match left.get_mut(word) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    own.map(|(word, _)| *word).collect()
}

fn shown(passage: &[u32], words: &[String]) -> String {
    let space = if are_characters(passage, words) {
        ""
    } else {
        " "
    };
    let words: Vec<&str> = passage
        .iter()
        .map(|&word| words[word as usize].as_str())
        .collect();
    words.join(space).chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JudgeConfig, Model};

    /// The longest own passage of a text against another.
    fn own(text: &str, other: &str) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let [text, other] = [text, other].map(|text| {
            let number = |word: String| {
                let at = words.iter().position(|known| *known == word);
                at.unwrap_or_else(|| {
                    words.push(word);
                    words.len() - 1
                }) as u32
            };
            words_of(text).into_iter().map(number).collect::<Numbers>()
        });
        let own = own_passage(&text, &other, &words);
        own.into_iter()
            .map(|word| words[word as usize].clone())
            .collect()
    }

    fn numbered(prefix: &str, count: usize) -> String {
        (0..count).map(|n| format!("{prefix}{n} ")).collect()
    }

    #[test]
    fn words_by_hand() {
        assert_eq!(
            words_of("Nr. 7_b 渡船ab 가나"),
            ["Nr", "7", "b", "渡", "船", "ab", "가", "나"]
        );
    }

    #[test]
    fn passages_by_hand() {
        let story = numbered("story", 40);
        // Of up to 240 words, eleven are too few, twelve are enough.
        assert_eq!(
            own(&format!("{story}{}", numbered("own", 11)), &story),
            [""; 0]
        );
        assert_eq!(
            own(&format!("{story}{}", numbered("own", 12)), &story).len(),
            12
        );
        let long = numbered("story", 228);
        assert_eq!(
            own(&format!("{long}{}", numbered("own", 12)), &long).len(),
            12
        );
        let longer = numbered("story", 229);
        assert_eq!(
            own(&format!("{longer}{}", numbered("own", 12)), &longer),
            [""; 0]
        );
        // Shared runs of three words do not split a passage, four do.
        let [begin, end] = [numbered("a", 8), numbered("b", 8)];
        let with = |shared: &str| {
            own(
                &format!("{story}{begin}{shared}{end}"),
                &format!("{story}{shared}"),
            )
        };
        assert_eq!(with("x y z ").len(), 16);
        assert_eq!(with("x y z w "), [""; 0]);
        // Text that is elsewhere is not own: a moved paragraph, and single words.
        let moved = numbered("moved", 20);
        assert_eq!(
            own(&format!("{story}{moved}"), &format!("{moved}{story}")),
            [""; 0]
        );
        assert_eq!(
            own("a b c d e f g h i j k l", "l k j i h g f e d c b a"),
            [""; 0]
        );
        // Twenty characters are required.
        let han: String = ('\u{4e00}'..).take(40).collect();
        let more = |count| -> String { ('\u{5e00}'..).take(count).collect() };
        assert_eq!(own(&format!("{han}{}", more(19)), &han), [""; 0]);
        assert_eq!(own(&format!("{han}{}", more(20)), &han).len(), 20);
    }

    /// A run that dropped a page that loses a passage, a copy, a collection covered by its parts, one that is not, and an older version.
    #[test]
    fn a_run_by_hand() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, lines: &[String]| {
            std::fs::write(folder.path().join(name), lines.join("\n")).unwrap();
        };
        let [one, two, own] = [
            numbered("one", 40),
            numbered("two", 40),
            numbered("own", 15),
        ];
        let page = |id: &str, text: &str| serde_json::json!({"id": id, "text": text}).to_string();
        let pages = [
            page("one", &one),
            page("two", &two),
            page("longer", &format!("{one}{own}")),
            page("copy", &two),
            page("both", &format!("{one}{two}")),
            page("more", &format!("{two}{own}{one}")),
            page("older", &own),
        ];
        write("pages.jsonl", &pages);
        let dropped = |id: &str, canonical: &str, relation: &str| {
            serde_json::json!({"id": id, "canonical": canonical, "relation": relation, "lost": 0})
                .to_string()
        };
        let gone = [
            dropped("both", "one", "collection"),
            dropped("copy", "two", "duplicate"),
            dropped("longer", "one", "duplicate"),
            dropped("more", "two", "collection"),
            dropped("older", "one", "same_url"),
            dropped("there", "elsewhere", "duplicate"),
        ];
        write("dropped.jsonl", &gone);
        let pair = |a: &str, b: &str, relation: &str| {
            serde_json::json!({"a": a, "b": b, "relation": relation, "similarity": 1.0, "length_ratio": 0.5, "shared": 9,
                "own_a": 0, "own_b": 0}).to_string()
        };
        let pairs = [
            pair("both", "one", "contains"),
            pair("both", "two", "contains"),
            pair("more", "one", "contains"),
            pair("copy", "more", "contained_by"),
            pair("two", "more", "contained_by"),
        ];
        write("pairs.jsonl", &pairs);
        let model = Model::new(JudgeConfig::default()).unwrap();
        let input = folder.path().join("pages.jsonl");
        let inputs = ExplainInputs::open(&[input], model).unwrap();
        let lost = lost_passages(folder.path(), &inputs, &()).unwrap();
        let counts = (lost.dropped, lost.losing, lost.words, lost.not_compared);
        assert_eq!(counts, (4, 2, 30, 1));
        let ids: Vec<&str> = lost.examples.iter().map(|example| &*example.id).collect();
        assert_eq!(ids, ["longer", "more"]);
        assert_eq!((lost.examples[0].words, lost.examples[0].of), (15, 55));
        assert!(lost.examples[0].passage.starts_with("own0 own1 "));
    }
}
