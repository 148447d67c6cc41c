//! The methods of the papers that this project began with.

pub(super) mod agglomerate;
pub mod concept;
pub(super) mod period;
