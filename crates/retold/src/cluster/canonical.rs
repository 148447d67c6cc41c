//! The order of preference among related pages.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::date;
use crate::page::Page;

/// An order of preference among related pages: the first rule that distinguishes two pages decides, then the longer text, then the smaller
/// id. The most preferred kept page of a cluster is canonical.
///
/// ```
/// use retold::Canonical;
/// let order: Canonical = "field:score:desc,https,earliest".parse().unwrap();
/// assert_eq!(order.to_string(), "field:score:desc,https,earliest");
/// assert!("newest".parse::<Canonical>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Canonical(Vec<Prefer>);

/// One rule of a [`Canonical`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefer {
    /// The longest text.
    Longest,
    /// The earliest date; pages without one come last.
    Earliest,
    /// The smallest id; rules after it never decide.
    Id,
    /// The number or date in a field of the record; pages without one come last.
    Field {
        /// The field.
        name: String,
        /// Whether the largest value comes first.
        descending: bool,
    },
    /// Pages with an https URL.
    Https,
    /// Fetched pages before those that a crawler derived from them.
    ResponseBeforeDerived,
    /// The shortest URL; pages without one come last.
    UrlLength,
    /// The site or source with the best rank in a file; sites and sources not in it come last.
    Rank,
}

/// The most rules in an order; each needs space for every page.
const MOST: usize = 6;

const RULES: [(&str, Prefer); 8] = [
    ("longest", Prefer::Longest),
    ("earliest", Prefer::Earliest),
    ("first", Prefer::Id),
    ("id", Prefer::Id),
    ("https", Prefer::Https),
    ("response-before-derived", Prefer::ResponseBeforeDerived),
    ("url-length", Prefer::UrlLength),
    ("rank", Prefer::Rank),
];

impl Canonical {
    /// The default order in which occurrences of a block are kept: the earliest page, then the first by id.
    pub fn default_of_blocks() -> Canonical {
        Canonical(vec![Prefer::Earliest, Prefer::Id])
    }

    /// The rules, the most important first.
    pub fn rules(&self) -> &[Prefer] {
        &self.0
    }

    /// Whether the user prefers certain sites, addresses or field values: then a preferred page stays even if a longer one contains it.
    pub(crate) fn is_stated(&self) -> bool {
        let by_text =
            |rule: &Prefer| matches!(rule, Prefer::Longest | Prefer::Earliest | Prefer::Id);
        !self.0.iter().all(by_text)
    }

    /// The record fields that the rules use.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|rule| match rule {
            Prefer::Field { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// The order with ranks of sites and sources first, unless a rule already gives their position.
    pub(crate) fn with_rank(mut self) -> Result<Canonical, String> {
        if !self.0.contains(&Prefer::Rank) {
            self.0.insert(0, Prefer::Rank);
        }
        checked(self.0)
    }

    /// The sort key of a page, given the number of characters of its text without white space: the smallest comes first, ties go to the
    /// smallest id.
    pub(crate) fn numbers(&self, page: &Page, date: Option<i64>, chars: u64) -> Vec<u64> {
        let decides = |rule: &&Prefer| **rule != Prefer::Id;
        let number = |rule: &Prefer| match rule {
            Prefer::Longest => !chars,
            // Maps signed dates to ascending unsigned numbers.
            Prefer::Earliest => date.map_or(NONE, |date| date as u64 ^ 1 << 63),
            other => other.seen(page, |_| None),
        };
        let mut numbers: Vec<u64> = self.0.iter().take_while(decides).map(number).collect();
        if !self.0.contains(&Prefer::Id) {
            numbers.push(!chars);
        }
        numbers
    }

    /// The part of the sort key that needs data not stored for every page; the smallest numbers are preferred.
    pub(crate) fn seen(&self, page: &Page, rank: impl Fn(&Page) -> Option<u64>) -> Vec<u64> {
        let rules = self.0.iter().filter(|rule| rule.is_seen());
        rules.map(|rule| rule.seen(page, &rank)).collect()
    }
}

impl Prefer {
    /// Whether it needs data that is not stored for every page.
    pub(crate) fn is_seen(&self) -> bool {
        !matches!(self, Prefer::Longest | Prefer::Earliest | Prefer::Id)
    }

    fn seen(&self, page: &Page, rank: impl Fn(&Page) -> Option<u64>) -> u64 {
        let url = page.url.as_deref().map(str::trim);
        match self {
            Prefer::Longest | Prefer::Earliest | Prefer::Id => 0,
            Prefer::Field { name, descending } => {
                let number = page.field(name).and_then(number);
                number.map_or(NONE, |number| match descending {
                    true => !in_order(number),
                    false => in_order(number),
                })
            }
            Prefer::Https => {
                let is_https = |url: &str| {
                    url.get(..6)
                        .is_some_and(|s| s.eq_ignore_ascii_case("https:"))
                };
                u64::from(!url.is_some_and(is_https))
            }
            Prefer::ResponseBeforeDerived => u64::from(page.derived),
            Prefer::UrlLength => url.map_or(NONE, |url| url.chars().count() as u64),
            Prefer::Rank => rank(page).unwrap_or(NONE),
        }
    }
}

/// The number of a page for which a rule has no value.
pub(crate) const NONE: u64 = u64::MAX;

/// A number, or the seconds of a date.
fn number(value: &str) -> Option<f64> {
    let number = value
        .trim()
        .parse()
        .ok()
        .filter(|number: &f64| !number.is_nan());
    number.or_else(|| date::seconds(value).map(|seconds| seconds as f64))
}

/// Maps numbers to integers in the same order.
fn in_order(number: f64) -> u64 {
    // Makes −0 equal to 0.
    let bits = (number + 0.0).to_bits();
    match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    }
}

