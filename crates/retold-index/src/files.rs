//! Files: reading at a position, replacing as a whole, messages about damage.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use retold::internal::read_exact_at;
use retold::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

/// A file is not as it was written.
pub(crate) fn damaged(path: &Path, what: &str) -> Error {
    Error::Corrupt {
        path: path.to_owned(),
        reason: format!(
            "damaged: {what}; restore the index from a copy, or make it again (`retold index check` tells what else is damaged)"
        ),
    }
}

/// Fills `bytes` from a place in a file; the end of the file there is damage.
pub(crate) fn read_at(file: &File, path: &Path, bytes: &mut [u8], at: u64) -> Result<()> {
    match read_exact_at(file, bytes, at) {
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            let end = at + bytes.len() as u64;
            Err(damaged(path, &format!("it ends before byte {end}")))
        }
        other => other.map_err(Error::io("cannot read", path)),
    }
}

/// Makes what happened to the names in a folder survive a power cut.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    // Windows keeps no handle on folders; renaming is durable there.
    if cfg!(unix) {
        let open = File::open(folder).and_then(|folder| folder.sync_all());
        open.map_err(Error::io("cannot write", folder))?;
    }
    Ok(())
}

/// The name under which a file is written until it is whole.
pub(crate) fn partial(path: &Path) -> PathBuf {
    path.with_extension("partial")
}

/// Writes a file under another name, and gives it its name once it will survive a power cut.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = || Error::io("cannot write", path);
    let partial = partial(path);
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&partial, path)
    };
    write().map_err(failed())?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    sync_folder(folder.unwrap_or(Path::new(".")))
}

/// Removes a file.
pub(crate) fn remove(path: &Path) -> Result<()> {
    fs::remove_file(path).map_err(Error::io("cannot remove", path))
}

/// Text with a line behind it by which it is known to be whole.
pub(crate) fn sealed(text: &str) -> String {
    format!("{text}\n{:016x}\n", xxh3_64(text.as_bytes()))
}

/// The text of a file that [`sealed`] made.
pub(crate) fn unseal(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(Error::io("cannot read", path))?;
    let whole = || {
        let text = std::str::from_utf8(&bytes).ok()?.strip_suffix('\n')?;
        let (text, seal) = text.rsplit_once('\n')?;
        (seal == format!("{:016x}", xxh3_64(text.as_bytes()))).then(|| text.to_owned())
    };
    whole().ok_or_else(|| damaged(path, "its checksum does not fit"))
}

/// Little-endian numbers, taken from the front of bytes.
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*taken))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*taken))
    }

    /// Numbers to the end.
    pub(crate) fn all_u32(self) -> Option<Vec<u32>> {
        let (numbers, rest) = self.0.as_chunks::<4>();
        let numbers = numbers.iter().map(|bytes| u32::from_le_bytes(*bytes));
        rest.is_empty().then(|| numbers.collect())
    }

    /// A string behind its length.
    pub(crate) fn string(&mut self) -> Option<&'a str> {
        let length = self.u32()? as usize;
        std::str::from_utf8(self.take(length)?).ok()
    }
}

/// A string behind its length.
pub(crate) fn put_string(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}
