//! Stories: which pages tell one, which are parts of it, and which contain several.
//!
//! A *story* is the pages that are connected by `duplicate`. One story contains another if a page of it contains a page of the other. A story
//! that contains two others which are not connected by containment among themselves is a *round-up* of them; the pages of what any other
//! story contains are its *excerpts*. A story never grows by containment: a page with two articles below each other joins neither to
//! the other.
//!
//! What is asked of pages is so asked of stories: the duplicate of an excerpt is one too. That makes the answer independent of the order in which
//! pages come, and of which of several equal pages a search has found first.

mod graph;
mod of_run;
#[cfg(test)]
mod tests;

pub use graph::{StoryEdges, StoryGraph, StoryParts, TornPages};
pub use of_run::{RunStory, StoryRow, stories};
