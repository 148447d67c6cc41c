//! Retold finds pages that tell the same story: near-duplicates, reprints and pages contained in others.
//!
//! Data flows through the modules in the order in which they stand here:
//!
//! 1. [`read`]: files become a stream of records, records become [`page`]s;
//! 2. [`text`]: a page's bytes become decoded, tag-free, folded text;
//! 3. [`method`]: a method makes a sketch of each text, and compares two sketches;
//! 4. [`index`]: sketches become candidate pairs, without comparing all with all;
//! 5. [`relation`]: a verdict on a pair, as a relation; [`verify`]: checked on the texts where a method asks for it;
//! 6. [`cluster`]: related pages become clusters with one canonical page each;
//! 7. [`report`]: results become files.
//!
//! [`explain`] tells why two pages are what they are to each other. [`pipeline::run`] is the whole program.

pub mod collect;
pub mod error;
pub mod eval;
pub mod page;
pub mod pipeline;
pub mod spent;
mod system;
pub mod watch;

mod bench;
pub mod compare;
pub mod read;
pub mod text;

pub mod tune;

pub mod method;

pub mod index;
pub mod relation;
pub mod verify;

pub mod cluster;

pub mod report;

pub mod explain;

pub use error::{Error, Result};
