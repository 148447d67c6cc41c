//! The arguments of tools. Their comments are what a model is told about them.

use retold::Page;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::NAMELESS;
use crate::problem::Problem;

/// A text to look for: `text` or `html`; or only `url`, to ask whether the memory has that address.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    /// The whole text, as plain text or Markdown.
    pub(super) text: Option<String>,
    /// The page as HTML, instead of `text`.
    pub(super) html: Option<String>,
    /// The address of the page, if it has one.
    pub(super) url: Option<String>,
    /// How many matches to name.
    #[schemars(range(min = 1, max = 20))]
    pub(super) limit: Option<usize>,
}

/// A text to store: `text` or `html`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Remember {
    /// The whole text, as plain text or Markdown.
    text: Option<String>,
    /// The page as HTML, instead of `text`.
    html: Option<String>,
    /// A name under which it is stored; what has this name already is replaced. By default the address, or a name made from the text.
    id: Option<String>,
    /// The address of the page, if it has one.
    url: Option<String>,
    /// Its title.
    title: Option<String>,
    /// When it was published, as in 2026-11-01 or 2026-11-01T08:00:00Z.
    date: Option<String>,
}

/// A stored text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Forget {
    /// The id, as other tools name it.
    pub(super) id: String,
}

/// Two stored texts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Explain {
    /// The id of one text.
    pub(super) a: String,
    /// The id of the other.
    pub(super) b: String,
}

/// The text whose story is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Story {
    /// The id of any page of the story.
    pub(super) id: String,
    /// How many pages to list, earliest first.
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: Option<usize>,
}

/// What to search for. All that is given must hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// Words that the title or the text has, separated by spaces.
    pub(super) query: Option<String>,
    /// Only pages of this site, as in news.example.
    pub(super) site: Option<String>,
    /// Only pages in this language, as in zh or en.
    pub(super) language: Option<String>,
    /// Only pages since this date, as in 2026-11-01.
    pub(super) since: Option<String>,
    /// Only pages before this date.
    pub(super) until: Option<String>,
    /// How many pages to list, latest first.
    #[schemars(range(min = 1, max = 50))]
    pub(super) limit: Option<usize>,
}

impl Seen {
    /// The page to compare; `None` if only an address is given.
    pub(super) fn page(&self) -> Result<Option<Page>, Problem> {
        if self.text.is_none() && self.html.is_none() && self.url.is_some() {
            return Ok(None);
        }
        // Without an id, so that an earlier version under the same address counts as seen.
        page(NAMELESS, &self.text, &self.html, &self.url).map(Some)
    }
}

impl Remember {
    pub(super) fn page(&self) -> Result<Page, Problem> {
        let id = self.id.as_ref().or(self.url.as_ref());
        let id = id.cloned().unwrap_or_else(|| {
            let text = self.text.as_ref().or(self.html.as_ref());
            let text = text.map_or("", String::as_str);
            format!("note-{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
        });
        let mut page = page(&id, &self.text, &self.html, &self.url)?;
        page.title.clone_from(&self.title);
        page.date.clone_from(&self.date);
        Ok(page)
    }
}

fn page(
    id: &str,
    text: &Option<String>,
    html: &Option<String>,
    url: &Option<String>,
) -> Result<Page, Problem> {
    let mut page = match (text, html) {
        (Some(text), None) => Page::text(id, text),
        (None, Some(html)) => Page::html(id, html),
        (None, None) => return Err(Problem::bad("give `text` or `html`")),
        (Some(_), Some(_)) => return Err(Problem::bad("give `text` or `html`, not both")),
    };
    page.url.clone_from(url);
    Ok(page)
}
