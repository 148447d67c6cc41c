//! The model: the only judge.
//!
//! A model is a configuration, a method and what was learnt from a collection. Batch runs, `explain`, and whatever else
//! wants to know what two pages are to each other, ask one. Models are frozen: learning makes a new one.

mod agree;
mod options;
mod saved;
mod unit;

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use options::text_options;
pub use unit::{StoredUnit, Unit, Units};

use crate::config::JudgeConfig;
use crate::error::{Error, Result};
use crate::ids::UnitNo;
use crate::knowledge::{Census, Knowledge};
use crate::method::{
    self, Check, Keyword, Learns, Method, MethodInfo, Op, Sieve, Spot, Trace, Verifier,
};
use crate::page::Page;
use crate::param::Params;
use crate::relation::{Relation, Verdict};
use crate::sketch::{Bounds, Sketch, SketchRef, shared_positions};
use crate::text::{Text, TextOptions, text_hash, text_of};

/// A configuration, its method, and what was learnt from a collection. Cheap to clone.
///
/// ```
/// use retold::{JudgeConfig, Judgement, Model, Page};
///
/// let model = Model::new(JudgeConfig::default())?;
/// let sketch = |page: &Page| model.sketch(&model.text(page).unwrap(), None);
/// let text = "The ferry left the harbour in the morning and came back late at night.";
/// let [a, b] = [Page::text("a", text), Page::text("b", text)].map(|page| sketch(&page));
/// assert!(matches!(model.judge(&a?, &b?), Judgement::Yes(verdict) if verdict.similarity == 1.0));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone)]
pub struct Model(Arc<Inner>);

struct Inner {
    config: JudgeConfig,
    info: &'static MethodInfo,
    params: Params,
    text: TextOptions,
    /// `None` until something was learnt.
    knowledge: Option<Arc<Knowledge>>,
    method: Box<dyn Method>,
    /// The common keys of `knowledge`, to look up.
    common: FxHashSet<u64>,
    /// When common keys are evidence, if the model asks for some.
    evidence: Option<Evidence>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Model");
        shown.field("config", &self.0.config);
        shown.field("texts", &self.knowledge().map(|known| known.texts));
        shown.finish_non_exhaustive()
    }
}

/// When a pair that shares common keys is accepted (METHODS §1.2, our own).
///
/// The method's own rule must hold for the whole sketches. Beyond that, one of three: it holds as well for what is left
/// of both sketches without the common keys; or the sentences that the pages share are at least `cover` of the shorter
/// text; or there are `many` of them, more than a disclaimer has.
#[derive(Clone, Copy)]
struct Evidence {
    cover: f64,
    many: u32,
}

/// The verdict of a model on two sketches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Judgement {
    /// They are not related.
    No,
    /// This is what the first page is to the second.
    Yes(Verdict),
    /// They seem to be related in this way; the texts decide ([`Model::verify`]).
    Doubt(Verdict),
}

impl Judgement {
    /// The same with the pages swapped.
    pub fn swapped(self) -> Judgement {
        match self {
            Judgement::No => Judgement::No,
            Judgement::Yes(verdict) => Judgement::Yes(verdict.swapped()),
            Judgement::Doubt(verdict) => Judgement::Doubt(verdict.swapped()),
        }
    }
}

/// The verdict on two units, and for which of their pages it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relating {
    /// What the first unit is to the second.
    pub verdict: Verdict,
    /// It holds if the shorter of the two pages has at most this many own characters ([`Sketch::own_chars`]).
    pub up_to: u64,
}

/// Keys by which related pages find each other: of two related pages, the one of the smaller `size` (of equals, either) has a
/// key in `prefix` that the other has in `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probes {
    /// What the method takes for the size of its sketch; see [`Model::size`].
    pub size: usize,
    /// Keys under which the page is found by larger ones, and by which it finds them.
    pub prefix: Vec<u64>,
    /// All its keys.
    pub all: Vec<u64>,
}

impl Model {
    /// A model that knows of no collection yet.
    ///
    /// Errors: an unknown method or parameter, a value out of range, an extraction that is not built in, a word file that cannot be read.
    pub fn new(config: JudgeConfig) -> Result<Model> {
        Model::knowing(config, None)
    }

