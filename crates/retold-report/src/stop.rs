//! Limits that end a run before anything is written.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use retold::internal::thousands;
use retold::{Error, Findings, Rank, Result};
use serde::{Deserialize, Serialize};

use crate::losses::{input, site};
use crate::tally::{Loser, Tallies, Tally};

/// Sites and inputs with fewer pages than this reach no limit.
const LEAST_PAGES: u64 = 20;
/// Parts of a limit's share: hundredths of a percent.
const WHOLE: u32 = 10_000;

/// A share of dropped pages that ends a run before anything is written.
///
/// ```
/// let limit: retold_report::StopIf = "site-dropped=80%".parse().unwrap();
/// assert_eq!(limit.to_string(), "site-dropped=80%");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StopIf {
    of: Whose,
    /// The share, of [`WHOLE`].
    share: u32,
}

/// Of whose pages the share is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    All,
    Site,
    Input,
}

const NAMES: [(&str, Whose); 3] = [
    ("dropped", Whose::All),
    ("site-dropped", Whose::Site),
    ("input-dropped", Whose::Input),
];

impl StopIf {
    fn is_reached(self, dropped: u64, pages: u64) -> bool {
        pages > 0
            && u128::from(dropped) * u128::from(WHOLE) >= u128::from(pages) * u128::from(self.share)
    }

    fn percent(self) -> f64 {
        f64::from(self.share) * 100.0 / f64::from(WHOLE)
    }
}

impl fmt::Display for StopIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMES.iter().find(|(_, of)| *of == self.of);
        let name = named.map_or("", |(name, _)| name);
        write!(f, "{name}={}%", self.percent())
    }
}

impl FromStr for StopIf {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<StopIf, String> {
        let parsed = || {
            let (name, share) = text.split_once('=')?;
            let (_, of) = NAMES.iter().find(|(own, _)| *own == name.trim())?;
            let percent: f64 = share.trim().strip_suffix('%')?.trim().parse().ok()?;
            let share = (percent / 100.0 * f64::from(WHOLE)).round();
            let is_share = percent <= 100.0 && share >= 1.0;
            is_share.then_some(StopIf {
                of: *of,
                share: share as u32,
            })
        };
        parsed().ok_or_else(|| {
            format!(
                "`{text}`: dropped, site-dropped or input-dropped expected, with a share over 0 and up to 100 %, as in dropped=30%"
            )
        })
    }
}

impl TryFrom<String> for StopIf {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<StopIf, String> {
        text.parse()
    }
}

impl From<StopIf> for String {
    fn from(limit: StopIf) -> String {
        limit.to_string()
    }
}

/// Errors: a limit is reached. The message says what reached it, for whose pages, and what to do.
pub(crate) fn check(limits: &[StopIf], findings: &Findings, tallies: &Tallies) -> Result<()> {
    let reached = limits.iter().find_map(|&limit| match limit.of {
        Whose::All => all_reach(limit, findings),
        Whose::Site => some_reach(limit, "site", &tallies.sites, |number| {
            site(findings, number)
        }),
        Whose::Input => some_reach(limit, "input", &tallies.inputs, |number| {
            input(findings, number)
        }),
    });
    match reached {
        None => Ok(()),
        Some(reached) => Err(Error::Stopped(format!(
            "stopped before anything was written: {reached}. Without the limit, a run into another folder writes a report that shows why; \
             raise the limit if they may go"
        ))),
    }
}

/// Says how all pages reach a limit, if they do, and for which page most of them would go.
fn all_reach(limit: StopIf, findings: &Findings) -> Option<String> {
    let pages = (findings.collection.pages.len() - findings.old_pages) as u64;
    let dropped = findings.dropped.len() as u64;
    if !limit.is_reached(dropped, pages) {
        return None;
    }
    let mut by_page: BTreeMap<Rank, u64> = BTreeMap::new();
    for drop in &findings.dropped {
        *by_page.entry(drop.canonical).or_default() += 1;
    }
    // Of equal numbers the first page by id.
    let most = by_page.iter().rev().max_by_key(|(_, pages)| **pages);
    let most = most.map(|(&page, &pages)| {
        let page = findings.id(page);
        format!("; {} of them for the page {page}", thousands(pages))
    });
    let would_go = would_go(limit, dropped, pages, "");
    Some(would_go + &most.unwrap_or_default())
}

