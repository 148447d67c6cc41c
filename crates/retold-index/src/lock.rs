//! Allows one writer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use retold::{Error, Result};

pub(crate) const LOCK: &str = "lock";

/// The writer's lock. The operating system releases it when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock. `who` is shown to other writers while it is held.
    ///
    /// Errors: another writer holds the lock; the message names it.
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
                // The holder may not have written its name yet.
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
