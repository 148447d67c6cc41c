//! `report.html` of passages: the most repeated ones, where they are, and where each page has them from.
//!
//! 1. `chosen`: passages, places and sources.
//! 2. `texts`: the parts of texts that are shown.
//! 3. `write`: everything as chunks.

mod chosen;
mod texts;
mod write;

pub(crate) use write::write as write_passages;
