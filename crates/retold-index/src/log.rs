//! The log: everything that was added or removed, in order, in commits.
//!
//! A log is a sequence of frames. A frame is a head of 40 bytes (kind, lengths of the two parts, page number, checksums of the head and of
//! both parts) followed by the two parts. A commit frame ends a commit and says where it began. Bytes after the last commit frame were
//! never acknowledged. A commit begins only when the one before it is on disk, so an incomplete frame *before* a later commit is damage,
//! and an incomplete frame at the end is left over from a crash.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use retold::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::files::{Bytes, damaged, read_at};

/// Bytes of a frame's head.
pub(crate) const HEAD: usize = 40;
const MAGIC: &[u8; 3] = b"rtl";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A page; the parts are its entry and its text.
    Page,
    /// Links between pages ([`crate::links`]), as pairs of numbers.
    Links,
    Gone,
    /// The end of a commit; the first part is the offset at which it began.
    Commit,
}

const KINDS: [(Kind, u8); 4] = [
    (Kind::Page, b'p'),
    (Kind::Links, b'l'),
    (Kind::Gone, b'g'),
    (Kind::Commit, b'c'),
];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    pub(crate) first: u32,
    pub(crate) second: u32,
    pub(crate) page: u32,
    check_first: u64,
    check_second: u64,
}

impl Head {
    fn to_bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..3].copy_from_slice(MAGIC);
        let kind = KINDS.iter().find(|(kind, _)| *kind == self.kind);
        bytes[3] = kind.map_or(0, |&(_, byte)| byte);
        bytes[4..8].copy_from_slice(&self.first.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.second.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.page.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.check_first.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.check_second.to_le_bytes());
        let check = xxh3_64(&bytes[..32]);
        bytes[32..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// `None` if the bytes are not a valid head.
    fn from_bytes(bytes: &[u8]) -> Option<Head> {
        let bytes = bytes.get(..HEAD)?;
        if &bytes[..3] != MAGIC || xxh3_64(&bytes[..32]).to_le_bytes() != bytes[32..] {
            return None;
        }
        let (kind, _) = KINDS.iter().find(|&&(_, byte)| byte == bytes[3])?;
        let mut rest = Bytes(&bytes[4..]);
        Some(Head {
            kind: *kind,
            first: rest.u32()?,
            second: rest.u32()?,
            page: rest.u32()?,
            check_first: rest.u64()?,
            check_second: rest.u64()?,
        })
    }

    pub(crate) fn length(self) -> u64 {
        HEAD as u64 + u64::from(self.first) + u64::from(self.second)
    }
}

/// Appends a frame to a buffer.
pub(crate) fn frame(to: &mut Vec<u8>, kind: Kind, page: u32, first: &[u8], second: &[u8]) {
    let head = Head {
        kind,
        first: first.len() as u32,
        second: second.len() as u32,
        page,
        check_first: xxh3_64(first),
        check_second: xxh3_64(second),
    };
    to.extend(head.to_bytes());
    to.extend(first);
    to.extend(second);
}

#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) path: PathBuf,
    file: File,
}

pub(crate) struct Frame {
    pub(crate) at: u64,
    pub(crate) head: Head,
    pub(crate) first: Vec<u8>,
    pub(crate) second: Vec<u8>,
}

impl Log {
    pub(crate) fn name(number: u32) -> String {
        format!("log-{number:06}")
    }

    pub(crate) fn open(folder: &Path, number: u32, write: bool) -> Result<Log> {
        let path = folder.join(Log::name(number));
        let file = OpenOptions::new().read(true).write(write).open(&path);
        let file = file.map_err(Error::io("cannot read", &path))?;
        Ok(Log { path, file })
    }

    pub(crate) fn create(folder: &Path, number: u32) -> Result<Log> {
        let path = folder.join(Log::name(number));
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(true);
        let file = file.open(&path).map_err(Error::io("cannot write", &path))?;
        Ok(Log { path, file })
    }

    pub(crate) fn len(&self) -> Result<u64> {
        let length = self.file.metadata().map(|file| file.len());
        length.map_err(Error::io("cannot read", &self.path))
    }

