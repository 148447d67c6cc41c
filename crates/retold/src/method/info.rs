//! The description of a method in the table of methods.

use std::sync::Arc;

use super::traits::Method;
use crate::error::Result;
use crate::knowledge::{CommonRule, Knowledge, NoiseParams};
use crate::param::{Param, Params, Settings};
use crate::text::{Extract, Text};

/// The parameter that says from how many words on a passage of its own keeps a page from being a copy.
pub(super) const OWN_WORDS: &str = "own_words";

/// What a method has to know of a collection.
#[derive(Clone, Copy)]
pub enum Learns {
    /// Nothing: it judges by two pages alone.
    Nothing,
    /// Which keys are common, by this rule; it judges by that itself ([`crate::sketch::SketchRef::common`]). Sketches do not
    /// depend on it.
    Common(fn(&Params) -> CommonRule),
    /// Which keys are noise, by the parameters of the noise filter, which it has besides its own; the model deletes
    /// them, or requires other evidence. Sketches do not depend on it.
    Noise,
    /// The number of texts that have each of the features that this function makes of a text, each once. Sketches depend on
    /// it: without knowledge there are none.
    Words(fn(&Params, &Text) -> Vec<u64>),
}

/// An entry of the table of methods.
pub struct MethodInfo {
    /// The name, the same everywhere.
    pub name: &'static str,
    /// One line: what it finds.
    pub summary: &'static str,
    /// The source paper.
    pub source: &'static str,
    /// What it has to know of a collection.
    pub learns: Learns,
    /// What the method sees of a page unless the user chooses otherwise.
    pub extract: Extract,
    /// The method's own parameters, in one list or several.
    pub params: &'static [&'static [Param]],
    /// Those of `params` that sketches do not depend on.
    pub judged_by: &'static [&'static str],
    /// Whether it reads [`Text::sentences`], given its parameters.
    pub reads_sentences: fn(&Params) -> bool,
    /// The similarity that related pages usually reach, given its parameters, for the line in charts.
    pub least_similarity: fn(&Params) -> f64,
    /// Makes the method with checked parameters and what was learnt.
    pub build: fn(&Params, &Arc<Knowledge>) -> Box<dyn Method>,
}

/// Parameters that models of earlier releases have, and that decide nothing any more.
const RETIRED: [(&str, &str); 2] = [("coverage", "gaps"), ("coverage", "many")];

impl MethodInfo {
    /// The method's own parameters.
    pub fn own_params(&self) -> impl Iterator<Item = &'static Param> + Clone {
        self.params.iter().copied().flatten()
    }

    /// The method's own parameters and, if it prunes noise, those of the noise filter.
    pub fn all_params(&self) -> impl Iterator<Item = &'static Param> + Clone {
        let noise = match self.learns {
            Learns::Noise => NoiseParams::PARAMS,
            _ => &[],
        };
        self.own_params().chain(noise)
    }

    /// Whether it counts what one page says and another does not ([`OwnLimit`](crate::OwnLimit)).
    pub fn counts_own(&self) -> bool {
        self.own_params().any(|param| param.name == OWN_WORDS)
    }

    /// The parameter that says how alike related pages are: `threshold`, or `distance` of a method that counts
    /// differences; `None` if the method has neither.
    pub fn main_threshold(&self) -> Option<&'static Param> {
        let called = |name| self.own_params().find(|param| param.name == name);
        called("threshold").or_else(|| called("distance"))
    }

    /// Checked values for all parameters: defaults overridden by `settings`.
    pub fn resolve(&self, settings: &Settings) -> Result<Params> {
        let is_retired = |name: &String| RETIRED.contains(&(self.name, name));
        let mut settings = settings.clone();
        settings.retain(|name, _| !is_retired(name));
        Params::resolve(self.name, self.all_params(), &settings)
    }
}
