//! `report.html`: the run for people, in one self-contained file. `passages/` has the report of passages.
//!
//! The file is a head, chunks of JSON, and the code that shows them. It is written as a stream, and the code parses a chunk when it needs
//! it. Constants in this module bound the size of the content; the JSONL files next to the report are complete. Only the chunk `run-0`
//! differs between runs on the same input.

mod chosen;
mod drops;
mod figures;
mod lost;
mod members;
mod overview;
mod page;
mod pairs;
mod passages;
mod report;
mod reread;
mod texts;
mod write;

pub use drops::random_drops;
pub(crate) use page::{COPIES, DataPage};
pub(crate) use passages::write_passages;
pub(crate) use write::write;
