//! The model, which makes all judgements.
//!
//! A model is a configuration, a method and what was learnt from a collection. Batch runs, `explain` and everything else that needs the
//! relation of two pages ask a model. Models are frozen: learning makes a new one.

mod agree;
mod file;
mod judge;
mod judgement;
mod prune;
mod pruned;
mod saved;
#[cfg(test)]
mod tests;

pub use judge::Model;
pub(crate) use judge::{copy, facts};
pub use judgement::Judgement;
pub use pruned::{PrunedSketches, StoredPruned};
