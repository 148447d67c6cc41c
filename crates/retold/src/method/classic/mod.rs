//! The methods with which the papers compare themselves.

pub(super) mod codet;
mod features;
pub(super) mod imatch;
pub(super) mod punctuation;
pub(super) mod shingle;
pub(super) mod simhash;
pub(super) mod spotsigs;
pub(super) mod tfidf;
