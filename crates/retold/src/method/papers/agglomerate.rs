//! The method `agglomerate`: agglomerate terms (AgT 2010).

mod score;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use xxhash_rust::xxh3::xxh3_64;

use crate::method::{Check, Highlight, Keyword, Learns, Method, MethodInfo, Op, Trace};
use crate::param::{choices, params};
use crate::relation::{Relation, Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef, count_shared};
use crate::text::{Extract, Text, WordForm};
use score::{Curve, best};

choices! {
    /// The measure by which pages of similar length are duplicates.
    pub(in crate::method) enum DuplicateBy {
        /// The cosine.
        Cosine = "cosine",
        /// The cosine or the share.
        Either = "either",
    }
}

choices! {
    pub(in crate::method) enum Hashes {
        /// The 3, the 4 and the 5 best words.
        Best = "best",
        /// Each three of the 6 best words.
        Threes = "threes",
    }
}

params! {
    pub(in crate::method) struct AgglomerateParams {
        /// minimum cosine of duplicates
        threshold: f64[0.0..=1.0] = 0.95,
        /// minimum share of the shorter page's keyword occurrences whose words are keywords of the longer page
        share: f64[0.0..=1.0] = 0.92,
        /// whether pages of similar length are duplicates by cosine only, or by either measure
        duplicate_by: DuplicateBy = DuplicateBy::Either,
        /// length ratio below which a page is contained in the other rather than its duplicate
        length_threshold: f64[0.0..=1.0] = 0.5,
        /// keywords of a page that are compared; the best of them make its hashes
        keywords: usize[6..=500] = 400,
        /// best: of the 3, the 4 and the 5 best words; threes: of each three of the 6 best
        hashes: Hashes = Hashes::Threes,
        /// how fast the score of a repeated word falls with the distance, up to `b` words
        k1: f64[1.0..=4.0] = 1.0,
        /// the same beyond `b` words
        k2: f64[0.01..=1.0] = 0.05,
        /// distance in words from which the score falls more slowly
        b: usize[1..=10_000] = 5,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "agglomerate",
    summary: "pages with the same keywords: words whose occurrences cluster in the text",
    source: "AgT, Journal of Computer Applications 2010, 30(6):1661",
    learns: Learns::Nothing,
    extract: Extract::Main,
    params: &[AgglomerateParams::PARAMS],
    judged_by: &["threshold", "share", "duplicate_by", "length_threshold"],
    reads_sentences: |_| false,
    least_similarity: |params| {
        let params = AgglomerateParams::from(params);
        params.threshold.min(params.share)
    },
    build: |params, _| Box::new(Agglomerate::new(params.into())),
};

/// How many of the best words are joined into each hash.
const BEST: [usize; 3] = [3, 4, 5];

/// How many of the best words make the hashes of threes.
const THREES_OF: usize = 6;

/// Separates joined words. A block contains no line feed, so neither does a word.
const SEPARATOR: char = '\n';

/// Agglomerate terms: a word matters if its occurrences cluster in the text; no corpus is needed.
///
/// # What it finds
/// Pages that use the same words with the same density, in any order of sentences: reprints with moved paragraphs, and edits that leave the
/// choice of words alone. Contained pages are found only if they share their best words.
///
/// # How
/// Each pair of consecutive occurrences of a word, b words apart, adds f(b) to its score: b^(−`k1`) up to `b` words, m · b^(−`k2`) beyond,
/// where m = `b`^(`k2` − `k1`) makes f continuous. Stop-words and numbers have no score, but count in distances. Words that occur once
/// score 0 and fill the remaining places, the longest first, then the earliest. Each three of the 6 best words, sorted and joined, make a
/// hash. Pages that share one are compared by two measures: the cosine of the counts of their `keywords` best words, and the share of the
/// shorter page's keyword occurrences whose words are keywords of the longer. Below `length_threshold` the longer page contains the shorter
/// if the share reaches `share`; other pages are duplicates if the cosine reaches `threshold` or the share reaches `share`.
///
/// # Misses
/// Pages with fewer than three of the 6 best words in common: reprints with much text before or after, or cut to a small part; pages of a
/// few words. Pages on one subject by one writer can look alike.
///
/// # Parameters
/// `retold methods agglomerate` lists them with their ranges; `retold-lab tune` finds values for a labelled set.
///
/// # Reference
/// AgT (Journal of Computer Applications 2010, 30(6):1661). Its f is lost in our copy; ours falls, is continuous and convex, as its prose
/// demands. `k1` is at least 1 and `k2` at most 1, so k₁ ≥ k₂ needs no check. Ours are also: comparing 400 words rather than 10 (ten cannot
/// tell reports of one event apart), hashes of each three of the 6 best words (`hashes=best` has the paper's: of the 3, the 4 and the 5
/// best), the share (`duplicate_by=cosine` leaves it to containment), and leaving numbers out. `docs/lab/methods.md` has what each is
/// worth.
#[derive(Clone, Debug)]
pub struct Agglomerate {
    params: AgglomerateParams,
    curve: Curve,
}

impl AgglomerateParams {
    /// The relation of the first page to the second, and the similarity that decided. If the lengths differ, the shorter page is contained
    /// if its share is large enough. Otherwise pages are duplicates by their cosine, and, if enabled and the lengths are similar, by the
    /// share.
    fn relation(&self, numbers: &Numbers, trace: &mut Trace) -> Option<(Relation, f64)> {
        let length = "length ratio: words of the shorter page divided by those of the longer";
        let (shorter, longer) = numbers.lengths();
        let length = Check::ratio(
            "length ratio",
            length,
            shorter,
            longer,
            self.length_threshold,
        );
        let unlike = "contained by share, else duplicates";
        let alike = trace.test(length.deciding("duplicates, if related", unlike));
        let share = "share of the shorter page's keyword occurrences whose words are keywords of the longer page";
        let (part, whole) = numbers.share_counts();
        let share = Check::ratio("share", share, part, whole, self.share);
        let cosine = "cosine of the keyword counts";
        let cosine = Check::value("cosine", cosine, numbers.cosine());
        let cosine = cosine.against(Op::AtLeast, self.threshold);
        let (by_share, by_cosine) = (share.value, cosine.value);
        if alike && self.duplicate_by == DuplicateBy::Either {
            if trace.test(cosine.deciding("duplicates", "duplicates by share?")) {
                return Some((Relation::Duplicate, by_cosine));
            }
            return trace.test(share).then_some((Relation::Duplicate, by_share));
        }
        let share = share.deciding("the longer contains the shorter", "not contained");
        if !alike && trace.test(share) {
            return Some((numbers.container(), by_share));
        }
        let related = trace.test(cosine);
        related.then_some((Relation::Duplicate, by_cosine))
    }
}

impl Agglomerate {
    fn new(params: AgglomerateParams) -> Agglomerate {
        let curve = Curve::new(params.k1, params.k2, params.b);
        Agglomerate { params, curve }
    }

    /// The hashes of the best words, each with the ranks of its words.
    fn hashes(&self, best: &[&str]) -> Vec<(Vec<usize>, u64)> {
        let places: Vec<Vec<usize>> = if self.params.hashes == Hashes::Threes {
            threes(best.len().min(THREES_OF))
        } else {
            let enough = BEST.into_iter().filter(|&count| count <= best.len());
            enough.map(|count| (0..count).collect()).collect()
        };
        let hash = |places: Vec<usize>| {
            let words: Vec<&str> = places.iter().map(|&place| best[place]).collect();
            (places, xxh3_64(join(&words).as_bytes()))
        };
        places.into_iter().map(hash).collect()
    }
}

/// All choices of three of the first `count` numbers.
fn threes(count: usize) -> Vec<Vec<usize>> {
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
    let threes = pairs.flat_map(|(i, j)| (j + 1..count).map(move |k| vec![i, j, k]));
    threes.collect()
}

/// The words sorted as strings and joined by [`SEPARATOR`].
fn join(words: &[&str]) -> String {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    sorted.join(SEPARATOR.encode_utf8(&mut [0; 4]))
}

impl Method for Agglomerate {
    fn sketch(&self, text: &Text) -> Sketch {
        let words = text.words();
        let interned = words.interned(WordForm::Surface);
        let best = best(words, &interned, &self.curve, self.params.keywords);
        let forms: Vec<&str> = best
            .iter()
            .map(|word| &*interned.forms[word.id as usize])
            .collect();
        let hashes = self.hashes(&forms);
        let mut keys: Vec<u64> = hashes.into_iter().map(|(_, key)| key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut extra = Vec::with_capacity(1 + best.len());
        extra.push(words.len() as u64);
        let terms = best.iter().zip(&forms);
        extra.extend(terms.map(|(word, form)| term(xxh3_64(form.as_bytes()), word.count)));
        extra[1..].sort_unstable();
        Sketch {
            keys,
            extra,
            ..Sketch::default()
        }
    }

    fn bounds(&self, _keys: usize) -> Bounds {
        Bounds::overlap(1)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let hashes = "shared hashes of best words";
        let shared = count_shared(a.keys, b.keys);
        if !trace.test(Check::number("hashes", hashes, shared, Op::AtLeast, 1.0)) {
            return None;
        }
        let numbers = Numbers::of(a.extra, b.extra);
        let (relation, similarity) = self.params.relation(&numbers, trace)?;
        Some(Verdict {
            relation,
            similarity,
            length_ratio: numbers.length_ratio(),
            shared: shared as u32,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    fn keywords(&self, text: &Text) -> Option<Vec<Keyword>> {
        let words = text.words();
        let interned = words.interned(WordForm::Surface);
        let best = best(words, &interned, &self.curve, self.params.keywords);
        let mut places: Vec<Option<Vec<u32>>> = vec![None; interned.forms.len()];
        for word in &best {
            places[word.id as usize] = Some(Vec::with_capacity(word.count as usize));
        }
        for (&id, at) in interned.ids.iter().zip(0..) {
            if let Some(places) = &mut places[id as usize] {
                places.push(at);
            }
        }
        let keyword = |word: &score::Scored| Keyword {
            word: interned.forms[word.id as usize].to_string(),
            also: Vec::new(),
            score: word.score(),
            positions: places[word.id as usize].take().unwrap_or_default(),
        };
        Some(best.iter().map(keyword).collect())
    }

    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        let keywords = self.keywords(text).unwrap_or_default();
        let forms: Vec<&str> = keywords.iter().map(|word| word.word.as_str()).collect();
        let all = text.words().all();
        let mut highlights = Vec::new();
        for (places, key) in self.hashes(&forms) {
            let words: Vec<&str> = places.iter().map(|&place| forms[place]).collect();
            let label = format!("{} of the best words: {}", words.len(), words.join(", "));
            // The place of a hash is the first place of its words.
            let first = places
                .iter()
                .filter_map(|&place| keywords[place].positions.first());
            for &at in first {
                let word = all[at as usize];
                highlights.push(Highlight {
                    key,
                    start: word.start,
                    end: word.end,
                    label: Some(label.clone()),
                });
            }
        }
        highlights
    }
}

/// A keyword in the extra numbers: 48 bits of its hash, then its count, at most 65,535.
fn term(hash: u64, count: u32) -> u64 {
    hash & !COUNT | u64::from(count).min(COUNT)
}

const COUNT: u64 = 0xFFFF;

/// The measures of two keyword vectors. The extra numbers are the number of words of the page, then its keywords ([`term`]), ascending.
struct Numbers {
    lengths: (u64, u64),
    /// Σ count² of each page.
    squares: (u64, u64),
    /// Σ count of each page.
    sums: (u64, u64),
    /// Σ count of each page over the shared keywords.
    common: (u64, u64),
    /// Σ count · count over the shared keywords.
    product: u64,
}

impl Numbers {
    fn of(a: &[u64], b: &[u64]) -> Numbers {
        let length = |extra: &[u64]| extra.first().copied().unwrap_or(0);
        let [x, y] = [a, b].map(|extra| extra.get(1..).unwrap_or_default());
        let sum = |terms: &[u64]| terms.iter().map(|term| term & COUNT).sum();
        let squares = |terms: &[u64]| terms.iter().map(|term| (term & COUNT).pow(2)).sum();
        let mut numbers = Numbers {
            lengths: (length(a), length(b)),
            squares: (squares(x), squares(y)),
            sums: (sum(x), sum(y)),
            common: (0, 0),
            product: 0,
        };
        let (mut i, mut j) = (0, 0);
        while let (Some(&left), Some(&right)) = (x.get(i), y.get(j)) {
            let (left_word, right_word) = (left & !COUNT, right & !COUNT);
            if left_word == right_word {
                let (p, q) = (left & COUNT, right & COUNT);
                numbers.common.0 += p;
                numbers.common.1 += q;
                numbers.product += p * q;
            }
            i += usize::from(left_word <= right_word);
            j += usize::from(right_word <= left_word);
        }
        numbers
    }

    fn lengths(&self) -> (usize, usize) {
        let (a, b) = self.lengths;
        (a.min(b) as usize, a.max(b) as usize)
    }

    fn length_ratio(&self) -> f64 {
        let (shorter, longer) = self.lengths();
        ratio(shorter, longer)
    }

    /// The relation of the first page to the second if the longer contains the shorter.
    fn container(&self) -> Relation {
        match self.lengths.0 > self.lengths.1 {
            true => Relation::Contains,
            false => Relation::ContainedBy,
        }
    }

    /// The occurrences of the shorter page's keywords: those whose words are keywords of the longer, and all. If lengths are equal, the
    /// page with the larger share counts as the shorter.
    fn share_counts(&self) -> (usize, usize) {
        let ((part_a, part_b), (whole_a, whole_b)) = (self.common, self.sums);
        let first = match self.lengths.0.cmp(&self.lengths.1) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => part_a * whole_b >= part_b * whole_a,
        };
        let (part, whole) = if first {
            (part_a, whole_a)
        } else {
            (part_b, whole_b)
        };
        (part as usize, whole as usize)
    }

    /// The length of a page is a factor of its whole vector, so it cancels.
    fn cosine(&self) -> f64 {
        let whole = (self.squares.0 as f64 * self.squares.1 as f64).sqrt();
        if whole == 0.0 {
            return 0.0;
        }
        (self.product as f64 / whole).min(1.0)
    }
}
