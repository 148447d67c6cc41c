//! A page that is compared with another for an explanation.

use crate::filter::Scope;
use crate::text::Text;

/// One of the two pages.
#[derive(Clone, Debug)]
pub struct ComparedPage {
    /// Its id.
    pub id: String,
    /// Its site, for noise that belongs to one site.
    pub site: Option<String>,
    /// Its date as written in the input.
    pub date: Option<String>,
    /// The URL from which it was fetched, if known.
    pub url: Option<String>,
    /// The data of the page for pair filters.
    pub scope: Scope,
    /// Its text.
    pub text: Text,
}
