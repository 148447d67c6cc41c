//! What is counted on two pages.

use crate::relation::ratio;

/// What is counted on two pages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    /// Grams of the first page.
    pub(super) a: usize,
    /// Grams of the second.
    pub(super) b: usize,
    /// Grams of both.
    pub(super) shared: usize,
    /// Grams of the smaller of the two samples, as far as both reach.
    pub(super) sampled: usize,
    /// Sampled grams of both.
    pub(super) sampled_shared: usize,
    /// As `sampled`, without the common grams.
    pub(super) rare: usize,
    /// As `sampled_shared`, without the common grams.
    pub(super) rare_shared: usize,
    /// Thousandths of the smaller page that are prose.
    pub(super) prose: u64,
}

impl Counts {
    /// The share of the smaller page that the other contains.
    pub(super) fn coverage(&self) -> f64 {
        ratio(self.shared, self.a.min(self.b))
    }

    /// The same of what is rare in the collection. Only sampled grams are known to be rare or common; but what the
    /// sample says of all grams is off by about as much as what it says of the rare ones, and that is known.
    pub(super) fn rare_coverage(&self) -> f64 {
        let error = ratio(self.sampled_shared, self.sampled) - self.coverage();
        ratio(self.rare_shared, self.rare) - error
    }
}
