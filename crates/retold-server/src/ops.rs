//! For those who run the service, and the page for people.

use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};

use crate::problem::Problem;
use crate::state::App;

/// Says that the process is there.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, description = "it is there", body = String)))]
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// Says whether requests should be sent here.
#[utoipa::path(get, path = "/readyz", tag = "operation",
    responses((status = 200, description = "yes", body = String),
        (status = 503, description = "no", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn ready(State(app): State<App>) -> Result<&'static str, Problem> {
    match app.is_ready() {
        true => Ok("ready\n"),
        false => Err(Problem::busy(
            "the service is stopping, or can no longer write",
        )),
    }
}

/// Counts and times, as Prometheus reads them.
#[utoipa::path(get, path = "/metrics", tag = "operation", responses((status = 200, description = "OpenMetrics text", body = String, content_type = "application/openmetrics-text")))]
pub(crate) async fn metrics(State(app): State<App>) -> Response {
    let kind =
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], app.metrics.text(&app.index)).into_response()
}

pub(crate) async fn description(json: String) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], json).into_response()
}

/// The page for people. It loads nothing from anywhere else, and may not.
pub(crate) async fn people() -> Response {
    let mut response = Html(include_str!("people.html")).into_response();
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(policy),
    );
    response
}

pub(crate) async fn nothing(uri: Uri) -> Problem {
    let path = uri.path();
    let detail = format!(
        "there is nothing at {path}; /openapi.json says what there is (ids in paths are percent-encoded)"
    );
    Problem::new(StatusCode::NOT_FOUND, detail)
}

pub(crate) async fn other_method(method: Method, uri: Uri) -> Problem {
    let path = uri.path();
    let detail = format!("{path} knows no {method}; /openapi.json says what it knows");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}
