//! Whether two texts agree. This is needed before anything is learnt, to find out which shared text belongs to templates.

use super::judge::Model;
use crate::method::{Learns, Trace};
use crate::sketch::SketchRef;

impl Model {
    /// Whether the texts of two sketches agree in nearly all that both have, before anything was learnt. `shorter` is the
    /// characters of the shorter page's own text.
    pub(crate) fn agree(&self, a: SketchRef<'_>, b: SketchRef<'_>, shorter: u64) -> bool {
        /// Similarity from which on two pages agree in all but a feature, ...
        const ALL_BUT_ONE: f64 = 0.9;
        /// ... and in nearly all.
        const NEARLY_ALL: f64 = 0.95;
        /// Least length ratio of pages that agree: one that has hardly more than a menu is contained in all that have the menu.
        const OF_LIKE_LENGTH: f64 = 0.5;
        // Methods that see sentences only do not know what else the pages have.
        let sees_sentences = matches!(self.0.info.learns, Learns::Noise);
        let least = if sees_sentences { 0.0 } else { OF_LIKE_LENGTH };
        let method = &self.0.method;
        let may_agree = method.may_reach(a, b, ALL_BUT_ONE, least);
        let compared = may_agree.then(|| method.compare(a, b, &mut Trace::off()));
        let Some(verdict) = compared.flatten() else {
            return false;
        };
        if sees_sentences {
            let least = self.0.noise.cover * shorter as f64;
            return verdict.similarity >= ALL_BUT_ONE && verdict.shared_chars as f64 >= least;
        }
        let missing = f64::from(verdict.shared) * (1.0 / verdict.similarity - 1.0);
        let is_alike =
            verdict.similarity >= NEARLY_ALL || verdict.similarity >= ALL_BUT_ONE && missing < 1.5;
        is_alike && verdict.length_ratio >= OF_LIKE_LENGTH
    }
}
