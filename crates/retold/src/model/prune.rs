//! Pruning of sketches by a model's knowledge: noise is deleted, common keys are flagged.

use super::judge::Model;
use super::pruned::PrunedSketches;
use crate::error::Result;
use crate::sketch::{Sketch, SketchRef, Sketches};

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

    pub(crate) fn without_noise(&self, sketch: SketchRef<'_>, site: Option<&str>) -> Sketch {
        sketch.retain(|place| !self.deletes(sketch.keys[place], site))
    }

    /// Prunes one sketch, which gets number 0.
    pub fn prune(&self, sketch: &Sketch) -> PrunedSketches {
        let mut only = Sketches::default();
        let site = sketch.site.as_deref();
        let pushed = only.push(self.without_noise(sketch.as_ref(), site).as_ref());
        // Storing in memory cannot fail.
        pushed
            .and_then(|()| self.prune_all(only))
            .unwrap_or_default()
    }

    /// Deletes noise from sketches and flags their common keys.
    ///
    /// Errors: a temporary file cannot be written.
    pub(crate) fn prune_all(&self, mut sketches: Sketches) -> Result<PrunedSketches> {
        sketches.seal();
        if self.0.common.is_empty() {
            return Ok(PrunedSketches {
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
        Ok(PrunedSketches {
            whole: sketches,
            rare,
        })
    }
}
