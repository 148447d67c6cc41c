//! What is known of every page without reading its entry: where it is, whether it is still there, which story it is of.

use crate::files::Bytes;

/// Where a page is, and what can be said without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The number of the log that has it.
    pub(crate) log: u32,
    /// The place of its frame there.
    pub(crate) at: u64,
    /// Bytes of its entry and of its text.
    pub(crate) lengths: (u32, u32),
    /// How many keys its sketch has.
    pub(crate) keys: u32,
    /// The moment that counts in a story.
    pub(crate) moment: i64,
}

impl Row {
    pub(crate) const BYTES: usize = 32;

    pub(crate) fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.log.to_le_bytes());
        bytes.extend(self.at.to_le_bytes());
        bytes.extend(self.lengths.0.to_le_bytes());
        bytes.extend(self.lengths.1.to_le_bytes());
        bytes.extend(self.keys.to_le_bytes());
        bytes.extend(self.moment.to_le_bytes());
    }

    pub(crate) fn get(bytes: &mut Bytes<'_>) -> Option<Row> {
        Some(Row {
            log: bytes.u32()?,
            at: bytes.u64()?,
            lengths: (bytes.u32()?, bytes.u32()?),
            keys: bytes.u32()?,
            moment: bytes.u64()? as i64,
        })
    }

    /// Bytes of the whole frame.
    pub(crate) fn frame(&self) -> u64 {
        crate::log::HEAD as u64 + u64::from(self.lengths.0) + u64::from(self.lengths.1)
    }
}

/// All pages by number. Numbers are given in the order of adding and never twice.
///
/// Pages that were found related when they were added are of one *story*: a connected component, or a few of them that were
/// one before pages went.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    rows: Vec<Row>,
    /// How many keys each page has, once more: it is asked of thousands of pages for each that is looked for.
    keys: Vec<u32>,
    is_gone: Vec<bool>,
    /// Page -> the page that stands for its story.
    root: Vec<u32>,
    /// At roots: how many pages the story has, those that are gone included.
    size: Vec<u32>,
    /// Page -> the next one of its story, in a circle.
    next: Vec<u32>,
    gone: usize,
    /// Bytes of the frames of pages that are gone.
    gone_bytes: u64,
}

impl Pages {
    pub(crate) fn push(&mut self, row: Row) {
        let number = self.rows.len() as u32;
        self.rows.push(row);
        self.keys.push(row.keys);
        self.is_gone.push(false);
        self.root.push(number);
        self.size.push(1);
        self.next.push(number);
    }

    /// Forgets the last pages, which no other is linked to.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.rows.truncate(count);
        self.keys.truncate(count);
        self.is_gone.truncate(count);
        self.root.truncate(count);
        self.size.truncate(count);
        self.next.truncate(count);
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Pages that are there.
    pub(crate) fn live(&self) -> usize {
        self.rows.len() - self.gone
    }

    pub(crate) fn gone_bytes(&self) -> u64 {
        self.gone_bytes
    }

    pub(crate) fn row(&self, page: u32) -> Option<&Row> {
        self.rows.get(page as usize)
    }

    /// How many keys a page has.
    pub(crate) fn keys(&self, page: u32) -> usize {
        self.keys
            .get(page as usize)
            .map_or(0, |&keys| keys as usize)
    }

    pub(crate) fn rows(&self, pages: std::ops::Range<u32>) -> &[Row] {
        &self.rows[pages.start as usize..pages.end as usize]
    }

    /// True if the page is there.
    pub(crate) fn is_live(&self, page: u32) -> bool {
        self.is_gone.get(page as usize) == Some(&false)
    }

    pub(crate) fn remove(&mut self, page: u32) {
        if self.is_live(page) {
            self.is_gone[page as usize] = true;
            self.gone += 1;
            self.gone_bytes += self.rows[page as usize].frame();
        }
    }

    /// The page that stands for a page's story.
    pub(crate) fn root(&self, page: u32) -> u32 {
        self.root[page as usize]
    }

    /// Two pages are of one story. False if they were, or are no pages.
    pub(crate) fn link(&mut self, a: u32, b: u32) -> bool {
        if a.max(b) as usize >= self.rows.len() {
            return false;
        }
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        let (small, large) = match self.size[a as usize] < self.size[b as usize] {
            true => (a, b),
            false => (b, a),
        };
        self.size[large as usize] += self.size[small as usize];
        self.next.swap(small as usize, large as usize);
        // Behind the large root now come the pages of the small one, its root last.
        let mut at = large;
        while at != small {
            at = self.next[at as usize];
            self.root[at as usize] = large;
        }
        true
    }

    /// The pages of a page's story that are there.
    pub(crate) fn story(&self, page: u32) -> impl Iterator<Item = u32> {
        let mut at = Some(page);
        let circle = std::iter::from_fn(move || {
            let this = at?;
            let next = self.next[this as usize];
            at = (next != page).then_some(next);
            Some(this)
        });
        circle.filter(|&page| self.is_live(page))
    }

    /// Number of pages that are there and latest moment of every story of two pages or more, by root.
    pub(crate) fn stories(&self) -> Vec<(u32, usize, i64)> {
        let mut sizes = vec![(0usize, i64::MIN); self.rows.len()];
        for (page, row) in (0u32..).zip(&self.rows) {
            if self.is_live(page) {
                let story = &mut sizes[self.root(page) as usize];
                *story = (story.0 + 1, story.1.max(row.moment));
            }
        }
        let stories = (0u32..).zip(sizes);
        stories
            .filter(|&(_, (size, _))| size > 1)
            .map(|(root, (size, latest))| (root, size, latest))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROW: Row = Row {
        log: 1,
        at: 2,
        lengths: (3, 4),
        keys: 5,
        moment: -6,
    };

    #[test]
    fn a_row_in_bytes() {
        let mut bytes = Vec::new();
        ROW.put(&mut bytes);
        assert_eq!(bytes.len(), Row::BYTES);
        assert_eq!(Row::get(&mut Bytes(&bytes)), Some(ROW));
    }

    proptest! {
        /// Stories against painting all pages of one story in one colour.
        #[test]
        fn stories_are_what_links_join(links in proptest::collection::vec((0u32..30, 0u32..33), 0..40)) {
            let mut pages = Pages::default();
            (0..30).for_each(|_| pages.push(ROW));
            let mut colour: Vec<u32> = (0..30).collect();
            for (a, b) in links {
                pages.link(a, b);
                if b < 30 {
                    let (old, new) = (colour[a as usize], colour[b as usize]);
                    colour.iter_mut().filter(|c| **c == old).for_each(|c| *c = new);
                }
            }
            pages.remove(7);
            for page in 0..30u32 {
                let mut story: Vec<u32> = pages.story(page).collect();
                story.sort_unstable();
                let expected: Vec<u32> = (0..30u32)
                    .filter(|&other| other != 7 && colour[other as usize] == colour[page as usize])
                    .collect();
                prop_assert_eq!(story, expected);
            }
        }
    }
}
