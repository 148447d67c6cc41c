//! Units: sketches as they are judged under what a model has learnt.

use super::Model;
use crate::ids::{SketchNo, UnitNo};
use crate::index::Sketches;
use crate::sketch::{Sketch, SketchRef};

/// A sketch as it is judged: noise deleted, common keys flagged.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// All its keys.
    pub whole: SketchRef<'a>,
    /// The same without its common keys.
    pub rare: SketchRef<'a>,
}

/// The units of a collection.
#[derive(Debug, Default)]
pub struct Units {
    whole: Sketches,
    /// The same without common keys, under the same numbers; `None` if that is the same.
    rare: Option<Sketches>,
}

impl Units {
    /// The unit with that number.
    pub fn get(&self, number: UnitNo) -> Unit<'_> {
        let whole = self.whole.get(SketchNo(number.0));
        let rare = self.rare.as_ref();
        Unit {
            whole,
            rare: rare.map_or(whole, |rare| rare.get(SketchNo(number.0))),
        }
    }

    /// Their sketches, for the index; a unit's number is its sketch's.
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

fn without_common(sketch: SketchRef<'_>) -> Sketch {
    sketch.retain(|place| !sketch.is_common(place))
}

impl Model {
    /// True if `key` is deleted from the sketches of pages of `site`.
    pub fn deletes(&self, key: u64, site: Option<&str>) -> bool {
        self.knowledge()
            .is_some_and(|known| known.deletes(key, site))
    }

    /// True if `key` is common in the collection that the model has learnt.
    pub fn is_common(&self, key: u64) -> bool {
        self.0.common.contains(&key)
    }

    /// What is left of a page's sketch once the noise of its site has been deleted.
    pub(crate) fn without_noise(&self, sketch: SketchRef<'_>, site: Option<&str>) -> Sketch {
        sketch.retain(|place| !self.deletes(sketch.keys[place], site))
    }

    /// The one unit of a sketch, under number 0.
    pub fn unit(&self, sketch: &Sketch) -> Units {
        let mut only = Sketches::default();
        let site = sketch.site.as_deref();
        only.push(self.without_noise(sketch.as_ref(), site).as_ref());
        self.units(only)
    }

    /// Sketches from which noise has been deleted, as they are judged.
    pub(crate) fn units(&self, mut sketches: Sketches) -> Units {
        if self.0.common.is_empty() {
            return Units {
                whole: sketches,
                rare: None,
            };
        }
        sketches.flag_common(|key| self.is_common(key));
        let rare = self.0.evidence.map(|_| {
            let mut rare = Sketches::default();
            sketches
                .iter()
                .for_each(|sketch| rare.push(without_common(sketch).as_ref()));
            rare
        });
        Units {
            whole: sketches,
            rare,
        }
    }
}
