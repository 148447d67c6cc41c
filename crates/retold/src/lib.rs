//! Retold finds pages that tell the same story: near-duplicates, reprints and pages contained in others.
//!
//! ```
//! use retold::{JudgeConfig, Page, dedup};
//!
//! let story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. \
//!              The captain said that it was the last boat of the day.";
//! let pages = [
//!     Page::text("original", story),
//!     Page::text("reprint", format!("{story} Read more news tomorrow.")),
//!     Page::text("other", "A new bridge was opened on Monday. The mayor cut the ribbon in front of many people."),
//! ];
//! let findings = dedup(pages, &JudgeConfig::default())?;
//! let gone = &findings.dropped[0];
//! assert_eq!((&*findings.id(gone.page), &*findings.id(gone.canonical)), ("original", "reprint"));
//! # Ok::<(), retold::Error>(())
//! ```
//!
//! Data flows through the modules in this order:
//!
//! 1. [`config`]: the options of a run, in one form for all who set them ([`param`]: those of methods);
//! 2. [`read`]: files become a stream of records, records become [`page`]s;
//! 3. [`text`]: a page's bytes become decoded, tag-free, folded text;
//! 4. [`method`]: a method makes a [`sketch`] of each text, and compares two sketches;
//! 5. [`knowledge`]: what is counted over a collection: document frequencies, noise;
//! 6. [`model`]: the only judge of two pages: configuration, method and knowledge;
//! 7. [`dedup`](mod@dedup): the main job as a list of stages: candidate pairs, verification, what is kept;
//! 8. [`cluster`]: related pages become clusters with one canonical page each.
//!
//! [`explain`] tells why two pages are what they are to each other, [`eval`] how good the result is against labelled pairs.
//! Writing files and reports is the crate `retold-report`'s.

#![forbid(unsafe_code)]

pub mod error;
pub mod ids;
pub mod param;
#[cfg(any(feature = "parquet", feature = "precise", test))]
mod quiet;
pub mod relation;
pub mod sketch;
pub mod spent;
pub mod system;
pub mod watch;

mod lane;
pub mod spill;

pub mod page;
pub mod text;

pub mod read;

pub mod knowledge;
pub mod method;

pub mod cluster;

pub mod config;
pub mod model;

pub mod resume;

pub mod collect;

pub mod dedup;

pub mod explain;

pub mod pairs;

pub mod eval;

pub use config::{JudgeConfig, RunConfig};
pub use dedup::{Dedup, Findings, dedup};
pub use error::{Error, Result};
pub use model::{Judgement, Model};
pub use page::Page;
pub use read::Source;
pub use sketch::Sketch;

/// The guide's page on the library, so that its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/8-using-the-library.md")]
pub struct Guide;
