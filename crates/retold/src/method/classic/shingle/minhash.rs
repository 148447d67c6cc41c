//! Min-hash values by one permutation, and their bands.

use xxhash_rust::xxh3::xxh3_64;

/// Computes a fixed number of min-hash values of a set of hashes.
///
/// Hashes are distributed over bins, and the least of each bin is its value (Li, Owen and Zhang 2012). An empty bin takes the value of
/// another, chosen pseudo-randomly but equally on every page (Shrivastava 2017), so that two values at the same place still agree with a
/// probability equal to the resemblance.
#[derive(Clone, Debug)]
pub(super) struct MinHash {
    hashes: usize,
}

/// Marks an empty bin. A real hash has this value with probability 2^-64.
const EMPTY: u64 = u64::MAX;

impl MinHash {
    pub(super) fn new(hashes: usize) -> MinHash {
        MinHash { hashes }
    }

    pub(super) fn hashes(&self) -> usize {
        self.hashes
    }

    pub(super) fn bins(&self) -> Vec<u64> {
        vec![EMPTY; self.hashes]
    }

    pub(super) fn add(&self, bins: &mut [u64], hash: u64) {
        let bin = &mut bins[self.bin(hash)];
        *bin = hash.min(*bin);
    }

    /// The bin of a hash: its position in the range of hashes, scaled to the bins.
    fn bin(&self, hash: u64) -> usize {
        // Rotated, because the leading bits also decide which hash of a bin is the least.
        let turned = hash.rotate_left(32);
        ((u128::from(turned) * self.hashes as u128) >> 64) as usize
    }

    /// The min-hash values; at least one bin must be filled.
    pub(super) fn values(&self, bins: &[u64]) -> Vec<u16> {
        let value = |bin: usize| {
            let filled = (0u64..).map(|attempt| match attempt {
                0 => bins[bin],
                _ => bins[self.bin(mix(bin as u64, attempt))],
            });
            let hash = filled.into_iter().find(|&hash| hash != EMPTY);
            // The low bits: the high bits of a minimum are mostly zero.
            mix(hash.unwrap_or(EMPTY), 0) as u16
        };
        (0..self.hashes).map(value).collect()
    }
}

fn mix(a: u64, b: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    xxh3_64(&bytes)
}

/// Packs four values into a number.
pub(super) fn pack(values: &[u16]) -> impl Iterator<Item = u64> {
    values.chunks(4).map(|four| {
        four.iter()
            .rev()
            .fold(0, |packed, &value| packed << 16 | u64::from(value))
    })
}

/// How many values of two packed lists agree, without the padding of the last number.
pub(super) fn agreeing(a: &[u64], b: &[u64], hashes: usize) -> usize {
    let lanes = |difference: u64| {
        (0..4)
            .filter(|lane| difference >> (16 * lane) & 0xffff == 0)
            .count()
    };
    let equal: usize = a.iter().zip(b).map(|(x, y)| lanes(x ^ y)).sum();
    equal - (4 * a.len().min(b.len()) - hashes)
}

/// Groups of values: pages are candidates if all values of a group agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bands {
    pub(super) bands: usize,
    pub(super) rows: usize,
}

impl Bands {
    /// The most rows with which two sets of resemblance `threshold` share no band with probability at most `miss`; 1 row if there is no
    /// such number.
    pub(super) fn choose(hashes: usize, threshold: f64, miss: f64) -> Bands {
        let misses = |rows: usize| {
            let bands = (hashes / rows) as f64;
            (1.0 - threshold.powi(rows as i32)).powf(bands)
        };
        let rows = (1..=hashes).rev().find(|&rows| misses(rows) <= miss);
        let rows = rows.unwrap_or(1);
        Bands {
            bands: hashes / rows,
            rows,
        }
    }

    pub(super) fn keys(&self, values: &[u16]) -> Vec<u64> {
        let mut bytes = Vec::with_capacity(2 * self.rows + 4);
        let bands = values.chunks_exact(self.rows).take(self.bands);
        bands
            .zip(0u32..)
            .map(|(band, number)| {
                bytes.clear();
                bytes.extend_from_slice(&number.to_le_bytes());
                band.iter()
                    .for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
                xxh3_64(&bytes)
            })
            .collect()
    }
}
