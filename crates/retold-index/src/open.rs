//! Opening and creating an index.

use std::fs;
use std::path::{Path, PathBuf};

use retold::{Error, Model, Result, SameUrl, Versions};

use crate::files::{partial, replace, sealed};
use crate::index::{Index, opened};
use crate::limits::Limits;
use crate::lock::Lock;
use crate::log::Log;
use crate::state::{MANIFEST, Manifest, State};
use crate::writer::Writer;

/// Options for opening or creating an index: [`Index::builder`].
///
/// ```
/// use retold::{JudgeConfig, Model};
/// use retold_index::Index;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path().join("index");
/// let model = Model::new(JudgeConfig::default())?;
/// let writer = Index::builder(&folder).texts(false).create(&model)?;
/// assert!(!writer.index().keeps_texts());
/// writer.close()?;
/// assert!(Index::builder(&folder).open()?.is_empty());
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexBuilder {
    folder: PathBuf,
    texts: bool,
    learns: bool,
    memory: u64,
    writer: String,
    limits: Limits,
}

/// Default bytes of memory for cached full fingerprints.
const MEMORY: u64 = 64 << 20;

impl Index {
    /// Options for opening the index in a folder or creating one there.
    pub fn builder(folder: impl Into<PathBuf>) -> IndexBuilder {
        IndexBuilder {
            folder: folder.into(),
            texts: true,
            learns: true,
            memory: MEMORY,
            writer: "another program".to_owned(),
            limits: Limits::default(),
        }
    }

    /// Opens an index for reading, with default options.
    ///
    /// Errors: those of [`IndexBuilder::open`].
    pub fn open(folder: impl AsRef<Path>) -> Result<Index> {
        Index::builder(folder.as_ref()).open()
    }
}

impl IndexBuilder {
    /// Whether a new index keeps texts (default: yes). Without texts, verdicts are based on sketches.
    #[must_use]
    pub fn texts(mut self, texts: bool) -> IndexBuilder {
        self.texts = texts;
        self
    }

    /// Whether a new index learns again as it grows ([`Writer::learn_if_grown`]; default: yes) or keeps its first model.
    #[must_use]
    pub fn learns(mut self, learns: bool) -> IndexBuilder {
        self.learns = learns;
        self
    }

    /// Bytes of memory for cached full fingerprints; the default is 64 MiB.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> IndexBuilder {
        self.memory = bytes;
        self
    }

    /// The name that other writers are shown while this one holds the lock.
    #[must_use]
    pub fn writer_name(mut self, name: impl Into<String>) -> IndexBuilder {
        self.writer = name.into();
        self
    }

    #[cfg(test)]
    pub(crate) fn limits(mut self, limits: Limits) -> IndexBuilder {
        self.limits = limits;
        self
    }

    /// Opens the index for reading; a writer may be active. Memory: about 50 bytes a page (74 with pair filters), the log beyond the last
    /// segment, and [`IndexBuilder::memory`].
    ///
    /// Errors: there is no index; it is damaged; another release wrote it in another format.
    pub fn open(self) -> Result<Index> {
        let state = opened(&self.folder)?;
        Ok(Index::of(&self.folder, state, self.memory))
    }

    /// Opens the index for writing and removes what a crash left behind.
    ///
    /// Errors: those of [`IndexBuilder::open`]; another writer holds the lock.
    pub fn write(self) -> Result<Writer> {
        // Checked before locking, because the lock file must not be created where there is no index.
        Manifest::read(&self.folder)?;
        let lock = Lock::take(&self.folder, &self.writer)?;
        self.write_under(lock)
    }

    /// Creates an empty index that uses `model`, in a new or empty folder, and opens it for writing. Replaces what an earlier, interrupted
    /// `create` left there.
    ///
    /// Errors: the folder is not empty; it cannot be written.
    pub fn create(self, model: &Model) -> Result<Writer> {
        let folder = &self.folder;
        let addresses = model.config().addresses;
        if addresses.same_url == SameUrl::Canonical {
            return Err(Error::usage(
                "same_url canonical: an index does not follow canonical links; use exact, normalised or loose",
            ));
        }
        if addresses.same_url != SameUrl::Off && addresses.versions == Versions::Keep {
            return Err(Error::usage(
                "versions keep: an index has one page for each address; use newest, or same_url off",
            ));
        }
        fs::create_dir_all(folder).map_err(Error::io("cannot make the folder", folder))?;
        let learnt = model.knowledge().map_or(0, |known| known.texts);
        let mut manifest = Manifest::first(self.texts, self.learns, learnt);
        let full = || {
            let folder = folder.display();
            Error::usage(format!("{folder}: the folder is not empty; name another"))
        };
        if !is_unfinished(folder, &manifest)? {
            return Err(full());
        }
        let lock = Lock::take(folder, &self.writer)?;
        // Another process may have created one meanwhile.
        if Index::is_at(folder) {
            return Err(full());
        }
        let json = model.to_json();
        replace(&folder.join(&manifest.model), sealed(&json).as_bytes())?;
        Log::create(folder, manifest.last_log())?.sync()?;
        manifest.write(folder)?;
        self.write_under(lock)
    }

    fn write_under(self, lock: Lock) -> Result<Writer> {
        let state = State::open(&self.folder, true)?;
        let log = state.log()?;
        if log.len()? > state.end {
            log.cut(state.end)?;
            log.sync()?;
        }
        state.manifest.remove_others(&self.folder)?;
        let index = Index::of(&self.folder, state, self.memory);
        Writer::start(index, lock, self.limits)
    }
}

/// Whether a folder holds only what an interrupted `create` left: it has no manifest yet.
fn is_unfinished(folder: &Path, first: &Manifest) -> Result<bool> {
    let mut left = first.files();
    left.retain(|name| name != MANIFEST);
    let partial = [MANIFEST, &first.model].map(|name| partial(Path::new(name)));
    for entry in fs::read_dir(folder).map_err(Error::io("cannot read", folder))? {
        let entry = entry.map_err(Error::io("cannot read", folder))?;
        let name = PathBuf::from(entry.file_name());
        let is_left = partial.contains(&name) || left.iter().any(|left| name == Path::new(left));
        if !is_left || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            return Ok(false);
        }
    }
    Ok(true)
}
