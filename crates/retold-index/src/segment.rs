//! Segments: rows and posting lists of a range of pages, in one immutable file.
//!
//! A file has blocks of keys, then the first keys of the blocks, the rows of the pages, their links, the removed pages, with pair filters
//! the values that these compare, and a foot of fixed length with the lengths and checksums of these parts. Opening a segment reads
//! everything but the blocks.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use retold::{Error, Result};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::files::{Bytes, damaged, read_at};
use crate::keys::{BLOCK, Blocks, Keys};
use crate::pages::{Row, ScopeRow};

/// A segment as the manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) number: u32,
    pub(crate) pages: Range<u32>,
    pub(crate) postings: u64,
    pub(crate) length: u64,
}

/// The contents of a segment other than its keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) rows: Vec<Row>,
    /// Links between pages ([`crate::links`]).
    pub(crate) links: Vec<(u32, u32)>,
    /// Pages removed while these were added.
    pub(crate) gone: Vec<u32>,
    /// Pair-filter values of the pages. Empty without filters, and in segments written by earlier releases.
    pub(crate) scopes: Vec<ScopeRow>,
}

/// An open segment, without its facts.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) named: Named,
    pub(crate) path: PathBuf,
    file: File,
    keys: Keys,
}

/// Bytes of the foot: the counts of blocks, rows, links and removed pages, and the checksums of the tail before it and of the foot itself.
const FOOT: usize = 4 * 8 + 2 * 8;

impl Segment {
    pub(crate) fn name(number: u32) -> String {
        format!("seg-{number:06}")
    }

    /// Writes a segment, waits until it will survive a power cut, and opens it. `postings` are ascending.
    pub(crate) fn write(
        folder: &Path,
        number: u32,
        pages: Range<u32>,
        postings: impl Iterator<Item = Result<(u64, u32)>>,
        facts: &Facts,
    ) -> Result<Segment> {
        let path = folder.join(Segment::name(number));
        let written = Segment::try_write(path.clone(), number, pages, postings, facts);
        if written.is_err() {
            // A partial segment is useless, and its space may be what was missing.
            let _ = std::fs::remove_file(&path);
        }
        written
    }

    fn try_write(
        path: PathBuf,
        number: u32,
        pages: Range<u32>,
        postings: impl Iterator<Item = Result<(u64, u32)>>,
        facts: &Facts,
    ) -> Result<Segment> {
        let failed = || Error::io("cannot write", &path);
        let file = File::create(&path).map_err(failed())?;
        let mut blocks = Blocks::new(BufWriter::with_capacity(1 << 20, file));
        let mut count = 0;
        for posting in postings {
            let (key, page) = posting?;
            blocks.push(key, page).map_err(failed())?;
            count += 1;
        }
        let (mut out, firsts) = blocks.finish().map_err(failed())?;
        let tail = tail(&firsts, facts);
        let length = (firsts.len() * BLOCK + tail.len()) as u64;
        let end = || -> std::io::Result<()> {
            out.write_all(&tail)?;
            out.flush()?;
            out.get_ref().sync_all()
        };
        let mut end = end;
        end().map_err(failed())?;
        drop(out);
        let named = Named {
            number,
            pages,
            postings: count,
            length,
        };
        Ok(Segment {
            keys: Keys { firsts },
            file: File::open(&path).map_err(failed())?,
            path,
            named,
        })
    }

    pub(crate) fn open(folder: &Path, named: &Named) -> Result<(Segment, Facts)> {
        let path = folder.join(Segment::name(named.number));
        let failed = || Error::io("cannot read", &path);
        let file = File::open(&path).map_err(failed())?;
        let length = file.metadata().map_err(failed())?.len();
        if length != named.length {
            let what = format!("it has {length} bytes and had {}", named.length);
            return Err(damaged(&path, &what));
        }
        let whole = read_tail(&file, &path, length)?;
        let (firsts, facts) = whole.ok_or_else(|| damaged(&path, "its end is not whole"))?;
        if facts.rows.len() != named.pages.len() {
            return Err(damaged(&path, "it has other pages than the manifest says"));
        }
        let segment = Segment {
            named: named.clone(),
            path,
            file,
            keys: Keys { firsts },
        };
        Ok((segment, facts))
    }

    pub(crate) fn guess(&self, key: u64) -> usize {
        self.keys.guess(key)
    }

    pub(crate) fn pages(&self, key: u64, take: impl FnMut(u32) -> bool) -> Result<()> {
        self.keys.pages(&self.file, &self.path, key, take)
    }

