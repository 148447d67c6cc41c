//! What repeats a page, why, and in which order of time.

use std::cmp::Reverse;
use std::num::NonZeroUsize;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use retold::{ComparedPage, Explanation, Offsets, date_seconds, explain_pair};
use retold_index::{
    Edits, Index, Match, MatchLine, Order, Overview, PageFilter, PageLine, Story, StoryCard,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::body::{self, Asked, Held, NAMELESS, Pages, WORK};
use crate::cursor;
use crate::describe::NewPage;
use crate::problem::Problem;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

fn id_of(id: std::result::Result<Path<String>, PathRejection>) -> Result<String> {
    id.map(|Path(id)| id)
        .map_err(|e| Problem::bad(e.body_text()))
}

fn query_of<T>(query: std::result::Result<Query<T>, QueryRejection>) -> Result<T> {
    query
        .map(|Query(query)| query)
        .map_err(|e| Problem::bad(e.body_text()))
}

fn there(index: &Index, id: &str) -> Result<()> {
    index.get(id)?.map(drop).ok_or_else(|| Problem::missing(id))
}

/// How many are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    /// At most this many, the best.
    #[serde(default = "usual_matches")]
    #[param(value_type = u32, default = 20, minimum = 1)]
    limit: NonZeroUsize,
    /// Go on where an answer ended: its `next`.
    cursor: Option<String>,
}

fn usual_matches() -> NonZeroUsize {
    NonZeroUsize::new(retold_index::MATCHES).unwrap_or(NonZeroUsize::MIN)
}

/// Some of the pages that a page repeats.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Matches {
    /// The pages, best first.
    matches: Vec<MatchLine>,
    /// The cursor of those that come next; `null`: there are no more.
    next: Option<String>,
}

/// Lists the pages that a page of the index repeats, best first, of equal similarity by id: up to 2,000, in parts.
#[utoipa::path(get, path = "/v1/pages/{id}/matches", tag = "stories",
    params(("id" = String, Path, description = "the page's id, percent-encoded"), Limit),
    responses((status = 200, description = "the pages", body = Matches)))]
pub(crate) async fn matches(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
    limit: std::result::Result<Query<Limit>, QueryRejection>,
) -> Result<Json<Matches>> {
    let (id, Limit { limit, cursor }) = (id_of(id)?, query_of(limit)?);
    let matches = app.work(move |index| {
        there(index, &id)?;
        // All of them, so that every part is cut from the same list.
        let all = index.matches_of(&id, None)?;
        let list = format!("matches of {id}");
        // Similarities are not negative: they are in the order of their bits.
        let key = |found: &Match| {
            let similarity = found.verdict.similarity.to_bits();
            (Reverse(similarity), found.entry.id.clone())
        };
        let (part, next) = cursor::part(&list, all, key, cursor.as_deref(), limit.get())?;
        let matches = part.iter().map(Match::line).collect();
        Ok(Matches { matches, next })
    });
    Ok(Json(matches.await?))
}

/// Which part of a story is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rows {
    /// At most this many rows of the timeline.
    #[serde(default = "most_rows")]
    #[param(value_type = usize, default = 1000, minimum = 1, maximum = 1000)]
    limit: NonZeroUsize,
    /// Leave out so many of the first ones.
    #[serde(default)]
    skip: usize,
    /// Whether each page says how many words it added to the first one, cut and replaced.
    #[serde(default)]
    edits: bool,
}

fn most_rows() -> NonZeroUsize {
    const { NonZeroUsize::new(1000).expect("it is not 0") }
}

/// Tells the story of a page of the index: its pages and what belongs to it in order of time, who was first, who copied whom.
#[utoipa::path(get, path = "/v1/pages/{id}/story", tag = "stories",
    params(("id" = String, Path, description = "the page's id, percent-encoded"), Rows),
    responses((status = 200, description = "the story", body = Story)))]
pub(crate) async fn story(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
    rows: std::result::Result<Query<Rows>, QueryRejection>,
) -> Result<Json<Story>> {
    let (id, rows) = (id_of(id)?, query_of(rows)?);
    let story = app.work(move |index| told(index, &id, &rows));
    Ok(Json(story.await?))
}

/// Tells a story by its id, or by that of any of its pages.
///
/// The answer has the story's own id: that of a story which has become part of another leads to that one.
#[utoipa::path(get, path = "/v1/stories/{id}", tag = "stories",
    params(("id" = String, Path, description = "the story's id, percent-encoded"), Rows),
    responses((status = 200, description = "the story", body = Story)))]
pub(crate) async fn story_by_id(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
    rows: std::result::Result<Query<Rows>, QueryRejection>,
) -> Result<Json<Story>> {
    story(State(app), id, rows).await
}

fn told(index: &Index, id: &str, rows: &Rows) -> Result<Story> {
    there(index, id)?;
    let limit = rows.limit.min(most_rows()).get();
    let range = rows.skip..rows.skip.saturating_add(limit);
    Ok(index.story(id, range, rows.edits)?)
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
    /// Only what has a page with a title in this language (ISO 639-1, as in `zh`).
    language: Option<String>,
    /// Only what has a page with a title that has all these words.
    q: Option<String>,
    /// At most this many.
    #[param(value_type = Option<usize>, default = 100, minimum = 1, maximum = 1000)]
    limit: Option<NonZeroUsize>,
    /// Where the list goes on: `next` of the answer before.
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
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Ok(PageFilter {
            since: date("since", &self.since)?,
            until: date("until", &self.until)?,
            site: given(&self.site),
            language: given(&self.language),
            words: given(&self.q),
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
    /// Where the list goes on; none: it is at its end.
    next: Option<String>,
}

/// Lists stories: those of two pages or more, and those of one page that has excerpts.
#[utoipa::path(get, path = "/v1/stories", tag = "stories", params(Wanted),
    responses((status = 200, description = "the stories", body = Stories)))]
