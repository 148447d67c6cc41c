//! Bigrams: a sample of a text's neighbouring words. Misread, mistyped and rewritten texts keep some of them, and few other texts have them.

use super::word::{Word, hash};
use crate::relation::ratio;

/// Maximum number of bigrams in a sample.
const SAMPLE: usize = 64;
/// Shorter words are mostly function words, which rewriting changes first. Their neighbours count as neighbours of each other.
const CONTENT_BYTES: u64 = 4;

/// The bigrams with the smallest hashes, so that two texts sample the same ones: ascending, distinct, and never 0.
///
/// A bigram is two content words (or numbers) with only short words between them, or three neighbouring single characters of a script
/// without spaces. Time is linear in the words.
pub(crate) fn sample(words: &[Word]) -> Vec<u32> {
    // Hashes are evenly distributed, so four times as many of a long text are nearly always enough.
    let below = (1u64 << 32) * 4 * SAMPLE as u64 / words.len().max(1) as u64;
    let few = smallest(words, u32::try_from(below).unwrap_or(u32::MAX));
    match few.len() {
        SAMPLE => few,
        _ => smallest(words, u32::MAX),
    }
}

/// The smallest hashes up to this one.
fn smallest(words: &[Word], most: u32) -> Vec<u32> {
    let mut hashes = Vec::new();
    let mut add = |words: &[Word]| {
        let hash = short_hash(words);
        if hash <= most {
            hashes.push(hash);
        }
    };
    // Which words are content words cannot be predicted, so each is written without a branch, and overwritten unless it is one.
    let mut content = vec![Word::default(); words.len() + 1];
    let mut count = 0;
    for &word in words {
        content[count] = word;
        count += usize::from(word.bytes() >= CONTENT_BYTES || word.bytes() > 0 && word.is_number());
    }
    content[..count].windows(2).for_each(&mut add);
    if words.iter().any(|word| word.bytes() == 0) {
        let three = words.windows(3);
        let three = three.filter(|three| three.iter().all(|word| word.bytes() == 0));
        three.for_each(add);
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(SAMPLE);
    hashes
}

fn short_hash(words: &[Word]) -> u32 {
    ((hash(words) >> 32) as u32).max(1)
}

/// A stored sample, of which frequent bigrams may be deleted.
///
/// It is stored in two parts: a number that says how long it is and up to which hash it is complete, and its hashes, two in a number; 0
/// stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bigrams<'a> {
    numbers: &'a [u64],
    complete: u32,
}

/// Bits of the head below the number of numbers, which are free for another value, and those below the last complete hash.
const LENGTH: u32 = 16;
const COMPLETE: u32 = 32;

/// The head of a stored sample, and its hashes.
pub(crate) fn stored(sample: &[u32]) -> (u64, impl Iterator<Item = u64> + '_) {
    let complete = match sample.last() {
        Some(&last) if sample.len() == SAMPLE => last,
        _ => u32::MAX,
    };
    let count = sample.len().div_ceil(2) as u64;
    let numbers = sample
        .chunks(2)
        .map(|two| u64::from(two[0]) | u64::from(two.get(1).copied().unwrap_or_default()) << 32);
    (u64::from(complete) << COMPLETE | count << LENGTH, numbers)
}

/// How many numbers the hashes take, given their head.
pub(crate) fn stored_length(head: u64) -> usize {
    usize::from((head >> LENGTH) as u16)
}

/// What else the head says.
pub(crate) fn beside(head: u64) -> u64 {
    head & ((1 << LENGTH) - 1)
}

/// The hashes of a stored sample.
pub(crate) fn hashes(numbers: &[u64]) -> impl Iterator<Item = u32> + Clone + '_ {
    let two = numbers
        .iter()
        .flat_map(|two| [*two as u32, (two >> 32) as u32]);
    two.filter(|&hash| hash != 0)
}

/// Deletes those hashes of a stored sample.
pub(crate) fn delete(numbers: &mut [u64], is_deleted: impl Fn(u32) -> bool) {
    let kept = |hash: u32| if is_deleted(hash) { 0 } else { u64::from(hash) };
    for two in numbers {
        *two = kept(*two as u32) | kept((*two >> 32) as u32) << 32;
    }
}

impl<'a> Bigrams<'a> {
    pub(crate) fn read(head: u64, numbers: &'a [u64]) -> Bigrams<'a> {
        Bigrams {
            numbers,
            complete: (head >> COMPLETE) as u32,
        }
    }

    /// What two samples have in common, as far as both are complete.
    pub(crate) fn in_common(self, other: Bigrams<'_>) -> InCommon {
        let complete = self.complete.min(other.complete);
        let up_to = |hash: &u32| *hash <= complete;
        let mut others = hashes(other.numbers).take_while(up_to).peekable();
        let (mut shared, mut here, mut there) = (0, 0, 0);
        for hash in hashes(self.numbers).take_while(up_to) {
            here += 1;
            while others.next_if(|&other| other < hash).is_some() {
                there += 1;
            }
            shared += usize::from(others.peek() == Some(&hash));
        }
        there += others.count();
        InCommon {
            shared,
            here,
            there,
        }
    }
}

/// How many bigrams two samples share, and how many each has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InCommon {
    pub(crate) shared: usize,
    pub(crate) here: usize,
    pub(crate) there: usize,
}

