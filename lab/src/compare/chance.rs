//! Standard error of F1 from the choice of pages: bootstrap (Efron 1979) over groups of pages.
//!
//! Pairs are not independent of each other: a page that a method judges wrongly is in many pairs. So groups of pages are
//! drawn, not pairs. A group is the pages that true pairs connect, or an event: the pages in one folder, if groups about one event are
//! not independent either. Each group's weight in a resample is drawn from Poisson(1)
//! instead of drawing as many groups as there are (the limit for many groups). A false pair between two groups counts
//! half in each. A weight depends only on the resample and on the group's smallest id: two methods get the same
//! resamples of a set, so differences between them can be judged too.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;
use retold::eval::{Gold, Label, Reported, Unlisted};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many resamples are drawn. The error of a standard error is then about 4 %.
pub const RESAMPLES: u64 = 400;

/// For each group of pages, by the hash of its smallest id, the pairs of any relation that are true and found, false
/// and found, and missed; in halves of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tallies(BTreeMap<u64, [u64; 3]>);

const FOUND: usize = 0;
const FALSE: usize = 1;
const MISSED: usize = 2;

impl Tallies {
    /// What was found, by groups; with `events` by the first folder of ids.
    pub fn of(gold: &Gold, reported: &[Reported], unlisted: Unlisted, events: bool) -> Tallies {
        let groups = groups(gold);
        let group = |id: &str| match id.split_once('/') {
            Some((event, _)) if events => hash(event),
            _ => groups.get(id).copied().unwrap_or_else(|| hash(id)),
        };
        let mut tallies = Tallies::default();
        let mut seen = HashSet::new();
        for pair in reported {
            let (a, b) = pair.ids();
            match gold.label(pair, unlisted) {
                Label::Is(_) | Label::Related => {
                    seen.insert((a, b));
                    tallies.add(group(a), group(b), FOUND);
                }
                Label::Distinct => tallies.add(group(a), group(b), FALSE),
                Label::Ignore => {}
            }
        }
        for (a, b, label) in gold.pairs() {
            if label.is_true() && !seen.contains(&(a, b)) {
                tallies.add(group(a), group(b), MISSED);
            }
        }
        tallies
    }

    fn add(&mut self, a: u64, b: u64, kind: usize) {
        for group in [a, b] {
            self.0.entry(group).or_default()[kind] += 1;
        }
    }

    /// F1 in each resample; NaN in one that has drawn no pair, as happens to a set of few groups: it says nothing.
    pub fn resampled(&self) -> Vec<f64> {
        let one = |resample: u64| {
            let mut sums = [0; 3];
            for (&group, counts) in &self.0 {
                let weight = poisson(group, resample);
                (0..3).for_each(|kind| sums[kind] += weight * counts[kind]);
            }
            let whole = 2 * sums[FOUND] + sums[FALSE] + sums[MISSED];
            if whole == 0 {
                return f64::NAN;
            }
            2.0 * sums[FOUND] as f64 / whole as f64
        };
        (0..RESAMPLES).into_par_iter().map(one).collect()
    }
}

/// The standard deviation of what the resamples give, as far as they say anything: the standard error.
pub fn error_of(resampled: &[f64]) -> f64 {
    let resampled: Vec<f64> = resampled
        .iter()
        .copied()
        .filter(|value| !value.is_nan())
        .collect();
    let count = resampled.len() as f64;
    let mean = resampled.iter().sum::<f64>() / count;
    let squares = resampled.iter().map(|value| (value - mean).powi(2));
    (squares.sum::<f64>() / (count - 1.0).max(1.0)).sqrt()
}

/// The pages that true pairs connect: id -> the group's hash.
fn groups(gold: &Gold) -> HashMap<&str, u64> {
    let mut smallest: HashMap<&str, &str> = HashMap::new();
    fn root<'a>(smallest: &mut HashMap<&'a str, &'a str>, id: &'a str) -> &'a str {
        let mut top = id;
        while let Some(&above) = smallest.get(top).filter(|above| **above != top) {
            top = above;
        }
        // The next one to ask has a shorter way.
        smallest.insert(id, top);
        top
    }
    for (a, b, label) in gold.pairs() {
        if label.is_true() {
            let (a, b) = (root(&mut smallest, a), root(&mut smallest, b));
            smallest.insert(a.max(b), a.min(b));
        }
    }
    let ids: Vec<&str> = smallest.keys().copied().collect();
    ids.into_iter()
        .map(|id| (id, hash(root(&mut smallest, id))))
        .collect()
}

fn hash(id: &str) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), 0)
}

/// Drawn from Poisson(1) by inversion of its distribution function.
fn poisson(group: u64, resample: u64) -> u64 {
    let bits = xxh3_64_with_seed(&group.to_le_bytes(), resample + 1) >> 11;
    let at = bits as f64 / (1u64 << 53) as f64;
    let mut count = 0;
    let mut term = (-1.0f64).exp();
    let mut up_to = term;
    while at >= up_to && count < 20 {
        count += 1;
        term /= count as f64;
        up_to += term;
    }
    count
}

