//! The model, which makes all judgements.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::file::{in_file, knowledge_in};
use super::judgement::{Judgement, Relating};
use super::pruned::{Pruned, PrunedSketches};
use crate::address::{ADDRESS, Address};
use crate::cluster::Prefer;
use crate::config::{Fold, JudgeConfig};
use crate::error::{Error, Result};
use crate::filter::Scope;
use crate::ids::PrunedNo;
use crate::knowledge::{Census, Knowledge, NoiseParams};
use crate::method::{
    self, Check, Highlight, Keyword, Learns, Method, MethodInfo, Op, Trace, UpperBound, Verifier,
};
use crate::page::Page;
use crate::param::Params;
use crate::relation::{Relation, Verdict};
use crate::sketch::{Bounds, Sketch, SketchRef, shared_positions};
use crate::text::language::user_stop_words;
use crate::text::synonyms::Synonyms;
use crate::text::tokenize::Tokenizer;
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
pub struct Model(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) config: JudgeConfig,
    pub(super) info: &'static MethodInfo,
    pub(super) params: Params,
    /// The defaults, if the method has no noise filter.
    pub(super) noise: NoiseParams,
    pub(super) text: TextOptions,
    /// The ranks of sites and sources ([`JudgeConfig::rank`]).
    pub(super) ranks: Arc<BTreeMap<String, u64>>,
    /// `None` before learning.
    pub(super) knowledge: Option<Arc<Knowledge>>,
    pub(super) method: Box<dyn Method>,
    /// The common keys of `knowledge`, for look-ups.
    pub(super) common: FxHashSet<u64>,
    /// The rule for common keys as evidence, if the method learns them.
    pub(super) evidence: Option<Evidence>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Model");
        shown.field("config", &self.0.config);
        shown.field("texts", &self.knowledge().map(|known| known.texts));
        shown.finish_non_exhaustive()
    }
}

/// When a pair that shares common keys is accepted (our own rule).
///
/// The method's rule must hold for the whole sketches. In addition, it must hold without the common keys, or the shared sentences must be
/// at least `cover` of the shorter text, or there must be `many` of them, more than a disclaimer has.
#[derive(Clone, Copy)]
pub(super) struct Evidence {
    cover: f64,
    many: u32,
}

/// Keys by which related pages find each other: of two related pages, the one with the smaller `size` (either, if equal) has a key in
/// `prefix` that the other has in `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probes {
    /// The size of the sketch; see [`Model::size`].
    pub size: usize,
    /// Keys by which larger pages find this one, and by which it finds them.
    pub prefix: Vec<u64>,
    /// All keys of the page.
    pub all: Vec<u64>,
}

impl Model {
    /// A model without knowledge.
    ///
    /// Errors: an unknown method or parameter, a value out of range, an extraction that is not built in, a word file that cannot be read.
    pub fn new(config: JudgeConfig) -> Result<Model> {
        Model::knowing(config, None)
    }

    /// A model with this knowledge, or that in [`JudgeConfig::knowledge`].
    pub(super) fn knowing(mut config: JudgeConfig, mut known: Option<Knowledge>) -> Result<Model> {
        let info = method::find_method(&config.method)?;
        let params = info.resolve(&config.params)?;
        let text = text_options(&mut config, info, &params)?;
        config.params = params.settings();
        config.extract = text.extract;
        let ranks = ranks(&mut config)?;
        config.read.more_fields = config.more_fields();
        if known.is_none()
            && let Some(file) = &mut config.knowledge
        {
            known = Some(knowledge_in(file, info)?);
        }
        Ok(Model::build(
            config,
            info,
            params,
            text,
            Arc::new(ranks),
            known.map(Arc::new),
        ))
    }

    fn build(
        config: JudgeConfig,
        info: &'static MethodInfo,
        params: Params,
        text: TextOptions,
        ranks: Arc<BTreeMap<String, u64>>,
        knowledge: Option<Arc<Knowledge>>,
    ) -> Model {
        let known = knowledge.clone().unwrap_or_default();
        let asks = matches!(info.learns, Learns::Noise) && !known.common.is_empty();
        let noise = NoiseParams::from(&params);
        Model(Arc::new(Inner {
            method: (info.build)(&params, &known),
            common: known.common.iter().copied().collect(),
            evidence: asks.then(|| Evidence {
                cover: noise.cover,
                many: u32::try_from(noise.many).unwrap_or(u32::MAX),
            }),
            config,
            info,
            params,
            noise,
            text,
            ranks,
            knowledge,
        }))
    }

