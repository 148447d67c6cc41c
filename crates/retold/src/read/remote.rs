//! Files in remote stores. The library has no network code: a program registers a [`RemoteStore`], whose files are read like local ones.

use std::fmt;
use std::io::{Error as IoError, Read, Result as IoResult, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::error::{Error, Result};

/// Lists the files that URLs name. A process has one ([`set_remote_store`]).
pub trait RemoteStore: Send + Sync {
    /// The INPUTs that `url` names: one, or all that match a pattern. Each file is pinned to its present version.
    ///
    /// Errors: nothing is there, or it cannot be listed.
    fn list(&self, url: &str) -> Result<Vec<RemoteInput>>;

    /// From now on, keeps what is read in a temporary file in this folder, for later passes.
    ///
    /// Errors: the file cannot be made.
    fn cache_in(&self, folder: &Path) -> Result<()>;
}

/// An INPUT that a URL names.
#[derive(Clone, Debug)]
pub struct RemoteInput {
    /// Its URL without credentials.
    pub url: String,
    /// The parts of its path; the last ones become its name.
    pub parts: Vec<String>,
    /// Whether it is a folder of files or a single file.
    pub is_folder: bool,
    /// The files.
    pub files: Vec<RemoteListed>,
}

/// A file of an INPUT.
#[derive(Clone, Debug)]
pub struct RemoteListed {
    /// Its path below the INPUT; empty for a single file.
    pub below: String,
    /// Its URL without credentials.
    pub url: String,
    /// Its size.
    pub size: u64,
    /// Changes with the content: an ETag or a revision. Without a version the content is hashed where that matters.
    pub version: Option<String>,
    /// Its content.
    pub file: Arc<dyn RemoteFile>,
}

/// The content of a file, pinned to the version that was listed.
pub trait RemoteFile: fmt::Debug + Send + Sync {
    /// All bytes of a range within the file. The store handles retries.
    ///
    /// Errors: the content has changed, or it cannot be read.
    fn read(&self, range: Range<u64>) -> std::result::Result<Bytes, RemoteError>;
}

/// Why bytes of a remote file cannot be read.
#[derive(Clone, Debug)]
pub enum RemoteError {
    /// The file has changed since it was listed.
    Changed,
    /// The reason, and what to do.
    Failed(String),
}

static STORE: OnceLock<Box<dyn RemoteStore>> = OnceLock::new();

/// Registers the store of this process; a second one is ignored.
pub fn set_remote_store(store: Box<dyn RemoteStore>) {
    let _ = STORE.set(store);
}

/// Calls [`RemoteStore::cache_in`]; does nothing without a store.
///
/// Errors: those of the store.
pub fn cache_remote_in(folder: &Path) -> Result<()> {
    STORE.get().map_or(Ok(()), |store| store.cache_in(folder))
}

/// The INPUT as a URL, if it is one and not a file.
pub(super) fn url(input: &Path) -> Option<&str> {
    let (scheme, _) = input.to_str()?.split_once("://")?;
    // A single letter is a drive.
    let is_scheme = scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric());
    is_scheme.then(|| input.to_str()).flatten()
}

