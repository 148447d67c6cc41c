//! The method `period`: full-stop features (METHODS §1).

use xxhash_rust::xxh3::xxh3_64;

use super::{Domain, Method, MethodInfo, Param, Params, Sketch, SketchRef, shared_positions};
use crate::relation::{Verdict, by_length, ratio};
use crate::text::{Sentence, Text};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "period",
    summary: "pages whose sentences end alike: the last characters before each full stop",
    source: "Wei et al., CCDet, Journal of Computer Research and Development 2013(S2); patent CN102945244",
    prunes: true,
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
            domain: Domain::Int(10, 1, 1000),
            help: "characters before a full stop that make a feature, in scripts without spaces",
        },
        Param {
            name: "words",
            domain: Domain::Int(5, 1, 100),
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
    chars: usize,
    words: usize,
}

impl Period {
    fn new(params: &Params) -> Period {
        Period {
            threshold: params.float("threshold"),
            length_threshold: params.float("length_threshold"),
            min_shared: params.int("min_shared"),
            min_chars: params.int("min_chars"),
            chars: params.int("chars"),
            words: params.int("words"),
        }
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
    buffer.extend(sentence.chars().filter(|c| !c.is_whitespace()));
    let length = buffer.chars().count().min(0xffff) as u64;
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
            self.feature(sentence, words, &mut buffer);
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
        let (mut shared, mut equal, mut equal_chars, mut shared_chars) = (0, 0, 0, 0);
        for (i, j) in shared_positions(a.keys, b.keys) {
            shared += 1;
            shared_chars += mark_length(a.marks[i]).min(mark_length(b.marks[j])) as u64;
            if a.marks[i] == b.marks[j] {
                equal += 1;
                equal_chars += mark_length(a.marks[i]);
            }
        }
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
}
