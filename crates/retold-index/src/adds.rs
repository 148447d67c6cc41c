//! What a page says that no page of the index says.

use std::sync::Arc;

use retold::explain::{AddedPassage, added_passages};
use retold::{Error, Result};
use serde::Serialize;

use crate::condense::Listed;
use crate::export::no_texts;
use crate::index::{Index, Prepared};
use crate::judge::Judge;
use crate::passages::sharing;

/// Pages with which a page is compared at most.
const PAGES: usize = 100;
/// Numbers in their fingerprints at most, about two for each word; the first page is compared whatever its length.
const NUMBERS: usize = 1 << 19;
/// A page is not compared if this many pages before it have each passage that it may share.
const ENOUGH: usize = 3;

/// What a page says that no page of the index says.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Adds {
    /// Words in these passages that no page has; 20 characters of scripts without spaces count as 12 words.
    pub words: u64,
    /// False if more pages share text with the page than were compared, so that some may have more of it.
    pub complete: bool,
    /// The passages, in the order of the text. Each has as many words as a passage of its own needs, 12 by default.
    pub passages: Vec<AddedPassage>,
}

impl Adds {
    fn of(passages: Vec<AddedPassage>, complete: bool) -> Adds {
        Adds {
            words: passages
                .iter()
                .map(|passage| u64::from(passage.words))
                .sum(),
            complete,
            passages,
        }
    }
}

impl Index {
    /// Whether [`Index::adds`] is known: the index keeps texts, and its method counts own passages.
    pub fn counts_own(&self) -> bool {
        let model = self.model();
        self.keeps_texts() && model.method().counts_own() && model.verifier().is_some()
    }

    /// What a page says that no page of the index says. It is compared with all pages that share text with it together, at most 100, so what
    /// one of them has is not added. A page with the same id is left out.
    ///
    /// Time: aligning the text with these pages.
    ///
    /// Errors: the index keeps no texts; its method does not count own passages.
    pub fn adds(&self, page: &Prepared) -> Result<Adds> {
        let judge = self.judge_of_own()?;
        let own = page.fingerprint(&judge).ok_or_else(no_texts)?;
        let known = self.find(&page.entry.id)?.map(|(page, _)| page);
        let (sharing, mut complete) = sharing(&self.read(), &page.entry, known)?;
        let mut others = Vec::new();
        let (mut numbers, mut seen) = (0, vec![0; page.entry.sketch.keys.len()]);
        for other in sharing {
            if other.keys.iter().all(|&key| seen[key] >= ENOUGH) {
                continue;
            }
            if others.len() >= PAGES || numbers >= NUMBERS {
                complete = false;
                break;
            }
            let entry = self.entry_of(other.page)?;
            let fingerprint = self
                .fingerprint(&judge, other.page, &entry)?
                .ok_or_else(no_texts)?;
            numbers += fingerprint.len();
            others.push(fingerprint);
            other.keys.iter().for_each(|&key| seen[key] += 1);
        }
        let others: Vec<&[u64]> = others.iter().map(|other| &**other).collect();
        let added = added_passages(&page.text, &own, &others, &judge.model);
        Ok(Adds::of(added.ok_or_else(no_texts)?, complete))
    }

    /// What an entry of a list says that none of these earlier ones says; it is compared with the first 100 of them. Entries are given by
    /// their positions.
    ///
    /// Errors: those of [`Index::adds`].
    pub fn adds_to(&self, list: &[Listed], earlier: &[usize], place: usize) -> Result<Adds> {
        let judge = self.judge_of_own()?;
        let verifier = judge.model.verifier().ok_or_else(no_texts)?;
        let fingerprint = |at: usize| -> Result<Arc<[u64]>> {
            let Listed { entry, text } = &list[at];
            match (text, self.find(&entry.id)?) {
                (Some(text), _) => Ok(verifier.fingerprint(text).into()),
                (None, Some((page, _))) => {
                    self.fingerprint(&judge, page, entry)?.ok_or_else(no_texts)
                }
                (None, None) => Err(crate::index::unknown(&entry.id)),
            }
        };
        let complete = earlier.len() <= PAGES;
        let others = earlier.iter().take(PAGES).map(|&at| fingerprint(at));
        let others = others.collect::<Result<Vec<_>>>()?;
        let others: Vec<&[u64]> = others.iter().map(|other| &**other).collect();
        let own = fingerprint(place)?;
        let text = match &list[place].text {
            Some(text) => text.clone(),
            None => self.text(&list[place].entry.id)?.ok_or_else(no_texts)?,
        };
        let added = added_passages(&text, &own, &others, &judge.model);
        Ok(Adds::of(added.ok_or_else(no_texts)?, complete))
    }

    /// The model, if what a page adds is known.
    fn judge_of_own(&self) -> Result<Judge> {
        match self.counts_own() {
            true => Ok(self.judge()),
            false => Err(Error::usage(format!(
                "{}: what a page adds is not known, because the index keeps no texts or its method `{}` does not compare them word by word",
                self.folder().display(),
                self.model().method().name
            ))),
        }
    }
}
