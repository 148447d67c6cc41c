//! Seeds: short runs of words by which pages that share a passage are found.
//!
//! *Long* seeds give the guarantee. Every position begins a run of three quarters of the minimum length. Among all runs that begin in a
//! window, the one with the smallest hash is a seed (winnowing: Schleimer, Wilkerson, Aiken, 2003). Window and run together are no longer
//! than the minimum length. So if two pages share a run of that length, the window at its beginning is in both and gives both the same
//! seed. *Short* seeds, three words or five characters, a quarter of them by hash, find passages that were edited.

use std::collections::VecDeque;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::measure::Measure;
use crate::compare::Word;

/// Multiplier of the polynomial over the words of a run; odd, so that no word is lost.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
/// Length of a short seed in words, and in characters.
const SHORT: (u32, u32) = (3, 5);
/// The powers that are computed in advance; few runs are longer.
const POWERS: usize = 256;
/// One in this number of short runs is a seed.
const SAMPLE: u64 = 4;

/// A seed, its first word, and the word behind its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seed {
    /// Even for short seeds.
    pub(super) hash: u64,
    pub(super) at: u32,
    pub(super) end: u32,
}

impl Seed {
    pub(super) fn is_long(hash: u64) -> bool {
        hash & 1 == 1
    }

    pub(super) fn words(&self) -> Range<usize> {
        self.at as usize..self.end as usize
    }
}

/// A text whose runs can be hashed and measured from any position.
pub(super) struct Runs {
    measure: Measure,
    /// The length of all words before each position.
    lengths: Vec<u64>,
    /// The polynomial over all words before each position.
    hashes: Vec<u64>,
    /// The first powers of [`BASE`].
    powers: Vec<u64>,
}

impl Runs {
    pub(super) fn of(words: &[Word], measure: Measure) -> Runs {
        let begun = |with: u64| {
            let mut all = Vec::with_capacity(words.len() + 1);
            all.push(with);
            all
        };
        let [mut lengths, mut hashes] = [0, 0].map(begun);
        let (mut length, mut hash) = (0, 0u64);
        for word in words {
            length += measure.of(*word);
            hash = hash
                .wrapping_mul(BASE)
                .wrapping_add(u64::from(word.hash()) + 1);
            lengths.push(length);
            hashes.push(hash);
        }
        let next = |power: &u64| Some(power.wrapping_mul(BASE));
        let powers = std::iter::successors(Some(1), next);
        Runs {
            measure,
            lengths,
            hashes,
            powers: powers.take(POWERS.min(words.len() + 1)).collect(),
        }
    }

    fn hash(&self, run: Range<usize>) -> u64 {
        let power = self.powers.get(run.len()).copied();
        let power = power.unwrap_or_else(|| BASE.wrapping_pow(run.len() as u32));
        let before = self.hashes[run.start].wrapping_mul(power);
        // The polynomial itself is not evenly distributed.
        xxh3_64(&self.hashes[run.end].wrapping_sub(before).to_le_bytes())
    }

    /// The shortest run of that length from each position, as long as there is one.
    fn shortest(&self, length: u64) -> impl Iterator<Item = Range<usize>> {
        let mut end = 0;
        (0..self.lengths.len()).map_while(move |start| {
            while self.lengths.get(end)? - self.lengths[start] < length {
                end += 1;
            }
            Some(start..end)
        })
    }

    /// The length of a long seed, and of the window in which it is chosen.
    fn winnowing(&self) -> (u64, u64) {
        let length = (self.measure.least * 3 / 4).max(1);
        let rest = self.measure.least - length;
        (length, rest.saturating_sub(self.measure.longest()).max(1))
    }

    /// The long seeds, ascending by place.
    pub(super) fn long(&self) -> Vec<Seed> {
        let (length, window) = self.winnowing();
        let all = self.shortest(length).map(|run| Seed {
            hash: self.hash(run.clone()) | 1,
            at: run.start as u32,
            end: run.end as u32,
        });
        winnow(all, &self.lengths, window)
    }

    /// The runs of the minimum length for which these long seeds may be chosen, with their hashes: they begin before the seed, within a
    /// window.
    pub(super) fn whole(&self, seeds: &[u32]) -> Vec<Seed> {
        let runs: Vec<Range<usize>> = self.shortest(self.measure.least).collect();
        let mut found: Vec<Seed> = Vec::new();
        for &seed in seeds {
            let seed = seed as usize;
            let begun = found.last().map_or(0, |last| last.at as usize + 1);
            let end = (seed + 1).min(runs.len());
            let begin = self.begins(seed).max(begun).min(end);
            found.extend(runs[begin..end].iter().map(|run| Seed {
                hash: self.hash(run.clone()) | 1,
                at: run.start as u32,
                end: run.end as u32,
            }));
        }
        found
    }

    /// All words of runs of the minimum length for which the seed at this place may be chosen.
    pub(super) fn around(&self, seed: usize) -> Range<usize> {
        self.begins(seed)..self.whole_at(seed).end
    }

    /// The first position whose window contains the seed.
    fn begins(&self, seed: usize) -> usize {
        let (_, window) = self.winnowing();
        let far = |&length: &u64| self.lengths[seed] >= length + window;
        self.lengths.partition_point(far)
    }

    /// The words of a run of the minimum length from `start`, or all that are left.
    pub(super) fn whole_at(&self, start: usize) -> Range<usize> {
        let end = self
            .lengths
            .partition_point(|&length| length < self.lengths[start] + self.measure.least);
        start..end.min(self.lengths.len() - 1)
    }
}

