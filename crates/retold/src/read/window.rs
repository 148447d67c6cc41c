//! A sliding window over a stream, in which record readers find record boundaries.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes};

/// How much is read of the stream at a time.
const CHUNK: usize = 256 * 1024;
/// The least room that a window begins with.
const LEAST: u64 = 4096;

/// The unread bytes of the stream, as many as were requested.
///
/// An error of the stream is kept until the bytes before it are used up, so that records in front of the damage are
/// read as if it were not there.
pub(crate) struct Window {
    stream: Box<dyn Read + Send>,
    held: Bytes,
    /// How many bytes are held at the least when more are read.
    room: usize,
    blocks: Blocks,
    offset: u64,
    ended: bool,
    /// The error that ended the stream, behind what is held.
    late: Option<String>,
    failure: Option<String>,
}

/// Blocks of [`CHUNK`] bytes that are to be filled again: new ones would have to be cleared.
type Blocks = Arc<Mutex<Vec<Vec<u8>>>>;

/// A block that others hold parts of.
struct Block {
    bytes: Vec<u8>,
    blocks: Blocks,
}

impl AsRef<[u8]> for Block {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.bytes.len() == CHUNK {
            let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
            blocks.push(std::mem::take(&mut self.bytes));
        }
    }
}

impl Window {
    /// A window at the start of `stream`, which is about so many bytes long.
    pub fn new(stream: Box<dyn Read + Send>, length: u64) -> Window {
        // One byte more, to see the end. A folder of small files would be mostly zeros otherwise.
        let room = (length + 1).clamp(LEAST, CHUNK as u64) as usize;
        Window {
            stream,
            held: Bytes::new(),
            room,
            blocks: Blocks::default(),
            offset: 0,
            ended: false,
            late: None,
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
            self.failure = self.late.take().or(self.failure.take());
            return false;
        }
        let (held, blocks) = (self.held.len(), self.blocks.clone());
        let room = self.room.max(2 * held);
        self.room = CHUNK;
        let used = match room {
            CHUNK => blocks.lock().unwrap_or_else(PoisonError::into_inner).pop(),
            _ => None,
        };
        let mut bytes = used.unwrap_or_else(|| vec![0; room]);
        bytes[..held].copy_from_slice(&self.held);
        let mut end = held;
        while end < room && !self.ended {
            match self.stream.read(&mut bytes[end..]) {
                Ok(count) => (end, self.ended) = (end + count, count == 0),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => (self.ended, self.late) = (true, Some(error.to_string())),
            }
        }
        self.held = Bytes::from_owner(Block { bytes, blocks }).slice(..end);
        end > held || self.more()
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
        taken
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
