//! The method `tfidf`: the best TF-IDF words (Salton and Buckley 1988).

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::features::Features;
use crate::knowledge::Knowledge;
use crate::method::{Check, Highlight, Learns, Method, MethodInfo, Op, Trace};
use crate::param::params;
use crate::relation::{Relation, Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef, shared_positions};
use crate::text::{Extract, Text, WordForm};

params! {
    /// The parameters of `tfidf`.
    pub(in crate::method) struct TfIdfParams {
        /// minimum cosine of related pages
        threshold: f64[0.0..=1.0] = 0.95,
        /// how many words of a page are kept
        terms: usize[1..=1000] = 10,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "tfidf",
    summary: "pages with the same best words: frequent on the page, rare elsewhere",
    source: "Salton and Buckley 1988; a baseline of AgT, Journal of Computer Applications 2010, 30(6):1661",
    learns: Learns::Words(|_, text| Features::Words.set_of(text)),
    extract: Extract::Main,
    params: &[TfIdfParams::PARAMS],
    judged_by: &["threshold"],
    reads_sentences: |_| false,
    least_similarity: |params| TfIdfParams::from(params).threshold,
    build: |params, known| Box::new(TfIdf::new(params.into(), known)),
};

/// TF-IDF: represents a page by a few words that are frequent on it and rare elsewhere.
///
/// # What it finds
/// Pages on the same subject in the same words.
///
/// # How
/// The collection is read once to count the document frequency (df) of each word in its N texts. A word with frequency tf on a page has the
/// weight tf · ln(1 + N / df); stop-words and numbers are ignored. The `terms` heaviest words are the page's vector, and pages with a
/// cosine of at least `threshold` are duplicates.
///
/// # Misses
/// Contained pages. If the tenth and eleventh best words swap, the cosine drops. Different reports of one event look the same: ten words
/// describe a subject, not a text.
///
/// # Parameters
/// `retold methods tfidf` lists them with their ranges.
///
/// # Reference
/// The baseline of AgT (10 words, cosine 0.95), which gives no formula; weights: Salton and Buckley, Term-weighting approaches in automatic
/// text retrieval, 1988. We use 1 + N / df, so that words on all texts of a small collection keep some weight.
#[derive(Clone, Debug)]
pub struct TfIdf {
    params: TfIdfParams,
    known: Arc<Knowledge>,
}

struct Term {
    number: u32,
    key: u64,
    weight: f64,
}

impl TfIdf {
    fn new(params: TfIdfParams, known: &Arc<Knowledge>) -> TfIdf {
        TfIdf {
            params,
            known: Arc::clone(known),
        }
    }

    /// The best words, best first; ties by key.
    fn best(&self, text: &Text) -> Vec<Term> {
        let words = text.words();
        let interned = words.interned(WordForm::Surface);
        let mut counts = vec![0u32; interned.forms.len()];
        for (&id, word) in interned.ids.iter().zip(words.all()) {
            counts[id as usize] += u32::from(word.is_content());
        }
        let numbered = interned.forms.iter().zip(0u32..).zip(&counts);
        let occurring = numbered.filter(|&(_, &count)| count > 0);
        let mut terms: Vec<Term> = occurring
            .map(|((form, number), &count)| {
                let key = xxh3_64(form.as_bytes());
                let weight = f64::from(count) * self.rarity(key);
                Term {
                    number,
                    key,
                    weight,
                }
            })
            .collect();
        let better = |a: &Term, b: &Term| b.weight.total_cmp(&a.weight).then(a.key.cmp(&b.key));
        terms.sort_unstable_by(better);
        terms.truncate(self.params.terms);
        terms
    }

    /// ln(1 + N / df).
    fn rarity(&self, word: u64) -> f64 {
        let words = &self.known.words;
        (words.texts().max(1) as f64 / f64::from(words.df(word))).ln_1p()
    }
}

/// The cosine of two unit vectors, whose coordinates are the marks.
fn cosine(a: SketchRef<'_>, b: SketchRef<'_>) -> (u32, f64) {
    let (mut shared, mut product) = (0, 0.0);
    for (i, j) in shared_positions(a.keys, b.keys) {
        shared += 1;
        product += f64::from_bits(a.marks[i]) * f64::from_bits(b.marks[j]);
    }
    (shared, rounded(product).min(1.0))
}

/// Rounds away the error of the sum of squares of a unit vector.
fn rounded(value: f64) -> f64 {
    (value * 1e12).round() / 1e12
}

/// The number of content words on a page.
fn size(sketch: SketchRef<'_>) -> usize {
    sketch.extra.first().map_or(0, |&size| size as usize)
}

impl Method for TfIdf {
    fn sketch(&self, text: &Text) -> Sketch {
        let mut terms = self.best(text);
        terms.sort_unstable_by_key(|term| term.key);
        let length = terms
            .iter()
            .map(|term| term.weight * term.weight)
            .sum::<f64>()
            .sqrt();
        let content = text.words().all().iter().filter(|word| word.is_content());
        Sketch {
            keys: terms.iter().map(|term| term.key).collect(),
            marks: terms
                .iter()
                .map(|term| (term.weight / length).to_bits())
                .collect(),
            extra: vec![content.count() as u64],
            ..Sketch::default()
        }
    }

    fn bounds(&self, _keys: usize) -> Bounds {
        // One word can outweigh all others.
        Bounds::overlap(1)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let (shared, cosine) = cosine(a, b);
        let words = "shared best words";
        let words = Check::number("shared", words, shared as usize, Op::AtLeast, 1.0);
        let angle = "cosine of the pages' vectors of best words";
        let angle =
            Check::value("cosine", angle, cosine).against(Op::AtLeast, self.params.threshold);
        let (any, similar) = (trace.test(words), trace.test(angle));
        let (smaller, larger) = (size(a).min(size(b)), size(a).max(size(b)));
        (any && similar).then(|| Verdict {
            relation: Relation::Duplicate,
            similarity: cosine,
            length_ratio: ratio(smaller, larger),
            shared,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        let words = text.words();
        let ids = words.interned(WordForm::Surface).ids;
        let best = self.best(text);
        let places = ids.iter().zip(words.all()).filter_map(|(&id, word)| {
            let term = best.iter().find(|term| term.number == id)?;
            word.is_content().then_some(Highlight {
                key: term.key,
                start: word.start,
                end: word.end,
                label: None,
            })
        });
        places.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Frequencies;
    use crate::method::testing::{judge, params, text};

    fn tfidf(settings: &[(&str, &str)], texts: &[&str]) -> TfIdf {
        let counted = texts
            .iter()
            .map(|content| Features::Words.set_of(&text(content)));
        let known = Knowledge::of_words(Frequencies::of(counted));
        TfIdf::new((&params(&INFO, settings)).into(), &Arc::new(known))
    }

    /// ferry is in 3 of 3 texts, harbour in 2, lamp and anchor in 1.
    const TEXTS: &[&str] = &["ferry harbour", "ferry harbour lamp", "ferry anchor"];

    fn best(method: &TfIdf, content: &str) -> Vec<(String, f64)> {
        let text = text(content);
        let forms = text.words().interned(WordForm::Surface).forms;
        let named = |term: &Term| (forms[term.number as usize].to_string(), term.weight);
        method.best(&text).iter().map(named).collect()
    }

    #[test]
    fn weights_by_hand() {
        let method = tfidf(&[("terms", "3")], TEXTS);
        let found = best(
            &method,
            "the ferry ferry harbour lamp lamp 2024 2024 2024 2024",
        );
        // lamp 2 ln(1 + 3/1), ferry 2 ln(1 + 3/3), harbour ln(1 + 3/2).
        let expected = [
            ("lamp", 2.0 * 4f64.ln()),
            ("ferry", 2.0 * 2f64.ln()),
            ("harbour", 2.5f64.ln()),
        ];
        assert_eq!(found.len(), 3);
        for ((word, weight), (name, value)) in found.iter().zip(expected) {
            assert!(
                word == name && (weight - value).abs() < 1e-12,
                "{word} {weight}"
            );
        }
        // A word in no text counts as one in a single text.
        assert_eq!(best(&method, "buoy")[0].1, 4f64.ln());
        // Only the best.
        assert_eq!(
            best(&tfidf(&[("terms", "1")], TEXTS), "ferry lamp").len(),
            1
        );
    }

    #[test]
    fn cosine_by_hand() {
        let method = tfidf(&[("threshold", "0.5")], TEXTS);
        let [a, b] =
            ["ferry lamp", "ferry lamp lamp anchor"].map(|content| method.sketch(&text(content)));
        // (ln 2, ln 4, 0) and (ln 2, 2 ln 4, ln 4), in units of ln 2: (1, 2, 0) and (1, 4, 2): 9 / √(5 · 21).
        let verdict = judge(&method, &a, &b).unwrap();
        assert!((verdict.similarity - 9.0 / 105f64.sqrt()).abs() < 1e-12);
        assert_eq!((verdict.shared, verdict.length_ratio), (2, 0.5));
        assert_eq!(judge(&method, &a, &a).unwrap().similarity, 1.0);
        let strict = tfidf(&[("threshold", "0.9")], TEXTS);
        assert_eq!(judge(&strict, &a, &b), None);
        let empty = method.sketch(&text("the 2024"));
        assert!(empty.keys.is_empty());
        assert_eq!(judge(&method, &empty, &empty), None);
    }
}