    /// Writes at the end of the log, which is at this offset.
    pub(crate) fn write(&self, at: u64, bytes: &[u8]) -> Result<()> {
        use std::io::Seek;
        let mut file = &self.file;
        let write = file
            .seek(std::io::SeekFrom::Start(at))
            .and_then(|_| file.write_all(bytes));
        write.map_err(Error::io("cannot write", &self.path))
    }

    pub(crate) fn cut(&self, at: u64) -> Result<()> {
        let cut = self.file.set_len(at);
        cut.map_err(Error::io("cannot write", &self.path))
    }

    /// Waits until everything written will survive a power cut.
    pub(crate) fn sync(&self) -> Result<()> {
        let sync = self.file.sync_data();
        sync.map_err(Error::io("cannot write", &self.path))
    }

    /// The first part of a frame; `length` is taken from its head.
    pub(crate) fn first(&self, at: u64, length: u32) -> Result<Vec<u8>> {
        let mut bytes = vec![0; HEAD + length as usize];
        read_at(&self.file, &self.path, &mut bytes, at)?;
        let first = bytes.split_off(HEAD);
        let head = Head::from_bytes(&bytes).filter(|head| head.check_first == xxh3_64(&first));
        head.map(|_| first).ok_or_else(|| self.bad(at))
    }

    /// The second part of a frame; `lengths`, those of both parts, are taken from its head.
    pub(crate) fn second(&self, at: u64, lengths: (u32, u32)) -> Result<Vec<u8>> {
        let (first, second) = lengths;
        let mut head = [0; HEAD];
        read_at(&self.file, &self.path, &mut head, at)?;
        let mut bytes = vec![0; second as usize];
        let place = at + HEAD as u64 + u64::from(first);
        read_at(&self.file, &self.path, &mut bytes, place)?;
        let head = Head::from_bytes(&head).filter(|head| head.check_second == xxh3_64(&bytes));
        head.map(|_| bytes).ok_or_else(|| self.bad(at))
    }

    fn bad(&self, at: u64) -> Error {
        damaged(&self.path, &format!("the frame at byte {at} is not whole"))
    }

    /// Reads the frame at an offset; `None` if it is incomplete.
    fn read(&self, at: u64, end: u64) -> Result<Option<Frame>> {
        let mut head = [0; HEAD];
        if at + HEAD as u64 > end {
            return Ok(None);
        }
        read_at(&self.file, &self.path, &mut head, at)?;
        let Some(head) = Head::from_bytes(&head).filter(|head| at + head.length() <= end) else {
            return Ok(None);
        };
        let mut first = vec![0; head.first as usize + head.second as usize];
        read_at(&self.file, &self.path, &mut first, at + HEAD as u64)?;
        let second = first.split_off(head.first as usize);
        let whole = xxh3_64(&first) == head.check_first && xxh3_64(&second) == head.check_second;
        let frame = Frame {
            at,
            head,
            first,
            second,
        };
        Ok(whole.then_some(frame))
    }

    /// Passes the frames of each complete commit, starting at `from`, to `take`. Returns the end of the last commit. An incomplete frame
    /// before `sure`, or before a later commit, is damage.
    pub(crate) fn replay(
        &self,
        from: u64,
        sure: u64,
        mut take: impl FnMut(Vec<Frame>) -> Result<()>,
    ) -> Result<u64> {
        let end = self.len()?;
        if end < sure {
            return Err(damaged(
                &self.path,
                &format!("it has {end} bytes and had {sure}"),
            ));
        }
        let (mut at, mut done, mut commit) = (from, from, Vec::new());
        while let Some(frame) = self.read(at, end)? {
            at += frame.head.length();
            if frame.head.kind != Kind::Commit {
                commit.push(frame);
                continue;
            }
            if Bytes(&frame.first).u64() != Some(done) {
                at = frame.at;
                break;
            }
            take(std::mem::take(&mut commit))?;
            done = at;
        }
        if done < sure || (at < end && self.has_later_commit(at, end)?) {
            return Err(self.bad(at));
        }
        Ok(done)
    }