/// An INPUT as it may be shown: a URL loses its user and password, and the query string, which may grant access.
pub fn shown_input(input: &Path) -> PathBuf {
    let Some((scheme, rest)) = url(input).and_then(|url| url.split_once("://")) else {
        return input.to_owned();
    };
    let is_bucket = ["s3", "gs", "az", "hf"].contains(&scheme);
    // In object names `?` is a character or a pattern.
    let rest = match is_bucket {
        true => rest,
        false => rest.split(['?', '#']).next().unwrap_or_default(),
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    // An Azure container may be followed by its account, and a name alone gives no access.
    let host = match host.rsplit_once('@') {
        Some((user, host)) if !is_bucket || user.contains(':') => host,
        _ => host,
    };
    // In front of what is no port, it may be a password with a slash.
    let port = host.rsplit_once(':').map(|(_, port)| port);
    let is_odd = port.is_some_and(|port| !port.bytes().all(|b| b.is_ascii_digit() || b == b']'));
    match path.rsplit_once('@') {
        Some((_, rest)) if is_odd => format!("{scheme}://{rest}").into(),
        _ => format!("{scheme}://{host}{path}").into(),
    }
}

/// More bytes than all files of a list can have.
const TOO_MANY_BYTES: u64 = 1 << 60;
/// The longest part of a name: file systems have 255 bytes, and `kept/` may add an ending.
const LONGEST_PART: usize = 240;

pub(super) fn list(url: &str) -> Result<Vec<RemoteInput>> {
    let shown = shown_input(Path::new(url));
    let shown = shown.display();
    let Some(store) = STORE.get() else {
        let scheme = url.split("://").next().unwrap_or_default();
        return Err(Error::Usage(format!(
            "cannot read INPUT {shown}: this build of retold does not read {scheme}://; releases do, and builds with `--features remote`; or \
             download the files and name their folder"
        )));
    };
    let inputs = store.list(url)?;
    let bad = |part: &str| {
        let is_odd = matches!(part, "" | "." | "..") || part.contains(['\\', '\0']);
        is_odd || part.len() > LONGEST_PART
    };
    let mut bytes = 0_u64;
    for input in &inputs {
        let is_bad = input.parts.last().is_some_and(|name| bad(name));
        for file in &input.files {
            bytes = bytes.saturating_add(file.size);
            if is_bad || !file.below.is_empty() && file.below.split('/').any(bad) {
                return Err(Error::Usage(format!(
                    "cannot read INPUT {shown}: {} has a name that no file can have; name the others with a pattern",
                    file.url
                )));
            }
        }
    }
    match bytes > TOO_MANY_BYTES {
        true => Err(Error::Usage(format!(
            "cannot read INPUT {shown}: the server says that the files have {bytes} bytes or more"
        ))),
        false => Ok(inputs),
    }
}

/// The first failure among files that were listed together: URL and error.
pub(crate) type Fault = OnceLock<(String, RemoteError)>;

/// A remote file and the failure it shares with its listing.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    file: Arc<dyn RemoteFile>,
    size: u64,
    url: String,
    /// See [`RemoteListed::version`].
    pub version: Option<String>,
    /// The first failure of all files listed together. Nothing is read after it, and the run ends with it.
    fault: Arc<Fault>,
}

impl Remote {
    pub fn new(listed: &RemoteListed, fault: &Arc<Fault>) -> Remote {
        Remote {
            file: Arc::clone(&listed.file),
            size: listed.size,
            url: listed.url.clone(),
            version: listed.version.clone(),
            fault: Arc::clone(fault),
        }
    }

    pub fn read(&self, range: Range<u64>) -> IoResult<Bytes> {
        if let Some((url, error)) = self.fault.get() {
            return Err(io_error(url, error.clone()));
        }
        let wanted = range.end - range.start;
        let read = match self.file.read(range) {
            Ok(bytes) if bytes.len() as u64 != wanted => Err(RemoteError::Failed(format!(
                "{} bytes were received instead of {wanted}",
                bytes.len()
            ))),
            read => read,
        };
        read.map_err(|error| {
            let _ = self.fault.set((self.url.clone(), error.clone()));
            io_error(&self.url, error)
        })
    }

    /// The first failure, as an error.
    pub fn sound(&self) -> Result<()> {
        match self.fault.get() {
            None => Ok(()),
            Some((url, RemoteError::Changed)) => Err(changed(url)),
            Some((url, RemoteError::Failed(reason))) => Err(
                Error::io("cannot read", url.as_ref())(IoError::other(reason.clone())),
            ),
        }
    }

    /// Whether both share one first failure.
    pub fn fails_with(&self, other: &Remote) -> bool {
        Arc::ptr_eq(&self.fault, &other.fault)
    }
}

fn changed(url: &str) -> Error {
    Error::Usage(format!(
        "{url}: the file changed during the run; run again when nothing writes to it"
    ))
}

fn io_error(url: &str, error: RemoteError) -> IoError {
    IoError::other(match error {
        RemoteError::Changed => changed(url).to_string(),
        RemoteError::Failed(reason) => reason,
    })
}

