//! Adding, querying and removing pages.

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use retold::Page;
use retold::method::Text;
use retold_index::{Added, Adds, Entry, Index, LONGEST_ID, Match, MatchLine, Prepared, Status};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::body::{self, Asked, HeldBody, NAMELESS, Pages, WORK};
use crate::describe::NewPages;
use crate::problem::Problem;
use crate::room::Room;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

/// The result for a page.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer {
    /// Id of the page; `null` for a query without one.
    id: Option<String>,
    /// `new`, `replaced`, `unchanged`, or `rejected`.
    #[schema(example = "new")]
    status: &'static str,
    /// Why the page was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The pages that it repeats, best first.
    matches: Vec<MatchLine>,
    /// True if a page that was added is only a frame, such as a notice that other pages have under other titles; they are no matches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    frame: bool,
    /// With `adds=true`: what it says that no other page of the index says. Pages of the same request do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    adds: Option<Adds>,
}

impl Answer {
    fn new(id: &str, status: Status, matches: &[Match], adds: Option<Adds>) -> Answer {
        Answer {
            id: (!id.starts_with(NAMELESS)).then(|| id.to_owned()),
            status: status.name(),
            reason: None,
            matches: matches.iter().map(Match::line).collect(),
            frame: false,
            adds,
        }
    }

    fn rejected(reason: String) -> Answer {
        Answer {
            id: None,
            status: "rejected",
            reason: Some(reason),
            matches: Vec::new(),
            frame: false,
            adds: None,
        }
    }
}

/// The result for a page, or for an array of pages.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only described: each is written by itself")]
pub(crate) enum Answers {
    One(Answer),
    Many(Vec<Answer>),
}

/// A page, or why it is not one.
type Made = std::result::Result<Prepared, String>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    One,
    Lines,
    Array,
}

fn respond(form: Form, mut answers: Vec<Answer>) -> Response {
    if form == Form::Array {
        return Json(answers).into_response();
    }
    if form == Form::One {
        return match answers.pop() {
            Some(Answer {
                reason: Some(reason),
                ..
            }) => Problem::unreadable(reason).into_response(),
            Some(answer) => Json(answer).into_response(),
            None => Problem::bad("there is no page in the body").into_response(),
        };
    }
    let mut lines = Vec::new();
    for answer in answers {
        // Answers are plain values and the writer is memory, so this cannot fail.
        let _ = serde_json::to_writer(&mut lines, &answer);
        lines.push(b'\n');
    }
    let kind = HeaderValue::from_static("application/x-ndjson");
    ([(header::CONTENT_TYPE, kind)], lines).into_response()
}

/// The prepared pages of a body.
struct Many {
    form: Form,
    pages: Vec<Made>,
    /// Bytes of memory that they take.
    held: usize,
    /// Memory reserved for them and for work on them.
    room: Room,
}

/// Prepares the pages of a body. With `named`, each needs an id or a URL.
async fn prepared(
    app: &App,
    headers: HeaderMap,
    asked: Asked,
    body: Body,
    named: bool,
) -> Result<Many> {
    let HeldBody { bytes, mut room } = body::read(app, &headers, body).await?;
    // A single request may need more than the limit for all.
    let most = app.options.max_bodies;
    let max_body = app.options.max_body;
    app.work(move |index| {
        let read = index.model().config().read.clone();
        let (length, mut held, mut work) = (bytes.len(), 0, 0);
        let mut prepare = |page: std::result::Result<Page, String>| -> Result<Made> {
            work = work.max(page.as_ref().map_or(0, |page| WORK * page.content.len()));
            room.set((length + held + work).min(most))?;
            let made = page.and_then(|page| {
                if named {
                    check_id(&page.id)?;
                }
                index.prepare(page).map_err(|e| e.to_string())
            });
            held += made.as_ref().map_or_else(String::len, Prepared::memory);
            Ok(made)
        };
        let (form, pages) = match body::pages(bytes, &headers, &asked, &read)? {
            Pages::One(page) => (Form::One, vec![prepare(*page)?]),
            Pages::Lines(bytes) => {
                let lines = (1u64..).zip(bytes.split(|&byte| byte == b'\n'));
                let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
                let pages = lines.map(|(number, line)| prepare(body::line(number, line, &read)));
                (Form::Lines, pages.collect::<Result<_>>()?)
            }
            Pages::Warc(bytes) => {
                let mut pages = Vec::new();
                body::each_of_warc(&bytes, &read, max_body, |page| {
                    pages.push(prepare(page)?);
                    Ok(())
                })?;
                (Form::Lines, pages)
            }
            Pages::Array(bytes) => {
                let items = (1u64..).zip(body::items(&bytes)?);
                let pages = items.map(|(number, item)| prepare(body::item(number, item, &read)));
                (Form::Array, pages.collect::<Result<_>>()?)
            }
        };
        Ok(Many {
            form,
            pages,
            held,
            room,
        })
    })
    .await
}

