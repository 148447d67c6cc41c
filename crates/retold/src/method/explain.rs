//! Why two pages are what they are to each other: what a method can tell people beyond its verdict.
//!
//! Reports, `retold explain` and bindings show what stands here without knowing which method it comes from.

use std::collections::HashMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::{Method, SketchRef, count_shared};
use crate::index::retain;
use crate::relation::{Verdict, ratio};
use crate::text::Text;

/// A place in a text that a key of its sketch comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The key.
    pub key: u64,
    /// First byte in [`Text::folded`].
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// What the key is called, where the text at the place does not say it (the words behind a joint hash, say).
    pub label: Option<String>,
}

/// What the index removes from each of the two sketches before they are compared.
#[derive(Clone, Copy)]
pub struct Noise<'a> {
    /// True for a key that is noise on the first page.
    pub a: &'a dyn Fn(u64) -> bool,
    /// True for a key that is noise on the second page.
    pub b: &'a dyn Fn(u64) -> bool,
}

impl Noise<'_> {
    /// Nothing is removed.
    pub const NONE: Noise<'static> = Noise {
        a: &|_| false,
        b: &|_| false,
    };
}

/// How a value is held against a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Op {
    /// The value must reach the threshold.
    #[serde(rename = "≥")]
    AtLeast,
    /// The value must not exceed the threshold.
    #[serde(rename = "≤")]
    AtMost,
    /// The value must be above the threshold.
    #[serde(rename = ">")]
    Above,
    /// The value must be below the threshold.
    #[serde(rename = "<")]
    Below,
}

impl Op {
    fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            Op::AtLeast => value >= threshold,
            Op::AtMost => value <= threshold,
            Op::Above => value > threshold,
            Op::Below => value < threshold,
        }
    }

    /// The sign that is true of a value and a threshold where the test does or does not hold.
    fn sign(self, holds: bool) -> &'static str {
        match (self, holds) {
            (Op::AtLeast, true) | (Op::Below, false) => "≥",
            (Op::AtMost, true) | (Op::Above, false) => "≤",
            (Op::Above, true) | (Op::AtMost, false) => ">",
            (Op::Below, true) | (Op::AtLeast, false) => "<",
        }
    }
}

/// One line of the arithmetic behind a verdict, as in `CCS = 14/16 = 0.88 ≥ 0.70`, which is what `Display` writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The short name of the value.
    pub name: &'static str,
    /// What it is, for people.
    pub meaning: &'static str,
    /// What is counted; over `whole` for a ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<u64>,
    /// What it is counted over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<u64>,
    /// The value.
    pub value: f64,
    /// How the value is held against the threshold; `None` if it is only told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<(Op, f64)>,
    /// What follows if the test holds, and if not. Empty: the pages are not related if it fails.
    #[serde(serialize_with = "outcomes", skip_serializing_if = "has_no_outcomes")]
    pub outcomes: (&'static str, &'static str),
}

fn outcomes<S: Serializer>(
    outcomes: &(&'static str, &'static str),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    [outcomes.0, outcomes.1].serialize(serializer)
}

fn has_no_outcomes(outcomes: &(&'static str, &'static str)) -> bool {
    outcomes.0.is_empty()
}

impl Check {
    /// A count held against a threshold.
    pub fn number(
        name: &'static str,
        meaning: &'static str,
        count: usize,
        op: Op,
        threshold: f64,
    ) -> Check {
        Check {
            part: Some(count as u64),
            ..Check::value(name, meaning, count as f64).against(op, threshold)
        }
    }

    /// A ratio of counts that must reach a threshold.
    pub fn ratio(
        name: &'static str,
        meaning: &'static str,
        part: usize,
        whole: usize,
        threshold: f64,
    ) -> Check {
        Check {
            part: Some(part as u64),
            whole: Some(whole as u64),
            ..Check::value(name, meaning, ratio(part, whole)).against(Op::AtLeast, threshold)
        }
    }

    /// A value that is only told.
    pub fn value(name: &'static str, meaning: &'static str, value: f64) -> Check {
        Check {
            name,
            meaning,
            part: None,
            whole: None,
            value,
            test: None,
            outcomes: ("", ""),
        }
    }

    /// The same value held against a threshold.
    pub fn against(self, op: Op, threshold: f64) -> Check {
        Check {
            test: Some((op, threshold)),
            ..self
        }
    }

    /// The same test where it does not decide whether pages are related, but how: what follows if it holds, and if
    /// it does not.
    pub fn deciding(self, holds: &'static str, fails: &'static str) -> Check {
        Check {
            outcomes: (holds, fails),
            ..self
        }
    }

