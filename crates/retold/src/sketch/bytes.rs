//! The stable byte form of a sketch.

use super::types::Sketch;
use crate::error::{Error, Result};

/// The version of the byte form, its first byte.
const VERSION: u8 = 1;

impl Sketch {
    /// The stable byte form: a version byte; the number of keys, of marks, of extra numbers and of bytes of the site as 32-bit integers
    /// (the last is 2³² − 1 if there is no site); the two lengths as 64-bit integers; whether there is a text (one byte) and its 128-bit
    /// hash; keys, marks and extra numbers as 64-bit integers; the site. All integers are little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let site = self.site.as_deref();
        let numbers = [&self.keys, &self.marks, &self.extra];
        let count: usize = numbers.iter().map(|column| column.len()).sum();
        let mut bytes = Vec::with_capacity(HEAD + 8 * count + site.map_or(0, str::len));
        bytes.push(VERSION);
        for column in numbers {
            bytes.extend((column.len() as u32).to_le_bytes());
        }
        bytes.extend(
            site.map_or(u32::MAX, |site| site.len() as u32)
                .to_le_bytes(),
        );
        bytes.extend(self.chars.to_le_bytes());
        bytes.extend(self.main_chars.to_le_bytes());
        bytes.push(u8::from(self.text_hash.is_some()));
        bytes.extend(self.text_hash.unwrap_or_default().to_le_bytes());
        for value in numbers.into_iter().flatten() {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(site.unwrap_or_default().as_bytes());
        bytes
    }

    /// Reads the byte form.
    ///
    /// Errors: another version, missing or surplus bytes, keys out of order, a site that is not UTF-8.
    pub fn from_bytes(bytes: &[u8]) -> Result<Sketch> {
        let wrong = |what: &str| Error::usage(format!("not a stored sketch: {what}"));
        let mut rest = SketchReader(bytes);
        match rest.take::<1>() {
            Some([VERSION]) => {}
            Some([other]) => return Err(wrong(&format!("version {other}, this is {VERSION}"))),
            None => return Err(wrong("there are none")),
        }
        let sketch = rest
            .sketch()
            .ok_or_else(|| wrong("cut, too long or damaged"))?;
        let marked = sketch.marks.is_empty() || sketch.marks.len() == sketch.keys.len();
        if !marked || !sketch.keys.is_sorted_by(|a, b| a < b) {
            return Err(wrong("keys out of order, or marks that fit no keys"));
        }
        Ok(sketch)
    }
}

/// Bytes before the first list.
const HEAD: usize = 1 + 4 * 4 + 2 * 8 + 1 + 16;

/// The bytes of a stored sketch that are not read yet.
struct SketchReader<'a>(&'a [u8]);

impl SketchReader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn numbers(&mut self, count: u32) -> Option<Vec<u64>> {
        let length = (count as usize).checked_mul(8)?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        let (numbers, _) = taken.as_chunks::<8>();
        Some(
            numbers
                .iter()
                .map(|bytes| u64::from_le_bytes(*bytes))
                .collect(),
        )
    }

    /// Reads everything after the version. `None` if bytes are missing, left over, or such as `to_bytes` never writes.
    fn sketch(mut self) -> Option<Sketch> {
        let mut count = || self.take::<4>().map(u32::from_le_bytes);
        let (keys, marks, extra, site) = (count()?, count()?, count()?, count()?);
        let chars = u64::from_le_bytes(self.take()?);
        let main_chars = u64::from_le_bytes(self.take()?);
        let [has_text] = self.take()?;
        let text = u128::from_le_bytes(self.take()?);
        let text_hash = match has_text {
            0 => None,
            1 => Some(text),
            _ => return None,
        };
        let (keys, marks) = (self.numbers(keys)?, self.numbers(marks)?);
        let extra = self.numbers(extra)?;
        let site = match site {
            u32::MAX => None,
            length if length as usize == self.0.len() => {
                let site = std::mem::take(&mut self.0);
                Some(String::from_utf8(site.to_vec()).ok()?)
            }
            _ => return None,
        };
        self.0.is_empty().then_some(Sketch {
            keys,
            marks,
            extra,
            text_hash,
            chars,
            main_chars,
            site,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sketches() -> impl Strategy<Value = Sketch> {
        let marked = proptest::collection::btree_map(any::<u64>(), any::<u64>(), 0..20);
        let extra = proptest::collection::vec(any::<u64>(), 0..5);
        let page = (
            any::<Option<u128>>(),
            any::<u64>(),
            any::<u64>(),
            any::<Option<String>>(),
        );
        (marked, any::<bool>(), extra, page).prop_map(|(marked, marks, extra, page)| {
            let (text, chars, main_chars, site) = page;
            Sketch {
                keys: marked.keys().copied().collect(),
                marks: marked.values().copied().filter(|_| marks).collect(),
                extra,
                text_hash: text,
                chars,
                main_chars,
                site,
            }
        })
    }

    proptest! {
        #[test]
        fn bytes_hold_all_of_a_sketch(sketch in sketches()) {
            let bytes = sketch.to_bytes();
            prop_assert_eq!(Sketch::from_bytes(&bytes).unwrap(), sketch);
            for cut in 0..bytes.len() {
                prop_assert!(Sketch::from_bytes(&bytes[..cut]).is_err());
            }
        }

        #[test]
        fn no_bytes_make_it_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Sketch::from_bytes(&bytes);
            if let Some(first) = bytes.first_mut() {
                *first = VERSION;
            }
            let _ = Sketch::from_bytes(&bytes);
        }
    }

    /// A damaged site must not be read as no site: the sketch would belong to another page.
    #[test]
    fn what_is_damaged_is_refused() {
        let sketch = Sketch {
            site: Some("a.cn".into()),
            ..Sketch::default()
        };
        let bytes = sketch.to_bytes();
        let with = |at: usize, value| {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            Sketch::from_bytes(&bytes)
        };
        assert!(with(HEAD, 0xff).is_err(), "a site that is no UTF-8");
        assert!(with(33, 2).is_err(), "neither a text nor none");
        assert_eq!(with(33, 1).unwrap().text_hash, Some(0));
    }

    /// Sketches are kept on disks: changing these bytes needs a new version, and docs/reference/sketch.md describes them.
    #[test]
    fn the_bytes_of_version_1() {
        let sketch = Sketch {
            keys: vec![1, 2],
            marks: vec![],
            extra: vec![3],
            text_hash: Some(4),
            chars: 5,
            main_chars: 6,
            site: Some("a.cn".into()),
        };
        let hex: String = sketch
            .to_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let expected = [
            "01",
            "02000000000000000100000004000000",
            "05000000000000000600000000000000",
            "0104000000000000000000000000000000",
            "010000000000000002000000000000000300000000000000",
            "612e636e",
        ];
        assert_eq!(hex, expected.concat());
    }
}
