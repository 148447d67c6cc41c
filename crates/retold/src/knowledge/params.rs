//! The parameters of the noise filter.

use crate::param::{choices, params};
use crate::sketch::SketchRef;

choices! {
    /// How features of templates and disclaimers are treated.
    pub(crate) enum NoiseFilter {
        /// Not at all.
        None = "none",
        /// Deleted if they are on too many texts.
        Idf = "idf",
        /// Deleted on a site's pages if they are on too many of its texts.
        Site = "site",
        /// Both.
        IdfAndSite = "idf+site",
        /// Kept, but further evidence is required.
        Evidence = "evidence",
    }
}

params! {
    /// The parameters of the noise filter, added to those of methods that use it.
    pub(crate) struct NoiseParams {
        /// how features of templates and disclaimers are treated: deleted by IDF, by site, by both, or kept, with further evidence required
        noise: NoiseFilter = NoiseFilter::Evidence,
        /// evidence: a feature on at least this many texts may be common
        common_df: usize[2..=1_000_000_000] = 8,
        /// evidence: such a feature is common if fewer of the pairs of its texts agree in nearly everything
        agreement: f64[0.0..=1.0] = 0.2,
        /// evidence: common features are enough if their sentences are this share of the shorter text
        cover: f64[0.01..=1.0] = 0.65,
        /// evidence: common features are enough if this many are shared
        many: usize[1..=1_000_000_000] = 20,
        /// idf: a feature with ln(N / df) below this is noise
        idf_threshold: f64[0.0..=100.0] = 6.0,
        /// idf: a feature on fewer different texts than this is never noise
        idf_min_df: usize[2..=1_000_000_000] = 20,
        /// site: a feature on at most this many different texts of a site is never noise there
        site_min_df: usize[1..=1_000_000_000] = 20,
        /// site: a feature on more than this share of a site's different texts is noise there
        site_share: f64[0.0..=1.0] = 0.02,
    }
}

impl NoiseParams {
    pub(super) fn common_rule(&self) -> CommonRule {
        CommonRule {
            min_df: self.common_df as u64,
            context_similarity: self.agreement,
            lines: None,
            bigrams: None,
        }
    }
}

/// Extracts the line hashes from a sketch: numbers of two hashes each, the last of which may be 0.
pub type Lines = fn(SketchRef<'_>) -> &[u64];

/// Extracts the numbers with the bigrams from a sketch ([`crate::compare::bigrams`]).
pub type BigramNumbers = fn(SketchRef<'_>) -> &[u64];

/// The rule by which a key is common.
#[derive(Clone, Copy, Debug)]
pub struct CommonRule {
    /// It is on at least this many different texts, ...
    pub min_df: u64,
    /// ... and less than this share of their pairs agree in nearly everything.
    pub context_similarity: f64,
    /// Where sketches have the line hashes of their texts, if frames are to be learnt.
    pub lines: Option<Lines>,
    /// Where sketches have the bigrams of their texts, if frequent ones are to be learnt.
    pub bigrams: Option<BigramNumbers>,
}
