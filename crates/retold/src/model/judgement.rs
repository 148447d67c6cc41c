//! The answers of a model.

use crate::relation::Verdict;

/// The verdict of a model on two sketches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Judgement {
    /// They are not related.
    No,
    /// This is what the first page is to the second.
    Yes(Verdict),
    /// They seem to be related in this way; the texts decide ([`Model::verify`](crate::Model::verify)).
    NeedsVerification(Verdict),
}

impl Judgement {
    /// The same with the pages swapped.
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

/// The verdict on two pruned sketches, and for which of their pages it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relating {
    /// What the first is to the second.
    pub verdict: Verdict,
    /// It holds if the shorter of the two pages has at most this many characters of main text ([`Sketch::main_chars`](crate::method::Sketch::main_chars)).
    pub up_to: u64,
}
