//! Methods over labelled sets: the accuracy of each at different thresholds, which threshold to choose, and its cost.
//!
//! A set's pages are read once and stay in memory. Each method then runs over them with one threshold after another
//! (`crate::bench`), judged as by `retold dedup`, and [`retold::eval`] scores it. The cost of a run is measured separately,
//! over one whole run ([`cost`]), because times and memory of methods that share a process and texts mean nothing.

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
