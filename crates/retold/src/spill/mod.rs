//! Data structures that go to temporary files if memory is short: vectors, rows of values, and sorting.
//!
//! Results do not depend on where the data is. Temporary files have no names, so nothing remains when the process ends, however it ends.
//! Read errors are recorded ([`Memory::check`]), so that readers need not return errors: they get zeros until the run ends because of the
//! error.
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
