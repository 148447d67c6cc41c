//! The method `coverage`: how much of a page's text another page contains.

mod counts;
mod grams;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::{
    Bounds, Check, Domain, Knowledge, Learns, Method, MethodInfo, Op, Param, Params, Sketch,
    SketchRef, Spot, Trace, Verifier, count_shared, shared_positions,
};
use crate::relation::{Verdict, ratio};
use crate::text::{Extract, Text};
use counts::Counts;
use grams::{COMMON, grams, prose};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "coverage",
    summary: "pages whose text another page contains: shared shingles, with articles separated from templates and disclaimers",
    source: "our own, after Broder 1997 (containment) and CCDet 2013 (full stops mark body text)",
    learns: Learns::Common,
    extract: Extract::Main,
    params: &[
        Param {
            name: "threshold",
            domain: Domain::Float(0.65, 0.05, 1.0),
            help: "minimum containment: share of the smaller page's shingles that the other page has",
        },
        Param {
            name: "least",
            domain: Domain::Float(0.5, 0.0, 1.0),
            help: "minimum containment of all shingles where the rare ones alone reach the threshold; the threshold \
                   if that is lower",
        },
        Param {
            name: "length_threshold",
            domain: Domain::Float(0.5, 0.0, 1.0),
            help: "least length ratio of duplicates; below it one page contains the other",
        },
        Param {
            name: "common_df",
            domain: Domain::Int(8, 1, 1_000_000),
            help: "a shingle with a higher document frequency is common, and no evidence by itself",
        },
        Param {
            name: "min_texts",
            domain: Domain::Int(100, 0, 1_000_000),
            help: "with fewer different texts in the collection, nothing is common",
        },
        Param {
            name: "prose",
            domain: Domain::Float(0.8, 0.0, 1.0),
            help: "minimum share of text in full sentences of an article; common text of articles counts",
        },
        Param {
            name: "many",
            domain: Domain::Int(2000, 1, 1_000_000_000),
            help: "with at least this many shared shingles, common text counts on any page",
        },
        Param {
            name: "width",
            domain: Domain::Int(8, 1, 100),
            help: "words (characters, in scripts without spaces) in a shingle",
        },
        Param {
            name: "sample",
            domain: Domain::Int(14, 1, 1024),
            help: "one shingle in this many is kept in the sketch",
        },
        Param {
            name: "verify",
            domain: Domain::Choice("exact", &["exact", "off"]),
            help: "exact: verify candidates on their texts; off: accept the estimates of the sketches",
        },
    ],
    judged_by: &[
        "threshold",
        "least",
        "length_threshold",
        "prose",
        "many",
        "verify",
    ],
    reads_sentences: |_| true,
    least_similarity: |params| params.float("least").min(params.float("threshold")),
    build: |params, known| Box::new(Coverage::new(params, known)),
};

/// Coverage: a page repeats another if that page contains most of its text, word for word.
///
/// # What it finds
/// Reprints, edited and shortened copies, and pages contained in longer ones, in any language; with and
/// without full stops.
///
/// # How
/// A page is the set of its shingles: all runs of `width` words (of single characters in scripts without spaces). The
/// coverage of two pages is |a ∩ b| / min(|a|, |b|). A sketch is the grams whose hash falls into a fixed 1/`sample`
/// of all hashes, at least the four smallest; two pages are candidates if their estimated coverage is not surely too
/// small. Candidates are read again and their coverage is computed exactly.
///
/// A gram on more than `common_df` different texts is common: it may be a disclaimer as well as a much quoted
/// statement. Which grams are common is learnt from samples, once, and frozen. Two pages are related if the rest, what
/// is rare, covers the smaller page's rare text to `threshold` (and all text to `least`); or if all text does so, and
/// the smaller page is an article, that is, `prose` of it stands in sentences with a full stop (templates, menus and
/// adverts do without) and 50 grams are shared, or the pages share `many` grams.
///
/// # Misses
/// Copies in which every tenth word was changed. Articles of which more than `common_df` versions stand on pages
/// mostly without full stops. Versions of one advert count as different pages if each has text of its own.
///
/// # Parameters
/// `retold methods coverage` lists them with their ranges.
///
/// # Reference
/// Containment and its sample: Broder, On the resemblance and containment of documents, 1997. Full stops as the mark of
/// body text: Wei et al., CCDet, 2013. The rest is ours; `docs/coverage.md` has the measurements.
#[derive(Clone, Debug)]
pub struct Coverage {
    threshold: f64,
    least: f64,
    length_threshold: f64,
    /// Thousandths.
    prose: u64,
    many: usize,
    width: usize,
    sample: usize,
    verify: bool,
    known: Arc<Knowledge>,
}