/// Says how a site or input reaches a limit, the worst of those that do, and how many others do.
fn some_reach<'n>(
    limit: StopIf,
    kind: &str,
    tally: &Tally,
    name: impl Fn(u32) -> Option<&'n str>,
) -> Option<String> {
    let reaches =
        |loser: &Loser| loser.pages >= LEAST_PAGES && limit.is_reached(loser.dropped, loser.pages);
    let losers = tally.losers(&name).into_iter();
    let reached: Vec<Loser> = losers.filter(reaches).collect();
    let worst = reached.first()?;
    let own = name(worst.number).unwrap_or_default();
    let (by, pages) = worst.most;
    let by = match name(by) {
        _ if by == worst.number => "other pages of its own".to_owned(),
        Some(other) => format!("pages of {other}"),
        None if kind == "site" => "pages without a site".to_owned(),
        None => "pages of the index".to_owned(),
    };
    let others = match reached.len() - 1 {
        0 => String::new(),
        1 => format!("; 1 other {kind} reaches the limit"),
        others => format!(
            "; {} other {kind}s reach the limit",
            thousands(others as u64)
        ),
    };
    Some(format!(
        "{}; {} of them for {by}{others}",
        would_go(
            limit,
            worst.dropped,
            worst.pages,
            &format!(" of the {kind} {own}")
        ),
        thousands(pages)
    ))
}

/// How many of the pages would be dropped, and the limit; `whose` follows their number.
fn would_go(limit: StopIf, dropped: u64, pages: u64, whose: &str) -> String {
    format!(
        "{} of the {} pages{whose} ({:.1} %) would be dropped, and the limit is {} %",
        thousands(dropped),
        thousands(pages),
        100.0 * dropped as f64 / pages.max(1) as f64,
        limit.percent()
    )
}

#[cfg(test)]
mod tests {
    use retold::{JudgeConfig, Page, dedup};

    use super::*;
    use crate::flagged::tests::story;

    #[test]
    fn limits_are_read_and_written() {
        for text in ["dropped=30%", "site-dropped=99.95%", "input-dropped=100%"] {
            let limit: StopIf = text.parse().unwrap();
            assert_eq!(limit.to_string(), text);
        }
        let spaced: StopIf = " dropped = 7 % ".parse().unwrap();
        assert_eq!(spaced.to_string(), "dropped=7%");
        for wrong in [
            "dropped",
            "30%",
            "dropped=30",
            "dropped=0%",
            "dropped=101%",
            "dropped=NaN%",
            "dropped=-1%",
            "sites=3%",
        ] {
            let said = wrong.parse::<StopIf>().unwrap_err();
            assert!(said.contains("as in dropped=30%"), "{said}");
        }
    }

    #[test]
    fn a_share_reaches_its_limit_by_hand() {
        let limit: StopIf = "dropped=33.33%".parse().unwrap();
        // A third is more than 33.33 %; 3,332 of 10,000 are less, 3,333 are just that.
        assert!(limit.is_reached(1, 3));
        assert!(!limit.is_reached(3_332, 10_000));
        assert!(limit.is_reached(3_333, 10_000));
        assert!(!limit.is_reached(0, 0));
    }

    /// Of 24 pages of a.example 12 go for b.example, of 19 of c.example all but one for that one.
    #[test]
    fn who_reaches_a_limit_by_hand() {
        let page = |id: String, site: &str, text: String| {
            let url = format!("https://{site}/{id}");
            Page::text(id, text).with_url(url)
        };
        let a = (0..24).map(|n| page(format!("a{n:02}"), "a.example", story(n)));
        let b = (0..12).map(|n| {
            let longer = format!("{} Read more news tomorrow.", story(n));
            page(format!("b{n:02}"), "b.example", longer)
        });
        let c = (0..19).map(|n| page(format!("c{n:02}"), "c.example", story(40)));
        let findings = dedup(a.chain(b).chain(c), &JudgeConfig::default()).unwrap();
        let tallies = Tallies::of(&findings);
        let said = |limit: &str| {
            let ended = check(&[limit.parse().unwrap()], &findings, &tallies);
            ended.err().map(|error| error.to_string())
        };
        // 30 of 55 are 54.5 %.
        assert_eq!(said("dropped=55%"), None);
        let all = said("dropped=54%").unwrap();
        assert!(
            all.contains(
                "30 of the 55 pages (54.5 %) would be dropped, and the limit is 54 %; 18 of them for the page c00. "
            ),
            "{all}"
        );
        // c.example has fewer than 20 pages.
        assert_eq!(said("site-dropped=50.01%"), None);
        let site = said("site-dropped=50%").unwrap();
        assert!(
            site.contains(
                "12 of the 24 pages of the site a.example (50.0 %) would be dropped, and the limit is 50 %; 12 of them for pages of b.example. "
            ),
            "{site}"
        );
        let input = said("input-dropped=50%").unwrap();
        assert!(
            input.contains("; 30 of them for other pages of its own. "),
            "{input}"
        );
    }
}
