//! The method `period`: full-stop features (CCDet 2013).

#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64;

use crate::method::{Check, Highlight, Learns, Method, MethodInfo, Op, Trace};
use crate::param::{choices, params};
use crate::relation::{Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef, may_share, shared_positions};
use crate::text::{Extract, Sentence, Text, count_chars};

choices! {
    /// Where a sentence begins.
    pub(in crate::method) enum Blocks {
        /// At the start of its block or after the previous full stop in it.
        Part = "part",
        /// After the previous full stop, wherever it is (CCDet).
        Join = "join",
    }
}

params! {
    pub(in crate::method) struct PeriodParams {
        /// minimum common containment similarity (CCS) of related pages
        threshold: f64[0.0..=1.0] = 0.7,
        /// minimum length ratio (CLR) of duplicates; below it one page contains the other
        length_threshold: f64[0.0..=1.0] = 0.5,
        /// minimum number of shared features; below it whole sentences must be equal
        min_shared: usize[1..=1000] = 3,
        /// minimum length in characters of the equal sentences of pages with fewer features
        min_chars: usize[0..=100_000] = 40,
        /// characters before a full stop that make a feature, in scripts without spaces
        chars: usize[1..=1000] = Tail::DEFAULT.chars,
        /// words before a full stop that make a feature, in scripts with spaces
        words: usize[1..=100] = Tail::DEFAULT.words,
        /// part: a sentence does not reach back over its block; join: it begins after the previous full stop, wherever that is (CCDet)
        blocks: Blocks = Blocks::Part,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "period",
    summary: "pages whose sentences have the same endings: the last characters before each full stop",
    source: "Wei et al., CCDet, Journal of Computer Research and Development 2013(S2); patent CN102945244",
    learns: Learns::Noise,
    extract: Extract::None,
    params: &[PeriodParams::PARAMS],
    judged_by: &[],
    reads_sentences: |_| true,
    least_similarity: |params| PeriodParams::from(params).threshold,
    build: |params, _| Box::new(Period::new(params.into())),
};

/// Full-stop features: reprints share the ends of their sentences, whatever template surrounds them.
///
/// # What it finds
/// Pages with the same article, and pages whose article is contained in a longer one, without extracting the article first: `。` ends
/// sentences in body text and almost never occurs in menus, links or adverts.
///
/// # How
/// A feature is the hash of the last `chars` characters (in scripts with spaces the last `words` words) before a full stop, not beyond the
/// previous full stop or (`blocks=part`) the start of the block. A page's sketch is the set of its features. CCS = |a ∩ b| / min(|a|, |b|)
/// and CLR = min(|a|, |b|) / max(|a|, |b|) over the features that are not noise. Pages with CCS ≥ `threshold` are related: as duplicates if
/// CLR ≥ `length_threshold`, else one contains the other. A page with fewer than `min_shared` features is related only if all of them
/// match, the whole sentences before them are equal, and these have `min_chars` characters in all.
///
/// # Misses
/// Pages without full stops (lists, short notices, forums); reprints that edit the end of every second sentence; pages whose comment thread
/// is longer than the article.
///
/// # Parameters
/// `retold methods period` lists them with their ranges.
///
/// # Reference
/// CCDet (Journal of Computer Research and Development 2013, S2) and patent CN102945244. The formulas' images are lost in our copies and
/// are reconstructed from the prose. Ours are languages other than Chinese, the rules for pages with few features, and stopping at block
/// boundaries (`blocks=join` does not): each was measured (`docs/lab/methods.md`).
#[derive(Clone, Debug)]
pub struct Period {
    params: PeriodParams,
    tail: Tail,
}

/// The part of a sentence that is its feature: its end, at most the whole sentence.
#[derive(Clone, Copy, Debug)]
pub(in crate::method) struct Tail {
    /// Characters, in scripts without spaces.
    chars: usize,
    /// Words, in scripts with spaces.
    words: usize,
    /// Whether sentences cross the boundaries of blocks.
    joins: bool,
}

impl Period {
    fn new(params: PeriodParams) -> Period {
        let tail = Tail {
            chars: params.chars,
            words: params.words,
            joins: params.blocks == Blocks::Join,
        };
        Period { params, tail }
    }

    /// Whether two pages share enough features for a ratio to be meaningful. If the smaller page has too few, all of them must match, with
    /// equal sentences.
    fn shares_enough(&self, counts: &Counts, smaller: usize, trace: &mut Trace) -> bool {
        let has_few = smaller < self.params.min_shared && counts.shared > 0;
        let least = if has_few {
            smaller
        } else {
            self.params.min_shared
        };
        let mut test = |name, meaning, count, least: usize| {
            trace.test(Check::number(
                name,
                meaning,
                count,
                Op::AtLeast,
                least as f64,
            ))
        };
        let shared = "shared full-stop features, without noise";
        let shared = test("shared", shared, counts.shared, least);
        if !has_few {
            return shared;
        }
        let equal = "equal whole sentences (required because the smaller page has few features)";
        let equal = test("equal", equal, counts.equal, smaller);
        let chars = "characters of these sentences";
        test("chars", chars, counts.equal_chars, self.params.min_chars) && shared && equal
    }
}

impl Tail {
    /// The paper's number of characters, and the number of words chosen by measurement.
    pub(in crate::method) const DEFAULT: Tail = Tail {
        chars: 10,
        words: 5,
        joins: false,
    };

    fn sentences<'t>(&self, text: &'t Text) -> impl Iterator<Item = (Sentence, &'t str)> {
        let mut behind = 0;
        let joins = self.joins;
        text.sentences.iter().map(move |&sentence| {
            let start = if joins { behind } else { sentence.start };
            let rest = &text.folded[sentence.end as usize..];
            // The full stop itself is in no sentence.
            let stop = rest.chars().next().map_or(0, char::len_utf8);
            behind = sentence.end + stop as u32;
            let whole = &text.folded[start as usize..sentence.end as usize];
            (Sentence { start, ..sentence }, whole)
        })
    }

    /// The features of a text, in order.
    pub(in crate::method) fn highlights(&self, text: &Text) -> Vec<Highlight> {
        let mut buffer = String::new();
        let highlights = self.sentences(text).filter_map(|(sentence, whole)| {
            self.feature(whole, sentence.words, &mut buffer);
            let key = (!buffer.is_empty()).then(|| xxh3_64(buffer.as_bytes()))?;
            let length = self.feature_length(whole, sentence.words);
            Some(Highlight {
                key,
                start: sentence.end - length as u32,
                end: sentence.end,
                label: None,
            })
        });
        highlights.collect()
    }

    /// Writes the feature of one sentence to `buffer`, which stays empty if there is none.
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

    /// The length in bytes of the end of a sentence from which its feature is made.
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

/// The words of a sentence from the end: separated by white space, without punctuation around them.
fn words_from_end(sentence: &str) -> impl Iterator<Item = &str> {
    let mut before = Some(sentence);
    let parts = std::iter::from_fn(move || {
        let rest = before?;
        let space = rest.bytes().rposition(is_space);
        before = space.map(|at| &rest[..at]);
        Some(space.map_or(rest, |at| &rest[at + 1..]))
    });
    parts.map(trimmed).filter(|word| !word.is_empty())
}

/// Whether a byte of a folded text is white space; such texts contain no other ([`crate::text::Text::visible`]).
fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\n'
}

