//! A row that is read: borrowed from memory, or read from a file.

use std::ops::Deref;
use std::sync::Arc;

/// Values, where they are held in memory or as they were read from a file.
#[derive(Clone, Debug)]
pub enum Row<'a, T> {
    /// Held.
    Held(&'a [T]),
    /// Read, by this one or another who asked for the same row.
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
