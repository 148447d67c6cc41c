//! Decides whether two texts agree. Learning needs this, to find which shared text belongs to templates.

use super::judge::Model;
use crate::method::{Learns, Trace};
use crate::sketch::SketchRef;

impl Model {
    /// Whether the texts of two sketches agree in nearly everything, before anything was learnt. `shorter` is the number of characters of
    /// the shorter page's own text.
    pub(crate) fn agree(&self, a: SketchRef<'_>, b: SketchRef<'_>, shorter: u64) -> bool {
        /// Minimum similarity of pages that agree in all but one feature, ...
        const ALL_BUT_ONE: f64 = 0.9;
        /// ... and in nearly everything.
        const NEARLY_ALL: f64 = 0.95;
        /// Minimum length ratio of pages that agree: a page that is hardly more than a menu is contained in all pages with the menu.
        const OF_LIKE_LENGTH: f64 = 0.5;
        // Methods that see only sentences do not know the rest of the pages.
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
