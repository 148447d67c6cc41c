//! The method `spotsigs`: spot signatures (METHODS §4).

mod signature;

pub(super) use signature::Signatures;
