//! The pages that were added since a cursor.

use rayon::prelude::*;
use retold::{Error, Result};

use crate::index::Index;
use crate::judge::Judge;
use crate::query::{Match, View};
use crate::record::Entry;

/// Pages that are looked up at a time.
const GROUP: usize = 256;

impl Index {
    /// The cursor behind all pages that are there.
    pub fn cursor(&self) -> u64 {
        let state = self.read();
        state.manifest.gone + u64::from(state.visible)
    }

    /// Hands every page that was added since a cursor to `take`, in the order of adding, with the pages that it repeats of those that were
    /// there before it, best first, at most `limit`. Returns the cursor from which to go on; the first one is 0.
    ///
    /// A cursor counts the pages that were ever added, so it stays good, also where pages are numbered anew (`compact`, `learn`): then pages
    /// may come a second time, but none is passed over. Pages that went meanwhile do not come.
    ///
    /// Errors: those of `take`, and the index has not so many pages as the cursor counts.
    pub fn changes(
        &self,
        since: u64,
        limit: Option<usize>,
        mut take: impl FnMut(Entry, Vec<Match>) -> Result<()>,
    ) -> Result<u64> {
        let (pages, next) = {
            let state = self.read();
            let gone = state.manifest.gone;
            let next = gone + u64::from(state.visible);
            if since > next {
                return Err(Error::usage(format!(
                    "cursor {since} belongs to another index: this one is at {next}; 0 starts with its first page"
                )));
            }
            let from = since.saturating_sub(gone) as u32;
            let pages = (from..state.visible).filter(|&page| state.pages.is_live(page));
            (pages.collect::<Vec<u32>>(), next)
        };
        for group in pages.chunks(GROUP) {
            let found = group.par_iter().map(|&page| self.change(page, limit));
            let found: Result<Vec<_>> = found.collect();
            for (entry, matches) in found? {
                take(entry, matches)?;
            }
        }
        Ok(next)
    }

    /// A page, and what it repeats of the pages before it.
    fn change(&self, page: u32, limit: Option<usize>) -> Result<(Entry, Vec<Match>)> {
        let entry = self.entry_of(page)?;
        let view = View {
            before: page,
            but: None,
            is_gone: &|_| false,
        };
        let fingerprint = |judge: &Judge| self.fingerprint(judge, page, &entry);
        let mut matches = self.matches(&self.judge(), &entry, &fingerprint, &view, limit)?;
        matches.truncate(limit.unwrap_or(usize::MAX));
        Ok((entry, matches))
    }
}
