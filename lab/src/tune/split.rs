//! Which pages the search uses, and which are held out.

use std::borrow::Cow;
use std::collections::HashMap;

use retold::eval::{Gold, Label};
use retold::{Collection, PageNo};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::options::Options;

/// Labels by pairs of pages, the smaller number first.
pub(super) type Labels = HashMap<(PageNo, PageNo), Label>;

pub(super) fn labels(collection: &Collection, gold: &Gold) -> Labels {
    let pages = PageNo::first(collection.pages.len());
    let at: HashMap<Cow<'_, str>, PageNo> = pages.map(|page| (collection.id(page), page)).collect();
    let pair = |(a, b, label): (&str, &str, Label)| {
        let (a, b) = (*at.get(a)?, *at.get(b)?);
        Some(((a.min(b), a.max(b)), label))
    };
    gold.pairs().filter_map(pair).collect()
}

pub(super) fn has_related(side: &[PageNo], labels: &Labels) -> bool {
    let on_side = |page: &PageNo| side.binary_search(page).is_ok();
    labels
        .iter()
        .any(|((a, b), label)| label.is_true() && on_side(a) && on_side(b))
}

/// The pages that the search sees and those held out; pages that the gold connects are on one side.
pub(super) fn split(
    collection: &Collection,
    labels: &Labels,
    options: &Options,
) -> (Vec<PageNo>, Vec<PageNo>) {
    let pages = || PageNo::first(collection.pages.len());
    let mut parent: Vec<PageNo> = pages().collect();
    fn root(parent: &mut [PageNo], mut page: PageNo) -> PageNo {
        while parent[page.at()] != page {
            parent[page.at()] = parent[parent[page.at()].at()];
            page = parent[page.at()];
        }
        page
    }
    for ((a, b), _) in labels.iter().filter(|(_, label)| label.is_true()) {
        let (a, b) = (root(&mut parent, *a), root(&mut parent, *b));
        parent[a.max(b).at()] = a.min(b);
    }
    // By the smallest id of the group, so that the order of reading does not matter.
    let mut first: HashMap<PageNo, Cow<'_, str>> = HashMap::new();
    for page in pages() {
        let id = collection.id(page);
        let smallest = first
            .entry(root(&mut parent, page))
            .or_insert_with(|| id.clone());
        if id < *smallest {
            *smallest = id;
        }
    }
    pages().partition(|&page| {
        let id = &first[&root(&mut parent, page)];
        let at = xxh3_64_with_seed(id.as_bytes(), options.seed) >> 11;
        at as f64 / (1u64 << 53) as f64 >= options.held_out
    })
}
