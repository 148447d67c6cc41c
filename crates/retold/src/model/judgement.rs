//! The answers of a model.

use crate::relation::Verdict;

/// The verdict of a model on two sketches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Judgement {
    /// They are not related.
    No,
    /// The relation of the first page to the second.
    Yes(Verdict),
    /// The pages seem to be related in this way; the texts decide ([`Model::verify`](crate::Model::verify)).
    NeedsVerification(Verdict),
}

impl Judgement {
    /// The judgement with the pages swapped.
    pub fn swapped(self) -> Judgement {
        match self {
            Judgement::No => Judgement::No,
            Judgement::Yes(verdict) => Judgement::Yes(verdict.swapped()),
            Judgement::NeedsVerification(verdict) => {
                Judgement::NeedsVerification(verdict.swapped())
            }
        }
    }
}

/// The verdict on two pruned sketches, and the pages for which it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relating {
    /// The relation of the first to the second.
    pub verdict: Verdict,
    /// The maximum number of main-text characters ([`Sketch::main_chars`](crate::method::Sketch::main_chars)) of the shorter page.
    pub up_to: u64,
}
