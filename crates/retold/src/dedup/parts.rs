//! Connected components in the making.

use crate::ids::ClassNo;

/// A partition of classes that grows together; each part knows how many pages it has.
#[derive(Debug)]
pub(super) struct Parts {
    /// Class -> another one of its part, itself at the root.
    parent: Vec<u32>,
    /// At roots: the pages of the part.
    pages: Vec<u32>,
}

impl Parts {
    /// Each class alone, with so many pages.
    pub(super) fn new(pages: Vec<u32>) -> Parts {
        Parts {
            parent: (0..pages.len() as u32).collect(),
            pages,
        }
    }

    /// The class that stands for the part.
    pub(super) fn root(&self, class: ClassNo) -> ClassNo {
        let mut at = class.0;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        ClassNo(at)
    }

    /// How many pages the part of a class has.
    pub(super) fn pages(&self, class: ClassNo) -> usize {
        self.pages[self.root(class).at()] as usize
    }

    /// Two classes are in one part. The larger part's root stays, so that no way to a root is longer than a logarithm.
    pub(super) fn join(&mut self, a: ClassNo, b: ClassNo) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (small, large) = match self.pages[a.at()] < self.pages[b.at()] {
            true => (a, b),
            false => (b, a),
        };
        self.parent[small.at()] = large.0;
        self.pages[large.at()] += self.pages[small.at()];
    }
}
