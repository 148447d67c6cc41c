//! One request and its answer. Redirects are not followed here: the caller has to check the next address like the first.

use std::io::Read;
use std::net::IpAddr;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use ureq::http::{HeaderMap, HeaderName, Response, header};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body};
use url::Url;

use super::address::PublicOnly;
use super::config::{Config, Millis};
use super::entries::{Entries, Fetched};
use super::pause::retry_after;
use super::state::{Validators, now};
use crate::addresses::is_public;

/// The most bytes of a body.
const LARGEST: u64 = 16 << 20;

/// How much of a body is read.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// All; if it is larger than [`LARGEST`], it is no answer.
    Whole,
    /// So many bytes.
    First(u64),
}

/// What a request brought.
#[derive(Debug)]
pub enum Answer {
    /// A body.
    Got(Got),
    /// What the validators name has not changed.
    Unchanged,
    /// It is elsewhere.
    Moved(String),
    /// Another status.
    Refused {
        status: u16,
        /// How long the server wants to be left alone.
        wait: Option<Millis>,
    },
    /// No answer, or not a whole one.
    Failed(String),
}

#[derive(Debug, Default)]
pub struct Got {
    pub body: Vec<u8>,
    pub validators: Validators,
    /// `Content-Type` without parameters, in lower case.
    pub kind: String,
    pub charset: Option<String>,
    /// The entries, if it is a feed.
    pub entries: Option<Entries>,
}

impl Got {
    /// It as an article.
    pub fn article(self) -> Fetched {
        Fetched {
            body: self.body,
            kind: self.kind,
            charset: self.charset,
        }
    }
}

/// Asks.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
}

fn agent(config: &Config) -> ureq::config::ConfigBuilder<ureq::typestate::AgentScope> {
    let timeout = Duration::from_millis(config.timeout.unsigned_abs());
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // A proxy would resolve names itself, and the addresses could not be checked.
        .proxy(None)
        .timeout_global(Some(timeout))
        .user_agent(config.user_agent.as_str())
}

impl Client {
    /// For feeds and articles.
    pub fn new(config: &Config) -> Client {
        match config.allow_private {
            true => Client::to(config, |_| true),
            false => Client::to(config, is_public),
        }
    }

    /// For requests to addresses that are allowed.
    fn to(config: &Config, may_be_asked: fn(IpAddr) -> bool) -> Client {
        let resolver = PublicOnly::new(may_be_asked);
        let connector = DefaultConnector::default();
        let agent = Agent::with_parts(agent(config).build(), connector, resolver);
        Client { agent }
    }

    /// For the webhook, whose address is not from the net.
    pub fn for_webhook(config: &Config) -> Client {
        let agent = Agent::new_with_config(agent(config).build());
        Client { agent }
    }

    pub fn get(&self, url: &Url, known: &Validators) -> Answer {
        self.ask(url, known, Part::Whole)
    }

    /// Gets the first bytes of something.
    pub fn get_first(&self, url: &Url, bytes: u64) -> Answer {
        self.ask(url, &Validators::default(), Part::First(bytes))
    }

    fn ask(&self, url: &Url, known: &Validators, part: Part) -> Answer {
        let request = self.agent.get(url.as_str());
        let mut request = request.header(header::ACCEPT_ENCODING, "gzip");
        let validators = [
            (header::IF_NONE_MATCH, &known.etag),
            (header::IF_MODIFIED_SINCE, &known.last_modified),
        ];
        for (name, value) in validators {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        match request.call() {
            Ok(response) => answer(response, !known.is_empty(), part),
            Err(error) => Answer::Failed(error.to_string()),
        }
    }

    /// Posts JSON; the error says why it was not taken.
    pub fn post(&self, url: &Url, headers: &[(&str, String)], body: &[u8]) -> Result<(), String> {
        let mut request = self.agent.post(url.as_str());
        request = request.header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let response = request.send(body).map_err(|error| error.to_string())?;
        match response.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("status {}", status.as_u16())),
        }
    }
}

