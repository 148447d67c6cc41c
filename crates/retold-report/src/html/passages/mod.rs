//! `report.html` of passages: the most repeated ones, who has them from whom, and where they stand.
//!
//! 1. `chosen`: which passages, on which pages, and from where each of these has it.
//! 2. `texts`: what of these pages' texts is shown.
//! 3. `write`: all of it as chunks.

mod chosen;
mod texts;
mod write;

pub(crate) use write::write as write_passages;
