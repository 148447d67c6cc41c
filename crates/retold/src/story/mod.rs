//! Stories: which pages tell the same story, which are parts of it, and which contain several.
//!
//! A *story* is the pages that are connected by `duplicate`. One story contains another if a page of it contains a page of the other. A
//! story that contains two others, which do not contain each other, is a *round-up* of them. The pages of a story that any other story
//! contains are its *excerpts*. A story never grows by containment: a page with two articles does not join them.
//!
//! Containment is defined between stories, not between pages, so the duplicate of an excerpt is an excerpt too. The result does not depend
//! on the order of pages, or on which of several equal pages a search finds first.

mod graph;
mod of_run;
#[cfg(test)]
mod tests;

pub use graph::{StoryEdges, StoryGraph, StoryParts};
pub use of_run::{RunStory, stories};