    /// Whether the test holds; a value that is only told always does.
    pub fn holds(&self) -> bool {
        self.test
            .is_none_or(|(op, threshold)| op.holds(self.value, threshold))
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_count = self.part.is_some() && self.whole.is_none();
        write!(f, "{} = ", self.name)?;
        if let (Some(part), Some(whole)) = (self.part, self.whole) {
            write!(f, "{}/{} = ", thousands(part), thousands(whole))?;
        }
        let Some((op, threshold)) = self.test else {
            return f.write_str(&number(self.value, is_count, 2));
        };
        let digits = digits_that_tell(self.value, threshold);
        write!(
            f,
            "{} {} {}",
            number(self.value, is_count, digits),
            op.sign(self.holds()),
            number(threshold, is_count, digits)
        )
    }
}

/// Two decimals, or as many more as keep two different numbers from looking equal.
fn digits_that_tell(value: f64, threshold: f64) -> usize {
    let same = |digits: &usize| format!("{value:.digits$}") == format!("{threshold:.digits$}");
    if value == threshold {
        return 2;
    }
    (2..=6).find(|digits| !same(digits)).unwrap_or(6)
}

fn number(value: f64, is_count: bool, digits: usize) -> String {
    if is_count {
        thousands(value.max(0.0) as u64)
    } else {
        format!("{value:.digits$}")
    }
}

/// A whole number with commas between thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A key of one or both sketches, with all that people can be told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// The key.
    pub key: u64,
    /// What it is called: its label or its first place's text; empty if the method does not tell.
    pub name: String,
    /// Its places in the first text's [`Text::folded`].
    pub a: Vec<(u32, u32)>,
    /// Its places in the second text's.
    pub b: Vec<(u32, u32)>,
    /// Whether the index removed it from the first page's sketch.
    pub noise_a: bool,
    /// Whether the index removed it from the second page's sketch.
    pub noise_b: bool,
}

impl Feature {
    /// True if both pages have it and it counts on both.
    pub fn counts(&self) -> bool {
        self.in_both() && !self.noise_a && !self.noise_b
    }

    /// True if both pages have it.
    pub fn in_both(&self) -> bool {
        !self.a.is_empty() && !self.b.is_empty()
    }
}

/// The story of a pair as its method tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The verdict, `None` if the pages are not related.
    pub verdict: Option<Verdict>,
    /// The arithmetic behind it.
    pub checks: Vec<Check>,
    /// The features of both pages: shared ones first, in the order of the first text, then the others.
    pub features: Vec<Feature>,
    /// Keys of each sketch, noise taken out.
    pub keys: (usize, usize),
    /// Further lines for people.
    pub notes: Vec<String>,
}

/// The default of [`Method::checks`].
pub(super) fn checks_of<M: Method + ?Sized>(
    method: &M,
    a: SketchRef<'_>,
    b: SketchRef<'_>,
) -> Vec<Check> {
    let smaller = a.keys.len().min(b.keys.len());
    let meaning = "features that both pages have, noise taken out";
    let least = method.overlap(smaller) as f64;
    let shared = count_shared(a.keys, b.keys);
    let mut checks = vec![Check::number("shared", meaning, shared, Op::AtLeast, least)];
    if let Some(verdict) = method.compare(a, b) {
        let similarity = Check::value(
            "similarity",
            "as the method measures it",
            verdict.similarity,
        );
        checks.push(match method.least_similarity() {
            Some(least) => similarity.against(Op::AtLeast, least),
            None => similarity,
        });
        let ratio = "the smaller page's size over the larger's";
        checks.push(Check::value("length ratio", ratio, verdict.length_ratio));
    }
    checks
}

/// The default of [`Method::explain`].
pub(super) fn story<M: Method + ?Sized>(
    method: &M,
    a: &Text,
    b: &Text,
    noise: Noise<'_>,
) -> Explanation {
    let sketch =
        |text, noise: &dyn Fn(u64) -> bool| retain(method.sketch(text).as_ref(), |key| !noise(key));
    let (left, right) = (sketch(a, noise.a), sketch(b, noise.b));
    Explanation {
        verdict: method.compare(left.as_ref(), right.as_ref()),
        checks: method.checks(left.as_ref(), right.as_ref()),
        features: features((a, method.spots(a)), (b, method.spots(b)), noise),
        keys: (left.keys.len(), right.keys.len()),
        notes: Vec::new(),
    }
}

