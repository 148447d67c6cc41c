//! The method `coverage`: how much of a page's text another page contains, and how the rest differs.

mod differences;
mod estimate;
mod grams;
mod places;
mod proof;
mod rest;
#[cfg(test)]
mod tests;
mod verify;

use std::sync::Arc;

use super::{
    Bounds, Check, Domain, Knowledge, Learns, Method, MethodInfo, Op, Param, Params, Sieve, Sketch,
    SketchRef, Spot, Trace, Verifier,
};
use crate::knowledge::Filter;
use crate::relation::{Verdict, ratio};
use crate::text::{Extract, Text};
use differences::Differences;
use grams::{Placed, grams, headline, prose, spellings, tokens};
use proof::Proof;
use rest::{Rest, Seen};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "coverage",
    summary: "pages whose text another page contains; what differs tells reprints from forms and templates",
    source: "our own, after Broder 1997 (containment) and CCDet 2013 (full stops mark body text)",
    learns: Learns::Common,
    extract: Extract::Main,
    params: &[
        Param {
            name: "threshold",
            domain: Domain::Float(0.6, 0.05, 1.0),
            help: "minimum coverage: share of the smaller page's runs of words that the other page has",
        },
        Param {
            name: "length_threshold",
            domain: Domain::Float(0.5, 0.0, 1.0),
            help: "least length ratio of duplicates; below it one page contains the other",
        },
        Param {
            name: "gaps",
            domain: Domain::Float(0.15, 0.0, 1.0),
            help: "greatest share of the smaller page that stands in gaps between what both pages have",
        },
        Param {
            name: "replaced",
            domain: Domain::Float(0.15, 0.0, 1.0),
            help: "greatest share of the smaller page that is replaced by other words on the other page, both its own",
        },
        Param {
            name: "replaced_frequent",
            domain: Domain::Float(0.04, 0.0, 1.0),
            help: "the same where most of what both pages have is on many texts: forms have slots",
        },
        Param {
            name: "short",
            domain: Domain::Int(60, 0, 1_000_000),
            help: "pages of fewer words (characters, in scripts without spaces) are short",
        },
        Param {
            name: "short_replaced",
            domain: Domain::Float(0.02, 0.0, 1.0),
            help: "greatest share of a short page that is replaced, at its ends too",
        },
        Param {
            name: "common_df",
            domain: Domain::Int(10, 2, 1_000_000),
            help: "a shingle on at least this many texts is frequent, and may be a template's",
        },
        Param {
            name: "agreement",
            domain: Domain::Float(0.12, 0.0, 1.0),
            help: "a frequent shingle is a template's if fewer of the pairs of its pages agree in nearly all they have",
        },
        Param {
            name: "rest",
            domain: Domain::Float(0.4, 0.0, 1.0),
            help: "minimum coverage of what is no template's, for it to be evidence",
        },
        Param {
            name: "prose",
            domain: Domain::Float(0.8, 0.0, 1.0),
            help: "minimum share of text in full sentences of an article; what templates share counts there",
        },
        Param {
            name: "many",
            domain: Domain::Int(1_000_000_000, 1, 1_000_000_000),
            help: "with at least this many shared runs of words, what templates share counts on any page; 1000000000: never",
        },
        Param {
            name: "width",
            domain: Domain::Int(8, 1, 100),
            help: "words (characters, in scripts without spaces) in a shingle of the sketch",
        },
        Param {
            name: "sample",
            domain: Domain::Int(14, 1, 1024),
            help: "one shingle in this many is kept in the sketch",
        },
        Param {
            name: "run",
            domain: Domain::Int(5, 1, 100),
            help: "words (characters) in a run, of which verification compares all",
        },
        Param {
            name: "verify",
            domain: Domain::Choice("exact", &["exact", "off"]),
            help: "exact: verify candidates on their texts; off: accept the estimates of the sketches",
        },
    ],
    judged_by: &[
        "threshold",
        "length_threshold",
        "gaps",
        "replaced",
        "replaced_frequent",
        "short",
        "short_replaced",
        "rest",
        "prose",
        "many",
        "verify",
    ],
    reads_sentences: |_| true,
    least_similarity: |params| params.float("threshold"),
    build: |params, known| Box::new(Coverage::new(params, known)),
};

