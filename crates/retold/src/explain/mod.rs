//! Why two pages are what they are to each other.
//!
//! [`pair`] tells the story of two texts: the verdict, the arithmetic behind it, the features and the passages that
//! both have. [`find`] gets pages out of inputs or out of a finished run's; [`page`] makes an HTML page of a story.

pub mod find;
pub mod page;
pub mod passage;
pub mod piece;
pub mod shown;
mod story;

pub use story::{Setting, Side, Story, TellFeature, pair};
