//! Gzip and Zstandard: which of them a file uses, and its decompressed content.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Seek};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::bufread::GzDecoder;

use super::hashed::Hashed;

/// How a file is compressed, so that the kept records are written in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

/// Where gzip members end in the content decompressed so far, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemberEnds(Arc<Mutex<VecDeque<u64>>>);

/// More than a window has records. If nobody asks for the ends, no more are collected.
const REMEMBERED: usize = 1 << 16;

impl MemberEnds {
    fn note(&self, end: u64) {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.len() == REMEMBERED {
            ends.pop_front();
        }
        ends.push_back(end);
    }

    /// The end of the member that begins at `begin`, if that member has ended. Forgets earlier ends, so ask in order.
    pub fn of_member_at(&self, begin: u64) -> Option<u64> {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while ends.get(1).is_some_and(|end| *end <= begin) {
            ends.pop_front();
        }
        match (begin, ends.front(), ends.get(1)) {
            (0, Some(end), _) => Some(*end),
            (_, Some(before), Some(end)) if *before == begin => Some(*end),
            _ => None,
        }
    }
}

/// Detects the compression and returns the decompressed content with the ends of its members. The error says why the file cannot be read.
///
/// A zstd window may take up to 2 to the power of `zstd_window_log` bytes of memory.
pub(crate) fn decompress(
    mut reader: BufReader<Hashed>,
    zstd_window_log: u32,
) -> Result<(Compression, Box<dyn Read + Send>, MemberEnds), String> {
    let compression = detect(&mut reader)?;
    let ends = MemberEnds::default();
    let content: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(reader),
        Compression::Gzip => Box::new(Gunzip {
            member: Some(GzDecoder::new(reader)),
            passed: 0,
            ends: ends.clone(),
        }),
        Compression::Zstd => {
            let mut decoder = zstd::Decoder::with_buffer(reader)
                .map_err(|error| format!("cannot start zstd: {error}"))?;
            decoder
                .window_log_max(zstd_window_log)
                .map_err(|error| format!("cannot start zstd: {error}"))?;
            Box::new(Unzstd { decoder })
        }
    };
    Ok((compression, content, ends))
}

/// Looks at the magic number; the reader stays at the file's start.
fn detect(reader: &mut BufReader<Hashed>) -> Result<Compression, String> {
    let head = reader
        .fill_buf()
        .map_err(|error| format!("cannot read: {error}"))?;
    Ok(match head {
        [0x1f, 0x8b, 8, ..] => Compression::Gzip,
        // A frame, or a skippable frame before one.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
        _ => Compression::None,
    })
}

/// Gzip with any number of members. Errors give the position in the file.
struct Gunzip {
    /// `None` once the last member has been read.
    member: Option<GzDecoder<BufReader<Hashed>>>,
    /// Number of bytes decompressed so far.
    passed: u64,
    ends: MemberEnds,
}

impl Gunzip {
    /// Goes on to the next member; false at the end of the file.
    fn next_member(&mut self) -> std::io::Result<bool> {
        let Some(member) = self.member.take() else {
            return Ok(false);
        };
        let mut reader = member.into_inner();
        loop {
            match reader.fill_buf()? {
                [] => return Ok(false),
                [0x1f, ..] => break,
                // Tape archives are padded with zeros, which gzip ignores as well.
                padding if padding.iter().all(|byte| *byte == 0) => {
                    let length = padding.len();
                    reader.consume(length);
                }
                _ => {
                    let place = reader.stream_position()?;
                    return Err(std::io::Error::other(format!(
                        "byte {place} of the file: something that is not gzip follows the gzip data"
                    )));
                }
            }
        }
        self.member = Some(GzDecoder::new(reader));
        Ok(true)
    }
}

impl Read for Gunzip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let Some(member) = &mut self.member else {
                return Ok(0);
            };
            match member.read(buffer) {
                Ok(0) if !buffer.is_empty() => {
                    self.ends.note(self.passed);
                    if !self.next_member()? {
                        return Ok(0);
                    }
                }
                Ok(count) => {
                    self.passed += count as u64;
                    return Ok(count);
                }
                Err(error) => {
                    let place = member.get_mut().stream_position().unwrap_or_default();
                    self.member = None;
                    return Err(damage("gzip", place, &error));
                }
            }
        }
    }
}

/// Zstandard with any number of frames. Errors give the position in the file.
struct Unzstd {
    decoder: zstd::Decoder<'static, BufReader<Hashed>>,
}

impl Read for Unzstd {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.decoder.read(buffer).map_err(|error| {
            if error.to_string().contains("too much memory") {
                return std::io::Error::other(
                    "its zstd window (made with --long) is larger than a quarter of --memory; raise that, up to 8G",
                );
            }
            let place = self.decoder.get_mut().stream_position().unwrap_or_default();
            damage("zstd", place, &error)
        })
    }
}

/// A decompressor's error with its place in the compressed file.
fn damage(format: &str, place: u64, error: &std::io::Error) -> std::io::Error {
    if error.kind() == std::io::ErrorKind::UnexpectedEof {
        std::io::Error::other(format!(
            "the {format} data is cut off at byte {place} of the file"
        ))
    } else {
        std::io::Error::other(format!(
            "damaged {format} data near byte {place} of the file: {error}"
        ))
    }
}
