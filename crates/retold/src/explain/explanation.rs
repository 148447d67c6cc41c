//! The explanation of a pair of pages.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::compared::ComparedPage;
use super::feature::{Feature, features};
use super::passage::{ExplainedPassage, shared_passages};
use super::shown::{Offsets, Shown};
use crate::address::AddressEffect;
use crate::error::Result;
use crate::method::{Check, Keyword, Trace};
use crate::model::{Judgement, Model};
use crate::relation::{Relation, Verdict};
use crate::sketch::Sketch;
use crate::text::Text;

/// The explanation of a pair. Serialized, it is the output of `--json`.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The relation of the first page to the second; `None` if they are not related.
    pub relation: Option<Relation>,
    /// Why a run does not compare the pages, if so; the method's verdict is given anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// True if the texts are equal, which decides.
    pub exact: bool,
    /// The method's similarity, if it relates the pages.
    pub similarity: Option<f64>,
    /// The smaller size divided by the larger, if the method relates the pages.
    pub length_ratio: Option<f64>,
    /// The checks of the method.
    pub checks: Vec<ExplainedCheck>,
    /// The features of both pages; shared ones first.
    pub features: Vec<ExplainedFeature>,
    /// The passages that both texts share.
    pub passages: Vec<ExplainedPassage>,
    /// Additional lines from the method.
    pub notes: Vec<String>,
    /// A remark about the explanation, for example that it differs from the run's verdict.
    pub remark: Option<String>,
    /// The first page.
    pub a: ExplainedPage,
    /// The second page.
    pub b: ExplainedPage,
}

/// A check with its formula written out.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExplainedCheck {
    /// The formula with its values.
    pub line: String,
    /// Whether it holds.
    pub holds: bool,
    /// The check.
    #[serde(flatten)]
    pub check: Check,
}

/// A feature in the explanation.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExplainedFeature {
    /// Its name.
    pub name: String,
    /// `shared`, `common` (shared, but no evidence by itself), `deleted` (shared, but noise) or `alone`.
    pub role: &'static str,
    /// The number of different texts that have it, if counted.
    pub df: Option<u64>,
    /// Its places in the first text.
    pub a: Vec<[u32; 2]>,
    /// Its places in the second text.
    pub b: Vec<[u32; 2]>,
    /// The key.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    #[serde(serialize_with = "hex")]
    pub key: u64,
}

/// A page in the explanation. Offsets count characters of `text` (UTF-16 units in HTML pages).
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExplainedPage {
    /// Its id.
    pub id: String,
    /// Its `<title>`.
    pub title: Option<String>,
    /// Its language, if declared.
    pub lang: Option<String>,
    /// Its site.
    pub site: Option<String>,
    /// Its date as written.
    pub date: Option<String>,
    /// Characters of its folded text without white space.
    pub chars: u64,
    /// The number of features that count.
    pub keys: usize,
    /// Its visible text.
    pub text: String,
}

fn hex<S: Serializer>(key: &u64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{key:016x}"))
}

/// Explains how `model` judges two pages; places are counted in `offsets`.
///
/// Errors: the model must learn words first.
pub fn explain_pair(
    a: &ComparedPage,
    b: &ComparedPage,
    model: &Model,
    offsets: Offsets,
) -> Result<Explanation> {
    let sketch = |side: &ComparedPage| model.sketch(&side.text, side.site.as_deref());
    let sketches = [sketch(a)?, sketch(b)?];
    let (verdict, checks) = judge([a, b], &sketches, model);
    let exact = model.config().exact
        && sketches[0].text_hash.is_some()
        && sketches[0].text_hash == sketches[1].text_hash;
    let shown =
        [a, b].map(|side| Shown::new(&side.text, model.text_options(), usize::MAX, offsets));
    let place = |side: usize, start: u32, end: u32| {
        let places = shown[side].places(start, end);
        places.map(|(start, end)| [start, end])
    };
    let passages = shared_passages(&a.text, &b.text).into_iter();
    let passages = passages
        .filter_map(|passage| passage.placed(place))
        .collect();
    let explain = |feature: Feature| explained(feature, model, &place);
    let features = features(a, b, model).into_iter().map(explain).collect();
    let left = |sketch: &Sketch| {
        let site = sketch.site.as_deref();
        sketch
            .keys
            .iter()
            .filter(|&&key| !model.deletes(key, site))
            .count()
    };
    let keys = sketches.each_ref().map(left);
    let [shown_a, shown_b] = shown;
    let mut notes = notes(&a.text, &b.text, model);
    let filter = why_not_compared(a, b, model, &mut notes);
    Ok(Explanation {
        relation: verdict
            .map(|verdict| verdict.relation)
            .filter(|_| filter.is_none()),
        filter,
        exact,
        similarity: verdict.map(|verdict| verdict.similarity),
        length_ratio: verdict.map(|verdict| verdict.length_ratio),
        checks,
        features,
        passages,
        notes,
        remark: None,
        a: page(a, keys[0], shown_a.text),
        b: page(b, keys[1], shown_b.text),
    })
}

