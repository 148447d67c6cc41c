//! Opens a source: decompresses it and detects the format.

use std::fs::File;
use std::io::BufReader;

use super::compression::decompress;
use super::format::{Format, OpenFile};
use super::hashed::Hashed;
use super::options::ReadOptions;
use super::sniff;
use super::source::Source;
use super::window::Window;

/// How many bytes are used to detect the format.
const SNIFFED: usize = 64 * 1024;

/// Opens `source`; the error is the reason to put into its one reject.
pub(crate) fn open(
    source: &Source,
    options: &ReadOptions,
) -> Result<(OpenFile, Box<dyn Format>), String> {
    let file = File::open(&source.path).map_err(|error| format!("cannot open: {error}"))?;
    let file = Hashed::new(file);
    // Smaller than the window's reads, so that uncompressed bytes go straight to the window, past this buffer.
    let room = (source.size + 1).clamp(4096, 64 * 1024) as usize;
    let (compression, content) = decompress(BufReader::with_capacity(room, file.clone()))?;
    let mut window = Window::new(content, source.size);
    window.fill(SNIFFED);
    if window.data().is_empty()
        && let Some(failure) = window.failure()
    {
        return Err(failure.to_owned());
    }
    let name = source
        .kept
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let format = sniff::recognise(window.data(), &name, compression, options);
    let file = OpenFile {
        window,
        file,
        compression,
    };
    Ok((file, format))
}
