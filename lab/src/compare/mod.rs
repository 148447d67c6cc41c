//! Methods over labelled sets: how good each is over its threshold, which threshold to choose, and what it costs.
//!
//! A set's pages are read once and stay in memory; each method then runs over them with one threshold after another
//! (`crate::bench`), judged as by `retold dedup`, and [`retold::eval`] scores it. What a run costs is measured apart,
//! over one whole run ([`cost`]), because times and memory of methods that share a process and texts say nothing.

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