fn answer(mut response: Response<Body>, was_conditional: bool, part: Part) -> Answer {
    let status = response.status().as_u16();
    let headers = response.headers();
    let moved =
        text(headers, header::LOCATION).filter(|_| matches!(status, 301 | 302 | 303 | 307 | 308));
    if let Some(location) = moved {
        return Answer::Moved(location);
    }
    match status {
        304 if was_conditional => return Answer::Unchanged,
        200 => {}
        _ => {
            let wait = text(headers, header::RETRY_AFTER);
            let wait = wait.and_then(|wait| retry_after(&wait, now()));
            return Answer::Refused { status, wait };
        }
    }
    let kind = text(headers, header::CONTENT_TYPE).unwrap_or_default();
    let mut parts = kind.split(';');
    let media_type = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"').to_owned())
    });
    let mut got = Got {
        validators: Validators {
            etag: text(headers, header::ETAG),
            last_modified: text(headers, header::LAST_MODIFIED),
        },
        kind: media_type,
        charset,
        body: Vec::new(),
        entries: None,
    };
    let coding = text(headers, header::CONTENT_ENCODING).map(|coding| coding.to_ascii_lowercase());
    let body = response.body_mut().as_reader();
    let body: Box<dyn Read + '_> = match coding.as_deref() {
        None | Some("identity") => Box::new(body),
        Some("gzip" | "x-gzip") => Box::new(MultiGzDecoder::new(body)),
        Some(other) => return Answer::Failed(format!("unexpected content coding `{other}`")),
    };
    let most = match part {
        Part::Whole => LARGEST + 1,
        Part::First(bytes) => bytes,
    };
    match body.take(most).read_to_end(&mut got.body) {
        Ok(length) if length as u64 > LARGEST => {
            Answer::Failed(format!("more than {LARGEST} bytes"))
        }
        Ok(_) => Answer::Got(got),
        Err(error) => Answer::Failed(format!("the body ended early: {error}")),
    }
}

/// A header, if it can be sent back.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    fn config() -> Config {
        toml::from_str("index = \"news\"\ntimeout = \"2s\"\n").unwrap()
    }

    /// A server that gives one answer to whoever comes.
    fn server(answer: &'static [u8]) -> Url {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut client in listener.incoming().map_while(Result::ok) {
                let _ = client.read(&mut [0; 4096]);
                let _ = client.write_all(answer);
            }
        });
        Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap()
    }

    fn failed(answer: Answer) -> String {
        match answer {
            Answer::Failed(reason) => reason,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn addresses_that_are_not_public_are_not_asked() {
        let url = server(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
        let port = url.port().unwrap();
        let client = Client::new(&config());
        for host in [
            "127.0.0.1",
            "2130706433",
            "0x7f.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "localhost",
            "169.254.169.254",
        ] {
            let url = Url::parse(&format!("http://{host}:{port}/")).unwrap();
            let said = failed(client.get(&url, &Validators::default()));
            assert!(said.contains("not a public address"), "{host}: {said}");
        }
        let open = Client::to(&config(), |address| address.is_loopback());
        assert!(
            matches!(open.get(&url, &Validators::default()), Answer::Got(got) if got.body == b"x")
        );
    }

    #[test]
    fn a_redirect_is_not_followed_unseen() {
        let answer =
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2/secret\r\nContent-Length: 0\r\n\r\n";
        let url = server(answer);
        // To this one the server is public, and where it leads to is not.
        let client = Client::to(&config(), |address| address.to_string() == "127.0.0.1");
        let Answer::Moved(location) = client.get(&url, &Validators::default()) else {
            panic!("it moved");
        };
        let next = Url::parse(&location).unwrap();
        let said = failed(client.get(&next, &Validators::default()));
        assert!(said.contains("127.0.0.2 is not a public address"), "{said}");
    }

    #[test]
    fn bodies_may_be_compressed() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"whole").unwrap();
        let packed = packed.finish().unwrap();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: Text/HTML; Charset=\"GBK\"\r\nContent-Length: {}\r\n\r\n",
            packed.len()
        );
        let url = server([head.into_bytes(), packed].concat().leak());
        let client = Client::to(&config(), |_| true);
        let Answer::Got(got) = client.get(&url, &Validators::default()) else {
            panic!("it is whole");
        };
        assert_eq!(got.body, b"whole");
        assert_eq!(
            (&*got.kind, got.charset.as_deref()),
            ("text/html", Some("GBK"))
        );
    }

    #[test]
    fn what_is_not_whole_is_no_answer() {
        let client = Client::to(&config(), |_| true);
        for cut in [
            &b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"[..],
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nhalf",
            b"HTTP/1.1 20",
            b"",
        ] {
            let answer = client.get(&server(cut), &Validators::default());
            assert!(matches!(answer, Answer::Failed(_)), "{answer:?}");
        }
        // Nobody asked whether it had changed.
        let answer = client.get(
            &server(b"HTTP/1.1 304 Not Modified\r\n\r\n"),
            &Validators::default(),
        );
        assert!(
            matches!(
                answer,
                Answer::Refused {
                    status: 304,
                    wait: None
                }
            ),
            "{answer:?}"
        );
    }
}
