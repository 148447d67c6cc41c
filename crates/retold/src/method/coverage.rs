//! The method `coverage`: how much of a page's text stands in another.

mod grams;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::{
    Check, Domain, Frequencies, Method, MethodInfo, Op, Param, Params, Sketch, SketchRef, Spot,
    count_shared, shared_positions,
};
use crate::relation::{Verdict, by_length, ratio};
use crate::text::{Extract, Text};
use grams::{COMMON, grams, prose};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "coverage",
    summary: "pages whose text stands in another: shared runs of words, templates and disclaimers told from articles",
    source: "ours, after Broder 1997 (containment) and CCDet 2013 (full stops tell body text from templates)",
    prunes: false,
    fits: true,
    extract: Extract::Main,
    params: &[
        Param {
            name: "threshold",
            domain: Domain::Float(0.65, 0.05, 1.0),
            help: "least share of the smaller page's text that the other page must have",
        },
        Param {
            name: "least",
            domain: Domain::Float(0.5, 0.0, 1.0),
            help: "least such share where text that is rare in the collection reaches the threshold by itself; the threshold \
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
            help: "text on more different pages than this is common, and no evidence by itself",
        },
        Param {
            name: "min_texts",
            domain: Domain::Int(100, 0, 1_000_000),
            help: "in a collection of fewer different texts nothing is common",
        },
        Param {
            name: "prose",
            domain: Domain::Float(0.8, 0.0, 1.0),
            help: "share of text in full sentences from which on a page is an article, whose common text counts",
        },
        Param {
            name: "many",
            domain: Domain::Int(2000, 1, 1_000_000_000),
            help: "so many shared words (characters, in scripts without spaces) are no template, however common",
        },
        Param {
            name: "width",
            domain: Domain::Int(8, 1, 100),
            help: "words (characters, in scripts without spaces) in a run",
        },
        Param {
            name: "sample",
            domain: Domain::Int(14, 1, 1024),
            help: "one run in so many is kept in the sketch",
        },
        Param {
            name: "verify",
            domain: Domain::Choice("exact", &["exact", "off"]),
            help: "whether candidates are checked on their texts, or believed as the sketches estimate them",
        },
    ],
    build: |params| Box::new(Coverage::new(params)),
};

/// Coverage: one page repeats another if most of its text stands there, word for word.
///
/// # What it finds
/// Reprints, edited and shortened copies, and pages that stand whole in a longer one, in any language; with and
/// without full stops.
///
/// # How
/// A page is the set of its grams: all runs of `width` words (of single characters in scripts without spaces). The
/// coverage of two pages is |a ∩ b| / min(|a|, |b|). A sketch is the grams whose hash falls into a fixed 1/`sample`
/// of all hashes, at least the four smallest; two pages are candidates if their estimated coverage is not surely too
/// small. Candidates are read again and their coverage is computed exactly.
///
/// A gram on more than `common_df` different texts is common: it may be a disclaimer as well as a much quoted
/// statement. Two pages are related if the rest, what is rare, covers the smaller page's rare text to `threshold` (and
/// all text to `least`); or if all text does so, and the smaller page is an article, that is, `prose` of it stands in
/// sentences with a full stop (templates, menus and adverts do without) and 50 grams are shared, or the pages share
/// `many` grams. Document
/// frequencies are those of sampled grams, counted once and frozen.
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
    common_df: u32,
    min_texts: u64,
    /// Thousandths.
    prose: u64,
    many: usize,
    width: usize,
    sample: usize,
    verify: bool,
    frequencies: Option<Arc<Frequencies>>,
}

/// A sketch has at least so many grams, if the page has.
const FEWEST: usize = 4;
/// So many sampled grams must be rare for their coverage to say something (fewer if the sample has no more).
const FEWEST_RARE: usize = 4;
/// Common text counts as evidence from this many shared grams on: a statement, not a line at the foot of a page.
const FEWEST_COMMON: usize = 50;
/// How many standard errors an estimate may lie below what is needed before the texts are not even looked at.
const ERRORS: f64 = 3.0;

/// What is counted on two pages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    /// Grams of the first page, of the second, and of both.
    a: usize,
    b: usize,
    shared: usize,
    /// Grams of the smaller of the two samples, as far as both reach, and of both.
    sampled: usize,
    sampled_shared: usize,
    /// The same without the common grams.
    rare: usize,
    rare_shared: usize,
    /// Thousandths of the smaller page that are prose.
    prose: u64,
}

impl Counts {
    /// The share of the smaller page that stands in the other.
    fn coverage(&self) -> f64 {
        ratio(self.shared, self.a.min(self.b))
    }

    /// The same of what is rare in the collection. Only sampled grams are known to be rare or common; but what the
    /// sample says of all grams is off by about as much as what it says of the rare ones, and that is known.
    fn rare_coverage(&self) -> f64 {
        let error = ratio(self.sampled_shared, self.sampled) - self.coverage();
        ratio(self.rare_shared, self.rare) - error
    }
}

