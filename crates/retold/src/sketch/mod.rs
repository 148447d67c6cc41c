//! Sketches: the data by which a page is judged without its text, their byte form, and a store for many of them.

mod bytes;
mod overlap;
mod shared_keys;
mod store;
mod types;

pub(crate) use overlap::shared_places;
pub use overlap::{count_shared, count_shared_from, may_share, shared_positions};
pub(crate) use shared_keys::SharedKeys;
pub use store::{Sketches, Stored};
pub use types::{Bounds, Sketch, SketchRef};
