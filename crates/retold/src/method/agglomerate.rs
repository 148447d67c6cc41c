//! The method `agglomerate`: agglomerate terms (METHODS §2).

mod score;
#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64;

use super::explain::{self, Explanation};
use super::{
    Check, Domain, Keyword, Method, MethodInfo, Noise, Op, Param, Params, Sketch, SketchRef, Spot,
    count_shared,
};
use crate::relation::{Relation, Verdict, ratio};
use crate::text::{Extract, Form, Text};
use score::{Curve, best};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "agglomerate",
    summary: "pages with the same keywords: words whose occurrences cluster in the text",
    source: "AgT, Journal of Computer Applications 2010, 30(6):1661",
    prunes: false,
    fits: false,
    extract: Extract::Main,
    params: &[
        Param {
            name: "threshold",
            domain: Domain::Float(0.92, 0.0, 1.0),
            help: "least cosine of duplicates; least share of the shorter page's keywords in a container",
        },
        Param {
            name: "length_threshold",
            domain: Domain::Float(0.5, 0.0, 1.0),
            help: "length ratio below which a page can be contained in the other",
        },
        Param {
            name: "keywords",
            domain: Domain::Int(80, 5, 200),
            help: "keywords of a page that are compared; 3, 4 and 5 of them make its hashes",
        },
        Param {
            name: "k1",
            domain: Domain::Float(1.0, 1.0, 4.0),
            help: "how fast the score of a repeated word falls with the distance, up to `b` words",
        },
        Param {
            name: "k2",
            domain: Domain::Float(0.05, 0.01, 1.0),
            help: "the same beyond `b` words",
        },
        Param {
            name: "b",
            domain: Domain::Int(5, 1, 10_000),
            help: "the distance in words at which the fall slows down",
        },
    ],
    build: |params| Box::new(Agglomerate::new(params)),
};

/// How many of the best words are joined to a hash.
const BEST: [usize; 3] = [3, 4, 5];

/// Stands between joined words. A block holds no line feed, so a word does not either.
const SEPARATOR: char = '\n';

/// Agglomerate terms: a word matters when its occurrences cluster in the text; no corpus is needed to tell.
///
/// # What it finds
/// Pages that use the same words as densely, whatever the order of their sentences: reprints with moved paragraphs,
/// and edits that leave the choice of words alone. Of pages contained in others only those that share their best words.
///
/// # How
/// Each two occurrences of a word that follow each other, b words apart, add f(b) to its score: b^(−`k1`) up to `b`
/// words, m · b^(−`k2`) beyond, m = `b`^(`k2` − `k1`) making f continuous. Stop-words and numbers are not scored, but
/// count in distances. Words that occur once score 0 and fill up what is missing, the longest first, then the
/// earliest. The 3, 4 and 5 best words, sorted and joined, make three hashes; pages that share one are compared: by
/// the cosine of how often their `keywords` best words occur, or, if one page is shorter than `length_threshold` times
/// the other, by the share of the shorter page's keyword occurrences whose words are keywords of the longer.
///
/// # Misses
/// Pages whose best five words differ by one among the first three: reprints with much text before or after, or cut
/// ones; pages of a few words. Pages on one subject by one writer can look alike.
///
/// # Parameters
/// `retold methods agglomerate` lists them with their ranges; `retold tune` finds values for a labelled set.
///
/// # Reference
/// AgT (Journal of Computer Applications 2010, 30(6):1661). Its f is lost in our copy; ours falls, is continuous and
/// convex, as its prose demands. `k1` is at least 1 and `k2` at most 1, so that k₁ ≥ k₂ needs no check. We deviate by
/// comparing 80 words rather than 10 (ten cannot tell reports of one event apart; `docs/agglomerate.md`), by
/// containment, which the paper does not have, and by leaving numbers out.
#[derive(Clone, Debug)]
pub struct Agglomerate {
    threshold: f64,
    length_threshold: f64,
    keywords: usize,
    curve: Curve,
}

impl Agglomerate {
    fn new(params: &Params) -> Agglomerate {
        Agglomerate {
            threshold: params.float("threshold"),
            length_threshold: params.float("length_threshold"),
            keywords: params.int("keywords"),
            curve: Curve::new(params.float("k1"), params.float("k2"), params.int("b")),
        }
    }

    /// The hashes of the best words: for each of [`BEST`] that the page has words enough for, the number of words and
    /// the hash.
    fn hashes(words: &[&str]) -> impl Iterator<Item = (usize, u64)> {
        BEST.into_iter().filter_map(move |count| {
            let joined = join(words.get(..count)?);
            Some((count, xxh3_64(joined.as_bytes())))
        })
    }
}

