//! HTTP for buckets: redirects as [`Clients`] follow them, no answer larger than it need be, and nothing of what a server says in errors.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper_util::client::legacy::connect::HttpInfo;
use hyper_util::client::proxy::matcher::Matcher;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions, Error, Result};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, HeaderMap, IF_MATCH, LOCATION, RANGE};
use reqwest::{ClientBuilder, NoProxy, Proxy, Url};

use super::clients::{Clients, Leg, Proxies, Sign};
use super::reach::Refused;

/// Makes clients of the options that matter here.
#[derive(Debug)]
pub struct Connector;

/// The largest answer to anything but a range (a part of a list, a list of files), and how long it may take.
const LARGEST: usize = 64 << 20;
const LONGEST: Duration = Duration::from_secs(300);

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient> {
        let failed = |error: reqwest::Error| Error::Generic {
            store: "HTTP client",
            source: Box::new(error),
        };
        let option = |key| {
            options
                .get_config_value(&key)
                .filter(|value| !value.is_empty())
        };
        let is_on = |key| option(key).is_some_and(|value| value == "true");
        let proxy = match option(ClientConfigKey::ProxyUrl) {
            Some(url) => Some(Proxy::all(url).map_err(failed)?),
            None => None,
        };
        let proxy = proxy.map(|proxy| {
            let excluded = option(ClientConfigKey::ProxyExcludes);
            proxy.no_proxy(excluded.and_then(|hosts| NoProxy::from_string(&hosts)))
        });
        let connecting = option(ClientConfigKey::ConnectTimeout);
        let made = || {
            let mut made = ClientBuilder::new()
                .https_only(!is_on(ClientConfigKey::AllowHttp))
                .tls_danger_accept_invalid_certs(is_on(ClientConfigKey::AllowInvalidCertificates))
                // A large range takes as long as it takes; a connection on which nothing comes does not.
                .read_timeout(Duration::from_secs(30))
                .connect_timeout(seconds(connecting.as_deref()));
            if is_on(ClientConfigKey::Http1Only) {
                made = made.http1_only();
            }
            match &proxy {
                Some(proxy) => made.proxy(proxy.clone()),
                None => made,
            }
        };
        let proxies = match option(ClientConfigKey::ProxyUrl) {
            None => Proxies::of_system(),
            Some(url) => {
                let excluded = option(ClientConfigKey::ProxyExcludes).unwrap_or_default();
                Proxies(Matcher::builder().all(url).no(excluded).build())
            }
        };
        let clients = Clients::new(made, proxies).map_err(failed)?;
        Ok(HttpClient::new(Service { clients }))
    }
}

/// The options have times as text; those that matter are whole seconds. The services of clouds that give machines their credentials have one.
fn seconds(text: Option<&str>) -> Duration {
    let digits = text.and_then(|text| text.strip_suffix('s')?.parse().ok());
    Duration::from_secs(digits.unwrap_or(10))
}

#[derive(Debug)]
struct Service {
    clients: Clients,
}

impl HttpService for Service {
    fn call<'s, 'a>(
        &'s self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(self.answer(request))
    }
}

impl Service {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_range = request.headers().contains_key(RANGE);
        // What changes something is not sent elsewhere.
        let answer = match matches!(request.method().as_str(), "GET" | "HEAD") {
            true => self.followed(request).await?,
            false => HttpService::call(self.clients.plain(), request).await?,
        };
        let (parts, body) = answer.into_parts();
        if is_range && ends_nowhere(&parts.headers) {
            return Err(Refused("the server answers with a range that no file has".into()).into());
        }
        let is_error = parts.status.is_client_error() || parts.status.is_server_error();
        // It may repeat the request, with what gives access.
        let body = match is_error {
            true => Bytes::new().into(),
            false if is_range => body,
            false => whole(body).await?.into(),
        };
        Ok(HttpResponse::from_parts(parts, body))
    }

    async fn followed(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let url = Url::parse(&request.uri().to_string());
        let url = url.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let send = |leg: Leg| {
            let request = led(&request, &leg);
            async move {
                let answer = HttpService::call(&leg.client, request?).await;
                answer.map_err(|error| match Refused::cause(&error) {
                    Some(why) => Refused(why).into(),
                    None => error,
                })
            }
        };
        let read = |answer: &HttpResponse| Sign {
            status: answer.status(),
            location: answer.headers().get(LOCATION).cloned(),
            from: answer
                .extensions()
                .get::<HttpInfo>()
                .map(HttpInfo::remote_addr),
        };
        self.clients.follow(url, send, read).await
    }
}

/// Whether an answer's range ends at the largest number, with which the store cannot reckon.
fn ends_nowhere(headers: &HeaderMap) -> bool {
    let range = headers
        .get(CONTENT_RANGE)
        .and_then(|range| range.to_str().ok());
    let numbers = range.map(|range| range.split(|c: char| !c.is_ascii_digit()));
    numbers.is_some_and(|mut numbers| numbers.any(|number| number.parse() == Ok(u64::MAX)))
}

async fn whole(body: HttpResponseBody) -> Result<Bytes, HttpError> {
    let whole = Limited::new(body, LARGEST).collect();
    match tokio::time::timeout(LONGEST, whole).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(Refused(format!("an answer has more than {LARGEST} bytes")).into())
        }
        Ok(Err(error)) => Err(HttpError::new_boxed(HttpErrorKind::Interrupted, error)),
        Err(late) => Err(HttpError::new(HttpErrorKind::Timeout, late)),
    }
}

/// The request, on its way; to another server it has no key, signature or token.
fn led(request: &HttpRequest, leg: &Leg) -> Result<HttpRequest, HttpError> {
    let mut led = request.clone();
    if *request.uri() != leg.url.as_str() {
        let uri = leg.url.as_str().parse();
        *led.uri_mut() = uri.map_err(|_| Refused("the server redirects to no URL".into()))?;
    }
    if leg.is_foreign {
        let of = led.headers();
        let kept = [RANGE, IF_MATCH, ACCEPT_ENCODING].into_iter();
        let kept = kept.filter_map(|name| Some((name.clone(), of.get(name)?.clone())));
        let kept: HeaderMap = kept.collect();
        *led.headers_mut() = kept;
    }
    Ok(led)
}

impl From<Refused> for HttpError {
    fn from(refused: Refused) -> HttpError {
        // Of this kind nothing is tried again.
        HttpError::new(HttpErrorKind::Unknown, refused)
    }
}
