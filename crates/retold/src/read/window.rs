//! A sliding window over a stream, in which record readers find record boundaries.

use std::io::{ErrorKind, Read};

use bytes::{Buf, Bytes, BytesMut};

/// How much is asked of the stream at a time, and the room of a window that is not filled by one record.
const CHUNK: usize = 256 * 1024;
/// The least room that a window begins with.
const LEAST: u64 = 4096;

/// The unread bytes of the stream, as many as were requested.
///
/// An error of the stream is kept until the bytes before it are used up, so that records in front of the damage are
/// read as if it were not there.
pub(crate) struct Window {
    stream: Box<dyn Read + Send>,
    held: BytesMut,
    /// About so long is the stream, or longer.
    length: u64,
    offset: u64,
    ended: bool,
    failure: Option<String>,
}

impl Window {
    /// A window at the start of `stream`, which is about so many bytes long.
    pub fn new(stream: Box<dyn Read + Send>, length: u64) -> Window {
        // One byte more, to see the end. A folder of small files would be mostly zeros otherwise.
        let room = (length + 1).clamp(LEAST, CHUNK as u64) as usize;
        Window {
            stream,
            held: BytesMut::with_capacity(room),
            length,
            offset: 0,
            ended: false,
            failure: None,
        }
    }

    /// The bytes held: from the current place to as far as has been read.
    pub fn data(&self) -> &[u8] {
        &self.held
    }

    /// Offset of the window in the (decompressed) stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The error that ended the stream, once everything before it has been read.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The same, once: there is one reject for it, and nothing behind it.
    pub fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Reads until `wanted` bytes are held or the stream ends; true if they are.
    pub fn fill(&mut self, wanted: usize) -> bool {
        while self.held.len() < wanted {
            if !self.more() {
                return false;
            }
        }
        true
    }

    /// Reads one more piece, whatever is held; false at the end or at an error.
    pub fn more(&mut self) -> bool {
        if self.ended {
            return false;
        }
        self.make_room();
        let held = self.held.len();
        let room = (self.held.capacity() - held).min(CHUNK);
        self.held.resize(held + room, 0);
        let read = loop {
            match self.stream.read(&mut self.held[held..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let count = read.unwrap_or_else(|error| {
            self.failure = Some(error.to_string());
            0
        });
        self.held.truncate(held + count);
        self.ended = count == 0;
        count > 0
    }

    /// Moves past `count` bytes that are held.
    pub fn consume(&mut self, count: usize) {
        let count = count.min(self.held.len());
        self.held.advance(count);
        self.offset += count as u64;
    }

    /// The same, and hands them out. They are not copied: what else was read with them is held as long as they are.
    pub fn take(&mut self, count: usize) -> Bytes {
        let taken = self.held.split_to(count.min(self.held.len()));
        self.offset += taken.len() as u64;
        taken.freeze()
    }

    /// Hands the next `count` bytes to `sink` piece by piece, held or not; returns how many there were.
    pub fn pass<E>(
        &mut self,
        count: u64,
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut left = count;
        while left > 0 && (!self.held.is_empty() || self.more()) {
            let piece = self.data();
            let length = usize::try_from(left).map_or(piece.len(), |left| left.min(piece.len()));
            sink(&piece[..length])?;
            self.consume(length);
            left -= length as u64;
        }
        Ok(count - left)
    }

    /// Makes room behind the held bytes, twice as much if they fill it: in a new place while others hold what was read before.
    fn make_room(&mut self) {
        // One huge record must not hold its memory for the rest of the file.
        if self.held.is_empty() && self.held.capacity() > 8 * CHUNK {
            self.held = BytesMut::new();
        }
        let room = self.held.capacity() - self.held.len();
        let read = self.offset + self.held.len() as u64;
        if room == 0 || room < CHUNK / 2 && read < self.length {
            self.held.reserve(self.held.len().max(CHUNK));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_on_every_byte_in_small_and_large_steps() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 17).map(|i| (i % 251) as u8).collect();
        for length in [0, 5000, bytes.len() as u64] {
            hands_on(&bytes, length);
        }
    }

    fn hands_on(bytes: &[u8], length: u64) {
        let mut window = Window::new(Box::new(std::io::Cursor::new(bytes.to_vec())), length);
        let mut seen = Vec::new();
        for step in [1, 1000, CHUNK + 5, 7, 2 * CHUNK].into_iter().cycle() {
            let full = window.fill(step);
            let length = step.min(window.data().len());
            seen.extend_from_slice(&window.data()[..length]);
            window.consume(length);
            if !full {
                break;
            }
        }
        assert_eq!(seen, bytes);
        assert_eq!(window.offset(), bytes.len() as u64);
    }
}
