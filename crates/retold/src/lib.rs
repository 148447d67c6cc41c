//! Retold finds pages that tell the same story: near-duplicates, reprints and pages contained in others.
//!
//! ```
//! use retold::{JudgeConfig, Model, Page, dedup};
//!
//! let story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. \
//!              The captain said that it was the last boat of the day.";
//! let pages = [
//!     Page::text("original", story),
//!     Page::text("reprint", format!("{story} Read more news tomorrow.")),
//!     Page::text("other", "A new bridge was opened on Monday. The mayor cut the ribbon in front of many people."),
//! ];
//! // What are two pages to each other?
//! let model = Model::new(JudgeConfig::default())?;
//! assert!(model.compare(&pages[0], &pages[1])?.is_some() && model.compare(&pages[0], &pages[2])?.is_none());
//! // Which of many pages are copies?
//! let findings = dedup(pages, &JudgeConfig::default())?;
//! let dropped = &findings.dropped[0];
//! assert_eq!((&*findings.id(dropped.page), &*findings.id(dropped.canonical)), ("original", "reprint"));
//! # Ok::<(), retold::Error>(())
//! ```
//!
//! A page goes this way from bytes to a verdict:
//!
//! 1. `read`: files become a stream of records, a record becomes a [`Page`] or a reject with a reason ([`Outcome`]).
//! 2. `text`: a page's bytes become decoded, tag-free, folded [`Text`].
//! 3. `method`: a [`Method`] makes a [`Sketch`] of a text, and compares two sketches.
//! 4. `collect`: all pages of a run, sketched: a [`Collection`].
//! 5. `knowledge`: what is counted over a collection, document frequencies and noise: [`Knowledge`].
//! 6. `model`: configuration, method and knowledge make a [`Model`], the only judge of two pages.
//! 7. `dedup`: [`Dedup`], the main job as a list of [stages](Stage): exact groups, the join, heavy keys, verification, what is kept.
//! 8. `cluster`: related pages become clusters with one canonical page each.
//!
//! `passages` finds what pages have in common inside ([`passages()`]). `explain` shows why two pages are what they are to each other ([`explain_pair`]), `eval` how good the result is against labelled
//! pairs ([`evaluate`]). Writing files and reports is the crate `retold-report`'s.

#![forbid(unsafe_code)]

mod address;
mod blocks;
mod cluster;
mod collect;
mod compare;
mod config;
mod date;
mod decontaminate;
mod dedup;
mod error;
mod eval;
mod explain;
mod filter;
mod ids;
mod knowledge;
mod lane;
mod lost;
mod method;
mod model;
mod page;
mod pairs;
mod param;
mod passages;
#[cfg(any(feature = "parquet", feature = "precise", test))]
mod quiet;
mod rand_index;
mod read;
mod relation;
mod removed;
mod resume;
mod sketch;
mod spent;
mod spill;
mod story;
mod system;
mod text;
mod watch;

// The main job and what it finds.
pub use address::{AddressRules, SameUrl, Versions, normalised_url};
pub use cluster::{Canonical, Class, Cluster, Collections, DropRule, Linkage, Pair, Pairs, Prefer};
pub use collect::{
    AmbiguousDates, Collection, ExtractionCounts, PageRow, Pages, Reject, Rejects, SketchedPage,
};
pub use config::{AgainstSelf, FileRef, Fold, JudgeConfig, RunConfig, byte_count, most_threads};
pub use dedup::{
    Dedup, Dropped, DroppedAs, Findings, Joined, Limits, StageTime, StoredPages, Take, TextSource,
    Verified, dedup, in_pool, ranks, related_pairs,
};
pub use error::{Error, Result};
pub use filter::{Forbidden, PairFilters, Scope, Window};
pub use ids::{GroupNo, PageNo, PrunedNo, Rank, SketchNo};
pub use resume::Resume;
pub use spent::Spent;
pub use spill::Memory;
pub use watch::{Stage, Watch};

