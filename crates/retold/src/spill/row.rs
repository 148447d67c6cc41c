//! A row, borrowed from memory or read from a file.

use std::ops::Deref;
use std::sync::Arc;

/// A row of values.
#[derive(Clone, Debug)]
pub enum Row<'a, T> {
    /// Held.
    Held(&'a [T]),
    /// Read from the file, possibly by another reader of the row.
    Read(Arc<[T]>),
}

impl<T> Deref for Row<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Row::Held(values) => values,
            Row::Read(values) => values,
        }
    }
}

impl<T> Default for Row<'_, T> {
    fn default() -> Self {
        Row::Held(&[])
    }
}
