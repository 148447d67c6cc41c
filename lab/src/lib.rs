//! Retold's laboratory: what is needed to develop methods and not to run them.
//!
//! - [`compare`]: methods over labelled sets, one threshold after another, as tables and plots;
//! - [`tune`]: parameters of a method that fit a labelled set.
//!
//! Both use only the public API of [`retold`] and decide nothing themselves: the [`retold::Model`] judges here as
//! in every run. The program `retold-lab` is around them.

#![forbid(unsafe_code)]

mod bench;
pub mod compare;
pub mod tune;
