//! Flags clusters that people should check before they trust them.

use std::collections::{BTreeMap, HashMap};

use retold::{Findings, Rank};
use serde::Serialize;

/// Smaller sites are never reported as collapsed.
const LEAST_SITE: usize = 20;
/// Consecutive pages that are looked at together.
const WINDOW: usize = 50;
/// A site or a window has collapsed if more than one in this many of its pages was dropped for one page.
const SHARE: usize = 3;

/// A suspicious cluster.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Flagged {
    /// Cluster number.
    pub cluster: u64,
    /// Id of the canonical page.
    pub canonical: String,
    /// Number of pages.
    pub pages: u64,
    /// Reported pairs divided by possible pairs.
    pub density: f64,
    /// Whether more than a third of a site, or of fifty consecutive pages, was dropped for one of its pages.
    pub collapsed: bool,
    /// Why it is flagged, for people.
    pub reason: String,
}

/// Clusters that are very large, have few related pairs, or into which much of a site or of the input has collapsed.
pub(crate) fn flagged(findings: &Findings, alarm_size: usize) -> Vec<Flagged> {
    let collapsed = collapsed(findings);
    let mut flagged = Vec::new();
    for (number, cluster) in findings.clusters.iter().enumerate() {
        let pages = cluster.members.len();
        let mut reasons = Vec::new();
        if pages > alarm_size {
            reasons.push(format!("more than {alarm_size} pages"));
        }
        if cluster.is_loose() {
            reasons.push("fewer than half of its possible pairs are related".to_owned());
        }
        let others = reasons.len();
        let members = cluster.members.iter();
        reasons.extend(members.filter_map(|member| collapsed.get(member)).cloned());
        if reasons.is_empty() {
            continue;
        }
        let possible = pages as f64 * (pages as f64 - 1.0) / 2.0;
        flagged.push(Flagged {
            cluster: number as u64,
            canonical: findings.id(cluster.canonical).into_owned(),
            pages: pages as u64,
            density: (cluster.pairs as f64 / possible * 1e6).round() / 1e6,
            collapsed: reasons.len() > others,
            reason: reasons.join(", and "),
        });
    }
    flagged
}

/// Kept pages for which more than a third of a site, or of fifty consecutive pages, was dropped, each with a description.
fn collapsed(findings: &Findings) -> HashMap<Rank, String> {
    let mut dropped: BTreeMap<Rank, Vec<Rank>> = BTreeMap::new();
    let by_texts = findings.dropped.iter();
    let by_texts = by_texts.filter(|drop| drop.relation.of_texts().is_some());
    for drop in by_texts {
        dropped.entry(drop.canonical).or_default().push(drop.page);
    }
    // With fewer dropped pages, neither limit can be exceeded.
    dropped.retain(|_, pages| pages.len() > LEAST_SITE / SHARE);
    if dropped.is_empty() {
        return HashMap::new();
    }
    let of_site = pages_of_sites(findings);
    let said = dropped.iter().filter_map(|(&canonical, pages)| {
        let what = site_collapsed(findings, pages, &of_site)
            .or_else(|| fifty_collapsed(findings, pages))?;
        let boilerplate = match boilerplate(findings, canonical) {
            Some(share) => format!(", of which {:.0} % is boilerplate", 100.0 * share),
            None => String::new(),
        };
        let id = findings.id(canonical);
        Some((
            canonical,
            format!("{what} were dropped for {id}{boilerplate}"),
        ))
    });
    said.collect()
}

/// How many pages each site has, without old pages.
fn pages_of_sites(findings: &Findings) -> HashMap<u32, usize> {
    let mut of_site: HashMap<u32, usize> = HashMap::new();
    let own = findings.collection.pages.len() - findings.old_pages;
    let sites = findings.collection.pages.iter().take(own);
    for site in sites.filter_map(|page| page.site) {
        *of_site.entry(site).or_default() += 1;
    }
    of_site
}

/// The first site, by number, more than a third of whose pages are among these.
fn site_collapsed(
    findings: &Findings,
    pages: &[Rank],
    of_site: &HashMap<u32, usize>,
) -> Option<String> {
    let mut gone: BTreeMap<u32, usize> = BTreeMap::new();
    for site in pages.iter().filter_map(|&page| findings.page(page).site) {
        *gone.entry(site).or_default() += 1;
    }
    let (site, gone, all) = gone
        .into_iter()
        .map(|(site, gone)| (site, gone, of_site.get(&site).copied().unwrap_or(0)))
        .find(|&(_, gone, all)| all >= LEAST_SITE && gone * SHARE > all)?;
    let site = &findings.collection.sites[site as usize];
    Some(format!("{gone} of the {all} pages of {site}"))
}