    /// Whether a complete commit began after the incomplete frame at `bad`. The contents of that frame are ignored: an attacker can choose
    /// ids and texts that look like a commit.
    fn has_later_commit(&self, bad: u64, end: u64) -> Result<bool> {
        const STEP: usize = 1 << 20;
        let mut head = vec![0; HEAD.min((end - bad) as usize)];
        read_at(&self.file, &self.path, &mut head, bad)?;
        let mut from = bad + Head::from_bytes(&head).map_or(1, Head::length);
        while from + (HEAD as u64) <= end {
            let mut bytes = vec![0; STEP.min((end - from) as usize)];
            read_at(&self.file, &self.path, &mut bytes, from)?;
            for at in 0..bytes.len().saturating_sub(HEAD - 1) {
                if &bytes[at..at + 3] != MAGIC {
                    continue;
                }
                let head = Head::from_bytes(&bytes[at..]);
                if head.is_some_and(|head| head.kind == Kind::Commit)
                    && let Some(frame) = self.read(from + at as u64, end)?
                    && Bytes(&frame.first)
                        .u64()
                        .is_some_and(|began| (bad + 1..frame.at).contains(&began))
                {
                    return Ok(true);
                }
            }
            from += (bytes.len() + 1 - HEAD) as u64;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(log: &Log, at: u64, texts: &[&str]) -> u64 {
        let mut bytes = Vec::new();
        for (page, text) in (0..).zip(texts) {
            frame(&mut bytes, Kind::Page, page, text.as_bytes(), b"second");
        }
        frame(&mut bytes, Kind::Commit, 0, &at.to_le_bytes(), &[]);
        log.write(at, &bytes).unwrap();
        at + bytes.len() as u64
    }

    fn replayed(log: &Log, sure: u64) -> Result<(u64, Vec<String>)> {
        let mut seen = Vec::new();
        let end = log.replay(0, sure, |frames| {
            let firsts = frames
                .into_iter()
                .map(|frame| String::from_utf8(frame.first).unwrap());
            seen.extend(firsts);
            Ok(())
        })?;
        Ok((end, seen))
    }

    /// An id that contains the bytes of a commit belongs to its page, even if the page is incomplete.
    #[test]
    fn a_page_that_looks_like_a_commit_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::create(folder.path(), 1).unwrap();
        let first = commit(&log, 0, &["a"]);
        for began in [0, first, first + 1, first + HEAD as u64 + 3, u64::MAX - 100] {
            let mut id = b"id ".to_vec();
            frame(&mut id, Kind::Commit, 0, &began.to_le_bytes(), &[]);
            let mut bytes = Vec::new();
            frame(&mut bytes, Kind::Page, 1, &id, &[7; 500]);
            // The end of the page is missing, or its head is.
            log.cut(first).unwrap();
            log.write(first, &bytes[..bytes.len() - 1]).unwrap();
            assert_eq!(replayed(&log, first).unwrap().0, first, "{began}");
            bytes[..HEAD].fill(0);
            log.write(first, &bytes).unwrap();
            // Only someone who knows the byte at which the page will stand can still fake a commit.
            if began != first + 1 {
                assert_eq!(replayed(&log, first).unwrap().0, first, "{began}");
            }
        }
    }

    /// A truncated log has the commits before the cut. A log with a wrong byte has the commits before it, or is reported as damaged.
    #[test]
    fn whole_commits_or_damage() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::create(folder.path(), 1).unwrap();
        let first = commit(&log, 0, &["a", "b"]);
        let second = commit(&log, first, &["c"]);
        assert_eq!(
            replayed(&log, second).unwrap(),
            (second, ["a", "b", "c"].map(Into::into).to_vec())
        );
        let bytes = std::fs::read(&log.path).unwrap();
        for cut in 0..second {
            log.cut(cut).unwrap();
            let (end, seen) = replayed(&log, 0).unwrap();
            let expected = if cut < first { (0, 0) } else { (first, 2) };
            assert_eq!((end, seen.len()), expected, "cut at {cut}");
            assert!(replayed(&log, second).is_err());
            log.write(0, &bytes).unwrap();
        }
        for wrong in 0..second as usize {
            let mut changed = bytes.clone();
            changed[wrong] ^= 0x10;
            log.write(0, &changed).unwrap();
            assert!(replayed(&log, second).is_err(), "byte {wrong}");
            match replayed(&log, 0) {
                Ok((end, seen)) => assert_eq!((end, seen.len()), (first, 2), "byte {wrong}"),
                Err(e) => assert!(wrong < first as usize, "byte {wrong}: {e}"),
            }
        }
    }
}
