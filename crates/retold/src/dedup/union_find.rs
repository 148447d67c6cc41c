//! Connected components of exact groups, by union-find.

use crate::ids::GroupNo;

/// A union-find over exact groups that tracks the size of components.
#[derive(Debug)]
pub(crate) struct UnionFind {
    /// For each group another one of its component; at the root itself.
    parent: Vec<u32>,
    /// The size of the component, valid at roots.
    sizes: Vec<u32>,
}

impl UnionFind {
    /// Starts with one component per group; `sizes` has each group's contribution to the size of a component.
    pub(crate) fn new(sizes: Vec<u32>) -> UnionFind {
        UnionFind {
            parent: (0..sizes.len() as u32).collect(),
            sizes,
        }
    }

    pub(crate) fn root(&self, group: GroupNo) -> GroupNo {
        let mut at = group.0;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        GroupNo(at)
    }

    pub(crate) fn size(&self, group: GroupNo) -> usize {
        self.sizes[self.root(group).at()] as usize
    }

    /// Joins two components. The larger one's root stays, so paths to a root have logarithmic length.
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
