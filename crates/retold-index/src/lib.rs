//! A persistent index of pages: which of them do we have already?
//!
//! ```
//! use retold::{JudgeConfig, Model, Page};
//! use retold_index::Index;
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let folder = folder.path();
//! let mut writer = Index::builder(folder).create(&Model::new(JudgeConfig::default())?)?;
//! let story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. \
//!              The captain said that it was the last boat of the day.";
//! let page = writer.index().prepare(Page::text("original", story))?;
//! writer.add(&[page], None)?; // on disk when this returns
//! writer.close()?;
//!
//! let index = Index::open(folder)?;
//! let reprint = index.prepare(Page::text("reprint", format!("{story} Read more news tomorrow.")))?;
//! let (_, matches) = index.query(&reprint, None)?;
//! assert_eq!(matches[0].line().id, "original");
//! # Ok::<(), retold::Error>(())
//! ```
//!
//! `ARCHITECTURE.md` describes the files of an index and their invariants.

#![forbid(unsafe_code)]

mod address;
mod adds;
mod atom;
mod catalog;
mod changes;
mod check;
mod columns;
mod condense;
mod edits;
mod export;
mod figures;
mod files;
mod filter;
mod frame_pages;
mod grow;
mod index;
mod judge;
mod keys;
mod limits;
mod links;
mod load;
mod lock;
mod log;
mod memory;
mod merge;
mod news;
mod open;
mod overview;
mod pages;
mod passages;
mod query;
mod rebuild;
mod record;
mod search;
mod seen;
mod segment;
mod snapshot;
mod state;
mod status;
mod story;
mod terms;
mod writer;

pub use address::PageVersion;
pub use adds::Adds;
pub use atom::{AtomHead, atom, encoded};
pub use check::Checked;
pub use condense::{Group, Listed};
pub use edits::{Edit, Edits};
pub use export::Export;
pub use figures::StoryFigures;
pub use files::replace as replace_file;
pub use filter::PageFilter;
pub use grow::{Learning, Learnt};
pub use index::{Index, Prepared, Stats};
pub use limits::LONGEST_ID;
pub use news::{AlsoIn, News};
pub use open::IndexBuilder;
pub use overview::{DayCount, Overview, PageKey, PageLine, SiteCount, StoryCard, StoryKey};
pub use passages::{FoundPassage, FoundPassages, PASSAGE_TEXTS, PassagePage};
pub use query::{MATCHES, Match, MatchLine};

pub use record::Entry;
pub use seen::{Known, Seen};
pub use status::Status;
pub use story::{Change, Order, Story, StoryLine, StoryPage, StoryPart};
pub use writer::{Added, Writer};

/// Tests the examples of the guide's page on Rust.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust.md")]
pub struct Guide;

#[cfg(test)]
mod tests;
