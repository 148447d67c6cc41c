//! Clusters of related pages, with one canonical page each.

mod canonical;
mod graph;
mod options;
mod pair;
mod pairs;
mod partition;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use canonical::NONE as NO_PREFERENCE;
pub use canonical::{Canonical, Prefer};
pub(crate) use graph::Graph;
pub use options::{Collections, DropRule, Linkage};
pub use pair::Pair;
pub(crate) use pair::PairNumbers;
pub use pairs::Pairs;
pub use partition::{Class, Cluster, classes, cluster};
