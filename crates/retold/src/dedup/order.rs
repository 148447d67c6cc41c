//! The orders of pages: by id, and by which one should rather be kept.

use std::cmp::{Ordering, Reverse};

use rayon::prelude::*;

use crate::cluster::Canonical;
use crate::collect::{Collection, PageRow};
use crate::ids::{PageNo, Rank};
use crate::watch::Watch;

/// Pages in the order that `compare` gives; equals stay in the order of reading.
pub fn order_of(
    pages: &[PageRow],
    compare: impl Fn(&PageRow, &PageRow) -> Ordering + Sync,
) -> Vec<PageNo> {
    let mut order: Vec<PageNo> = PageNo::first(pages.len()).collect();
    order.par_sort_by(|&a, &b| compare(&pages[a.at()], &pages[b.at()]));
    order
}

/// For each page, by rank, its place in the order of preference: the best page to keep has the smallest.
pub fn preference(
    collection: &Collection,
    canonical: Canonical,
    by_id: &[PageNo],
    watch: &dyn Watch,
) -> Vec<u32> {
    let page = |rank: Rank| collection.page(by_id[rank.at()]);
    let mut order: Vec<Rank> = Rank::first(by_id.len()).collect();
    let longest = |rank: &Rank| (Reverse(page(*rank).chars), *rank);
    match canonical {
        Canonical::First => {}
        Canonical::Longest => order.par_sort_by_key(longest),
        Canonical::Earliest => {
            warn_of_dates(collection, watch);
            order.par_sort_by_key(|rank| {
                (page(*rank).date.is_none(), page(*rank).date, longest(rank))
            });
        }
    }
    let mut preference = vec![0; order.len()];
    for (place, rank) in (0u32..).zip(order) {
        preference[rank.at()] = place;
    }
    preference
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
