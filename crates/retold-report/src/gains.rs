//! Sites for whose pages many pages of other sites were dropped.

use retold::Findings;
use serde::Serialize;

use crate::tally::{Gone, Tally};

/// A site is listed if so many pages of other sites were dropped for its pages,
const LEAST_PAGES: u64 = 20;
/// or more than one in so many pages of another site that has [`LEAST_PAGES`].
const SHARE: u64 = 3;

/// A site for whose pages many pages of other sites were dropped: the first to tell much, or one that took it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Gain {
    /// The site.
    pub site: String,
    /// Pages of other sites that were dropped for its pages.
    pub pages: u64,
    /// The number of these sites.
    pub sites: u64,
    /// The one that lost the most pages to it.
    pub most: SiteLoss,
}

/// Pages of a site that were dropped for another one's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SiteLoss {
    /// The site.
    pub site: String,
    /// Its pages that were dropped for the other site's.
    pub pages: u64,
    /// All its pages.
    pub of: u64,
}

/// The sites that gained the most come first.
pub(crate) fn gains(findings: &Findings, sites: &Tally) -> Vec<Gain> {
    let name = |site: u32| findings.collection.sites[site as usize].clone();
    // Versions of an address belong to its site, whoever has them.
    let taken = sites.gone.iter().filter(|gone| {
        gone.keeps != gone.loses
            && ![gone.keeps, gone.loses].contains(&sites.none())
            && gone.pages > gone.versions
    });
    let taken: Vec<&Gone> = taken.collect();
    let gains = taken
        .chunk_by(|a, b| a.keeps == b.keeps)
        .filter_map(|losses| {
            let loss = |gone: &&Gone| SiteLoss {
                site: name(gone.loses),
                pages: u64::from(gone.pages - gone.versions),
                of: sites.pages(gone.loses),
            };
            let losses_of = || losses.iter().map(loss);
            let is_large = |loss: &SiteLoss| loss.of >= LEAST_PAGES && loss.pages * SHARE > loss.of;
            let pages = losses_of().map(|loss| loss.pages).sum();
            if pages < LEAST_PAGES && !losses_of().any(|loss| is_large(&loss)) {
                return None;
            }
            let most = losses_of().max_by(|a, b| (a.pages, &b.site).cmp(&(b.pages, &a.site)));
            Some(Gain {
                site: name(losses[0].keeps),
                pages,
                sites: losses.len() as u64,
                most: most?,
            })
        });
    let mut gains: Vec<Gain> = gains.collect();
    gains.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.site.cmp(&b.site)));
    gains
}

#[cfg(test)]
mod tests {
    use retold::{JudgeConfig, Page, dedup};

    use super::*;
    use crate::flagged::tests::story;
    use crate::tally::Tallies;

    fn gains_of(pages: impl IntoIterator<Item = (String, String)>) -> Vec<Gain> {
        let pages = pages.into_iter().enumerate().map(|(number, (site, text))| {
            let mut page = Page::text(format!("p{number:03}"), text);
            page.url = Some(format!("https://{site}/{number}"));
            page
        });
        let findings = dedup(pages, &JudgeConfig::default()).unwrap();
        gains(&findings, &Tallies::of(&findings).sites)
    }

    /// A site adds a paragraph to pages of others: twenty are listed, nineteen are not.
    #[test]
    fn a_site_that_replaces_twenty_pages_by_hand() {
        let spam = story(5000);
        let found = |count: usize| {
            let honest = (0..count).map(|n| (format!("site{}.example", n % 10), story(n)));
            let longer =
                (0..count).map(|n| ("evil.example".to_owned(), format!("{}\n\n{spam}", story(n))));
            gains_of(honest.chain(longer))
        };
        assert_eq!(found(19), []);
        let expected = Gain {
            site: "evil.example".into(),
            pages: 20,
            sites: 10,
            most: SiteLoss {
                site: "site0.example".into(),
                pages: 2,
                of: 2,
            },
        };
        assert_eq!(found(20), [expected]);
    }

    /// Of 20 pages of a site, 7 are more than a third; pages of one site that repeat each other are no gain.
    #[test]
    fn a_site_that_replaces_a_third_of_another_by_hand() {
        let found = |taken: usize| {
            let honest = (0..20).map(|n| ("honest.example".to_owned(), story(n)));
            let longer = (0..taken).map(|n| ("a.example".to_owned(), story(n) + &story(3000 + n)));
            let own = (0..40).map(|_| ("b.example".to_owned(), story(4000)));
            gains_of(honest.chain(longer).chain(own))
        };
        assert_eq!(found(6), []);
        let found = found(7);
        assert_eq!((found.len(), found[0].pages, found[0].most.of), (1, 7, 20));
    }
}