/// Removes punctuation around a word; most words have none.
fn trimmed(part: &str) -> &str {
    match part.as_bytes() {
        [first, .., last] if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() => part,
        _ => part.trim_matches(|c: char| !c.is_alphanumeric()),
    }
}

/// A whole sentence in 64 bits: a hash of its characters without white space, and their number in the low 16 bits.
fn sentence_mark(sentence: &str, buffer: &mut Vec<u8>) -> u64 {
    if buffer.len() < sentence.len() {
        buffer.resize(sentence.len(), 0);
    }
    // Without branches: each byte is written after the last one that is not white space.
    let mut length = 0;
    for byte in sentence.bytes() {
        buffer[length] = byte;
        length += usize::from(!is_space(byte));
    }
    (xxh3_64(&buffer[..length]) & !0xffff) | count_chars(sentence).min(0xffff)
}

fn mark_length(mark: u64) -> usize {
    (mark & 0xffff) as usize
}

impl Method for Period {
    fn sketch(&self, text: &Text) -> Sketch {
        let mut features = Vec::with_capacity(text.sentences.len());
        let (mut feature, mut whole) = (String::new(), Vec::new());
        for (Sentence { words, .. }, sentence) in self.tail.sentences(text) {
            self.tail.feature(sentence, words, &mut feature);
            if !feature.is_empty() {
                let key = xxh3_64(feature.as_bytes());
                features.push((key, sentence_mark(sentence, &mut whole)));
            }
        }
        // Of sentences with one feature, the shortest is kept, whatever their order.
        features.sort_unstable_by_key(|&(key, mark)| (key, mark_length(mark), mark));
        features.dedup_by_key(|(key, _)| *key);
        let (keys, marks) = features.into_iter().unzip();
        Sketch {
            keys,
            marks,
            ..Sketch::default()
        }
    }

    fn bounds(&self, keys: usize) -> Bounds {
        if keys < self.params.min_shared {
            return Bounds::overlap(keys);
        }
        // The least count whose ratio reaches the threshold, computed as in `compare`.
        let mut count = (self.params.threshold * keys as f64).ceil() as usize;
        while count > 0 && ratio(count - 1, keys) >= self.params.threshold {
            count -= 1;
        }
        while count < keys && ratio(count, keys) < self.params.threshold {
            count += 1;
        }
        Bounds::overlap(count.max(self.params.min_shared))
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let sizes = (a.keys.len(), b.keys.len());
        let smaller = sizes.0.min(sizes.1);
        let counts = Counts::of(a, b);
        let enough = self.shares_enough(&counts, smaller, trace);
        let ccs =
            "common containment similarity: shared features divided by those of the smaller page";
        let ccs = Check::ratio("CCS", ccs, counts.shared, smaller, self.params.threshold);
        let similarity = ccs.value;
        let similar = trace.test(ccs);
        let clr = "length ratio: features of the smaller page divided by those of the larger";
        let (relation, length_ratio) =
            trace.by_length("CLR", clr, sizes, self.params.length_threshold);
        (enough && similar).then(|| Verdict {
            relation,
            similarity,
            length_ratio,
            shared: u32::try_from(counts.shared).unwrap_or(u32::MAX),
            shared_chars: counts.shared_chars,
            own_a: 0,
            own_b: 0,
        })
    }

    fn may_reach(
        &self,
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        similarity: f64,
        _length_ratio: f64,
    ) -> bool {
        may_share(a.keys, b.keys, similarity)
    }

    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        self.tail.highlights(text)
    }
}

/// What two sketches have in common.
struct Counts {
    shared: usize,
    /// Characters of their sentences.
    shared_chars: u64,
    /// Shared features whose whole sentences are equal.
    equal: usize,
    /// Characters of these sentences.
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