/// Minimum number of shingles in a sketch, if the page has as many.
const FEWEST: usize = 4;
/// Minimum number of rare shingles in the sample for their coverage to count (fewer if the sample has fewer).
const FEWEST_RARE: usize = 4;
/// Common text counts as evidence from this many shared grams on: a statement, not a line at the foot of a page.
const FEWEST_COMMON: usize = 50;
/// How many standard errors an estimate may lie below what is needed before the texts are not even looked at.
const ERRORS: f64 = 3.0;

impl Coverage {
    fn new(params: &Params, known: &Arc<Knowledge>) -> Coverage {
        Coverage {
            threshold: params.float("threshold"),
            least: params.float("least").min(params.float("threshold")),
            length_threshold: params.float("length_threshold"),
            prose: (params.float("prose") * 1000.0).round() as u64,
            many: params.int("many"),
            width: params.int("width"),
            sample: params.int("sample"),
            verify: params.choice("verify") == "exact",
            known: Arc::clone(known),
        }
    }

    /// Hashes below this are in the sample.
    fn below(&self) -> u64 {
        u64::MAX / self.sample as u64
    }

    /// The grams of a text, ascending, none twice.
    fn all(&self, text: &Text) -> Vec<u64> {
        let mut all = Vec::with_capacity(text.folded.len() / 4);
        grams(text, self.width, |gram, _, _| all.push(gram));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many of these ascending grams are in the sample: they come first.
    fn sampled(&self, all: &[u64]) -> usize {
        let below = all.partition_point(|&gram| gram < self.below());
        below.max(FEWEST).min(all.len())
    }

    /// The sample of a text, ascending, none twice.
    fn sample_of(&self, text: &Text) -> Vec<u64> {
        let (mut sample, below) = (Vec::new(), self.below());
        grams(text, self.width, |gram, _, _| {
            if gram < below {
                sample.push(gram);
            }
        });
        sample.sort_unstable();
        sample.dedup();
        if sample.len() < FEWEST {
            sample = self.all(text);
            sample.truncate(FEWEST);
        }
        sample
    }

    /// The part of two samples that both pages would have kept: where a page is so short that it kept grams beyond the
    /// fixed share of hashes, the other page's sample ends earlier.
    fn comparable<'a>(&self, a: &'a [u64], b: &'a [u64]) -> (&'a [u64], &'a [u64]) {
        let reach = |sample: &[u64]| match sample.last() {
            Some(&last) if last >= self.below() => last,
            _ => self.below(),
        };
        let end = reach(a).min(reach(b));
        let cut = |sample: &'a [u64]| &sample[..sample.partition_point(|&gram| gram <= end)];
        (cut(a), cut(b))
    }

