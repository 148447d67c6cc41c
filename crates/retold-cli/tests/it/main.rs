//! Tests through the real binary, in one program.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::too_many_lines, reason = "a test is read from top to bottom")]

mod bad_input;
mod blocks;
mod common;
mod companions;
mod decontaminate;
mod dedup;
mod docs;
mod eval;
mod explain;
mod guide;
mod index;
mod ledger;
mod look;
mod one_judge;
mod options;
mod outputs;
mod packaging;
mod passages;
mod python;
mod readme;
mod release_0_1;
mod resume;
mod same_url;
mod shingle;
mod text;
#[cfg(feature = "watch")]
mod watch;

/// The program that is tested.
const PROGRAM: &str = env!("CARGO_BIN_EXE_retold");
