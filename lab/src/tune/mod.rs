//! Finds parameters of a method that fit a labelled set, with a genetic algorithm, as in the paper on AgT (Journal of Computer Applications
//! 2010, 30(6):1661).
//!
//! Pages are read once. Pages that the gold connects form groups that stay together. A part of the groups is held out; the search uses only
//! the others, and the result is scored on both, together with the starting point.

mod gene;
mod html;
mod options;
mod run;
mod search;
mod side;
mod split;
mod tuned;

pub use options::Options;
pub use run::run;
pub use tuned::{Scores, Tuned};