/// Minimum number of shared bigrams for a share; fewer are chance.
pub(crate) const LEAST_SHARED: usize = 3;

impl InCommon {
    /// The share of all bigrams that are in both (Dice's coefficient); 0 if too few are shared.
    pub(crate) fn share(self) -> f64 {
        match self.shared < LEAST_SHARED {
            true => 0.0,
            false => ratio(2 * self.shared, self.here + self.there),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustc_hash::FxHashSet;

    use super::super::testing::words;
    use super::*;

    fn of(text: &str) -> Vec<u32> {
        sample(&words(text))
    }

    fn in_common(a: &str, b: &str) -> InCommon {
        let [a, b] = [a, b].map(|text| {
            let sample = of(text);
            let (head, numbers) = stored(&sample);
            (head, numbers.collect::<Vec<u64>>())
        });
        Bigrams::read(a.0, &a.1).in_common(Bigrams::read(b.0, &b.1))
    }

    #[test]
    fn short_words_stand_between_neighbours() {
        let text = of("ferry to Naxos left");
        // ferry naxos, naxos left
        assert_eq!(text.len(), 2);
        assert_eq!(of("ferry Naxos was left"), text);
        assert_ne!(of("Naxos ferry left"), text);
        // Numbers count, however short.
        assert_eq!(of("on 3 of may 12").len(), 1);
        // Of characters, three make a bigram: 春天来, 天来了.
        assert_eq!(of("春 天 来 了").len(), 2);
        assert_eq!(of("春 天 spring 来 了").len(), 0);
    }

    #[test]
    fn shares_by_hand() {
        // Four bigrams and three; two are shared, which may be chance.
        let (text, other) = (
            "alpha bravo charlie delta echoes",
            "bravo charlie delta foxtrot",
        );
        let found = in_common(text, other);
        assert_eq!((found.shared, found.here, found.there), (2, 4, 3));
        assert_eq!(found.share(), 0.0);
        let found = in_common(&format!("golf1 {text}"), &format!("{text} golf1"));
        assert_eq!((found.shared, found.here, found.there), (4, 5, 5));
        assert_eq!(found.share(), 0.8);
    }

    #[test]
    fn long_texts_are_compared_up_to_where_both_samples_are_complete() {
        let numbered = |to: usize| {
            let words: Vec<String> = (0..to).map(|n| format!("word{n}")).collect();
            words.join(" ")
        };
        let (long, half) = (numbered(1000), numbered(500));
        assert_eq!(of(&long).len(), SAMPLE);
        let found = in_common(&long, &half);
        assert!(found.here == SAMPLE && found.shared == found.there);
        assert!((20..45).contains(&found.shared), "{found:?}");
    }

    #[test]
    fn deleted_bigrams_do_not_count() {
        let sample = of("alpha bravo charlie delta echoes foxtrot");
        let (head, numbers) = stored(&sample);
        let mut numbers: Vec<u64> = numbers.collect();
        assert_eq!(stored_length(head), 3);
        delete(&mut numbers, |hash| hash == sample[1] || hash == sample[2]);
        let left = Bigrams::read(head, &numbers);
        let found = left.in_common(left);
        assert_eq!((found.shared, found.here, found.there), (3, 3, 3));
        assert_eq!(beside(head | 17), 17);
    }

    proptest! {
        /// Reference implementation: sets of all hashes.
        #[test]
        fn as_sets_say(a in prop::collection::vec(0..90u8, 0..300), b in prop::collection::vec(0..90u8, 0..300)) {
            let text = |numbers: &[u8]| numbers.iter().map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
            let all = |text: &str| -> Vec<u32> {
                let words = words(text);
                let set: FxHashSet<u32> = words.windows(2).map(short_hash).collect();
                let mut all: Vec<u32> = set.into_iter().collect();
                all.sort_unstable();
                all
            };
            let (a, b) = (text(&a), text(&b));
            let (x, y) = (all(&a), all(&b));
            prop_assert_eq!(&of(&a)[..], &x[..x.len().min(SAMPLE)]);
            let end = |all: &[u32]| all.get(SAMPLE - 1).copied().unwrap_or(u32::MAX);
            let end = end(&x).min(end(&y));
            let cut = |all: Vec<u32>| -> FxHashSet<u32> { all.into_iter().filter(|&hash| hash <= end).collect() };
            let (x, y) = (cut(x), cut(y));
            let expected = InCommon { shared: x.intersection(&y).count(), here: x.len(), there: y.len() };
            prop_assert_eq!(in_common(&a, &b), expected);
        }
    }
}
