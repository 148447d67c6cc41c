//! Units: sketches as they are judged under what a model has learnt.

use super::Model;
use crate::error::Result;
use crate::ids::{SketchNo, UnitNo};
use crate::index::{Sketches, Stored};
use crate::sketch::{Sketch, SketchRef};

/// A sketch as it is judged: noise deleted, common keys flagged.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// All its keys.
    pub whole: SketchRef<'a>,
    /// The same without its common keys.
    pub rare: SketchRef<'a>,
}

/// A unit of a collection.
#[derive(Clone, Debug)]
pub struct StoredUnit<'a> {
    whole: Stored<'a>,
    rare: Option<Stored<'a>>,
}

impl StoredUnit<'_> {
    /// True if it has no keys.
    pub(crate) fn is_empty(&self) -> bool {
        self.whole.as_ref().keys.is_empty()
    }

    /// The unit as it is judged.
    pub fn as_ref(&self) -> Unit<'_> {
        let whole = self.whole.as_ref();
        Unit {
            whole,
            rare: self.rare.as_ref().map_or(whole, Stored::as_ref),
        }
    }
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
    pub fn get(&self, number: UnitNo) -> StoredUnit<'_> {
        StoredUnit {
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
        let pushed = only.push(self.without_noise(sketch.as_ref(), site).as_ref());
        // What is held in memory alone cannot fail.
        pushed.and_then(|()| self.units(only)).unwrap_or_default()
    }

    /// Sketches from which noise has been deleted, as they are judged.
    ///
    /// Errors: a temporary file cannot be written.
    pub(crate) fn units(&self, mut sketches: Sketches) -> Result<Units> {
        sketches.seal();
        if self.0.common.is_empty() {
            return Ok(Units {
                whole: sketches,
                rare: None,
            });
        }
        sketches.flag_common(|key| self.is_common(key))?;
        let mut rare = None;
        if self.0.evidence.is_some() {
            let mut kept = Sketches::new(sketches.memory());
            sketches.each(|_, sketch| kept.push(without_common(sketch).as_ref()))?;
            rare = Some(kept);
        }
        Ok(Units {
            whole: sketches,
            rare,
        })
    }
}
