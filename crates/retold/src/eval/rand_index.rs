//! Compares two clusterings of pages by the adjusted Rand index.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::labels::{Gold, Label, Reported};
use crate::relation::Relation;

/// The agreement between the clusters of a run and those of the gold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClusterScore {
    /// The number of pages.
    pub pages: u64,
    /// Clusters of the gold, including single pages.
    pub gold: u64,
    /// Clusters of the run.
    pub found: u64,
    /// The adjusted Rand index: 1 for equal clusters, about 0 for chance. Null for fewer than two pages.
    pub adjusted_rand: Option<f64>,
}

/// Compares clusters: pages connected by `duplicate` in the gold, and by reported duplicates.
///
/// The pages are those of `universe`, or else all in the gold; a page without connection is its own cluster. The index is from Hubert and
/// Arabie, “Comparing partitions”, Journal of Classification 2 (1985).
///
/// Time: linear in pages and pairs, except for sorting pages.
pub fn evaluate_clusters(
    reported: &[Reported],
    gold: &Gold,
    universe: Option<&HashSet<String>>,
) -> ClusterScore {
    let mut pages: Vec<&str> = match universe {
        Some(ids) => ids.iter().map(String::as_str).collect(),
        None => gold.pairs().flat_map(|(a, b, _)| [a, b]).collect(),
    };
    pages.sort_unstable();
    pages.dedup();
    let labelled = gold
        .pairs()
        .filter(|pair| pair.2 == Label::Is(Relation::Duplicate));
    let gold = clusters(&pages, labelled.map(|(a, b, _)| (a, b)));
    let same = reported
        .iter()
        .filter(|pair| pair.relation() == Relation::Duplicate);
    let found = clusters(&pages, same.map(Reported::ids));
    let count = |of: &[u32]| of.iter().collect::<HashSet<_>>().len() as u64;
    ClusterScore {
        pages: pages.len() as u64,
        gold: count(&gold),
        found: count(&found),
        adjusted_rand: adjusted_rand(&gold, &found),
    }
}

/// The cluster of each page, named by one of its pages and formed by pairs. `pages` are ascending; pairs with other pages are ignored.
fn clusters<'a>(pages: &[&str], pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<u32> {
    let mut above: Vec<u32> = (0..pages.len() as u32).collect();
    fn top(above: &mut [u32], mut at: u32) -> u32 {
        while above[at as usize] != at {
            above[at as usize] = above[above[at as usize] as usize];
            at = above[at as usize];
        }
        at
    }
    for (a, b) in pairs {
        let [Ok(a), Ok(b)] = [a, b].map(|id| pages.binary_search(&id)) else {
            continue;
        };
        let (a, b) = (top(&mut above, a as u32), top(&mut above, b as u32));
        above[a.max(b) as usize] = a.min(b);
    }
    (0..pages.len() as u32)
        .map(|page| top(&mut above, page))
        .collect()
}

/// The adjusted Rand index of two partitions of the same pages.
fn adjusted_rand(one: &[u32], other: &[u32]) -> Option<f64> {
    let pairs = |count: u64| (count * count.saturating_sub(1) / 2) as f64;
    if one.len() < 2 {
        return None;
    }
    let mut both: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let [mut ones, mut others] = [HashMap::new(), HashMap::new()];
    for (&a, &b) in one.iter().zip(other) {
        *both.entry((a, b)).or_default() += 1;
        *ones.entry(a).or_insert(0) += 1;
        *others.entry(b).or_insert(0) += 1;
    }
    let together: f64 = both.values().map(|&count| pairs(count)).sum();
    // Sums of whole numbers below 2^53 do not depend on order.
    let [a, b] = [&ones, &others].map(|of| of.values().map(|&count| pairs(count)).sum::<f64>());
    let by_chance = a * b / pairs(one.len() as u64);
    let most = (a + b) / 2.0;
    // All pages are single in both, or together in both.
    if most == by_chance {
        return Some(1.0);
    }
    Some((together - by_chance) / (most - by_chance))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Six pages, {a b c} {d e} {f} and {a b} {c d e} {f}. Pairs together in both: ab, de; in the first 4, in the second 4, of 15. By
    /// chance 16/15, at most 4: (2 - 16/15) / (4 - 16/15) = 14/44.
    #[test]
    fn the_index_by_hand() {
        let found = adjusted_rand(&[0, 0, 0, 3, 3, 5], &[0, 0, 2, 2, 2, 5]).unwrap();
        assert!((found - 14.0 / 44.0).abs() < 1e-12, "{found}");
        assert_eq!(adjusted_rand(&[0, 1, 2], &[0, 1, 2]), Some(1.0));
        assert_eq!(adjusted_rand(&[0, 0, 0], &[0, 0, 0]), Some(1.0));
        assert_eq!(adjusted_rand(&[0, 0, 0], &[0, 1, 2]), Some(0.0));
        assert_eq!(adjusted_rand(&[0], &[0]), None);
    }

    #[test]
    fn clusters_are_pages_connected_by_duplicates() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines =
            "a\tb\tduplicate\nb\tc\tduplicate\nd\te\trelated\ne\tf\tduplicate\na\tg\tdistinct\n";
        std::fs::write(file.path(), lines).unwrap();
        let gold = Gold::read(file.path()).unwrap();
        let pair = |a, b, relation| Reported::new(a, b, relation, 1.0);
        let reported = [
            pair("a", "c", Relation::Duplicate),
            pair("b", "c", Relation::Contains),
            pair("f", "e", Relation::Duplicate),
            pair("g", "x", Relation::Duplicate),
        ];
        // {a b c} {d} {e f} {g} and {a c} {b} {d} {e f} {g}: 2 pairs together in both, 4 and 2 of 21.
        let score = evaluate_clusters(&reported, &gold, None);
        assert_eq!((score.pages, score.gold, score.found), (7, 4, 5));
        let by_chance = 4.0 * 2.0 / 21.0;
        let index = (2.0 - by_chance) / (3.0 - by_chance);
        assert!((score.adjusted_rand.unwrap() - index).abs() < 1e-12);
        let some = HashSet::from(["a", "c", "g"].map(str::to_owned));
        let score = evaluate_clusters(&reported, &gold, Some(&some));
        assert_eq!((score.pages, score.gold, score.found), (3, 3, 2));
    }

    proptest! {
        #[test]
        fn the_index_is_what_all_pairs_say(pages in prop::collection::vec((0u32..4, 0u32..4), 2..12)) {
            let (one, other): (Vec<u32>, Vec<u32>) = pages.into_iter().unzip();
            let (mut both, mut a, mut b, mut all) = (0.0, 0.0, 0.0, 0.0);
            for i in 0..one.len() {
                for j in 0..i {
                    let (in_one, in_other) = (one[i] == one[j], other[i] == other[j]);
                    all += 1.0;
                    a += f64::from(u8::from(in_one));
                    b += f64::from(u8::from(in_other));
                    both += f64::from(u8::from(in_one && in_other));
                }
            }
            let found = adjusted_rand(&one, &other).unwrap();
            prop_assert_eq!(found.to_bits(), adjusted_rand(&other, &one).unwrap().to_bits());
            let (by_chance, most) = (a * b / all, (a + b) / 2.0);
            if most != by_chance {
                prop_assert!((found - (both - by_chance) / (most - by_chance)).abs() < 1e-9);
            }
        }
    }
}
