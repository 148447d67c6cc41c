//! The pages that were added since a cursor.

use rayon::prelude::*;
use retold::{Error, Result};

use crate::index::Index;
use crate::judge::Judge;
use crate::query::{Match, View};
use crate::record::Entry;

const GROUP: usize = 256;

impl Index {
    /// The cursor after the last page; `changes` continues from it.
    pub fn cursor(&self) -> u64 {
        let state = self.read();
        state.manifest.gone + u64::from(state.visible)
    }

    /// Passes every page added since the cursor to `take`, in the order in which pages were added. With each page come the earlier pages
    /// that it repeats, best first, at most `limit` of them. Returns the cursor to continue from; the first cursor is 0. Pages that were
    /// removed meanwhile are left out.
    ///
    /// A cursor counts all pages ever added. It stays valid after `compact` and `learn`, which renumber pages; some pages may then come
    /// twice, but none is missed.
    ///
    /// Errors: any error of `take`; the cursor is beyond the last page of this index.
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

    /// A page with the earlier pages that it repeats.
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
