//! The methods of the papers with which this project began.

pub(super) mod agglomerate;
pub mod concept;
pub(super) mod period;