    /// A model that knows this, or what [`JudgeConfig::knowledge`] holds.
    fn knowing(mut config: JudgeConfig, mut known: Option<Knowledge>) -> Result<Model> {
        let info = method::find(&config.method)?;
        let params = info.resolve(&config.params)?;
        let text = text_options(&mut config, info, &params)?;
        config.params = params.settings();
        config.extract = text.extract;
        if known.is_none()
            && let Some(file) = &mut config.knowledge
        {
            known = Some(saved::learnt_elsewhere(file, info)?);
        }
        Ok(Model::build(
            config,
            info,
            params,
            text,
            known.map(Arc::new),
        ))
    }

    fn build(
        config: JudgeConfig,
        info: &'static MethodInfo,
        params: Params,
        text: TextOptions,
        knowledge: Option<Arc<Knowledge>>,
    ) -> Model {
        let known = knowledge.clone().unwrap_or_default();
        let asks = matches!(info.learns, Learns::Noise) && !known.common.is_empty();
        Model(Arc::new(Inner {
            method: (info.build)(&params, &known),
            common: known.common.iter().copied().collect(),
            evidence: asks.then(|| Evidence {
                cover: params.float("cover"),
                many: u32::try_from(params.int("many")).unwrap_or(u32::MAX),
            }),
            config,
            info,
            params,
            text,
            knowledge,
        }))
    }

    /// The same model with other knowledge: a new epoch.
    pub fn learn(&self, known: Knowledge) -> Model {
        let Inner {
            config,
            info,
            params,
            text,
            ..
        } = &*self.0;
        let known = Some(Arc::new(known));
        Model::build(config.clone(), info, params.clone(), text.clone(), known)
    }

    /// The configuration, in which nothing is left open: all parameters, what methods see, hashes of word files.
    pub fn config(&self) -> &JudgeConfig {
        &self.0.config
    }

