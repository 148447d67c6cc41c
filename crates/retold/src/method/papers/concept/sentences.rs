//! Links of KeyWorld between words in the same sentences.

use rustc_hash::FxHashMap;

use super::phrase::Concepts;
use crate::text::Text;

/// The pairs of concepts whose sentence sets have a Jaccard coefficient of at least `least`. The text after the last full stop is a
/// sentence too; if `units` are smaller than the page, a sentence also ends with its unit. Quadratic in the number of different concepts of
/// a sentence.
pub(super) fn links(
    text: &Text,
    concepts: &Concepts,
    units: &[u32],
    least: f64,
) -> Vec<(u32, u32)> {
    let words = text.words().all();
    let ended_before = |at: u32| {
        text.sentences
            .partition_point(|sentence| sentence.end <= at)
    };
    let mut places: Vec<((usize, u32), u32)> = Vec::new();
    for (concept, number) in concepts.all.iter().zip(0..) {
        let starts = concept.positions.iter().map(|&at| {
            let unit = units.get(at as usize).copied().unwrap_or_default();
            (ended_before(words[at as usize].start), unit)
        });
        places.extend(starts.map(|sentence| (sentence, number)));
    }
    places.sort_unstable();
    places.dedup();
    let mut sentences = vec![0u32; concepts.all.len()];
    let mut shared: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for sentence in places.chunk_by(|x, y| x.0 == y.0) {
        for (at, &(_, a)) in sentence.iter().enumerate() {
            sentences[a as usize] += 1;
            for &(_, b) in &sentence[at + 1..] {
                *shared.entry((a, b)).or_default() += 1;
            }
        }
    }
    let agrees = |&((a, b), both): &((u32, u32), u32)| {
        let either = sentences[a as usize] + sentences[b as usize] - both;
        f64::from(both) >= least * f64::from(either)
    };
    let links = shared.into_iter().filter(agrees);
    links.map(|(pair, _)| pair).collect()
}
