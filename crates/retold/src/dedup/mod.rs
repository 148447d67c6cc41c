//! The main job: a run reads as the list of its [stages](crate::watch::Stage), one file each.
//!
//! 1. `context`: what all stages work with; the order in which pages are preferred.
//!    `versions`: pages of one address; older ones are dropped before anything is compared.
//! 2. `group`: noise is deleted, pages that are the same to every judge become one exact group.
//! 3. `join`: the prefix join finds pairs that share keys which few groups have; `sketch_judge` asks the model of them.
//! 4. `heavy_keys`: posting lists of keys that very many groups have, and when they are closed; `probe` looks there.
//! 5. `fingerprints`, `verify`: what sketches estimate is verified on texts; `ahead` does so for small components.
//! 6. `retain`: the one loop that decides which pages are kept, on stored pairs or `by_probing`.
//! 7. `list`: components become pairs of pages, dropped pages and clusters.
//!
//! `run` is the front: [`Dedup`], and [`dedup`] for pages in memory.

mod ahead;
mod by_probing;
mod context;
mod findings;
mod fingerprints;
mod group;
mod heavy_keys;
mod join;
mod join_pairs;
mod list;
mod pool;
mod probe;
mod retain;
mod run;
mod sketch_judge;
mod stage;
mod stages;
mod texts;
mod union_find;
mod verify;
mod versions;

#[cfg(test)]
mod against_tests;
#[cfg(test)]
mod canonical_tests;
#[cfg(test)]
mod family_tests;
#[cfg(test)]
mod filter_tests;
#[cfg(test)]
mod join_tests;
#[cfg(test)]
mod retain_tests;
#[cfg(test)]
mod sets_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod versions_tests;

pub use context::{Limits, ranks};
pub use findings::Findings;
pub use join::{Joined, related_pairs};
pub use pool::in_pool;
pub use retain::{Dropped, DroppedAs};
pub use run::{Dedup, StoredPages, dedup};
pub use stage::StageTime;
pub(crate) use stage::Stopwatch;
pub(crate) use texts::Again;
pub use texts::{Take, TextSource};
pub use verify::Verified;