/// Coverage: a page repeats another if that has most of its text, word for word, and the rest does not contradict.
///
/// # What it finds
/// Reprints, edited and shortened copies, and pages contained in longer ones, in any language, in prose, lists, code and
/// poems, however many there are of them.
///
/// # How
/// A sketch is the grams of `width` words (single characters in scripts without spaces) whose hash falls into a fixed
/// 1/`sample` of all hashes, at least the sixteen smallest. Two pages are candidates if what their sketches share is not
/// surely too little. Candidates are judged on their texts. The coverage of two pages is the share of the smaller one's runs of
/// `run` words that the other has. What is not covered is looked at where it stands: a reprint differs before and behind
/// the shared text, or in scattered words; a form or a template has slots inside, which each page fills with words of its
/// own. So gaps inside (a fragment of a menu apart from the shared text is outside, and so is what follows a headline that both
/// pages have) may hold no more than `gaps` of the smaller page, and words that are replaced by others no more than
/// `replaced`, if both fillings are rare in the collection; where the shared text is on many texts, `replaced_frequent`. (And at both
/// ends `replaced`, if it may be a menu: the pages are of like length and no articles.) On a page of fewer than `short` words it is
/// `short_replaced`, at its ends too, but single ideographs may be others. So it is where templates leave fewer words than that, of these.
///
/// A gram on at least `common_df` different texts is frequent. It is a template's if few pairs of the pages that have it
/// agree in nearly everything: a family of reprints does, the users of a disclaimer, a menu or an advert do not. Both are
/// learnt once, from sketches, and frozen. What templates share is evidence only on articles, that is, where `prose` of the
/// smaller page stands in sentences with a full stop and 50 runs are shared; elsewhere `rest` of what is no template's has to be
/// shared too. (Or `many` runs, which is off: menus are long.)
///
/// # Misses
/// Copies in which every tenth word was changed. Articles that are less than `threshold` of both pages' text.
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
    length_threshold: f64,
    gaps: f64,
    replaced: f64,
    replaced_frequent: f64,
    short: usize,
    short_replaced: f64,
    rest: f64,
    /// Thousandths.
    prose: u64,
    many: usize,
    width: usize,
    sample: usize,
    run: usize,
    verify: bool,
    known: Arc<Knowledge>,
    /// The keys that it says something of.
    of_many: Filter,
}

/// Grams of the sample that are taken together.
const TAKEN: usize = 64;
/// Minimum number of grams in a sketch, if the page has as many.
const FEWEST: usize = 16;
/// Fewer keys are compared as soon as looked up; few in tests, which are small.
const FEWEST_SEEN: usize = if cfg!(test) { 1 } else { 48 };
/// Coverage of what is no template's from which on the templates around it count nothing.
const SURE_REST: f64 = 0.85;
/// Share of frequent keys among what two sketches share from which on a form is suspected.
const FREQUENT: f64 = 1.0 / 3.0;
/// As [`SURE_REST`], for pages of which templates are so much that their coverage is below the threshold ...
const LEAST_REST: f64 = 0.65;
/// ... but not below this share of it.
const LEAST: f64 = 5.0 / 6.0;
/// What articles share is evidence from this many runs on: a statement, not a line at the foot of a page.
const FEWEST_RUNS: usize = 50;

impl Coverage {
    fn new(params: &Params, known: &Arc<Knowledge>) -> Coverage {
        Coverage {
            threshold: params.float("threshold"),
            length_threshold: params.float("length_threshold"),
            gaps: params.float("gaps"),
            replaced: params.float("replaced"),
            replaced_frequent: params.float("replaced_frequent"),
            short: params.int("short"),
            short_replaced: params.float("short_replaced"),
            rest: params.float("rest"),
            prose: (params.float("prose") * 1000.0).round() as u64,
            many: params.int("many"),
            width: params.int("width"),
            sample: params.int("sample"),
            run: params.int("run"),
            verify: params.choice("verify") == "exact",
            known: Arc::clone(known),
            of_many: Filter::new(&[&known.common, &known.frequent, &known.several]),
        }
    }

    /// Hashes below this are in the sample.
    fn below(&self) -> u64 {
        u64::MAX / self.sample as u64
    }

    /// The sample of a text of these tokens, ascending, no key twice, each with the place where it stands first.
    fn sample_of(&self, tokens: &[Placed]) -> Vec<(u64, usize)> {
        let all = || grams(tokens, self.width).map(|gram| (gram.hash, gram.place));
        let settle = |sample: &mut Vec<(u64, usize)>| {
            sample.sort_by_key(|(hash, _)| *hash);
            sample.dedup_by_key(|(hash, _)| *hash);
        };
        let (below, mut sample) = (self.below(), Vec::with_capacity(tokens.len() / self.sample));
        // Which grams are sampled cannot be predicted, so without a branch: each takes the place of one that is not.
        let (mut taken, mut count) = ([(0, 0); TAKEN], 0);
        all().for_each(|gram| {
            taken[count % TAKEN] = gram;
            count += usize::from(gram.0 < below);
            if count == TAKEN {
                sample.extend_from_slice(&taken);
                count = 0;
            }
        });
        sample.extend_from_slice(&taken[..count]);
        settle(&mut sample);
        if sample.len() < FEWEST {
            sample = all().collect();
            settle(&mut sample);
            sample.truncate(FEWEST);
        }
        sample
    }

