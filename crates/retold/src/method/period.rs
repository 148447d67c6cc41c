//! The method `period`: full-stop features (METHODS §1).

use xxhash_rust::xxh3::xxh3_64;

use super::{
    Check, Domain, Method, MethodInfo, Op, Param, Params, Sketch, SketchRef, Spot, shared_positions,
};
use crate::relation::{Verdict, by_length, ratio};
use crate::text::{Extract, Sentence, Text, count_chars};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "period",
    summary: "pages whose sentences end alike: the last characters before each full stop",
    source: "Wei et al., CCDet, Journal of Computer Research and Development 2013(S2); patent CN102945244",
    prunes: true,
    fits: false,
    extract: Extract::None,
    params: &[
        Param {
            name: "threshold",
            domain: Domain::Float(0.7, 0.0, 1.0),
            help: "least common containment similarity (CCS) of related pages",
        },
        Param {
            name: "length_threshold",
            domain: Domain::Float(0.5, 0.0, 1.0),
            help: "least length ratio (CLR) of duplicates; below it one page contains the other",
        },
        Param {
            name: "min_shared",
            domain: Domain::Int(3, 1, 1000),
            help: "least number of shared features; below it whole sentences must be equal",
        },
        Param {
            name: "min_chars",
            domain: Domain::Int(40, 0, 100_000),
            help: "least length in characters of the equal sentences of pages with fewer features",
        },
        Param {
            name: "chars",
            domain: Domain::Int(Tail::DEFAULT.chars as i64, 1, 1000),
            help: "characters before a full stop that make a feature, in scripts without spaces",
        },
        Param {
            name: "words",
            domain: Domain::Int(Tail::DEFAULT.words as i64, 1, 100),
            help: "words before a full stop that make a feature, in scripts with spaces",
        },
    ],
    build: |params| Box::new(Period::new(params)),
};

/// Full-stop features: reprints share the ends of their sentences, whatever template stands around them.
///
/// # What it finds
/// Pages whose article is the same, and pages whose article stands whole in a longer one, without extracting the
/// article first: `。` ends sentences in body text and almost never stands in menus, links or adverts.
///
/// # How
/// A feature is the hash of the last `chars` characters (scripts with spaces: the last `words` words) before a full
/// stop, never reaching back over the previous full stop or over the beginning of the block. A page's sketch is the
/// set of its features. CCS = |a ∩ b| / min(|a|, |b|), CLR = min(|a|, |b|) / max(|a|, |b|) over the features that are
/// not noise. CCS ≥ `threshold` relates two pages: as duplicates if CLR ≥ `length_threshold`, else as container and
/// contained. A page with fewer than `min_shared` features is related only if all of them match, the whole sentences
/// before them are equal, and these have `min_chars` characters in all.
///
/// # Misses
/// Pages without full stops (lists, short notices, forums); reprints that edit the end of every second sentence;
/// pages whose comment thread is longer than the article.
///
/// # Parameters
/// `retold methods period` lists them with their ranges.
///
/// # Reference
/// CCDet (Journal of Computer Research and Development 2013, S2) and patent CN102945244. The formulas' images are
/// lost in our copies; they are reconstructed from the prose. We deviate by languages other than Chinese, by the
/// rules for pages with few features, and by not reaching over block boundaries: each was measured
/// (`docs/measurements.md`).
#[derive(Clone, Debug)]
pub struct Period {
    threshold: f64,
    length_threshold: f64,
    min_shared: usize,
    min_chars: usize,
    tail: Tail,
}

/// What of a sentence is its feature: its end, never more than itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    /// Characters, in scripts without spaces.
    chars: usize,
    /// Words, in scripts with spaces.
    words: usize,
}

impl Period {
    fn new(params: &Params) -> Period {
        Period {
            threshold: params.float("threshold"),
            length_threshold: params.float("length_threshold"),
            min_shared: params.int("min_shared"),
            min_chars: params.int("min_chars"),
            tail: Tail {
                chars: params.int("chars"),
                words: params.int("words"),
            },
        }
    }
}

impl Tail {
    /// The paper's length, and the one that was measured for words.
    pub(super) const DEFAULT: Tail = Tail {
        chars: 10,
        words: 5,
    };

