//! Runs of words that two texts share, and chains of such runs in the same order.

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::word::{Word, hash};

/// A maximal run of equal words in two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Anchor {
    /// Its first word in the first text.
    pub(crate) here: usize,
    /// Its first word in the other text.
    pub(crate) there: usize,
    pub(crate) words: usize,
}

impl Anchor {
    /// The anchor without its first `words` words.
    fn without(&self, words: usize) -> Anchor {
        Anchor {
            here: self.here + words,
            there: self.there + words,
            words: self.words - words,
        }
    }
}

/// How many previous anchors are considered for a chain.
const BACK: usize = 50;
/// The cost of another anchor in a chain, in words.
const JUMP: usize = 1;
/// The places of runs of words that another text may have too.
struct Places {
    /// The hash and place of each run, ascending.
    places: Vec<(u64, usize)>,
    hashes: Bits,
}

impl Places {
    /// The runs of `width` words of a text that may be among `others`, the hashes of another text.
    fn of(here: &[Word], width: usize, others: &[u64]) -> Places {
        let others = Bits::of(others.iter().copied(), others.len());
        let places = here.windows(width).map(hash).enumerate();
        let places = places.filter(|(_, hash)| others.may_have(*hash));
        let mut places: Vec<(u64, usize)> = places.map(|(at, hash)| (hash, at)).collect();
        places.sort_unstable();
        Places {
            hashes: Bits::of(places.iter().map(|(hash, _)| *hash), places.len()),
            places,
        }
    }

    fn get(&self, hash: u64) -> &[(u64, usize)] {
        if !self.hashes.may_have(hash) {
            return &[];
        }
        let from = self.places.partition_point(|(other, _)| *other < hash);
        let places = &self.places[from..];
        &places[..places.partition_point(|(other, _)| *other == hash)]
    }
}

/// All anchors of at least `width` words that contain a run of `width` words occurring at most `most` times in the first text. Ascending.
pub(crate) fn anchors(here: &[Word], there: &[Word], width: usize, most: usize) -> Vec<Anchor> {
    if here.len() < width || there.len() < width {
        return Vec::new();
    }
    let runs: Vec<u64> = there.windows(width).map(hash).collect();
    let places = Places::of(here, width, &runs);
    let equal = |(a, b): &(&Word, &Word)| a.hash() == b.hash();
    let (mut found, mut ends) = (Vec::new(), FxHashMap::default());
    for (at, &run) in runs.iter().enumerate() {
        let places = places.get(run);
        let places = if places.len() <= most { places } else { &[] };
        for &(_, place) in places {
            // Skip what the last anchor on this diagonal already covers.
            let diagonal = at as isize - place as isize;
            let end = ends.entry(diagonal).or_insert(0);
            if at < *end {
                continue;
            }
            let before = here[..place].iter().rev().zip(there[..at].iter().rev());
            let before = before.take_while(equal).count();
            let behind = here[place..].iter().zip(&there[at..]);
            let behind = behind.take_while(equal).count();
            *end = at + behind;
            found.push(Anchor {
                here: place - before,
                there: at - before,
                words: before + behind,
            });
        }
    }
    found.sort_unstable();
    found
}

/// The anchors in the same order in both texts that have the most words, cut where they overlap. Time is the number of anchors times
/// [`BACK`].
pub(super) fn chain(anchors: &[Anchor]) -> Vec<Anchor> {
    let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(anchors.len());
    for (at, anchor) in anchors.iter().enumerate() {
        let mut most = (anchor.words, None);
        for before in (at.saturating_sub(BACK)..at).rev() {
            if let Some(rest) = behind(&anchors[before], anchor) {
                let words = (best[before].0 + rest.words).saturating_sub(JUMP);
                if words > most.0 {
                    most = (words, Some(before));
                }
            }
        }
        best.push(most);
    }
    let last = (0..anchors.len()).max_by_key(|&at| (best[at].0, std::cmp::Reverse(at)));
    let mut chosen: Vec<Anchor> = std::iter::successors(last, |&at| best[at].1)
        .map(|at| anchors[at])
        .collect();
    chosen.reverse();
    for at in 1..chosen.len() {
        // Cutting the start of the previous anchor does not move its end.
        let overlap = overlap(&chosen[at - 1], &chosen[at]);
        chosen[at] = chosen[at].without(overlap);
    }
    chosen
}

/// By how many words an anchor overlaps an earlier one, in either text.
fn overlap(before: &Anchor, anchor: &Anchor) -> usize {
    let ends = (before.here + before.words, before.there + before.words);
    let here = ends.0.saturating_sub(anchor.here);
    here.max(ends.1.saturating_sub(anchor.there))
}

/// The part of an anchor after another one in both texts.
fn behind(before: &Anchor, anchor: &Anchor) -> Option<Anchor> {
    let overlap = overlap(before, anchor);
    let is_behind = before.here < anchor.here && before.there < anchor.there;
    (is_behind && overlap < anchor.words).then(|| anchor.without(overlap))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second anchor loses its start, so that the third, which is also cut, begins before it. (The third is too far from the first to
    /// be chained with it.)
    #[test]
    fn overlapping_anchors_are_cut() {
        let anchor = |(here, there, words)| Anchor { here, there, words };
        let far = (1..BACK).map(|at| (1, 1000 + at, 1));
        let all = [(0, 0, 10)]
            .into_iter()
            .chain(far)
            .chain([(5, 8, 10), (8, 9, 30)]);
        let all: Vec<Anchor> = all.map(anchor).collect();
        let cut = [(0, 0, 10), (10, 13, 5), (17, 18, 21)].map(anchor);
        assert_eq!(chain(&all), cut);
    }
}
