//! The method `simhash`: 64 random projections (Charikar 2002; Manku et al. 2007).

use xxhash_rust::xxh3::xxh3_64;

use crate::method::{Check, Learns, Method, MethodInfo, Op, Trace};
use crate::param::params;
use crate::relation::{Relation, Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef, count_shared};
use crate::text::{Extract, Text};

params! {
    pub(in crate::method) struct SimhashParams {
        /// most bits in which the fingerprints of related pages differ
        distance: usize[0..=BLOCKS.len() - 1] = 6,
        /// content words in a feature; from 2 on, word order counts
        width: usize[1..=100] = 1,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "simhash",
    summary: "pages with nearly the same word counts: 64-bit fingerprints that differ in few bits",
    source: "Charikar, STOC 2002; Manku, Jain and Das Sarma, WWW 2007",
    learns: Learns::Nothing,
    extract: Extract::Main,
    params: &[SimhashParams::PARAMS],
    judged_by: &[],
    reads_sentences: |_| false,
    least_similarity: |params| 1.0 - SimhashParams::from(params).distance as f64 / 64.0,
    build: |params, _| Box::new(Simhash::new(params.into())),
};

/// For each distance, the number of blocks of a fingerprint: the fewest for which the part that near fingerprints must share has at least
/// 14 bits, so that few others share it by chance.
const BLOCKS: [u32; 11] = [1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13];

/// SimHash: the cosine of two pages' word counts, estimated from 64 bits per page.
///
/// # What it finds
/// Pages that use nearly the same words nearly as often: copies with small edits.
///
/// # How
/// A feature is a run of `width` content words (no stop-words, no numbers; in Chinese as segmented), weighted by its frequency. Bit i of
/// the fingerprint is set if the features whose hashes have bit i outweigh the others. Pages whose fingerprints differ in at most
/// `distance` bits are duplicates; similarity is 1 − differing bits / 64. All such pairs are found: fingerprints are cut into blocks, and
/// those within k bits of each other agree in all but k blocks; each choice of that many blocks is a table (a key). 3 bits need 4 tables,
/// 10 bits 286, at 8 bytes per page and table.
///
/// # Misses
/// Contained pages, pages with other text around the article, and edits of more than a few words in a hundred. Short pages, whose few words
/// decide bits by accident, in both directions.
///
/// # Parameters
/// `retold methods simhash` lists them with their ranges.
///
/// # Reference
/// Charikar, Similarity estimation techniques from rounding algorithms, STOC 2002; tables: Manku, Jain and Das Sarma, Detecting
/// near-duplicates for web crawling, WWW 2007. Our weights are plain frequencies, which need no corpus.
#[derive(Clone, Debug)]
pub struct Simhash {
    params: SimhashParams,
    /// The bits that each table compares.
    tables: Vec<u64>,
}

impl Simhash {
    fn new(params: SimhashParams) -> Simhash {
        let tables = tables(BLOCKS[params.distance], params.distance as u32);
        Simhash { params, tables }
    }

    fn features(&self, text: &Text) -> Vec<u64> {
        let words = text.words();
        let content = words.all().iter().filter(|word| word.is_content());
        let hashes: Vec<u64> = content
            .map(|&word| xxh3_64(words.as_str(word).as_bytes()))
            .collect();
        if self.params.width == 1 || hashes.is_empty() {
            return hashes;
        }
        // A text with fewer words than a feature is one feature.
        let runs = hashes.windows(self.params.width.min(hashes.len()));
        runs.map(hash_of).collect()
    }

    /// The keys by which fingerprints within the distance are found: the bits of each table, hashed with the number of the table. (A seed
    /// is not enough: for inputs of 8 bytes xxh3's seed only flips bits, and tables would mix.)
    fn keys(&self, fingerprint: u64) -> Vec<u64> {
        let key = |(bits, table): (&u64, u64)| hash_of(&[fingerprint & bits, table]);
        let mut keys: Vec<u64> = self.tables.iter().zip(0..).map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

fn hash_of(numbers: &[u64]) -> u64 {
    let bytes: Vec<u8> = numbers.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// The majority of each bit over all features with repetitions; a tie leaves the bit clear.
fn fingerprint(features: &[u64]) -> u64 {
    let mut ones = [0u32; 64];
    for feature in features {
        for (bit, count) in ones.iter_mut().enumerate() {
            *count += (feature >> bit & 1) as u32;
        }
    }
    let set = |&(_, &count): &(usize, &u32)| 2 * u64::from(count) > features.len() as u64;
    let bits = ones.iter().enumerate().filter(set);
    bits.fold(0, |all, (bit, _)| all | 1 << bit)
}

/// The bit masks of all choices of `blocks` − `distance` blocks. Two fingerprints that differ in `distance` bits differ in at most as many
/// blocks, so they agree in one choice.
fn tables(blocks: u32, distance: u32) -> Vec<u64> {
    let start = |block: u32| block * 64 / blocks;
    let bits = |block: u32| (start(block)..start(block + 1)).fold(0u64, |all, bit| all | 1 << bit);
    let chosen = (0u32..1 << blocks).filter(|choice| choice.count_ones() == blocks - distance);
    let union = |choice: u32| {
        let within = (0..blocks).filter(|block| choice >> block & 1 == 1);
        within.fold(0, |all, block| all | bits(block))
    };
    chosen.map(union).collect()
}

/// The number of bits in which two fingerprints differ.
fn differing(a: SketchRef<'_>, b: SketchRef<'_>) -> Option<u32> {
    let (a, b) = (a.extra.first()?, b.extra.first()?);
    Some((a ^ b).count_ones())
}

/// The number of features of a fingerprint.
fn size(sketch: SketchRef<'_>) -> usize {
    sketch.extra.get(1).map_or(0, |&size| size as usize)
}

impl Method for Simhash {
    fn sketch(&self, text: &Text) -> Sketch {
        let features = self.features(text);
        if features.is_empty() {
            return Sketch::default();
        }
        let fingerprint = fingerprint(&features);
        Sketch {
            keys: self.keys(fingerprint),
            extra: vec![fingerprint, features.len() as u64],
            ..Sketch::default()
        }
    }

    fn bounds(&self, _keys: usize) -> Bounds {
        Bounds::overlap(1)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let differing = differing(a, b)?;
        let bits = "bits of 64 in which the fingerprints differ";
        let most = self.params.distance as f64;
        if !trace.test(Check::number(
            "distance",
            bits,
            differing as usize,
            Op::AtMost,
            most,
        )) {
            return None;
        }
        let (smaller, larger) = (size(a).min(size(b)), size(a).max(size(b)));
        Some(Verdict {
            relation: Relation::Duplicate,
            similarity: 1.0 - f64::from(differing) / 64.0,
            length_ratio: ratio(smaller, larger),
            shared: count_shared(a.keys, b.keys) as u32,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::method::testing::{judge, related, text};

    fn simhash(distance: usize, width: usize) -> Simhash {
        Simhash::new(SimhashParams { distance, width })
    }

    /// Charikar's definition with weights, one feature and one bit at a time.
    fn by_definition(features: &[u64]) -> u64 {
        let mut weights = BTreeMap::new();
        for &feature in features {
            *weights.entry(feature).or_insert(0i64) += 1;
        }
        let mut fingerprint = 0;
        for bit in 0..64 {
            let mut sum = 0;
            for (feature, weight) in &weights {
                sum += if feature >> bit & 1 == 1 {
                    *weight
                } else {
                    -weight
                };
            }
            if sum > 0 {
                fingerprint |= 1 << bit;
            }
        }
        fingerprint
    }

    #[test]
    fn a_fingerprint_by_hand() {
        // Bit 0: set in 3 of 3; bit 1: in 2; bit 2: in 1.
        assert_eq!(fingerprint(&[0b111, 0b011, 0b001]), 0b011);
        // A tie is no majority.
        assert_eq!(fingerprint(&[0b11, 0b01]), 0b01);
        assert_eq!(fingerprint(&[]), 0);
    }

    #[test]
    fn features_are_runs_of_content_words() {
        let hash = |word: &str| xxh3_64(word.as_bytes());
        let page = text("The ferry has 12 seats in the harbour.");
        let [ferry, seats, harbour] = ["ferry", "seats", "harbour"].map(hash);
        assert_eq!(simhash(3, 1).features(&page), [ferry, seats, harbour]);
        let pairs = [hash_of(&[ferry, seats]), hash_of(&[seats, harbour])];
        assert_eq!(simhash(3, 2).features(&page), pairs);
        assert_eq!(
            simhash(3, 9).features(&page),
            [hash_of(&[ferry, seats, harbour])]
        );
    }

    #[test]
    fn tables_by_hand() {
        // Two blocks of 32 bits, one of which may differ.
        assert_eq!(tables(2, 1), [0xffff_ffff, 0xffff_ffff_0000_0000]);
        assert_eq!(tables(1, 0), [u64::MAX]);
        for (distance, &blocks) in BLOCKS.iter().enumerate() {
            let tables = tables(blocks, distance as u32);
            assert!(
                tables.iter().all(|bits| bits.count_ones() >= 14),
                "{distance}"
            );
            assert!(tables.len() <= 286);
        }
    }

    #[test]
    fn verdicts_by_hand() {
        let method = simhash(3, 1);
        let sketch = |fingerprint: u64, size| Sketch {
            keys: method.keys(fingerprint),
            extra: vec![fingerprint, size],
            ..Sketch::default()
        };
        let verdict = |a: &Sketch, b: &Sketch| judge(&method, a, b);
        let near = verdict(&sketch(0b1011, 10), &sketch(0b1100, 20)).unwrap();
        assert_eq!((near.similarity, near.length_ratio), (61.0 / 64.0, 0.5));
        assert_eq!(verdict(&sketch(0b1111, 10), &sketch(0, 10)), None);
        let empty = Sketch::default();
        assert_eq!(verdict(&empty, &empty), None);
    }

    proptest! {
        #[test]
        fn the_fingerprint_is_the_one_defined(
            features in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..8], 0..60),
        ) {
            prop_assert_eq!(fingerprint(&features), by_definition(&features));
        }

        /// Checks the index against the Hamming distance of all pairs: a few centres and their neighbourhoods.
        #[test]
        fn all_pairs_within_the_distance_are_found(
            centres in proptest::collection::vec(any::<u64>(), 1..4),
            flips in proptest::collection::vec(proptest::collection::vec(0u32..64, 0..12), 1..20),
            distance in 0..BLOCKS.len(),
        ) {
            let method = simhash(distance, 1);
            let fingerprints: std::collections::BTreeSet<u64> = flips
                .iter()
                .zip(centres.iter().cycle())
                .map(|(bits, &centre)| bits.iter().fold(centre, |all, bit| all ^ 1 << bit))
                .collect();
            let fingerprints: Vec<u64> = fingerprints.into_iter().collect();
            let found = related(&method, fingerprints.iter().map(|&fingerprint| Sketch {
                keys: method.keys(fingerprint),
                extra: vec![fingerprint, 10],
                ..Sketch::default()
            }));
            let mut expected = Vec::new();
            for (a, fingerprint) in (0u32..).zip(&fingerprints) {
                for (b, other) in (a + 1..).zip(&fingerprints[a as usize + 1..]) {
                    if (fingerprint ^ other).count_ones() as usize <= distance {
                        expected.push((a, b));
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }

        /// For every distance, flips the given number of different bits.
        #[test]
        fn fingerprints_within_the_distance_share_a_key(
            fingerprint in any::<u64>(),
            distance in 0..BLOCKS.len(),
            bits in proptest::collection::btree_set(0u32..64, 0..=10),
        ) {
            let method = simhash(distance, 1);
            let other = bits.iter().fold(fingerprint, |all, bit| all ^ 1 << bit);
            let shared = count_shared(&method.keys(fingerprint), &method.keys(other));
            prop_assert!(shared > 0 || bits.len() > distance);
            // The shared tables are those without a flipped bit.
            let intact = method.tables.iter().filter(|table| bits.iter().all(|bit| *table >> bit & 1 == 0));
            prop_assert_eq!(shared, intact.count());
        }
    }
}
