//! Retold finds pages that tell the same story: near-duplicates, reprints and pages contained in others.
//!
//! # Which of many pages are copies?
//!
//! ```
//! use retold::{JudgeConfig, Page, dedup};
//!
//! let story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. \
//!              The captain said that it was the last boat of the day.";
//! let findings = dedup(
//!     [Page::text("original", story), Page::text("reprint", format!("{story} Read more news tomorrow."))],
//!     &JudgeConfig::default(),
//! )?;
//! let dropped = &findings.dropped[0];
//! assert_eq!((&*findings.id(dropped.page), &*findings.id(dropped.canonical)), ("original", "reprint"));
//! # Ok::<(), retold::Error>(())
//! ```
//!
//! [`Dedup`] is the same job for files, with old pages to compare with, limits and progress.
//!
//! # How are two pages related?
//!
//! ```
//! use retold::{JudgeConfig, Model, Page, Relation};
//!
//! let story = "A new bridge was opened on Monday. The mayor cut the ribbon in front of many people.";
//! let model = Model::new(JudgeConfig::default())?;
//! let verdict = model.compare(&Page::text("a", story), &Page::text("b", story.to_uppercase()))?;
//! assert_eq!(verdict.unwrap().relation, Relation::Duplicate);
//! # Ok::<(), retold::Error>(())
//! ```
//!
//! # Saving a model
//!
//! A [`Model`] is a configuration, a method and what was learnt from a collection. The main job, the index, the service and the bindings
//! all ask it for verdicts.
//!
//! ```
//! use retold::{JudgeConfig, Model, Page};
//!
//! let pages = [Page::text("ferry", "The ferry left in the morning."), Page::text("bridge", "The bridge was opened on Monday.")];
//! let model = Model::new(JudgeConfig::default())?.learn(pages)?;
//! let again = Model::from_json(&model.to_json(), std::path::Path::new("."))?;
//! assert!(again.knowledge().is_some());
//! # Ok::<(), retold::Error>(())
//! ```
//!
//! # How to add a method
//!
//! Implement [`method::Method`]: `sketch` computes what is kept of a page, `bounds` says what two related sketches must have in common,
//! `compare` relates two sketches. Describe it in a [`method::MethodInfo`], and add that to the table [`method::METHODS`]. Reading, noise,
//! exact copies, the join, the index, clusters and reports do not depend on the method, so they need no change; the contract tests run on
//! every method of the table.
//!
//! # How a page goes from bytes to a verdict
//!
//! 1. [`read`]: files become a stream of records; a record becomes a [`Page`], or a reject with a reason.
//! 2. `text`: the page's bytes become decoded, tag-free, folded [`method::Text`].
//! 3. [`method`]: a method makes a [`method::Sketch`] of it.
//! 4. `collect`: all pages of a run, sketched: a [`Collection`].
//! 5. `knowledge`: document frequencies and noise are counted over the collection.
//! 6. `model`: configuration, method and knowledge make a [`Model`].
//! 7. `dedup`: exact groups, the join, heavy keys, verification and retention give [`Findings`].
//! 8. `cluster`: related pages become clusters with one canonical page each.
//!
//! [`explain`] shows why two pages are related, [`eval`] how good a result is, [`mod@passages`] finds shared passages, [`mod@blocks`] parts
//! that many pages have. The crate `retold-report` writes files and reports.

#![forbid(unsafe_code)]

mod address;
pub mod blocks;
mod cluster;
mod collect;
mod compare;
mod config;
mod date;
mod decontaminate;
mod dedup;
mod error;
pub mod eval;
pub mod explain;
mod filter;
mod ids;
mod knowledge;
pub mod method;
mod model;
mod near;
mod ordered;
mod page;
mod param;
pub mod passages;
#[cfg(any(feature = "parquet", feature = "precise", test))]
mod quiet;
pub mod read;
mod relation;
mod resume;
mod sketch;
mod spent;
mod spill;
mod stage;
mod story;
mod system;
mod text;
mod verify;
mod watch;

pub use address::{AddressRules, SameUrl, Versions};
pub use cluster::{Canonical, Class, Cluster, Collections, DropRule, Linkage, Pair, Pairs, Prefer};
pub use collect::{Collection, Reject};
pub use config::{AgainstSelf, Fold, JudgeConfig, RunConfig};
pub use dedup::{Dedup, Dropped, DroppedAs, Findings, dedup};
pub use error::{Error, Result};
pub use filter::{PairFilters, Scope, Window};
pub use ids::{PageNo, Rank};
pub use method::OwnLimit;
pub use model::{Judgement, Model};
pub use page::{Content, Markup, Page};
pub use relation::{Relation, Verdict};
pub use resume::Resume;
pub use stage::{Stage, StageTime};
pub use story::{RunStory, stories};
pub use watch::Watch;

/// The API for the other crates: the index, reports, the service, the command and the bindings. It may change with any version.
#[doc(hidden)]
pub mod internal {
    pub use crate::address::{loose_url, normalised_url};
    pub use crate::collect::{AmbiguousDates, ExtractionCounts, SketchedPage};
    pub use crate::config::{FileRef, byte_count, most_threads};
    pub use crate::date::{seconds as date_seconds, text as date_text};
    pub use crate::dedup::{Limits, StoredPages, find_versions_of, in_pool, ranks, related_pairs};
    pub use crate::ids::{PrunedNo, SketchNo};
    pub use crate::method::check::thousands;
    pub use crate::page::site_of;
    pub use crate::read::companions::companions;
    pub use crate::read::each::each_wanted;
    pub use crate::read::remote::{cache_remote_in, shown_input};
    pub use crate::read::revisit::Original;
    pub use crate::sketch::shared_positions;
    pub use crate::spent::Spent;
    pub use crate::spill::Memory;
    pub use crate::story::{StoryEdges, StoryGraph, StoryParts};
    pub use crate::system::{
        cpu_time, machine_memory, peak_memory, read_exact_at, resident_memory,
    };
    #[cfg(any(feature = "precise", fuzzing))]
    pub use crate::text::guard::tame as tame_html;
    pub use crate::text::{Folder, count_chars, decodes, shortened, text_hash};
    pub use crate::verify::{Take, TextSource};
}
