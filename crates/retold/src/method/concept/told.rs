//! The comparison of two sketches, and its explanation.

use super::vector::Vector;
use super::{Concept, hash, phrase};
use crate::method::{Check, Method, Op, Spot, Trace};
use crate::relation::Verdict;
use crate::sketch::{SketchRef, count_shared};
use crate::text::Text;

/// All that a verdict follows from.
pub(super) struct Compared {
    /// Queried concepts that both pages have.
    shared: usize,
    /// Queried concepts of the page that has fewer.
    keys: usize,
    cosine: f64,
    /// S in words.
    words_of_spread: Option<f64>,
    /// Words of each page.
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
            words: (x.words as usize, y.words as usize),
        }
    }

    /// S in words, or over the words of the shorter page; `None` if no shared concept occurs twice on both.
    fn spread(&self, is_share: bool) -> Option<f64> {
        let words = self.words.0.min(self.words.1).max(1) as f64;
        let unit = if is_share { words } else { 1.0 };
        self.words_of_spread.map(|spread| spread / unit)
    }
}

impl Concept {
    pub(super) fn judge(&self, found: &Compared, trace: &mut Trace) -> Option<Verdict> {
        let shared = "shared key concepts among those queried";
        let least = self.bounds(found.keys).overlap as f64;
        let shared = Check::number("shared", shared, found.shared, Op::AtLeast, least);
        let mut related = trace.test(shared);
        let cosine = "cosine of the key concept counts";
        let cosine = Check::value("cosine", cosine, found.cosine);
        related &= trace.test(cosine.against(Op::AtLeast, self.threshold));
        related &= trace.test(match found.spread(self.spread_is_share) {
            Some(spread) => {
                let meaning = match self.spread_is_share {
                    true => "position spread S of shared concepts, divided by the words of the shorter page",
                    false => "position spread S of shared concepts, in words",
                };
                Check::value("S", meaning, spread).against(Op::Below, self.spread)
            }
            None => {
                let meaning = "concepts that occur twice or more on both pages; without any, positions are not tested";
                Check::value("concepts with positions to test", meaning, 0.0)
            }
        });
        let ratio = "length ratio: words of the shorter page over those of the longer";
        let least = self.length_threshold;
        let (relation, length_ratio) = trace.by_length("length ratio", ratio, found.words, least);
        related.then_some(Verdict {
            relation,
            similarity: found.cosine,
            length_ratio,
            shared: found.shared as u32,
            shared_chars: 0,
        })
    }

    /// The places of the queried key concepts.
    pub(super) fn places(&self, text: &Text) -> Vec<Spot> {
        let (concepts, keys) = self.keys(text);
        let words = text.words().all();
        let mut spots = Vec::new();
        for key in keys.iter().take(self.query) {
            let concept = &concepts.all[key.concept];
            for (&first, &last) in concept.positions.iter().zip(&concept.ends) {
                spots.push(Spot {
                    key: hash(&concept.name),
                    start: words[first as usize].start,
                    end: words[last as usize].end,
                    label: Some(label(concept)),
                });
            }
        }
        spots
    }
}

/// The name of a concept, and the other phrases that were merged with it.
fn label(concept: &phrase::Concept) -> String {
    let others: Vec<&str> = concept.others().collect();
    if others.is_empty() {
        return concept.name.clone();
    }
    format!("{} [= {}]", concept.name, others.join(", "))
}
