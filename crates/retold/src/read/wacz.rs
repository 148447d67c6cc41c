//! WACZ: WARC files in a zip archive, with indexes. The records are those of the WARC files, in the order of their names.
//!
//! `kept/` gets them as one WARC file, because the indexes would no longer be right (`wacz create` makes new ones).

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Cursor, Error, Read, Result as IoResult, Seek, SeekFrom, Take};
use std::path::Path;

use flate2::read::{DeflateDecoder, MultiGzDecoder};
use zip::{CompressionMethod, ZipArchive};

use super::archive::Archived;
use super::compression::Compression;
use super::format::{Format, OpenFile, Records};
use super::frame::Frames;
use super::framed::{Framed, FramedRecords, each_head, write_kept};
use super::mark::Decide;
use super::options::ReadOptions;
use super::output::Output;
use super::record::{Outcome, Record};
use super::source::Source;
use super::stored::Stored;
use super::warc::Warc;
use super::window::Window;
use crate::error::Result;

#[derive(Debug)]
pub(crate) struct Wacz;

impl Format for Wacz {
    fn records(&self, file: OpenFile, source: &Source, options: &ReadOptions) -> Records {
        match frames(source, options) {
            Ok(frames) => Box::new(FramedRecords::new(frames, file.file, source)),
            Err(error) => {
                let reason = Outcome::Rejected(format!("damaged WACZ: {error}"));
                Box::new(std::iter::once(Record::parsed(1, source.size, reason)))
            }
        }
    }

    fn rewrite(
        &self,
        file: OpenFile,
        source: &Source,
        options: &ReadOptions,
        mut decide: Decide<'_, '_>,
        to: &Path,
    ) -> Result<()> {
        match frames(source, options) {
            Ok(frames) => {
                let mut name = OsString::from(to);
                name.push(".warc.gz");
                let output = Output::new(Path::new(&name), Compression::Gzip, None);
                write_kept(frames, decide, output)?;
            }
            // The whole file is one reject, so nothing is kept.
            Err(_) => drop(decide.of(1)),
        }
        source.facts.note(file.file.hash());
        Ok(())
    }

    fn has_heads(&self) -> bool {
        true
    }

    fn heads(
        &self,
        file: OpenFile,
        source: &Source,
        options: &ReadOptions,
        each: &mut dyn FnMut(u64, &[u8]),
    ) {
        if let Ok(frames) = frames(source, options) {
            each_head(frames, each);
        }
        source.facts.note(file.file.hash());
    }
}

/// Where a WARC file lies in the archive.
struct Member {
    name: String,
    begin: u64,
    size: u64,
    is_deflated: bool,
}

/// The records of all WARC files.
fn frames(source: &Source, options: &ReadOptions) -> IoResult<Box<dyn Frames>> {
    let mut archive = ZipArchive::new(BufReader::new(source.content()?))?;
    let mut members = Vec::new();
    for number in 0..archive.len() {
        let file = archive.by_index_raw(number)?;
        let name = file.name()?.into_owned();
        if !name.ends_with(".warc") && !name.ends_with(".warc.gz") {
            continue;
        }
        let place = file.data_start().zip(Some(file.compressed_size()));
        let is_deflated = match file.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            _ => {
                return Err(Error::other(format!(
                    "{name} is neither stored nor deflated"
                )));
            }
        };
        let (begin, size) =
            place.ok_or_else(|| Error::other(format!("{name} has no position in the archive")))?;
        members.push(Member {
            name,
            begin,
            size,
            is_deflated,
        });
    }
    members.sort_by(|a, b| a.name.cmp(&b.name));
    let size = members.iter().map(|member| member.size).sum();
    let streams = members.iter().map(|member| stream(member, source));
    let streams = streams.collect::<IoResult<Vec<_>>>()?;
    let empty: Box<dyn Read + Send> = Box::new(Cursor::new(b""));
    // A WARC file that does not end with a line end must not run into the next.
    let all = streams.into_iter().fold(empty, |all, next| {
        Box::new(all.chain(Cursor::new(b"\r\n")).chain(next))
    });
    Ok(Archived(&Warc).frames(Window::new(all, size), options))
}

fn stream(member: &Member, source: &Source) -> IoResult<Box<dyn Read + Send>> {
    let mut file = source.content()?;
    file.seek(SeekFrom::Start(member.begin))?;
    let bytes: Take<Stored> = file.take(member.size);
    let bytes: Box<dyn Read + Send> = match member.is_deflated {
        true => Box::new(DeflateDecoder::new(BufReader::new(bytes))),
        false => Box::new(bytes),
    };
    // The name does not always show the compression.
    let mut bytes = BufReader::new(bytes);
    Ok(match bytes.fill_buf()? {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(bytes)),
        _ => Box::new(bytes),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::super::mark::RecordDecision;
    use super::super::tests::{Folder, briefs, gzip, rewritten};
    use super::*;

    fn record(name: &str, content: &str) -> String {
        let length = content.len();
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {name}\r\nContent-Length: {length}\r\n\r\n{content}\r\n\r\n"
        )
    }

    fn wacz() -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let packed = SimpleFileOptions::default();
        let two = gzip((record("c", "three")).as_bytes());
        let one = [record("a", "one"), record("b", "two")].map(|record| gzip(record.as_bytes()));
        let files = [
            ("datapackage.json", b"{}".to_vec(), packed),
            ("archive/2.warc.gz", two, stored),
            ("archive/1.warc", one.concat(), stored),
            ("archive/3.warc", record("d", "four").into_bytes(), packed),
            ("indexes/index.cdx", b"x".to_vec(), packed),
        ];
        for (name, bytes, options) in files {
            zip.start_file(name, options).unwrap();
            zip.write_all(&bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn the_records_are_those_of_the_warc_files() {
        let folder = Folder::new(&[("a.wacz", &wacz())]);
        let source = folder.source("a.wacz");
        assert_eq!(briefs(&source), ["a=one", "b=two", "c=three", "d=four"]);
    }

    #[test]
    fn what_is_kept_is_a_warc_file() {
        let folder = Folder::new(&[("a.wacz", &wacz())]);
        let source = folder.source("a.wacz");
        let to = folder.0.path().join("kept/a.wacz");
        let mut decide = |number| match number {
            2 => RecordDecision::Leave,
            _ => RecordDecision::Keep,
        };
        source
            .rewrite(&ReadOptions::default(), &mut decide, &to)
            .unwrap();
        let kept = folder.source("kept/a.wacz.warc.gz");
        assert_eq!(briefs(&kept), ["a=one", "c=three", "d=four"]);
    }

    #[test]
    fn a_damaged_archive_is_one_reject() {
        let bytes = wacz();
        let folder = Folder::new(&[("a.wacz", &bytes[..bytes.len() / 2])]);
        let found = briefs(&folder.source("a.wacz"));
        assert!(
            found.len() == 1 && found[0].starts_with("!damaged WACZ"),
            "{found:?}"
        );
        // The file did not change: nothing is kept, and nothing fails.
        assert!(rewritten(&folder.source("a.wacz"), |_| RecordDecision::Keep).is_none());
    }
}
