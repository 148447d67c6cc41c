//! Explains why two pages are related, or are not.
//!
//! [`explain_pair`] explains the verdict of a model on two texts: the verdict, the tests that led to it, the features, and the
//! passages that both have. [`find`] finds the two pages in files.

mod compared;
mod explanation;
mod feature;
pub mod find;
pub mod passage;
pub mod shown;

pub use compared::ComparedPage;
pub use explanation::{ExplainedCheck, ExplainedFeature, ExplainedPage, Explanation, explain_pair};
