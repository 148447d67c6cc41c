//! The story of two pages.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::passage::{Kind, passages};
use super::shown::{Shown, Unit};
use crate::collect::{chars_of, own_chars_of};
use crate::index::noise::NoiseList;
use crate::index::{self, Judge, Sketches, retain};
use crate::method::explain::Feature;
use crate::method::{Check, Method, Noise};
use crate::relation::{Relation, Verdict};
use crate::text::{Text, TextOptions};

/// One of the two pages.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its id.
    pub id: String,
    /// Its site, for noise that is a site's only.
    pub site: Option<String>,
    /// Its date as written in the input.
    pub date: Option<String>,
    /// Its text.
    pub text: Text,
}

/// How two pages are judged.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The method.
    pub method: &'a dyn Method,
    /// The frozen noise list; empty where there is no collection.
    pub noise: &'a NoiseList,
    /// How texts were folded.
    pub text: &'a TextOptions,
    /// Whether equal texts are duplicates whatever the method says.
    pub exact: bool,
}

/// The whole story of a pair. Serialized, it is what `--json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Story {
    /// What the first page is to the second; `None` if they are not related.
    pub relation: Option<Relation>,
    /// True if the texts are equal, which decides.
    pub exact: bool,
    /// The method's similarity, where it relates the pages.
    pub similarity: Option<f64>,
    /// The smaller size over the larger, where the method relates the pages.
    pub ratio: Option<f64>,
    /// The arithmetic.
    pub checks: Vec<TellCheck>,
    /// The features of both pages; shared ones first.
    pub features: Vec<TellFeature>,
    /// What both texts have.
    pub passages: Vec<TellPassage>,
    /// Further lines from the method.
    pub notes: Vec<String>,
    /// Something about the explanation itself, such as that it differs from the run's verdict.
    pub remark: Option<String>,
    /// The first page.
    pub a: TellPage,
    /// The second page.
    pub b: TellPage,
}

/// A check with its formula written out.
#[derive(Clone, Debug, Serialize)]
pub struct TellCheck {
    /// The formula with its values.
    pub line: String,
    /// Whether it holds.
    pub holds: bool,
    /// The check.
    #[serde(flatten)]
    pub check: Check,
}

/// A feature as it is told.
#[derive(Clone, Debug, Serialize)]
pub struct TellFeature {
    /// What it is called.
    pub name: String,
    /// `shared`, `common` (shared, but no evidence by itself), `deleted` (shared, but noise) or `alone`.
    pub role: &'static str,
    /// Different sketches that have it, if that was counted.
    pub df: Option<u64>,
    /// Its places in the first text.
    pub a: Vec<[u32; 2]>,
    /// Its places in the second text.
    pub b: Vec<[u32; 2]>,
    /// The key, for those who count.
    #[serde(serialize_with = "hex")]
    pub key: u64,
}

/// A shared passage as it is told.
#[derive(Clone, Debug, Serialize)]
pub struct TellPassage {
    /// In the same order or not.
    pub kind: Kind,
    /// From and to in the first text.
    pub a: [u32; 2],
    /// From and to in the second text.
    pub b: [u32; 2],
}

/// A page as it is told. Places count characters of `text` (UTF-16 units in HTML pages).
#[derive(Clone, Debug, Serialize)]
pub struct TellPage {
    /// Its id.
    pub id: String,
    /// Its `<title>`.
    pub title: Option<String>,
    /// Its language, if it says so.
    pub lang: Option<String>,
    /// Its site.
    pub site: Option<String>,
    /// Its date as written.
    pub date: Option<String>,
    /// Characters of its folded text, white space left out.
    pub chars: u64,
    /// Features that count.
    pub keys: usize,
    /// Its visible text.
    pub text: String,
}

fn hex<S: Serializer>(key: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{key:016x}"))
}

