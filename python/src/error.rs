//! Errors of the library as Python exceptions, in one place.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyUserWarning};
use pyo3::prelude::*;
use retold::Error;

create_exception!(
    retold,
    RetoldError,
    PyException,
    "What can go wrong in Retold; the kinds say who has to act."
);
create_exception!(
    retold,
    UsageError,
    RetoldError,
    "Something was asked for that cannot be done: an unknown option, a value out of range, no readable page."
);
create_exception!(
    retold,
    FileError,
    RetoldError,
    "A file could not be read or written; the message has the system's reason."
);
create_exception!(
    retold,
    CorruptError,
    RetoldError,
    "A file that Retold wrote is damaged or has the wrong form."
);
create_exception!(
    retold,
    InternalError,
    RetoldError,
    "A bug in Retold: please report it."
);
create_exception!(
    retold,
    RetoldWarning,
    PyUserWarning,
    "Something that the caller should know of, though the work goes on."
);

/// The exception for an error.
pub fn raise(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Usage(_) | Error::Unreadable(_) => UsageError::new_err(message),
        Error::Io { .. } => FileError::new_err(message),
        Error::Corrupt { .. } => CorruptError::new_err(message),
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        _ => RetoldError::new_err(message),
    }
}

/// A wrong use, in one line.
pub fn usage(message: impl Into<String>) -> PyErr {
    UsageError::new_err(message.into())
}

/// Adds the exceptions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("RetoldError", py.get_type::<RetoldError>())?;
    module.add("UsageError", py.get_type::<UsageError>())?;
    module.add("FileError", py.get_type::<FileError>())?;
    module.add("CorruptError", py.get_type::<CorruptError>())?;
    module.add("InternalError", py.get_type::<InternalError>())?;
    module.add("RetoldWarning", py.get_type::<RetoldWarning>())
}
