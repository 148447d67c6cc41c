//! `report.html` of passages: the most repeated ones, from which page each page has them, and where they are.
//!
//! 1. `chosen`: which passages, on which pages, and from where each of these pages has them.
//! 2. `texts`: the parts of these pages' texts that are shown.
//! 3. `write`: all of it as chunks.

mod chosen;
mod texts;
mod write;

pub(crate) use write::write as write_passages;
