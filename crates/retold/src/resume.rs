//! Progress of an interrupted run, from which the next run continues.
//!
//! It is a folder of journals, one per stage. A journal is a file of chunks, each with its length and a checksum. The first chunk
//! identifies the run: the version of Retold, the model or options, and the inputs by size and hash (remote ones by their version).
//! Complete chunks are used again; a chunk left incomplete by a kill or power cut is removed. A journal of another run is started anew.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

use crate::error::{Error, Result};
use crate::read::Source;
use crate::stage::Stage;
use crate::watch::Watch;

/// Bytes that are hashed at a time.
const BLOCK: usize = 1 << 20;

/// A folder with the progress of a run.
#[derive(Clone, Debug)]
pub struct Resume {
    folder: PathBuf,
    /// Identifies the run.
    key: [u8; 16],
    /// Approximate bytes per chunk.
    chunk: usize,
}

impl Resume {
    /// Opens or creates the folder for a run over `sources`, which are read once for their hashes. Chunks have about `chunk` bytes. `how`
    /// identifies what is done with the sources: a model, or options.
    ///
    /// Errors: a file that cannot be read, a folder that cannot be created.
    pub fn open(
        folder: &Path,
        sources: &[Source],
        how: &str,
        chunk: usize,
        watch: &dyn Watch,
    ) -> Result<Resume> {
        watch.begin(
            Stage::HashInputs.name(),
            sources.iter().map(|source| source.size).sum(),
        );
        let hashes = sources.par_iter().map(|source| match source.is_special {
            true => Ok(0),
            false => hash(source, watch),
        });
        let mut key = Xxh3::new();
        key.update(env!("CARGO_PKG_VERSION").as_bytes());
        key.update(how.as_bytes());
        for (source, hash) in sources.iter().zip(hashes.collect::<Result<Vec<u64>>>()?) {
            // What is read from now on must be the same.
            if source.version().is_none() {
                source.facts.note(hash);
            }
            key.update(&(source.name.len() as u64).to_le_bytes());
            key.update(source.name.as_bytes());
            key.update(&source.size.to_le_bytes());
            key.update(&hash.to_le_bytes());
        }
        fs::create_dir_all(folder).map_err(Error::io("cannot make the folder", folder))?;
        Ok(Resume {
            folder: folder.to_owned(),
            key: key.digest128().to_le_bytes(),
            chunk,
        })
    }

    /// Opens a stage's journal: passes the complete chunks to `take`, in order, and continues after them. If `take` fails, so does this.
    ///
    /// Errors: the file cannot be read or written, and those of `take`.
    pub fn journal(
        &self,
        stage: &str,
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<Journal> {
        let path = self.folder.join(stage);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options
            .open(&path)
            .map_err(Error::io("cannot write", &path))?;
        let mut chunks = Chunks {
            file: BufReader::with_capacity(BLOCK, file),
            place: 0,
        };
        let failed = || Error::io("cannot read", &path);
        let mut whole = 0;
        if chunks.next().map_err(failed())?.as_deref() == Some(&self.key) {
            whole = chunks.place;
            while let Some(chunk) = chunks.next().map_err(failed())? {
                take(&chunk)?;
                whole = chunks.place;
            }
        }
        let mut journal = Journal {
            file: chunks.file.into_inner(),
            path,
            place: whole,
            chunk: self.chunk,
        };
        journal.cut()?;
        if whole == 0 {
            journal.append(&self.key)?;
        }
        Ok(journal)
    }

    /// Removes the folder and its content: the run is complete.
    ///
    /// Errors: it cannot be removed.
    pub fn done(folder: &Path) -> Result<()> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::io("cannot remove", folder)(error))
            }
            _ => Ok(()),
        }
    }
}

/// The hash of a file's bytes, or of the version of a remote file.
fn hash(source: &Source, watch: &dyn Watch) -> Result<u64> {
    if let Some(version) = source.version() {
        watch.advance(source.size);
        return Ok(xxh3_64(version.as_bytes()));
    }
    let failed = || Error::io("cannot read", &source.path);
    let (mut hash, mut block) = (Xxh3::new(), vec![0; BLOCK]);
    let mut file = source.content().map_err(failed())?;
    loop {
        let count = file.read(&mut block).map_err(failed())?;
        if count == 0 {
            return Ok(hash.digest());
        }
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        hash.update(&block[..count]);
        watch.advance(count as u64);
    }
}

struct Chunks {
    file: BufReader<File>,
    /// Bytes read so far.
    place: u64,
}

