//! Which pages have words in their texts, and where.

use retold::Result;
use retold::method::Text;

use crate::columns::{folded, words};
use crate::index::Index;
use crate::state::State;

/// Characters of an excerpt before its first word, and in all.
const EXCERPT: (usize, usize) = (60, 200);

impl State {
    /// Of each page whether it has all these words, given by their keys; of no words, none has. Pages that are gone are among them.
    ///
    /// Time O(pages with each of the words, and for each all words of pages that are in no segment).
    pub(crate) fn pages_with(&self, keys: &[u64]) -> Result<Vec<bool>> {
        let mut keys = keys.to_vec();
        // The rarest first: often there is nothing left to be done after it.
        keys.sort_by_cached_key(|&key| self.guess(key));
        let mut has = vec![0usize; self.visible as usize];
        for (before, &key) in keys.iter().enumerate() {
            let mut found = false;
            self.each_with_word(key, self.visible, |page| {
                let has = &mut has[page as usize];
                if *has == before {
                    *has = before + 1;
                    found = true;
                }
                true
            })?;
            if !found {
                break;
            }
        }
        let all = |has: usize| !keys.is_empty() && has == keys.len();
        Ok(has.into_iter().map(all).collect())
    }
}

impl Index {
    /// Whether the words of a filter are looked for in the texts of all pages: texts are kept, and no release before 0.2 has added pages
    /// since the last `compact`.
    pub fn finds_texts(&self) -> bool {
        let state = self.read();
        state.manifest.texts && state.manifest.words == Some(0)
    }

    /// Where a page has the words of a query in its text, unless its title has them all.
    pub(crate) fn excerpt(
        &self,
        page: u32,
        title: Option<&str>,
        query: &str,
    ) -> Result<Option<String>> {
        let folder = self.read().model.text_options().folder();
        let words = words(query, folder);
        let title = folded(title.unwrap_or_default(), folder);
        if words.iter().all(|word| title.contains(word)) {
            return Ok(None);
        }
        let text = self.text_of(page)?;
        Ok(text.and_then(|text| excerpt(&text, &words, |block| folded(block, folder))))
    }
}

/// A piece of the first block that has most of the words, around the one that comes last: mostly the rarest.
fn excerpt(text: &Text, words: &[String], fold: impl Fn(&str) -> String) -> Option<String> {
    let mut best: Option<(usize, usize, &str)> = None;
    for block in text.shown() {
        let folded = fold(block);
        let places: Vec<usize> = words.iter().filter_map(|word| folded.find(word)).collect();
        let Some(&last) = places.iter().max() else {
            continue;
        };
        if places.len() > best.map_or(0, |best| best.0) {
            best = Some((places.len(), folded[..last].chars().count(), block));
        }
        if places.len() == words.len() {
            break;
        }
    }
    // Folding may change how many characters there are, but hardly: the place is near enough.
    let (_, at, block) = best?;
    let from = at.saturating_sub(EXCERPT.0);
    let piece: String = block.chars().skip(from).take(EXCERPT.1).collect();
    let ends = from + EXCERPT.1 >= block.chars().count();
    Some(format!(
        "{}{}{}",
        if from > 0 { "…" } else { "" },
        piece.trim(),
        if ends { "" } else { "…" }
    ))
}
