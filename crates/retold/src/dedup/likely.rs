//! The pairs of a class with many others, the likeliest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::classes::{Asked, TOUCHED};
use crate::cluster::Pair;
use crate::ids::ClassNo;

/// Fewer others are not worth a [bound](crate::method::Method::upper_bound); few in tests, which are small.
pub(super) const MANY: usize = if cfg!(test) { 2 } else { 16 };

/// The pairs of a class with others that sketches relate to it, by falling similarity, then as the others are given. Of those that
/// nobody asks for no more is known than what their similarity is at the most.
pub(super) struct Likely<'q> {
    asked: &'q Asked<'q>,
    others: &'q [ClassNo],
    /// The next one is the greatest.
    heap: BinaryHeap<Place>,
    /// Of each of the others the pair, once it is known.
    pairs: Vec<Option<Pair>>,
}

/// The bits of a similarity, which are in order as none is negative; whether it is only known that it is not greater; and whose it is.
/// What is not known comes first.
type Place = (u32, bool, Reverse<usize>);

impl<'q> Likely<'q> {
    pub(super) fn new(asked: &'q Asked<'q>, others: &'q [ClassNo]) -> Likely<'q> {
        let sieve = (others.len() >= MANY).then(|| asked.sieve()).flatten();
        let chunks = others.par_chunks(TOUCHED);
        let (places, pairs) = match sieve {
            Some(sieve) => {
                let most = chunks.flat_map_iter(|others| asked.at_most(&sieve, others));
                let most: Vec<Option<f32>> = most.collect();
                let most = most.into_iter().enumerate();
                let places =
                    most.filter_map(|(at, most)| Some((most?.to_bits(), true, Reverse(at))));
                (places.collect(), vec![None; others.len()])
            }
            None => {
                let pairs = chunks.flat_map_iter(|others| asked.with_each(others));
                let pairs: Vec<Pair> = pairs.collect();
                let pairs: Vec<Option<Pair>> = pairs.into_iter().map(Some).collect();
                let similarity = |pair: &Pair| pair.similarity.to_bits();
                let places = pairs.iter().flatten().enumerate();
                let places = places.map(|(at, pair)| (similarity(pair), false, Reverse(at)));
                (places.collect(), pairs)
            }
        };
        Likely {
            asked,
            others,
            heap: places,
            pairs,
        }
    }
}

impl Iterator for Likely<'_> {
    type Item = Pair;

    fn next(&mut self) -> Option<Pair> {
        while let Some((_, is_open, Reverse(at))) = self.heap.pop() {
            if !is_open {
                return self.pairs[at].take();
            }
            if let Some(pair) = self.asked.with(self.others[at]) {
                self.heap
                    .push((pair.similarity.to_bits(), false, Reverse(at)));
                self.pairs[at] = Some(pair);
            }
        }
        None
    }
}