// Blocks of text that many pages have.
pub use blocks::{
    BlockKeep, BlockOptions, BlockPage, BlockReject, BlockRow, BlockScope, BlockTexts, Blocks,
    SpanRow, blocks,
};

// Pages that contain a benchmark's items.
pub use decontaminate::{
    Benchmark, BenchmarkFields, Benchmarks, Contamination, DEFAULT_CONTAMINATION, Item,
};

// Passages that pages have in common.
pub use passages::{
    CommonRun, OtherPlace, PassageOptions, PassagePair, PassageRow, Passages, TextPassage,
    passages, passages_of,
};

// Stories.
pub use story::{RunStory, StoryEdges, StoryGraph, StoryParts, StoryRow, TornPages, stories};

// Files, pages and their texts.
pub use date::{seconds as date_seconds, text as date_text};
pub use page::{Content, Markup, Page, site_of};
#[cfg(feature = "feeds")]
pub use read::feed_pages;
pub use read::{
    AddedFields, Delimiter, FieldKind, FieldValue, Original, Outcome, PageId, Quote, ReadOptions,
    ReadOrder, Record, RecordDecision, RemoteError, RemoteFile, RemoteInput, RemoteListed,
    RemoteStore, Source, Statuses, cache_remote_in, companions, discover, each_page, each_record,
    each_wanted, expand, leave_out, page_ids, set_remote_store, shown_input, spelled,
};
pub use text::charset::decode;
#[cfg(any(feature = "precise", fuzzing))]
pub use text::guard::tame as tame_html;
pub use text::html::visible_text as html_visible_text;
pub use text::language::of_text as language_of;
pub use text::plain::visible_text as plain_visible_text;
pub use text::synonyms::Synonyms;
pub use text::tokenize::Tokenizer;
pub use text::wordnet::wordnet;
pub use text::{
    BlockUnit, Cuts, Extract, Extraction, FoldOptions, Folder, PageMeta, Script, Sentence, Text,
    TextOptions, WordForm, Words, count_chars, decodes, text_hash, text_of,
};

// Verdicts: methods, their parameters, sketches, and the model.
pub use knowledge::{Frequencies, Knowledge};
pub use method::concept::{Graph as ConceptGraph, Network, Node, distances as concept_distances};
pub use method::{
    Agglomerate, CoDet, Concept, Coverage, IMatch, Period, Punctuation, Shingle, Simhash, SpotSigs,
    TfIdf,
};
pub use method::{
    Check, DEFAULT as DEFAULT_METHOD, Highlight, Keyword, Learns, METHODS, Method, MethodInfo, Op,
    OwnLimit, PRESETS, Preset, Trace, UpperBound, Verifier, find as find_method, thousands,
};
pub use model::{Judgement, Model, Probes, Pruned, PrunedSketches, Relating, StoredPruned};
pub use param::{Domain, Param, Params, Settings, Value as ParamValue};
pub use relation::{Relation, Verdict};
pub use sketch::{Bounds, Sketch, SketchRef, Sketches, Stored, shared_positions};

// Why, and how good.
pub use eval::{
    Evaluation, Gold, Label, OverlapCounts, Reported, Score, Unlisted,
    csv_header as eval_csv_header, evaluate, read_reported,
};
pub use explain::find::ExplainInputs;
pub use explain::passage::{ExplainedPassage, PassageKind, WordPlaces};
pub use explain::shown::{Offsets, Shown};
pub use explain::{
    ComparedPage, ExplainedCheck, ExplainedFeature, ExplainedPage, Explanation, explain_pair,
};
pub use lost::{Lost, LostExample, lost_passages};
pub use pairs::{PairLine, each_line, read_pairs};
pub use rand_index::{ClusterScore, evaluate_clusters};
pub use removed::{Removal, RemovedPage, RemovedScore, evaluate_removed, read_removed};

// What the system says of this process.
pub use system::{cpu_time, machine_memory, peak_memory, read_exact_at, resident_memory};
