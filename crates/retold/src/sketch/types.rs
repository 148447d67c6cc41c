//! A sketch: the data with which a page is judged without its text.

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
    pub text_hash: Option<u128>,
    /// Characters of the folded text, white space left out.
    pub chars: u64,
    /// Characters of the page's main text, or of all but its blocks of links (menus, lists of other pages) if methods see the
    /// whole page.
    pub main_chars: u64,
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