/// Checks that a page can be requested by its id, which is percent-encoded in the path of a request.
pub(crate) fn check_id(id: &str) -> std::result::Result<(), String> {
    if id.starts_with(NAMELESS) {
        return Err("the page has no id: send `id` or `url`".to_owned());
    }
    // Clients remove `.` and `..` from paths, even if encoded.
    match matches!(id, "" | "." | "..") || id.len() > LONGEST_ID {
        false => Ok(()),
        true => Err(format!(
            "the page could not be requested at /v1/pages/{{id}}: an id has 1 to {LONGEST_ID} bytes, and is not `.` or `..`"
        )),
    }
}

/// Adds pages and returns what each of them repeats.
///
/// Answers when the pages are safe on disk. A page replaces the page with the same id. The body is a page as JSON (`text` or `html`, with
/// `id`, `url`, `date`), pages as NDJSON, or the HTML or text of a page with `id`, `url` and `date` in the query.
#[utoipa::path(post, path = "/v1/pages", params(Asked), tag = "pages",
    request_body(description = "a page, pages, or the HTML or text of one (its id, URL and date are in the query)", content(
        (NewPages = "application/json"), (String = "application/x-ndjson"), (Vec<u8> = "application/warc"), (String = "text/html"), (String = "text/plain"))),
    responses((status = 200, description = "the status of the page; for several pages, in the order and form of the request", content(
        (Answers = "application/json"), (String = "application/x-ndjson"))),
        (status = 507, description = "the disk is full; nothing of the request was added", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn add(
    State(app): State<App>,
    asked: std::result::Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let Query(asked) = asked?;
    let committer = app.committer.as_ref().ok_or_else(read_only)?;
    let (limit, wants_adds) = (asked.matches, asked.adds);
    let Many {
        form,
        pages,
        held,
        mut room,
    } = prepared(&app, headers, asked, body, true).await?;
    room.set(held.min(app.options.max_bodies))?;
    let mut order = Vec::new();
    let mut good = Vec::new();
    for page in pages {
        match page {
            Ok(page) => {
                order.push(None);
                good.push(page);
            }
            Err(reason) => order.push(Some(reason)),
        }
    }
    let mut adds = Vec::new();
    if wants_adds {
        let told = app.work(move |index| {
            let adds = good.iter().map(|page| index.adds(page));
            let adds = adds.collect::<retold::Result<Vec<Adds>>>()?;
            Ok((good, adds))
        });
        (good, adds) = told.await?;
    }
    let mut adds = adds.into_iter();
    let added = match good.is_empty() {
        true => Vec::new(),
        false => committer.add(good, limit, room).await?,
    };
    let mut added = added.into_iter();
    let answers = order.into_iter().filter_map(|reason| match reason {
        Some(reason) => Some(Answer::rejected(reason)),
        None => added.next().map(
            |(
                page,
                Added {
                    status,
                    matches,
                    is_frame,
                    ..
                },
            )| Answer {
                frame: is_frame,
                ..Answer::new(&page.entry.id, status, &matches, adds.next())
            },
        ),
    });
    Ok(respond(form, answers.collect()))
}

/// Returns what pages repeat, without adding them.
///
/// The body is as for `POST /v1/pages`; ids are optional.
#[utoipa::path(post, path = "/v1/query", params(Asked), tag = "pages",
    request_body(description = "a page, pages, or the HTML or text of one (its id, URL and date are in the query)", content(
        (NewPages = "application/json"), (String = "application/x-ndjson"), (Vec<u8> = "application/warc"), (String = "text/html"), (String = "text/plain"))),
    responses((status = 200, description = "the status of the page; for several pages, in the order and form of the request", content(
        (Answers = "application/json"), (String = "application/x-ndjson")))))]
pub(crate) async fn query(
    State(app): State<App>,
    asked: std::result::Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    answers(&app, asked, headers, body).await
}

/// Deprecated name of `POST /v1/query`.
#[utoipa::path(post, path = "/v1/match", params(Asked), tag = "pages",
    request_body(description = "a page, pages, or the HTML or text of one (its id, URL and date are in the query)", content(
        (NewPages = "application/json"), (String = "application/x-ndjson"), (Vec<u8> = "application/warc"), (String = "text/html"), (String = "text/plain"))),
    responses((status = 200, description = "the status of the page; for several pages, in the order and form of the request", content(
        (Answers = "application/json"), (String = "application/x-ndjson")))))]
