//! Document frequencies, which methods that weigh words by rarity need before sketching.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Document frequencies: the number of different texts with each feature. Counted once and frozen, so later pages are judged with the same
/// numbers.
///
/// 16 bytes per feature on more than one text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Frequencies {
    texts: u64,
    df: FxHashMap<u64, u32>,
}

/// The file form: features ascending, so that equal frequencies give equal bytes.
#[derive(Serialize, Deserialize)]
struct Stored {
    texts: u64,
    df: Vec<(u64, u32)>,
}

impl From<Stored> for Frequencies {
    fn from(stored: Stored) -> Frequencies {
        Frequencies {
            texts: stored.texts,
            df: stored.df.into_iter().collect(),
        }
    }
}

impl From<Frequencies> for Stored {
    fn from(frequencies: Frequencies) -> Stored {
        let mut df: Vec<(u64, u32)> = frequencies.df.into_iter().collect();
        df.sort_unstable();
        Stored {
            texts: frequencies.texts,
            df,
        }
    }
}

impl Frequencies {
    /// Counts texts, each given by its distinct features.
    pub fn of(texts: impl IntoIterator<Item = Vec<u64>>) -> Frequencies {
        let mut frequencies = Frequencies::default();
        texts.into_iter().for_each(|text| frequencies.add(&text));
        frequencies.freeze();
        frequencies
    }

    /// Counts one more text.
    pub(crate) fn add(&mut self, features: &[u64]) {
        self.texts += 1;
        for &feature in features {
            *self.df.entry(feature).or_default() += 1;
        }
    }

    /// Drops features on only one text, which most features of a collection are: an unknown feature has df 1.
    pub(crate) fn freeze(&mut self) {
        self.df.retain(|_, df| *df > 1);
        self.df.shrink_to_fit();
    }

    /// The number of different texts counted.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// The number of texts with a feature; 1 for an unknown feature.
    pub fn df(&self, feature: u64) -> u32 {
        self.df.get(&feature).copied().unwrap_or(1)
    }

    /// ln(N / df), at least 0.
    pub fn idf(&self, feature: u64) -> f64 {
        (self.texts.max(1) as f64 / f64::from(self.df(feature)))
            .ln()
            .max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_by_hand() {
        let frequencies = Frequencies::of([vec![1, 2], vec![1, 3], vec![1, 2], vec![4]]);
        assert_eq!(frequencies.texts(), 4);
        assert_eq!([1, 2, 3, 9].map(|f| frequencies.df(f)), [3, 2, 1, 1]);
        // ln(4/2), ln(4/1).
        assert!((frequencies.idf(2) - std::f64::consts::LN_2).abs() < 1e-12);
        assert!((frequencies.idf(3) - 2.0 * std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(Frequencies::default().idf(1), 0.0);
    }

    #[test]
    fn files_hold_all_that_counts() {
        let frequencies = Frequencies::of([vec![u64::MAX, 2], vec![u64::MAX, 3]]);
        let json = serde_json::to_string(&frequencies).unwrap();
        assert_eq!(json, r#"{"texts":2,"df":[[18446744073709551615,2]]}"#);
        assert_eq!(
            serde_json::from_str::<Frequencies>(&json).unwrap(),
            frequencies
        );
    }
}