impl Coverage {
    fn new(params: &Params) -> Coverage {
        Coverage {
            threshold: params.float("threshold"),
            least: params.float("least").min(params.float("threshold")),
            length_threshold: params.float("length_threshold"),
            common_df: params.int("common_df") as u32,
            min_texts: params.int("min_texts") as u64,
            prose: (params.float("prose") * 1000.0).round() as u64,
            many: params.int("many"),
            width: params.int("width"),
            sample: params.int("sample"),
            verify: params.choice("verify") == "exact",
            frequencies: None,
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

    /// Flags the grams that are common in the collection.
    fn flag(&self, grams: &mut [u64]) {
        let Some(frequencies) = &self.frequencies else {
            return;
        };
        if frequencies.texts() < self.min_texts {
            return;
        }
        for gram in grams {
            if frequencies.df(*gram) > self.common_df {
                *gram |= COMMON;
            }
        }
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
    fn count(&self, (a, b): (&[u64], &[u64]), prose: (u64, u64)) -> Counts {
        let smaller_prose = match (a.len(), prose.0) <= (b.len(), prose.1) {
            true => prose.0,
            false => prose.1,
        };
        let (a, b) = self.comparable(a, b);
        let is_rare = |gram: u64| gram & COMMON == 0;
        let rare = |sample: &[u64]| sample.iter().filter(|&&gram| is_rare(gram)).count();
        let (mut sampled_shared, mut rare_shared) = (0, 0);
        for (i, _) in shared_positions(a, b) {
            sampled_shared += 1;
            rare_shared += usize::from(is_rare(a[i]));
        }
        Counts {
            a: a.len() * self.sample,
            b: b.len() * self.sample,
            shared: sampled_shared * self.sample,
            sampled: a.len().min(b.len()),
            sampled_shared,
            rare: rare(a).min(rare(b)),
            rare_shared,
            prose: smaller_prose,
        }
    }

    /// Estimates from two sketches.
    fn estimate(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Counts {
        let prose = |sketch: SketchRef<'_>| sketch.evidence.first().copied().unwrap_or_default();
        self.count((a.keys, b.keys), (prose(a), prose(b)))
    }

    /// Exact counts, from two proofs. Which grams are common is known of the samples only.
    fn exact(&self, a: &[u64], b: &[u64]) -> Counts {
        let (Some((&prose_a, a)), Some((&prose_b, b))) = (a.split_first(), b.split_first()) else {
            return Counts::default();
        };
        let samples = (&a[..self.sampled(a)], &b[..self.sampled(b)]);
        let smaller = (a.len(), prose_a).min((b.len(), prose_b));
        Counts {
            a: a.len(),
            b: b.len(),
            shared: count_shared(a, b),
            prose: smaller.1,
            ..self.count(samples, (prose_a, prose_b))
        }
    }

    /// Whether these counts relate two pages, if coverages may be short of the truth by `slack`.
    fn relates(&self, counts: &Counts, slack: f64) -> bool {
        let coverage = counts.coverage() + slack;
        let rare = coverage >= self.least
            && counts.rare >= FEWEST_RARE.min(counts.sampled)
            && counts.rare_coverage() + slack >= self.threshold;
        rare || coverage >= self.threshold && self.counts_common(counts, slack)
    }

    /// Whether common text is evidence on these pages.
    fn counts_common(&self, counts: &Counts, slack: f64) -> bool {
        // A number scaled up from a sample may be off by as many standard errors.
        let error = match slack > 0.0 {
            true => ERRORS * ((counts.shared * self.sample) as f64).sqrt(),
            false => 0.0,
        };
        let shared = counts.shared as f64 + error;
        shared >= self.many as f64 || counts.prose >= self.prose && shared >= FEWEST_COMMON as f64
    }

    /// How far an estimate from `n` sampled grams may be off.
    fn slack(&self, n: usize) -> f64 {
        match self.verify {
            true => ERRORS * 0.5 / (n.max(1) as f64).sqrt(),
            false => 0.0,
        }
    }

    fn verdict(&self, counts: &Counts) -> Verdict {
        Verdict {
            relation: by_length(counts.a, counts.b, self.length_threshold),
            similarity: counts.coverage(),
            length_ratio: ratio(counts.a.min(counts.b), counts.a.max(counts.b)),
            shared: u32::try_from(counts.shared).unwrap_or(u32::MAX),
            shared_chars: 0,
        }
    }

    /// The tests behind a verdict, for people.
    fn tests(&self, counts: &Counts, slack: f64) -> Vec<Check> {
        let (smaller, larger) = (counts.a.min(counts.b), counts.a.max(counts.b));
        let rare = "coverage by text that is rare in the collection";
        let rare = Check::value("rare", rare, counts.rare_coverage());
        let rare = rare.against(Op::AtLeast, self.threshold - slack);
        let enough = rare.holds() && counts.rare >= FEWEST_RARE.min(counts.sampled);
        let mut checks = vec![rare.deciding("evidence enough", "look for other evidence")];
        if !enough {
            let outcome = ("common text counts", "common text does not count by itself");
            let prose = "thousandths of the smaller page in full sentences; an article's common text counts";
            let (value, least) = (counts.prose as usize, self.prose as f64);
            let prose = Check::number("prose", prose, value, Op::AtLeast, least);
            checks.push(prose.deciding(outcome.0, outcome.1));
            let shared = "runs that both pages have; an article's count if they are more than a line, and so many are no \
                          template anywhere";
            let least = match counts.prose >= self.prose {
                true => FEWEST_COMMON,
                false => self.many,
            };
            let shared = Check::number("shared", shared, counts.shared, Op::AtLeast, least as f64);
            checks.push(shared.deciding(outcome.0, outcome.1));
        }
        let coverage = "runs of words that both pages have over those of the smaller page (more than 1 is asked for \
                        where there is no evidence)";
        let needed = match (enough, self.counts_common(counts, slack)) {
            (true, _) => self.least - slack,
            (false, true) => self.threshold - slack,
            (false, false) => 2.0,
        }
        .max(f64::MIN_POSITIVE);
        let shared = counts.shared;
        checks.push(Check::ratio("coverage", coverage, shared, smaller, needed));
        let clr = "length ratio: runs of words of the smaller page over those of the larger";
        let clr = Check::ratio("length ratio", clr, smaller, larger, self.length_threshold);
        checks.push(clr.deciding("duplicate", "the larger contains the smaller"));
        checks
    }
}

impl Method for Coverage {
    fn sketch(&self, text: &Text) -> Sketch {
        let mut keys = self.sample_of(text);
        if keys.is_empty() {
            return Sketch::default();
        }
        self.flag(&mut keys);
        Sketch {
            keys,
            marks: Vec::new(),
            evidence: vec![prose(text)],
        }
    }

    fn overlap(&self, keys: usize) -> usize {
        if keys <= FEWEST {
            return 1;
        }
        let least = (self.least - self.slack(keys)) * keys as f64;
        // Rounding must not ask for more than `compare` does.
        (least - 1e-6).ceil().max(1.0) as usize
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Option<Verdict> {
        let counts = self.estimate(a, b);
        let slack = self.slack(counts.sampled);
        (counts.sampled_shared > 0 && self.relates(&counts, slack)).then(|| Verdict {
            shared: counts.sampled_shared as u32,
            ..self.verdict(&counts)
        })
    }

    fn counted(&self, text: &Text) -> Vec<u64> {
        self.sample_of(text)
    }

    fn counts_keys(&self) -> bool {
        true
    }

    fn settle(&self, sketch: SketchRef<'_>) -> Sketch {
        let mut sketch = sketch.to_owned();
        self.flag(&mut sketch.keys);
        sketch
    }

    fn fit(&mut self, frequencies: Arc<Frequencies>) {
        self.frequencies = Some(frequencies);
    }

    fn in_doubt(&self, _similarity: f64) -> bool {
        self.verify
    }

    /// How much is prose, then all grams, ascending.
    fn proof(&self, text: &Text) -> Vec<u64> {
        let mut proof = self.all(text);
        self.flag(&mut proof);
        proof.insert(0, prose(text));
        proof.shrink_to_fit();
        proof
    }

    fn verify(&self, a: &[u64], b: &[u64]) -> Option<Verdict> {
        let counts = self.exact(a, b);
        (counts.shared > 0 && self.relates(&counts, 0.0)).then(|| self.verdict(&counts))
    }

    fn verify_checks(&self, a: &[u64], b: &[u64]) -> Vec<Check> {
        self.tests(&self.exact(a, b), 0.0)
    }

    fn checks(&self, a: SketchRef<'_>, b: SketchRef<'_>) -> Vec<Check> {
        let counts = self.estimate(a, b);
        self.tests(&counts, self.slack(counts.sampled))
    }

    fn spots(&self, text: &Text) -> Vec<Spot> {
        let keys = self.sketch(text).keys;
        let mut spots = Vec::new();
        grams(text, self.width, |gram, start, end| {
            let key = [gram, gram | COMMON]
                .into_iter()
                .find(|key| keys.binary_search(key).is_ok());
            spots.extend(key.map(|key| Spot {
                key,
                start,
                end,
                label: None,
            }));
        });
        spots
    }

    fn least_similarity(&self) -> Option<f64> {
        Some(self.least)
    }

    fn judged_by(&self) -> &'static [&'static str] {
        &[
            "threshold",
            "least",
            "length_threshold",
            "prose",
            "many",
            "verify",
        ]
    }
}