    /// Counts two samples; all grams are estimated from them.
    fn estimate(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Counts {
        let of_smaller = |sketch: SketchRef<'_>| {
            let prose = sketch.extra.first().copied();
            (sketch.keys.len(), prose.unwrap_or_default())
        };
        let (_, prose) = of_smaller(a).min(of_smaller(b));
        // Both lose their ends only, so that places stay what they are.
        let (left, right) = self.comparable(a.keys, b.keys);
        let rare = |sketch: SketchRef<'_>, kept: &[u64]| {
            let places = 0..kept.len();
            places.filter(|&place| !sketch.is_common(place)).count()
        };
        let (mut sampled_shared, mut rare_shared) = (0, 0);
        for (place, _) in shared_positions(left, right) {
            sampled_shared += 1;
            rare_shared += usize::from(!a.is_common(place));
        }
        Counts {
            a: left.len() * self.sample,
            b: right.len() * self.sample,
            shared: sampled_shared * self.sample,
            sampled: left.len().min(right.len()),
            sampled_shared,
            rare: rare(a, left).min(rare(b, right)),
            rare_shared,
            prose,
        }
    }

    /// Exact counts, from two proofs. Which grams are common is counted on the samples only.
    fn exact(&self, a: &[u64], b: &[u64]) -> Counts {
        let (Some((&prose_a, a)), Some((&prose_b, b))) = (a.split_first(), b.split_first()) else {
            return Counts::default();
        };
        let [left, right] = [a, b].map(|all| &all[..self.sampled(all)]);
        let flags = |sample: &[u64]| -> Vec<bool> {
            let flags = sample.iter().map(|gram| gram & COMMON != 0);
            flags.collect()
        };
        let (left_flags, right_flags) = (flags(left), flags(right));
        let sample = |keys, common| SketchRef {
            keys,
            marks: &[],
            extra: &[],
            common,
        };
        let (_, prose) = (a.len(), prose_a).min((b.len(), prose_b));
        Counts {
            a: a.len(),
            b: b.len(),
            shared: count_shared(a, b),
            prose,
            ..self.estimate(sample(left, &left_flags), sample(right, &right_flags))
        }
    }

    /// How far an estimate from `n` sampled grams may be off.
    fn slack(&self, n: usize) -> f64 {
        match self.verify {
            true => ERRORS * 0.5 / (n.max(1) as f64).sqrt(),
            false => 0.0,
        }
    }

    /// The verdict that follows from these counts, if coverages may be short of the truth by `slack`.
    fn verdict(&self, counts: &Counts, slack: f64, trace: &mut Trace) -> Option<Verdict> {
        let is_rare = self.is_rare(counts, slack, trace);
        let is_evidence = is_rare || self.is_evidence(counts, slack, trace);
        let least = if is_rare { self.least } else { self.threshold };
        let least = reaching(counts.coverage(), slack, least).1;
        // Nothing in common is never enough.
        let smaller = counts.a.min(counts.b);
        let least = least.max(ratio(1, smaller.max(1)));
        let coverage = "runs of words that both pages have over those of the smaller page";
        let coverage = Check::ratio("coverage", coverage, counts.shared, smaller, least);
        let similarity = coverage.value;
        let is_covered = trace.test(coverage);
        let clr = "length ratio: shingles of the smaller page over those of the larger";
        let (sizes, least) = ((counts.a, counts.b), self.length_threshold);
        let (relation, length_ratio) = trace.by_length("length ratio", clr, sizes, least);
        (is_evidence && is_covered).then(|| Verdict {
            relation,
            similarity,
            length_ratio,
            shared: u32::try_from(counts.shared).unwrap_or(u32::MAX),
            shared_chars: 0,
        })
    }

    /// Whether text that is rare in the collection is evidence by itself.
    fn is_rare(&self, counts: &Counts, slack: f64, trace: &mut Trace) -> bool {
        let runs = "runs of words in the smaller sample that are rare in the collection";
        let least = FEWEST_RARE.min(counts.sampled) as f64;
        let runs = Check::number("rare runs", runs, counts.rare, Op::AtLeast, least);
        if !trace.test(runs.deciding("their coverage counts", "too few to be evidence")) {
            return false;
        }
        let rare = "containment of the shingles that are rare in the collection";
        let (value, least) = reaching(counts.rare_coverage(), slack, self.threshold);
        let rare = Check::value("rare", rare, value).against(Op::AtLeast, least);
        trace.test(rare.deciding("evidence enough", "look for other evidence"))
    }

    /// Whether all text is evidence, common text included.
    fn is_evidence(&self, counts: &Counts, slack: f64, trace: &mut Trace) -> bool {
        let prose =
            "thousandths of the smaller page in full sentences; common text of articles counts";
        let (value, least) = (counts.prose as usize, self.prose as f64);
        let prose = Check::number("prose", prose, value, Op::AtLeast, least);
        let article = "an article: common text of more than a line counts";
        let other = "common text counts if it is more than any template has";
        let is_article = trace.test(prose.deciding(article, other));
        let least = match is_article {
            true => self.many.min(FEWEST_COMMON),
            false => self.many,
        };
        // A number scaled up from a sample may be off by as many standard errors.
        let error = match slack > 0.0 {
            true => ERRORS * ((counts.shared * self.sample) as f64).sqrt(),
            false => 0.0,
        };
        let (_, least) = reaching(counts.shared as f64, error, least as f64);
        let (count, least) = (counts.shared, least.ceil());
        let shared = "runs that both pages have, common ones too; fewer are no evidence where rare text is none";
        trace.test(Check::number("shared", shared, count, Op::AtLeast, least))
    }
}

