//! Parameters of a method that fit a labelled set, found by a genetic algorithm, as the paper on AgT (Journal of Computer
//! Applications 2010, 30(6):1661) finds its own.
//!
//! Pages are read once. Those that the gold connects stay together: a part of the groups is held out, the search sees
//! the others only, and the result is scored on both, beside what it started from.

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
