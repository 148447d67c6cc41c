//! The method `shingle`: resemblance and containment of word sequences (Broder 1997).

mod minhash;
#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64;

use super::features::Features;
use crate::method::{
    Check, Highlight, Learns, Method, MethodInfo, Op, Trace, Verification, Verifier,
};
use crate::param::{choices, params};
use crate::relation::{Relation, Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef, count_shared, count_shared_from};
use crate::text::atoms::{Token, atoms};
use crate::text::{Extract, Text};
use minhash::{Bands, MinHash};

choices! {
    pub(in crate::method) enum Tokens {
        /// Words; single characters in scripts without spaces.
        Words = "words",
        /// Text between white space.
        Whitespace = "whitespace",
        /// Characters.
        Chars = "chars",
    }
}

impl From<Tokens> for Token {
    fn from(tokens: Tokens) -> Token {
        match tokens {
            Tokens::Words => Token::Word,
            Tokens::Whitespace => Token::Spaced,
            Tokens::Chars => Token::Char,
        }
    }
}

params! {
    pub(in crate::method) struct ShingleParams {
        /// minimum resemblance of related pages; with containment, minimum share of the smaller page's shingles
        threshold: f64[0.05..=1.0] = 0.7,
        /// with containment: minimum length ratio of duplicates; below it one page contains the other
        length_threshold: f64[0.0..=1.0] = 0.5,
        /// true: also find pages contained in longer ones; false: compare whole pages
        containment: bool = true,
        /// exact: verify candidates on their texts; off: use the estimates from the sketches
        verify: Verification = Verification::Exact,
        /// what is compared: shingles of words, spot signatures, or full-stop features
        features: Features = Features::Words,
        /// what shingles are made of: words (single characters in scripts without spaces), text between white space, or characters
        tokens: Tokens = Tokens::Words,
        /// tokens in a shingle
        width: usize[1..=100] = 5,
        /// without containment: min-hash values of a page
        hashes: usize[8..=1024] = 128,
        /// without containment: probability that two pages at the threshold share no band; sets bands and rows
        miss: f64[1e-9..=0.5] = 0.001,
        /// with containment: one shingle in this many is kept in the sketch
        sample: usize[1..=1024] = 16,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "shingle",
    summary: "pages that share runs of words: min-hash or sampled shingles, checked on the texts",
    source: "Broder, On the resemblance and containment of documents, SEQUENCES 1997",
    learns: Learns::Nothing,
    extract: Extract::Main,
    params: &[ShingleParams::PARAMS],
    judged_by: &[],
    reads_sentences: |params| ShingleParams::from(params).features == Features::Stops,
    least_similarity: |params| ShingleParams::from(params).threshold,
    build: |params, _| Box::new(Shingle::new(params.into())),
};

/// Shingles: pages are similar if they share runs of words.
///
/// # What it finds
/// Copies with small edits; with `containment` also pages contained in longer ones.
///
/// # How
/// A page is the set of hashes of its shingles, all runs of `width` tokens; a text of fewer tokens is one shingle. (`features=spots` and
/// `features=stops` use spot signatures or full-stop features instead: CCDet's Shingle-S, -P.) Resemblance is |a ∩ b| / |a ∪ b|,
/// containment |a ∩ b| / min(|a|, |b|).
///
/// Without `containment` a sketch is `hashes` min-hash values (one permutation, `hashes` bins, empty bins filled by optimal densification)
/// in bands of r rows: the largest r with which pages at `threshold` t share no band with probability at most `miss`, (1 − t^r)^bands ≤
/// `miss`. With `containment` a sketch is every shingle whose hash falls into a fixed 1/`sample` of all hashes, so the sample of a chapter
/// is part of the sample of the book. Candidates are checked on the exact sets, which are kept from the first reading, in a temporary file
/// if memory is short; `verify=off` accepts the estimates, as most tools do.
///
/// # Misses
/// Pages in which every fifth word was changed; a share of `miss` of the pairs at the threshold, fewer above it. With containment, pages of
/// fewer than about ten times `sample` tokens, whose samples are too small. Shared templates and disclaimers count like any other text.
///
/// # Parameters
/// `retold methods shingle` lists them with their ranges.
///
/// # Reference
/// Broder 1997 (both sketches); bands: Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, §3.4; one permutation: Li, Owen and
/// Zhang 2012; densification: Shrivastava 2017. Our min-hash values have 16 bits, which agree by chance once in 65,536.
#[derive(Clone, Debug)]
pub struct Shingle {
    params: ShingleParams,
    scheme: Scheme,
}

/// What the sketch keeps of the set of shingles.
#[derive(Clone, Debug)]
enum Scheme {
    Bands(MinHash, Bands),
    /// Shingles with hashes below this.
    Sample(u64),
}

/// Texts are not compared if the estimate is more than this many standard errors below the threshold.
const ERRORS: f64 = 4.0;

/// Moves the distinct numbers of an ascending list to its front; returns their count.
fn dedup(list: &mut [u64]) -> usize {
    let mut kept = 0;
    for at in 0..list.len() {
        if at == 0 || list[at] != list[kept - 1] {
            list[kept] = list[at];
            kept += 1;
        }
    }
    kept
}

impl Shingle {
    fn new(params: ShingleParams) -> Shingle {
        let scheme = match params.containment {
            true => Scheme::Sample(u64::MAX / params.sample as u64),
            false => Scheme::Bands(
                MinHash::new(params.hashes),
                Bands::choose(params.hashes, params.threshold, params.miss),
            ),
        };
        Shingle { params, scheme }
    }

    fn verifies(&self) -> bool {
        self.params.verify == Verification::Exact
    }

    /// Passes the hash and byte range (in the folded text) of each element of the text's set to `found`, in order.
    fn elements(&self, text: &Text, mut found: impl FnMut(u64, u32, u32)) {
        match self.params.features {
            Features::Words => self.shingles(text, found),
            Features::Spots | Features::Stops => {
                for highlight in self.params.features.highlights(text) {
                    found(highlight.key, highlight.start, highlight.end);
                }
            }
        }
    }

    fn shingles(&self, text: &Text, mut found: impl FnMut(u64, u32, u32)) {
        // Tokens are joined by one space, so that blocks and punctuation do not matter.
        let mut joined = String::with_capacity(text.folded.len() + 1);
        let mut tokens: Vec<(u32, u32, u32)> = Vec::with_capacity(text.folded.len() / 5);
        atoms(text, self.params.tokens.into(), |start, end| {
            tokens.push((joined.len() as u32, start as u32, end as u32));
            joined.push_str(&text.folded[start..end]);
            joined.push(' ');
        });
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return;
        };
        if tokens.len() < self.params.width {
            found(xxh3_64(joined.as_bytes()), first.1, last.2);
        }
        let bytes = joined.as_bytes();
        let ends = tokens[1..].iter().map(|token| token.0 as usize);
        let ends = ends.chain([bytes.len()]).skip(self.params.width - 1);
        let windows = tokens
            .iter()
            .zip(tokens[self.params.width.min(tokens.len()) - 1..].iter());
        for ((from, to), end) in windows.zip(ends) {
            found(xxh3_64(&bytes[from.0 as usize..end]), from.1, to.2);
        }
    }

    /// Adds the set of a text's shingles, ascending, to `all`; returns their count with repetitions.
    fn add_set(&self, text: &Text, all: &mut Vec<u64>) -> usize {
        let start = all.len();
        all.reserve(text.folded.len() / 5);
        self.elements(text, |hash, _, _| all.push(hash));
        let count = all.len() - start;
        all[start..].sort_unstable();
        let different = dedup(&mut all[start..]);
        all.truncate(start + different);
        count
    }

    /// The sketch of a text with this set of shingles; `count` includes repetitions. For a sample, shingles outside it may be missing.
    fn sketch_of(&self, set: &[u64], count: usize) -> Sketch {
        match &self.scheme {
            Scheme::Sample(below) => Sketch {
                keys: set[..set.partition_point(|hash| hash < below)].to_vec(),
                ..Sketch::default()
            },
            Scheme::Bands(..) if set.is_empty() => Sketch::default(),
            Scheme::Bands(minhash, bands) => {
                let mut bins = minhash.bins();
                set.iter().for_each(|&hash| minhash.add(&mut bins, hash));
                let values = minhash.values(&bins);
                let mut keys = bands.keys(&values);
                keys.sort_unstable();
                keys.dedup();
                let mut extra = vec![count as u64];
                extra.extend(minhash::pack(&values));
                Sketch {
                    keys,
                    extra,
                    ..Sketch::default()
                }
            }
        }
    }

    /// The verdict on two whole sets, given their sizes and the number of shared elements.
    fn resemblance(
        &self,
        shared: usize,
        (a, b): (usize, usize),
        trace: &mut Trace,
    ) -> Option<Verdict> {
        let all = a + b - shared;
        let meaning = "exact resemblance: shared shingles divided by all shingles of both pages";
        let resemblance = Check::ratio("resemblance", meaning, shared, all, self.params.threshold);
        let similarity = resemblance.value;
        trace.test(resemblance).then(|| Verdict {
            relation: Relation::Duplicate,
            similarity,
            length_ratio: ratio(a.min(b), a.max(b)),
            shared: u32::try_from(shared).unwrap_or(u32::MAX),
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    fn contained(
        &self,
        containment: Check,
        sizes: (usize, usize),
        trace: &mut Trace,
    ) -> Option<Verdict> {
        let (similarity, shared) = (containment.value, containment.part.unwrap_or_default());
        let similar = trace.test(containment);
        let clr = "length ratio: shingles of the smaller page divided by those of the larger";
        let least = self.params.length_threshold;
        let (relation, length_ratio) = trace.by_length("length ratio", clr, sizes, least);
        similar.then(|| Verdict {
            relation,
            similarity,
            length_ratio,
            shared: u32::try_from(shared).unwrap_or(u32::MAX),
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    fn compare_samples(
        &self,
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        trace: &mut Trace,
    ) -> Option<Verdict> {
        let sizes = (a.keys.len(), b.keys.len());
        let smaller = sizes.0.min(sizes.1);
        // Rounded to whole shingles, as in the index.
        let least = ratio(self.bounds(smaller).overlap, smaller.max(1));
        let shared = count_shared(a.keys, b.keys);
        let meaning =
            "estimated containment: sampled shingles of the smaller page that the larger has";
        let estimate = Check::ratio("estimate", meaning, shared, smaller, least);
        self.contained(estimate, sizes, trace)
    }

    fn compare_bands(
        &self,
        minhash: &MinHash,
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        trace: &mut Trace,
    ) -> Option<Verdict> {
        let shared = count_shared(a.keys, b.keys);
        let bands = "bands of min-hash values that both pages have";
        if !trace.test(Check::number("bands", bands, shared, Op::AtLeast, 1.0)) {
            return None;
        }
        let (&m, left) = a.extra.split_first()?;
        let (&n, right) = b.extra.split_first()?;
        let (m, n, hashes) = (m as usize, n as usize, minhash.hashes());
        let agreeing = minhash::agreeing(left, right, hashes);
        let least = self.least_estimate(hashes.min(m).min(n));
        let meaning = "estimated resemblance: min-hash values that agree";
        let estimate = Check::ratio("estimate", meaning, agreeing, hashes, least);
        let similarity = estimate.value;
        trace.test(estimate).then(|| Verdict {
            relation: Relation::Duplicate,
            similarity,
            length_ratio: ratio(m.min(n), m.max(n)),
            shared: shared as u32,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    /// The least estimate from `n` values that is not yet certainly below the threshold.
    fn least_estimate(&self, n: usize) -> f64 {
        let t = self.params.threshold;
        let slack = match self.verifies() {
            true => ERRORS * (t * (1.0 - t) / n.max(1) as f64).sqrt(),
            false => 0.0,
        };
        (t - slack).max(0.0)
    }
}

impl Method for Shingle {
    fn sketch(&self, text: &Text) -> Sketch {
        if let Scheme::Sample(below) = self.scheme {
            let mut keys = Vec::new();
            self.elements(text, |hash, _, _| {
                if hash < below {
                    keys.push(hash);
                }
            });
            keys.sort_unstable();
            keys.dedup();
            return self.sketch_of(&keys, keys.len());
        }
        let mut all = Vec::new();
        let count = self.add_set(text, &mut all);
        self.sketch_of(&all, count)
    }

    fn bounds(&self, keys: usize) -> Bounds {
        match self.scheme {
            Scheme::Bands(..) => Bounds::overlap(1),
            Scheme::Sample(_) => {
                let least = self.least_estimate(keys) * keys as f64;
                // Rounding must not require more than `compare` does.
                Bounds::overlap((least - 1e-9).ceil() as usize)
            }
        }
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        match &self.scheme {
            Scheme::Bands(minhash, _) => self.compare_bands(minhash, a, b, trace),
            Scheme::Sample(_) => self.compare_samples(a, b, trace),
        }
    }

    fn verifier(&self) -> Option<&dyn Verifier> {
        self.verifies().then_some(self)
    }

    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        let Scheme::Sample(below) = self.scheme else {
            return Vec::new();
        };
        let mut highlights = Vec::new();
        self.elements(text, |key, start, end| {
            if key < below {
                highlights.push(Highlight {
                    key,
                    start,
                    end,
                    label: None,
                });
            }
        });
        highlights
    }
}

impl Verifier for Shingle {
    fn fingerprint(&self, text: &Text) -> Vec<u64> {
        let mut set = Vec::new();
        self.add_set(text, &mut set);
        set.shrink_to_fit();
        set
    }

    fn sketch_and_partial(&self, text: &Text, partials: &mut Vec<u64>) -> Option<Sketch> {
        let start = partials.len();
        let count = self.add_set(text, partials);
        Some(self.sketch_of(&partials[start..], count))
    }

    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict> {
        let sizes = (a.len(), b.len());
        // Untraced comparisons may stop below the threshold; resemblance requires at least as much as containment.
        let least = match trace.is_on() {
            true => 0.0,
            false => self.params.threshold * sizes.0.min(sizes.1) as f64 - 1.0,
        };
        let shared = count_shared_from(a, b, least as usize);
        match self.scheme {
            Scheme::Bands(..) => self.resemblance(shared, sizes, trace),
            Scheme::Sample(_) => {
                let meaning =
                    "exact containment: shared shingles divided by those of the smaller page";
                let (smaller, least) = (a.len().min(b.len()), self.params.threshold);
                let share = Check::ratio("containment", meaning, shared, smaller, least);
                self.contained(share, sizes, trace)
            }
        }
    }
}
