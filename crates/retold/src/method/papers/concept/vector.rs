//! The key concepts in a sketch as a vector, and the comparison of two vectors (DWDCS 2011).

use crate::sketch::shared_positions;

/// The most positions kept per concept.
const POSITIONS: usize = 256;

pub(super) struct Entry<'a> {
    pub(super) hash: u64,
    pub(super) weight: u32,
    pub(super) positions: &'a [u32],
}

/// Packs the number of words of the page, then for each concept, ascending by hash: the hash, its weight and number of positions, and the
/// positions two per number.
pub(super) fn pack(words: usize, entries: &mut [Entry<'_>]) -> Vec<u64> {
    entries.sort_unstable_by_key(|entry| entry.hash);
    let mut extra = vec![words as u64];
    for entry in entries {
        let positions = &entry.positions[..entry.positions.len().min(POSITIONS)];
        extra.push(entry.hash);
        extra.push(u64::from(entry.weight) << 32 | positions.len() as u64);
        let pairs = positions.chunks(2);
        extra.extend(pairs.map(|pair| {
            let second = pair.get(1).copied().unwrap_or(0);
            u64::from(second) << 32 | u64::from(pair[0])
        }));
    }
    extra
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Vector {
    pub(super) words: u64,
    hashes: Vec<u64>,
    weights: Vec<u64>,
    /// For each concept the end of its positions in `positions`.
    ends: Vec<usize>,
    positions: Vec<u32>,
}

impl Vector {
    pub(super) fn unpack(extra: &[u64]) -> Vector {
        let mut vector = Vector::default();
        let mut numbers = extra.iter().copied();
        vector.words = numbers.next().unwrap_or(0);
        while let (Some(hash), Some(counts)) = (numbers.next(), numbers.next()) {
            let count = counts as u32 as usize;
            vector.hashes.push(hash);
            vector.weights.push(counts >> 32);
            let pairs = numbers.by_ref().take(count.div_ceil(2));
            let positions = pairs.flat_map(|pair| [pair as u32, (pair >> 32) as u32]);
            vector.positions.extend(positions.take(count));
            vector.ends.push(vector.positions.len());
        }
        vector
    }

    fn positions(&self, concept: usize) -> &[u32] {
        let start = concept.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.positions[start..self.ends[concept]]
    }

    fn squares(&self) -> u64 {
        self.weights.iter().map(|weight| weight * weight).sum()
    }

    /// ξ: the cosine of the weights.
    pub(super) fn cosine(&self, other: &Vector) -> f64 {
        let shared = shared_positions(&self.hashes, &other.hashes);
        let product: u64 = shared
            .map(|(i, j)| self.weights[i] * other.weights[j])
            .sum();
        let whole = (self.squares() as f64 * other.squares() as f64).sqrt();
        if whole == 0.0 {
            return 0.0;
        }
        (product as f64 / whole).min(1.0)
    }

    /// S in words: how unevenly the shared concepts are shifted; `None` if none occurs twice on both pages.
    pub(super) fn spread(&self, other: &Vector) -> Option<f64> {
        let (mut sum, mut concepts) = (0.0, 0);
        for (i, j) in shared_positions(&self.hashes, &other.hashes) {
            if let Some(deviation) = deviation(self.positions(i), other.positions(j)) {
                sum += deviation;
                concepts += 1;
            }
        }
        (concepts > 0).then(|| sum / f64::from(concepts))
    }

    /// S as printed in DWDCS, in words: the mean of S_i over all shared concepts, in the direction in which it is larger. `None` if no
    /// concept is shared.
    pub(super) fn printed_spread(&self, other: &Vector) -> Option<f64> {
        let one_way = |from: &Vector, to: &Vector| {
            let shared = shared_positions(&from.hashes, &to.hashes);
            let deviations: Vec<f64> = shared
                .filter_map(|(i, j)| printed_deviation(from.positions(i), to.positions(j)))
                .collect();
            (!deviations.is_empty())
                .then(|| deviations.iter().sum::<f64>() / deviations.len() as f64)
        };
        let (there, back) = (one_way(self, other), one_way(other, self));
        there.zip(back).map(|(there, back)| there.max(back))
    }
}

/// S_i as printed in DWDCS: the deviation of the shifts from the mean of their sizes. Swapping the pages gives another number.
fn printed_deviation(a: &[u32], b: &[u32]) -> Option<f64> {
    let count = a.len().min(b.len());
    if count == 0 {
        return None;
    }
    let shifts = || a.iter().zip(b).map(|(&a, &b)| f64::from(a) - f64::from(b));
    let mean = shifts().map(f64::abs).sum::<f64>() / count as f64;
    let squares = shifts().map(|shift| (shift - mean).powi(2)).sum::<f64>();
    Some((squares / count as f64).sqrt())
}

/// S_i: the population standard deviation of the shifts between the first occurrences of a concept, as many as both pages have; `None`
/// below two. Computed in whole numbers up to the root, so that swapping the pages changes nothing.
fn deviation(a: &[u32], b: &[u32]) -> Option<f64> {
    let count = a.len().min(b.len()) as i128;
    if count < 2 {
        return None;
    }
    let (mut sum, mut squares) = (0, 0);
    for (&a, &b) in a.iter().zip(b) {
        let shift = i128::from(a) - i128::from(b);
        sum += shift;
        squares += shift * shift;
    }
    let variance = (count * squares - sum * sum) as f64;
    Some(variance.sqrt() / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(words: usize, concepts: &[(u64, &[u32])]) -> Vector {
        let mut entries: Vec<Entry<'_>> = concepts
            .iter()
            .map(|&(hash, positions)| Entry {
                hash,
                weight: positions.len() as u32,
                positions,
            })
            .collect();
        Vector::unpack(&pack(words, &mut entries))
    }

    #[test]
    fn what_is_packed_comes_out() {
        let vector = vector(90, &[(9, &[1, 5, 80]), (3, &[]), (4, &[7, 8])]);
        assert_eq!((vector.words, &*vector.hashes), (90, &[3, 4, 9][..]));
        assert_eq!(vector.weights, [0, 2, 3]);
        let positions: Vec<&[u32]> = (0..3).map(|n| vector.positions(n)).collect();
        assert_eq!(positions, [&[][..], &[7, 8], &[1, 5, 80]]);
        assert_eq!(Vector::unpack(&[]), Vector::default());
    }

    #[test]
    fn cosine_by_hand() {
        // (2, 1) and (1, 2): 4 / 5.
        let a = vector(9, &[(1, &[0, 1]), (2, &[2])]);
        let b = vector(9, &[(1, &[0]), (2, &[2, 3])]);
        assert_eq!((a.cosine(&b), b.cosine(&a)), (0.8, 0.8));
        assert_eq!(a.cosine(&a), 1.0);
        assert_eq!(a.cosine(&vector(9, &[(5, &[1])])), 0.0);
        assert_eq!(Vector::default().cosine(&Vector::default()), 0.0);
    }

    #[test]
    fn spread_as_printed_by_hand() {
        // A constant shift of all occurrences costs nothing in one direction, and twice its size in the other.
        let a = vector(99, &[(1, &[3, 13, 23]), (2, &[5])]);
        let b = vector(99, &[(1, &[0, 10, 20]), (2, &[2])]);
        assert_eq!(
            (a.printed_spread(&b), b.printed_spread(&a)),
            (Some(6.0), Some(6.0))
        );
        // Concept 1: shifts 2 and −1, mean of the sizes 1.5: (.25 + 6.25) / 2; in the other direction −2 and 1: (12.25 + .25) / 2. Concept
        // 2 shifts by 4: 0 and 8. N = 2.
        let a = vector(99, &[(1, &[3, 9]), (2, &[6])]);
        let b = vector(99, &[(1, &[1, 10]), (2, &[2])]);
        let back = (6.25f64.sqrt() + 8.0) / 2.0;
        assert_eq!(
            (a.printed_spread(&b), b.printed_spread(&a)),
            (Some(back), Some(back))
        );
        assert_eq!(back, 5.25);
        assert_eq!(a.printed_spread(&vector(9, &[(5, &[1])])), None);
    }

    #[test]
    fn spread_by_hand() {
        // Concept 1: shifts 3, 3, 3, so 0. Concept 2: shifts 0 and 4, mean 2, deviation 2. Concept 3 occurs once on b.
        let a = vector(99, &[(1, &[3, 13, 23]), (2, &[5, 30]), (3, &[1, 2])]);
        let b = vector(99, &[(1, &[0, 10, 20]), (2, &[5, 26]), (3, &[9])]);
        assert_eq!((a.spread(&b), b.spread(&a)), (Some(1.0), Some(1.0)));
        // The paper's mean of |δ| gives another value when the pages are swapped: shifts 1, −1 have deviation 1.
        let (a, b) = (vector(9, &[(1, &[1, 1])]), vector(9, &[(1, &[0, 2])]));
        assert_eq!((a.spread(&b), b.spread(&a)), (Some(1.0), Some(1.0)));
        assert_eq!(a.spread(&vector(9, &[(1, &[4])])), None);
        assert_eq!(a.spread(&vector(9, &[(2, &[4, 5])])), None);
    }
}
