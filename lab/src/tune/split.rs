//! What the search sees and what is held out.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Options;
use crate::collect::Collection;
use crate::eval::{Gold, Label};

/// Labels by pairs of pages (places in the collection), the smaller first.
pub(super) type Labels = HashMap<(u32, u32), Label>;

pub(super) fn labels(collection: &Collection, gold: &Gold) -> Labels {
    let ids = collection.pages.iter().zip(0u32..);
    let at: HashMap<&str, u32> = ids.map(|(page, at)| (&*page.id, at)).collect();
    let pair = |(a, b, label): (&str, &str, Label)| {
        let (a, b) = (*at.get(a)?, *at.get(b)?);
        Some(((a.min(b), a.max(b)), label))
    };
    gold.pairs().filter_map(pair).collect()
}

pub(super) fn has_related(side: &[u32], labels: &Labels) -> bool {
    let on_side = |page: &u32| side.binary_search(page).is_ok();
    labels
        .iter()
        .any(|((a, b), label)| label.is_true() && on_side(a) && on_side(b))
}

/// The pages that the search sees and those held out; pages that the gold connects are on one side.
pub(super) fn split(
    collection: &Collection,
    labels: &Labels,
    options: &Options,
) -> (Vec<u32>, Vec<u32>) {
    let mut parent: Vec<u32> = (0..collection.pages.len() as u32).collect();
    fn root(parent: &mut [u32], mut page: u32) -> u32 {
        while parent[page as usize] != page {
            parent[page as usize] = parent[parent[page as usize] as usize];
            page = parent[page as usize];
        }
        page
    }
    for ((a, b), _) in labels.iter().filter(|(_, label)| label.is_true()) {
        let (a, b) = (root(&mut parent, *a), root(&mut parent, *b));
        parent[a.max(b) as usize] = a.min(b);
    }
    // By the smallest id of the group, so that the order of reading does not matter.
    let mut first: HashMap<u32, &str> = HashMap::new();
    for page in 0..parent.len() as u32 {
        let id = &*collection.pages[page as usize].id;
        let smallest = first.entry(root(&mut parent, page)).or_insert(id);
        *smallest = (*smallest).min(id);
    }
    (0..parent.len() as u32).partition(|&page| {
        let id = first[&root(&mut parent, page)];
        let at = xxh3_64_with_seed(id.as_bytes(), options.seed) >> 11;
        at as f64 / (1u64 << 53) as f64 >= options.held_out
    })
}
