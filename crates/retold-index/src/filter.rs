//! Filters that select the pages of a list.

use retold::Result;

use crate::columns::{Columns, folded, words};
use crate::state::State;
use crate::terms::keys_of_query;

/// Selects pages. A page must pass every filter that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageFilter {
    /// Pages dated at this moment or later, in seconds since 1970. The date is that of publication, or of adding if there is none.
    pub since: Option<i64>,
    /// Pages dated before this moment.
    pub until: Option<i64>,
    /// Pages on this site.
    pub site: Option<String>,
    /// Pages whose text is in this language (ISO 639-1).
    pub language: Option<String>,
    /// Pages with all these words, separated by white space. They may be parts of words in the title. In the text they must be words; in
    /// scripts without spaces, all pairs of neighbouring characters must occur ([`crate::Index::finds_texts`]).
    pub words: Option<String>,
}

impl PageFilter {
    pub(crate) fn is_of_dates(&self) -> bool {
        self.site.is_none() && self.language.is_none() && self.words.is_none()
    }
}

/// A filter whose names are resolved to numbers.
pub(crate) struct Sieve<'a> {
    filter: &'a PageFilter,
    /// The columns, if the filter needs more than dates.
    columns: Option<&'a Columns>,
    state: &'a State,
    site: Option<u32>,
    language: Option<u32>,
    /// For each page, whether its title or its text has the words.
    worded: Option<Vec<bool>>,
}

impl<'a> Sieve<'a> {
    /// Prepares a filter; `None` if no page can pass it.
    ///
    /// Errors: the index is damaged.
    pub(crate) fn of(
        filter: &'a PageFilter,
        columns: Option<&'a Columns>,
        state: &'a State,
    ) -> Result<Option<Sieve<'a>>> {
        let mut sieve = Sieve {
            filter,
            columns,
            state,
            site: None,
            language: None,
            worded: None,
        };
        if let Some(columns) = columns {
            if let Some(site) = &filter.site {
                sieve.site = columns.sites.find(site);
                if sieve.site.is_none() {
                    return Ok(None);
                }
            }
            if let Some(language) = &filter.language {
                sieve.language = columns.languages.find(language);
                if sieve.language.is_none() {
                    return Ok(None);
                }
            }
            if let Some(query) = &filter.words {
                let folder = state.model.text_options().folder();
                let mut worded = state.pages_with(&keys_of_query(&folded(query, folder)))?;
                for page in columns.titled(&words(query, folder)) {
                    if let Some(has) = worded.get_mut(page as usize) {
                        *has = true;
                    }
                }
                sieve.worded = Some(worded);
            }
        }
        Ok(Some(sieve))
    }

    pub(crate) fn passes(&self, page: u32) -> bool {
        let Some(row) = self.state.pages.row(page) else {
            return false;
        };
        let is = |wanted: Option<u32>, column: fn(&Columns) -> &Vec<u32>| {
            let found = self
                .columns
                .and_then(|columns| column(columns).get(page as usize));
            wanted.is_none_or(|wanted| found == Some(&wanted))
        };
        self.state.pages.is_live(page)
            && self.filter.since.is_none_or(|since| row.moment >= since)
            && self.filter.until.is_none_or(|until| row.moment < until)
            && is(self.site, |columns| &columns.site)
            && is(self.language, |columns| &columns.language)
            && self
                .worded
                .as_ref()
                .is_none_or(|worded| worded.get(page as usize) == Some(&true))
    }
}
