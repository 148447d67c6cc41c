//! Retold's laboratory, for developing methods.
//!
//! - [`compare`] compares methods on labelled sets, one threshold after another, with tables and plots.
//! - [`tune`] finds parameters of a method that fit a labelled set.
//!
//! Both use only the public API of [`retold`] and decide nothing themselves: the [`retold::Model`] judges here as
//! in every run. The program `retold-lab` is around them.

#![forbid(unsafe_code)]

mod bench;
pub mod compare;
pub mod tune;
