//! The keys that two ascending lists share.

/// If one list is more than this many times longer, the keys of the shorter are searched in it.
const UNLIKE: usize = 16;

/// The number of keys that two ascending lists without repetition share. Linear in the shorter list, up to a logarithm.
pub fn count_shared(a: &[u64], b: &[u64]) -> usize {
    count_shared_from(a, b, 0)
}

/// As [`count_shared`], but may stop early and return any number below `least` if fewer than `least` keys are shared.
pub fn count_shared_from(a: &[u64], b: &[u64], least: usize) -> usize {
    let mut shared = 0;
    shared_places(a, b, least, |places| shared += places.len());
    shared
}

/// Steps in each half of a list between two checks whether enough keys can still be shared.
const STEPS: usize = 16;

/// Passes the places in `a` of shared keys to `take`, several at a time and unordered. Returns false if fewer than `least` keys are shared;
/// some places may then be missing. Lists are ascending without repetition. Linear in the shorter list, up to a logarithm.
pub(crate) fn shared_places(
    a: &[u64],
    b: &[u64],
    least: usize,
    mut take: impl FnMut(&[usize]),
) -> bool {
    if are_unlike(a, b) {
        return search(a, b, least, |place, _| take(&[place])) >= least;
    }
    if are_unlike(b, a) {
        return search(b, a, least, |_, place| take(&[place])) >= least;
    }
    let [mut low, mut high] = Merge::halves(a, b);
    let (middle, mut shared, mut places) = (a.len() / 2, 0, [0; 2 * STEPS]);
    loop {
        let steps = [low.steps(), high.steps()];
        if steps == [0, 0] || shared + steps[0] + steps[1] < least {
            return shared >= least;
        }
        // Branch prediction would fail here, so every place is written, and a place that is not shared is overwritten by the next.
        let mut count = 0;
        let mut pass = |merge: &mut Merge<'_>, before: usize| {
            let (place, is_shared) = merge.step();
            places[count] = before + place;
            count += usize::from(is_shared);
        };
        match steps {
            [0, left] => (0..left.min(STEPS)).for_each(|_| pass(&mut high, middle)),
            [left, 0] => (0..left.min(STEPS)).for_each(|_| pass(&mut low, 0)),
            [left, other] => (0..left.min(other).min(STEPS)).for_each(|_| {
                pass(&mut low, 0);
                pass(&mut high, middle);
            }),
        }
        take(&places[..count]);
        shared += count;
    }
}

/// Whether `long` is so much longer that the keys of `short` are searched in it.
fn are_unlike(short: &[u64], long: &[u64]) -> bool {
    short.len().saturating_mul(UNLIKE) < long.len()
}

/// Two ascending lists that are merged.
struct Merge<'a> {
    a: &'a [u64],
    b: &'a [u64],
    at: (usize, usize),
}

impl<'a> Merge<'a> {
    /// Splits `a` into halves, each with its part of `b`. Stepping through them in turn avoids waiting for the previous step. Places in the
    /// second half are counted from its start.
    fn halves(a: &'a [u64], b: &'a [u64]) -> [Merge<'a>; 2] {
        let (low, high) = a.split_at(a.len() / 2);
        let begins = |key: &u64| b.partition_point(|other| other < key);
        let (before, behind) = b.split_at(high.first().map_or(0, begins));
        [(low, before), (high, behind)].map(|(a, b)| Merge { a, b, at: (0, 0) })
    }

    /// A lower bound on the remaining steps and an upper bound on the keys still shared.
    fn steps(&self) -> usize {
        (self.a.len() - self.at.0).min(self.b.len() - self.at.1)
    }

    /// Advances past the smaller of the next keys, or past both if they are equal. Returns the place in the first list, and whether they
    /// were equal. Without branches, which would be mispredicted.
    fn step(&mut self) -> (usize, bool) {
        let (i, j) = self.at;
        let (x, y) = (self.a[i], self.b[j]);
        self.at = (i + usize::from(x <= y), j + usize::from(y <= x));
        (i, x == y)
    }
}

/// False only if the longer of two ascending lists has less than the share `least` of the shorter. Stops at the deciding key, so unlike
/// lists take hardly any time.
pub fn may_share(a: &[u64], b: &[u64], least: f64) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let may_miss = ((1.0 - least) * short.len() as f64).ceil() as usize;
    let (mut missing, mut at) = (0, 0);
    for &key in short {
        while long.get(at).is_some_and(|&other| other < key) {
            at += 1;
        }
        missing += usize::from(long.get(at) != Some(&key));
        if missing > may_miss {
            return false;
        }
    }
    true
}

/// [`count_shared_from`] if one list is much longer: galloping search from the last key found. The places of shared keys in both lists go
/// to `found`.
fn search(short: &[u64], long: &[u64], least: usize, mut found: impl FnMut(usize, usize)) -> usize {
    let (mut shared, mut passed) = (0, 0);
    for (at, key) in short.iter().enumerate() {
        if shared + short.len() - at < least {
            break;
        }
        let (rest, mut step) = (&long[passed..], 1);
        while rest.get(step).is_some_and(|other| other < key) {
            step *= 2;
        }
        let near = &rest[..rest.len().min(step + 1)];
        passed += near.partition_point(|other| other < key);
        if long.get(passed) == Some(key) {
            shared += 1;
            found(at, passed);
        }
    }
    shared
}

/// The positions, in `a` and in `b`, of the keys that two ascending lists share. Linear.
pub fn shared_positions<'a>(
    a: &'a [u64],
    b: &'a [u64],
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    (i, j) = (i + 1, j + 1);
                    return Some((i - 1, j - 1));
                }
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn keys(most: usize) -> impl Strategy<Value = BTreeSet<u64>> {
        proptest::collection::btree_set(0u64..600, 0..most)
    }

    proptest! {
        #[test]
        fn shared_keys_are_those_of_both(
            a in prop_oneof![keys(8), keys(300)],
            b in keys(400),
            least in prop_oneof![0usize..9, 0usize..200],
        ) {
            let both = a.intersection(&b).count();
            let [a, b] = [a, b].map(|set| set.into_iter().collect::<Vec<u64>>());
            prop_assert_eq!(count_shared(&a, &b), both);
            prop_assert_eq!(count_shared(&b, &a), both);
            prop_assert_eq!(shared_positions(&a, &b).count(), both);
            let enough = count_shared_from(&a, &b, least);
            prop_assert!(enough == both || enough < least && both < least);
            let mut places = Vec::new();
            let are_enough = shared_places(&a, &b, least, |some| places.extend_from_slice(some));
            prop_assert_eq!(are_enough, both >= least);
            places.sort_unstable();
            let all: Vec<usize> = shared_positions(&a, &b).map(|(place, _)| place).collect();
            prop_assert!(places == all || !are_enough && places.iter().all(|place| all.contains(place)));
        }
    }
}