/// A value, and what it must reach so that with `slack` it reaches `threshold`: their difference. Neither is told below
/// 0, and where the difference is rounded to the wrong side, the sum decides.
fn reaching(value: f64, slack: f64, threshold: f64) -> (f64, f64) {
    let reaches = value + slack >= threshold;
    let (value, least) = (value.max(0.0), (threshold - slack).max(0.0));
    match reaches {
        true => (value, least.min(value)),
        false => (value, least.max(value.next_up())),
    }
}

impl Method for Coverage {
    fn sketch(&self, text: &Text) -> Sketch {
        let keys = self.sample_of(text);
        if keys.is_empty() {
            return Sketch::default();
        }
        Sketch {
            keys,
            extra: vec![prose(text)],
            ..Sketch::default()
        }
    }

    fn bounds(&self, keys: usize) -> Bounds {
        if keys <= FEWEST {
            return Bounds::overlap(1);
        }
        let least = (self.least - self.slack(keys)) * keys as f64;
        // Rounding must not ask for more than `compare` does.
        Bounds::overlap((least - 1e-6).ceil() as usize)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let counts = self.estimate(a, b);
        let verdict = self.verdict(&counts, self.slack(counts.sampled), trace)?;
        Some(Verdict {
            shared: counts.sampled_shared as u32,
            ..verdict
        })
    }

    fn verifier(&self) -> Option<&dyn Verifier> {
        self.verify.then_some(self)
    }

    fn spots(&self, text: &Text) -> Vec<Spot> {
        let sample = self.sample_of(text);
        let mut spots = Vec::new();
        grams(text, self.width, |key, start, end| {
            if sample.binary_search(&key).is_ok() {
                spots.push(Spot {
                    key,
                    start,
                    end,
                    label: None,
                });
            }
        });
        spots
    }
}

impl Verifier for Coverage {
    /// How much is prose, then all grams, ascending; those that are common with [`COMMON`].
    fn proof(&self, text: &Text) -> Vec<u64> {
        let mut proof = self.all(text);
        // Not those of the sample only: what is in a short text's sample may be beyond a longer text's.
        for gram in &mut proof {
            if self.known.is_common(*gram) {
                *gram |= COMMON;
            }
        }
        proof.insert(0, prose(text));
        proof.shrink_to_fit();
        proof
    }

    fn verify(&self, a: &[u64], b: &[u64], trace: &mut Trace) -> Option<Verdict> {
        self.verdict(&self.exact(a, b), 0.0, trace)
    }
}