    fn sketch_of(sample: &[(u64, usize)], prose: u64) -> Sketch {
        if sample.is_empty() {
            return Sketch::default();
        }
        Sketch {
            keys: sample.iter().map(|(key, _)| *key).collect(),
            extra: vec![prose],
            ..Sketch::default()
        }
    }

    /// The sketch of a text; what [`Verifier::finish`] makes its proof of is added to `drafts`.
    fn sketch_with_draft(&self, text: &Text, drafts: &mut Vec<u64>) -> Sketch {
        let (tokens, prose) = (tokens(text), prose(text));
        let sample = self.sample_of(&tokens);
        let spelled = match tokens.len() < self.short {
            true => spellings(text, &tokens),
            false => Vec::new(),
        };
        let told = (&tokens[..], headline(text, &tokens), &spelled[..]);
        Proof::draft(prose, told, self.run, &sample, drafts);
        Coverage::sketch_of(&sample, prose)
    }

    /// Whether what two pages share is more than a template. `shared` runs may be short of the truth by `error`.
    fn is_evidence(
        &self,
        rest: &Rest,
        prose: u64,
        (shared, error): (usize, f64),
        trace: &mut Trace,
    ) -> bool {
        let told = "share of what is no template's that both sketches have";
        let value = rest.coverage(rest.fewest());
        let own = Check::value("rest", told, value).against(Op::AtLeast, self.rest);
        if trace.test(own.deciding("evidence enough", "what templates share has to be evidence")) {
            return true;
        }
        let told =
            "thousandths of the smaller page in full sentences; what articles share is evidence";
        let article = Check::number(
            "prose",
            told,
            prose as usize,
            Op::AtLeast,
            self.prose as f64,
        );
        let is_article = trace.test(article.deciding(
            "an article",
            "evidence only if it is more than any template has",
        ));
        let least = match is_article {
            true => self.many.min(FEWEST_RUNS),
            false => self.many,
        };
        let (_, least) = reaching(shared as f64, error, least as f64);
        let told = "runs of words that both pages have, those of templates too";
        trace.test(Check::number(
            "shared",
            told,
            shared,
            Op::AtLeast,
            least.ceil(),
        ))
    }

    /// Whether enough of the smaller page is covered.
    fn is_covered(&self, (shared, runs): (usize, usize), rest: &Rest, trace: &mut Trace) -> bool {
        let told = "runs of words that both pages have over those of the smaller page";
        // Nothing in common is never enough.
        let least = |threshold: f64| threshold.max(ratio(1, runs.max(1)));
        let (high, low) = (least(self.threshold), least(self.threshold * LEAST));
        let covered = Check::ratio("coverage", told, shared, runs, high);
        if covered.holds() || !rest.leaves_out() {
            return trace.test(covered);
        }
        trace.test(covered.deciding("enough", "enough only if what is no template's agrees"));
        let told = "share of what is no template's that both sketches have";
        let value = rest.coverage(rest::FEWEST);
        let own =
            Check::value("rest", told, value).against(Op::AtLeast, self.threshold.max(LEAST_REST));
        trace.test(own) && trace.test(Check::ratio("coverage", "the same", shared, runs, low))
    }

    /// Whether what differs is what reprints differ in.
    fn agrees(&self, differences: &Differences, rest: &Rest, trace: &mut Trace) -> bool {
        let tokens = differences.tokens;
        let at_most =
            |name, told, value, most| Check::value(name, told, value).against(Op::AtMost, most);
        let told = "share of the smaller page in gaps between what both pages have, but for lines behind the headline";
        let gaps = at_most("gaps", told, ratio(differences.gaps, tokens), self.gaps);
        if !trace.test(gaps) {
            return false;
        }
        let share = |replaced: usize| ratio(replaced, tokens) * differences.own;
        if tokens < self.short {
            let decides = [
                "no character may be spelled otherwise",
                "single characters may be spelled otherwise",
            ];
            let is_spelling = differences.variants > 0 && !Coverage::is_form(rest, decides, trace);
            let variants = if is_spelling { differences.variants } else { 0 };
            let told = "share of a short page that is replaced by words rare in the collection, at its ends too";
            let replaced = share(differences.replaced - variants);
            return trace.test(at_most("replaced", told, replaced, self.short_replaced));
        }
        let decides = ["hardly a word may be replaced", "words may be replaced"];
        let most = match Coverage::is_form(rest, decides, trace) {
            true => self.replaced_frequent,
            false => self.replaced,
        };
        let told = "share of the smaller page that is replaced by other words, both rare in the collection";
        trace.test(at_most("replaced", told, share(differences.replaced), most))
    }

