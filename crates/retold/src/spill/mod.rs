//! Data that does not fit into memory goes to temporary files: values, rows of values, records to be sorted.
//!
//! The results are the same wherever the data is. A temporary file has no name, so nothing is left of it when the
//! process ends, however it ends. Errors of reading one back are recorded ([`Memory::check`]), so that readers need not return an
//! error each time: they get zeros until the run ends because of the error.

mod counts;
mod memory;
mod row;
mod row_arena;
mod row_cache;
mod sorter;
mod spill_rows;
mod spill_vec;
#[cfg(test)]
mod tests;

pub use counts::Counts;
pub use memory::{A_PAGE, Memory, too_little};
pub use row::Row;
pub use row_arena::RowArena;
pub use sorter::{Sorted, Sorter};
pub use spill_rows::{Piece, SpillRows};
pub use spill_vec::SpillVec;
