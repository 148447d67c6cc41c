//! `PrunedSketches`: many pruned sketches.

use crate::ids::{PrunedNo, SketchNo};
use crate::sketch::SketchRef;
use crate::sketch::{Sketches, Stored};

/// A sketch as it is judged: noise deleted, common keys flagged.
#[derive(Clone, Copy, Debug)]
pub struct Pruned<'a> {
    /// All its keys.
    pub whole: SketchRef<'a>,
    /// The same without its common keys.
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

    /// The sketch as it is judged.
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
    /// The same without common keys, under the same numbers; `None` if that is the same.
    pub(super) rare: Option<Sketches>,
}

impl PrunedSketches {
    /// The one with that number.
    pub fn get(&self, number: PrunedNo) -> StoredPruned<'_> {
        StoredPruned {
            whole: self.whole.get(SketchNo(number.0)),
            rare: self.rare.as_ref().map(|rare| rare.get(SketchNo(number.0))),
        }
    }

    /// From now on those that are read again and again are held in memory, as far as this `part` of what is left of it goes.
    pub(crate) fn read_often(&mut self, part: u64) {
        self.whole.read_often(part);
        if let Some(rare) = &mut self.rare {
            rare.read_often(part);
        }
    }

    /// All keys of each, under the same numbers.
    pub fn sketches(&self) -> &Sketches {
        &self.whole
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.whole.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }
}
