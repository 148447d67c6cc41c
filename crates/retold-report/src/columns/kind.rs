//! The types of columns.

/// The type of a column. Any value may be missing. `Yes` is a Boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Whole,
    Real,
    Yes,
}

pub(crate) type Columns = [(&'static str, Kind)];
