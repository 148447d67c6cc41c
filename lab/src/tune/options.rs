//! What is tuned, on which data, and for how long.

use std::path::PathBuf;

use retold::JudgeConfig;
use retold::eval::Unlisted;
use retold::read::Source;

/// What is tuned, on what, and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is read ([`retold::read::discover`]).
    pub sources: Vec<Source>,
    /// How it is read, the method, and the parameters that keep their values.
    pub base: JudgeConfig,
    /// Parameters with named values to search too; the others are fixed.
    pub choices: Vec<String>,
    /// The labelled pairs.
    pub gold: PathBuf,
    /// What a reported pair without a label counts as.
    pub unlisted: Unlisted,
    /// How many times as much recall counts as precision: 1 for F1.
    pub beta: f64,
    /// What the chances of the search and the split follow from.
    pub seed: u64,
    /// Sets of parameters in a generation.
    pub population: usize,
    /// Generations after the first.
    pub generations: usize,
    /// The part of the groups of pages that the search does not see, from 0 to 1.
    pub held_out: f64,
    /// Worker threads; 0 for one per core.
    pub threads: usize,
}
