//! Files of kept records, compressed like their sources.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;

use super::compression::Compression;
use super::mark::{Decide, RecordDecision};
use super::source::Source;
use super::utf16::{ToUtf16, Utf16};
use crate::error::{Error, Result};

/// Copies a source that is one record, unless the record is left out.
pub(crate) fn copy_one(source: &Source, mut decide: Decide<'_, '_>, to: &Path) -> Result<()> {
    if matches!(decide.of(1), RecordDecision::Leave) {
        return Ok(());
    }
    make_folder(to)?;
    let copied = match source.remote {
        None => std::fs::copy(&source.path, to),
        Some(_) => {
            File::create(to).and_then(|mut to| std::io::copy(&mut source.content()?, &mut to))
        }
    };
    source.sound()?;
    copied.map_err(Error::io("cannot write", to))?;
    let same = source.facts.note_file(to);
    same.map_err(Error::io("cannot read again", to))
}

/// Makes the folder of a file.
pub(crate) fn make_folder(of: &Path) -> Result<()> {
    match of.parent() {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(Error::io("cannot make folder", folder))
        }
        None => Ok(()),
    }
}

/// A file that is created when the first record is written.
pub(crate) struct Output {
    pub path: PathBuf,
    compression: Compression,
    utf16: Option<Utf16>,
    sink: Option<Sink>,
}

enum Sink {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl Output {
    pub fn new(path: &Path, compression: Compression, utf16: Option<Utf16>) -> Output {
        Output {
            path: path.to_owned(),
            compression,
            utf16,
            sink: None,
        }
    }

    fn open(&self) -> std::io::Result<Sink> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = BufWriter::with_capacity(256 * 1024, File::create(&self.path)?);
        Sink::new(file, self.compression)
    }

    pub fn is_open(&self) -> bool {
        self.sink.is_some()
    }

    /// Writes a record with `write`, after the bytes `before`.
    pub fn record(
        &mut self,
        before: &[u8],
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let (sink, is_new) = match self.sink.take() {
            Some(sink) => (sink, false),
            None => (self.open()?, true),
        };
        let to = self.sink.insert(sink).writer();
        let Some(order) = self.utf16 else {
            to.write_all(before)?;
            return write(to);
        };
        let mut to = ToUtf16::new(to, order);
        if is_new {
            to.mark()?;
        }
        to.write_all(before)?;
        write(&mut to)
    }

    /// Compresses the next record separately.
    pub fn new_member(&mut self) -> std::io::Result<()> {
        if self.compression != Compression::None
            && let Some(sink) = self.sink.take()
        {
            self.sink = Some(Sink::new(sink.finish()?, self.compression)?);
        }
        Ok(())
    }

    pub fn finish(self) -> Result<()> {
        match self.sink {
            Some(sink) => sink
                .finish()
                .and_then(|mut file| file.flush())
                .map_err(Error::io("cannot write", &self.path)),
            None => Ok(()),
        }
    }
}

impl Sink {
    fn new(file: BufWriter<File>, compression: Compression) -> std::io::Result<Sink> {
        Ok(match compression {
            Compression::None => Sink::Plain(file),
            Compression::Gzip => Sink::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Compression::Zstd => {
                Sink::Zstd(zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?)
            }
        })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Sink::Plain(to) => to,
            Sink::Gzip(to) => to,
            Sink::Zstd(to) => to,
        }
    }

    /// Ends the compressed data and gives back the file.
    fn finish(self) -> std::io::Result<BufWriter<File>> {
        match self {
            Sink::Plain(to) => Ok(to),
            Sink::Gzip(to) => to.finish(),
            Sink::Zstd(to) => to.finish(),
        }
    }
}
