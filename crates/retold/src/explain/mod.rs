//! Explains why two pages are related, or are not.
//!
//! [`pair`] explains the verdict of a model on two texts: the verdict, the tests that made it, the features and the
//! passages that both have. [`find`] gets the two pages out of files.

mod feature;
pub mod find;
pub mod passage;
pub mod piece;
pub mod shown;
mod story;

pub use story::{Side, Story, TellCheck, TellFeature, TellPage, TellPassage, pair};