/// Why the two pages are not compared, if a filter or their addresses exclude that. A remark on their addresses goes to `notes`.
fn why_not_compared(
    a: &ComparedPage,
    b: &ComparedPage,
    model: &Model,
    notes: &mut Vec<String>,
) -> Option<String> {
    let reason = model.config().filters.reason(&a.scope, &b.scope);
    if reason.is_some() {
        return reason;
    }
    let [links_a, links_b] = [a, b].map(|side| {
        let link = side.text.meta.canonical.as_deref();
        (side.url.as_deref(), link)
    });
    match model.config().addresses.effect(links_a, links_b) {
        AddressEffect::Nothing => None,
        AddressEffect::Versions(reason) => Some(reason),
        AddressEffect::Note(note) => {
            notes.push(note);
            None
        }
    }
}

fn explained(
    feature: Feature,
    model: &Model,
    place: &impl Fn(usize, u32, u32) -> Option<[u32; 2]>,
) -> ExplainedFeature {
    let places = |side, at: &[(u32, u32)]| {
        let places = at
            .iter()
            .filter_map(|&(start, end)| place(side, start, end));
        places.collect()
    };
    ExplainedFeature {
        role: role(&feature, model),
        df: None,
        a: places(0, &feature.a),
        b: places(1, &feature.b),
        key: feature.key,
        name: feature.name,
    }
}

fn role(feature: &Feature, model: &Model) -> &'static str {
    match feature {
        feature if !feature.in_both() => "alone",
        feature if !feature.counts() => "deleted",
        feature if model.is_common(feature.key) => "common",
        _ => "shared",
    }
}

fn page(side: &ComparedPage, keys: usize, text: String) -> ExplainedPage {
    ExplainedPage {
        id: side.id.clone(),
        title: side.text.meta.title.clone(),
        lang: side.text.meta.lang.clone(),
        site: side.site.clone(),
        date: side.date.clone().or_else(|| side.text.meta.date.clone()),
        chars: side.text.lengths().0,
        keys,
        text,
    }
}

/// The verdict as in a run, with the tests behind it.
fn judge(
    sides: [&ComparedPage; 2],
    [a, b]: &[Sketch; 2],
    model: &Model,
) -> (Option<Verdict>, Vec<ExplainedCheck>) {
    let mut trace = Trace::on();
    let verdict = match model.judge_two(a, b, &mut trace) {
        Judgement::No => None,
        Judgement::Yes(verdict) => Some(verdict),
        Judgement::NeedsVerification(_) => {
            // Only the verification decided, so its tests replace the estimates.
            trace.restart();
            model.verify_traced(&sides[0].text, &sides[1].text, &mut trace)
        }
    };
    let checks = trace.into_checks().into_iter().map(|check| ExplainedCheck {
        line: check.to_string(),
        holds: check.holds(),
        check,
    });
    (verdict, checks.collect())
}

/// The words that represent both pages and each page, with counts, if the method has keywords.
fn notes(a: &Text, b: &Text, model: &Model) -> Vec<String> {
    let (Some(left), Some(right)) = (model.keywords(a), model.keywords(b)) else {
        return Vec::new();
    };
    let find = |words: &[Keyword], word: &str| {
        let found = words.iter().find(|keyword| keyword.word == word);
        found.map(|keyword| keyword.positions.len())
    };
    let name = |keyword: &Keyword| match keyword.also.is_empty() {
        true => keyword.word.clone(),
        false => format!("{} [= {}]", keyword.word, keyword.also.join(", ")),
    };
    let both = left.iter().filter_map(|keyword| {
        let times = find(&right, &keyword.word)?;
        Some(format!(
            "{} ({} and {times} times)",
            name(keyword),
            keyword.positions.len()
        ))
    });
    let only = |words: &[Keyword], other: &[Keyword]| {
        let words = words
            .iter()
            .filter(|word| find(other, &word.word).is_none());
        let words = words.map(|word| format!("{} ({} times)", name(word), word.positions.len()));
        words.collect::<Vec<String>>().join(", ")
    };
    let lines = [
        (
            "keywords of both pages",
            both.collect::<Vec<String>>().join(", "),
        ),
        ("keywords of the first page only", only(&left, &right)),
        ("keywords of the second page only", only(&right, &left)),
    ];
    let lines = lines.into_iter().filter(|(_, words)| !words.is_empty());
    lines
        .map(|(what, words)| format!("{what}: {words}"))
        .collect()
}

impl Explanation {
    /// The keys of the features, for counting.
    pub fn keys(&self) -> Vec<u64> {
        self.features.iter().map(|feature| feature.key).collect()
    }

    /// The explanation as JSON, without texts if `texts` is false.
    pub fn json(&self, texts: bool) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if !texts {
            for side in ["a", "b"] {
                if let Some(page) = value.get_mut(side).and_then(Value::as_object_mut) {
                    page.remove("text");
                }
            }
        }
        value
    }
}
