//! Tests of the library from outside, in one program, so that the library is linked once.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod charset_set;
mod damaged_input;
mod data;
mod extraction;
mod house;
mod jieba_dictionary;
mod text;
mod warc_set;
