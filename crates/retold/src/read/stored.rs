//! The bytes of a file, on disk or in a remote store.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};

use super::remote::RemoteReader;

/// The bytes of a file, wherever it is.
#[derive(Debug)]
pub(crate) enum Stored {
    File(File),
    Remote(RemoteReader),
}

impl Read for Stored {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        match self {
            Stored::File(file) => file.read(buffer),
            Stored::Remote(file) => file.read(buffer),
        }
    }
}

impl Seek for Stored {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        match self {
            Stored::File(file) => file.seek(to),
            Stored::Remote(file) => file.seek(to),
        }
    }
}
