//! Bodies of requests become pages.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use retold::internal::site_of;
use retold::read::{Outcome, ReadOptions, Source};
use retold::{Content, Markup, Page};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use utoipa::IntoParams;

use crate::problem::Problem;
use crate::room::Room;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

/// What the query says of the pages in the body.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// At most this many matches of a page, the best; 0: look for none.
    #[serde(default = "usual_matches")]
    #[param(default = 20)]
    pub(crate) matches: usize,
    /// The id of a page that comes as `text/html` or `text/plain`; else its URL.
    pub(crate) id: Option<String>,
    /// The URL of such a page.
    pub(crate) url: Option<String>,
    /// The date of such a page.
    pub(crate) date: Option<String>,
}

fn usual_matches() -> usize {
    retold_index::MATCHES
}

/// A body, and the room that it takes.
pub(crate) struct Held {
    pub(crate) bytes: Vec<u8>,
    pub(crate) room: Room,
}

/// What a body was found to hold.
pub(crate) enum Pages {
    /// One page: the answer is an object.
    One(Box<std::result::Result<Page, String>>),
    /// Lines of JSON: the answer has a line for each.
    Lines(Vec<u8>),
    /// An array of JSON: so is the answer.
    Array(Vec<u8>),
}

/// Bytes of memory that making a page's text and sketch takes for each of the page's own, about; pages of words of one letter take more.
pub(crate) const WORK: usize = 16;

/// What ids of pages that name none begin with.
pub(crate) const NAMELESS: &str = "\u{1}request";

/// Reads a body within the limits of the service.
pub(crate) async fn read(app: &App, body: Body) -> Result<Held> {
    let limit = app.options.read_timeout;
    let read = tokio::time::timeout(limit, collect(app, body));
    read.await.unwrap_or_else(|_| {
        let detail = format!("the body did not come within {} s", limit.as_secs());
        Err(Problem::new(StatusCode::REQUEST_TIMEOUT, detail))
    })
}

async fn collect(app: &App, mut body: Body) -> Result<Held> {
    let mut held = Held {
        bytes: Vec::new(),
        room: app.room()?,
    };
    let most = app.options.max_body;
    let mut room = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| {
            Problem::bad(format!(
                "the request ended before its body was complete: {e}"
            ))
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let length = held.bytes.len() + data.len();
        if length > most {
            let detail = format!("the body has more than {most} bytes; send fewer pages at a time");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        }
        if length > room {
            // Twice as much each time, so that long bodies need few steps.
            room = length.max((2 * room).min(most)).max(1 << 14);
            held.room.set(room)?;
        }
        held.bytes.extend_from_slice(&data);
    }
    Ok(held)
}

/// The kind of a body without its parameters, in lower case.
fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// The charset that the header names.
fn charset(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let parameters = value
        .split(';')
        .skip(1)
        .filter_map(|part| part.split_once('='));
    let mut charsets = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charsets
        .next()
        .map(|(_, value)| value.trim().trim_matches('"').to_owned())
}

/// The pages of a body.
pub(crate) fn pages(
    bytes: Vec<u8>,
    headers: &HeaderMap,
    asked: &Asked,
    read: &ReadOptions,
) -> Result<Pages> {
    let coding = headers.get(header::CONTENT_ENCODING);
    if coding.is_some_and(|coding| coding != "identity") {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "send the body as it is, without Content-Encoding",
        ));
    }
    let raw = |markup: Markup, bytes: Vec<u8>| {
        let id = asked.id.clone().or_else(|| asked.url.clone());
        let id = id.unwrap_or_else(|| format!("{NAMELESS}#1"));
        let content = Content::Bytes {
            bytes,
            charset: charset(headers),
            markup,
        };
        let mut page = Page::new(id, content);
        page.url = asked.url.clone();
        page.date = asked.date.clone();
        page.site = page.url.as_deref().and_then(site_of);
        Pages::One(Box::new(Ok(page)))
    };
    match &*media_type(headers) {
        "application/json" => json(bytes, read),
        "application/x-ndjson" | "application/jsonl" | "application/x-jsonlines" => {
            Ok(Pages::Lines(bytes))
        }
        "text/html" | "application/xhtml+xml" => Ok(raw(Markup::Html, bytes)),
        "text/plain" => Ok(raw(Markup::Plain, bytes)),
        other => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!(
                "Content-Type `{other}`: application/json (a page, or an array of pages), application/x-ndjson (a page a line), text/html or \
                 text/plain expected"
            ),
        )),
    }
}

/// The one page of a body, without id, URL and date where it is no JSON.
pub(crate) fn one(bytes: Vec<u8>, headers: &HeaderMap, read: &ReadOptions) -> Result<Page> {
    let asked = Asked {
        matches: 0,
        id: None,
        url: None,
        date: None,
    };
    match pages(bytes, headers, &asked, read)? {
        Pages::One(page) => page.map_err(Problem::unreadable),
        Pages::Lines(_) | Pages::Array(_) => Err(Problem::bad("one page expected, not several")),
    }
}

/// A page, or an array of them. What is no JSON is another error (400) than what is no page (422).
fn json(bytes: Vec<u8>, read: &ReadOptions) -> Result<Pages> {
    let body = bytes.trim_ascii();
    if body.starts_with(b"[") {
        return Ok(Pages::Array(bytes));
    }
    let page = line(1, body, read);
    let is_json =
        || std::str::from_utf8(body).is_ok() && serde_json::from_slice::<IgnoredAny>(body).is_ok();
    match page {
        Err(reason) if !is_json() => Err(Problem::bad(reason)),
        page => Ok(Pages::One(Box::new(page))),
    }
}

/// A body that is an array of JSON.
pub(crate) fn json_array<'b>(bytes: &'b [u8], headers: &HeaderMap) -> Result<&'b [u8]> {
    if media_type(headers) != "application/json" {
        let detail = "Content-Type application/json expected";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    match serde_json::from_slice::<IgnoredAny>(bytes) {
        Ok(_) if !bytes.trim_ascii().starts_with(b"[") => {
            Err(Problem::unreadable("an array of ids and pages expected"))
        }
        _ => Ok(bytes),
    }
}

/// The values of an array.
pub(crate) fn items(bytes: &[u8]) -> Result<Vec<&RawValue>> {
    serde_json::from_slice(bytes).map_err(|e| Problem::bad(format!("invalid JSON: {e}")))
}

/// The page of a value of an array. The error is for people.
pub(crate) fn item(
    number: u64,
    item: &RawValue,
    read: &ReadOptions,
) -> std::result::Result<Page, String> {
    line(number, item.get().as_bytes(), read).map_err(|reason| {
        let line = format!("line {number}");
        match reason.strip_prefix(&line) {
            Some(rest) => format!("page {number}{rest}"),
            None => reason,
        }
    })
}

/// The page of a line of JSON. The error is for people.
pub(crate) fn line(
    number: u64,
    line: &[u8],
    read: &ReadOptions,
) -> std::result::Result<Page, String> {
    match Source::line(NAMELESS, number, line, read) {
        Outcome::Page(page) => Ok(page),
        Outcome::Rejected(reason) => Err(reason),
        Outcome::Skipped(kind) => Err(kind.into_owned()),
    }
}
