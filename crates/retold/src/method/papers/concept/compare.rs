//! The comparison of two sketches.

use super::params::{SharedParams, SpreadBy};
use super::vector::Vector;
use crate::method::{Check, Op, Trace};
use crate::relation::Verdict;
use crate::sketch::{SketchRef, count_shared};

/// The values from which a verdict follows.
pub(super) struct Compared {
    /// Queried concepts that both pages have.
    shared: usize,
    /// Queried concepts of the page with fewer.
    keys: usize,
    cosine: f64,
    /// S in words: ours, and as printed in DWDCS.
    words_of_spread: Option<f64>,
    printed_spread: Option<f64>,
    words: (usize, usize),
}

impl Compared {
    pub(super) fn of(a: SketchRef<'_>, b: SketchRef<'_>) -> Compared {
        let (x, y) = (Vector::unpack(a.extra), Vector::unpack(b.extra));
        Compared {
            shared: count_shared(a.keys, b.keys),
            keys: a.keys.len().min(b.keys.len()),
            cosine: x.cosine(&y),
            words_of_spread: x.spread(&y),
            printed_spread: x.printed_spread(&y),
            words: (x.words as usize, y.words as usize),
        }
    }

    /// S in words, or relative to the words of the shorter page; `None` if no shared concept occurs twice on both.
    fn spread(&self, by: SpreadBy) -> Option<f64> {
        let words = self.words.0.min(self.words.1).max(1) as f64;
        match by {
            SpreadBy::Share => self.words_of_spread.map(|spread| spread / words),
            SpreadBy::Words => self.words_of_spread,
            SpreadBy::Dwdcs => self.printed_spread,
        }
    }

    pub(super) fn judge(&self, params: &SharedParams, trace: &mut Trace) -> Option<Verdict> {
        let shared = "shared key concepts among those queried";
        let least = params.bounds(self.keys).overlap as f64;
        let shared = Check::number("shared", shared, self.shared, Op::AtLeast, least);
        let mut related = trace.test(shared);
        let cosine = "cosine of the key concept counts";
        let cosine = Check::value("cosine", cosine, self.cosine);
        related &= trace.test(cosine.against(Op::AtLeast, params.threshold));
        related &= trace.test(match self.spread(params.spread_by) {
            Some(spread) => {
                let meaning = match params.spread_by {
                    SpreadBy::Share => "position spread S of shared concepts, divided by the words of the shorter page",
                    SpreadBy::Words => "position spread S of shared concepts, in words",
                    SpreadBy::Dwdcs => "position spread S as printed in DWDCS, the larger of both directions, in words",
                };
                Check::value("S", meaning, spread).against(Op::Below, params.spread)
            }
            None => {
                let meaning = "concepts that occur twice or more on both pages; without any, positions are not tested";
                Check::value("concepts with positions to test", meaning, 0.0)
            }
        });
        let ratio = "length ratio: words of the shorter page divided by those of the longer";
        let least = params.length_threshold;
        let (relation, length_ratio) = trace.by_length("length ratio", ratio, self.words, least);
        related.then_some(Verdict {
            relation,
            similarity: self.cosine,
            length_ratio,
            shared: self.shared as u32,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }
}