#[deprecated = "/v1/query is its name"]
pub(crate) async fn query_by_old_name(
    State(app): State<App>,
    asked: std::result::Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    answers(&app, asked, headers, body).await
}

async fn answers(
    app: &App,
    asked: std::result::Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let Query(asked) = asked?;
    let (limit, adds) = (asked.matches, asked.adds);
    let Many {
        form, pages, room, ..
    } = prepared(app, headers, asked, body, false).await?;
    let answers = app.work(move |index| {
        let _held = room;
        let answers = pages.into_iter().map(|page| match page {
            Ok(page) => answer(index, &page, limit, adds),
            Err(reason) => Ok(Answer::rejected(reason)),
        });
        answers.collect::<Result<Vec<Answer>>>()
    });
    Ok(respond(form, answers.await?))
}

fn answer(index: &Index, page: &Prepared, limit: usize, adds: bool) -> Result<Answer> {
    let (status, matches) = index.query(page, Some(limit))?;
    let adds = adds.then(|| index.adds(page)).transpose()?;
    Ok(Answer::new(&page.entry.id, status, &matches, adds))
}

pub(crate) fn read_only() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "this service is read-only: it was started with --read-only",
    )
}

/// A page of the index.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeptPage {
    /// Id.
    id: String,
    /// URL.
    url: Option<String>,
    /// Site.
    site: Option<String>,
    /// Title.
    title: Option<String>,
    /// Date as written.
    date: Option<String>,
    /// When it was added.
    added: String,
    /// Characters of its text, not counting white space.
    chars: u64,
    /// Its visible text, one line for each block; `null` if the index keeps no texts.
    text: Option<String>,
}

impl KeptPage {
    fn new(entry: Entry, text: Option<Text>) -> KeptPage {
        let added = jiff::Timestamp::from_second(entry.added);
        KeptPage {
            id: entry.id,
            url: entry.url,
            site: entry.sketch.site,
            title: entry.title,
            date: entry.date,
            added: added.map(|added| added.to_string()).unwrap_or_default(),
            chars: entry.sketch.chars,
            text: text.map(|text| text.visible),
        }
    }
}

/// Returns a page of the index.
#[utoipa::path(get, path = "/v1/pages/{id}", params(("id" = String, Path, description = "the page's id, percent-encoded")),
    tag = "pages", responses((status = 200, description = "the page", body = KeptPage)))]
pub(crate) async fn get(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
) -> Result<Json<KeptPage>> {
    let Path(id) = id?;
    let page = app.work(move |index| {
        index
            .get_with_text(&id)?
            .ok_or_else(|| Problem::missing(&id))
    });
    let (entry, text) = page.await?;
    Ok(Json(KeptPage::new(entry, text)))
}

/// The requested page.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ByUrl {
    /// URL of the page.
    url: String,
}

/// Returns the page with a URL, the newest if there are several.
#[utoipa::path(get, path = "/v1/pages", params(ByUrl), tag = "pages",
    responses((status = 200, description = "the page", body = KeptPage),
        (status = 404, description = "no page of the index has the URL", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn get_by_url(
    State(app): State<App>,
    asked: std::result::Result<Query<ByUrl>, QueryRejection>,
) -> Result<Json<KeptPage>> {
    let Query(ByUrl { url }) = asked?;
    let page = app.work(move |index| {
        let missing = || {
            let detail = format!("no page of the index has the URL `{url}`");
            Problem::new(StatusCode::NOT_FOUND, detail)
        };
        index.find_url_with_text(&url)?.ok_or_else(missing)
    });
    let (entry, text) = page.await?;
    Ok(Json(KeptPage::new(entry, text)))
}

/// Removes a page. Answers when it is removed from the disk.
#[utoipa::path(delete, path = "/v1/pages/{id}", params(("id" = String, Path, description = "the page's id, percent-encoded")),
    tag = "pages", responses((status = 204, description = "the page is removed"),
        (status = 507, description = "the disk is full", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn remove(
    State(app): State<App>,
    id: std::result::Result<Path<String>, PathRejection>,
) -> Result<StatusCode> {
    let Path(id) = id?;
    let committer = app.committer.as_ref().ok_or_else(read_only)?;
    match committer.remove(vec![id.clone()]).await?.first() {
        Some(true) => Ok(StatusCode::NO_CONTENT),
        _ => Err(Problem::missing(&id)),
    }
}
