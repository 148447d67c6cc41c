//! Loads the columns.

use std::sync::PoisonError;

use rayon::prelude::*;
use retold::Result;
use retold::read::language_of;

use crate::columns::{Columns, folded};
use crate::index::Index;

const BATCH: usize = 4096;

impl Index {
    /// Reads the columns of pages that were added since the last call, and updates the stories that changed. The time depends on how many
    /// there are.
    ///
    /// Errors: the index is damaged.
    pub fn load_columns(&self) -> Result<()> {
        self.with_columns(|_| ())?;
        self.read().catalog();
        Ok(())
    }

    /// Passes the columns of all committed pages to `take`.
    pub(crate) fn with_columns<T>(&self, take: impl FnOnce(&Columns) -> T) -> Result<T> {
        let (columns, visible, folder) = {
            let state = self.read();
            let folder = state.model.text_options().folder();
            (state.columns.clone(), state.visible, folder)
        };
        let mut columns = columns.lock().unwrap_or_else(PoisonError::into_inner);
        while (columns.len() as u32) < visible {
            let from = columns.len() as u32;
            let pages: Vec<u32> = (from..visible).take(BATCH).collect();
            let rows = pages.par_iter().map(|&page| {
                let entry = self.entry_of(page)?;
                let title = entry.title.unwrap_or_default();
                // 0.1 did not store the language of the text.
                let of_title = || language_of(&title, None).map(str::to_owned);
                let language = entry.language.or_else(of_title);
                Ok((entry.sketch.site, language, folded(&title, folder)))
            });
            let rows: Result<Vec<_>> = rows.collect();
            for (site, language, title) in rows? {
                columns.push(site.as_deref(), language.as_deref(), &title);
            }
        }
        Ok(take(&columns))
    }
}
