//! The parameters of `concept` and `keyworld`.

use super::phrase;
use crate::param::{choices, params};
use crate::sketch::Bounds;

choices! {
    /// The unit of the position spread.
    pub(super) enum SpreadBy {
        /// The words of the shorter page.
        Share = "share",
        /// Words.
        Words = "words",
        /// As printed in DWDCS: deviation from the mean of the sizes of the shifts, over all shared concepts, in words.
        Dwdcs = "dwdcs",
    }
}

choices! {
    /// How far links between words reach.
    pub(super) enum Across {
        /// Over the whole page.
        Page = "page",
        /// Inside blocks.
        Block = "block",
        /// Inside sentences.
        Sentence = "sentence",
    }
}

choices! {
    /// With what the mean distance without a node is compared.
    pub(super) enum Contribution {
        /// The mean distance between the other nodes before.
        Others = "others",
        /// The mean distance between all nodes, as printed in DWDCS.
        All = "all",
    }
}

choices! {
    /// Which words of a page are linked.
    pub(super) enum Links {
        /// Words at most two apart (DWDCS).
        Near = "near",
        /// Words in the same sentences (KeyWorld).
        Sentences = "sentences",
    }
}

params! {
    /// The parameters of both methods.
    pub(super) struct SharedParams {
        /// minimum cosine of the weights of the key concepts
        threshold: f64[0.0..=1.0] = 0.75,
        /// maximum position spread S of related pages, in the unit of `spread_by`
        spread: f64[0.0..=100_000.0] = 0.08,
        /// share: S is divided by the number of words of the shorter page; words: S is in words; dwdcs: S as printed in DWDCS, in words
        spread_by: SpreadBy = SpreadBy::Share,
        /// length ratio below which the shorter page is contained in the longer
        length_threshold: f64[0.0..=1.0] = 0.5,
        /// minimum share of the queried concepts that both pages have, relative to the page with fewer
        shared: f64[0.0..=1.0] = 0.5,
        /// how many of the first key concepts of a page are used to look it up
        query: usize[1..=200] = 20,
        /// how many key concepts of a page are compared
        key_concepts: usize[1..=200] = 20,
        /// maximum number of words in a phrase: words that follow each other twice or more on the page
        phrase: usize[1..=phrase::WORDS] = 1,
        /// concepts that occur more often are nodes of the network
        frequency: usize[0..=1000] = 0,
        /// words are linked across the whole page, inside blocks, or inside sentences (DWDCS)
        across: Across = Across::Page,
        /// what the mean distance without a node is compared with: the mean distance between the other nodes, or that between all nodes (DWDCS)
        contribution: Contribution = Contribution::Others,
    }
}

params! {
    /// The parameters of `concept` alone.
    pub(super) struct ConceptParams {
        /// phrases that are related by more than this become one concept; 1 merges none
        merge: f64[0.0..=1.0] = 0.3,
        /// how many nodes with the highest degree are searched for key concepts
        hubs: usize[1..=100_000] = 30,
    }
}

params! {
    /// The parameters of `keyworld` alone.
    pub(super) struct KeyworldParams {
        /// near: words at most two apart are linked (DWDCS); sentences: words that occur in the same sentences (KeyWorld)
        links: Links = Links::Near,
        /// links=sentences: minimum Jaccard coefficient of the sets of sentences of two linked words
        jaccard: f64[0.0..=1.0] = 0.2,
    }
}

impl SharedParams {
    /// What related pages share, if the one with fewer queried concepts has `keys` of them.
    pub(super) fn bounds(&self, keys: usize) -> Bounds {
        // 0.55 of 20 is 11, but the floating-point product is a little more.
        let least = (self.shared * keys as f64 - 1e-9).ceil();
        Bounds::overlap(least as usize)
    }
}
