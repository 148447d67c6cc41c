//! The orders of pages: by id, and by which one should rather be kept.

use rayon::prelude::*;

use crate::cluster::Canonical;
use crate::collect::Collection;
use crate::error::Result;
use crate::ids::{PageNo, Rank};
use crate::spill::Sorter;
use crate::watch::Watch;

/// For each page, by rank, its place in the order of preference: the best page to keep has the smallest.
///
/// Errors: a temporary file cannot be written.
pub fn preference(
    collection: &Collection,
    canonical: Canonical,
    by_id: &[PageNo],
    watch: &dyn Watch,
) -> Result<Vec<u32>> {
    if canonical == Canonical::First {
        return Ok((0..by_id.len() as u32).collect());
    }
    let is_earliest = canonical == Canonical::Earliest;
    if is_earliest {
        warn_of_dates(collection, watch);
    }
    let rank_of = ranks(by_id);
    let mut order = Sorter::new(collection.memory());
    for (page, &rank) in collection.pages.iter().zip(&rank_of) {
        let date = page.date.filter(|_| is_earliest);
        // Ascending as dates do, with their sign; pages without one come last.
        let moment = date.map_or(0, |date| date as u64 ^ 1 << 63);
        order.push([
            u64::from(date.is_none()),
            moment,
            !page.chars,
            u64::from(rank.0),
        ])?;
    }
    drop(rank_of);
    let mut preference = vec![0; by_id.len()];
    for (place, [.., rank]) in (0u32..).zip(order.finish()?) {
        preference[rank as usize] = place;
    }
    Ok(preference)
}

/// The ranks of pages, in the order of reading.
pub fn ranks(by_id: &[PageNo]) -> Vec<Rank> {
    let mut ranks = vec![Rank::default(); by_id.len()];
    for (rank, page) in Rank::first(by_id.len()).zip(by_id) {
        ranks[page.at()] = rank;
    }
    ranks
}

/// The same order, but old pages come before all others.
pub(super) fn old_first(preference: &[u32], is_old: &[bool]) -> Vec<u32> {
    let mut order: Vec<Rank> = Rank::first(preference.len()).collect();
    order.par_sort_by_key(|rank| (!is_old[rank.at()], preference[rank.at()]));
    let mut places = vec![0; order.len()];
    for (place, rank) in (0u32..).zip(order) {
        places[rank.at()] = place;
    }
    places
}

fn warn_of_dates(collection: &Collection, watch: &dyn Watch) {
    let pages = collection.pages.len();
    let dated = collection
        .pages
        .iter()
        .filter(|page| page.date.is_some())
        .count();
    if dated == 0 {
        watch.warn("--canonical earliest: no page has a date; the longest page is kept");
    } else if dated < pages {
        let without = pages - dated;
        watch.warn(&format!(
            "--canonical earliest: {without} of {pages} pages have no date and come last"
        ));
    }
}
