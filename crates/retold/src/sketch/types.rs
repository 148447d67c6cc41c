//! A sketch, the data by which a page is judged without its text.

/// What is kept of a page to judge it without its text.
///
/// The method computes `keys`, `marks` and `extra` from the text; the model adds what every verdict needs. A sketch depends only on the
/// text, the site and the configuration, unless the method learns word frequencies ([`crate::method::Learns::Words`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sketch {
    /// Hashes, ascending and distinct; two pages that share enough of them are a candidate pair.
    pub keys: Vec<u64>,
    /// A number for each key, such as the method needs it: as long as `keys` and in the same order, or empty.
    pub marks: Vec<u64>,
    /// Other numbers for the method's verdict.
    pub extra: Vec<u64>,
    /// A hash of the folded text; `None` if the text is empty. Pages with equal texts are exact copies.
    pub text_hash: Option<u128>,
    /// Characters of the folded text without white space.
    pub chars: u64,
    /// Characters of the page's main text. If methods see the whole page, all characters except those in blocks of links (menus, lists of
    /// other pages).
    pub main_chars: u64,
    /// The page's site, to find noise that belongs to one site.
    pub site: Option<String>,
}

/// A [`Sketch`] as methods see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SketchRef<'a> {
    /// See [`Sketch::keys`].
    pub keys: &'a [u64],
    /// See [`Sketch::marks`].
    pub marks: &'a [u64],
    /// See [`Sketch::extra`].
    pub extra: &'a [u64],
    /// A bit for each key, from the lowest bit of the first number on, set if the key is common in the collection that the model has
    /// learnt. Empty if no key is.
    pub common: &'a [u64],
}

impl Sketch {
    /// The sketch as methods see it, without common keys.
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

    /// The number of common keys among the first `count` keys.
    pub fn common_among(&self, count: usize) -> usize {
        let (whole, left) = (count / 64, count % 64);
        let ones = |bits: &u64| bits.count_ones() as usize;
        let before = self.common.iter().take(whole).map(ones).sum::<usize>();
        let last = self.common.get(whole).map(|bits| bits & ((1 << left) - 1));
        before + last.as_ref().map_or(0, ones)
    }

    /// An owned copy of keys, marks and extra numbers.
    pub fn to_owned(self) -> Sketch {
        self.retain(|_| true)
    }

    /// An owned copy with only those keys, and their marks, whose places satisfy `keep`.
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
    /// The maximum size of the larger page.
    pub reach: usize,
}

impl Bounds {
    /// Requires this many shared keys, whatever the size of the larger page.
    pub fn overlap(keys: usize) -> Bounds {
        Bounds {
            overlap: keys.max(1),
            reach: usize::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