    /// The same model with other knowledge: a new epoch.
    pub fn with_knowledge(&self, known: Knowledge) -> Model {
        let Inner {
            config,
            info,
            params,
            text,
            ranks,
            ..
        } = &*self.0;
        let known = Some(Arc::new(known));
        Model::build(
            config.clone(),
            info,
            params.clone(),
            text.clone(),
            ranks.clone(),
            known,
        )
    }

    /// A copy of the model that reads within this much memory (`ReadOptions::with_memory`).
    pub(crate) fn reading_within(&self, memory: u64) -> Model {
        let Inner {
            config,
            info,
            params,
            text,
            ranks,
            knowledge,
            ..
        } = &*self.0;
        let read = config.read.clone().with_memory(memory);
        if read == config.read {
            return self.clone();
        }
        let config = JudgeConfig {
            read,
            ..config.clone()
        };
        Model::build(
            config,
            info,
            params.clone(),
            text.clone(),
            ranks.clone(),
            knowledge.clone(),
        )
    }

    pub(crate) fn without_knowledge(&self) -> Model {
        let Inner {
            config,
            info,
            params,
            text,
            ranks,
            ..
        } = &*self.0;
        Model::build(
            config.clone(),
            info,
            params.clone(),
            text.clone(),
            ranks.clone(),
            None,
        )
    }

    /// The complete configuration: all parameters, what methods see, hashes of word files.
    pub fn config(&self) -> &JudgeConfig {
        &self.0.config
    }

    /// The method's entry in the method table.
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

    /// The options for making texts from pages.
    pub fn text_options(&self) -> &TextOptions {
        &self.0.text
    }

    /// The text of a page.
    ///
    /// Errors: [`Error::Unreadable`], the reason for a reject.
    pub fn text(&self, page: &Page) -> Result<Text> {
        text_of(page, &self.0.text).map_err(Error::Unreadable)
    }

    /// True if the model must learn words ([`Model::words`]) before it can sketch.
    pub fn wants_words(&self) -> bool {
        matches!(self.0.info.learns, Learns::Words(_)) && self.0.knowledge.is_none()
    }

    /// The distinct features of a text whose document frequencies the method uses as weights.
    pub fn words(&self, text: &Text) -> Vec<u64> {
        match self.0.info.learns {
            Learns::Words(words) => words(&self.0.params, text),
            _ => Vec::new(),
        }
    }

    /// What the model learns from the sketches of a collection; `None` if the method learns nothing from sketches.
    ///
    /// Errors: a temporary file cannot be written.
    pub fn knowledge_of(&self, census: &Census<'_>) -> Result<Option<Knowledge>> {
        match self.0.info.learns {
            Learns::Common(rule) => census.common(rule(&self.0.params)).map(Some),
            Learns::Noise => census.noise(&self.0.params).map(Some),
            Learns::Nothing | Learns::Words(_) => Ok(None),
        }
    }

    /// The sketch of a text. Equal texts on one site have equal sketches; knowledge has no influence, unless the method weighs words
    /// ([`Learns::Words`]).
    ///
    /// Errors: the method weighs words and has learnt none.
    pub fn sketch(&self, text: &Text, site: Option<&str>) -> Result<Sketch> {
        if self.wants_words() {
            return Err(Error::Usage(format!(
                "method {} needs the document frequencies of a collection: let it learn first",
                self.0.info.name
            )));
        }
        let sketch = self.0.method.sketch(text);
        Ok(Sketch {
            site: site.map(str::to_owned),
            ..with_facts(sketch, text)
        })
    }

    /// [`Model::sketch`] without a site. Appends the text's partial fingerprint to `partial` if the method makes one, and returns whether
    /// it did.
    pub(crate) fn sketch_and_partial(
        &self,
        text: &Text,
        partial: &mut Vec<u64>,
    ) -> Result<(Sketch, bool)> {
        let both = self.verifier();
        match both.and_then(|verifier| verifier.sketch_and_partial(text, partial)) {
            Some(sketch) => Ok((with_facts(sketch, text), true)),
            None => Ok((self.sketch(text, None)?, false)),
        }
    }

    /// The relation of two pages as far as sketches tell. Does not apply pair filters, which need data outside sketches ([`Model::scope`]).
    /// Symmetric: swapping the pages only swaps `contains` and `contained_by`.
    pub fn judge(&self, a: &Sketch, b: &Sketch) -> Judgement {
        self.judge_traced(a, b, &mut Trace::off())
    }

    /// As [`Model::judge`]; `trace` records every test that decided.
    pub fn judge_traced(&self, a: &Sketch, b: &Sketch, trace: &mut Trace) -> Judgement {
        self.judge_pruned(a, &self.prune(a), b, trace)
    }

