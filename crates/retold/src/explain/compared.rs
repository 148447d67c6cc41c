//! A page that is explained together with another.

use crate::filter::Scope;
use crate::text::Text;

/// One of the two pages.
#[derive(Clone, Debug)]
pub struct ComparedPage {
    /// Its id.
    pub id: String,
    /// Its site, for noise that is a site's only.
    pub site: Option<String>,
    /// Its date as written in the input.
    pub date: Option<String>,
    /// Where it was fetched, if that is known.
    pub url: Option<String>,
    /// The properties of the page that pair filters use.
    pub scope: Scope,
    /// Its text.
    pub text: Text,
}
