//! Connected components of exact groups, as they grow.

use crate::ids::GroupNo;

/// A union-find over exact groups; each component knows its size.
#[derive(Debug)]
pub(crate) struct UnionFind {
    /// Group -> another one of its component, itself at the root.
    parent: Vec<u32>,
    /// At roots: the size of the component.
    sizes: Vec<u32>,
}

impl UnionFind {
    /// Each group is a component of its own; `sizes` has what each adds to the size of a component.
    pub(crate) fn new(sizes: Vec<u32>) -> UnionFind {
        UnionFind {
            parent: (0..sizes.len() as u32).collect(),
            sizes,
        }
    }

    /// The group that represents the component of a group.
    pub(crate) fn root(&self, group: GroupNo) -> GroupNo {
        let mut at = group.0;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        GroupNo(at)
    }

    /// The size of the component of a group.
    pub(crate) fn size(&self, group: GroupNo) -> usize {
        self.sizes[self.root(group).at()] as usize
    }

    /// Joins two components. The larger one's root stays, so that no path to a root is longer than a logarithm.
    pub(crate) fn join(&mut self, a: GroupNo, b: GroupNo) {
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
