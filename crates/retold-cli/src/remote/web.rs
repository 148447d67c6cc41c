//! Files on web servers, read in ranges.

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use percent_encoding::percent_decode_str;
use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap, HeaderName, IF_MATCH,
    LAST_MODIFIED, LOCATION, RANGE, RETRY_AFTER,
};
use reqwest::{ClientBuilder, Response, StatusCode, Url};
use retold::internal::{read_exact_at, shown_input};
use retold::read::RemoteInput;
use retold::{Error, Result};

use super::cache::Cache;
use super::clients::{Clients, Leg, Proxies, Sign};
use super::listing::{Entry, Tree};
use super::network::waited;
use super::pinned::Pinned;
use super::place::{Failure, Pace, Place, TRIES, pause};
use super::reach::Refused;
use super::redact::redacted;

pub type Answer<T> = std::result::Result<T, Failure>;

/// A file on a web server in the version in which it was listed.
#[derive(Debug)]
pub struct Page {
    clients: Clients,
    /// It may give access, so it is never shown.
    url: Url,
    token: Option<String>,
    size: u64,
    pin: Option<Pin>,
    /// The whole file, from a server that does not answer ranges.
    whole: OnceLock<File>,
}

/// What a server says of the version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pin {
    tag: Option<String>,
    modified: Option<String>,
}

impl Pin {
    fn of(headers: &HeaderMap) -> Pin {
        Pin {
            tag: text(headers, ETAG),
            modified: text(headers, LAST_MODIFIED),
        }
    }
}

/// The clients for all requests.
pub fn clients() -> Result<Clients> {
    let made = || {
        ClientBuilder::new()
            .connect_timeout(Duration::from_secs(10))
            .read_timeout(Duration::from_secs(30))
    };
    Clients::new(made, Proxies::of_system())
        .map_err(|error| Error::usage(format!("cannot start the network: {}", redacted(&error))))
}

/// The clients for uploads. Nothing comes back while a large file goes up, so only the whole request has a limit.
pub fn clients_for_uploads() -> Result<Clients> {
    let made = || ClientBuilder::new().connect_timeout(Duration::from_secs(10));
    Clients::new(made, Proxies::of_system())
        .map_err(|error| Error::usage(format!("cannot start the network: {}", redacted(&error))))
}

/// What a request has besides its URL.
#[derive(Debug, Default)]
pub struct Asked {
    pub range: Option<Range<u64>>,
    pub tag: Option<String>,
    /// It is sent only to the server of the URL.
    pub token: Option<String>,
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// The range and the size that an answer says it has.
fn range_of(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let range = text(headers, CONTENT_RANGE)?;
    let (range, size) = range.strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split('-').next()?.parse().unwrap_or(0);
    Some((start, size.parse().ok()))
}

pub fn broken(error: reqwest::Error) -> Failure {
    match Refused::cause(&error) {
        Some(why) => Failure::Final(why),
        None => Failure::passing(redacted(&error.without_url())),
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        Failure::Final(refused.0)
    }
}

/// Asks, and asks where redirects lead; what is neither an answer nor about a range is a failure.
pub async fn send(clients: &Clients, url: &Url, asked: &Asked) -> Answer<Response> {
    let leg = |leg: Leg| {
        let mut request = leg.client.get(leg.url);
        // A packed range is the range of another file.
        request = request.header(ACCEPT_ENCODING, "identity");
        if let Some(range) = &asked.range {
            request = request.header(RANGE, format!("bytes={}-{}", range.start, range.end - 1));
        }
        if let Some(tag) = &asked.tag {
            request = request.header(IF_MATCH, tag);
        }
        if let Some(token) = asked.token.as_ref().filter(|_| !leg.is_foreign) {
            request = request.bearer_auth(token);
        }
        async { request.send().await.map_err(broken) }
    };
    let sign = |answer: &Response| Sign {
        status: answer.status(),
        location: answer.headers().get(LOCATION).cloned(),
        from: answer.remote_addr(),
    };
    accepted(clients.follow(url.clone(), leg, sign).await?)
}

/// An answer, unless it is a failure and not about a range.
pub fn accepted(answer: Response) -> Answer<Response> {
    let status = answer.status();
    Err(match status {
        StatusCode::RANGE_NOT_SATISFIABLE => return Ok(answer),
        status if status.is_success() => return Ok(answer),
        StatusCode::PRECONDITION_FAILED => Failure::Changed,
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS => {
            later(&answer)
        }
        status if status.is_server_error() => later(&answer),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            Failure::Final(format!("access is denied ({status})"))
        }
        status => Failure::Final(format!("the server answers {status}")),
    })
}

fn later(answer: &Response) -> Failure {
    let seconds = text(answer.headers(), RETRY_AFTER).and_then(|text| text.parse().ok());
    let least = Duration::from_secs(seconds.unwrap_or(0u64).min(60));
    Failure::Passing(format!("the server answers {}", answer.status()), least)
}

/// Asks until there is an answer, or no sense in asking again.
///
/// Errors: the reason.
pub async fn asked<T, F: Future<Output = Answer<T>>>(
    ask: impl Fn() -> F,
) -> std::result::Result<T, String> {
    let mut tries = 0;
    loop {
        let (reason, least) = match ask().await {
            Ok(answer) => return Ok(answer),
            Err(Failure::Changed) => return Err("it is changing right now".into()),
            Err(Failure::Final(reason)) => return Err(reason),
            Err(Failure::Passing(reason, least)) => (reason, least),
        };
        tries += 1;
        if tries > TRIES {
            return Err(format!("{reason}; tried {TRIES} times"));
        }
        tokio::time::sleep(pause(tries).max(least)).await;
    }
}

