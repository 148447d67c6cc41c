//! The feed without repeats, for readers of feeds: a file that any web server can offer.

use std::path::Path;

use retold::{Error, Result};
use retold_index::{AtomHead, Index, atom, replace_file};
use xxhash_rust::xxh3::xxh3_128;

use super::config::{Config, MINUTE, Millis};

/// Stories in the file. A reader that comes more seldom than so many are new misses some.
const STORIES: usize = 200;

/// The file, and which pages of the index it has.
pub struct Reader<'c> {
    file: Option<&'c Path>,
    id: String,
    written: Option<u64>,
    /// It is not written before this, because that takes the time of comparing its pages.
    next: Millis,
}

impl<'c> Reader<'c> {
    pub fn new(config: &'c Config) -> Reader<'c> {
        let file = config.atom.as_deref();
        // Two of these feeds in one reader differ by who makes them, or by the file.
        let name = format!(
            "{}\n{}",
            config.user_agent,
            file.unwrap_or(Path::new("")).display()
        );
        Reader {
            file,
            id: format!("urn:retold:news:{:032x}", xxh3_128(name.as_bytes())),
            written: None,
            next: 0,
        }
    }

    /// Writes the file if the index has changed, at most once a minute.
    pub fn write_when_due(&mut self, index: &Index, now: Millis) -> Result<()> {
        match now >= self.next {
            true => self.write(index, now),
            false => Ok(()),
        }
    }

    /// Writes the file if the index has changed.
    pub fn write(&mut self, index: &Index, now: Millis) -> Result<()> {
        let cursor = index.cursor();
        let Some(file) = self.file.filter(|_| self.written != Some(cursor)) else {
            return Ok(());
        };
        let head = AtomHead {
            id: &self.id,
            title: "News without repeats",
            links: &[],
            about: None,
        };
        let feed = atom(&head, &index.news(STORIES)?).map_err(Error::io("cannot write", file))?;
        replace_file(file, &feed)?;
        self.written = Some(cursor);
        self.next = now + MINUTE;
        Ok(())
    }
}
