//! The main job: a run is a list of [stages](crate::stage::Stage), with one file for each.
//!
//! 1. `context`: the data that all stages use, and the order of preference. `versions`: pages with the same address; older ones are dropped
//!    before anything is compared.
//! 2. `group`: noise is deleted, and pages that get the same verdicts become one exact group.
//! 3. `join`: the prefix join finds pairs that share keys which few groups have; `sketch_judge` asks the model about them.
//!    `retellings` finds further candidates for pages without one, by rare bigrams.
//! 4. `heavy_keys`: posting lists of keys that very many groups have, and when they are closed; `probe` looks pages up there.
//! 5. `crate::verify`: estimates from sketches are checked on texts.
//! 6. `retain`: the loop that decides which pages are kept, on stored pairs or `by_probing`. `parts` relates the pages that one page
//!    contains to each other and says what they leave of it.
//! 7. `components`: components are verified, retained and listed in batches. `list` makes pairs of pages, dropped pages and clusters of
//!    them; `overlaps` selects the listed pairs among those that only overlap.
//!
//! `relate` is the list of the stages 2 to 7. `run` has the public interface: [`Dedup`], and [`dedup`] for pages in memory.

mod by_probing;
mod components;
pub(crate) mod context;
mod findings;
pub(crate) mod group;
pub(crate) mod heavy_keys;
mod join;
pub(crate) mod join_pairs;
mod list;
mod overlaps;
mod parts;
mod pool;
pub(crate) mod probe;
mod relate;
mod retain;
mod retellings;
mod run;
pub(crate) mod sketch_judge;
pub(crate) mod union_find;
mod versions;

#[cfg(test)]
mod against_tests;
#[cfg(test)]
mod canonical_tests;
#[cfg(test)]
mod collection_tests;
#[cfg(test)]
mod family_tests;
#[cfg(test)]
mod filter_tests;
#[cfg(test)]
mod join_tests;
#[cfg(test)]
mod notice_tests;
#[cfg(test)]
mod retain_tests;
#[cfg(test)]
mod retelling_tests;
#[cfg(test)]
mod sets_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod versions_tests;

pub use context::{Limits, ranks};
pub use findings::Findings;
pub use join::related_pairs;
pub use pool::in_pool;
pub use retain::{Dropped, DroppedAs};
pub use run::{Dedup, StoredPages, dedup};
pub use versions::find_versions_of;
