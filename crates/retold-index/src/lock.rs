//! One writer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use retold::{Error, Result};

/// The file that the writer holds.
pub(crate) const LOCK: &str = "lock";

/// Held by the writer; the system takes it away when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock; `who` is what others are told while it is held.
    ///
    /// Errors: another writer holds it; the message says who.
    pub(crate) fn take(folder: &Path, who: &str) -> Result<Lock> {
        let path = folder.join(LOCK);
        if std::fs::symlink_metadata(&path).is_ok_and(|there| !there.is_file()) {
            return Err(Error::usage(format!(
                "{}: not a regular file, as a lock must be (a link?); remove it",
                path.display()
            )));
        }
        let mut options = OpenOptions::new();
        let open = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = open.map_err(Error::io("cannot write", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Whoever holds it may not have written its name yet.
                let _ = file.read_to_string(&mut holder);
                let holder = match holder.trim() {
                    "" => "another process",
                    holder => holder,
                };
                return Err(Error::usage(format!(
                    "{}: one writer at a time: {holder} holds the lock; wait until it ends, or stop it",
                    folder.display()
                )));
            }
            Err(TryLockError::Error(e)) => return Err(Error::io("cannot lock", &path)(e)),
        }
        let name = format!("{who} (process {})", std::process::id());
        let write = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{name}"));
        write.map_err(Error::io("cannot write", &path))?;
        Ok(Lock { _file: file })
    }
}
