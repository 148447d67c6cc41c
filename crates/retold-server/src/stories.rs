//! Pages that a page repeats, explanations, and stories.

use std::cmp::Reverse;
use std::num::NonZeroUsize;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use retold::explain::{ComparedPage, Explanation, Offsets, explain_pair};
use retold_index::{Edits, Index, Match, MatchLine, PageVersion, Story};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::body::{self, HeldBody, NAMELESS, WORK};
use crate::cursor;
use crate::describe::NewPage;
use crate::problem::Problem;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

pub(crate) fn there(index: &Index, id: &str) -> Result<()> {
    index.get(id)?.map(drop).ok_or_else(|| Problem::missing(id))
}

/// Query parameters of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    /// Maximum number of matches.
    #[serde(default = "usual_matches")]
    #[param(value_type = u32, default = 20, minimum = 1)]
    limit: NonZeroUsize,
    /// Continues a list: `next` of the previous answer.
    cursor: Option<String>,
}

fn usual_matches() -> NonZeroUsize {
    NonZeroUsize::new(retold_index::MATCHES).unwrap_or(NonZeroUsize::MIN)
}

/// A part of the list of matches.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Matches {
    /// The pages, best first.
    matches: Vec<MatchLine>,
    /// Cursor of the next part; `null` at the end.
    next: Option<String>,
}

/// Lists the pages that a page of the index repeats, best first, equal ones by id; up to 2,000 in all.
#[utoipa::path(get, path = "/v1/pages/{id}/matches", tag = "stories",
    params(("id" = String, Path, description = "the page's id, percent-encoded"), Limit),
    responses((status = 200, description = "the pages", body = Matches)))]
pub(crate) async fn matches(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
    limit: std::result::Result<Query<Limit>, QueryRejection>,
) -> Result<Json<Matches>> {
    let (Path(id), Query(Limit { limit, cursor })) = (id?, limit?);
    let matches = app.work(move |index| {
        there(index, &id)?;
        // All of them, so that every part comes from the same list.
        let all = index.matches_of(&id, None)?;
        let list = format!("matches of {id}");
        // Similarities are not negative, so their bits sort like their values.
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

/// Query parameters of a story.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rows {
    /// Maximum number of rows of the timeline.
    #[serde(default = "most_rows")]
    #[param(value_type = usize, default = 1000, minimum = 1, maximum = 1000)]
    limit: NonZeroUsize,
    /// Number of rows to skip.
    #[serde(default)]
    skip: usize,
    /// Whether each row has the numbers of words added, cut and replaced, compared with the first page.
    #[serde(default)]
    edits: bool,
}

fn most_rows() -> NonZeroUsize {
    const { NonZeroUsize::new(1000).expect("it is not 0") }
}

/// Shows the story of a page of the index: its pages and related pages in order of time, with who was first and who copied whom.
#[utoipa::path(get, path = "/v1/pages/{id}/story", tag = "stories",
    params(("id" = String, Path, description = "the page's id, percent-encoded"), Rows),
    responses((status = 200, description = "the story", body = Story)))]
pub(crate) async fn story(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
    rows: std::result::Result<Query<Rows>, QueryRejection>,
) -> Result<Json<Story>> {
    let (Path(id), Query(rows)) = (id?, rows?);
    let story = app.work(move |index| told(index, &id, &rows));
    Ok(Json(story.await?))
}

/// Shows a story by its id, or by the id of any of its pages.
///
/// The answer has the id of the story. If the story has become part of another one, that story is returned.
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

/// The versions to compare.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Versions {
    /// Id of a page.
    id: String,
    /// Id of the page that it may be a version of.
    of: String,
}

/// Shows what a page changed in another one: words added, cut and replaced, and the headline.
#[utoipa::path(get, path = "/v1/edits", tag = "stories", params(Versions),
    responses((status = 200, description = "the changes", body = Edits),
        (status = 404, description = "no page of the index has the id", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn edits(
    State(app): State<App>,
    versions: std::result::Result<Query<Versions>, QueryRejection>,
) -> Result<Json<Edits>> {
    let Query(Versions { id, of }) = versions?;
    let edits = app.work(move |index| {
        [&id, &of].into_iter().try_for_each(|id| there(index, id))?;
        Ok(index.edits(&of, &id)?)
    });
    Ok(Json(edits.await?))
}

/// Lists the versions of a page that newer ones have replaced, latest first, until the index is compacted.
#[utoipa::path(get, path = "/v1/pages/{id}/versions", params(("id" = String, Path, description = "the page's id, percent-encoded")),
    tag = "pages", responses((status = 200, description = "the versions", body = Vec<PageVersion>)))]
pub(crate) async fn versions(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
) -> Result<Json<Vec<PageVersion>>> {
    let Path(id) = id?;
    let versions = app.work(move |index| {
        there(index, &id)?;
        Ok(index.versions(&id)?)
    });
    Ok(Json(versions.await?))
}

/// The pages to explain.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Both {
    /// Id of a page of the index; not with a body.
    a: Option<String>,
    /// Id of another page.
    b: String,
    /// Unit of positions in texts: `chars`, or `utf16` units, as in browsers.
    #[serde(default)]
    offsets: Units,
}

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

/// Explains why two pages of the index are related or not: tests that decided, shared features and passages, and both texts.
#[utoipa::path(get, path = "/v1/explain", tag = "stories", params(Both),
    responses((status = 200, description = "their relation, and the reasons", body = Explanation),
        (status = 404, description = "no page of the index has the id", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn explain(
    State(app): State<App>,
    both: std::result::Result<Query<Both>, QueryRejection>,
) -> Result<Json<Explanation>> {
    let Query(Both { a, b, offsets }) = both?;
    let a = a.ok_or_else(|| Problem::bad("a: the id of a page of the index expected"))?;
    let told = app.work(move |index| {
        [&a, &b].into_iter().try_for_each(|id| there(index, id))?;
        Ok(index.explain(&a, &b, offsets.offsets())?)
    });
    Ok(Json(told.await?))
}

/// Explains how a page that is not in the index is related to a page of the index.
///
/// The body is a page as in `POST /v1/query`.
#[utoipa::path(post, path = "/v1/explain", tag = "stories", params(Both),
    request_body(description = "a page", content((NewPage = "application/json"), (String = "text/html"), (String = "text/plain"))),
    responses((status = 200, description = "their relation, and the reasons", body = Explanation),
        (status = 404, description = "no page of the index has the id", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn explain_new(
    State(app): State<App>,
    both: std::result::Result<Query<Both>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Explanation>> {
    let Query(Both { b, offsets, .. }) = both?;
    let HeldBody { bytes, mut room } = body::read(&app, &headers, body).await?;
    room.set((bytes.len() * WORK).min(app.options.max_bodies))?;
    let told = app.work(move |index| {
        let _held = room;
        there(index, &b)?;
        let model = index.model();
        let page = body::one(bytes, &headers, &model.config().read)?;
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
