//! The routes of a service, and their API description.

use axum::Router;
use axum::middleware::from_fn_with_state;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[cfg(feature = "mcp")]
use crate::mcp;
use crate::state::App;
use crate::{condense, describe, feeds, guard, lists, ops, pages, passages, stories, upkeep};

/// The head of the API description.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Retold",
        description = "Which of these pages do we have already? Pages are compared by their texts: reprints, shortened and extended \
                   versions of a page are found, and stories, which are pages that repeat each other. Ids in paths are \
                   percent-encoded. Errors are problems as RFC 9457 has them (`application/problem+json`)."
    ),
    components(schemas(lists::Sort, stories::Units))
)]
struct Description;

/// The routes of a service. The state may be shared with other routers.
#[expect(deprecated, reason = "clients of 0.1 ask by the old name")]
pub fn app(state: App) -> Router {
    let (routes, mut description) = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(pages::add, pages::get_by_url))
        .routes(routes!(pages::query))
        .routes(routes!(pages::query_by_old_name))
        .routes(routes!(pages::get, pages::remove))
        .routes(routes!(stories::matches))
        .routes(routes!(stories::story))
        .routes(routes!(stories::versions))
        .routes(routes!(lists::stories))
        .routes(routes!(stories::story_by_id))
        .routes(routes!(lists::search))
        .routes(routes!(lists::overview))
        .routes(routes!(stories::edits))
        .routes(routes!(feeds::stories_atom))
        .routes(routes!(condense::condense))
        .routes(routes!(passages::passages))
        .routes(routes!(passages::of_page))
        .routes(routes!(stories::explain, stories::explain_new))
        .merge(for_operators())
        .split_for_parts();
    describe::complete(&mut description);
    let json = description.to_json().unwrap_or_default();
    #[cfg(feature = "mcp")]
    let routes = {
        let agents = (state.clone(), mcp::Route::new(&state));
        routes.route("/mcp", axum::routing::post(mcp::message).with_state(agents))
    };
    routes
        .route(
            "/openapi.json",
            axum::routing::get(move || ops::description(json)),
        )
        .merge(ops::people())
        .fallback(ops::nothing)
        .method_not_allowed_fallback(ops::other_method)
        .layer(from_fn_with_state(state.clone(), guard::authorize))
        .layer(from_fn_with_state(state.clone(), guard::observe))
        .with_state(state)
}

/// The routes that keep a service in shape.
fn for_operators() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(upkeep::compact))
        .routes(routes!(upkeep::learn))
        .routes(routes!(upkeep::snapshot))
        .routes(routes!(ops::health))
        .routes(routes!(ops::ready))
        .routes(routes!(ops::metrics))
}
