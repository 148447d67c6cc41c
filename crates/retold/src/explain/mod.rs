//! Explains why two pages are related, or are not.
//!
//! [`explain_pair`] explains the verdict of a model on two texts: the verdict, the tests that led to it, the features, and the
//! passages that both have. [`ExplainInputs`] finds the two pages in files.

mod compared;
mod explanation;
mod feature;
pub(crate) mod find;
pub(crate) mod passage;
pub(crate) mod shown;

pub use compared::ComparedPage;
pub use explanation::{ExplainedCheck, ExplainedFeature, ExplainedPage, Explanation, explain_pair};
pub use find::ExplainInputs;
pub use passage::{ExplainedPassage, PassageKind, WordPlaces};
pub use shown::{Offsets, Shown};
