//! Copies of an index that is in use.
//!
//! Files of an index never change once they are complete, so a copy shares them by hard links. Only the last log grows; of it the committed
//! part is copied.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use retold::{Error, Result};

use crate::check::Checked;
use crate::files::damaged;
use crate::index::{Index, TRIES, opened};
use crate::lock::LOCK;
use crate::log::Log;
use crate::state::{MANIFEST, Manifest};

impl Index {
    /// Copies the index, as it is at this moment, to a new folder, and reads every byte of the copy. A writer may be active. On the same file
    /// system, the copy takes hardly any space; it stays whole when the index is compacted or removed.
    ///
    /// Errors: the folder exists; it cannot be written; the index is damaged.
    pub fn snapshot(&self, to: &Path) -> Result<Checked> {
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(Error::io("cannot make the folder", parent))?;
        }
        fs::create_dir(to).map_err(|e| match e.kind() {
            ErrorKind::AlreadyExists => Error::usage(format!(
                "{}: the folder exists; name a new one",
                to.display()
            )),
            _ => Error::io("cannot make the folder", to)(e),
        })?;
        let made = self.copied(to).and_then(|()| Index::check(to));
        let made = made.and_then(|checked| match checked.problems.first() {
            Some(problem) => Err(damaged(to, problem)),
            None => Ok(checked),
        });
        if made.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_dir_all(to);
        }
        made
    }

    fn copied(&self, to: &Path) -> Result<()> {
        let mut now = {
            let state = self.read();
            (state.manifest.clone(), state.end)
        };
        let mut tries = 0;
        loop {
            match copy(self.folder(), to, &now.0, now.1) {
                // A writer has replaced files meanwhile.
                Err(Error::Io { source, .. })
                    if source.kind() == ErrorKind::NotFound && tries < TRIES =>
                {
                    tries += 1;
                    fs::remove_dir_all(to)
                        .and_then(|()| fs::create_dir(to))
                        .map_err(Error::io("cannot write", to))?;
                    let state = opened(self.folder())?;
                    now = (state.manifest.clone(), state.end);
                }
                other => return other,
            }
        }
    }
}

/// Copies the files that a manifest names, and of the last log what is before `end`; the manifest comes last.
fn copy(from: &Path, to: &Path, manifest: &Manifest, end: u64) -> Result<()> {
    let last = Log::name(manifest.last_log());
    let files = manifest.files().into_iter();
    for name in files.filter(|name| *name != last && name != MANIFEST && name != LOCK) {
        let (from, to) = (from.join(&name), to.join(&name));
        // Other file systems, and some of their kinds, have no links between these places.
        if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to).map_err(Error::io("cannot copy", &from))?;
        }
    }
    let log = from.join(&last);
    let open = File::open(&log).map_err(Error::io("cannot read", &log))?;
    let into = to.join(&last);
    let mut copy = File::create(&into).map_err(Error::io("cannot write", &into))?;
    std::io::copy(&mut open.take(end), &mut copy)
        .and_then(|_| copy.sync_all())
        .map_err(Error::io("cannot copy", &log))?;
    let mut manifest = manifest.clone();
    if let Some(log) = manifest.logs.last_mut() {
        log.1 = end;
    }
    manifest.write(to)
}
