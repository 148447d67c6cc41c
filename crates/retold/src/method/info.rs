//! The description of a method in the method table.

use std::sync::Arc;

use super::traits::Method;
use crate::error::Result;
use crate::knowledge::{CommonRule, Knowledge, NoiseParams};
use crate::param::{Param, Params, Settings};
use crate::text::{Extract, Text};

/// The parameter for the number of words from which an own passage keeps a page from being a copy.
pub(super) const OWN_WORDS: &str = "own_words";

/// What a method learns from a collection.
#[derive(Clone, Copy)]
pub enum Learns {
    /// Nothing: it judges by two pages alone.
    Nothing,
    /// Which keys are common, by this rule; the method judges by that itself ([`crate::sketch::SketchRef::common`]). Sketches do not depend
    /// on it.
    Common(fn(&Params) -> CommonRule),
    /// Which keys are noise, by the parameters of the noise filter, which are added to the method's own. The model deletes these keys, or
    /// requires other evidence. Sketches do not depend on it.
    Noise,
    /// The document frequency of each feature that this function finds in a text (each once). Sketches depend on it and need it.
    Words(fn(&Params, &Text) -> Vec<u64>),
}

/// An entry of the table of methods.
pub struct MethodInfo {
    /// The name, used everywhere.
    pub name: &'static str,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// The source paper.
    pub source: &'static str,
    /// What it learns from a collection.
    pub learns: Learns,
    /// The part of a page that it sees by default.
    pub extract: Extract,
    /// The method's own parameters, in one or several lists.
    pub params: &'static [&'static [Param]],
    /// The names of those `params` on which sketches do not depend.
    pub judged_by: &'static [&'static str],
    /// Whether it reads [`Text::sentences`] with these parameters.
    pub reads_sentences: fn(&Params) -> bool,
    /// The similarity that related pages usually reach with these parameters, drawn as a line in charts.
    pub least_similarity: fn(&Params) -> f64,
    /// Makes the method from checked parameters and what was learnt.
    pub build: fn(&Params, &Arc<Knowledge>) -> Box<dyn Method>,
}

/// Parameters in models of earlier releases that no longer decide anything.
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

    /// Whether it counts own passages ([`OwnLimit`](crate::OwnLimit)).
    pub fn counts_own(&self) -> bool {
        self.own_params().any(|param| param.name == OWN_WORDS)
    }

    /// The main parameter for similarity: `threshold`, or `distance` if the method counts differences; `None` if it has neither.
    pub fn main_threshold(&self) -> Option<&'static Param> {
        let called = |name| self.own_params().find(|param| param.name == name);
        called("threshold").or_else(|| called("distance"))
    }

    /// The values of all parameters: `settings`, completed with defaults and checked.
    pub fn resolve(&self, settings: &Settings) -> Result<Params> {
        let is_retired = |name: &String| RETIRED.contains(&(self.name, name));
        let mut settings = settings.clone();
        settings.retain(|name, _| !is_retired(name));
        Params::resolve(self.name, self.all_params(), &settings)
    }
}