fn checked(rules: Vec<Prefer>) -> Result<Canonical, String> {
    if rules.len() > MOST {
        return Err(format!("at most {MOST} rules expected"));
    }
    for (at, rule) in rules.iter().enumerate() {
        if rules[..at].contains(rule) {
            return Err(format!("`{rule}` is given twice"));
        }
    }
    Ok(Canonical(rules))
}

impl Default for Canonical {
    fn default() -> Canonical {
        Canonical(vec![Prefer::Longest])
    }
}

impl FromStr for Prefer {
    type Err = String;

    fn from_str(written: &str) -> Result<Prefer, String> {
        if let Some((_, rule)) = RULES.iter().find(|(name, _)| *name == written) {
            return Ok(rule.clone());
        }
        if let Some(field) = written.strip_prefix("field:") {
            let (name, descending) = match field.rsplit_once(':') {
                Some((name, "desc")) => (name, true),
                Some((name, "asc")) => (name, false),
                _ => {
                    return Err(format!(
                        "`{written}`: field:NAME:asc or field:NAME:desc expected"
                    ));
                }
            };
            if !name.is_empty() {
                return Ok(Prefer::Field {
                    name: name.to_owned(),
                    descending,
                });
            }
        }
        let names: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
        Err(format!(
            "`{written}` is none of {}, field:NAME:asc and field:NAME:desc",
            names.join(", ")
        ))
    }
}

impl fmt::Display for Prefer {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Prefer::Field { name, descending } = self {
            let order = if *descending { "desc" } else { "asc" };
            return write!(to, "field:{name}:{order}");
        }
        let named = RULES.iter().find(|(_, rule)| rule == self);
        to.write_str(named.map_or("", |(name, _)| name))
    }
}

impl FromStr for Canonical {
    type Err = String;

    fn from_str(written: &str) -> Result<Canonical, String> {
        let rules = written.split(',').map(|rule| rule.trim().parse());
        checked(rules.collect::<Result<_, _>>()?)
    }
}

impl TryFrom<String> for Canonical {
    type Error = String;

    fn try_from(written: String) -> Result<Canonical, String> {
        written.parse()
    }
}

impl From<Canonical> for String {
    fn from(order: Canonical) -> String {
        order.to_string()
    }
}

impl fmt::Display for Canonical {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.0.iter().map(Prefer::to_string).collect();
        to.write_str(&rules.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_which_a_page_is_preferred() {
        let page = Page::text("a", "").with_field("score", "2");
        let numbers = |order: &str, date| {
            let order: Canonical = order.parse().unwrap();
            order.numbers(&page, date, 7)
        };
        let blocks = Canonical::default_of_blocks().to_string();
        assert_eq!(blocks, "earliest,first");
        assert_eq!(numbers(&blocks, Some(5)), [1 << 63 | 5]);
        assert_eq!(numbers(&blocks, None), [NONE]);
        // After all rules the longer text decides, unless the id has already.
        assert_eq!(numbers("earliest", Some(-1)), [(1 << 63) - 1, !7]);
        assert_eq!(numbers("first,longest", None), [0; 0]);
        let score = numbers("field:score:desc", None)[0];
        assert_eq!(score, !in_order(2.0));
    }

    #[test]
    fn what_the_rules_see() {
        let order: Canonical =
            "field:score:desc, https, longest, response-before-derived, url-length, rank"
                .parse()
                .unwrap();
        assert!(order.is_stated());
        let mut page = Page::text("a", "")
            .with_url("https://a.cn/1")
            .with_field("score", "2.5");
        let seen = |page: &Page| order.seen(page, |_| Some(7));
        assert_eq!(seen(&page), [!(2.5f64.to_bits() | 1 << 63), 0, 0, 14, 7]);
        page.derived = true;
        page.url = Some("http://a.cn".into());
        page.fields[0].1 = "none".into();
        assert_eq!(seen(&page), [NONE, 1, 1, 11, 7]);
        page.url = None;
        assert_eq!(order.seen(&page, |_| None), [NONE, 1, 1, NONE, NONE]);
    }

    #[test]
    fn numbers_are_in_order() {
        let values = ["-3", "-2.5", "-0", "0", "0.5", "10", "1e3", "2012-01-01"];
        let places: Vec<u64> = values
            .iter()
            .map(|value| in_order(number(value).unwrap()))
            .collect();
        assert!(places.is_sorted(), "{places:?}");
        assert_eq!(places[2], places[3]);
        assert_eq!(number("NaN"), None);
    }

    #[test]
    fn orders_are_read_and_written() {
        let same = |written: &str| written.parse::<Canonical>().map(|order| order.to_string());
        for written in ["longest", "earliest", "first", "field:a:b:asc,https"] {
            assert_eq!(same(written).as_deref(), Ok(written));
        }
        assert!(!"earliest,first".parse::<Canonical>().unwrap().is_stated());
        for wrong in [
            "",
            "field:a",
            "field::asc",
            "https,https",
            "id,longest,https,rank,url-length,earliest,field:a:asc",
        ] {
            assert!(same(wrong).is_err(), "{wrong}");
        }
        let ranked = Canonical::default().with_rank().unwrap();
        assert_eq!(ranked.to_string(), "rank,longest");
        assert_eq!(ranked.clone().with_rank(), Ok(ranked));
    }
}
