//! Reads pages from the bodies of requests.

use axum::body::{Body, HttpBody};
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

/// Query parameters for the pages in the body.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// Maximum number of matches for each page; 0 looks for none.
    #[serde(default = "usual_matches")]
    #[param(default = 20)]
    pub(crate) matches: usize,
    /// Id of a page sent as `text/html` or `text/plain`; by default its URL.
    pub(crate) id: Option<String>,
    /// URL of such a page.
    pub(crate) url: Option<String>,
    /// Date of such a page.
    pub(crate) date: Option<String>,
}

fn usual_matches() -> usize {
    retold_index::MATCHES
}

/// A body, and the memory reserved for it.
pub(crate) struct HeldBody {
    pub(crate) bytes: Vec<u8>,
    pub(crate) room: Room,
}

/// The contents of a body.
pub(crate) enum Pages {
    /// One page; the answer is an object.
    One(Box<std::result::Result<Page, String>>),
    /// NDJSON; the answer has a line for each page.
    Lines(Vec<u8>),
    /// A JSON array; the answer is an array, too.
    Array(Vec<u8>),
}

/// Approximate bytes of memory for text and sketch, for each byte of a page. Pages of one-letter words need more.
pub(crate) const WORK: usize = 16;

/// Prefix of the ids given to pages without one.
pub(crate) const NAMELESS: &str = "\u{1}request";

pub(crate) async fn read(app: &App, body: Body) -> Result<HeldBody> {
    let limit = app.options.read_timeout;
    let read = tokio::time::timeout(limit, collect(app, body));
    read.await.unwrap_or_else(|_| {
        let detail = format!("the body did not come within {} s", limit.as_secs());
        Err(Problem::new(StatusCode::REQUEST_TIMEOUT, detail))
    })
}

async fn collect(app: &App, mut body: Body) -> Result<HeldBody> {
    let mut held = HeldBody {
        bytes: Vec::new(),
        room: app.room()?,
    };
    let most = app.options.max_body;
    let too_large = || {
        let detail = format!("the body has more than {most} bytes; send fewer pages at a time");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
    };
    // What the request says of its length need not be waited for.
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
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
            return Err(too_large());
        }
        if length > room {
            // Doubles the size, so that long bodies need few steps.
            room = length.max((2 * room).min(most)).max(1 << 14);
            held.room.set(room)?;
        }
        held.bytes.extend_from_slice(&data);
    }
    Ok(held)
}

/// The media type of a body without parameters, in lower case.
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

/// The only page of a body. If the body is not JSON, the page has no id, URL and date.
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

/// A page or an array of pages. Invalid JSON is status 400; JSON that is not a page is 422.
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

/// Checks that a body is a JSON array.
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

pub(crate) fn items(bytes: &[u8]) -> Result<Vec<&RawValue>> {
    serde_json::from_slice(bytes).map_err(|e| Problem::bad(format!("invalid JSON: {e}")))
}

/// The page of an array value. The error is for people.
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

/// The page of a JSON line. The error is for people.
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
