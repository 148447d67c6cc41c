//! The types of columns.

/// What a column holds; any of its values may be missing. `Yes` is yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Whole,
    Real,
    Yes,
}

/// The columns of a table by name.
pub(crate) type Columns = [(&'static str, Kind)];