impl Chunks {
    /// The next chunk, if it is complete.
    fn next(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        let mut head = [0; 16];
        if !fill(&mut self.file, &mut head)? {
            return Ok(None);
        }
        let [length, sum] = bytemuck::cast::<[u8; 16], [u64; 2]>(head);
        let mut chunk = Vec::new();
        // The length may be wrong, so no more is allocated than the file has.
        (&mut self.file).take(length).read_to_end(&mut chunk)?;
        if chunk.len() as u64 != length || xxh3_64_with_seed(&chunk, self.place) != sum {
            return Ok(None);
        }
        self.place += head.len() as u64 + length;
        Ok(Some(chunk))
    }
}

/// False at the end of the file.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<bool> {
    match from.read_exact(bytes) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        done => done.map(|()| true),
    }
}

/// The progress of a stage, in chunks.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Bytes of complete chunks.
    place: u64,
    chunk: usize,
}

impl Journal {
    /// Approximate bytes per chunk.
    pub(crate) fn chunk(&self) -> usize {
        self.chunk
    }

    /// Adds a chunk.
    ///
    /// Errors: the file cannot be written.
    pub fn append(&mut self, chunk: &[u8]) -> Result<()> {
        let sum = xxh3_64_with_seed(chunk, self.place);
        let head: [u8; 16] = bytemuck::cast([chunk.len() as u64, sum]);
        let written = self.file.write_all(&head);
        written
            .and_then(|()| self.file.write_all(chunk))
            .map_err(Error::io("cannot write", &self.path))?;
        self.place += (head.len() + chunk.len()) as u64;
        Ok(())
    }

    /// Removes all chunks except the one that identifies the run.
    ///
    /// Errors: the file cannot be written.
    pub fn clear(&mut self) -> Result<()> {
        const KEY: u64 = 32;
        self.place = KEY;
        self.cut()
    }

    fn cut(&mut self) -> Result<()> {
        let cut = self.file.set_len(self.place);
        cut.and_then(|()| self.file.seek(SeekFrom::Start(self.place)))
            .map_err(Error::io("cannot write", &self.path))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resume(folder: &Path, text: &str) -> Resume {
        let input = folder.join("pages.txt");
        fs::write(&input, text).unwrap();
        let sources = crate::read::discover(&[input], &Default::default()).unwrap();
        Resume::open(&folder.join("saved"), &sources, "how", 1 << 20, &()).unwrap()
    }

    fn chunks(resume: &Resume) -> (Vec<Vec<u8>>, Journal) {
        let mut chunks = Vec::new();
        let journal = resume.journal("stage", |chunk| {
            chunks.push(chunk.to_vec());
            Ok(())
        });
        (chunks, journal.unwrap())
    }

    #[test]
    fn what_was_written_whole_is_taken_up_again() {
        let folder = tempfile::tempdir().unwrap();
        let saved = folder.path().join("saved/stage");
        let (none, mut journal) = chunks(&resume(folder.path(), "one"));
        assert!(none.is_empty());
        let written = [vec![1; 10], Vec::new(), vec![2; 3_000_000], vec![3; 100]];
        for chunk in &written {
            journal.append(chunk).unwrap();
        }
        drop(journal);
        let whole = fs::read(&saved).unwrap();
        // Wherever the file is cut off, or a byte is wrong, the chunks before remain, and writing continues after them.
        for (at, left) in [
            (whole.len(), 4),
            (whole.len() - 1, 3),
            (whole.len() - 101, 3),
            (74, 2),
            (70, 1),
            (50, 0),
            (3, 0),
        ] {
            fs::write(&saved, &whole[..at]).unwrap();
            let (found, mut journal) = chunks(&resume(folder.path(), "one"));
            assert_eq!(found, written[..left], "{at}");
            journal.append(b"more").unwrap();
            let (found, _) = chunks(&resume(folder.path(), "one"));
            assert_eq!(
                (found.len(), &found[left][..]),
                (left + 1, &b"more"[..]),
                "{at}"
            );
        }
        let mut wrong = whole.clone();
        wrong[50] ^= 1;
        fs::write(&saved, &wrong).unwrap();
        assert!(chunks(&resume(folder.path(), "one")).0.is_empty());
    }

    #[test]
    fn a_journal_of_other_inputs_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (_, mut journal) = chunks(&resume(folder.path(), "one"));
        journal.append(b"chunk").unwrap();
        assert_eq!(chunks(&resume(folder.path(), "one")).0.len(), 1);
        // A file of the same size.
        assert!(chunks(&resume(folder.path(), "two")).0.is_empty());
        // The previous journal was removed.
        assert!(chunks(&resume(folder.path(), "one")).0.is_empty());
        let (_, mut journal) = chunks(&resume(folder.path(), "one"));
        journal.append(b"chunk").unwrap();
        journal.clear().unwrap();
        journal.append(b"other").unwrap();
        assert_eq!(chunks(&resume(folder.path(), "one")).0, [b"other"]);
    }
}
