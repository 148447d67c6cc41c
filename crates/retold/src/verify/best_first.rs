//! The candidates of a group in the order of verification: most similar first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::cluster::Pair;
use crate::dedup::sketch_judge::{FETCHED, OneToMany};
use crate::ids::GroupNo;

/// The pairs that sketches relate, by falling similarity, then in the given order. For pairs that are not requested, only an upper bound of
/// the similarity is computed.
pub(crate) struct BestFirst<'q> {
    one: &'q OneToMany<'q>,
    others: &'q [GroupNo],
    /// A max-heap of places.
    heap: BinaryHeap<HeapEntry>,
    /// The pair with each of the others, once known.
    pairs: Vec<Option<Pair>>,
}

/// The bits of a similarity (ordered, as none is negative), whether it is only an upper bound, and the place of the other. Bounds come
/// first.
type HeapEntry = (u32, bool, Reverse<usize>);

impl<'q> BestFirst<'q> {
    /// With fewer than `bounded` others all pairs are computed at once.
    pub(crate) fn new(
        one: &'q OneToMany<'q>,
        others: &'q [GroupNo],
        bounded: usize,
    ) -> BestFirst<'q> {
        let bound = (others.len() >= bounded).then(|| one.upper_bound());
        let chunks = others.par_chunks(FETCHED);
        let (heap, pairs) = match bound.flatten() {
            Some(bound) => {
                let most = chunks.flat_map_iter(|others| one.at_most(&bound, others));
                let most: Vec<Option<f32>> = most.collect();
                let most = most.into_iter().enumerate();
                let places =
                    most.filter_map(|(at, most)| Some((most?.to_bits(), true, Reverse(at))));
                (places.collect(), vec![None; others.len()])
            }
            None => {
                let pairs = chunks.flat_map_iter(|others| one.with_each(others));
                let pairs: Vec<Pair> = pairs.collect();
                let pairs: Vec<Option<Pair>> = pairs.into_iter().map(Some).collect();
                let similarity = |pair: &Pair| pair.similarity.to_bits();
                let places = pairs.iter().flatten().enumerate();
                let places = places.map(|(at, pair)| (similarity(pair), false, Reverse(at)));
                (places.collect(), pairs)
            }
        };
        BestFirst {
            one,
            others,
            heap,
            pairs,
        }
    }
}

impl Iterator for BestFirst<'_> {
    type Item = Pair;

    fn next(&mut self) -> Option<Pair> {
        while let Some((_, is_bound, Reverse(at))) = self.heap.pop() {
            if !is_bound {
                return self.pairs[at].take();
            }
            if let Some(pair) = self.one.with(self.others[at]) {
                self.heap
                    .push((pair.similarity.to_bits(), false, Reverse(at)));
                self.pairs[at] = Some(pair);
            }
        }
        None
    }
}