    /// As [`Model::judge_traced`] for two pages that are compared whatever brought them together: also if they share so little that only
    /// their [bigrams](Method::bigrams) say that one may be the other retold.
    pub fn judge_two(&self, a: &Sketch, b: &Sketch, trace: &mut Trace) -> Judgement {
        match self.judge_traced(a, b, trace) {
            Judgement::No => match self.retold(a.as_ref(), b.as_ref(), trace) {
                Some(verdict) => Judgement::NeedsVerification(verdict),
                None => Judgement::No,
            },
            judgement => judgement,
        }
    }

    /// See [`Method::bigrams`].
    pub(crate) fn bigrams(&self, sketch: SketchRef<'_>) -> Vec<u32> {
        self.0.method.bigrams(sketch)
    }

    /// See [`Method::retold`]; `None` if verdicts are not verified.
    pub(crate) fn retold(
        &self,
        a: SketchRef<'_>,
        b: SketchRef<'_>,
        trace: &mut Trace,
    ) -> Option<Verdict> {
        self.verifier()?;
        self.0.method.retold(a, b, trace)
    }

    /// As [`Model::judge_traced`], with the first sketch already pruned, for one sketch against many.
    pub fn judge_pruned(
        &self,
        a: &Sketch,
        pruned: &PrunedSketches,
        b: &Sketch,
        trace: &mut Trace,
    ) -> Judgement {
        if self.0.config.exact && a.text_hash.is_some() && a.text_hash == b.text_hash {
            return Judgement::Yes(copy((a.keys.len(), a.chars), (b.keys.len(), b.chars)));
        }
        let y = self.prune(b);
        let (x, y) = (pruned.get(PrunedNo(0)), y.get(PrunedNo(0)));
        match self.relate(x.as_ref(), y.as_ref(), trace) {
            Some(relating) => self.conclude(&relating, || a.main_chars.min(b.main_chars), trace),
            None => Judgement::No,
        }
    }

    /// The verdict on two pruned sketches; `None` if none of their pages are related.
    pub fn relate(&self, a: Pruned<'_>, b: Pruned<'_>, trace: &mut Trace) -> Option<Relating> {
        let verdict = self.0.method.compare(a.whole, b.whole, trace)?;
        let up_to = match self.0.evidence {
            Some(evidence) => self.believed(evidence, &verdict, a, b, trace),
            None => u64::MAX,
        };
        Some(Relating { verdict, up_to })
    }

