//! Files of rows and lines in UTF-16, as Excel and PowerShell write them: read as UTF-8 and written back in UTF-16.

use std::io::{self, Read, Write};

use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 13;

/// The byte order of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Utf16 {
    Little,
    Big,
}

impl Utf16 {
    /// The byte order given by a byte order mark at the start of a file.
    pub(crate) fn of(head: &[u8]) -> Option<Utf16> {
        match head {
            [0xFF, 0xFE, ..] => Some(Utf16::Little),
            [0xFE, 0xFF, ..] => Some(Utf16::Big),
            _ => None,
        }
    }

    fn bytes(self, unit: u16) -> [u8; 2] {
        match self {
            Utf16::Little => unit.to_le_bytes(),
            Utf16::Big => unit.to_be_bytes(),
        }
    }

    fn encoded(self, text: &str) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| self.bytes(unit))
            .collect()
    }
}

/// Decodes UTF-16 after its byte order mark to UTF-8. Invalid units become U+FFFD.
pub(crate) struct FromUtf16<R> {
    from: R,
    decoder: Decoder,
    raw: Vec<u8>,
    /// The decoded text, and how much of it has been read.
    text: String,
    at: usize,
    ended: bool,
}

impl<R: Read> FromUtf16<R> {
    pub(crate) fn new(from: R, order: Utf16) -> FromUtf16<R> {
        let encoding = match order {
            Utf16::Little => UTF_16LE,
            Utf16::Big => UTF_16BE,
        };
        FromUtf16 {
            from,
            decoder: encoding.new_decoder_without_bom_handling(),
            raw: vec![0; BLOCK],
            text: String::new(),
            at: 0,
            ended: false,
        }
    }
}

impl<R: Read> Read for FromUtf16<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.ended {
            let count = self.from.read(&mut self.raw)?;
            self.ended = count == 0;
            let room = self.decoder.max_utf8_buffer_length(count);
            self.text.clear();
            self.text.reserve(room.unwrap_or(4 * BLOCK));
            let raw = &self.raw[..count];
            let _ = self
                .decoder
                .decode_to_string(raw, &mut self.text, self.ended);
            self.at = 0;
        }
        let count = to.len().min(self.text.len() - self.at);
        to[..count].copy_from_slice(&self.text.as_bytes()[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Encodes UTF-8 as UTF-16. A write may end inside a character.
pub(crate) struct ToUtf16<'a> {
    to: &'a mut dyn Write,
    order: Utf16,
    piece: Vec<u8>,
}

impl<'a> ToUtf16<'a> {
    pub(crate) fn new(to: &'a mut dyn Write, order: Utf16) -> ToUtf16<'a> {
        let piece = Vec::new();
        ToUtf16 { to, order, piece }
    }

    pub(crate) fn mark(&mut self) -> io::Result<()> {
        self.to.write_all(&self.order.bytes(0xFEFF))
    }
}

impl Write for ToUtf16<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.piece) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8_lossy(&self.piece[..whole]);
        self.to.write_all(&self.order.encoded(&text))?;
        self.piece.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_goes_through_both_ways(text in "\\PC{0,60}", cut in 1..9usize, big: bool) {
            let order = if big { Utf16::Big } else { Utf16::Little };
            let encoded = order.encoded(&text);
            let mut read = String::new();
            FromUtf16::new(&encoded[..], order).read_to_string(&mut read).unwrap();
            prop_assert_eq!(&read, &text);
            let mut written = Vec::new();
            let mut writer = ToUtf16::new(&mut written, order);
            text.as_bytes().chunks(cut).for_each(|piece| writer.write_all(piece).unwrap());
            prop_assert_eq!(written, encoded);
        }
    }
}
