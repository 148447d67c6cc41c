//! What every request goes through: who may ask, and what is noted.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use crate::problem::Problem;
use crate::state::App;

/// What may be seen without a token: whether the service lives, and the page for people, which has no data.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/"];

/// Lets those pass who bring a token.
pub(crate) async fn authorize(State(app): State<App>, request: Request, next: Next) -> Response {
    let tokens = &app.options.tokens;
    let is_open = OPEN.contains(&request.uri().path());
    if tokens.is_empty() || is_open || brings(request.headers(), tokens) {
        return next.run(request).await;
    }
    let detail = "a token is needed: send it as `Authorization: Bearer TOKEN`";
    Problem::new(StatusCode::UNAUTHORIZED, detail).into_response()
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
