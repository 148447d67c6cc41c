//! Opens a source: decompresses it and detects the format.

use std::io::{BufReader, Cursor, Read};

use super::compression::decompress;
use super::format::{Format, OpenFile};
use super::hashed::Hashed;
use super::options::ReadOptions;
use super::sniff;
use super::source::Source;
use super::utf16::{FromUtf16, Utf16};
use super::window::Window;

/// How many bytes are used to detect the format.
const SNIFFED: usize = 64 * 1024;

/// Opens `source`; the error is the reason for its one reject.
pub(crate) fn open(
    source: &Source,
    options: &ReadOptions,
) -> Result<(OpenFile, Box<dyn Format>), String> {
    let content = source.content();
    let file = Hashed::new(content.map_err(|error| format!("cannot open: {error}"))?);
    // Smaller than the window's reads, so that uncompressed bytes bypass this buffer.
    let room = (source.size + 1).clamp(4096, 64 * 1024) as usize;
    let reader = BufReader::with_capacity(room, file.clone());
    let (compression, content, member_ends) = decompress(reader, options.zstd_window_log)?;
    let name = source
        .kept
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let (utf16, content) = decoded(content, &name);
    let mut window = Window::new(content, source.size);
    window.member_ends = member_ends;
    window.fill(SNIFFED);
    if window.data().is_empty()
        && let Some(failure) = window.failure()
    {
        return Err(failure.to_owned());
    }
    let format = sniff::recognise(window.data(), &name, compression, options);
    let file = OpenFile {
        window,
        file,
        compression,
        utf16,
    };
    Ok((file, format))
}

/// Decodes a file of rows or lines (by its name) from UTF-16 (by its first bytes) to UTF-8. Whole documents are decoded later.
fn decoded(mut content: Box<dyn Read + Send>, name: &str) -> (Option<Utf16>, Box<dyn Read + Send>) {
    if !sniff::has_rows(name) {
        return (None, content);
    }
    let mut mark = Vec::new();
    if let Err(error) = content.by_ref().take(2).read_to_end(&mut mark) {
        return (None, Box::new(Cursor::new(mark).chain(Broken(Some(error)))));
    }
    match Utf16::of(&mark) {
        Some(order) => (Some(order), Box::new(FromUtf16::new(content, order))),
        None => (None, Box::new(Cursor::new(mark).chain(content))),
    }
}

/// A stream that has ended with an error.
struct Broken(Option<std::io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
