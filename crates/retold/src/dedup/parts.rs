//! Connected components in the making.

use super::classes::Classes;
use crate::ids::{ClassNo, Rank};

/// A partition of classes that grows together; each part knows its size.
#[derive(Debug)]
pub(super) struct Parts {
    /// Class -> another one of its part, itself at the root.
    parent: Vec<u32>,
    /// At roots: the size of the part.
    sizes: Vec<u32>,
}

impl Parts {
    /// Each class alone.
    pub(super) fn new(classes: &Classes) -> Parts {
        let all = ClassNo::first(classes.len());
        let sizes: Vec<u32> = all.map(|class| size(classes.members(class))).collect();
        Parts {
            parent: (0..sizes.len() as u32).collect(),
            sizes,
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

    /// The size of the part of a class.
    pub(super) fn size(&self, class: ClassNo) -> usize {
        self.sizes[self.root(class).at()] as usize
    }

    /// Two classes are in one part. The larger part's root stays, so that no way to a root is longer than a logarithm.
    pub(super) fn join(&mut self, a: ClassNo, b: ClassNo) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (small, large) = match self.sizes[a.at()] < self.sizes[b.at()] {
            true => (a, b),
            false => (b, a),
        };
        self.parent[small.at()] = large.0;
        self.sizes[large.at()] += self.sizes[small.at()];
    }
}

/// What the pages of a class add to the size of a component, which decides whether all its pairs are listed: of exact copies
/// two count as one. A component of different texts has as many pages as its size, none has more than twice as many.
fn size(members: &[Rank]) -> u32 {
    members.len().div_ceil(2) as u32
}