    /// The features of a text, in order.
    pub(super) fn spots(&self, text: &Text) -> Vec<Spot> {
        let mut buffer = String::new();
        let spots = text.sentences.iter().filter_map(|sentence| {
            let whole = &text.folded[sentence.start as usize..sentence.end as usize];
            self.feature(whole, sentence.words, &mut buffer);
            let key = (!buffer.is_empty()).then(|| xxh3_64(buffer.as_bytes()))?;
            let length = self.feature_length(whole, sentence.words);
            Some(Spot {
                key,
                start: sentence.end - length as u32,
                end: sentence.end,
                label: None,
            })
        });
        spots.collect()
    }

    /// The feature of one sentence as bytes in `buffer`; empty if it has none.
    fn feature(&self, sentence: &str, by_words: bool, buffer: &mut String) {
        buffer.clear();
        if by_words {
            for word in words_from_end(sentence).take(self.words) {
                buffer.push_str(word);
                buffer.push(' ');
            }
        } else {
            let tail = sentence
                .chars()
                .rev()
                .filter(|c| !c.is_whitespace())
                .take(self.chars);
            buffer.extend(tail);
        }
    }

    /// How many bytes of a sentence's end its feature comes from.
    fn feature_length(&self, sentence: &str, by_words: bool) -> usize {
        let start = if by_words {
            words_from_end(sentence)
                .take(self.words)
                .last()
                .map(|word| word.as_ptr() as usize - sentence.as_ptr() as usize)
        } else {
            sentence
                .char_indices()
                .rev()
                .filter(|(_, c)| !c.is_whitespace())
                .take(self.chars)
                .last()
                .map(|(at, _)| at)
        };
        sentence.len() - start.unwrap_or(sentence.len())
    }
}

