//! Examines 64 bytes of text at a time and gives one bit for each.

use wide::u8x16;

/// Bytes that are examined together.
pub const WIDE: usize = 64;

/// The result of `look` for the first bytes of a text. A shorter text is padded with spaces.
pub fn first<T>(bytes: &[u8], look: impl Fn(&[u8; WIDE]) -> T) -> T {
    match bytes.first_chunk() {
        Some(bytes) => look(bytes),
        None => {
            let mut filled = [b' '; WIDE];
            filled[..bytes.len()].copy_from_slice(bytes);
            look(&filled)
        }
    }
}

/// The positions in a text at which `look` sets a bit, ascending.
pub fn positions(bytes: &[u8], look: impl Fn(&[u8; WIDE]) -> u64) -> impl Iterator<Item = usize> {
    let (mut base, mut bits) = (0, first(bytes, &look));
    std::iter::from_fn(move || {
        while bits == 0 {
            base += WIDE;
            bits = first(bytes.get(base..)?, &look);
        }
        let at = base + bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(at)
    })
}

/// Bits of bytes that are line feeds or may begin a full stop of any script ([`super::sentence`]).
pub fn line_feeds_and_marks(bytes: &[u8; WIDE]) -> u64 {
    bits(bytes, |bytes| {
        let is = |byte| bytes.simd_eq(u8x16::splat(byte));
        // Full stops do not begin like Western quotes and dashes.
        let lead = (bytes & u8x16::splat(0xFE)).simd_eq(u8x16::splat(0xE0)) | is(0xE3);
        is(b'\n') | is(b'.') | lead | is(0xDB) | is(0xEF)
    })
}

/// Bits that separate and classify lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineBits {
    /// Line feeds.
    pub ends: u64,
    /// Bytes that are not ASCII.
    pub others: u64,
    /// Spaces.
    pub spaces: u64,
    /// Bytes that may be or begin other white space.
    pub odd: u64,
}

/// The [`LineBits`] of these bytes.
pub fn lines(bytes: &[u8; WIDE]) -> LineBits {
    let ends = bits(bytes, |bytes| bytes.simd_eq(u8x16::splat(b'\n')));
    LineBits {
        ends,
        others: others(bytes),
        spaces: bits(bytes, |bytes| bytes.simd_eq(u8x16::splat(b' '))),
        odd: bits(bytes, may_begin_space) & !ends,
    }
}

/// Bits of bytes that may be or begin white space other than a space.
fn may_begin_space(bytes: u8x16) -> u8x16 {
    let control = bytes.min(u8x16::splat(0x1F)).simd_eq(bytes) | bytes.simd_eq(u8x16::splat(0x7F));
    let lead = bytes.simd_eq(u8x16::splat(0xC2))
        | (bytes & u8x16::splat(0xFC)).simd_eq(u8x16::splat(0xE0));
    control | lead
}

/// Bits of ASCII letters and digits; the first byte has the lowest bit.
pub fn letters(bytes: &[u8; WIDE]) -> u64 {
    let within = |bytes: u8x16, from: u8, count: u8| {
        let offset = bytes - u8x16::splat(from);
        offset.min(u8x16::splat(count - 1)).simd_eq(offset)
    };
    bits(bytes, |bytes| {
        within(bytes | u8x16::splat(0x20), b'a', 26) | within(bytes, b'0', 10)
    })
}

/// Bits of bytes that are not ASCII.
pub fn others(bytes: &[u8; WIDE]) -> u64 {
    bits(bytes, |bytes| bytes)
}

/// Bits of bytes that begin a character.
pub fn begins(bytes: &[u8; WIDE]) -> u64 {
    bits(bytes, |bytes| {
        !(bytes & u8x16::splat(0xC0)).simd_eq(u8x16::splat(0x80))
    })
}

/// Bits of bytes that are at least `least`.
pub fn at_least(bytes: &[u8; WIDE], least: u8) -> u64 {
    bits(bytes, |bytes| bytes.max(u8x16::splat(least)).simd_eq(bytes))
}

