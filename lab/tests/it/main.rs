//! Tests of `retold-lab` through the real binary, in one program.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::too_many_lines, reason = "a test is read from top to bottom")]

#[path = "../../../crates/retold-cli/tests/it/common/mod.rs"]
mod common;
mod compare;
mod docs;
mod keywords;
mod network;
mod tune;

/// The program that is tested.
const PROGRAM: &str = env!("CARGO_BIN_EXE_retold-lab");
