//! Pair filters: decide which pages are compared at all, independent of their texts.

use std::fmt;
use std::str::FromStr;

use jiff::{Span, SpanRelativeTo};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::page::Page;

/// The name that stands for a page's site in [`PairFilters::across`].
const SITE: &str = "site";

/// Restrictions on which pages are compared. A pair that they exclude is never a candidate: the pages are not related, so neither is
/// dropped for the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PairFilters {
    /// Compares only pages that differ in this field, or in their site if it is `site`. A page without the field is compared with all.
    pub across: Option<String>,
    /// Compares only pages that are equal in all these fields. Pages that lack a field are equal in it.
    pub within: Vec<String>,
    /// Compares only pages whose dates are at most this far apart. A page without a date is compared with all.
    pub window: Option<Window>,
}

/// A length of time, such as `30d`, `12h` or `2 weeks`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Window {
    written: String,
    seconds: u64,
}

/// The data of a page for pair filters. Filters that are off use none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scope {
    /// A hash of the values of the fields of [`PairFilters::within`].
    pub within: u64,
    /// A hash of the value of [`PairFilters::across`]; 0 if the page has none.
    pub across: u64,
    /// The date in seconds since 1970.
    pub date: Option<i64>,
}

/// The filter that excludes a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// [`PairFilters::across`]
    Across,
    /// [`PairFilters::within`]
    Within,
    /// [`PairFilters::window`]
    Window,
}

impl PairFilters {
    /// Whether there are no filters.
    pub fn is_empty(&self) -> bool {
        *self == PairFilters::default()
    }

    /// The record fields that the filters use.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        let across = self.across.iter().filter(|name| *name != SITE);
        self.within.iter().chain(across).map(String::as_str)
    }

    /// The hashes [`Scope::within`] and [`Scope::across`] of a page.
    pub(crate) fn seen(&self, page: &Page) -> [u64; 2] {
        let within = match self.within.is_empty() {
            true => 0,
            false => {
                let values = self.within.iter().map(|name| page.field(name));
                let values: Vec<Option<&str>> = values.collect();
                xxh3_64(&serde_json::to_vec(&values).expect("strings can be written"))
            }
        };
        let across = match self.across.as_deref() {
            None => None,
            Some(SITE) => page.site(),
            Some(name) => page.field(name).map(str::to_owned),
        };
        let across = across.map_or(0, |value| xxh3_64(value.as_bytes()).max(1));
        [within, across]
    }

    /// The scope of a page, given its [seen](PairFilters::seen) hashes and its date.
    pub(crate) fn scope(&self, [within, across]: [u64; 2], date: Option<i64>) -> Scope {
        Scope {
            within,
            across,
            date: date.filter(|_| self.window.is_some()),
        }
    }

    /// The first filter that excludes the pair, if any.
    pub fn forbids(&self, a: &Scope, b: &Scope) -> Option<Forbidden> {
        let is_far = |reach: u64| {
            a.date
                .zip(b.date)
                .is_some_and(|(a, b)| a.abs_diff(b) > reach)
        };
        if a.within != b.within {
            Some(Forbidden::Within)
        } else if a.across == b.across && a.across > 0 {
            Some(Forbidden::Across)
        } else if self.reach().is_some_and(is_far) {
            Some(Forbidden::Window)
        } else {
            None
        }
    }

    /// Splits these so that filters exclude all pairs between parts. Parts in which no pair is allowed are left out.
    pub(crate) fn parts<T: Copy + Ord>(
        &self,
        mut all: Vec<T>,
        scope: impl Fn(T) -> Scope,
    ) -> Vec<Vec<T>> {
        all.sort_unstable_by_key(|&one| {
            let Scope { within, date, .. } = scope(one);
            (within, ordered_date(date), one)
        });
        let mut parts = Vec::new();
        for of_field in all.chunk_by(|&a, &b| scope(a).within == scope(b).within) {
            // A page without a date is near all others.
            let has_undated = scope(of_field[0]).date.is_none();
            let is_near = |&a: &T, &b: &T| {
                let dates = scope(a).date.zip(scope(b).date);
                let apart = dates.map_or(0, |(a, b)| a.abs_diff(b));
                has_undated || self.reach().is_none_or(|reach| apart <= reach)
            };
            for part in of_field.chunk_by(is_near) {
                let first = scope(part[0]).across;
                if first == 0 || part.iter().any(|&one| scope(one).across != first) {
                    parts.push(part.to_vec());
                }
            }
        }
        parts
    }

    /// The length of the window in seconds.
    pub(crate) fn reach(&self) -> Option<u64> {
        self.window.as_ref().map(|window| window.seconds)
    }

    /// Why two pages are not compared.
    pub fn reason(&self, a: &Scope, b: &Scope) -> Option<String> {
        Some(match self.forbids(a, b)? {
            Forbidden::Within => {
                format!("--within {}: the pages differ in it", self.within.join(","))
            }
            Forbidden::Across => format!(
                "--across {}: both pages have the same",
                self.across.as_deref().unwrap_or_default()
            ),
            Forbidden::Window => {
                let apart = a.date.zip(b.date).map_or(0, |(a, b)| a.abs_diff(b));
                let window = self.window.as_ref().map_or("", |window| &window.written);
                format!("--window {window}: the dates are {} apart", in_words(apart))
            }
        })
    }
}

