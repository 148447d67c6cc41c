//! The knowledge of a model about a collection, frozen, and as it is saved.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::frequencies::Frequencies;

/// What a model knows of a collection. The default is nothing: no text was counted, no key is common or noise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Knowledge {
    /// How many different texts were counted.
    pub texts: u64,
    /// The number of texts that have each word, for methods that weigh words.
    pub words: Frequencies,
    /// Keys that are no evidence by themselves; ascending.
    pub common: Vec<u64>,
    /// Keys that are on as many texts and evidence all the same, because those texts agree; ascending.
    pub frequent: Vec<u64>,
    /// Keys that are on fewer texts than that, but on several at least; ascending.
    pub several: Vec<u64>,
    /// Hashes of lines that belong to frames; ascending.
    pub frames: Vec<u32>,
    /// Keys that are deleted on every page; ascending.
    pub deleted: Vec<u64>,
    /// Keys that are deleted on the pages of one site; ascending.
    pub deleted_on_site: BTreeMap<String, Vec<u64>>,
}

impl Knowledge {
    /// Frequencies of words.
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

    /// True if a line of this hash belongs to a frame.
    pub fn is_frame(&self, hash: u32) -> bool {
        self.frames.binary_search(&hash).is_ok()
    }

    /// True if `key` is common.
    pub fn is_common(&self, key: u64) -> bool {
        self.common.binary_search(&key).is_ok()
    }

    /// True if `key` is on several texts, but not on many.
    pub fn is_several(&self, key: u64) -> bool {
        self.several.binary_search(&key).is_ok()
    }

    /// True if `key` is on many texts and not common.
    pub fn is_frequent(&self, key: u64) -> bool {
        self.frequent.binary_search(&key).is_ok()
    }

    /// The number of keys that are common or deleted, those of each site counted for that site.
    pub fn noise(&self) -> usize {
        let on_sites: usize = self.deleted_on_site.values().map(Vec::len).sum();
        self.common.len() + self.deleted.len() + on_sites
    }
}