    /// What is said of the method in the table of methods.
    pub fn method(&self) -> &'static MethodInfo {
        self.0.info
    }

    /// The method's parameters.
    pub fn params(&self) -> &Params {
        &self.0.params
    }

    /// What was learnt; `None` if nothing was.
    pub fn knowledge(&self) -> Option<&Knowledge> {
        self.0.knowledge.as_deref()
    }

    /// How pages become texts.
    pub fn text_options(&self) -> &TextOptions {
        &self.0.text
    }

    /// The text of a page.
    ///
    /// Errors: [`Error::Unreadable`], the reason for a reject.
    pub fn text(&self, page: &Page) -> Result<Text> {
        text_of(page, &self.0.text).map_err(Error::Unreadable)
    }

    /// True if the model must be taught words ([`Model::words`]) before it can sketch.
    pub fn wants_words(&self) -> bool {
        matches!(self.0.info.learns, Learns::Words(_)) && self.0.knowledge.is_none()
    }

    /// The features of a text whose document frequencies the method weighs by, none twice.
    pub fn words(&self, text: &Text) -> Vec<u64> {
        match self.0.info.learns {
            Learns::Words(words) => words(&self.0.params, text),
            _ => Vec::new(),
        }
    }

    /// What there is to learn from the sketches of a collection; `None` if the method learns nothing from sketches.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn knowledge_of(&self, census: &Census<'_>) -> Result<Option<Knowledge>> {
        match self.0.info.learns {
            Learns::Common => Knowledge::of_common(census, &self.0.params).map(Some),
            Learns::Noise => Knowledge::of_noise(census, &self.0.params).map(Some),
            Learns::Nothing | Learns::Words(_) => Ok(None),
        }
    }

    /// The sketch of a text. Of equal texts on one site it is always the same; what was learnt has no influence, unless the
    /// method weighs words ([`Learns::Words`]).
    ///
    /// Errors: the method weighs words and knows none.
    pub fn sketch(&self, text: &Text, site: Option<&str>) -> Result<Sketch> {
        if self.wants_words() {
            return Err(Error::Usage(format!(
                "method {} weighs words by a collection and knows none: let it learn one first",
                self.0.info.name
            )));
        }
        let sketch = self.0.method.sketch(text);
        Ok(Sketch {
            site: site.map(str::to_owned),
            ..with_facts(sketch, text)
        })
    }

    /// [`Model::sketch`] without a site. The draft of the text's proof is added to `drafts`, if the method makes one; whether it does.
    pub(crate) fn sketch_and_draft(
        &self,
        text: &Text,
        drafts: &mut Vec<u64>,
    ) -> Result<(Sketch, bool)> {
        let both = self.verifier();
        match both.and_then(|verifier| verifier.sketch_and_draft(text, drafts)) {
            Some(sketch) => Ok((with_facts(sketch, text), true)),
            None => Ok((self.sketch(text, None)?, false)),
        }
    }

    /// What two pages are to each other, as far as sketches tell. Symmetric: swapping them swaps `contains` and
    /// `contained_by` only.
    pub fn judge(&self, a: &Sketch, b: &Sketch) -> Judgement {
        self.judge_traced(a, b, &mut Trace::off())
    }

    /// The same; `trace` is shown every test that decided.
    pub fn judge_traced(&self, a: &Sketch, b: &Sketch, trace: &mut Trace) -> Judgement {
        self.judge_unit((a, &self.unit(a)), b, trace)
    }

    /// The same given the first sketch's unit, for one sketch against many.
    pub fn judge_unit(
        &self,
        (a, x): (&Sketch, &Units),
        b: &Sketch,
        trace: &mut Trace,
    ) -> Judgement {
        if self.0.config.exact && a.text.is_some() && a.text == b.text {
            return Judgement::Yes(copy((a.keys.len(), a.chars), (b.keys.len(), b.chars)));
        }
        let y = self.unit(b);
        let (x, y) = (x.get(UnitNo(0)), y.get(UnitNo(0)));
        match self.relate(x.as_ref(), y.as_ref(), trace) {
            Some(relating) => self.conclude(&relating, || a.own_chars.min(b.own_chars), trace),
            None => Judgement::No,
        }
    }

    /// The verdict on two units, `None` if no two of their pages are related.
    pub fn relate(&self, a: Unit<'_>, b: Unit<'_>, trace: &mut Trace) -> Option<Relating> {
        let verdict = self.0.method.compare(a.whole, b.whole, trace)?;
        let up_to = match self.0.evidence {
            Some(evidence) => self.believed(evidence, &verdict, (a, b), trace),
            None => u64::MAX,
        };
        Some(Relating { verdict, up_to })
    }

    /// What tells of many units beside this one how similar they are at the most; see [`Method::sieve`].
    pub(crate) fn sieve(&self, unit: Unit<'_>) -> Option<Sieve<'_>> {
        self.0.method.sieve(unit.whole)
    }

    /// Up to which length of the shorter page the verdict is believed.
    fn believed(
        &self,
        evidence: Evidence,
        verdict: &Verdict,
        (a, b): (Unit<'_>, Unit<'_>),
        trace: &mut Trace,
    ) -> u64 {
        let mut shared = shared_positions(a.whole.keys, b.whole.keys);
        if !shared.any(|(i, _)| a.whole.is_common(i)) {
            return u64::MAX;
        }
        let outcome = ("evidence enough", "look for other evidence");
        let many = Check::number(
            "evidence: shared",
            "shared features; common ones are no evidence unless there are many",
            verdict.shared as usize,
            Op::AtLeast,
            f64::from(evidence.many),
        );
        if trace.test(many.deciding(outcome.0, outcome.1)) {
            return u64::MAX;
        }
        let alone = self.0.method.compare(a.rare, b.rare, &mut Trace::off());
        let alone = Check::number(
            "evidence: rare features alone",
            "whether the rare shared features alone relate the pages (1) or not (0)",
            alone.is_some().into(),
            Op::AtLeast,
            1.0,
        );
        if trace.test(alone.deciding(outcome.0, outcome.1)) {
            return u64::MAX;
        }
        (verdict.shared_chars as f64 / evidence.cover).floor() as u64
    }

    /// The judgement on two pages, given that on their units; `shorter`, which is not always asked, tells the smaller of their
    /// [`Sketch::own_chars`].
    pub fn conclude(
        &self,
        relating: &Relating,
        shorter: impl FnOnce() -> u64,
        trace: &mut Trace,
    ) -> Judgement {
        if relating.up_to < u64::MAX {
            let cover = Check::number(
                "evidence: length",
                "characters of the shorter page, its blocks of links left out; at most those of the shared sentences over \
                 `cover`",
                shorter() as usize,
                Op::AtMost,
                relating.up_to as f64,
            );
            if !trace.test(cover) {
                return Judgement::No;
            }
        }
        match self.verifier() {
            Some(_) => Judgement::Doubt(relating.verdict),
            None => Judgement::Yes(relating.verdict),
        }
    }

    /// The verdict on two texts of which sketches leave a doubt, `None` if they are not related.
    pub fn verify(&self, a: &Text, b: &Text) -> Option<Verdict> {
        self.verify_traced(a, b, &mut Trace::off())
    }

    /// The same; `trace` is shown every test that decided.
    pub fn verify_traced(&self, a: &Text, b: &Text, trace: &mut Trace) -> Option<Verdict> {
        let verifier = self.verifier()?;
        verifier.verify(&verifier.proof(a), &verifier.proof(b), trace)
    }

    /// What checks verdicts on texts, if the method wants that.
    pub fn verifier(&self) -> Option<&dyn Verifier> {
        self.0.method.verifier()
    }

    /// The size of a sketch with these keys; see [`Method::size`].
    pub fn size(&self, keys: &[u64]) -> usize {
        self.0.method.size(keys)
    }

    /// Whether a sketch is related to larger ones only if they share a key that is not common.
    pub(crate) fn needs_own(&self, sketch: SketchRef<'_>) -> bool {
        self.0.method.needs_own(sketch)
    }

    /// The least size of a sketch with so many keys.
    pub fn least_size(&self, keys: usize) -> usize {
        self.0.method.least_size(keys)
    }

    /// What related units must have in common, if the smaller one is of this size; see [`Method::bounds`].
    pub fn bounds(&self, size: usize) -> Bounds {
        self.0.method.bounds(size)
    }

    /// Keys by which related pages that are no exact copies find each other.
    pub fn probes(&self, sketch: &Sketch) -> Probes {
        let unit = self.unit(sketch);
        let unit = unit.get(UnitNo(0));
        let unit = unit.as_ref().whole;
        let mut places: Vec<usize> = (0..unit.keys.len()).collect();
        places.sort_by_key(|&place| unit.is_common(place));
        let size = self.size(unit.keys);
        let overlap = self.bounds(size).overlap.max(1);
        let prefix = (places.len() + 1).saturating_sub(overlap);
        Probes {
            size,
            prefix: places[..prefix]
                .iter()
                .map(|&place| unit.keys[place])
                .collect(),
            all: unit.keys.to_vec(),
        }
    }

    /// Where the keys of a text's sketch come from; see [`Method::spots`].
    pub fn spots(&self, text: &Text) -> Vec<Spot> {
        self.0.method.spots(text)
    }

    /// The words that stand for a text; see [`Method::keywords`].
    pub fn keywords(&self, text: &Text) -> Option<Vec<Keyword>> {
        self.0.method.keywords(text)
    }
}

/// What is kept of a text whatever the method.
pub(crate) fn facts(text: &Text) -> Sketch {
    let (chars, own_chars) = text.lengths();
    Sketch {
        text: text_hash(text),
        chars,
        own_chars,
        ..Sketch::default()
    }
}

/// A sketch as a method makes it, with what is kept of a text whatever the method.
fn with_facts(sketch: Sketch, text: &Text) -> Sketch {
    Sketch {
        keys: sketch.keys,
        marks: sketch.marks,
        extra: sketch.extra,
        ..facts(text)
    }
}

/// The verdict on exact copies, given the keys and the characters of each.
pub(crate) fn copy(a: (usize, u64), b: (usize, u64)) -> Verdict {
    Verdict {
        relation: Relation::Duplicate,
        similarity: 1.0,
        length_ratio: 1.0,
        shared: a.0.min(b.0) as u32,
        shared_chars: a.1.min(b.1),
    }
}

#[cfg(test)]
mod tests;
