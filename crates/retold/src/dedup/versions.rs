//! Pages with the same address are versions of one page, and one of them is chosen before anything is compared.

use rustc_hash::FxHashMap;

use super::context::{old_first, preference, ranks};
use super::retain::{Dropped, DroppedAs};
use crate::address::SameUrl;
use crate::collect::Collection;
use crate::error::Result;
use crate::ids::{PageNo, Rank};
use crate::model::Model;
use crate::spill::Sorter;
use crate::watch::Watch;

/// Finds the pages of each address ([`Collection::versions`]). Unless all versions are kept, older ones that are not old pages are neither
/// counted nor compared ([`Collection::is_superseded`]).
///
/// The newest is the one with the latest date; among equal dates, or without dates, the most preferred. But a page with a text comes before
/// one without, and a fetched page before one that was cut off or that a crawler derived from it. And a newer page that says less, and is
/// hardly the same page, does not replace an older one ([`Captures::whole_first`]).
///
/// Errors: a temporary file cannot be written.
pub(super) fn find_versions(
    collection: &mut Collection,
    model: &Model,
    old_pages: usize,
    watch: &dyn Watch,
) -> Result<()> {
    choose_versions(collection, model, old_pages, None, watch)
}

/// As `find_versions`, among pages that are all those of their addresses, out of a larger collection; `elsewhere` says of each whether its
/// text stands at other addresses too.
///
/// Errors: a temporary file cannot be written.
pub fn find_versions_of(
    collection: &mut Collection,
    model: &Model,
    elsewhere: &[bool],
) -> Result<()> {
    choose_versions(collection, model, 0, Some(elsewhere), &())
}

fn choose_versions(
    collection: &mut Collection,
    model: &Model,
    old_pages: usize,
    elsewhere: Option<&[bool]>,
    watch: &dyn Watch,
) -> Result<()> {
    let rules = model.config().addresses;
    if !rules.are_on() {
        return Ok(());
    }
    let by_id = collection.pages.by_id();
    let first_old = collection.pages.len() - old_pages;
    let is_old: Vec<bool> = by_id.iter().map(|page| page.at() >= first_old).collect();
    // Warnings about missing data are given when pages are compared.
    let preference = preference(collection, &model.config().canonical, &by_id, &())?;
    let preference = old_first(&preference, &is_old);
    let mut sorter = Sorter::new(collection.memory());
    let mut without = 0;
    for (page, rank) in PageNo::first(by_id.len()).zip(ranks(&by_id)) {
        let address = model.address(&collection.pages.seen(page));
        if address.own == 0 {
            without += 1;
            continue;
        }
        let row = collection.page(page);
        let worse = u64::from(row.text_hash.is_none()) << 1 | u64::from(address.is_derived);
        sorter.push([
            (address.own >> 64) as u64,
            address.own as u64,
            worse,
            // Maps signed dates to descending unsigned numbers, with missing dates last.
            row.date.map_or(u64::MAX, |date| !(date as u64 ^ 1 << 63)),
            u64::from(preference[rank.at()]) << 32 | u64::from(rank.0),
        ])?;
    }
    warn_of_missing(rules.same_url, without, by_id.len(), watch);
    let mut versions = runs(sorter)?;
    if rules.drops() {
        let elsewhere = match elsewhere {
            Some(known) => known.to_vec(),
            None => elsewhere_too(collection, model, &by_id, &versions),
        };
        let captures = Captures {
            collection,
            by_id: &by_id,
            elsewhere,
        };
        let passed_over = versions
            .iter_mut()
            .filter_map(|pages| captures.whole_first(pages));
        warn_of_passed_over(rules.same_url, passed_over.count(), watch);
    }
    versions.sort_unstable();
    if rules.drops() {
        let mut superseded = vec![false; by_id.len()];
        let others = versions.iter().flat_map(|pages| &pages[1..]);
        for page in others.filter(|page| !is_old[page.at()]) {
            superseded[by_id[page.at()].at()] = true;
        }
        collection.superseded = superseded;
    }
    collection.versions = versions;
    Ok(())
}

/// A version with less than this part of another's text is not taken for the same page.
const LEAST_PART: u64 = 3;

/// For each page whether it is a version with a text that stands at other addresses too.
fn elsewhere_too(
    collection: &Collection,
    model: &Model,
    by_id: &[PageNo],
    versions: &[Vec<Rank>],
) -> Vec<bool> {
    let text = |page: PageNo| collection.page(page).text_hash;
    let pages = || versions.iter().flatten().map(|rank| by_id[rank.at()]);
    // Text -> the address that it stands at; `None` if there are several.
    let mut address_of: FxHashMap<u128, Option<u128>> = pages()
        .filter_map(text)
        .map(|text| (text, Some(0)))
        .collect();
    for page in PageNo::first(by_id.len()) {
        if let Some(known) = text(page).and_then(|text| address_of.get_mut(&text)) {
            *known = match (*known, model.address(&collection.pages.seen(page)).own) {
                (Some(0), own) => Some(own),
                (Some(address), own) if own != 0 && own != address => None,
                (known, _) => known,
            };
        }
    }
    let mut elsewhere = vec![false; by_id.len()];
    for page in pages() {
        elsewhere[page.at()] = text(page).is_some_and(|text| address_of[&text].is_none());
    }
    elsewhere
}

