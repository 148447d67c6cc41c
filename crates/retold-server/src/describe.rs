//! Parts of the API description shared by all routes: authorisation, errors, and pages in bodies.

use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi, PathItem, Ref, RefOr, ResponseBuilder};
use utoipa::{PartialSchema, ToSchema};

use crate::guard::is_open;
use crate::problem::Problem;

const TOKEN: &str = "token";
pub(crate) const PROBLEM: &str = "application/problem+json";

type Errors = &'static [(&'static str, &'static str)];

/// Errors of requests that need a token.
const GUARDED: Errors = &[
    ("401", "no token, or a wrong one"),
    (
        "403",
        "the service is read-only, or the request comes from a page of another site",
    ),
    ("421", "the host name of the request is not the service's"),
];
/// Errors of requests that use the index.
const WORK: Errors = &[
    ("400", "the path, the query or the body is malformed"),
    ("500", "a failure; the log says more"),
    (
        "503",
        "too many requests, or the service is stopping; try again after `Retry-After`",
    ),
    ("504", "it took too long"),
];
const BODY: Errors = &[
    ("408", "the body did not come in time"),
    ("413", "the body is too large"),
    ("415", "the media type of the body is unknown"),
    ("422", "the body cannot be read as pages"),
];
const ID: Errors = &[("404", "no page of the index has the id")];

pub(crate) fn complete(description: &mut OpenApi) {
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
    let token = token.description(Some(
        "one of the tokens of `--token-file`, if the service was started with it",
    ));
    let components = description.components.get_or_insert_default();
    components.add_security_scheme(TOKEN, SecurityScheme::Http(token.build()));
    components
        .schemas
        .insert(Problem::name().into_owned(), Problem::schema());
    // A service without tokens needs none.
    let none: [&str; 0] = [];
    description.security = Some(vec![
        SecurityRequirement::default(),
        SecurityRequirement::new(TOKEN, none),
    ]);
    for (path, item) in &mut description.paths.paths {
        for operation in operations(item) {
            if is_open(path) {
                operation.security = Some(Vec::new());
                continue;
            }
            add_errors(operation, GUARDED);
            if path.starts_with("/v1/") {
                add_errors(operation, WORK);
            }
            if path.contains("{id}") {
                add_errors(operation, ID);
            }
            if operation.request_body.is_some() {
                add_errors(operation, BODY);
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.delete]
        .into_iter()
        .flatten()
}

fn add_errors(operation: &mut Operation, errors: Errors) {
    for &(status, description) in errors {
        let schema = Ref::from_schema_name(Problem::name());
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let response = ResponseBuilder::new()
            .description(description)
            .content(PROBLEM, content)
            .build();
        let responses = &mut operation.responses.responses;
        responses
            .entry(status.to_owned())
            .or_insert(RefOr::T(response));
    }
}

/// A page as it is sent. Field names may differ if the index was created with `--text-field` or similar options. Other fields are ignored.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described: `retold` reads pages")]
pub(crate) struct NewPage {
    /// Id; by default the URL. Queries need none.
    id: Option<String>,
    /// URL.
    url: Option<String>,
    /// Date of publication, as in `2026-11-01` or `2026-11-01T08:00:00Z`.
    date: Option<String>,
    /// Title.
    title: Option<String>,
    /// Text; alternatively send `html`.
    text: Option<String>,
    /// HTML of the page, if there is no `text`.
    html: Option<String>,
}

/// A page, or an array of pages.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only described: `retold` reads pages")]
pub(crate) enum NewPages {
    One(NewPage),
    Many(Vec<NewPage>),
}
