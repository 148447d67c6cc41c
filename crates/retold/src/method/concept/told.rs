//! What two sketches say to each other, and what people are told of it.

use super::vector::Vector;
use super::{Concept, hash, phrase};
use crate::method::{Check, Method, Op, SketchRef, Spot, count_shared};
use crate::relation::ratio;
use crate::text::Text;

/// All that a verdict follows from.
pub(super) struct Compared {
    /// Queried concepts that both pages have.
    pub(super) shared: usize,
    /// Queried concepts of the page that has fewer.
    pub(super) keys: usize,
    pub(super) cosine: f64,
    /// S in words.
    words_of_spread: Option<f64>,
    /// Words of each page.
    pub(super) words: (usize, usize),
}

impl Compared {
    pub(super) fn of(a: SketchRef<'_>, b: SketchRef<'_>) -> Compared {
        let (x, y) = (Vector::unpack(a.evidence), Vector::unpack(b.evidence));
        Compared {
            shared: count_shared(a.keys, b.keys),
            keys: a.keys.len().min(b.keys.len()),
            cosine: x.cosine(&y),
            words_of_spread: x.spread(&y),
            words: (x.words as usize, y.words as usize),
        }
    }

    fn lengths(&self) -> (usize, usize) {
        let (a, b) = self.words;
        (a.min(b), a.max(b))
    }

    /// S over the words of the shorter page; `None` if no shared concept occurs twice on both.
    pub(super) fn spread(&self) -> Option<f64> {
        let words = self.lengths().0.max(1) as f64;
        self.words_of_spread.map(|spread| spread / words)
    }

    pub(super) fn length_ratio(&self) -> f64 {
        let (shorter, longer) = self.lengths();
        ratio(shorter, longer)
    }
}

impl Concept {
    pub(super) fn tested(&self, found: &Compared) -> Vec<Check> {
        let shared = "queried key concepts that both pages have";
        let least = self.overlap(found.keys) as f64;
        let mut checks = vec![Check::number(
            "shared",
            shared,
            found.shared,
            Op::AtLeast,
            least,
        )];
        let cosine = "cosine of how often each page has its key concepts";
        checks.push(
            Check::value("cosine", cosine, found.cosine).against(Op::AtLeast, self.threshold),
        );
        checks.push(match found.spread() {
            Some(spread) => {
                let meaning = "how unevenly shared concepts are shifted, over the words of the shorter page";
                Check::value("S", meaning, spread).against(Op::Below, self.spread)
            }
            None => {
                let meaning = "concepts that occur twice or more on both pages; without any, positions are not tested";
                Check::value("concepts with positions to test", meaning, 0.0)
            }
        });
        let ratio = "length ratio: words of the shorter page over those of the longer";
        let (shorter, longer) = found.lengths();
        let ratio = Check::ratio(
            "length ratio",
            ratio,
            shorter,
            longer,
            self.length_threshold,
        );
        checks.push(ratio.deciding("duplicate", "the longer contains the shorter"));
        checks
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

    /// The key concepts of both pages and of either, with how often they occur.
    pub(super) fn notes(&self, a: &Text, b: &Text) -> Vec<String> {
        let [left, right] = [a, b].map(|text| {
            let (mut concepts, keys) = self.keys(text);
            let of_key = keys
                .iter()
                .map(|key| std::mem::take(&mut concepts.all[key.concept]));
            of_key.collect::<Vec<phrase::Concept>>()
        });
        let find = |others: &[phrase::Concept], name: &str| {
            let found = others.iter().find(|other| other.name == name);
            found.map(|other| other.positions.len())
        };
        let both = left.iter().filter_map(|concept| {
            let times = find(&right, &concept.name)?;
            Some(format!(
                "{} ({} and {times} times)",
                label(concept),
                concept.positions.len()
            ))
        });
        let alone = |own: &[phrase::Concept], others: &[phrase::Concept]| {
            let own = own.iter().filter(|own| find(others, &own.name).is_none());
            let own = own.map(|own| format!("{} ({} times)", label(own), own.positions.len()));
            own.collect::<Vec<_>>().join(", ")
        };
        let lines = [
            (
                "key concepts of both pages",
                both.collect::<Vec<_>>().join(", "),
            ),
            ("key concepts of the first page only", alone(&left, &right)),
            ("key concepts of the second page only", alone(&right, &left)),
        ];
        let lines = lines
            .into_iter()
            .filter(|(_, concepts)| !concepts.is_empty());
        lines
            .map(|(what, concepts)| format!("{what}: {concepts}"))
            .collect()
    }
}

/// The name of a concept, and the other phrases that were merged with it.
fn label(concept: &phrase::Concept) -> String {
    let others = concept.phrases.iter().map(|(text, _)| text.as_str());
    let others: Vec<&str> = others.filter(|text| *text != concept.name).collect();
    if others.is_empty() {
        return concept.name.clone();
    }
    format!("{} [= {}]", concept.name, others.join(", "))
}
