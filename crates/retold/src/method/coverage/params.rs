//! The parameters of `coverage`, and what follows from them alone.

use crate::knowledge::CommonRule;
use crate::method::Verification;
use crate::param::params;

params! {
    /// The parameters of `coverage`.
    pub(super) struct CoverageParams {
        /// minimum coverage: share of the smaller page's runs of words that the other page has
        threshold: f64[0.05..=1.0] = 0.6,
        /// least length ratio of duplicates; below it one page contains the other
        length_threshold: f64[0.0..=1.0] = 0.5,
        /// greatest share of the smaller page that stands in gaps between what both pages have
        gaps: f64[0.0..=1.0] = 0.15,
        /// greatest share of the smaller page that is replaced by other words on the other page, both its own
        replaced: f64[0.0..=1.0] = 0.15,
        /// the same where most of what both pages have is on many texts: forms have slots
        replaced_frequent: f64[0.0..=1.0] = 0.04,
        /// pages of fewer words (characters, in scripts without spaces) are short
        short: usize[0..=1_000_000] = 60,
        /// greatest share of a short page that is replaced, at its ends too
        short_replaced: f64[0.0..=1.0] = 0.02,
        /// a shingle on at least this many texts is frequent, and may be a template's
        common_df: usize[2..=1_000_000] = 10,
        /// a frequent shingle is a template's if fewer of the pairs of its pages agree in nearly all they have
        agreement: f64[0.0..=1.0] = 0.12,
        /// minimum coverage of what is no template's, for it to be evidence
        rest: f64[0.0..=1.0] = 0.4,
        /// minimum share of text in full sentences of an article; what templates share counts there
        prose: f64[0.0..=1.0] = 0.8,
        /// with at least this many shared runs of words, what templates share counts on any page; 1000000000: never
        many: usize[1..=1_000_000_000] = 1_000_000_000,
        /// minimum share of the smaller page's words that the other has in the same order, for one to be the other reworded; 1: never
        reworded: f64[0.5..=1.0] = 0.75,
        /// words (characters, in scripts without spaces) in a shingle of the sketch
        width: usize[1..=100] = 8,
        /// one shingle in this many is kept in the sketch
        sample: usize[1..=1024] = 14,
        /// words (characters) in a run, of which verification compares all
        run: usize[1..=100] = 5,
        /// exact: verify candidates on their texts; off: accept the estimates of the sketches
        verify: Verification = Verification::Exact,
    }
}

impl CoverageParams {
    /// Hashes below this are in the sample.
    pub(super) fn below(&self) -> u64 {
        u64::MAX / self.sample as u64
    }

    /// From so many thousandths of its text in full sentences on a page is an article.
    pub(super) fn least_prose(&self) -> u64 {
        (self.prose * 1000.0).round() as u64
    }

    pub(super) fn verifies(&self) -> bool {
        self.verify == Verification::Exact
    }

    pub(super) fn common_rule(&self) -> CommonRule {
        CommonRule {
            min_df: self.common_df as u64,
            context_similarity: self.agreement,
        }
    }
}
