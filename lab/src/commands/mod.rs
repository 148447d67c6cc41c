//! The commands of `retold-lab`, one file for each.

pub mod compare;
pub mod keywords;
pub mod network;
pub mod tune;
