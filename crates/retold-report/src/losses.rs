//! Inputs and sites whose pages were dropped, and for whose pages.

use retold::Findings;
use serde::Serialize;

use crate::tally::{Loser, Tallies, Tally};

/// Inputs, and sites, that are listed at most.
const LISTED: usize = 20;

/// Inputs and sites that lost pages, the worst first: by the number of dropped pages times their share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Losses {
    /// Input files.
    pub inputs: Vec<Loss>,
    /// The number of further input files that lost pages.
    pub more_inputs: u64,
    /// Sites.
    pub sites: Vec<Loss>,
    /// The number of further sites that lost pages.
    pub more_sites: u64,
}

/// What an input or a site lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The input file, or the site.
    pub name: String,
    /// Its pages.
    pub read: u64,
    /// Those that are kept.
    pub kept: u64,
    /// Those that are dropped.
    pub dropped: u64,
    /// Words of their own that went with the dropped ones.
    pub lost: u64,
    /// For whose pages most of them were dropped.
    pub most: Successor,
}

/// The input or site whose pages stand for dropped ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Successor {
    /// The input file, or the site; `None` for an index, and for pages without a site.
    pub name: Option<String>,
    /// The dropped pages for which its pages stand.
    pub pages: u64,
}

impl Losses {
    pub(crate) fn of(findings: &Findings, tallies: &Tallies) -> Losses {
        let (inputs, more_inputs) = listed(&tallies.inputs, |number| input(findings, number));
        let (sites, more_sites) = listed(&tallies.sites, |number| site(findings, number));
        Losses {
            inputs,
            more_inputs,
            sites,
            more_sites,
        }
    }
}

/// The name of an input file; an index has none.
pub(crate) fn input(findings: &Findings, number: u32) -> Option<&str> {
    let source = findings.sources.get(number as usize)?;
    Some(&source.name)
}

/// The name of a site; pages without one have none.
pub(crate) fn site(findings: &Findings, number: u32) -> Option<&str> {
    let name = findings.collection.sites.get(number as usize)?;
    Some(name)
}

/// The worst losses, and the number of others.
fn listed<'n>(tally: &Tally, name: impl Fn(u32) -> Option<&'n str>) -> (Vec<Loss>, u64) {
    let named = |number: u32| name(number).map(str::to_owned);
    let losers = tally.losers(&name);
    let worst = losers.iter().take(LISTED).map(|loser: &Loser| Loss {
        name: named(loser.number).unwrap_or_default(),
        read: loser.pages,
        kept: loser.pages - loser.dropped,
        dropped: loser.dropped,
        lost: loser.lost,
        most: Successor {
            name: named(loser.most.0),
            pages: loser.most.1,
        },
    });
    let worst: Vec<Loss> = worst.collect();
    let more = (losers.len() - worst.len()) as u64;
    (worst, more)
}

#[cfg(test)]
mod tests {
    use retold::{JudgeConfig, Page, dedup};

    use super::*;
    use crate::flagged::tests::story;

    /// Of 3 pages of a.example two go for b.example and one for a page without a site; of 22 other sites one page each goes for b.example.
    #[test]
    fn losses_by_hand() {
        let page = |id: &str, site: Option<&str>, text: String| {
            let page = Page::text(id, text);
            match site {
                None => page,
                Some(site) => page.with_url(format!("https://{site}/{id}")),
            }
        };
        let longer = |number: usize| format!("{} Read more news tomorrow.", story(number));
        let mut pages = vec![page("none", None, longer(2))];
        for number in 0..3 {
            let id = format!("a{number}");
            pages.push(page(&id, Some("a.example"), story(number)));
        }
        for number in [0, 1].into_iter().chain(10..32) {
            let id = format!("b{number}");
            pages.push(page(&id, Some("b.example"), longer(number)));
        }
        for number in 10..32 {
            let (id, site) = (format!("s{number}"), format!("s{number}.example"));
            pages.push(page(&id, Some(&site), story(number)));
        }
        let findings = dedup(pages, &JudgeConfig::default()).unwrap();
        let losses = Losses::of(&findings, &Tallies::of(&findings));
        let loss = |name: &str, read: u64, kept: u64, most: &str, pages: u64| Loss {
            name: name.to_owned(),
            read,
            kept,
            dropped: read - kept,
            lost: 0,
            most: Successor {
                name: Some(most.to_owned()),
                pages,
            },
        };
        assert_eq!(losses.sites[0], loss("a.example", 3, 0, "b.example", 2));
        assert_eq!(losses.sites[1], loss("s10.example", 1, 0, "b.example", 1));
        assert_eq!((losses.sites.len(), losses.more_sites), (20, 3));
        // 1 and 3 and 24 and 22 pages came from one input.
        let name = findings.sources[0].name.clone();
        assert_eq!(losses.inputs, [loss(&name, 50, 25, &name, 25)]);
        assert_eq!(losses.more_inputs, 0);
    }
}