/// The words sorted as strings, with [`SEPARATOR`] between.
fn join(words: &[&str]) -> String {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    sorted.join(SEPARATOR.encode_utf8(&mut [0; 4]))
}

impl Method for Agglomerate {
    fn sketch(&self, text: &Text) -> Sketch {
        let words = text.words();
        let interned = words.interned(Form::Surface);
        let best = best(words, &interned, &self.curve, self.keywords);
        let forms: Vec<&str> = best
            .iter()
            .map(|word| &*interned.forms[word.id as usize])
            .collect();
        let mut keys: Vec<u64> = Self::hashes(&forms).map(|(_, key)| key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut terms: Vec<(u64, u64)> = best
            .iter()
            .zip(&forms)
            .map(|(word, form)| (xxh3_64(form.as_bytes()), u64::from(word.count)))
            .collect();
        terms.sort_unstable();
        let mut evidence = Vec::with_capacity(1 + 2 * terms.len());
        evidence.push(words.len() as u64);
        evidence.extend(terms.iter().flat_map(|&(hash, count)| [hash, count]));
        Sketch {
            keys,
            marks: Vec::new(),
            evidence,
        }
    }

    fn overlap(&self, _keys: usize) -> usize {
        1
    }

    fn reads_sentences(&self) -> bool {
        false
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Option<Verdict> {
        let shared = count_shared(a.keys, b.keys);
        let numbers = Numbers::of(a.evidence, b.evidence);
        if shared == 0 {
            return None;
        }
        let (relation, similarity) = numbers.relation(self.threshold, self.length_threshold)?;
        Some(Verdict {
            relation,
            similarity,
            length_ratio: numbers.length_ratio(),
            shared: shared as u32,
            shared_chars: 0,
        })
    }

    fn judged_by(&self) -> &'static [&'static str] {
        &["threshold", "length_threshold"]
    }

    fn keywords(&self, text: &Text) -> Option<Vec<Keyword>> {
        let words = text.words();
        let interned = words.interned(Form::Surface);
        let best = best(words, &interned, &self.curve, self.keywords);
        let keyword = |word: &score::Scored| {
            let places = interned.ids.iter().zip(0u32..);
            Keyword {
                word: interned.forms[word.id as usize].to_string(),
                score: word.score(),
                positions: places
                    .filter(|(id, _)| **id == word.id)
                    .map(|(_, at)| at)
                    .collect(),
            }
        };
        Some(best.iter().map(keyword).collect())
    }

    fn spots(&self, text: &Text) -> Vec<Spot> {
        let keywords = self.keywords(text).unwrap_or_default();
        let forms: Vec<&str> = keywords.iter().map(|word| word.word.as_str()).collect();
        let all = text.words().all();
        let mut spots = Vec::new();
        let mut placed = 0;
        for (count, key) in Self::hashes(&forms) {
            let label = format!("{count} best words: {}", forms[..count].join(", "));
            // Each hash stands where the words are that it has and the hash before has not.
            for &at in keywords[placed..count].iter().flat_map(|w| &w.positions) {
                let word = all[at as usize];
                spots.push(Spot {
                    key,
                    start: word.start,
                    end: word.end,
                    label: Some(label.clone()),
                });
            }
            placed = count;
        }
        spots
    }

    fn checks(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Vec<Check> {
        let numbers = Numbers::of(a.evidence, b.evidence);
        let hashes = "hashes of the 3, 4 and 5 best words that both pages have";
        let shared = count_shared(a.keys, b.keys);
        let mut checks = vec![Check::number("hashes", hashes, shared, Op::AtLeast, 1.0)];
        let ratio = "length ratio: words of the shorter page over those of the longer";
        let (shorter, longer) = numbers.lengths();
        let ratio = Check::ratio(
            "length ratio",
            ratio,
            shorter,
            longer,
            self.length_threshold,
        );
        let alike = ratio.holds();
        checks.push(ratio.deciding(
            "duplicate by cosine",
            "contained by share, else duplicate by cosine",
        ));
        if !alike {
            let share = "occurrences of the shorter page's keywords that the longer has as keywords too, over all";
            let (part, whole) = numbers.share_counts();
            let share = Check::ratio("share", share, part, whole, self.threshold);
            let contained = share.holds();
            checks.push(share.deciding("the longer contains the shorter", "not contained"));
            if contained {
                return checks;
            }
        }
        let cosine = "cosine of how often each page has its keywords";
        checks.push(
            Check::value("cosine", cosine, numbers.cosine()).against(Op::AtLeast, self.threshold),
        );
        checks
    }

    fn least_similarity(&self) -> Option<f64> {
        Some(self.threshold)
    }

    fn explain(&self, a: &Text, b: &Text, noise: Noise<'_>) -> Explanation {
        let mut told = explain::story(self, a, b, noise);
        told.notes = self.notes(a, b);
        told
    }
}

impl Agglomerate {
    /// The keywords of both pages and of either, with how often they occur.
    fn notes(&self, a: &Text, b: &Text) -> Vec<String> {
        let [left, right] = [a, b].map(|text| self.keywords(text).unwrap_or_default());
        let find = |words: &[Keyword], word: &str| {
            let found = words.iter().find(|keyword| keyword.word == word);
            found.map(|keyword| keyword.positions.len())
        };
        let both: Vec<String> = left
            .iter()
            .filter_map(|keyword| {
                let times = find(&right, &keyword.word)?;
                Some(format!(
                    "{} ({} and {times} times)",
                    keyword.word,
                    keyword.positions.len()
                ))
            })
            .collect();
        let alone = |own: &[Keyword], other: &[Keyword]| {
            let own = own.iter().filter(|word| find(other, &word.word).is_none());
            let own: Vec<String> = own
                .map(|word| format!("{} ({} times)", word.word, word.positions.len()))
                .collect();
            own.join(", ")
        };
        let lines = [
            ("keywords of both pages", both.join(", ")),
            ("keywords of the first page only", alone(&left, &right)),
            ("keywords of the second page only", alone(&right, &left)),
        ];
        let lines = lines.into_iter().filter(|(_, words)| !words.is_empty());
        lines
            .map(|(what, words)| format!("{what}: {words}"))
            .collect()
    }
}

/// What two vectors of keywords say. Evidence is the number of words of the page, then hash and count of each
/// keyword, ascending by hash.
struct Numbers {
    lengths: (u64, u64),
    /// Σ count² of each page.
    squares: (u64, u64),
    /// Σ count of each page.
    sums: (u64, u64),
    /// Σ count of each page over the keywords of both.
    common: (u64, u64),
    /// Σ count · count over the keywords of both.
    product: u64,
}

impl Numbers {
    fn of(a: &[u64], b: &[u64]) -> Numbers {
        let split = |evidence: &[u64]| evidence.first().copied().unwrap_or(0);
        let [x, y] =
            [a, b].map(|evidence| evidence.get(1..).unwrap_or_default().as_chunks::<2>().0);
        let squares = |terms: &[[u64; 2]]| terms.iter().map(|term| term[1] * term[1]).sum();
        let sum = |terms: &[[u64; 2]]| terms.iter().map(|term| term[1]).sum();
        let mut numbers = Numbers {
            lengths: (split(a), split(b)),
            squares: (squares(x), squares(y)),
            sums: (sum(x), sum(y)),
            common: (0, 0),
            product: 0,
        };
        let (mut i, mut j) = (0, 0);
        while let (Some(&[left, p]), Some(&[right, q])) = (x.get(i), y.get(j)) {
            if left == right {
                numbers.common.0 += p;
                numbers.common.1 += q;
                numbers.product += p * q;
            }
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
        numbers
    }

    /// What the first page is to the second, and the similarity that says so.
    fn relation(&self, threshold: f64, length_threshold: f64) -> Option<(Relation, f64)> {
        let (part, whole) = self.share_counts();
        let share = ratio(part, whole);
        if self.length_ratio() < length_threshold && share >= threshold {
            let first_longer = self.lengths.0 > self.lengths.1;
            let relation = if first_longer {
                Relation::Contains
            } else {
                Relation::ContainedBy
            };
            return Some((relation, share));
        }
        let cosine = self.cosine();
        (cosine >= threshold).then_some((Relation::Duplicate, cosine))
    }

    fn lengths(&self) -> (usize, usize) {
        let (a, b) = self.lengths;
        (a.min(b) as usize, a.max(b) as usize)
    }

    fn length_ratio(&self) -> f64 {
        let (shorter, longer) = self.lengths();
        ratio(shorter, longer)
    }

    /// Occurrences of the shorter page's keywords: those of words that are keywords of the longer, and all.
    fn share_counts(&self) -> (usize, usize) {
        let (part, whole) = if self.lengths.0 <= self.lengths.1 {
            (self.common.0, self.sums.0)
        } else {
            (self.common.1, self.sums.1)
        };
        (part as usize, whole as usize)
    }

    /// The length of a page divides all of its vector and so cancels.
    fn cosine(&self) -> f64 {
        let whole = (self.squares.0 as f64 * self.squares.1 as f64).sqrt();
        if whole == 0.0 {
            return 0.0;
        }
        (self.product as f64 / whole).min(1.0)
    }
}
