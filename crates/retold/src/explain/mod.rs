//! Explains why two pages are related or not.
//!
//! [`explain_pair`] explains a model's verdict on two texts: the verdict, the tests that led to it, the features, and the shared passages.
//! [`ExplainInputs`] finds the two pages in files. [`added_passages`] are those that none of several pages has.

mod adds;
mod compared;
mod explanation;
mod feature;
pub(crate) mod find;
pub(crate) mod passage;
pub(crate) mod shown;

pub use adds::{AddedPassage, added_passages};
pub use compared::ComparedPage;
pub use explanation::{ExplainedCheck, ExplainedFeature, ExplainedPage, Explanation, explain_pair};
pub use find::ExplainInputs;
pub use passage::{ExplainedPassage, PassageKind, WordPlaces};
pub use shown::{Offsets, Shown};
