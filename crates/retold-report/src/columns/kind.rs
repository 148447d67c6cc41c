//! What columns hold.

/// What a column holds; any of its values may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Whole,
    Real,
}

/// The columns of a table by name.
pub(crate) type Columns = [(&'static str, Kind)];
