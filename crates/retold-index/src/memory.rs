//! Posting lists in memory, for pages that are in no segment yet.

use std::collections::hash_map::Entry as Slot;

use rustc_hash::FxHashMap;

#[derive(Debug)]
enum Few {
    One(u32),
    Many(Vec<u32>),
}

#[derive(Debug, Default)]
pub(crate) struct Memory {
    lists: FxHashMap<u64, Few>,
    postings: usize,
    /// Words and the pages that have them, ordered by page. Only searches use them, so they are not in the hash table.
    words: Vec<(u64, u32)>,
}

impl Memory {
    /// Adds a posting. Pages come in ascending order.
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

    /// Adds the words of a page's text. Pages come in ascending order.
    pub(crate) fn push_words(&mut self, words: &[u64], page: u32) {
        self.words.extend(words.iter().map(|&word| (word, page)));
    }

    /// The pages that have a word, ascending. Time O(words).
    pub(crate) fn with_word(&self, key: u64) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let found = self.words.iter().filter(move |(word, _)| *word == key);
        found.map(|(_, page)| *page)
    }

    /// The pages that have a key other than a word, ascending.
    pub(crate) fn pages(&self, key: u64) -> &[u32] {
        match self.lists.get(&key) {
            Some(Few::One(page)) => std::slice::from_ref(page),
            Some(Few::Many(pages)) => pages,
            None => &[],
        }
    }

    /// Removes the postings of pages from `page` on.
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
        let kept = self.words.partition_point(|&(_, other)| other < page);
        self.words.truncate(kept);
    }

    pub(crate) fn len(&self) -> usize {
        self.postings + self.words.len()
    }

    /// The number of postings, with two words counted as one because they take less memory.
    pub(crate) fn size(&self) -> usize {
        self.postings + self.words.len() / 2
    }

    pub(crate) fn sorted(&self) -> Vec<(u64, u32)> {
        let mut all = Vec::with_capacity(self.len());
        all.extend(&self.words);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_beside_keys() {
        let mut memory = Memory::default();
        for page in 0..3 {
            memory.push(7, page);
            memory.push_words(&[7, 10 + u64::from(page), 20], page);
        }
        assert_eq!(memory.pages(7), [0, 1, 2]);
        assert_eq!(memory.pages(20), [0u32; 0]);
        assert_eq!(memory.with_word(20).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(memory.with_word(11).collect::<Vec<_>>(), [1]);
        assert_eq!((memory.len(), memory.size()), (12, 7));
        memory.truncate(1);
        assert_eq!(memory.sorted(), [(7, 0), (7, 0), (10, 0), (20, 0)]);
    }
}