/// The seed with the smallest hash in each window (the last, if equal), of one seed for each place. A window has the places less than `width`
/// after its first.
fn winnow(mut seeds: impl Iterator<Item = Seed>, lengths: &[u64], width: u64) -> Vec<Seed> {
    let mut chosen: Vec<Seed> = Vec::new();
    // Seeds in the window that are the smallest from there on.
    let (mut least, mut end) = (VecDeque::<Seed>::new(), 0);
    for start in 0..lengths.len() {
        while lengths
            .get(end)
            .is_some_and(|length| length - lengths[start] < width)
            && let Some(seed) = seeds.next()
        {
            while least.back().is_some_and(|other| other.hash >= seed.hash) {
                least.pop_back();
            }
            least.push_back(seed);
            end += 1;
        }
        while least.front().is_some_and(|seed| (seed.at as usize) < start) {
            least.pop_front();
        }
        let Some(&seed) = least.front() else {
            break;
        };
        if chosen.last().is_none_or(|last| last.at != seed.at) {
            chosen.push(seed);
        }
    }
    chosen
}

/// Whether these words are at most two different ones. Rows of `yes` and `no` are equal by chance in any large collection.
pub(super) fn is_monotonous(words: &[Word]) -> bool {
    let mut seen = words.iter().map(|word| word.hash());
    let first = seen.next();
    let second = seen.by_ref().find(|&word| Some(word) != first);
    seen.all(|word| Some(word) == first || Some(word) == second)
}

/// The short seeds of a text, ascending by place.
pub(super) fn short(words: &[Word]) -> Vec<Seed> {
    let measure = Measure::new(SHORT.0, SHORT.1);
    let runs = Runs::of(words, measure);
    let all = runs.shortest(measure.least);
    let seeds = all.map(|run| Seed {
        at: run.start as u32,
        end: run.end as u32,
        hash: runs.hash(run) & !1,
    });
    seeds
        .filter(|seed| (seed.hash >> 1) % SAMPLE == 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words of one or two different letters, and characters.
    fn words() -> impl Strategy<Value = Vec<Word>> {
        let word = (0u64..6, any::<bool>()).prop_map(|(number, is_character)| {
            let letters: &[u8] = if is_character { b"" } else { b"word" };
            let hash = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(is_character) << 40;
            Word::new(hash, letters, false)
        });
        prop::collection::vec(word, 0..60)
    }

    #[test]
    fn two_words_are_monotonous() {
        let of = |numbers: &[u64]| -> Vec<Word> {
            numbers
                .iter()
                .map(|&number| Word::new(number << 40, b"word", false))
                .collect()
        };
        for monotonous in [&[][..], &[1], &[1, 1, 1], &[1, 1, 2, 1, 2]] {
            assert!(is_monotonous(&of(monotonous)), "{monotonous:?}");
        }
        for varied in [&[1, 2, 3][..], &[1, 1, 2, 2, 3], &[1, 2, 1, 3]] {
            assert!(!is_monotonous(&of(varied)), "{varied:?}");
        }
    }

    proptest! {
        /// The guarantee: every run of the minimum length contains the seed of its window, whatever surrounds it, and is among the runs of
        /// that seed.
        #[test]
        fn a_run_has_a_seed_wherever_it_stands(
            before in words(), run in words(), behind in words(), least in (1u32..9, 1u32..13),
        ) {
            let measure = Measure::new(least.0, least.1);
            let Some(length) = (0..=run.len()).find(|&end| measure.sum(&run[..end]) >= measure.least) else {
                return Ok(());
            };
            let run = &run[..length];
            let alone = Runs::of(run, measure).long();
            let text = [&before[..], run, &behind[..]].concat();
            let runs = Runs::of(&text, measure);
            let first = alone[0];
            let seeds = runs.long();
            let shift = before.len() as u32;
            let place = Seed { at: first.at + shift, end: first.end + shift, ..first };
            prop_assert!(seeds.contains(&place), "{seeds:?} {place:?}");
            let whole = runs.whole(&[place.at]);
            prop_assert!(whole.iter().any(|seed| seed.at as usize == before.len()));
            prop_assert_eq!(runs.whole_at(before.len()), before.len()..before.len() + length);
        }

        /// Checks winnowing against its definition.
        #[test]
        fn each_window_has_its_least(hashes in prop::collection::vec(0u64..9, 0..40), steps in prop::collection::vec(1u64..4, 41), width in 1u64..12) {
            let lengths: Vec<u64> = steps.iter().scan(0, |sum, step| { let at = *sum; *sum += step; Some(at) }).collect();
            let least = |start: usize| {
                let window = (start..hashes.len()).take_while(|&at| lengths[at] - lengths[start] < width);
                window.min_by_key(|&at| (hashes[at], std::cmp::Reverse(at))).unwrap() as u32
            };
            let mut plainly: Vec<u32> = (0..hashes.len()).map(least).collect();
            plainly.dedup();
            let seed = |(at, &hash): (u32, &u64)| Seed { hash, at, end: at + 1 };
            let seeds = (0..).zip(&hashes).map(seed);
            let found: Vec<u32> = winnow(seeds, &lengths, width).iter().map(|seed| seed.at).collect();
            prop_assert_eq!(found, plainly);
        }
    }
}
