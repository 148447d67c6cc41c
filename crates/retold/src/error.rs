//! Errors, classified by who must act.
//!
//! A bad *record* never ends a run: it is rejected (see [`crate::read::Outcome`]), and the run continues.

use std::path::{Path, PathBuf};

/// An error. The variant decides the exit code, HTTP status and Python exception, in one place each.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An impossible request: an unknown parameter, a value out of range, an output folder that is not empty, no readable record. The
    /// message names the value, the place and the next step.
    #[error("{0}")]
    Usage(String),
    /// A page that cannot be read. `Display` gives only the reason, as in rejects; the caller names the page.
    #[error("{0}")]
    Unreadable(String),
    /// A file could not be read or written. `Display` names the file and the system's reason.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// What failed, as in "cannot write".
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file written by Retold (an index, the output of an earlier run) is damaged or malformed.
    #[error("{}: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// A limit set for the run was reached, and nothing was written. The message says which, and what to do.
    #[error("{0}")]
    Stopped(String),
    /// The run was cancelled (Ctrl-C).
    #[error("stopped before the end; nothing that looks complete was written")]
    Cancelled,
}

/// [`std::result::Result`] with Retold's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// For `map_err` on a system call: what failed, and the path.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io {
            doing,
            path,
            source,
        }
    }

    /// An [`Error::Usage`] with this message.
    pub fn usage(message: impl Into<String>) -> Error {
        Error::Usage(message.into())
    }
}
