//! A source of records: a file, standard input spooled to a file, or pages in memory.

use std::fs::File;
use std::io::Result as IoResult;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::hashed::FileFacts;
use super::mark::{Decide, RecordDecision};
use super::remote::{Remote, RemoteReader};
use super::stored::Stored;
use crate::error::{Error, Result};
use crate::page::Page;

/// A file to read, standard input spooled to one, or pages in memory.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file on disk; for a remote file its URL, for messages.
    pub path: PathBuf,
    /// Its name in ids and messages: relative to its INPUT, prefixed where two INPUTs would collide.
    pub name: String,
    /// Its path below `kept/`: `<INPUT name>/<relative path>`, or the file's name for a single file.
    pub kept: PathBuf,
    /// The site that `--site-dir` assigns to its pages.
    pub site: Option<String>,
    /// Size of the file, for progress bars.
    pub size: u64,
    /// Size and time of the last change when the file was listed; `None` if it was not there.
    pub(crate) stamp: Option<Stamp>,
    /// A pipe, socket or device: reading it might block for ever.
    pub(crate) is_special: bool,
    /// What its first full pass found out.
    pub(crate) facts: Arc<FileFacts>,
    /// The pages, if they are in memory and not in a file.
    pub(crate) pages: Option<Arc<[Page]>>,
    /// Where its bytes come from, if it is not on disk.
    pub(crate) remote: Option<Remote>,
}

/// The size of a file and when it was last written to.
pub(crate) type Stamp = (u64, Option<SystemTime>);

pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let file = std::fs::metadata(path).ok()?;
    Some((file.len(), file.modified().ok()))
}

impl Source {
    /// Standard input, spooled to the file at `path`. It is JSON Lines unless its content says otherwise.
    pub fn spooled(path: &Path) -> Source {
        Source {
            path: path.to_owned(),
            name: "stdin".into(),
            kept: "stdin.jsonl".into(),
            site: None,
            size: std::fs::metadata(path).map_or(0, |file| file.len()),
            stamp: stamp(path),
            is_special: false,
            facts: Arc::default(),
            pages: None,
            remote: None,
        }
    }

    /// Pages in memory as records of a source with that name. They can be read repeatedly like a file, but not rewritten.
    pub fn of_pages(name: &str, pages: impl IntoIterator<Item = Page>) -> Source {
        let pages: Arc<[Page]> = pages.into_iter().collect();
        Source {
            path: name.into(),
            name: name.to_owned(),
            kept: name.into(),
            site: None,
            size: pages.iter().map(|page| page.content.len() as u64).sum(),
            stamp: None,
            is_special: false,
            facts: Arc::default(),
            pages: Some(pages),
            remote: None,
        }
    }

    /// Checks that the file was not written to since it was listed, and that all passes read the same bytes.
    ///
    /// Errors: it has changed.
    pub fn unchanged(&self) -> Result<()> {
        self.sound()?;
        if self.facts.differed() {
            return Err(self.changed());
        }
        // A missing file is a reject, or an error if its records are needed.
        let now = stamp(&self.path);
        if self.pages.is_some() || now.is_none() || now == self.stamp {
            return Ok(());
        }
        Err(self.changed())
    }

    /// Checks that the store could deliver everything read so far: a store that does not answer does not mean damaged files.
    ///
    /// Errors: something could not be read.
    pub(super) fn sound(&self) -> Result<()> {
        self.remote.as_ref().map_or(Ok(()), Remote::sound)
    }

    /// The version of a remote file; if it is known, the bytes need not be hashed to see that they are the same.
    pub(crate) fn version(&self) -> Option<&str> {
        self.remote.as_ref()?.version.as_deref()
    }

    /// Opens the file to read it from front to back.
    pub(crate) fn content(&self) -> IoResult<Stored> {
        Ok(match &self.remote {
            Some(remote) => Stored::Remote(RemoteReader::new(remote.clone())),
            None => Stored::File(File::open(&self.path)?),
        })
    }

    /// Hashes a file that is not read from front to back before its first pass, unless its version is known.
    #[cfg(feature = "parquet")]
    pub(super) fn look_first(&self) {
        if self.version().is_none() {
            self.facts.look_first(|| self.content());
        }
    }

    /// Compares with the hash of [`Source::look_first`] after the last pass.
    #[cfg(feature = "parquet")]
    pub(super) fn look_again(&self) -> Result<()> {
        let same = self.facts.note_content(|| self.content());
        same.map_err(Error::io("cannot read again", &self.path))
    }

    pub(super) fn changed(&self) -> Error {
        Error::Usage(format!(
            "{}: the file changed during the run; run again when nothing writes to it",
            self.path.display()
        ))
    }

    /// Writes the kept records of a file that cannot be opened: none, since the first pass rejected it too. If the file could be opened
    /// then, it has changed.
    pub(super) fn rewrite_unread(&self, mut decide: Decide<'_, '_>) -> Result<()> {
        match decide.of(1) {
            RecordDecision::Leave => Ok(()),
            _ if self.remote.is_some() || self.path.exists() => Ok(()),
            _ => Err(self.changed()),
        }
    }

    /// The id of a record that has none of its own.
    pub(super) fn record_id(&self, number: u64) -> String {
        format!("{}#{number}", self.name)
    }
}
