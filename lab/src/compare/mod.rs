//! Compares methods on labelled sets: accuracy at different thresholds, which threshold to choose, and cost.
//!
//! The pages of a set are read once and stay in memory. Each method runs over them with one threshold after another (`crate::bench`),
//! judged as by `retold dedup`, and is scored by [`retold::eval`]. The cost is measured separately in a complete run ([`cost`]), because
//! methods that share a process and texts have no separate times and memory.

mod chance;
mod choose;
mod comparison;
pub mod cost;
mod csv;
mod curve;
mod experiments;
mod figures;
mod html;
mod plot;
mod row;
mod run;
mod set;
mod spec;
mod table;
mod tables;
#[cfg(test)]
mod tests;

pub use comparison::Comparison;
pub use curve::{Curve, Point};
pub use run::{Measure, Options, run};
pub use set::LabelledSet;
pub use spec::{Grid, Spec, grid};
