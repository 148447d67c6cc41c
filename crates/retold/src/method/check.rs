//! The record of a decision: the tests that were made.
//!
//! Reports, `retold explain` and bindings show these tests without knowing the method.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::relation::{Relation, ratio};

/// Records the tests of a decision. Every test goes through it, so that what is shown is what was decided.
#[derive(Debug, Default)]
pub struct Trace {
    checks: Option<Vec<Check>>,
}

impl Trace {
    /// Records nothing.
    pub fn off() -> Trace {
        Trace { checks: None }
    }

    /// Records all tests, in order.
    pub fn on() -> Trace {
        Trace {
            checks: Some(Vec::new()),
        }
    }

    /// Whether tests are recorded.
    pub fn is_on(&self) -> bool {
        self.checks.is_some()
    }

    /// Records a test and returns whether it holds. A value without a test always holds.
    #[inline]
    pub fn test(&mut self, check: Check) -> bool {
        let holds = check.holds();
        if let Some(checks) = &mut self.checks {
            checks.push(check);
        }
        holds
    }

    /// If the last test failed, other tests will decide: `instead` says what they ask.
    pub(super) fn reconsider(&mut self, instead: &'static str) {
        let last = self.checks.iter_mut().flat_map(|checks| checks.last_mut());
        last.filter(|check| !check.holds())
            .for_each(|check| check.outcomes.1 = instead);
    }

    /// Relates two related pages by their sizes: duplicates if the ratio of the smaller to the larger reaches `threshold`, else the larger
    /// contains the smaller. Also returns that ratio.
    pub(super) fn by_length(
        &mut self,
        name: &'static str,
        meaning: &'static str,
        (a, b): (usize, usize),
        threshold: f64,
    ) -> (Relation, f64) {
        let alike = Check::ratio(name, meaning, a.min(b), a.max(b), threshold);
        let length_ratio = alike.value;
        let alike = self.test(alike.deciding("duplicate", "the larger contains the smaller"));
        let relation = if alike {
            Relation::Duplicate
        } else if a > b {
            Relation::Contains
        } else {
            Relation::ContainedBy
        };
        (relation, length_ratio)
    }

    /// Forgets the tests so far.
    pub fn restart(&mut self) {
        if let Some(checks) = &mut self.checks {
            checks.clear();
        }
    }

    /// The tests, in order.
    pub fn into_checks(self) -> Vec<Check> {
        self.checks.unwrap_or_default()
    }
}

/// How a value is compared with a threshold.
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

    /// The sign that is true of a value and its threshold, given whether the test holds.
    fn sign(self, holds: bool) -> &'static str {
        match (self, holds) {
            (Op::AtLeast, true) | (Op::Below, false) => "≥",
            (Op::AtMost, true) | (Op::Above, false) => "≤",
            (Op::Above, true) | (Op::AtMost, false) => ">",
            (Op::Below, true) | (Op::AtLeast, false) => "<",
        }
    }
}

/// One line of the arithmetic behind a verdict. `Display` writes it as `CCS = 14/16 = 0.88 ≥ 0.70`.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The short name of the value.
    pub name: &'static str,
    /// Its meaning in words.
    pub meaning: &'static str,
    /// The count, or the numerator of a ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<u64>,
    /// The denominator of a ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<u64>,
    /// The value.
    pub value: f64,
    /// How the value is compared with the threshold; `None` if it is for information only.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<serde_json::Value>>))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<(Op, f64)>,
    /// What follows if the test holds, and if it fails. If empty, a failed test means that the pages are not related.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<String>>))]
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
    /// Compares a count with a threshold.
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

    /// Requires a ratio of counts to reach a threshold.
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

    /// A value that is shown but not tested.
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

    /// Compares the value with a threshold.
    pub fn against(self, op: Op, threshold: f64) -> Check {
        Check {
            test: Some((op, threshold)),
            ..self
        }
    }

    /// Makes the test decide how pages are related rather than whether: `holds` and `fails` say what follows.
    pub fn deciding(self, holds: &'static str, fails: &'static str) -> Check {
        Check {
            outcomes: (holds, fails),
            ..self
        }
    }

    /// Whether the test holds; true for a value without a test.
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

/// Two decimals, or more if two different numbers would look equal.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_never_looks_equal_to_the_threshold_that_it_misses() {
        let check = Check::value("x", "", 0.6951).against(Op::AtLeast, 0.7);
        assert_eq!(check.to_string(), "x = 0.695 < 0.700");
        let check = Check::number("x", "", 1_234_567, Op::AtMost, 3.0);
        assert_eq!(check.to_string(), "x = 1,234,567 > 3");
        assert_eq!(Check::value("S", "", 2.5).to_string(), "S = 2.50");
    }

    #[test]
    fn a_trace_keeps_what_was_tested() {
        let check = |value: f64| Check::value("x", "", value).against(Op::AtLeast, 0.5);
        let mut trace = Trace::on();
        assert!(trace.test(check(0.7)) && !trace.test(check(0.2)));
        assert_eq!(trace.into_checks(), [check(0.7), check(0.2)]);
        let mut off = Trace::off();
        assert!(off.test(check(0.7)) && off.into_checks().is_empty());
    }
}