/// The first window of fifty consecutive pages, in the order of reading, more than a third of which are among these.
fn fifty_collapsed(findings: &Findings, pages: &[Rank]) -> Option<String> {
    if findings.collection.pages.len() - findings.old_pages < WINDOW {
        return None;
    }
    let least = WINDOW / SHARE;
    let mut read: Vec<usize> = pages
        .iter()
        .map(|page| findings.by_id[page.at()].at())
        .collect();
    read.sort_unstable();
    let at = read
        .windows(least + 1)
        .position(|window| window[least] - window[0] < WINDOW)?;
    let gone = read[at..]
        .iter()
        .take_while(|&&page| page - read[at] < WINDOW);
    Some(format!("{} of {WINDOW} consecutive pages", gone.count()))
}

/// The share of boilerplate keys in a page's sketch; `None` if it has no sketch.
fn boilerplate(findings: &Findings, page: Rank) -> Option<f64> {
    let sketch = findings.sketches().get(findings.page(page).sketch);
    let keys = sketch.as_ref().keys;
    let common = keys.iter().filter(|&&key| findings.model.is_common(key));
    (!keys.is_empty()).then(|| common.count() as f64 / keys.len() as f64)
}

#[cfg(test)]
pub(crate) mod tests {
    use retold::{JudgeConfig, Page, dedup};

    use super::*;

    pub(crate) fn story(number: usize) -> String {
        let sentence = |n: usize| {
            let word = |at: usize| format!("w{}x{n}x{at}", number * 7919 % 10_007);
            let words: Vec<String> = (0..8).map(word).collect();
            format!("The {}. ", words.join(" "))
        };
        (0..15).map(sentence).collect()
    }

    /// The clusters flagged for pages in the order of their ids; each has the number of a story, and a site.
    fn flagged_of(pages: impl Iterator<Item = (usize, Option<&'static str>)>) -> Vec<Flagged> {
        let pages = pages.enumerate().map(|(number, (told, site))| {
            let mut page = Page::text(format!("p{number:03}"), story(told));
            page.url = site.map(|site| format!("https://{site}/{number}"));
            page
        });
        flagged(&dedup(pages, &JudgeConfig::default()).unwrap(), 1000)
    }

    /// Of 24 pages of a site, 9 tell one story, so 8 are dropped, which is exactly a third; one more exceeds it.
    #[test]
    fn a_site_collapses_by_hand() {
        let site = |copies: usize| {
            let told = move |number: usize| if number < copies { 0 } else { number };
            flagged_of((0..24).map(move |number| (told(number), Some("one.example"))))
        };
        assert!(site(9).is_empty());
        let flagged = site(10);
        assert_eq!(
            (flagged.len(), flagged[0].collapsed, flagged[0].pages),
            (1, true, 10)
        );
        let reason = &flagged[0].reason;
        let told = format!(
            "9 of the 24 pages of one.example were dropped for {}",
            flagged[0].canonical
        );
        assert!(reason.starts_with(&told), "{reason}");
        assert!(reason.ends_with("of which 0 % is boilerplate"), "{reason}");
    }

    /// A site of 19 pages is too small. 17 pages are dropped within 49 consecutive pages, or within 65.
    #[test]
    fn fifty_pages_in_a_row_by_hand() {
        let small = |number: usize| (if number < 9 { 0 } else { number }, Some("small.example"));
        assert!(flagged_of((0..19).map(small)).is_empty());
        // All of 49 pages but one are dropped, and all of 50.
        let alike = |count: usize| flagged_of((0..count).map(|_| (0, None)));
        assert!(alike(49).is_empty());
        let reason = &alike(50)[0].reason;
        assert!(reason.starts_with("49 of 50 consecutive pages"), "{reason}");
        let spread = |step: usize| {
            let told = move |number: usize| {
                if number.is_multiple_of(step) && number / step < 18 {
                    0
                } else {
                    number + 1
                }
            };
            flagged_of((0..120).map(move |number| (told(number), None)))
        };
        // Every third page tells the story; the first one is kept.
        let flagged = spread(3);
        assert!(
            flagged[0]
                .reason
                .starts_with("17 of 50 consecutive pages were dropped for ")
        );
        assert!(spread(4).is_empty());
    }
}
