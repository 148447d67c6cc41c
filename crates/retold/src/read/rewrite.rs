//! The second pass: writes the kept records of a source in the format and compression they came in.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;

use super::open::{self, Compression};
use super::{Fate, Frames, ReadOptions, Reader, Source, State};
use crate::error::{Error, Result};

/// See [`Source::rewrite`].
pub(crate) fn rewrite<'a>(
    source: &Source,
    options: &ReadOptions,
    fate: &mut dyn FnMut(u64) -> Fate<'a>,
    to: &Path,
) -> Result<()> {
    let Ok(opened) = open::open(source, options) else {
        // The first pass has rejected it as well, so that nothing of it can be kept.
        return match fate(1) {
            Fate::Leave => Ok(()),
            _ if source.path.exists() => Ok(()),
            _ => Err(source.changed()),
        };
    };
    let compression = opened.compression;
    let file = opened.file.clone();
    match source.reader(opened, options) {
        Reader::Many(frames) => {
            records(frames, fate, Output::new(to, compression))?;
            source.seen.note(file.hash());
            Ok(())
        }
        #[cfg(feature = "parquet")]
        Reader::Parquet => super::parquet::rewrite(source, options, fate, to),
        Reader::Document(..) | Reader::One(_) if fate(1) == Fate::Leave => Ok(()),
        Reader::Document(..) | Reader::One(_) => copy_file(source, to),
    }
}

/// Writes the records of a file of many.
fn records<'a>(
    mut frames: Box<dyn Frames>,
    fate: &mut dyn FnMut(u64) -> Fate<'a>,
    mut output: Output,
) -> Result<()> {
    while let Some(frame) = frames.next() {
        let fate = fate(frame.number);
        let marked = matches!(fate, Fate::Mark(_));
        let whole = match (&fate, frame.state) {
            (Fate::Leave, _) | (_, State::Damaged(_)) => continue,
            (_, State::Whole) => true,
            (_, State::Skipped(_)) => false,
        };
        if frames.one_by_one() {
            output
                .new_member()
                .map_err(Error::io("cannot write", &output.path))?;
        }
        let written = output.record(&frames.header(marked), |to| match fate {
            Fate::Mark(mark) if whole => to.write_all(&frames.marked(mark.as_ref())),
            _ => frames.copy(to),
        });
        written.map_err(Error::io("cannot write", &output.path))?;
    }
    output.finish()
}

/// Copies a source that is one record.
fn copy_file(source: &Source, to: &Path) -> Result<()> {
    make_folder(to)?;
    std::fs::copy(&source.path, to).map_err(Error::io("cannot write", to))?;
    let same = source.seen.note_file(to);
    same.map_err(Error::io("cannot read again", to))
}

pub(crate) fn make_folder(of: &Path) -> Result<()> {
    match of.parent() {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(Error::io("cannot make folder", folder))
        }
        None => Ok(()),
    }
}

/// A file that is created when the first record is written.
struct Output {
    path: PathBuf,
    compression: Compression,
    sink: Option<Sink>,
}

enum Sink {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl Output {
    fn new(path: &Path, compression: Compression) -> Output {
        Output {
            path: path.to_owned(),
            compression,
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

    /// Lets `write` write a record; `header` goes before the first one.
    fn record(
        &mut self,
        header: &[u8],
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let sink = match &mut self.sink {
            Some(sink) => sink,
            None => {
                let mut sink = self.open()?;
                sink.writer().write_all(header)?;
                self.sink.insert(sink)
            }
        };
        write(sink.writer())
    }

    /// Compresses the next record separately.
    fn new_member(&mut self) -> std::io::Result<()> {
        if self.compression != Compression::None
            && let Some(sink) = self.sink.take()
        {
            self.sink = Some(Sink::new(sink.finish()?, self.compression)?);
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
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
