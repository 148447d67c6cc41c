//! The result of a search.

use retold::eval::Score;
use retold::method::{Param, ParamValue, Params};

/// What a search found.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The method's name.
    pub method: &'static str,
    /// What the search began with: the defaults and what was fixed.
    pub before: Params,
    /// The best parameters on the pages that the search saw.
    pub after: Params,
    /// How many records could not be read, and the first of them with the reason, for people.
    pub rejected: (usize, Option<String>),
    /// The parameters that were searched.
    pub searched: Vec<&'static Param>,
    /// The scores of `before` and `after`, on the pages that the search saw and on the others.
    pub scores: Scores,
    /// Pages that the search saw, and pages held out.
    pub pages: (usize, usize),
    /// The generation and F of each set of parameters tried, in order.
    pub tried: Vec<(usize, f64)>,
    /// How many times texts were sketched, rather than sketches taken from an earlier trial.
    pub sketched: usize,
    /// See [`super::Options::beta`].
    pub beta: f64,
    /// See [`super::Options::seed`].
    pub seed: u64,
}

/// Scores of any relation.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    /// Before the search, on the pages that it saw.
    pub seen_before: Score,
    /// After it.
    pub seen_after: Score,
    /// Before the search, on the pages held out.
    pub held_before: Score,
    /// After it.
    pub held_after: Score,
}

impl Tuned {
    /// F on the pages held out, before and tuned.
    fn held_out(&self) -> (f64, f64) {
        let f = |score: Score| score.f_beta(self.beta);
        (f(self.scores.held_before), f(self.scores.held_after))
    }

    /// What F gains on the pages held out; negative if it falls.
    pub fn gain(&self) -> f64 {
        let (before, after) = self.held_out();
        after - before
    }

    /// Whether the search was of use, in a sentence: what it gained on the pages that it did not see.
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

/// The value of a parameter that the method declares.
pub(super) fn value_of<'a>(params: &'a Params, name: &str) -> &'a ParamValue {
    let mut values = params.iter();
    let found = values.find(|(known, _)| *known == name);
    found
        .map(|(_, value)| value)
        .unwrap_or_else(|| unreachable!("{name} is declared and so has a value"))
}
