//! A sketch: all that is kept of a page to judge it without its text.

mod shared;

use crate::error::{Error, Result};
pub(crate) use shared::shared_places;
pub use shared::{count_shared, count_shared_from, may_share, shared_positions};

/// All that is kept of a page to judge it without its text.
///
/// A method makes `keys`, `marks` and `extra` of the page's text; the model adds what every verdict needs. A sketch
/// depends on the text, the site and the configuration only, not on other pages, unless the method says so
/// ([`crate::method::Learns::Words`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sketch {
    /// Hashes that make two pages a candidate pair when they share enough of them; ascending, none twice.
    pub keys: Vec<u64>,
    /// What the method remembers of each key: as long as `keys`, in the same order, or empty.
    pub marks: Vec<u64>,
    /// Whatever else the method's verdict needs.
    pub extra: Vec<u64>,
    /// A hash of the folded text; `None` if that is empty. Pages with equal texts are exact copies.
    pub text: Option<u128>,
    /// Characters of the folded text, white space left out.
    pub chars: u64,
    /// Characters of the page's own text: of its main text, or of all but its blocks of links (menus, lists of
    /// other pages) if methods see the whole page.
    pub own_chars: u64,
    /// The page's site, for noise that is one site's only.
    pub site: Option<String>,
}

/// What a method sees of a [`Sketch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SketchRef<'a> {
    /// See [`Sketch::keys`].
    pub keys: &'a [u64],
    /// See [`Sketch::marks`].
    pub marks: &'a [u64],
    /// See [`Sketch::extra`].
    pub extra: &'a [u64],
    /// A bit for each key, from the lowest of the first number on: whether it is common in the collection the model has learnt.
    /// Empty if none is.
    pub common: &'a [u64],
}

impl Sketch {
    /// What a method sees of it, where nothing is common.
    pub fn as_ref(&self) -> SketchRef<'_> {
        SketchRef {
            keys: &self.keys,
            marks: &self.marks,
            extra: &self.extra,
            common: &[],
        }
    }
}

impl SketchRef<'_> {
    /// Whether the key at this place is common.
    pub fn is_common(&self, place: usize) -> bool {
        self.common
            .get(place / 64)
            .is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    /// How many of the first `count` keys are common.
    pub fn common_among(&self, count: usize) -> usize {
        let (whole, left) = (count / 64, count % 64);
        let ones = |bits: &u64| bits.count_ones() as usize;
        let before = self.common.iter().take(whole).map(ones).sum::<usize>();
        let last = self.common.get(whole).map(|bits| bits & ((1 << left) - 1));
        before + last.as_ref().map_or(0, ones)
    }

    /// A copy of what the method made.
    pub fn to_owned(self) -> Sketch {
        self.retain(|_| true)
    }

    /// A copy with the keys at the places that `keep` keeps, and their marks.
    pub fn retain(self, mut keep: impl FnMut(usize) -> bool) -> Sketch {
        let mut kept = Sketch {
            extra: self.extra.to_vec(),
            ..Sketch::default()
        };
        for (place, &key) in self.keys.iter().enumerate() {
            if keep(place) {
                kept.keys.push(key);
                kept.marks.extend(self.marks.get(place));
            }
        }
        kept
    }
}

/// What two related pages must have in common, given the size of the smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least number of keys that they share; at least 1.
    pub overlap: usize,
    /// The greatest size that the larger page can have.
    pub reach: usize,
}

impl Bounds {
    /// So many shared keys, however large the larger page is.
    pub fn overlap(keys: usize) -> Bounds {
        Bounds {
            overlap: keys.max(1),
            reach: usize::MAX,
        }
    }
}

/// The version of the byte form, its first byte.
const VERSION: u8 = 1;

impl Sketch {
    /// The stable byte form: a version byte; the number of keys, of marks, of extra numbers and of bytes of the site as
    /// 32-bit integers, the last 2³² − 1 if there is no site; the two lengths as 64-bit integers; whether there is a
    /// text (one byte) and its 128-bit hash; keys, marks and extra numbers as 64-bit integers; the site. All integers are
    /// little-endian.
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
        bytes.extend(self.own_chars.to_le_bytes());
        bytes.push(u8::from(self.text.is_some()));
        bytes.extend(self.text.unwrap_or_default().to_le_bytes());
        for value in numbers.into_iter().flatten() {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(site.unwrap_or_default().as_bytes());
        bytes
    }

    /// The sketch with that byte form.
    ///
    /// Errors: another version, bytes that are missing or left over, keys out of order.
    pub fn from_bytes(bytes: &[u8]) -> Result<Sketch> {
        let wrong = |what: &str| Error::usage(format!("bytes that are no sketch: {what}"));
        let mut rest = Bytes(bytes);
        match rest.take::<1>() {
            Some([VERSION]) => {}
            Some([other]) => return Err(wrong(&format!("version {other}, this is {VERSION}"))),
            None => return Err(wrong("there are none")),
        }
        let sketch = rest.sketch().ok_or_else(|| wrong("cut or too long"))?;
        let marked = sketch.marks.is_empty() || sketch.marks.len() == sketch.keys.len();
        if !marked || !sketch.keys.is_sorted_by(|a, b| a < b) {
            return Err(wrong("keys out of order, or marks that fit no keys"));
        }
        Ok(sketch)
    }
}

/// Bytes before the first list.
const HEAD: usize = 1 + 4 * 4 + 2 * 8 + 1 + 16;

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
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

    /// All but the version. `None` if bytes are missing or left over.
    fn sketch(mut self) -> Option<Sketch> {
        let mut count = || self.take::<4>().map(u32::from_le_bytes);
        let (keys, marks, extra, site) = (count()?, count()?, count()?, count()?);
        let chars = u64::from_le_bytes(self.take()?);
        let own_chars = u64::from_le_bytes(self.take()?);
        let has_text = self.take::<1>()? == [1];
        let text = u128::from_le_bytes(self.take()?);
        let (keys, marks) = (self.numbers(keys)?, self.numbers(marks)?);
        let extra = self.numbers(extra)?;
        let site = match site {
            u32::MAX => None,
            length if length as usize == self.0.len() => Some(std::mem::take(&mut self.0))
                .and_then(|site| String::from_utf8(site.to_vec()).ok()),
            _ => return None,
        };
        self.0.is_empty().then_some(Sketch {
            keys,
            marks,
            extra,
            text: has_text.then_some(text),
            chars,
            own_chars,
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
            let (text, chars, own_chars, site) = page;
            Sketch {
                keys: marked.keys().copied().collect(),
                marks: marked.values().copied().filter(|_| marks).collect(),
                extra,
                text,
                chars,
                own_chars,
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

    /// Sketches are kept on disks: a change of these bytes needs a new version.
    #[test]
    fn the_bytes_of_version_1() {
        let sketch = Sketch {
            keys: vec![1, 2],
            marks: vec![],
            extra: vec![3],
            text: Some(4),
            chars: 5,
            own_chars: 6,
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

    #[test]
    fn marks_go_with_their_keys() {
        let sketch = Sketch {
            keys: vec![1, 2, 3],
            marks: vec![7, 8, 9],
            extra: vec![5],
            ..Sketch::default()
        };
        let kept = sketch.as_ref().retain(|place| place != 1);
        assert_eq!(
            (kept.keys, kept.marks, kept.extra),
            (vec![1, 3], vec![7, 9], vec![5])
        );
    }
}