impl Page {
    /// A file that cannot change, with a known size.
    pub fn lasting(clients: Clients, url: Url, token: Option<String>, size: u64) -> Page {
        Page {
            clients,
            url,
            token,
            size,
            pin: None,
            whole: OnceLock::new(),
        }
    }

    /// Requests a file's first byte. The answer has its size and version, even if the URL allows only some kinds of requests.
    async fn pinned(clients: Clients, url: Url) -> Answer<Page> {
        let asked = Asked {
            range: Some(0..1),
            ..Asked::default()
        };
        let answer = send(&clients, &url, &asked).await?;
        let size = match answer.status() {
            StatusCode::OK => {
                text(answer.headers(), CONTENT_LENGTH).and_then(|size| size.parse().ok())
            }
            _ => range_of(answer.headers()).and_then(|(_, size)| size),
        };
        let Some(size) = size else {
            return Err(Failure::Final(
                "the server does not say how long it is; download it and name the file".into(),
            ));
        };
        let pin = Some(Pin::of(answer.headers()));
        Ok(Page {
            pin,
            ..Page::lasting(clients, url, None, size)
        })
    }

    /// See [`Place::more`].
    async fn part(&self, range: Range<u64>, got: &mut Vec<u8>) -> Answer<()> {
        if let Some(whole) = self.whole.get() {
            return copied(whole, range, got);
        }
        let tag = self.pin.as_ref().and_then(|pin| pin.tag.clone());
        let asked = Asked {
            range: Some(range.clone()),
            // A weak tag never matches, by definition.
            tag: tag.filter(|tag| !tag.starts_with("W/")),
            token: self.token.clone(),
        };
        let answer = send(&self.clients, &self.url, &asked).await?;
        if self
            .pin
            .as_ref()
            .is_some_and(|pin| *pin != Pin::of(answer.headers()))
        {
            return Err(Failure::Changed);
        }
        match (answer.status(), range_of(answer.headers())) {
            (StatusCode::RANGE_NOT_SATISFIABLE, _) => Err(Failure::Changed),
            (StatusCode::PARTIAL_CONTENT, Some((start, size))) => {
                if size.is_some_and(|size| size != self.size) {
                    return Err(Failure::Changed);
                }
                if start != range.start {
                    return Err(Failure::Final("the server answers another range".into()));
                }
                let most = got.len() as u64 + (range.end - range.start);
                read(answer, most, got).await
            }
            (StatusCode::OK, _) => copied(self.spooled(answer).await?, range, got),
            (status, _) => Err(Failure::Final(format!(
                "the server answers {status} without a range"
            ))),
        }
    }

    /// Stores the whole file, from which all other ranges are read.
    async fn spooled(&self, mut answer: Response) -> Answer<&File> {
        let failed = |error: std::io::Error| {
            Failure::Final(format!("cannot write a temporary file: {error}"))
        };
        let mut file = tempfile::tempfile().map_err(failed)?;
        let (mut size, mut pace) = (0, Pace::new());
        while let Some(piece) = answer.chunk().await.map_err(broken)? {
            size += piece.len() as u64;
            if size > self.size {
                return Err(Failure::Changed);
            }
            file.write_all(&piece).map_err(failed)?;
            pace.came(piece.len())?;
        }
        match size == self.size {
            true => Ok(self.whole.get_or_init(|| file)),
            false => Err(Failure::passing(format!("the bytes end at {size}"))),
        }
    }
}

/// Adds a body to `got`. If that has more than `most` bytes, the rest is not read.
pub async fn read(mut answer: Response, most: u64, got: &mut Vec<u8>) -> Answer<()> {
    let mut pace = Pace::new();
    while let Some(piece) = answer.chunk().await.map_err(broken)? {
        got.extend_from_slice(&piece);
        if got.len() as u64 > most {
            break;
        }
        pace.came(piece.len())?;
    }
    Ok(())
}

fn copied(whole: &File, range: Range<u64>, got: &mut Vec<u8>) -> Answer<()> {
    let before = got.len();
    got.resize(before + (range.end - range.start) as usize, 0);
    read_exact_at(whole, &mut got[before..], range.start)
        .map_err(|error| Failure::Final(format!("cannot read a temporary file: {error}")))
}

impl Place for Page {
    fn more<'a>(
        &'a self,
        range: Range<u64>,
        got: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, std::result::Result<(), Failure>> {
        Box::pin(self.part(range, got))
    }
}

/// The file of a URL.
pub fn list(clients: Clients, url: &str, cache: Option<Arc<Cache>>) -> Result<Vec<RemoteInput>> {
    let shown = shown_input(url.as_ref()).display().to_string();
    let failed = |reason: &str| Error::usage(format!("cannot read INPUT {shown}: {reason}"));
    let parsed = Url::parse(url).map_err(|error| failed(&error.to_string()))?;
    let page = waited(async {
        let page = asked(|| Page::pinned(clients.clone(), parsed.clone())).await;
        page.map_err(|reason| failed(&reason))
    })?;
    let (root, key) = shown.split_at(shown.find("://").map_or(0, |at| at + 3));
    let (host, key) = key.split_once('/').unwrap_or((key, ""));
    let tree = Tree {
        root: format!("{root}{host}"),
        parts: vec![host.to_owned()],
    };
    let pin = page.pin.clone();
    let entry = Entry {
        key: percent_decode_str(key).decode_utf8_lossy().into_owned(),
        size: page.size,
        version: pin.and_then(|pin| pin.tag.or(pin.modified)),
    };
    let file = Pinned::file(Box::new(page), cache);
    Ok(vec![tree.file(&entry, |_| file.clone())])
}
