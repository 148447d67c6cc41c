//! An index as a service: which of these pages do we have already?
//!
//! [`app`] makes the routes of an opened index, [`serve`] answers on a socket until it is told to stop. What the routes are is
//! described by the service itself, at `/openapi.json`.

#![forbid(unsafe_code)]

mod body;
mod commit;
mod guard;
mod metrics;
mod ops;
mod pages;
mod problem;
mod serve;
mod state;
mod stories;

use axum::Router;
use axum::middleware::from_fn_with_state;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use commit::Committer;
pub use problem::Problem;
pub use serve::{Stop, serve};
pub use state::{App, Options};

/// What stands at the head of the description.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Retold",
        description = "Which of these pages do we have already? Pages are compared by their texts: reprints, shortened and extended \
                   versions of a page are found, and stories, which are pages that repeat each other. Ids in paths are \
                   percent-encoded. Errors are problems as RFC 9457 has them (`application/problem+json`)."
    ),
    components(schemas(stories::Sort, stories::PrunedSketches))
)]
struct Description;

#[expect(deprecated, reason = "clients of 0.1 ask by the old name")]
/// The routes of a service. The state can be shared with others.
pub fn app(state: App) -> Router {
    let (routes, description) = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(pages::add))
        .routes(routes!(pages::query))
        .routes(routes!(pages::query_by_old_name))
        .routes(routes!(pages::get, pages::remove))
        .routes(routes!(stories::matches))
        .routes(routes!(stories::story))
        .routes(routes!(stories::stories))
        .routes(routes!(stories::explain, stories::explain_new))
        .routes(routes!(ops::health))
        .routes(routes!(ops::ready))
        .routes(routes!(ops::metrics))
        .split_for_parts();
    let json = description.to_json().unwrap_or_default();
    routes
        .route(
            "/openapi.json",
            axum::routing::get(move || ops::description(json)),
        )
        .route("/", axum::routing::get(ops::people))
        .fallback(ops::nothing)
        .method_not_allowed_fallback(ops::other_method)
        .layer(from_fn_with_state(state.clone(), guard::authorize))
        .layer(from_fn_with_state(state.clone(), guard::observe))
        .with_state(state)
}

#[cfg(test)]
mod tests;
