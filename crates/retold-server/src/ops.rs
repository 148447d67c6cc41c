//! Routes for operators, and the web page.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::problem::Problem;
use crate::state::App;

/// Says that the process is running.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, description = "it is there", body = String)))]
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// Says whether the service accepts requests.
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

/// Returns metrics for Prometheus.
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

/// Files of the web page: path, media type and content.
const PEOPLE: [(&str, &str, &str); 4] = [
    (
        "/",
        "text/html; charset=utf-8",
        include_str!("people/index.html"),
    ),
    (
        "/people/style.css",
        "text/css; charset=utf-8",
        include_str!("people/style.css"),
    ),
    (
        "/people/strings.js",
        "text/javascript; charset=utf-8",
        include_str!("people/strings.js"),
    ),
    (
        "/people/app.js",
        "text/javascript; charset=utf-8",
        include_str!("people/app.js"),
    ),
];

/// Whether a path belongs to the web page, which has no data.
pub(crate) fn is_people(path: &str) -> bool {
    PEOPLE.iter().any(|(known, ..)| *known == path)
}

/// The web page. Its policy forbids loading anything from other hosts.
pub(crate) fn people() -> Router<App> {
    const POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src data:; \
                          base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let mut routes = Router::new();
    for (path, kind, text) in PEOPLE {
        // Browsers check for a new version after an update of the service.
        let head = [
            (header::CONTENT_TYPE, kind),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::CACHE_CONTROL, "no-cache"),
        ];
        routes = routes.route(path, get(move || async move { (head, text) }));
    }
    routes
}

pub(crate) async fn nothing(uri: Uri) -> Problem {
    let path = uri.path();
    let detail = format!(
        "there is nothing at {path}; /openapi.json lists the paths (ids in paths are percent-encoded)"
    );
    Problem::new(StatusCode::NOT_FOUND, detail)
}

pub(crate) async fn other_method(method: Method, uri: Uri) -> Problem {
    let path = uri.path();
    let detail = format!("{path} does not allow {method}; /openapi.json says what it allows");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}
