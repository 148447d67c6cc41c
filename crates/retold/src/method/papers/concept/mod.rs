//! The methods `concept` and `keyworld`: key concepts of a small-world network (DWDCS 2011, KeyWorld 2001).

mod compare;
mod graph;
mod merge;
mod method;
mod network;
#[cfg(test)]
mod obvious;
mod params;
mod paths;
mod phrase;
mod sentences;
mod units;
mod vector;
mod view;

pub use graph::Graph;
pub use method::Concept;
pub(in crate::method) use method::{INFO, KEYWORLD};
pub use paths::distances;
pub use view::{Network, Node};
