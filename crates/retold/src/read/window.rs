//! A sliding window over a stream, in which record readers find record boundaries.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes};

use super::compression::MemberEnds;

/// How much of the stream is read at a time.
const CHUNK: usize = 256 * 1024;
/// The smallest initial size of a window.
const LEAST: u64 = 4096;

/// The unread bytes of the stream, as many as were requested.
///
/// An error of the stream is held back until the bytes before it are used up, so that records before the damage are read normally.
pub(crate) struct Window {
    stream: Box<dyn Read + Send>,
    held: Bytes,
    /// Used instead of `held` for a record that is too large for a block.
    large: Vec<u8>,
    /// The size of the next block; the first one is smaller if the stream is short.
    room: usize,
    blocks: Blocks,
    offset: u64,
    /// Where gzip members end, if the stream has members.
    pub member_ends: MemberEnds,
    ended: bool,
    /// The error that ended the stream; becomes `failure` once all bytes before it are used up.
    late: Option<String>,
    failure: Option<String>,
}

/// Blocks of [`CHUNK`] bytes, reused because new ones must be zeroed.
type Blocks = Arc<Mutex<Vec<Vec<u8>>>>;

/// A block that is returned to the pool when the last slice of it is dropped.
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
    /// A window at the start of `stream`, which is about `length` bytes long.
    pub fn new(stream: Box<dyn Read + Send>, length: u64) -> Window {
        // One byte more, to see the end. Full-size blocks would be mostly zeros in a folder of small files.
        let room = (length + 1).clamp(LEAST, CHUNK as u64) as usize;
        Window {
            stream,
            held: Bytes::new(),
            large: Vec::new(),
            room,
            blocks: Blocks::default(),
            offset: 0,
            member_ends: MemberEnds::default(),
            ended: false,
            late: None,
            failure: None,
        }
    }

    /// The bytes held, from the current position on.
    pub fn data(&self) -> &[u8] {
        match self.large.is_empty() {
            true => &self.held,
            false => &self.large,
        }
    }

    /// Offset of the window in the (decompressed) stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The error that ended the stream, once everything before it has been read.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Returns [`Window::failure`] once: it gives one reject, with nothing after it.
    pub fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Reads until `wanted` bytes are held or the stream ends; true if they are.
    pub fn fill(&mut self, wanted: usize) -> bool {
        while self.data().len() < wanted {
            if !self.more() {
                return false;
            }
        }
        true
    }

    /// Reads one more piece; false at the end or at an error.
    pub fn more(&mut self) -> bool {
        if self.ended {
            self.failure = self.late.take().or(self.failure.take());
            return false;
        }
        let held = self.data().len();
        let is_large = held > CHUNK / 2;
        let mut bytes = match is_large {
            true => self.grown(),
            false => self.block(),
        };
        let end = held + self.read(&mut bytes[held..]);
        if is_large {
            bytes.truncate(end);
            self.large = bytes;
        } else {
            let blocks = self.blocks.clone();
            self.held = Bytes::from_owner(Block { bytes, blocks }).slice(..end);
        }
        end > held || self.more()
    }

    /// A buffer that begins with the held bytes and has room for one chunk more.
    fn grown(&mut self) -> Vec<u8> {
        let mut bytes = match self.large.is_empty() {
            true => std::mem::take(&mut self.held).into(),
            false => std::mem::take(&mut self.large),
        };
        bytes.resize(bytes.len() + CHUNK, 0);
        bytes
    }

    /// A block that begins with the held bytes.
    fn block(&mut self) -> Vec<u8> {
        let room = std::mem::replace(&mut self.room, CHUNK);
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = blocks.pop().unwrap_or_else(|| vec![0; room]);
        bytes[..self.held.len()].copy_from_slice(&self.held);
        bytes
    }

    /// Reads until `room` is full or the stream ends; returns how much.
    fn read(&mut self, room: &mut [u8]) -> usize {
        let mut count = 0;
        while count < room.len() && !self.ended {
            match self.stream.read(&mut room[count..]) {
                Ok(more) => (count, self.ended) = (count + more, more == 0),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => (self.ended, self.late) = (true, Some(error.to_string())),
            }
        }
        count
    }

    /// Moves past `count` of the held bytes.
    pub fn consume(&mut self, count: usize) {
        let count = self.pass_held(count);
        self.held.advance(count);
    }

    /// Moves past `count` bytes and returns them without copying, so they keep their whole block in memory.
    pub fn take(&mut self, count: usize) -> Bytes {
        let count = self.pass_held(count);
        let taken = self.held.split_to(count);
        if count > CHUNK {
            // What comes next would keep the large record in memory.
            self.held = Bytes::copy_from_slice(&self.held);
        }
        taken
    }

    /// How many of `count` bytes are held; adds them to the offset. A large record becomes `held` first.
    fn pass_held(&mut self, count: usize) -> usize {
        if !self.large.is_empty() {
            self.held = std::mem::take(&mut self.large).into();
        }
        let count = count.min(self.held.len());
        self.offset += count as u64;
        count
    }

    /// Passes the next `count` bytes to `sink` piece by piece, held or not; returns how many there were.
    pub fn pass<E>(
        &mut self,
        count: u64,
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut left = count;
        while left > 0 && (!self.data().is_empty() || self.more()) {
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
    use proptest::prelude::*;

    use super::*;

    /// A stream that hands out few bytes at a time, is interrupted, and may end in an error.
    struct Trickle {
        rest: Vec<u8>,
        at_once: usize,
        calls: usize,
        fails: bool,
    }

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.calls += 1;
            if self.calls.is_multiple_of(3) {
                return Err(ErrorKind::Interrupted.into());
            }
            if self.rest.is_empty() && self.fails {
                return Err(std::io::Error::other("damaged"));
            }
            let count = buffer.len().min(self.at_once).min(self.rest.len());
            let behind = self.rest.split_off(count);
            buffer[..count].copy_from_slice(&self.rest);
            self.rest = behind;
            Ok(count)
        }
    }

    fn size() -> impl Strategy<Value = usize> {
        prop_oneof![4 => 0..5000usize, 2 => CHUNK / 3..CHUNK + 9, 1 => CHUNK..4 * CHUNK]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn hands_on_every_byte_however_it_is_asked(
            size in 0..7 * CHUNK,
            at_once in 3000..2 * CHUNK,
            length in prop_oneof![Just(0), Just(5000), Just(u64::MAX / 2)],
            fails in any::<bool>(),
            steps in prop::collection::vec((size(), any::<bool>()), 1..40),
        ) {
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            let stream = Trickle { rest: bytes.clone(), at_once, calls: 0, fails };
            let mut window = Window::new(Box::new(stream), length);
            // Taken bytes stay valid to the end: no block is refilled while somebody holds it.
            let (mut seen, mut taken) = (0, Vec::new());
            for (wanted, takes) in steps.into_iter().cycle() {
                let full = window.fill(wanted);
                prop_assert!(full || window.data().len() == size - seen);
                prop_assert_eq!(window.failure().is_some(), !full && fails);
                let count = wanted.min(window.data().len());
                prop_assert!(window.data()[..count] == bytes[seen..seen + count]);
                match takes {
                    true => taken.push((seen, window.take(count))),
                    false => window.consume(count),
                }
                seen += count;
                prop_assert_eq!(window.offset(), seen as u64);
                if !full {
                    break;
                }
                if wanted == 0 {
                    prop_assert!(window.fill(1) || seen == size);
                    window.take(1);
                    seen = (seen + 1).min(size);
                }
            }
            prop_assert_eq!(seen, size);
            for (start, part) in taken {
                prop_assert!(part[..] == bytes[start..start + part.len()]);
            }
        }
    }
}
