//! Checks and logs every request.
//!
//! Without tokens, requests are checked against cross-site requests and DNS rebinding (OWASP, Cross-Site Request Forgery Prevention Cheat
//! Sheet; W3C Fetch Metadata).

use std::net::IpAddr;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use crate::problem::Problem;
use crate::state::App;

/// Paths that need no token: health checks, and the web page, which has no data.
pub(crate) fn is_open(path: &str) -> bool {
    ["/healthz", "/readyz"].contains(&path) || crate::ops::is_people(path)
}

/// Accepts requests with a valid token. If the service has no tokens, refuses requests from pages of other sites.
pub(crate) async fn authorize(State(app): State<App>, request: Request, next: Next) -> Response {
    let tokens = &app.options.tokens;
    let is_open = is_open(request.uri().path());
    let refused = if is_open {
        None
    } else if tokens.is_empty() {
        refused(&request, &app.options.hosts)
    } else {
        let detail = "a token is needed: send it as `Authorization: Bearer TOKEN`";
        (!brings(request.headers(), tokens)).then(|| Problem::new(StatusCode::UNAUTHORIZED, detail))
    };
    match refused {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

/// Why a service without tokens refuses a request: a browser on this machine sends it for a page of another site, either from another
/// origin or under a foreign host name (DNS rebinding).
fn refused(request: &Request, hosts: &[String]) -> Option<Problem> {
    let header = |name: header::HeaderName| {
        let value = request.headers().get(name);
        value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let asked = request.uri().authority().map(ToString::to_string);
    let asked = asked.or_else(|| header(header::HOST));
    if let Some(asked) = asked.filter(|asked| !is_own(asked, hosts)) {
        let detail = format!(
            "`{asked}` is not a name of this service; if it is one, start it with `--allow-host {}`",
            host_of(&asked)
        );
        return Some(Problem::new(StatusCode::MISDIRECTED_REQUEST, detail));
    }
    let origin = header(header::ORIGIN).filter(|origin| {
        let host = origin.split_once("://").map(|(_, host)| host);
        !host.is_some_and(|host| is_own(host, hosts))
    });
    let is_cross_site =
        header(header::HeaderName::from_static("sec-fetch-site")).as_deref() == Some("cross-site");
    (origin.is_some() || is_cross_site).then(|| {
        let origin = origin.unwrap_or_else(|| "another site".to_owned());
        let detail = format!("pages of {origin} may not use this service without a token");
        Problem::new(StatusCode::FORBIDDEN, detail)
    })
}

/// Whether `host` or `host:port` is a loopback name or address, or one of `hosts`.
fn is_own(asked: &str, hosts: &[String]) -> bool {
    let host = host_of(asked);
    let is_loopback = host
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_loopback());
    let is_named = hosts.iter().any(|name| name.eq_ignore_ascii_case(host));
    is_loopback || is_named || host.eq_ignore_ascii_case("localhost")
}

/// A host without port and without the brackets of IPv6.
fn host_of(asked: &str) -> &str {
    match asked.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => asked.split(':').next().unwrap_or_default(),
    }
}

fn brings(headers: &HeaderMap, tokens: &[String]) -> bool {
    let value = headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes);
    let Some((scheme, token)) = value.and_then(|value| value.split_at_checked(7)) else {
        return false;
    };
    if !scheme.eq_ignore_ascii_case(b"Bearer ") {
        return false;
    }
    // Compares with all tokens, so that the time reveals nothing.
    let found = tokens.iter().map(|known| known.as_bytes().ct_eq(token));
    found
        .fold(subtle::Choice::from(0), |any, one| any | one)
        .into()
}

pub(crate) async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let _held = app.metrics.begin();
    let start = Instant::now();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    // Unknown paths share one label; otherwise there would be too many.
    let route = route.unwrap_or_else(|| "other".to_owned());
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let took = start.elapsed();
    // Unknown methods share one label as well.
    let known = ["GET", "POST", "DELETE", "HEAD", "PUT", "OPTIONS", "PATCH"];
    let method = known
        .iter()
        .find(|known| **known == method.as_str())
        .copied()
        .unwrap_or("other");
    app.metrics.answered(method, &route, status, took);
    let ms = took.as_secs_f64() * 1e3;
    tracing::info!(method, route, status, ms, "request");
    response
}
