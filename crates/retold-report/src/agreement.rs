//! How many tell what the pages of a cluster tell.

use std::collections::HashSet;

use rayon::prelude::*;
use retold::internal::date_text;
use retold::{Findings, Rank};
use serde::{Serialize, Serializer};

/// How many tell what a page, or the pages of a cluster, tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Agreement {
    /// Pages. Exact copies of one site, in the sense of `sites`, count once; without a site, those of one input.
    pub pages: u64,
    /// Different sites, by the domains that are registered: `news.one.example` is a part of `one.example`. Pages without a site are of none.
    pub sites: u64,
    /// Different input files. An index is one.
    pub inputs: u64,
    /// The earliest date of the pages, in seconds since 1970.
    #[serde(serialize_with = "written")]
    pub first_date: Option<i64>,
    /// The latest date of the pages.
    #[serde(serialize_with = "written")]
    pub last_date: Option<i64>,
    /// Words of their own that went with the dropped ones among the pages.
    pub lost: u64,
}

/// A date as in the other tables.
fn written<S: Serializer>(date: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
    date.and_then(date_text).serialize(to)
}

/// Who has a page: its site, or, without one, its input.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Origin<'a> {
    Site(&'a str),
    Input(u32),
}

impl Agreement {
    /// The agreement of each cluster, in the order of clusters.
    pub fn of_clusters(findings: &Findings) -> Vec<Agreement> {
        let clusters = findings.clusters.par_iter();
        clusters
            .map(|cluster| Agreement::of(findings, &cluster.members))
            .collect()
    }

    /// The agreement of these pages.
    pub(crate) fn of(findings: &Findings, pages: &[Rank]) -> Agreement {
        let (mut texts, mut sites, mut inputs) = (HashSet::new(), HashSet::new(), HashSet::new());
        let (mut first_date, mut last_date): (Option<i64>, Option<i64>) = (None, None);
        let mut lost = 0;
        for &page in pages {
            let row = findings.page(page);
            let site = row
                .site
                .map(|site| domain(&findings.collection.sites[site as usize]));
            let origin = site.map_or(Origin::Input(row.source), Origin::Site);
            texts.insert((origin, row.text_hash));
            sites.extend(site);
            inputs.insert(row.source);
            first_date = first_date.into_iter().chain(row.date).min();
            last_date = last_date.max(row.date);
            lost += lost_with(findings, page);
        }
        Agreement {
            pages: texts.len() as u64,
            sites: sites.len() as u64,
            inputs: inputs.len() as u64,
            first_date,
            last_date,
            lost,
        }
    }
}

/// The registered domain of a site, by the Public Suffix List; or the site, if it is none.
fn domain(site: &str) -> &str {
    psl::domain_str(site).unwrap_or(site)
}

/// Words of its own that went with a page; none if it is kept.
fn lost_with(findings: &Findings, page: Rank) -> u64 {
    let dropped = &findings.dropped;
    let at = dropped.binary_search_by_key(&page, |drop| drop.page);
    at.map_or(0, |at| u64::from(dropped[at].lost))
}

#[cfg(test)]
mod tests {
    use retold::{JudgeConfig, Page, dedup};

    use super::*;
    use crate::flagged::tests::story;

    #[test]
    fn domains_by_hand() {
        for (site, expected) in [
            ("news.one.example", "one.example"),
            ("one.example", "one.example"),
            ("www.bbc.co.uk", "bbc.co.uk"),
            ("paper.people.com.cn", "people.com.cn"),
            // Everybody can register there.
            ("me.github.io", "me.github.io"),
            ("localhost", "localhost"),
            ("The Daily", "The Daily"),
        ] {
            assert_eq!(domain(site), expected);
        }
    }

    /// Seven pages of one story: three exact copies of one site, a version of it there, an exact copy elsewhere, and two without a URL.
    #[test]
    fn copies_of_one_site_count_once_by_hand() {
        let text = story(1);
        let longer = format!("{text} Read more news tomorrow.");
        let page = |id: &str, url: &str, date: &str, text: &str| {
            let page = Page::text(id, text).with_date(date);
            match url {
                "" => page,
                url => page.with_url(url),
            }
        };
        let pages = [
            page("a", "https://www.one.example/1", "2026-03-02", &text),
            page("b", "https://one.example/2", "2026-03-05", &text),
            page("c", "https://one.example/3", "", &longer),
            page("d", "https://two.example/1", "2026-03-01", &text),
            page("e", "", "2026-03-04", &text),
            page("f", "", "", &text),
            page("g", "https://news.one.example/4", "2026-03-04", &text),
        ];
        let mut findings = dedup(pages, &JudgeConfig::default()).unwrap();
        assert_eq!(findings.clusters.len(), 1);
        assert_eq!(findings.dropped.len(), 6);
        findings.dropped[0].lost = 3;
        findings.dropped[4].lost = 4;
        let expected = Agreement {
            // a, b and g are one, then c, d, and e and f, which are of one input.
            pages: 4,
            sites: 2,
            inputs: 1,
            first_date: Some(1_772_323_200),
            last_date: Some(1_772_668_800),
            lost: 7,
        };
        assert_eq!(Agreement::of_clusters(&findings), [expected]);
        assert_eq!(
            serde_json::to_string(&expected).unwrap(),
            r#"{"pages":4,"sites":2,"inputs":1,"first_date":"2026-03-01T00:00:00Z","last_date":"2026-03-05T00:00:00Z","lost":7}"#
        );
        // A page alone.
        let alone = Agreement::of(&findings, &findings.clusters[0].members[5..6]);
        assert_eq!((alone.pages, alone.sites, alone.inputs), (1, 0, 1));
        assert_eq!((alone.first_date, alone.lost), (None, 4));
    }
}
