//! The passages of one text that others have.

use super::clusters::Spans;
use super::measure::PassageOptions;
use super::pages::{PageWords, TextPages};
use super::postings::RARER;
use super::run::{PairPassages, WordPlaces};
use crate::dedup::in_pool;
use crate::error::Result;
use crate::model::Model;
use crate::spill::Memory;
use crate::stage::StageClock;
use crate::text::Text;
use crate::watch::Watch;

/// A passage of a text that others have. Offsets are in characters of [`Text::shown`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextPassage {
    /// First character, and one past the last; it extends as far as in a quarter of the others.
    pub place: (u32, u32),
    /// Its places in the others, the best alignments first; a text may have it several times.
    pub others: Vec<OtherPlace>,
}

/// A passage in another text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherPlace {
    /// The number of the other text.
    pub text: usize,
    /// First character there, and one past the last.
    pub place: (u32, u32),
    /// The matching range in the first text.
    pub here: (u32, u32),
    /// The number of matching words, including nearly equal ones; characters in scripts without spaces.
    pub matched: u32,
    /// The alignment score, see [`PassagePair`](super::PassagePair).
    pub score: u32,
}

/// The passages of a text that others have, in order.
///
/// Every run of words of the minimum length that the text shares with another one, word for word after folding, is in a passage of both
/// ([`OtherPlace`]), as in [`passages`](super::passages()); `max_df` and `text` have no effect here.
///
/// Memory and time: those of aligning the text with each of the others.
///
/// Errors: invalid options, and the work was cancelled.
pub fn passages_of(
    text: &Text,
    others: &[Text],
    options: &PassageOptions,
    model: &Model,
    watch: &dyn Watch,
) -> Result<Vec<TextPassage>> {
    options.check()?;
    let memory = &Memory::default();
    let everywhere = RARER * (others.len() + 1);
    let options = &PassageOptions {
        max_df: everywhere.try_into().unwrap_or(u32::MAX),
        ..options.clone()
    };
    let pages = TextPages::first_and(others.len());
    let words = PageWords::of_texts(std::iter::once(text).chain(others), memory)?;
    let clock = &mut StageClock::default();
    let found = in_pool(1, || {
        PairPassages::among(&pages, &words, options, memory, watch, clock)
    })?;
    drop(words);
    let spans = Spans::of(&found.rows, options, memory)?;
    // If there are rows, the first text is a side of each.
    let parts = match found.rows.is_empty() {
        true => Vec::new(),
        false => spans.parts(&spans.spans(0)),
    };
    let here = WordPlaces::of(text, model.text_options());
    let there = other_places(&found, &here, others, model);
    let mut passages: Vec<TextPassage> = parts
        .into_iter()
        .map(|(member, sides)| {
            let row = |side: &u32| there[*side as usize / 2].clone();
            let mut others: Vec<OtherPlace> = sides.iter().map(row).collect();
            others.sort_by_key(|of| (std::cmp::Reverse(of.score), of.text, of.place));
            TextPassage {
                place: here.places(member.begin, member.end),
                others,
            }
        })
        .collect();
    passages.sort_by_key(|passage| passage.place);
    Ok(passages)
}

/// The place of each found passage in the other text.
fn other_places(
    found: &PairPassages,
    here: &WordPlaces,
    others: &[Text],
    model: &Model,
) -> Vec<OtherPlace> {
    let mut there = Vec::with_capacity(found.rows.len());
    let mut last: Option<(u32, WordPlaces)> = None;
    // Sorted by the other text.
    for [_, other, first, behind, begin, end, matched, score] in found.rows.iter() {
        let text = other as usize - 1;
        if last.as_ref().is_none_or(|(last, _)| *last != other) {
            last = Some((other, WordPlaces::of(&others[text], model.text_options())));
        }
        let place = last.as_ref().map(|(_, places)| places.places(begin, end));
        there.push(OtherPlace {
            text,
            place: place.unwrap_or_default(),
            here: here.places(first, behind),
            matched,
            score,
        });
    }
    there
}
