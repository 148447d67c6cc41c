//! Gzip and Zstandard: which of them a file is in, and its content without it.

use std::io::{BufRead, BufReader, Read, Seek};

use flate2::bufread::GzDecoder;

use super::hashed::Hashed;

/// How a file is compressed, to write it back in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

/// How a file is compressed, and its content decompressed. The error says why it cannot be read.
///
/// A window of zstd may take 2 to the power of `zstd_window_log` bytes of memory.
pub(crate) fn decompress(
    mut reader: BufReader<Hashed>,
    zstd_window_log: u32,
) -> Result<(Compression, Box<dyn Read + Send>), String> {
    let compression = detect(&mut reader)?;
    let content: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(reader),
        Compression::Gzip => Box::new(Gunzip {
            member: Some(GzDecoder::new(reader)),
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
    Ok((compression, content))
}

/// Looks at the magic number; the reader stays at the file's start.
fn detect(reader: &mut BufReader<Hashed>) -> Result<Compression, String> {
    let head = reader
        .fill_buf()
        .map_err(|error| format!("cannot read: {error}"))?;
    Ok(match head {
        [0x1f, 0x8b, 8, ..] => Compression::Gzip,
        // A frame, or a skippable frame in front of one.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
        _ => Compression::None,
    })
}

/// Gzip with any number of members. Errors give the position in the file.
struct Gunzip {
    /// `None` once the last member has been read.
    member: Option<GzDecoder<BufReader<Hashed>>>,
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
                // Archives on tape are padded with zeros; gzip ignores them as well.
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
                    if !self.next_member()? {
                        return Ok(0);
                    }
                }
                Ok(count) => return Ok(count),
                Err(error) => {
                    let place = member.get_mut().stream_position().unwrap_or_default();
                    self.member = None;
                    return Err(damage("gzip", place, &error));
                }
            }
        }
    }
}

/// Zstandard, any number of frames. Errors say where in the file they are.
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

/// An error of a decompressor in words, with the place in the compressed file.
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