#[cfg(test)]
mod tests {
    use retold::Relation;

    use super::*;

    fn gold(lines: &str) -> Gold {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines).unwrap();
        Gold::read(file.path()).unwrap()
    }

    fn found(pairs: &[(&str, &str)]) -> Vec<Reported> {
        let pair = |&(a, b): &(&str, &str)| Reported::new(a, b, Relation::Duplicate, 1.0);
        pairs.iter().map(pair).collect()
    }

    /// Groups abc and de; f alone. By hand, in halves.
    #[test]
    fn pairs_are_counted_with_their_groups() {
        let gold =
            gold("a\tb\tduplicate\nb\tc\trelated\nd\te\tduplicate\na\td\tdistinct\na\te\tignore\n");
        let reported = found(&[("a", "b"), ("a", "d"), ("a", "e"), ("c", "f")]);
        let closed = Tallies::of(&gold, &reported, Unlisted::Distinct, false);
        let [abc, de, f] = ["a", "d", "f"].map(hash);
        // abc: ab found; ad and cf false, half each; bc missed. de: half of ad false, de missed. f: half of cf.
        let expected = [(abc, [2, 2, 2]), (de, [0, 1, 2]), (f, [0, 1, 0])];
        assert_eq!(closed.0, expected.into_iter().collect());
        let open = Tallies::of(&gold, &reported, Unlisted::Ignore, false);
        let expected = [(abc, [2, 1, 2]), (de, [0, 1, 2])];
        assert_eq!(open.0, expected.into_iter().collect());
    }

    /// Events x and y. By hand, in halves: the pair inside x, one between both, and the one of y missed.
    #[test]
    fn pairs_are_counted_with_their_events() {
        let gold = gold("x/a\tx/b\tduplicate\ny/c\ty/d\tduplicate\n");
        let reported = found(&[("x/a", "x/b"), ("x/a", "y/c")]);
        let tallies = Tallies::of(&gold, &reported, Unlisted::Distinct, true);
        let expected = [(hash("x"), [2, 1, 0]), (hash("y"), [0, 1, 2])];
        assert_eq!(tallies.0, expected.into_iter().collect());
    }

    #[test]
    fn weights_are_poisson() {
        let weights: Vec<u64> = (0..10_000).map(|n| poisson(n / 100, n % 100)).collect();
        let share = |k| weights.iter().filter(|&&w| w == k).count() as f64 / 1e4;
        // e^-1 = 0.3679, the same for 1, half of it for 2; four standard errors are 0.02.
        assert!((share(0) - 0.368).abs() < 0.02, "{}", share(0));
        assert!((share(1) - 0.368).abs() < 0.02, "{}", share(1));
        assert!((share(2) - 0.184).abs() < 0.02, "{}", share(2));
    }

    /// With n pairs of two pages each, found with probability p and no false ones, F1 = 2r/(1+r) with recall r = p. Its
    /// error by the delta method is 2/(1+r)² · √(r(1−r)/n): for n = 400 and r = 0.5 that is 0.889 · 0.025 = 0.0222.
    #[test]
    fn the_error_is_that_of_independent_groups() {
        let mut lines = String::new();
        let mut pairs = Vec::new();
        for n in 0..400 {
            lines += &format!("a{n}\tb{n}\tduplicate\n");
            if n % 2 == 0 {
                let (a, b) = (format!("a{n}"), format!("b{n}"));
                pairs.push(Reported::new(&a, &b, Relation::Duplicate, 1.0));
            }
        }
        let tallies = Tallies::of(&gold(&lines), &pairs, Unlisted::Distinct, false);
        let resampled = tallies.resampled();
        let error = error_of(&resampled);
        assert!((error - 0.0222).abs() < 0.004, "{error}");
        let mean = resampled.iter().sum::<f64>() / RESAMPLES as f64;
        assert!((mean - 2.0 / 3.0).abs() < 0.005, "{mean}");
        assert_eq!(resampled, tallies.resampled());
    }

    /// A set of one group has all of it or nothing in a resample, and of nothing there is no F1.
    #[test]
    fn what_is_found_whole_has_no_error() {
        let pairs = found(&[("a", "b")]);
        let tallies = Tallies::of(
            &gold("a\tb\tduplicate\n"),
            &pairs,
            Unlisted::Distinct,
            false,
        );
        let resampled = tallies.resampled();
        assert!(resampled.iter().any(|value| value.is_nan()));
        assert_eq!(error_of(&resampled), 0.0);
        assert_eq!(error_of(&[f64::NAN; 3]), 0.0);
    }

    #[test]
    fn a_standard_deviation_by_hand() {
        // Mean 2, squares 1 + 0 + 1, over 2.
        assert_eq!(error_of(&[1.0, 2.0, 3.0]), 1.0);
    }
}