/// Maps signed dates to ascending unsigned numbers, with missing dates first.
pub(crate) fn ordered_date(date: Option<i64>) -> u64 {
    date.map_or(0, |date| date as u64 ^ 1 << 63)
}

/// A number of seconds in words.
fn in_words(seconds: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (86_400, "day"),
        (3600, "hour"),
        (60, "minute"),
        (1, "second"),
    ];
    let (unit, name) = *UNITS
        .iter()
        .find(|(unit, _)| seconds >= *unit)
        .unwrap_or(&UNITS[3]);
    match seconds / unit {
        1 => format!("1 {name}"),
        count => format!("{count} {name}s"),
    }
}

impl FromStr for Window {
    type Err = String;

    fn from_str(written: &str) -> Result<Window, String> {
        let wrong = || format!("`{written}` is not a length of time such as 30d, 12h or 2 weeks");
        let span: Span = written.parse().map_err(|_| wrong())?;
        let length = span.to_duration(SpanRelativeTo::days_are_24_hours());
        let seconds = length.map_err(|_| wrong())?.as_secs();
        Ok(Window {
            seconds: u64::try_from(seconds).map_err(|_| wrong())?,
            written: written.to_owned(),
        })
    }
}

impl TryFrom<String> for Window {
    type Error = String;

    fn try_from(written: String) -> Result<Window, String> {
        written.parse()
    }
}

impl From<Window> for String {
    fn from(window: Window) -> String {
        window.written
    }
}

impl fmt::Display for Window {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        let seconds = |written: &str| written.parse::<Window>().map(|window| window.seconds);
        assert_eq!(seconds("30d"), Ok(30 * 86_400));
        assert_eq!(seconds("2 weeks"), Ok(14 * 86_400));
        assert_eq!(seconds("12h"), Ok(12 * 3600));
        assert_eq!(seconds("0d"), Ok(0));
        for wrong in ["30", "", "-1d", "1 month", "soon"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    /// A missing field is a value of its own for `within`, and no value for `across`; a missing date is near all dates.
    #[test]
    fn what_is_forbidden() {
        let filters = PairFilters {
            across: Some("site".into()),
            within: vec!["lang".into(), "split".into()],
            window: "1d".parse().ok(),
        };
        let scope = |site: Option<&str>, lang: Option<&str>, date| {
            let mut page = Page::text("a", "");
            page.site = site.map(str::to_owned);
            page.fields
                .extend(lang.map(|lang| ("lang".into(), lang.into())));
            filters.scope(filters.seen(&page), date)
        };
        let day = 86_400;
        let one = scope(Some("a.cn"), Some("en"), Some(0));
        let tests = [
            (scope(Some("b.cn"), Some("en"), Some(day)), None),
            (
                scope(Some("a.cn"), Some("en"), Some(0)),
                Some("--across site: both pages have the same"),
            ),
            (scope(None, Some("en"), None), None),
            (
                scope(Some("b.cn"), None, Some(0)),
                Some("--within lang,split: the pages differ in it"),
            ),
            (
                scope(Some("b.cn"), Some("en"), Some(-day - 1)),
                Some("--window 1d: the dates are 1 day apart"),
            ),
        ];
        for (other, reason) in tests {
            assert_eq!(filters.reason(&one, &other).as_deref(), reason);
            assert_eq!(filters.reason(&other, &one).as_deref(), reason);
        }
        let nameless = scope(None, None, None);
        assert_eq!(filters.forbids(&nameless, &nameless), None);
        assert!(!filters.is_empty() && PairFilters::default().is_empty());
    }
}
