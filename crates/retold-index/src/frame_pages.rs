//! Pages whose whole text is a frame: a notice, a list of links. They have no story of their own, whatever their titles say.
//!
//! Two such pages have the same text under different titles, neither of which has all words of the other, and the text has almost no word
//! of either title. (Seen in `eventmonitor`: 16
//! pages of videos whose text is one copyright notice. There, of equal texts under different titles, those of articles have .44 to .89 of
//! the title's words, and frames at most .14.)

use retold::Result;

use crate::columns::folded;
use crate::index::Index;
use crate::query::Match;
use crate::record::Entry;
use crate::terms::{keys_of_query, keys_of_text};

/// A title belongs to a text that has at least one of so many of its words.
const FITS: usize = 3;

impl Index {
    /// Takes out the matches that are the same frame as a page; returns whether there were any.
    pub(crate) fn without_frames(&self, page: &Entry, matches: &mut Vec<Match>) -> Result<bool> {
        let before = matches.len();
        let mut text = None;
        let mut failed = None;
        matches.retain(|found| {
            let is_frame = self.is_frame(page, (found.page, &found.entry), &mut text);
            let is_frame = is_frame.unwrap_or_else(|e| {
                failed = Some(e);
                false
            });
            !is_frame
        });
        match failed {
            Some(e) => Err(e),
            None => Ok(matches.len() < before),
        }
    }

    /// Whether two pages of the index are the same frame.
    pub(crate) fn are_one_frame(&self, a: u32, b: u32) -> Result<bool> {
        self.is_frame(&self.entry_of(a)?, (b, &self.entry_of(b)?), &mut None)
    }

    /// `words`: those of the text, once they are known.
    fn is_frame(
        &self,
        page: &Entry,
        other: (u32, &Entry),
        words: &mut Option<Vec<u64>>,
    ) -> Result<bool> {
        let same =
            page.sketch.text_hash.is_some() && page.sketch.text_hash == other.1.sketch.text_hash;
        let (Some(a), Some(b), true) = (&page.title, &other.1.title, same) else {
            return Ok(false);
        };
        let folder = self.model().text_options().folder();
        let titles = [a, b].map(|title| keys_of_query(&folded(title, folder)));
        if are_versions(&titles) {
            return Ok(false);
        }
        if words.is_none() {
            *words = self.text_of(other.0)?.as_ref().map(keys_of_text);
        }
        let words = words.as_deref().unwrap_or_default();
        Ok(!words.is_empty() && !titles.iter().any(|title| fits(title, words)))
    }
}

/// Whether one of two titles, given by their words, has all words of the other: then they are versions of one headline.
fn are_versions([a, b]: &[Vec<u64>; 2]) -> bool {
    let has_all = |title: &[u64], of: &[u64]| of.iter().all(|key| title.contains(key));
    has_all(a, b) || has_all(b, a)
}

/// Whether a text with these words, ascending, is that of a page with a title of these words.
fn fits(title: &[u64], text: &[u64]) -> bool {
    let known = title.iter().filter(|key| text.binary_search(key).is_ok());
    known.count() * FITS >= title.len()
}
