//! Passages of a text in pages of the index.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use retold::passages::PassageOptions;
use retold_index::{FoundPassages, PASSAGE_TEXTS};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::body::{self, HeldBody, WORK};
use crate::condense::Until;
use crate::describe::NewPage;
use crate::problem::Problem;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

/// Query parameters for passages.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Minimum number of matching words in a passage, in scripts with spaces.
    #[serde(default = "usual_words")]
    #[param(value_type = u32, default = 25, minimum = 1, maximum = 10000)]
    min_words: NonZeroU32,
    /// Minimum number of matching characters in a passage, in scripts without spaces.
    #[serde(default = "usual_chars")]
    #[param(value_type = u32, default = 40, minimum = 1, maximum = 10000)]
    min_chars: NonZeroU32,
    /// Maximum number of places for each passage.
    #[serde(default = "usual_pages")]
    #[param(value_type = u32, default = 20, minimum = 1, maximum = 100)]
    pages: NonZeroUsize,
}

fn usual_words() -> NonZeroU32 {
    const { NonZeroU32::new(25).expect("it is not 0") }
}

fn usual_chars() -> NonZeroU32 {
    const { NonZeroU32::new(40).expect("it is not 0") }
}

fn usual_pages() -> NonZeroUsize {
    NonZeroUsize::new(retold_index::MATCHES).unwrap_or(NonZeroUsize::MIN)
}

const PAGES: usize = 100;

impl Wanted {
    fn asked(&self) -> Result<(PassageOptions, usize)> {
        let options = PassageOptions {
            min_words: self.min_words.get(),
            min_chars: self.min_chars.get(),
            ..PassageOptions::default()
        };
        let wrong = |_| Problem::bad("min_words, min_chars: numbers from 1 to 10000 expected");
        options.check().map_err(wrong)?;
        Ok((options, self.pages.get().min(PAGES)))
    }
}

/// Finds passages of a text in pages of the index.
///
/// The body is a page as in `POST /v1/query`; nothing is added. Positions are in characters of `text` in the answer; in the other page, of
/// `text` in the answer to `GET /v1/pages/{id}/passages`.
#[utoipa::path(post, path = "/v1/passages", params(Wanted), tag = "passages",
    request_body(description = "a page", content((NewPage = "application/json"), (String = "text/html"), (String = "text/plain"))),
    responses((status = 200, description = "the passages, in the order of the text", body = FoundPassages)))]
pub(crate) async fn passages(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<FoundPassages>> {
    let Query(wanted) = wanted?;
    let (options, pages) = wanted.asked()?;
    let HeldBody { bytes, mut room } = body::read(&app, &headers, body).await?;
    room.set((WORK * (bytes.len() + PASSAGE_TEXTS)).min(app.options.max_bodies))?;
    let until = Until(Instant::now() + app.options.work_timeout);
    let found = app.work(move |index| {
        let _held = room;
        let page = body::one(bytes, &headers, &index.model().config().read)?;
        let page = index.prepare(page)?;
        Ok(index.passages(&page, &options, pages, &until)?)
    });
    Ok(Json(found.await?))
}

/// Finds passages of a page of the index in other pages.
#[utoipa::path(get, path = "/v1/pages/{id}/passages", tag = "passages",
    params(("id" = String, Path, description = "the page's id, percent-encoded"), Wanted),
    responses((status = 200, description = "the passages, in the order of the text", body = FoundPassages)))]
pub(crate) async fn of_page(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<FoundPassages>> {
    let (Path(id), Query(wanted)) = (id?, wanted?);
    let (options, pages) = wanted.asked()?;
    let mut room = app.room()?;
    room.set((WORK * PASSAGE_TEXTS).min(app.options.max_bodies))?;
    let until = Until(Instant::now() + app.options.work_timeout);
    let found = app.work(move |index| {
        let _held = room;
        let found = index.passages_of(&id, &options, pages, &until)?;
        found.ok_or_else(|| Problem::missing(&id))
    });
    Ok(Json(found.await?))
}
