//! Chooses the dropped pages that the report shows: those with the largest loss, and a random sample.

use std::cmp::Reverse;

use retold::{Dropped, DroppedAs, Findings, Rank};
use xxhash_rust::xxh3::xxh3_64_with_seed;

const LOST: usize = 50;
const RANDOM: usize = 20;
const SEED: u64 = 4;

/// Positions in [`Findings::dropped`].
#[derive(Debug, Default, PartialEq)]
pub(super) struct Drops {
    /// Pages with lost words, most words first.
    pub(super) lost: Vec<usize>,
    /// A random sample, the same in every run.
    pub(super) random: Vec<usize>,
}

impl Drops {
    /// Chooses among the dropped pages of a run, without exact copies and older versions, which lose nothing to look at.
    pub(super) fn of(findings: &Findings) -> Drops {
        let shown = worth_a_look(findings);
        Drops::among(shown.map(|(at, drop)| (at, drop.lost, findings.id(drop.page))))
    }

    /// Chooses among dropped pages, given as position, number of lost words and id.
    fn among(dropped: impl Iterator<Item = (usize, u32, impl AsRef<str>)>) -> Drops {
        let (mut lost, mut random) = (Vec::new(), Vec::new());
        for (at, words, id) in dropped {
            random.push((place(id.as_ref(), SEED), at));
            if words > 0 {
                lost.push((Reverse(words), at));
            }
        }
        Drops {
            lost: first(lost, LOST),
            random: first(random, RANDOM),
        }
    }

    /// The dropped pages that are shown, and the pages they were dropped for.
    pub(super) fn pages<'a>(&'a self, findings: &'a Findings) -> impl Iterator<Item = Rank> + 'a {
        let drops = self.all().map(|at| findings.dropped[at]);
        drops.flat_map(|drop| [drop.page, drop.canonical])
    }

    /// All positions, those of the table of losses first.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.lost.iter().chain(&self.random).copied()
    }

    pub(super) fn pairs<'a>(
        &'a self,
        findings: &'a Findings,
    ) -> impl Iterator<Item = (Rank, Rank)> {
        let drops = self.all().map(|at| findings.dropped[at]);
        drops.map(|drop| ends(drop.page, drop.canonical))
    }
}

/// The dropped pages with their positions, without exact copies and older versions, which lose nothing to look at.
fn worth_a_look(findings: &Findings) -> impl Iterator<Item = (usize, &Dropped)> {
    let text = |rank: Rank| findings.page(rank).text_hash;
    let all = findings.dropped.iter().enumerate();
    all.filter(move |(_, drop)| {
        drop.relation != DroppedAs::SameUrl && text(drop.page) != text(drop.canonical)
    })
}

/// The place of a page in the random order of a seed.
fn place(id: &str, seed: u64) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), seed)
}

/// At most so many random drops, without exact copies and older versions, the same for the same seed.
pub fn random_drops(findings: &Findings, most: usize, seed: u64) -> Vec<Dropped> {
    let drops = worth_a_look(findings);
    let keyed = drops.map(|(at, drop)| (place(&findings.id(drop.page), seed), at));
    let chosen = first(keyed.collect(), most).into_iter();
    chosen.map(|at| findings.dropped[at]).collect()
}

pub(super) fn ends(page: Rank, canonical: Rank) -> (Rank, Rank) {
    (page.min(canonical), page.max(canonical))
}

/// The positions with the smallest keys, in the order of keys.
fn first<K: Ord>(mut keyed: Vec<(K, usize)>, most: usize) -> Vec<usize> {
    keyed.sort_unstable();
    keyed.truncate(most);
    keyed.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_comes_largest_first() {
        let drops = [(0, 3, "a"), (1, 0, "b"), (4, 11, "e"), (5, 3, "f")];
        assert_eq!(Drops::among(drops.into_iter()).lost, [4, 0, 5]);
    }

    #[test]
    fn random_drops_do_not_depend_on_the_other_pages() {
        let pages = |numbers: std::ops::Range<usize>| {
            Drops::among(numbers.map(|at| (at, 0, format!("page {at}")))).random
        };
        let random = pages(0..1000);
        assert_eq!(random.len(), RANDOM);
        assert_ne!(random, (0..RANDOM).collect::<Vec<_>>());
        // Pages chosen from the first half are also chosen if there is only that half.
        let half = pages(0..500);
        let in_half: Vec<usize> = random.into_iter().filter(|&at| at < 500).collect();
        assert_eq!(half[..in_half.len()], in_half[..]);
        assert!((3..18).contains(&in_half.len()));
        assert_eq!(pages(0..7).len(), 7);
    }
}
