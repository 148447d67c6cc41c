//! The result of a search.

use retold::eval::Score;
use retold::method::{Param, ParamValue, Params};

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// Name of the method.
    pub method: &'static str,
    /// The initial parameters: defaults and fixed values.
    pub before: Params,
    /// The best parameters on the pages of the search.
    pub after: Params,
    /// Number of records that could not be read, and the first of them with its reason.
    pub rejected: (usize, Option<String>),
    /// The parameters that were searched.
    pub searched: Vec<&'static Param>,
    /// Scores of `before` and `after`, on the pages of the search and on the pages held out.
    pub scores: Scores,
    /// Number of pages in the search and of pages held out.
    pub pages: (usize, usize),
    /// The generation and F of each set of parameters tried, in order.
    pub tried: Vec<(usize, f64)>,
    /// How often texts were sketched instead of using cached sketches.
    pub sketched: usize,
    /// See [`super::Options::beta`].
    pub beta: f64,
    /// See [`super::Options::seed`].
    pub seed: u64,
}

/// Scores of any relation.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    /// Before the search, on the pages of the search.
    pub seen_before: Score,
    /// After the search, on the same pages.
    pub seen_after: Score,
    /// Before the search, on the pages held out.
    pub held_before: Score,
    /// After the search, on the same pages.
    pub held_after: Score,
}

impl Tuned {
    /// F on the pages held out, before and after.
    fn held_out(&self) -> (f64, f64) {
        let f = |score: Score| score.f_beta(self.beta);
        (f(self.scores.held_before), f(self.scores.held_after))
    }

    /// The gain in F on the pages held out; negative if it falls.
    pub fn gain(&self) -> f64 {
        let (before, after) = self.held_out();
        after - before
    }

    /// A sentence on whether the search was useful, by the gain on the pages held out.
    pub fn verdict(&self) -> String {
        let (before, after) = self.held_out();
        let gain = self.gain();
        let told = if gain > 0.0 {
            format!("F{} gains {gain:.4}", self.beta)
        } else if gain < 0.0 {
            format!(
                "F{} falls by {:.4}: keep the old parameters",
                self.beta, -gain
            )
        } else {
            format!("F{} is unchanged: no gain", self.beta)
        };
        format!("On held-out pages {told} ({before:.4} before, {after:.4} tuned).")
    }
}

pub(super) fn value_of<'a>(params: &'a Params, name: &str) -> &'a ParamValue {
    let mut values = params.iter();
    let found = values.find(|(known, _)| *known == name);
    found
        .map(|(_, value)| value)
        .unwrap_or_else(|| unreachable!("{name} is declared and so has a value"))
}
