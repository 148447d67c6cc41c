//! The checks and the log entry of every request.
//!
//! The rules for a service without tokens are those against cross-site requests and DNS rebinding (OWASP, Cross-Site Request Forgery Prevention
//! Cheat Sheet; W3C Fetch Metadata).

use std::net::IpAddr;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use crate::problem::Problem;
use crate::state::App;

/// What may be seen without a token: whether the service lives, and the page for people, which has no data.
pub(crate) fn is_open(path: &str) -> bool {
    ["/healthz", "/readyz"].contains(&path) || crate::ops::is_people(path)
}

/// Lets those pass who bring a token; of a service without tokens, those that are no pages of other sites.
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

/// Why a service that asks for no token refuses a request: a browser on this machine sends it for a page of another site, which reaches
/// the service by a name of its own (DNS rebinding) or by a request from another origin.
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

/// Whether `host`, or `host:port`, is this machine seen from itself, or one of these names.
fn is_own(asked: &str, hosts: &[String]) -> bool {
    let host = host_of(asked);
    let is_loopback = host
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_loopback());
    let is_named = hosts.iter().any(|name| name.eq_ignore_ascii_case(host));
    is_loopback || is_named || host.eq_ignore_ascii_case("localhost")
}

/// Without the port, and an address of version 6 without its brackets.
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
    // All are looked at, so that the time says nothing.
    let found = tokens.iter().map(|known| known.as_bytes().ct_eq(token));
    found
        .fold(subtle::Choice::from(0), |any, one| any | one)
        .into()
}

/// Counts and logs a request.
pub(crate) async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let _held = app.metrics.begin();
    let start = Instant::now();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    // Paths that are none are not told apart: there are too many of them.
    let route = route.unwrap_or_else(|| "other".to_owned());
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let took = start.elapsed();
    // Methods that are none are not told apart either.
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
