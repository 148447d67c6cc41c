//! The parameters of `coverage`, and values computed from them.

use super::extra::Extra;
use crate::knowledge::CommonRule;
use crate::method::Verification;
use crate::param::params;

params! {
    pub(super) struct CoverageParams {
        /// minimum share of the smaller page's words outside frames that the other page has, in order or in a moved passage
        threshold: f64[0.05..=1.0] = 0.6,
        /// only with verify=off: minimum length ratio of duplicates; below it one page contains the other
        length_threshold: f64[0.0..=1.0] = 0.5,
        /// maximum share of the smaller page's words outside templates that is replaced by other words
        replaced: f64[0.0..=1.0] = 0.15,
        /// the same in a form: a third of the shared text belongs to templates
        replaced_frequent: f64[0.0..=1.0] = 0.04,
        /// pages with fewer words (five thirds as many characters) outside frames are short
        short: usize[0..=1_000_000] = 60,
        /// maximum share of a short page that is replaced, also at its ends
        short_replaced: f64[0.0..=1.0] = 0.02,
        /// a shingle on at least this many texts is frequent, and may belong to a template
        common_df: usize[2..=1_000_000] = 10,
        /// a frequent shingle belongs to a template if fewer of the pairs of its texts agree in nearly everything
        agreement: f64[0.0..=1.0] = 0.12,
        /// minimum coverage of the text outside templates, for it to be evidence
        rest: f64[0.0..=1.0] = 0.4,
        /// a page with at least this share of its text in full sentences is an article; there, shared text of templates counts
        prose: f64[0.0..=1.0] = 0.8,
        /// a page is the other reworded if the other has at least this share of the smaller page's words in the same order; 1: never
        reworded: f64[0.5..=1.0] = 0.75,
        /// a passage that only one page has is its own from this number of words (characters in scripts without spaces: five thirds of it) ...
        own_words: usize[0..=1_000_000] = 12,
        /// ... if it is also at least this share of the page
        own_share: f64[0.0..=1.0] = 0.05,
        /// words (characters, in scripts without spaces) in a shingle of the sketch
        width: usize[1..=100] = 8,
        /// one shingle in this many is kept in the sketch
        sample: usize[1..=1024] = 14,
        /// words (characters) in a run; verification compares all runs
        run: usize[1..=100] = 5,
        /// exact: verify candidates on their texts; off: use the estimates from the sketches
        verify: Verification = Verification::Exact,
    }
}

impl CoverageParams {
    /// Hashes below this are in the sample.
    pub(super) fn below(&self) -> u64 {
        u64::MAX / self.sample as u64
    }

    /// A page with at least this share of its text in full sentences, in thousandths, is an article.
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
            lines: Some(|sketch| Extra::of(sketch).lines),
            bigrams: Some(|sketch| Extra::of(sketch).bigrams),
        }
    }
}
