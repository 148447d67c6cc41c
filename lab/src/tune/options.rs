//! Options of a search.

use std::path::PathBuf;

use retold::JudgeConfig;
use retold::eval::Unlisted;
use retold::read::Source;

/// What to tune, on which data, and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sources to read ([`retold::read::discover`]).
    pub sources: Vec<Source>,
    /// How to read, the method, and the fixed parameters.
    pub base: JudgeConfig,
    /// Parameters with named values that are searched, too; others of this kind are fixed.
    pub choices: Vec<String>,
    /// The labelled pairs.
    pub gold: PathBuf,
    /// How reported pairs without a label count.
    pub unlisted: Unlisted,
    /// Weight of recall relative to precision in F-beta; 1 for F1.
    pub beta: f64,
    /// Seed of the search and of the split.
    pub seed: u64,
    /// Sets of parameters in a generation.
    pub population: usize,
    /// Number of generations after the first one.
    pub generations: usize,
    /// Share of page groups that the search does not see, from 0 to 1.
    pub held_out: f64,
    /// Worker threads; 0 for one per core.
    pub threads: usize,
}
