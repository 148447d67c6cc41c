//! Merges phrases with the same meaning into concepts (DWDCS 2011), by complete linkage over relatedness.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

/// A phrase and the ascending numbers of its words and their synonyms, Con(phrase).
pub(super) struct Meaning<'a> {
    pub(super) text: &'a str,
    pub(super) concepts: Vec<u64>,
}

/// Rel of two phrases of `a` and `b` numbers with `shared` in common.
fn relatedness(shared: usize, a: usize, b: usize) -> f64 {
    2.0 * shared as f64 / (a + b) as f64
}

/// Two groups that may be merged; the most related come first, then the first by text.
#[derive(Clone, Copy, PartialEq)]
struct Merge {
    relatedness: f64,
    a: u32,
    b: u32,
}

impl Eq for Merge {}

impl Ord for Merge {
    fn cmp(&self, other: &Merge) -> Ordering {
        let by_text = Reverse((self.a, self.b)).cmp(&Reverse((other.a, other.b)));
        self.relatedness.total_cmp(&other.relatedness).then(by_text)
    }
}

impl PartialOrd for Merge {
    fn partial_cmp(&self, other: &Merge) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// For each phrase the representative of its group: the first by text. Texts must differ.
///
/// The two most related groups are merged as long as all pairs of their phrases are related by more than `threshold`; the relatedness of
/// two groups is that of their least related phrases. Ties are decided by text, so the order of the phrases does not matter.
pub(super) fn groups(phrases: &[Meaning<'_>], threshold: f64) -> Vec<u32> {
    let mut by_text: Vec<u32> = (0..phrases.len() as u32).collect();
    by_text.sort_unstable_by_key(|&phrase| phrases[phrase as usize].text);
    let meanings: Vec<&[u64]> = by_text
        .iter()
        .map(|&phrase| phrases[phrase as usize].concepts.as_slice())
        .collect();
    let ranks = linked(&related(&meanings, threshold), meanings.len());
    let mut groups = vec![0; phrases.len()];
    for (&phrase, rank) in by_text.iter().zip(ranks) {
        groups[phrase as usize] = by_text[rank as usize];
    }
    groups
}

/// The pairs of phrases related by more than `threshold`. Only phrases that share a number can be.
fn related(meanings: &[&[u64]], threshold: f64) -> Vec<Merge> {
    let mut holders: Vec<(u64, u32)> = meanings
        .iter()
        .zip(0..)
        .flat_map(|(numbers, phrase)| numbers.iter().map(move |&number| (number, phrase)))
        .collect();
    holders.sort_unstable();
    let mut shared: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    for list in holders.chunk_by(|x, y| x.0 == y.0) {
        for (at, &(_, a)) in list.iter().enumerate() {
            for &(_, b) in &list[at + 1..] {
                *shared.entry((a, b)).or_default() += 1;
            }
        }
    }
    let merges = shared.into_iter().map(|((a, b), shared)| Merge {
        relatedness: relatedness(
            shared,
            meanings[a as usize].len(),
            meanings[b as usize].len(),
        ),
        a,
        b,
    });
    merges
        .filter(|merge| merge.relatedness > threshold)
        .collect()
}

/// Complete linkage: for each of `phrases` the least number in its group.
fn linked(pairs: &[Merge], phrases: usize) -> Vec<u32> {
    let mut group: Vec<u32> = (0..phrases as u32).collect();
    // The groups with which each group may still merge. A missing pair of groups contains unrelated phrases.
    let mut near: FxHashMap<u32, FxHashMap<u32, f64>> = FxHashMap::default();
    for &Merge { relatedness, a, b } in pairs {
        near.entry(a).or_default().insert(b, relatedness);
        near.entry(b).or_default().insert(a, relatedness);
    }
    let mut queue: BinaryHeap<Merge> = pairs.iter().copied().collect();
    while let Some(merge @ Merge { a, b, .. }) = queue.pop() {
        let current = near.get(&a).and_then(|near| near.get(&b));
        if current != Some(&merge.relatedness) {
            continue;
        }
        group[b as usize] = a;
        let of_b = near.remove(&b).unwrap_or_default();
        let of_a = near.remove(&a).unwrap_or_default();
        let mut left = FxHashMap::default();
        for (&other, &relatedness) in of_a.iter().filter(|(other, _)| **other != b) {
            if let Some(&from_b) = of_b.get(&other) {
                left.insert(other, relatedness.min(from_b));
            }
        }
        for other in of_a.keys().chain(of_b.keys()) {
            if let Some(near) = near.get_mut(other) {
                near.remove(&b);
                near.remove(&a);
            }
        }
        for (&other, &relatedness) in &left {
            near.entry(other).or_default().insert(a, relatedness);
            queue.push(Merge {
                relatedness,
                a: a.min(other),
                b: a.max(other),
            });
        }
        near.insert(a, left);
    }
    // A merged group points to one with a smaller number, which is resolved before it.
    for phrase in 0..phrases {
        group[phrase] = group[group[phrase] as usize];
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::synonyms::Synonyms;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Reference implementation: checks all pairs of groups repeatedly.
    fn twin(meanings: &[&[u64]], threshold: f64) -> Vec<u32> {
        let rel = |a: usize, b: usize| {
            let (x, y) = (meanings[a], meanings[b]);
            relatedness(x.iter().filter(|n| y.contains(n)).count(), x.len(), y.len())
        };
        let mut groups: Vec<Vec<usize>> = (0..meanings.len()).map(|n| vec![n]).collect();
        loop {
            let mut best: Option<(f64, usize, usize)> = None;
            for (i, left) in groups.iter().enumerate() {
                for (j, right) in groups.iter().enumerate().skip(i + 1) {
                    let pairs = left
                        .iter()
                        .flat_map(|&a| right.iter().map(move |&b| rel(a, b)));
                    let least = pairs.fold(f64::INFINITY, f64::min);
                    if least > threshold && best.is_none_or(|(most, ..)| least > most) {
                        best = Some((least, i, j));
                    }
                }
            }
            let Some((_, i, j)) = best else { break };
            let taken = groups.remove(j);
            groups[i].extend(taken);
        }
        let mut found = vec![0; meanings.len()];
        for group in groups {
            group.iter().for_each(|&n| found[n] = group[0] as u32);
        }
        found
    }

    fn meanings<'a>(words: &[&'a str]) -> Vec<Meaning<'a>> {
        let synonyms = Synonyms::default();
        let meaning = |&text: &&'a str| Meaning {
            text,
            concepts: synonyms.of(text, Some("en")),
        };
        words.iter().map(meaning).collect()
    }

    fn merged(words: &[&str], threshold: f64) -> BTreeSet<BTreeSet<String>> {
        let mut sets = vec![BTreeSet::new(); words.len()];
        for (word, group) in words.iter().zip(groups(&meanings(words), threshold)) {
            sets[group as usize].insert((*word).to_owned());
        }
        sets.into_iter().filter(|set| !set.is_empty()).collect()
    }

    const WORDS: [&str; 24] = [
        "take",
        "make",
        "get",
        "have",
        "give",
        "do",
        "build",
        "create",
        "produce",
        "construct",
        "obtain",
        "receive",
        "hold",
        "keep",
        "lack",
        "deficiency",
        "want",
        "orange",
        "tangerine",
        "car",
        "automobile",
        "auto",
        "ship",
        "ferry",
    ];

    #[test]
    fn relatedness_by_hand() {
        // Con of 4 and of 6 numbers that share 3: 3 / 5.
        assert_eq!(relatedness(3, 4, 6), 0.6);
        assert_eq!(relatedness(2, 2, 2), 1.0);
    }

    #[test]
    fn words_for_one_thing_become_one_concept() {
        let found = merged(&WORDS, 0.5);
        assert!(
            found
                .iter()
                .any(|set| set.contains("automobile") && set.contains("auto")),
            "{found:?}"
        );
        assert!(found.contains(&BTreeSet::from(["ferry".to_owned()])));
    }

    #[test]
    fn shuffling_the_input_changes_nothing() {
        for threshold in [0.0, 0.1, 0.3, 0.6] {
            let wanted = merged(&WORDS, threshold);
            let mut words = WORDS;
            for turn in 0..WORDS.len() {
                words.rotate_left(turn);
                words.swap(turn, WORDS.len() / 2);
                assert_eq!(merged(&words, threshold), wanted, "at {threshold}");
            }
        }
    }

    #[test]
    fn common_verbs_do_not_melt_into_one() {
        // Any two of these share a synonym (take and make; make and build, …), so at threshold 0 all would merge, and pairs chain at 0.1.
        let verbs = [
            "take", "make", "get", "have", "give", "do", "build", "create",
        ];
        assert_eq!(merged(&verbs, 0.0).len(), 1);
        let sizes = |threshold| merged(&verbs, threshold).iter().map(BTreeSet::len).max();
        assert!(sizes(0.05) <= Some(4), "{:?}", merged(&verbs, 0.05));
        assert_eq!(sizes(0.3), Some(1));
    }

    #[test]
    fn it_does_not_chain() {
        let meaning = |text, concepts: &[u64]| Meaning {
            text,
            concepts: concepts.to_vec(),
        };
        // a ~ b and b ~ c, but not a ~ c: the tie goes to a and b by text.
        let chain = [
            meaning("a", &[1, 2]),
            meaning("b", &[2, 3]),
            meaning("c", &[3, 4]),
        ];
        assert_eq!(groups(&chain, 0.4), [0, 0, 2]);
        // Rel must be above the threshold.
        assert_eq!(groups(&chain, 0.5), [0, 1, 2]);
        assert!(groups(&[], 0.5).is_empty());
    }

    proptest! {
        #[test]
        fn as_by_the_definition(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..12, 1..6), 0..14),
            threshold in 0.0..0.9f64,
        ) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            let meanings: Vec<&[u64]> = sets.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(
                linked(&related(&meanings, threshold), meanings.len()),
                twin(&meanings, threshold)
            );
        }
    }
}
