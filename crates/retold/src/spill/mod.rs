//! What does not fit into memory goes to temporary files: values, rows of values, records to be sorted.
//!
//! Everything here gives the same answers wherever it is held. A temporary file has no name, so nothing is left of it when the
//! process ends, however it ends. Errors of reading one back are noted ([`Memory::check`]), so that what reads here and there need
//! not return one each time: until the run has ended for it, it sees zeros.

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