/// What the versions of addresses say.
struct Captures<'a> {
    collection: &'a Collection,
    by_id: &'a [PageNo],
    /// For each page, whether its text stands at other addresses too.
    elsewhere: Vec<bool>,
}

impl Captures<'_> {
    /// Moves the first version that is not lesser than an older one to the front; `None` if it is there. A version is lesser if it has less
    /// than a third of the older one's text, or if it is shorter and says what stands at other addresses too (a challenge, a login) while
    /// the older one does not. Linear.
    fn whole_first(&self, pages: &mut [Rank]) -> Option<()> {
        let (mut place, mut longest, mut longest_here) = (0, 0, 0);
        for (at, &rank) in pages.iter().enumerate().rev() {
            let page = self.by_id[rank.at()];
            let row = self.collection.page(page);
            let is_elsewhere = self.elsewhere[page.at()];
            let is_lesser =
                row.chars * LEAST_PART < longest || is_elsewhere && row.chars < longest_here;
            if !is_lesser {
                place = at;
            }
            longest = longest.max(row.chars);
            if !is_elsewhere {
                longest_here = longest_here.max(row.chars);
            }
        }
        pages[..=place].rotate_right(1);
        (place > 0).then_some(())
    }
}

/// The groups of pages with one address.
fn runs(sorter: Sorter<[u64; 5]>) -> Result<Vec<Vec<Rank>>> {
    let (mut runs, mut run, mut last) = (Vec::new(), Vec::new(), None);
    for [high, low, .., page] in sorter.finish()? {
        if last.replace((high, low)) != Some((high, low)) {
            runs.extend(Some(std::mem::take(&mut run)).filter(|run: &Vec<Rank>| run.len() > 1));
        }
        run.push(Rank(page as u32));
    }
    runs.extend(Some(run).filter(|run| run.len() > 1));
    Ok(runs)
}

/// Adds to the dropped pages those that were left out for a newer version. They are dropped for that one, or for the page for which it is
/// dropped.
pub(super) fn with_superseded(
    mut dropped: Vec<Dropped>,
    by_id: &[PageNo],
    collection: &Collection,
) -> Vec<Dropped> {
    let mut more = Vec::new();
    for pages in &collection.versions {
        let newest = pages[0];
        let found = dropped.binary_search_by_key(&newest, |dropped| dropped.page);
        let canonical = found.map_or(newest, |at| dropped[at].canonical);
        let others = pages[1..].iter();
        let others = others.filter(|page| collection.is_superseded(by_id[page.at()]));
        more.extend(others.map(|&page| Dropped {
            page,
            canonical,
            relation: DroppedAs::SameUrl,
            lost: 0,
        }));
    }
    dropped.extend(more);
    dropped.sort_unstable_by_key(|dropped| dropped.page);
    dropped
}

/// Candidate pairs in which the canonical link of a page leads to the address of the other, or both links lead to one address. For each
/// address, every page that links to it is paired with the page that has the address, or else with the most preferred of the linking pages.
///
/// Errors: a temporary file cannot be written.
pub(super) fn linked_pairs(
    model: &Model,
    collection: &Collection,
    by_id: &[PageNo],
    preference: &[u32],
) -> Result<Vec<(Rank, Rank)>> {
    if model.config().addresses.same_url != SameUrl::Canonical {
        return Ok(Vec::new());
    }
    let mut sorter = Sorter::new(collection.memory());
    for (&page, rank) in by_id.iter().zip(Rank::first(by_id.len())) {
        if collection.is_superseded(page) {
            continue;
        }
        let address = model.address(&collection.pages.seen(page));
        let place = u64::from(preference[rank.at()]) << 32 | u64::from(rank.0);
        for (leads, address) in [(0, address.own), (1, address.linked)] {
            if address > 0 {
                sorter.push([(address >> 64) as u64, address as u64, leads, place])?;
            }
        }
    }
    let (mut pairs, mut last, mut center) = (Vec::new(), None, Rank(0));
    for [high, low, leads, page] in sorter.finish()? {
        let page = Rank(page as u32);
        if last.replace((high, low)) != Some((high, low)) {
            center = page;
        } else if leads > 0 {
            pairs.push((center.min(page), center.max(page)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

fn warn_of_passed_over(same_url: SameUrl, addresses: usize, watch: &dyn Watch) {
    if addresses > 0 {
        watch.warn(&format!(
            "--same-url {}: the newest captures of {addresses} addresses say less (cut off, a challenge, a login); an older one stays",
            same_url.name()
        ));
    }
}

fn warn_of_missing(same_url: SameUrl, without: usize, pages: usize, watch: &dyn Watch) {
    let option = same_url.name();
    if without > 0 {
        watch.warn(&match without == pages {
            true => format!("--same-url {option}: no page has a URL, so none is a version of another"),
            false => format!(
                "--same-url {option}: {without} of {pages} pages have no URL; they are not versions of other pages"
            ),
        });
    }
}