/// How many bytes are requested at a time when a file is read from front to back.
const STREAMED: u64 = 8 << 20;

/// A remote file, read from front to back.
#[derive(Debug)]
pub(crate) struct RemoteReader {
    remote: Remote,
    at: u64,
    block: Bytes,
}

impl RemoteReader {
    pub fn new(remote: Remote) -> RemoteReader {
        RemoteReader {
            remote,
            at: 0,
            block: Bytes::new(),
        }
    }
}

impl Read for RemoteReader {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        if self.block.is_empty() {
            let end = self.remote.size.min(self.at + STREAMED);
            if self.at >= end || buffer.is_empty() {
                return Ok(0);
            }
            self.block = self.remote.read(self.at..end)?;
        }
        let count = buffer.len().min(self.block.len());
        buffer[..count].copy_from_slice(&self.block.split_to(count));
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for RemoteReader {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        let to = match to {
            SeekFrom::Start(to) => Some(to),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.remote.size.checked_add_signed(by),
        };
        let to = to.ok_or_else(|| IoError::from(std::io::ErrorKind::InvalidInput))?;
        if to != self.at {
            (self.at, self.block) = (to, Bytes::new());
        }
        Ok(to)
    }
}

#[cfg(feature = "parquet")]
pub(crate) use self::places::{ReadOn, RemotePlaces};

/// Random access.
#[cfg(feature = "parquet")]
mod places {
    use std::collections::VecDeque;
    use std::sync::{Arc, Mutex, PoisonError};

    use super::{Bytes, IoResult, Read, Remote};

    /// Bytes per block. Columns are read side by side, page by page, and their pages are smaller.
    const BLOCK: u64 = 1 << 20;
    /// How many of the most recently used blocks are held.
    const HELD: usize = 16;

    /// A remote file with random access. Clones share their blocks.
    #[derive(Clone, Debug)]
    pub(crate) struct RemotePlaces {
        remote: Remote,
        held: Arc<Mutex<VecDeque<(u64, Bytes)>>>,
    }

    impl RemotePlaces {
        pub fn new(remote: Remote) -> RemotePlaces {
            RemotePlaces {
                remote,
                held: Arc::default(),
            }
        }

        pub fn size(&self) -> u64 {
            self.remote.size
        }

        /// The bytes of a range, up to the end of the file.
        pub fn bytes(&self, start: u64, length: usize) -> IoResult<Bytes> {
            let end = start.saturating_add(length as u64).min(self.remote.size);
            let start = start.min(end);
            if end - start > BLOCK {
                return self.remote.read(start..end);
            }
            let mut bytes = Vec::with_capacity((end - start) as usize);
            let mut at = start;
            while at < end {
                let block = at / BLOCK * BLOCK;
                let held = self.block(block)?;
                let part = (at - block) as usize..(end - block).min(held.len() as u64) as usize;
                bytes.extend_from_slice(&held[part]);
                at = start + bytes.len() as u64;
            }
            Ok(bytes.into())
        }

        fn block(&self, start: u64) -> IoResult<Bytes> {
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = held.iter().position(|(place, _)| *place == start)
                && let Some(found) = held.remove(at)
            {
                held.push_back(found.clone());
                return Ok(found.1);
            }
            let end = (start + BLOCK).min(self.remote.size);
            let block = self.remote.read(start..end)?;
            held.push_back((start, block.clone()));
            if held.len() > HELD {
                held.pop_front();
            }
            Ok(block)
        }
    }

    /// Reads on from a position.
    pub(crate) struct ReadOn {
        pub places: RemotePlaces,
        pub at: u64,
    }