/// The features of both texts, joined by key.
fn features(a: (&Text, Vec<Spot>), b: (&Text, Vec<Spot>), noise: Noise<'_>) -> Vec<Feature> {
    let mut features: Vec<Feature> = Vec::new();
    let mut at: HashMap<u64, usize> = HashMap::new();
    for (second, (text, spots)) in [(false, a), (true, b)] {
        for spot in spots {
            let place = (spot.start, spot.end);
            let number = *at.entry(spot.key).or_insert_with(|| {
                features.push(Feature {
                    key: spot.key,
                    name: name_of(&spot, text),
                    a: Vec::new(),
                    b: Vec::new(),
                    noise_a: (noise.a)(spot.key),
                    noise_b: (noise.b)(spot.key),
                });
                features.len() - 1
            });
            let feature = &mut features[number];
            if second {
                &mut feature.b
            } else {
                &mut feature.a
            }
            .push(place);
        }
    }
    // Stable: within each kind the order of the texts stays.
    features.sort_by_key(|feature| (!feature.counts(), !feature.in_both(), feature.a.is_empty()));
    features
}

fn name_of(spot: &Spot, text: &Text) -> String {
    let place = spot.start as usize..spot.end as usize;
    match &spot.label {
        Some(label) => label.clone(),
        None => text.folded.get(place).unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::testing::text;
    use crate::method::{self, Sketch};

    fn sketch(keys: std::ops::Range<u64>) -> Sketch {
        let marks = keys.clone().map(|key| key << 16 | 20).collect();
        Sketch {
            keys: keys.collect(),
            marks,
            evidence: Vec::new(),
        }
    }

    fn lines(checks: &[Check]) -> Vec<String> {
        checks.iter().map(Check::to_string).collect()
    }

    #[test]
    fn the_formula_of_period_by_hand() {
        let period = method::find("period").unwrap();
        let method = (period.build)(&period.resolve(&[]).unwrap());
        // 14 of 16 and 14 of 20 features.
        let (a, b) = (sketch(0..16), sketch(2..22));
        let checks = method.checks(a.as_ref(), b.as_ref());
        assert_eq!(
            lines(&checks),
            [
                "shared = 14 ≥ 3",
                "CCS = 14/16 = 0.88 ≥ 0.70",
                "CLR = 16/20 = 0.80 ≥ 0.50"
            ]
        );
        assert!(checks.iter().all(Check::holds));
        let (a, b) = (sketch(0..10), sketch(4..40));
        let checks = method.checks(a.as_ref(), b.as_ref());
        assert_eq!(
            lines(&checks)[1..],
            ["CCS = 6/10 = 0.60 < 0.70", "CLR = 10/36 = 0.28 < 0.50"]
        );
        let checks = method.checks(sketch(0..1).as_ref(), sketch(0..9).as_ref());
        assert_eq!(
            lines(&checks)[..3],
            ["shared = 1 ≥ 1", "equal = 1 ≥ 1", "chars = 20 < 40"]
        );
    }

    #[test]
    fn a_value_never_looks_equal_to_the_threshold_that_it_misses() {
        let check = Check::value("x", "", 0.6951).against(Op::AtLeast, 0.7);
        assert_eq!(check.to_string(), "x = 0.695 < 0.700");
        let check = Check::number("x", "", 1_234_567, Op::AtMost, 3.0);
        assert_eq!(check.to_string(), "x = 1,234,567 > 3");
        assert_eq!(Check::value("S", "", 2.5).to_string(), "S = 2.50");
    }

    #[test]
    fn noise_is_told_and_taken_out() {
        let period = method::find("period").unwrap();
        let method = (period.build)(&period.resolve(&[]).unwrap());
        let a = text("今天的天气非常好。我们一起去公园散步。晚上回家吃饭。转载请注明出处。");
        let b =
            text("今天的天气非常好。我们一起去公园散步。晚上回家吃饭。转载请注明出处。还有一句。");
        let plain = method.explain(&a, &b, Noise::NONE);
        assert_eq!(plain.keys, (4, 5));
        let noisy = plain
            .features
            .iter()
            .find(|f| f.name.contains("转载"))
            .unwrap()
            .key;
        let told = method.explain(
            &a,
            &b,
            Noise {
                a: &|key| key == noisy,
                b: &|_| false,
            },
        );
        assert_eq!(told.keys, (3, 5));
        assert_eq!(told.features[3].key, noisy);
        assert!(told.features[3].noise_a && !told.features[3].counts());
        assert_eq!(told.features[4].name, "还有一句");
        assert_eq!(lines(&told.checks)[1], "CCS = 3/3 = 1.00 ≥ 0.70");
    }
}