    /// A function that bounds the similarity of this sketch to others from above; see [`Method::upper_bound`].
    pub(crate) fn upper_bound(&self, sketch: Pruned<'_>) -> Option<UpperBound<'_>> {
        self.0.method.upper_bound(sketch.whole)
    }

    /// The maximum length of the shorter page for which the verdict is accepted.
    fn believed(
        &self,
        evidence: Evidence,
        verdict: &Verdict,
        a: Pruned<'_>,
        b: Pruned<'_>,
        trace: &mut Trace,
    ) -> u64 {
        let mut shared = shared_positions(a.whole.keys, b.whole.keys);
        if !shared.any(|(i, _)| a.whole.is_common(i)) {
            return u64::MAX;
        }
        let outcome = ("enough evidence", "search for other evidence");
        let many = Check::number(
            "evidence: shared",
            "shared features; common ones are not evidence unless there are many",
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

    /// The judgement on two pages, given the verdict on their pruned sketches. `shorter` gives the smaller [`Sketch::main_chars`] of both
    /// and is called only if needed.
    pub fn conclude(
        &self,
        relating: &Relating,
        shorter: impl FnOnce() -> u64,
        trace: &mut Trace,
    ) -> Judgement {
        if relating.up_to < u64::MAX {
            let cover = Check::number(
                "evidence: length",
                "characters of the shorter page without its blocks of links; at most those of the shared sentences divided \
                 by `cover`",
                shorter() as usize,
                Op::AtMost,
                relating.up_to as f64,
            );
            if !trace.test(cover) {
                return Judgement::No;
            }
        }
        match self.verifier() {
            Some(_) => Judgement::NeedsVerification(relating.verdict),
            None => Judgement::Yes(relating.verdict),
        }
    }

    /// The verdict on two texts that need verification; `None` if they are not related.
    pub fn verify(&self, a: &Text, b: &Text) -> Option<Verdict> {
        self.verify_traced(a, b, &mut Trace::off())
    }

    /// As [`Model::verify`]; `trace` records every test that decided.
    pub fn verify_traced(&self, a: &Text, b: &Text, trace: &mut Trace) -> Option<Verdict> {
        let verifier = self.verifier()?;
        verifier.verify(&verifier.fingerprint(a), &verifier.fingerprint(b), trace)
    }

    /// The relation of the first page to the second, including texts, sketches and verification. `None` if they are not related, or if pair
    /// filters exclude the pair.
    ///
    /// Errors: a page that cannot be read, and those of [`Model::sketch`].
    pub fn compare(&self, a: &Page, b: &Page) -> Result<Option<Verdict>> {
        let read = |page: &Page| -> Result<(Text, Sketch, Scope)> {
            let text = self.text(page)?;
            let sketch = self.sketch(&text, page.site().as_deref())?;
            let scope = self.scope_of(page, &text);
            Ok((text, sketch, scope))
        };
        let ((x, a, near), (y, b, far)) = (read(a)?, read(b)?);
        if self.0.config.filters.forbids(&near, &far).is_some() {
            return Ok(None);
        }
        Ok(match self.judge_two(&a, &b, &mut Trace::off()) {
            Judgement::No => None,
            Judgement::Yes(verdict) => Some(verdict),
            Judgement::NeedsVerification(_) => self.verify(&x, &y),
        })
    }

    /// The verifier, if verdicts are to be verified on texts.
    pub fn verifier(&self) -> Option<&dyn Verifier> {
        self.0.method.verifier()
    }

    /// The data of a page that is kept with its sketch for pair filters, for the choice of the canonical page, and for its addresses.
    /// `source` is the name of the page's source. Empty if none is needed.
    pub fn seen(&self, page: &Page, text: &Text, source: &str) -> Vec<u64> {
        let JudgeConfig {
            filters,
            canonical,
            addresses,
            ..
        } = &self.0.config;
        let rank = |page: &Page| {
            let of = |name: &str| self.0.ranks.get(name).copied();
            page.site()
                .and_then(|site| of(&site))
                .or_else(|| of(source))
        };
        let preferred = canonical.seen(page, rank);
        let link = text.meta.canonical.as_deref();
        let address = addresses
            .are_on()
            .then(|| addresses.seen(page, link).to_numbers());
        let address = address.as_ref().map_or(&[][..], |address| address);
        match filters.is_empty() && preferred.is_empty() && address.is_empty() {
            true => Vec::new(),
            false => [&filters.seen(page)[..], &preferred, address].concat(),
        }
    }

    /// The addresses in the [seen](Model::seen) data of a page; empty if addresses are not used.
    pub(crate) fn address(&self, seen: &[u64]) -> Address {
        let numbers = seen.last_chunk::<ADDRESS>();
        let numbers = numbers.filter(|_| self.0.config.addresses.are_on());
        numbers.map_or_else(Address::default, |numbers| Address::from_numbers(*numbers))
    }

    /// The hashes of a page's own address and of the one its canonical link leads to, from its [seen](Model::seen) data; `None` for one that
    /// it has not.
    pub fn addresses(&self, seen: &[u64]) -> [Option<u128>; 2] {
        let address = self.address(seen);
        [address.own, address.linked].map(|hash| Some(hash).filter(|&hash| hash != 0))
    }

    /// The data for pair filters, from the [seen](Model::seen) data of a page and its date in seconds since 1970.
    pub fn scope(&self, seen: &[u64], date: Option<i64>) -> Scope {
        let part = |at: usize| seen.get(at).copied().unwrap_or_default();
        self.0.config.filters.scope([part(0), part(1)], date)
    }

    /// As [`Model::scope`], from a page and its text.
    pub fn scope_of(&self, page: &Page, text: &Text) -> Scope {
        let date = page.date.as_deref().and_then(crate::date::seconds);
        let date = date.or_else(|| text.meta.date.as_deref().and_then(crate::date::seconds));
        self.0
            .config
            .filters
            .scope(self.0.config.filters.seen(page), date)
    }

    /// The size of a sketch with these keys; see [`Method::size`].
    pub fn size(&self, keys: &[u64]) -> usize {
        self.0.method.size(keys)
    }

    /// See [`Method::needs_distinctive`].
    pub(crate) fn needs_distinctive(&self, sketch: SketchRef<'_>) -> Option<usize> {
        self.0.method.needs_distinctive(sketch)
    }

    /// The least size of a sketch with this many keys.
    pub fn least_size(&self, keys: usize) -> usize {
        self.0.method.least_size(keys)
    }

    /// What related sketches must have in common if the smaller one has this size; see [`Method::bounds`].
    pub fn bounds(&self, size: usize) -> Bounds {
        self.0.method.bounds(size)
    }

    /// The keys by which related pages that are not exact copies find each other.
    pub fn probes(&self, sketch: &Sketch) -> Probes {
        let pruned = self.prune(sketch);
        let pruned = pruned.get(PrunedNo(0));
        let pruned = pruned.as_ref().whole;
        let mut places: Vec<usize> = (0..pruned.keys.len()).collect();
        places.sort_by_key(|&place| pruned.is_common(place));
        let size = self.size(pruned.keys);
        let overlap = self.bounds(size).overlap.max(1);
        let prefix = (places.len() + 1).saturating_sub(overlap);
        Probes {
            size,
            prefix: places[..prefix]
                .iter()
                .map(|&place| pruned.keys[place])
                .collect(),
            all: pruned.keys.to_vec(),
        }
    }

    /// Where in a text the keys of its sketch come from; see [`Method::highlights`].
    pub fn highlights(&self, text: &Text) -> Vec<Highlight> {
        self.0.method.highlights(text)
    }

    /// The keywords of a text; see [`Method::keywords`].
    pub fn keywords(&self, text: &Text) -> Option<Vec<Keyword>> {
        self.0.method.keywords(text)
    }
}

/// The text options for a method; reads the word files.
fn text_options(
    config: &mut JudgeConfig,
    info: &MethodInfo,
    params: &Params,
) -> Result<TextOptions> {
    let extract = config.extract.unwrap_or(info.extract);
    extract.check()?;
    let has = |step| config.fold.contains(&step);
    let mut options = TextOptions {
        nfkc: has(Fold::Nfkc),
        case: has(Fold::Case),
        simplify: has(Fold::Simplify),
        serbian: has(Fold::Serbian),
        extract: Some(extract),
        sentences: (info.reads_sentences)(params),
        ..TextOptions::default()
    };
    if let Some(file) = &mut config.user_dict {
        let content = file.read("--user-dict")?;
        let words = Tokenizer::with_user_words(&content, options.folder());
        options.tokenizer = Arc::new(words.map_err(|e| in_file("--user-dict", file, &e))?);
    }
    if let Some(file) = &mut config.synonyms {
        let content = file.read("--synonyms")?;
        let groups = Synonyms::with_groups(&content, options.folder());
        options.synonyms = Arc::new(groups.map_err(|e| in_file("--synonyms", file, &e))?);
    }
    if let Some(file) = &mut config.stop_words {
        let content = file.read("--stop-words")?;
        options.stop_words = Arc::new(user_stop_words(&content, options.folder()));
    }
    Ok(options)
}

/// The ranks of the sites and sources in [`JudgeConfig::rank`]; adds its rule to the order of preference.
fn ranks(config: &mut JudgeConfig) -> Result<BTreeMap<String, u64>> {
    let Some(file) = &mut config.rank else {
        return match config.canonical.rules().contains(&Prefer::Rank) {
            true => Err(Error::usage(
                "canonical `rank` needs a file: name one with --rank FILE",
            )),
            false => Ok(BTreeMap::new()),
        };
    };
    let content = file.read("--rank")?;
    let mut ranks = BTreeMap::new();
    for (line, number) in content.lines().zip(1u64..) {
        let (name, rank) = match line.split_once('\t') {
            Some((name, rank)) => (name.trim(), rank.trim().parse().ok()),
            None => (line.trim(), Some(number)),
        };
        let rank = rank.ok_or_else(|| {
            in_file(
                "--rank",
                file,
                &format!("line {number}: a whole number is expected after the tab"),
            )
        })?;
        if !name.is_empty() {
            ranks.entry(name.to_owned()).or_insert(rank);
        }
    }
    config.canonical = config.canonical.clone().with_rank().map_err(Error::Usage)?;
    Ok(ranks)
}

/// What is kept of a text with any method.
pub(crate) fn facts(text: &Text) -> Sketch {
    let (chars, main_chars) = text.lengths();
    Sketch {
        text_hash: text_hash(text),
        chars,
        main_chars,
        ..Sketch::default()
    }
}

/// The method's sketch, completed with [`facts`].
fn with_facts(sketch: Sketch, text: &Text) -> Sketch {
    Sketch {
        keys: sketch.keys,
        marks: sketch.marks,
        extra: sketch.extra,
        ..facts(text)
    }
}

/// The verdict on exact copies, given the keys and characters of each.
pub(crate) fn copy(a: (usize, u64), b: (usize, u64)) -> Verdict {
    Verdict {
        relation: Relation::Duplicate,
        similarity: 1.0,
        length_ratio: 1.0,
        shared: a.0.min(b.0) as u32,
        shared_chars: a.1.min(b.1),
        own_a: 0,
        own_b: 0,
    }
}