    /// Whether what two pages share may be a form: much of it is on many texts. What that decides is told, and what the opposite does.
    fn is_form(rest: &Rest, [form, none]: [&'static str; 2], trace: &mut Trace) -> bool {
        let (frequent, shared) = match rest.coverage(rest.sampled / 3) >= SURE_REST {
            true => (rest.rest_frequent, rest.shared),
            false => (rest.frequent, rest.sampled_shared),
        };
        let told = "of what both sketches have, templates left out where the rest agrees, the share on many texts";
        let frequent =
            Check::value("frequent", told, ratio(frequent, shared)).against(Op::AtLeast, FREQUENT);
        trace.test(frequent.deciding(form, none))
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
        Coverage::sketch_of(&self.sample_of(&tokens(text)), prose(text))
    }

    /// Keys that any other page's sample reaches: two pages are compared on at least as many as the smaller one has of these.
    fn size(&self, keys: &[u64]) -> usize {
        keys.partition_point(|&key| key < self.below())
    }

    fn least_size(&self, keys: usize) -> usize {
        // Of so few all may be beyond the sample.
        if keys > FEWEST { keys } else { 0 }
    }

    fn bounds(&self, size: usize) -> Bounds {
        Bounds::overlap(self.least_shared(size))
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        // Where somebody wants to know, all is counted.
        let least = |size| match trace.is_on() {
            true => 0,
            false => self.least_shared(size),
        };
        let rest = Rest::of_sketches(a, b, self.below(), least)?;
        let value = self.estimate((a, b), &rest, trace)?;
        let sizes = (a.keys.len(), b.keys.len());
        let told = "length ratio: keys of the smaller sketch over those of the larger";
        let (relation, length_ratio) =
            trace.by_length("length ratio", told, sizes, self.length_threshold);
        Some(Verdict {
            relation,
            similarity: value,
            length_ratio,
            shared: rest.sampled_shared as u32,
            shared_chars: 0,
        })
    }

    fn may_reach(
        &self,
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        similarity: f64,
        length_ratio: f64,
    ) -> bool {
        let (smaller, larger) = (
            a.keys.len().min(b.keys.len()),
            a.keys.len().max(b.keys.len()),
        );
        ratio(smaller, larger) >= length_ratio
            && rest::may_reach(a.keys, b.keys, self.below(), similarity)
    }

    /// Pages that are no articles have no evidence without it, unless they share very many runs ([`Coverage::is_evidence`]).
    fn needs_own(&self, sketch: SketchRef<'_>) -> bool {
        let prose = sketch.extra.first().copied().unwrap_or_default();
        // Of pages of more keys than short ones keep, a larger one has no fewer; of as many, the one with less prose counts.
        let is_smaller = sketch.keys.len() > FEWEST;
        let (runs, error) = self.runs(sketch.keys.len());
        is_smaller
            && prose < self.prose
            && self.rest > 0.0
            && runs as f64 + error < self.many as f64
    }

    fn sieve(&self, sketch: SketchRef<'_>) -> Option<Sieve<'_>> {
        if sketch.keys.len() < FEWEST_SEEN {
            return None;
        }
        let seen = Seen::new(sketch);
        Some(Box::new(move |other| {
            let rest = Rest::at_most(&seen, other, self.below());
            self.estimate((seen.as_ref(), other), &rest, &mut Trace::off())
        }))
    }

    fn verifier(&self) -> Option<&dyn Verifier> {
        self.verify.then_some(self)
    }

    fn spots(&self, text: &Text) -> Vec<Spot> {
        let tokens = tokens(text);
        let sample = self.sample_of(&tokens);
        let is_sampled = |hash| sample.binary_search_by_key(&hash, |(key, _)| *key).is_ok();
        let sampled = grams(&tokens, self.width).filter(|gram| is_sampled(gram.hash));
        let spots = sampled.map(|gram| Spot {
            key: gram.hash,
            start: gram.bytes.0,
            end: gram.bytes.1,
            label: None,
        });
        spots.collect()
    }
}
