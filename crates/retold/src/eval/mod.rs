//! Evaluates results: pairs, clusters and removed pages against labels ([`evaluate`], [`evaluate_clusters`], [`evaluate_removed`]), and
//! text lost with dropped pages ([`lost_passages`]).

mod labels;
mod lost;
mod pairs;
mod rand_index;
mod removed;

pub use labels::{
    Evaluation, Gold, Label, OverlapCounts, Reported, Score, Unlisted,
    csv_header as eval_csv_header, evaluate, read_reported,
};
pub use lost::{Lost, LostExample, lost_passages};
pub use pairs::{PairLine, each_line, read_pairs};
pub use rand_index::{ClusterScore, evaluate_clusters};
pub use removed::{Removal, RemovedPage, RemovedScore, evaluate_removed, read_removed};