/// The words of a sentence from its end: what stands between white space, less the punctuation around it.
fn words_from_end(sentence: &str) -> impl Iterator<Item = &str> {
    sentence
        .split_whitespace()
        .rev()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

/// A whole sentence in 64 bits: a hash of its characters without white space, and their number in the low 16 bits.
fn sentence_mark(sentence: &str, buffer: &mut String) -> u64 {
    buffer.clear();
    sentence
        .split_whitespace()
        .for_each(|part| buffer.push_str(part));
    let length = count_chars(buffer).min(0xffff);
    (xxh3_64(buffer.as_bytes()) & !0xffff) | length
}

fn mark_length(mark: u64) -> usize {
    (mark & 0xffff) as usize
}

impl Method for Period {
    fn sketch(&self, text: &Text) -> Sketch {
        let mut features = Vec::with_capacity(text.sentences.len());
        let mut buffer = String::new();
        for &Sentence { start, end, words } in &text.sentences {
            let sentence = &text.folded[start as usize..end as usize];
            self.tail.feature(sentence, words, &mut buffer);
            if !buffer.is_empty() {
                let key = xxh3_64(buffer.as_bytes());
                features.push((key, sentence_mark(sentence, &mut buffer)));
            }
        }
        // Of the sentences with one feature the shortest stays: a choice that does not depend on their order.
        features.sort_unstable_by_key(|&(key, mark)| (key, mark_length(mark), mark));
        features.dedup_by_key(|(key, _)| *key);
        let (keys, marks) = features.into_iter().unzip();
        Sketch {
            keys,
            marks,
            evidence: Vec::new(),
        }
    }

    fn overlap(&self, keys: usize) -> usize {
        if keys < self.min_shared {
            return keys.max(1);
        }
        // The least count whose ratio, as `compare` computes it, reaches the threshold.
        let mut count = (self.threshold * keys as f64).ceil() as usize;
        while count > 0 && ratio(count - 1, keys) >= self.threshold {
            count -= 1;
        }
        while count < keys && ratio(count, keys) < self.threshold {
            count += 1;
        }
        count.max(self.min_shared)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Option<Verdict> {
        let smaller = a.keys.len().min(b.keys.len());
        let Counts {
            shared,
            shared_chars,
            equal,
            equal_chars,
        } = Counts::of(a, b);
        let similarity = ratio(shared, smaller);
        let enough = if shared >= self.min_shared {
            similarity >= self.threshold
        } else {
            shared > 0
                && smaller < self.min_shared
                && equal == smaller
                && equal_chars >= self.min_chars
        };
        enough.then(|| Verdict {
            relation: by_length(a.keys.len(), b.keys.len(), self.length_threshold),
            similarity,
            length_ratio: ratio(smaller, a.keys.len().max(b.keys.len())),
            shared: u32::try_from(shared).unwrap_or(u32::MAX),
            shared_chars,
        })
    }

    fn spots(&self, text: &Text) -> Vec<Spot> {
        self.tail.spots(text)
    }

    fn checks(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Vec<Check> {
        let smaller = a.keys.len().min(b.keys.len());
        let larger = a.keys.len().max(b.keys.len());
        let Counts {
            shared,
            equal,
            equal_chars,
            ..
        } = Counts::of(a, b);
        let few = "full-stop features that both pages have, noise taken out";
        let mut checks = vec![Check::number(
            "shared",
            few,
            shared,
            Op::AtLeast,
            self.min_shared as f64,
        )];
        if smaller < self.min_shared && shared > 0 {
            // Too few features for a ratio to say anything: all must match, and their sentences be equal.
            checks[0] = Check::number("shared", few, shared, Op::AtLeast, smaller as f64);
            let whole = "whole sentences that are equal, as the smaller page has so few";
            checks.push(Check::number(
                "equal",
                whole,
                equal,
                Op::AtLeast,
                smaller as f64,
            ));
            let chars = "characters of these sentences";
            checks.push(Check::number(
                "chars",
                chars,
                equal_chars,
                Op::AtLeast,
                self.min_chars as f64,
            ));
        }
        let ccs = "common containment similarity: shared features over those of the smaller page";
        checks.push(Check::ratio("CCS", ccs, shared, smaller, self.threshold));
        let clr = "length ratio: features of the smaller page over those of the larger";
        let clr = Check::ratio("CLR", clr, smaller, larger, self.length_threshold);
        checks.push(clr.deciding("duplicate", "the larger contains the smaller"));
        checks
    }

    fn least_similarity(&self) -> Option<f64> {
        Some(self.threshold)
    }
}

/// What two sketches have in common.
struct Counts {
    /// Shared features.
    shared: usize,
    /// Characters of their sentences.
    shared_chars: u64,
    /// Those whose whole sentences are equal.
    equal: usize,
    /// Characters of these.
    equal_chars: usize,
}

impl Counts {
    fn of(a: SketchRef<'_>, b: SketchRef<'_>) -> Counts {
        let (mut shared, mut equal, mut equal_chars, mut shared_chars) = (0, 0, 0, 0);
        for (i, j) in shared_positions(a.keys, b.keys) {
            shared += 1;
            shared_chars += mark_length(a.marks[i]).min(mark_length(b.marks[j])) as u64;
            if a.marks[i] == b.marks[j] {
                equal += 1;
                equal_chars += mark_length(a.marks[i]);
            }
        }
        Counts {
            shared,
            shared_chars,
            equal,
            equal_chars,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Value;
    use crate::method::testing::{params, text};
    use crate::relation::Relation;

    fn period(settings: &[(&str, &str)]) -> Period {
        Period::new(&params(&INFO, settings))
    }

    /// The features as strings, in the order of the sentences.
    fn features(content: &str) -> Vec<String> {
        let (period, text) = (period(&[]), text(content));
        let mut buffer = String::new();
        let sentences = text.sentences.iter().map(|s| {
            period.tail.feature(
                &text.folded[s.start as usize..s.end as usize],
                s.words,
                &mut buffer,
            );
            if s.words {
                buffer.clone()
            } else {
                buffer.chars().rev().collect()
            }
        });
        sentences.collect()
    }

    fn compare(method: &Period, a: &str, b: &str) -> Option<Verdict> {
        let (a, b) = (method.sketch(&text(a)), method.sketch(&text(b)));
        let verdict = method.compare(a.as_ref(), b.as_ref());
        assert_eq!(
            verdict,
            method.compare(b.as_ref(), a.as_ref()).map(Verdict::swapped)
        );
        verdict
    }

    #[test]
    fn ten_characters_before_each_full_stop() {
        // 1: ten of twelve characters; 2: no further back than the full stop before; 3: nothing between two stops.
        assert_eq!(
            features("甲乙一二三四五六七八九十。子丑寅。。"),
            ["一二三四五六七八九十", "子丑寅"]
        );
        // White space does not count.
        assert_eq!(
            features("甲 一二 三四五 六七八九十。"),
            ["一二三四五六七八九十"]
        );
        // Folding comes before counting: ㍿ becomes four characters, ＡＢ two narrow small ones, 體 simplified.
        assert_eq!(features("一二三四五㍿ＡＢ體。"), ["三四五株式会社ab体"]);
    }

    #[test]
    fn five_words_before_a_stop_in_scripts_with_spaces() {
        let found = features("One two three, \"four\" five six. Yes.");
        assert_eq!(found, ["six five four three two ", "yes "]);
    }

    #[test]
    fn a_sketch_is_a_set() {
        let sketch =
            period(&[]).sketch(&text("一二三四五六七八九十。丙一二三四五六七八九十。子。"));
        assert_eq!(sketch.keys.len(), 2);
        assert!(sketch.keys.is_sorted() && sketch.keys.len() == sketch.marks.len());
        // Of the two sentences with one feature the shorter is remembered.
        let mut lengths: Vec<usize> = sketch.marks.iter().map(|&mark| mark_length(mark)).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [1, 10]);
    }

    fn sentences(from: u32, to: u32) -> String {
        (from..to)
            .map(|n| format!("这是第{n}个完全不同的句子甲乙丙丁{n}号。"))
            .collect()
    }

    #[test]
    fn ccs_and_clr_by_hand() {
        let method = period(&[]);
        // 16 and 18 features, 14 shared: CCS 14/16 = 0.875, CLR 16/18 = 0.889.
        let verdict = compare(&method, &sentences(0, 16), &sentences(2, 20)).unwrap();
        assert_eq!(verdict.relation, Relation::Duplicate);
        assert_eq!((verdict.similarity, verdict.shared), (0.875, 14));
        assert!((verdict.length_ratio - 16.0 / 18.0).abs() < 1e-12);
        // 7 of 10 is enough, 6 of 10 is not.
        assert!(compare(&method, &sentences(0, 10), &sentences(3, 13)).is_some());
        assert_eq!(compare(&method, &sentences(0, 10), &sentences(4, 14)), None);
        // CLR 5/10 is a duplicate still, 4/10 is contained.
        let kind = |a, b| {
            compare(&method, &sentences(0, a), &sentences(0, b))
                .unwrap()
                .relation
        };
        assert_eq!(kind(5, 10), Relation::Duplicate);
        assert_eq!(kind(4, 10), Relation::ContainedBy);
        assert_eq!(kind(10, 4), Relation::Contains);
    }

    #[test]
    fn few_features_need_equal_sentences() {
        let method = period(&[]);
        let one = |start: &str| {
            format!(
                "{start}这是一个相当长的句子它一共有四十多个字但是从头到尾只有一个句号而且这个句号放在最后面。"
            )
        };
        assert!(compare(&method, &one("今天"), &one("今天")).is_some());
        assert_eq!(compare(&method, &one("今天"), &one("昨天")), None);
        assert_eq!(compare(&method, "版权所有。", "版权所有。"), None);
        assert!(compare(&period(&[("min_chars", "4")]), "版权所有。", "版权所有。").is_some());
        // Two shared of three and three: too few, and the smaller page has three.
        assert_eq!(compare(&method, &sentences(0, 3), &sentences(1, 4)), None);
    }

    #[test]
    fn overlap_is_the_least_count_that_can_relate() {
        for threshold in ["0.1", "0.3", "0.5", "0.7", "0.9", "1"] {
            let method = period(&[("threshold", threshold), ("min_shared", "3")]);
            let mut last = 0;
            for keys in 3..2000 {
                let need = method.overlap(keys);
                assert!(ratio(need, keys) >= method.threshold && need >= 3);
                assert!(need == 3 || ratio(need - 1, keys) < method.threshold);
                assert!(need >= last);
                last = need;
            }
        }
    }

    #[test]
    fn nothing_matches_nothing() {
        assert_eq!(compare(&period(&[("min_chars", "0")]), "", ""), None);
        assert_eq!(
            compare(
                &period(&[("threshold", "0"), ("min_chars", "0")]),
                "甲。",
                "乙。"
            ),
            None
        );
    }

    #[test]
    fn defaults_are_within_their_own_ranges() {
        for param in INFO.all_params() {
            let text = match param.domain.default() {
                Value::Choice(name) => name,
                number => number.to_string(),
            };
            INFO.resolve(&[(param.name.into(), text)]).unwrap();
        }
    }
}