pub(crate) async fn stories(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<Stories>> {
    let wanted = query_of(wanted)?;
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
    /// Where the list goes on; none: it is at its end.
    next: Option<String>,
}

/// Lists pages, the latest first: those whose titles have the words, of a site, of a time.
#[utoipa::path(get, path = "/v1/search", tag = "pages", params(Wanted),
    responses((status = 200, description = "the pages", body = PageList)))]
pub(crate) async fn search(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<PageList>> {
    let wanted = query_of(wanted)?;
    let filter = wanted.filter()?;
    let pages = app.work(move |index| {
        let keys = index.page_keys(&filter)?;
        let total = keys.len() as u64;
        let cursor = wanted.cursor.as_deref();
        let (part, next) = cursor::part("pages", keys, |&key| key, cursor, wanted.limit())?;
        let pages = index.page_lines(&part)?;
        Ok(PageList { pages, total, next })
    });
    Ok(Json(pages.await?))
}

/// Shows the index at a glance: what is new, the largest and the fastest stories, who was first and who reprints.
#[utoipa::path(get, path = "/v1/overview", tag = "stories", params(Wanted),
    responses((status = 200, description = "the index", body = Overview)))]
pub(crate) async fn overview(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<Overview>> {
    let filter = query_of(wanted)?.filter()?;
    let overview = app.work(move |index| Ok(index.overview(&filter)?));
    Ok(Json(overview.await?))
}

/// Which versions are compared.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Versions {
    /// The id of a page.
    id: String,
    /// The id of the page of which it may be a version.
    of: String,
}

/// Says what a page changed of another: words that were added, cut and replaced, and the headline.
#[utoipa::path(get, path = "/v1/edits", tag = "stories", params(Versions),
    responses((status = 200, description = "the changes", body = Edits),
        (status = 404, description = "no page of the index has the id", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn edits(
    State(app): State<App>,
    versions: std::result::Result<Query<Versions>, QueryRejection>,
) -> Result<Json<Edits>> {
    let Versions { id, of } = query_of(versions)?;
    let edits = app.work(move |index| {
        [&id, &of].into_iter().try_for_each(|id| there(index, id))?;
        Ok(index.edits(&of, &id)?)
    });
    Ok(Json(edits.await?))
}

/// Which pages are explained.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Both {
    /// The id of a page of the index; not with a body.
    a: Option<String>,
    /// The id of another.
    b: String,
    /// What places in texts count: `chars`, or `utf16` units, as browsers do.
    #[serde(default)]
    offsets: Units,
}

/// What places in texts count.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Units {
    #[default]
    Chars,
    Utf16,
}

impl Units {
    fn offsets(self) -> Offsets {
        match self {
            Units::Chars => Offsets::Chars,
            Units::Utf16 => Offsets::Utf16,
        }
    }
}

/// Explains why two pages of the index are related, or are not: the tests that decided, shared features and passages, both texts.
#[utoipa::path(get, path = "/v1/explain", tag = "stories", params(Both),
    responses((status = 200, description = "what they are to each other, and why", body = Explanation),
        (status = 404, description = "no page of the index has the id", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn explain(
    State(app): State<App>,
    both: std::result::Result<Query<Both>, QueryRejection>,
) -> Result<Json<Explanation>> {
    let Both { a, b, offsets } = query_of(both)?;
    let a = a.ok_or_else(|| Problem::bad("a: the id of a page of the index expected"))?;
    let told = app.work(move |index| {
        [&a, &b].into_iter().try_for_each(|id| there(index, id))?;
        Ok(index.explain(&a, &b, offsets.offsets())?)
    });
    Ok(Json(told.await?))
}

/// Explains what a page that is not in the index is to one that is.
///
/// The body is a page as in `POST /v1/query`.
#[utoipa::path(post, path = "/v1/explain", tag = "stories", params(Both),
    request_body(description = "a page", content((NewPage = "application/json"), (String = "text/html"), (String = "text/plain"))),
    responses((status = 200, description = "what they are to each other, and why", body = Explanation),
        (status = 404, description = "no page of the index has the id", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn explain_new(
    State(app): State<App>,
    both: std::result::Result<Query<Both>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Explanation>> {
    let Both { b, offsets, .. } = query_of(both)?;
    let Held { bytes, mut room } = body::read(&app, body).await?;
    room.set((bytes.len() * WORK).min(app.options.max_bodies))?;
    let told = app.work(move |index| {
        let _held = room;
        there(index, &b)?;
        let model = index.model();
        let asked = Asked {
            matches: 0,
            id: None,
            url: None,
            date: None,
        };
        let page = match body::pages(bytes, &headers, &asked, &model.config().read)? {
            Pages::One(page) => page.map_err(Problem::unreadable)?,
            Pages::Lines(_) | Pages::Array(_) => {
                return Err(Problem::bad("one page expected, not several"));
            }
        };
        let text = model.text(&page)?;
        let side = ComparedPage {
            scope: model.scope_of(&page, &text),
            text,
            site: page.site(),
            url: page.url,
            date: page.date,
            id: match page.id.starts_with(NAMELESS) {
                true => "this page".to_owned(),
                false => page.id,
            },
        };
        Ok(explain_pair(
            &side,
            &index.side(&b)?,
            &model,
            offsets.offsets(),
        )?)
    });
    Ok(Json(told.await?))
}
