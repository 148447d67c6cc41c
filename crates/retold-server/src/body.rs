//! Reads pages from the bodies of requests.

use std::io::{Read, Write};

use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, StatusCode, header};
use flate2::read::MultiGzDecoder;
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
    /// Says what each page adds: the passages that no page of the index has.
    #[serde(default)]
    #[param(default = false)]
    pub(crate) adds: bool,
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
    /// WARC, perhaps compressed; the answer has a line for each page.
    Warc(Vec<u8>),
}

/// Approximate bytes of memory for text and sketch, for each byte of a page. Pages of one-letter words need more.
pub(crate) const WORK: usize = 16;

/// Prefix of the ids given to pages without one.
pub(crate) const NAMELESS: &str = "\u{1}request";

/// Reads a body and decompresses it, both within the limit for a body.
pub(crate) async fn read(app: &App, headers: &HeaderMap, body: Body) -> Result<HeldBody> {
    let coding = Coding::of(headers)?;
    let limit = app.options.read_timeout;
    let read = tokio::time::timeout(limit, collect(app, body));
    let held = read.await.unwrap_or_else(|_| {
        let detail = format!("the body did not come within {} s", limit.as_secs());
        Err(Problem::new(StatusCode::REQUEST_TIMEOUT, detail))
    })?;
    match coding {
        None => Ok(held),
        Some(coding) => {
            let most = app.options.max_body;
            app.work(move |_| coding.decoded(held, most)).await
        }
    }
}

/// How a body is compressed.
#[derive(Clone, Copy)]
enum Coding {
    Gzip,
    Zstd,
}

impl Coding {
    fn of(headers: &HeaderMap) -> Result<Option<Coding>> {
        let coding = headers.get(header::CONTENT_ENCODING);
        match coding.map(|coding| coding.to_str().unwrap_or_default()) {
            None | Some("identity") => Ok(None),
            Some("gzip" | "x-gzip") => Ok(Some(Coding::Gzip)),
            Some("zstd") => Ok(Some(Coding::Zstd)),
            Some(other) => Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                format!("Content-Encoding `{other}`: gzip or zstd expected, or none"),
            )),
        }
    }

    fn decoded(self, mut held: HeldBody, most: usize) -> Result<HeldBody> {
        let broken = |e| Problem::bad(format!("the body cannot be decompressed: {e}"));
        let mut from: Box<dyn Read> = match self {
            Coding::Gzip => Box::new(MultiGzDecoder::new(&held.bytes[..])),
            Coding::Zstd => Box::new(zstd::Decoder::new(&held.bytes[..]).map_err(broken)?),
        };
        let (mut bytes, mut piece) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            let length = from.read(&mut piece).map_err(broken)?;
            if length == 0 {
                break;
            }
            if bytes.len() + length > most {
                return Err(too_large(most));
            }
            held.room.set(held.bytes.len() + bytes.len() + length)?;
            bytes.extend_from_slice(&piece[..length]);
        }
        drop(from);
        held.room.set(bytes.len())?;
        held.bytes = bytes;
        Ok(held)
    }
}

fn too_large(most: usize) -> Problem {
    let detail = format!("the body has more than {most} bytes; send fewer pages at a time");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
}

async fn collect(app: &App, mut body: Body) -> Result<HeldBody> {
    let mut held = HeldBody {
        bytes: Vec::new(),
        room: app.room()?,
    };
    let most = app.options.max_body;
    // What the request says of its length need not be waited for.
    if body.size_hint().lower() > most as u64 {
        return Err(too_large(most));
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
            return Err(too_large(most));
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
        "application/warc" => Ok(Pages::Warc(bytes)),
        other => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!(
                "Content-Type `{other}`: application/json (a page, or an array of pages), application/x-ndjson (a page a line), application/warc, \
                 text/html or text/plain expected"
            ),
        )),
    }
}

/// The only page of a body. If the body is not JSON, the page has no id, URL and date.
pub(crate) fn one(bytes: Vec<u8>, headers: &HeaderMap, read: &ReadOptions) -> Result<Page> {
    let asked = Asked {
        matches: 0,
        adds: false,
        id: None,
        url: None,
        date: None,
    };
    match pages(bytes, headers, &asked, read)? {
        Pages::One(page) => page.map_err(Problem::unreadable),
        Pages::Lines(_) | Pages::Array(_) | Pages::Warc(_) => {
            Err(Problem::bad("one page expected, not several"))
        }
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

/// Hands the pages of a WARC file to `take`, and why records that should be pages are none. Other records are passed over.
///
/// Errors: of `take`; the records have more than `most` bytes in all; the file cannot be stored for the time of the request.
pub(crate) fn each_of_warc(
    bytes: &[u8],
    read: &ReadOptions,
    most: usize,
    mut take: impl FnMut(std::result::Result<Page, String>) -> Result<()>,
) -> Result<()> {
    let stored = |e: std::io::Error| Problem::internal(format!("cannot store the body: {e}"));
    let mut file = tempfile::Builder::new()
        .suffix(".warc")
        .tempfile()
        .map_err(stored)?;
    file.write_all(bytes).map_err(stored)?;
    let source = Source::spooled(file.path());
    let mut size = 0u64;
    for record in source.records(read) {
        size += record.size;
        if size > most as u64 {
            return Err(too_large(most));
        }
        let number = record.number;
        match record.parse(&source, read) {
            Outcome::Page(page) => take(Ok(page))?,
            Outcome::Rejected(reason) => take(Err(format!("record {number}: {reason}")))?,
            Outcome::Skipped(_) => {}
        }
    }
    Ok(())
}