/// How many bytes satisfy `is`. The count fits in a byte, so the compiler can vectorise it.
pub fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> u64 {
    let count = |run: &[u8]| {
        run.iter()
            .fold(0, |count, &byte| count + u8::from(is(byte)))
    };
    bytes.chunks(192).map(|run| u64::from(count(run))).sum()
}

/// Whether one of the first 16 bytes may be or begin white space other than a single space.
pub fn may_be_space(bytes: &[u8; 18]) -> bool {
    let at = |from: usize| u8x16::new(bytes[from..].first_chunk().copied().unwrap_or_default());
    let (bytes, next) = (at(0), at(1));
    let space = |bytes: u8x16| bytes.simd_eq(u8x16::splat(b' '));
    (may_begin_space(bytes) | space(bytes) & space(next)).to_bitmask() != 0
}

/// The highest bit of each byte that `is` returns.
fn bits(bytes: &[u8; WIDE], is: impl Fn(u8x16) -> u8x16) -> u64 {
    let parts = bytes.as_chunks::<16>().0.iter().rev();
    parts.fold(0, |bits, &part| {
        bits << 16 | u64::from(is(u8x16::new(part)).to_bitmask())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As `bits`, byte by byte.
    fn one_by_one(bytes: &[u8; WIDE], is: impl Fn(u8) -> bool) -> u64 {
        let bits = bytes.iter().enumerate();
        bits.map(|(at, &byte)| u64::from(is(byte)) << at).sum()
    }

    proptest! {
        #[test]
        fn all_are_looked_at_as_one_by_one(bytes in prop::collection::vec(any::<u8>(), WIDE)) {
            let bytes: [u8; WIDE] = bytes.try_into().unwrap();
            prop_assert_eq!(letters(&bytes), one_by_one(&bytes, |b| b.is_ascii_alphanumeric()));
            prop_assert_eq!(others(&bytes), one_by_one(&bytes, |b| !b.is_ascii()));
            prop_assert_eq!(begins(&bytes), one_by_one(&bytes, |b| b & 0xC0 != 0x80));
            prop_assert_eq!(at_least(&bytes, 0xE2), one_by_one(&bytes, |b| b >= 0xE2));
            let stops = |b: u8| matches!(b, b'\n' | b'.' | 0xDB | 0xE0 | 0xE1 | 0xE3 | 0xEF);
            prop_assert_eq!(line_feeds_and_marks(&bytes), one_by_one(&bytes, stops));
            let odd = |b: u8| b != b'\n' && matches!(b, 0..=0x1F | 0x7F | 0xC2 | 0xE0..=0xE3);
            prop_assert_eq!(lines(&bytes), LineBits {
                ends: one_by_one(&bytes, |b| b == b'\n'),
                others: one_by_one(&bytes, |b| !b.is_ascii()),
                spaces: one_by_one(&bytes, |b| b == b' '),
                odd: one_by_one(&bytes, odd),
            });
        }

        #[test]
        fn bytes_are_counted_as_one_by_one(bytes in prop::collection::vec(0..3u8, 0..600)) {
            let one_by_one = bytes.iter().filter(|&&byte| byte == 1).count() as u64;
            prop_assert_eq!(count(&bytes, |byte| byte == 1), one_by_one);
        }

        #[test]
        fn positions_are_those_of_the_bytes(bytes in prop::collection::vec(prop::sample::select(&b"a.\n"[..]), 0..200)) {
            let found: Vec<usize> = positions(&bytes, line_feeds_and_marks).collect();
            let expected = (0..bytes.len()).filter(|&at| bytes[at] != b'a');
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_ends_before_is_filled_up() {
        assert_eq!(first(b"a-b", letters), 0b101);
        assert_eq!(first(&[b'a'; 80], letters), u64::MAX);
        assert_eq!(first(b"", others), 0);
    }
}
