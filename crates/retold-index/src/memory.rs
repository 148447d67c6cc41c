//! The pages of every key, for pages that are in no segment yet.

use std::collections::hash_map::Entry as Slot;

use rustc_hash::FxHashMap;

/// The pages of a key: mostly one.
#[derive(Debug)]
enum Few {
    One(u32),
    Many(Vec<u32>),
}

/// Postings in memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    lists: FxHashMap<u64, Few>,
    postings: usize,
}

impl Memory {
    /// A page has a key. Pages come in ascending order.
    pub(crate) fn push(&mut self, key: u64, page: u32) {
        self.postings += 1;
        match self.lists.entry(key) {
            Slot::Vacant(slot) => {
                slot.insert(Few::One(page));
            }
            Slot::Occupied(mut slot) => match slot.get_mut() {
                Few::Many(pages) => pages.push(page),
                Few::One(first) => {
                    let first = *first;
                    slot.insert(Few::Many(vec![first, page]));
                }
            },
        }
    }

    /// The pages that have a key, ascending.
    pub(crate) fn pages(&self, key: u64) -> &[u32] {
        match self.lists.get(&key) {
            Some(Few::One(page)) => std::slice::from_ref(page),
            Some(Few::Many(pages)) => pages,
            None => &[],
        }
    }

    /// Forgets the pages from `page` on.
    pub(crate) fn truncate(&mut self, page: u32) {
        self.lists.retain(|_, few| match few {
            Few::One(only) => *only < page,
            Few::Many(pages) => {
                pages.truncate(pages.partition_point(|&other| other < page));
                !pages.is_empty()
            }
        });
        let count = |few: &Few| match few {
            Few::One(_) => 1,
            Few::Many(pages) => pages.len(),
        };
        self.postings = self.lists.values().map(count).sum();
    }

    /// How many postings there are.
    pub(crate) fn len(&self) -> usize {
        self.postings
    }

    /// All of them, ascending.
    pub(crate) fn sorted(&self) -> Vec<(u64, u32)> {
        let mut all = Vec::with_capacity(self.postings);
        for (&key, few) in &self.lists {
            match few {
                Few::One(page) => all.push((key, *page)),
                Few::Many(pages) => all.extend(pages.iter().map(|&page| (key, page))),
            }
        }
        all.sort_unstable();
        all
    }
}
