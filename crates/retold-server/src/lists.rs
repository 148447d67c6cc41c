//! Lists of stories and of pages, and the index at a glance.

use std::num::NonZeroUsize;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use retold::internal::date_seconds;
use retold_index::{Order, Overview, PageFilter, PageLine, StoryCard};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::cursor;
use crate::problem::Problem;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

/// What a field of a form says, if it is filled in.
pub(crate) fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.trim().is_empty())
}

/// Characters of a search at the most: longer ones are texts.
const QUERY: usize = 200;

/// The words that are looked for.
pub(crate) fn words(query: &Option<String>) -> Result<Option<String>> {
    let words = given(query);
    match words.is_some_and(|words| words.chars().count() > QUERY) {
        true => Err(Problem::bad(format!(
            "q: at most {QUERY} characters; ask POST /v1/query about a longer text"
        ))),
        false => Ok(words.map(str::to_owned)),
    }
}

/// Which pages are meant: all that pass everything that is given.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// What comes first.
    #[serde(default)]
    sort: Sort,
    /// Only what has a page since this date.
    since: Option<String>,
    /// Only what has a page before this date.
    until: Option<String>,
    /// Only what has a page on this site.
    site: Option<String>,
    /// Only what has a page with a text in this language (ISO 639-1, as in `zh`).
    language: Option<String>,
    /// Only what has a page with all these words in its title, or in its text.
    #[param(max_length = 200)]
    q: Option<String>,
    /// At most this many.
    #[param(value_type = Option<usize>, default = 100, minimum = 1, maximum = 1000)]
    limit: Option<NonZeroUsize>,
    /// Where the list continues: `next` of the answer before.
    cursor: Option<String>,
}

impl Wanted {
    fn filter(&self) -> Result<PageFilter> {
        let date = |name: &str, date: &Option<String>| {
            let seconds = date.as_deref().map(|date| {
                date_seconds(date).ok_or_else(|| {
                    Problem::bad(format!("{name}={date}: a date expected, as in 2026-11-01"))
                })
            });
            seconds.transpose()
        };
        let given = |text: &Option<String>| given(text).map(str::to_owned);
        Ok(PageFilter {
            since: date("since", &self.since)?,
            until: date("until", &self.until)?,
            site: given(&self.site),
            language: given(&self.language),
            words: words(&self.q)?,
        })
    }

    fn limit(&self) -> usize {
        self.limit.map_or(100, |limit| limit.get().min(1000))
    }
}

/// What comes first: the story with most pages, that with the latest page, or that which got most pages in the last 24 hours before the
/// newest page.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sort {
    #[default]
    Size,
    Recent,
    Growth,
}

/// A part of the list of stories.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Stories {
    /// The stories.
    stories: Vec<StoryCard>,
    /// How many there are in all.
    total: u64,
    /// False if the words were not looked for in every text: the index keeps none, or Retold 0.1 added pages and `compact` was not run since.
    complete: bool,
    /// The cursor for the next part of the list; none at its end.
    next: Option<String>,
}

/// Lists stories: those with two pages or more, and those with one page that has excerpts.
#[utoipa::path(get, path = "/v1/stories", tag = "stories", params(Wanted),
    responses((status = 200, description = "the stories", body = Stories)))]
pub(crate) async fn stories(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<Stories>> {
    let Query(wanted) = wanted?;
    let filter = wanted.filter()?;
    let (order, name) = match wanted.sort {
        Sort::Size => (Order::Size, "stories by size"),
        Sort::Recent => (Order::Recent, "recent stories"),
        Sort::Growth => (Order::Growth, "growing stories"),
    };
    let stories = app.work(move |index| {
        let keys = index.story_keys(order, &filter)?;
        let total = keys.len() as u64;
        let limit = wanted.limit();
        let (part, next) = cursor::part(name, keys, |&key| key, wanted.cursor.as_deref(), limit)?;
        let stories = index.story_cards(&part)?;
        Ok(Stories {
            stories,
            total,
            complete: filter.words.is_none() || index.finds_texts(),
            next,
        })
    });
    Ok(Json(stories.await?))
}

/// A part of a list of pages.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageList {
    /// The pages, the latest first.
    pages: Vec<PageLine>,
    /// How many there are in all.
    total: u64,
    /// False if the words were not looked for in every text: the index keeps none, or Retold 0.1 added pages and `compact` was not run since.
    complete: bool,
    /// The cursor for the next part of the list; none at its end.
    next: Option<String>,
}

/// Lists pages, the latest first: those whose titles or texts have the words, of a site, of a time.
///
/// A word of the title may stand within another; in the text it is a whole word. In scripts without spaces a text has a word if it has all
/// its pairs of neighbouring characters.
#[utoipa::path(get, path = "/v1/search", tag = "pages", params(Wanted),
    responses((status = 200, description = "the pages", body = PageList)))]
pub(crate) async fn search(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<PageList>> {
    let Query(wanted) = wanted?;
    let filter = wanted.filter()?;
    let pages = app.work(move |index| {
        let keys = index.page_keys(&filter)?;
        let total = keys.len() as u64;
        let cursor = wanted.cursor.as_deref();
        let (part, next) = cursor::part("pages", keys, |&key| key, cursor, wanted.limit())?;
        let pages = index.page_lines(&part, &filter)?;
        Ok(PageList {
            pages,
            total,
            complete: filter.words.is_none() || index.finds_texts(),
            next,
        })
    });
    Ok(Json(pages.await?))
}

/// Shows the index at a glance: what is new, the largest and the fastest-growing stories, who publishes first and who reprints.
#[utoipa::path(get, path = "/v1/overview", tag = "stories", params(Wanted),
    responses((status = 200, description = "the index", body = Overview)))]
pub(crate) async fn overview(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<Overview>> {
    let Query(wanted) = wanted?;
    let filter = wanted.filter()?;
    let overview = app.work(move |index| Ok(index.overview(&filter)?));
    Ok(Json(overview.await?))
}
