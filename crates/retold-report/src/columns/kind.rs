//! The types of columns.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Whole,
    Real,
    Yes,
}

pub(crate) type Columns = [(&'static str, Kind)];
