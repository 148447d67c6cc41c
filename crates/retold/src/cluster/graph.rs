//! The graph of related pages.

use std::ops::Range;

use super::pair::Pair;
use crate::ids::Rank;
use crate::relation::Relation;

/// The relations of all pages as adjacency lists.
pub(crate) struct Graph {
    ends: Vec<usize>,
    edges: Vec<(Rank, Relation)>,
}

impl Graph {
    pub(crate) fn build(pages: usize, pairs: &[Pair], ties: &[(Rank, Rank)]) -> Graph {
        // Pairs are ascending, so each page gets first the pages before it, then those after it: all ascend.
        let ties = ties.iter().map(|&(a, b)| (a, b, Relation::Duplicate));
        let back = pairs.iter().map(|p| (p.b, p.a, p.relation.swapped()));
        let forth = pairs.iter().map(|p| (p.a, p.b, p.relation));
        let tied_back = ties.clone().map(|(a, b, relation)| (b, a, relation));
        let all = back.chain(forth).chain(ties).chain(tied_back);
        let mut starts = vec![0; pages + 1];
        all.clone()
            .for_each(|(from, ..)| starts[from.at() + 1] += 1);
        for page in 0..pages {
            starts[page + 1] += starts[page];
        }
        let mut edges = vec![(Rank::default(), Relation::Duplicate); starts[pages]];
        for (from, to, relation) in all {
            let start = &mut starts[from.at()];
            edges[*start] = (to, relation);
            *start += 1;
        }
        // Each start has become the end.
        starts.truncate(pages);
        let mut graph = Graph {
            ends: starts,
            edges,
        };
        for page in Rank::first(pages) {
            let places = graph.places(page);
            let edges = &mut graph.edges[places];
            if !edges.is_sorted() {
                edges.sort_unstable();
            }
        }
        graph
    }

    /// The pages related to `page`, ascending, with the relation of `page` to each.
    pub(crate) fn of(&self, page: Rank) -> &[(Rank, Relation)] {
        &self.edges[self.places(page)]
    }

    fn places(&self, page: Rank) -> Range<usize> {
        let start = page
            .at()
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        start..self.ends[page.at()]
    }
}
