//! What a model has learnt from a collection, frozen, and its file form.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::frequencies::Frequencies;

/// What a model has learnt from a collection. By default nothing: no text was counted, no key is common or noise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Knowledge {
    /// The number of different texts counted.
    pub texts: u64,
    /// The document frequencies of words, for methods that weigh words.
    pub words: Frequencies,
    /// Keys that are no evidence by themselves, ascending.
    pub common: Vec<u64>,
    /// Keys that are equally frequent but still evidence, because their texts agree; ascending.
    pub frequent: Vec<u64>,
    /// Less frequent keys on at least several texts, ascending.
    pub several: Vec<u64>,
    /// Hashes of lines that belong to frames, ascending.
    pub frames: Vec<u32>,
    /// Hashes of bigrams on many different texts, ascending.
    pub bigrams: Vec<u32>,
    /// Keys deleted on every page, ascending.
    pub deleted: Vec<u64>,
    /// Keys deleted on the pages of one site, ascending.
    pub deleted_on_site: BTreeMap<String, Vec<u64>>,
}

impl Knowledge {
    /// Knowledge of word frequencies only.
    pub fn of_words(words: Frequencies) -> Knowledge {
        Knowledge {
            texts: words.texts(),
            words,
            ..Knowledge::default()
        }
    }

    /// True if `key` is deleted on a page of `site`.
    pub fn deletes(&self, key: u64, site: Option<&str>) -> bool {
        self.deleted.binary_search(&key).is_ok()
            || site
                .and_then(|site| self.deleted_on_site.get(site))
                .is_some_and(|keys| keys.binary_search(&key).is_ok())
    }

    /// True if no key is deleted anywhere.
    pub fn deletes_nothing(&self) -> bool {
        self.deleted.is_empty() && self.deleted_on_site.is_empty()
    }

    /// True if a line with this hash belongs to a frame.
    pub fn is_frame(&self, hash: u32) -> bool {
        self.frames.binary_search(&hash).is_ok()
    }

    /// True if `key` is common.
    pub fn is_common(&self, key: u64) -> bool {
        self.common.binary_search(&key).is_ok()
    }

    /// True if `key` is on several texts but not on many.
    pub fn is_several(&self, key: u64) -> bool {
        self.several.binary_search(&key).is_ok()
    }

    /// True if `key` is on many texts and not common.
    pub fn is_frequent(&self, key: u64) -> bool {
        self.frequent.binary_search(&key).is_ok()
    }

    /// The number of common and deleted keys; keys deleted on several sites are counted for each.
    pub fn noise(&self) -> usize {
        let on_sites: usize = self.deleted_on_site.values().map(Vec::len).sum();
        self.common.len() + self.deleted.len() + on_sites
    }
}