/// Tells the story of two pages; places are counted in `unit`.
pub fn pair(a: &Side, b: &Side, setting: Setting<'_>, unit: Unit) -> Story {
    let deletes = |side: &Side| {
        let site = side.site.clone();
        move |key| setting.noise.deletes(key, site.as_deref())
    };
    let (in_a, in_b) = (deletes(a), deletes(b));
    let noise = Noise { a: &in_a, b: &in_b };
    let told = setting.method.explain(&a.text, &b.text, noise);
    let (verdict, checks) = judge(a, b, setting, noise);
    let equal = setting.exact && !a.text.folded.is_empty() && a.text.folded == b.text.folded;
    let shown = [a, b].map(|side| Shown::new(&side.text, setting.text, usize::MAX, unit));
    let place = |side: usize, start: u32, end: u32| {
        shown[side]
            .places(start, end)
            .map(|(start, end)| [start, end])
    };
    let passages = passages(&a.text.folded, &b.text.folded).into_iter();
    let passages = passages.filter_map(|passage| {
        Some(TellPassage {
            kind: passage.kind,
            a: place(0, passage.a.start, passage.a.end)?,
            b: place(1, passage.b.start, passage.b.end)?,
        })
    });
    let passages = passages.collect();
    let common = setting
        .noise
        .common
        .as_ref()
        .map_or(&[][..], |common| &common.keys);
    let feature = |feature: Feature| {
        let places = |side, at: &[(u32, u32)]| {
            at.iter()
                .filter_map(|&(start, end)| place(side, start, end))
                .collect()
        };
        let role = match &feature {
            f if !f.in_both() => "alone",
            f if !f.counts() => "deleted",
            f if common.binary_search(&f.key).is_ok() => "common",
            _ => "shared",
        };
        TellFeature {
            role,
            df: None,
            a: places(0, &feature.a),
            b: places(1, &feature.b),
            key: feature.key,
            name: feature.name,
        }
    };
    let features = told.features.into_iter().map(feature).collect();
    let [shown_a, shown_b] = shown;
    Story {
        relation: if equal {
            Some(Relation::Duplicate)
        } else {
            verdict.map(|v| v.relation)
        },
        exact: equal,
        similarity: if equal {
            Some(1.0)
        } else {
            verdict.map(|v| v.similarity)
        },
        ratio: if equal {
            Some(1.0)
        } else {
            verdict.map(|v| v.length_ratio)
        },
        checks,
        features,
        passages,
        notes: told.notes,
        remark: None,
        a: page(a, told.keys.0, shown_a.text),
        b: page(b, told.keys.1, shown_b.text),
    }
}

fn page(side: &Side, keys: usize, text: String) -> TellPage {
    TellPage {
        id: side.id.clone(),
        title: side.text.meta.title.clone(),
        lang: side.text.meta.lang.clone(),
        site: side.site.clone(),
        date: side.date.clone().or_else(|| side.text.meta.date.clone()),
        chars: chars_of(&side.text),
        keys,
        text,
    }
}

/// The verdict as a run comes to it: noise deleted, evidence asked for.
fn judge(
    a: &Side,
    b: &Side,
    setting: Setting<'_>,
    noise: Noise<'_>,
) -> (Option<Verdict>, Vec<TellCheck>) {
    let sketch = |side: &Side, noise: &dyn Fn(u64) -> bool| {
        retain(setting.method.sketch(&side.text).as_ref(), |key| {
            !noise(key)
        })
    };
    let (left, right) = (sketch(a, noise.a), sketch(b, noise.b));
    let mut sketches = Sketches::default();
    let (first, second) = (sketches.add(left.as_ref()), sketches.add(right.as_ref()));
    let shorter = [a, b].map(|side| own_chars_of(&side.text));
    let shorter = shorter[0].min(shorter[1]);
    let shortest = vec![shorter; sketches.len()];
    let judge = Judge::new(setting.method, &sketches, &shortest, setting.noise);
    let verdict = judge
        .judge(first, second)
        .map(|judgement| judgement.verdict);
    let both = (left.as_ref(), right.as_ref());
    let mut checks = index::checks(setting.method, setting.noise, both, shorter);
    let verdict = match verdict {
        Some(verdict) if setting.method.in_doubt(verdict.similarity) => {
            let [p, q] = [a, b].map(|side| setting.method.proof(&side.text));
            // The estimates were only the way here.
            checks = setting.method.verify_checks(&p, &q);
            setting.method.verify(&p, &q)
        }
        verdict => verdict,
    };
    let checks = checks.into_iter().map(|check| TellCheck {
        line: check.to_string(),
        holds: check.holds(),
        check,
    });
    (verdict, checks.collect())
}

impl Story {
    /// The keys of the features, so that somebody can count them.
    pub fn keys(&self) -> Vec<u64> {
        self.features.iter().map(|feature| feature.key).collect()
    }

    /// The story as JSON; with `texts` false, texts are left out.
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
