//! A store for many pruned sketches.

use crate::ids::{PrunedNo, SketchNo};
use crate::sketch::SketchRef;
use crate::sketch::{Sketches, Stored};

/// A pruned sketch: noise deleted, common keys flagged.
#[derive(Clone, Copy, Debug)]
pub struct Pruned<'a> {
    /// The sketch with all its keys.
    pub whole: SketchRef<'a>,
    /// The sketch without its common keys.
    pub rare: SketchRef<'a>,
}

/// A pruned sketch of a collection.
#[derive(Clone, Debug)]
pub struct StoredPruned<'a> {
    whole: Stored<'a>,
    rare: Option<Stored<'a>>,
}

impl StoredPruned<'_> {
    /// True if it has no keys.
    pub(crate) fn is_empty(&self) -> bool {
        self.whole.as_ref().keys.is_empty()
    }

    /// A view of the sketch.
    pub fn as_ref(&self) -> Pruned<'_> {
        let whole = self.whole.as_ref();
        Pruned {
            whole,
            rare: self.rare.as_ref().map_or(whole, Stored::as_ref),
        }
    }
}

/// The pruned sketches of a collection.
#[derive(Debug, Default)]
pub struct PrunedSketches {
    pub(super) whole: Sketches,
    /// The sketches without common keys, under the same numbers; `None` if there are no common keys.
    pub(super) rare: Option<Sketches>,
}

impl PrunedSketches {
    /// The pruned sketch with that number.
    pub fn get(&self, number: PrunedNo) -> StoredPruned<'_> {
        StoredPruned {
            whole: self.whole.get(SketchNo(number.0)),
            rare: self.rare.as_ref().map(|rare| rare.get(SketchNo(number.0))),
        }
    }

    /// From now on keeps rows that are read repeatedly in 1/`part` of the memory left.
    pub(crate) fn read_often(&mut self, part: u64) {
        self.whole.read_often(part);
        if let Some(rare) = &mut self.rare {
            rare.read_often(part);
        }
    }

    /// The sketches with all keys, under the same numbers.
    pub fn sketches(&self) -> &Sketches {
        &self.whole
    }

    /// The number of sketches.
    pub fn len(&self) -> usize {
        self.whole.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }
}