    impl Read for ReadOn {
        fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
            // Only page headers of a few bytes are read this way.
            let bytes = self.places.bytes(self.at, buffer.len().min(8192))?;
            buffer[..bytes.len()].copy_from_slice(&bytes);
            self.at += bytes.len() as u64;
            Ok(bytes.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// A file in memory that fails from some byte on and counts the bytes requested.
    #[derive(Debug)]
    struct FileInMemory {
        bytes: Vec<u8>,
        broken: u64,
        requests: Mutex<Vec<Range<u64>>>,
    }

    impl RemoteFile for FileInMemory {
        fn read(&self, range: Range<u64>) -> std::result::Result<Bytes, RemoteError> {
            self.requests.lock().unwrap().push(range.clone());
            match range.end > self.broken {
                true => Err(RemoteError::Changed),
                false => Ok(self.bytes[range.start as usize..range.end as usize]
                    .to_vec()
                    .into()),
            }
        }
    }

    fn remote(bytes: &[u8], broken: u64) -> (Remote, Arc<FileInMemory>) {
        let held = Arc::new(FileInMemory {
            bytes: bytes.to_vec(),
            broken,
            requests: Mutex::default(),
        });
        let listed = RemoteListed {
            below: String::new(),
            url: "s3://b/a.jsonl".into(),
            size: bytes.len() as u64,
            version: None,
            file: held.clone(),
        };
        (Remote::new(&listed, &Arc::default()), held)
    }

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at % 251) as u8).collect()
    }

    #[test]
    fn a_stream_has_every_byte_once() {
        let bytes = content(STREAMED as usize + 70_000);
        let (remote, held) = remote(&bytes, u64::MAX);
        let mut read = Vec::new();
        RemoteReader::new(remote).read_to_end(&mut read).unwrap();
        assert!(read == bytes);
        let end = bytes.len() as u64;
        assert_eq!(*held.requests.lock().unwrap(), [0..STREAMED, STREAMED..end]);
    }

    #[test]
    fn a_failure_is_that_of_all_files_and_nothing_is_read_behind_it() {
        let (remote, held) = remote(b"abc", 0);
        let mut read = Vec::new();
        let error = RemoteReader::new(remote.clone())
            .read_to_end(&mut read)
            .unwrap_err();
        assert!(error.to_string().contains("changed during the run"));
        assert!(remote.read(0..1).is_err());
        assert_eq!(held.requests.lock().unwrap().len(), 1);
        let error = remote.sound().unwrap_err().to_string();
        assert!(
            error.starts_with("s3://b/a.jsonl: the file changed"),
            "{error}"
        );
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn places_are_read_in_blocks_that_are_held() {
        let bytes = content(5 << 20);
        let (remote, held) = remote(&bytes, u64::MAX);
        let places = RemotePlaces::new(remote);
        for (start, length) in [(0, 10), (1_048_570, 20), (5, 1_048_576), (5_242_870, 100)] {
            let end = bytes.len().min(start + length);
            let read = places.bytes(start as u64, length).unwrap();
            assert!(read == bytes[start..end], "{start}");
        }
        assert_eq!(held.requests.lock().unwrap().len(), 3);
        places.bytes(100, 3 << 20).unwrap();
        assert_eq!(held.requests.lock().unwrap()[3], 100..100 + (3 << 20));
    }

    #[test]
    fn what_gives_access_is_not_shown() {
        let shown = |url: &str| shown_input(Path::new(url)).display().to_string();
        assert_eq!(shown("https://me:pw@host/a.gz?sig=x"), "https://host/a.gz");
        assert_eq!(shown("s3://b/a?.jsonl"), "s3://b/a?.jsonl");
        assert_eq!(shown("az://c@account/a"), "az://c@account/a");
        assert_eq!(shown("C:/a?b"), "C:/a?b");
        assert_eq!(shown("HTTPS://me:pw@host/a?sig=x"), "HTTPS://host/a");
        assert_eq!(shown("ftp://me:pw@host/a?sig=x"), "ftp://host/a");
        assert_eq!(shown("s3://key:secret@b/a"), "s3://b/a");
        assert_eq!(shown("https://me:p/w@host/a"), "https://host/a");
        assert_eq!(shown("https://[::1]:80/@a"), "https://[::1]:80/@a");
        assert_eq!(shown("https://[::1]/@a"), "https://[::1]/@a");
        assert!(url(Path::new("c://x")).is_none() && url(Path::new("a/b")).is_none());
    }
}