    pub(crate) fn postings(&self) -> impl Iterator<Item = Result<(u64, u32)>> + '_ {
        let blocks = self.keys.iter(&self.file, &self.path);
        blocks.flat_map(|block| {
            let (postings, error) = match block {
                Ok(postings) => (postings, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            postings.into_iter().map(Ok).chain(error)
        })
    }

    pub(crate) fn facts(&self) -> Result<Facts> {
        let read = read_tail(&self.file, &self.path, self.named.length)?;
        let (_, facts) = read.ok_or_else(|| damaged(&self.path, "its end is not whole"))?;
        Ok(facts)
    }
}

/// The part of the file after the blocks.
fn tail(firsts: &[u64], facts: &Facts) -> Vec<u8> {
    let mut bytes = Vec::new();
    firsts
        .iter()
        .for_each(|first| bytes.extend(first.to_le_bytes()));
    facts.rows.iter().for_each(|row| row.put(&mut bytes));
    for (page, other) in &facts.links {
        bytes.extend(page.to_le_bytes());
        bytes.extend(other.to_le_bytes());
    }
    facts
        .gone
        .iter()
        .for_each(|page| bytes.extend(page.to_le_bytes()));
    facts.scopes.iter().for_each(|scope| scope.put(&mut bytes));
    let check = xxh3_64(&bytes);
    let start = bytes.len();
    let counts = [
        firsts.len(),
        facts.rows.len(),
        facts.links.len(),
        facts.gone.len(),
    ];
    counts
        .iter()
        .for_each(|&count| bytes.extend((count as u64).to_le_bytes()));
    bytes.extend(check.to_le_bytes());
    let own = xxh3_64(&bytes[start..]);
    bytes.extend(own.to_le_bytes());
    bytes
}

/// Reads what [`tail`] wrote; `None` if it is malformed.
fn read_tail(file: &File, path: &Path, length: u64) -> Result<Option<(Vec<u64>, Facts)>> {
    let Some(at) = length.checked_sub(FOOT as u64) else {
        return Ok(None);
    };
    let mut foot = [0; FOOT];
    read_at(file, path, &mut foot, at)?;
    let Some((counts, check)) = read_foot(&foot) else {
        return Ok(None);
    };
    let [blocks, rows, links, gone] = counts;
    let sizes = [8 * blocks, Row::BYTES as u64 * rows, 8 * links, 4 * gone];
    let size = at.checked_sub(blocks * BLOCK as u64);
    let scopes = size.and_then(|size| size.checked_sub(sizes.iter().sum()));
    let (Some(size), Some(scopes)) = (size, scopes) else {
        return Ok(None);
    };
    if scopes != 0 && scopes != ScopeRow::BYTES as u64 * rows {
        return Ok(None);
    }
    let mut bytes = vec![0; size as usize];
    read_at(file, path, &mut bytes, at - size)?;
    if xxh3_64(&bytes) != check {
        return Ok(None);
    }
    let mut rest = Bytes(&bytes);
    let mut read = || {
        let firsts = (0..blocks).map(|_| rest.u64()).collect::<Option<_>>()?;
        let rows = (0..rows)
            .map(|_| Row::get(&mut rest))
            .collect::<Option<_>>()?;
        let links = (0..links).map(|_| Some((rest.u32()?, rest.u32()?)));
        let links = links.collect::<Option<_>>()?;
        let gone = (0..gone).map(|_| rest.u32()).collect::<Option<_>>()?;
        let scopes = (0..scopes / ScopeRow::BYTES as u64).map(|_| ScopeRow::get(&mut rest));
        let scopes = scopes.collect::<Option<_>>()?;
        let facts = Facts {
            rows,
            links,
            gone,
            scopes,
        };
        Some((firsts, facts))
    };
    Ok(read())
}

fn read_foot(foot: &[u8; FOOT]) -> Option<([u64; 4], u64)> {
    let mut rest = Bytes(foot);
    let counts = [rest.u64()?, rest.u64()?, rest.u64()?, rest.u64()?];
    let check = rest.u64()?;
    let own = rest.u64()?;
    let small = counts.iter().all(|&count| count < 1 << 40);
    (small && own == xxh3_64(&foot[..FOOT - 8])).then_some((counts, check))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(filters: bool) -> Facts {
        let row = |at| Row {
            log: 1,
            at,
            lengths: (3, 4),
            keys: 5,
            moment: 6,
        };
        let scope = |within, date| ScopeRow {
            fields: [within, 9],
            date,
        };
        Facts {
            rows: vec![row(0), row(100)],
            links: vec![(1, 0)],
            gone: vec![0],
            scopes: match filters {
                true => vec![scope(0, -7), scope(u64::MAX, i64::MIN)],
                false => Vec::new(),
            },
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for facts in [facts(false), facts(true)] {
            let postings = || [(5, 0), (5, 1), (9, 1)].map(Ok).into_iter();
            let made = Segment::write(folder.path(), 3, 0..2, postings(), &facts).unwrap();
            let (segment, read) = Segment::open(folder.path(), &made.named).unwrap();
            assert_eq!(read, facts);
            assert_eq!(segment.facts().unwrap(), facts);
            let all: Result<Vec<(u64, u32)>> = segment.postings().collect();
            assert_eq!(all.unwrap(), [(5, 0), (5, 1), (9, 1)]);
            let bytes = std::fs::read(&made.path).unwrap();
            for wrong in BLOCK..bytes.len() {
                let mut changed = bytes.clone();
                changed[wrong] ^= 1;
                std::fs::write(&made.path, changed).unwrap();
                assert!(
                    Segment::open(folder.path(), &made.named).is_err(),
                    "byte {wrong}"
                );
            }
            std::fs::write(&made.path, &bytes[1..]).unwrap();
            assert!(Segment::open(folder.path(), &made.named).is_err());
        }
    }
}
