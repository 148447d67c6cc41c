//! The route `/mcp`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::agents::Agents;
use crate::body::{self, HeldBody};
use crate::problem::Problem;
use crate::state::App;

/// The agents' route.
#[derive(Clone)]
pub(crate) struct Route(StreamableHttpService<Agents, NeverSessionManager>);

impl Route {
    /// Each request stands for itself and is answered with JSON: there are no sessions that a client could leave behind.
    pub(crate) fn new(app: &App) -> Route {
        let mut config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // `guard` has checked it, for all routes alike.
            .disable_allowed_hosts();
        config.max_request_body_bytes = app.options.max_body;
        let agents = Agents {
            app: app.clone(),
            may_write: app.options.mcp_write && app.committer.is_some(),
        };
        let sessions = Arc::new(NeverSessionManager::default());
        Route(StreamableHttpService::new(
            move || Ok(agents.clone()),
            sessions,
            config,
        ))
    }
}

/// Answers a message of an agent. The body is read as those of other requests, within the same limits.
pub(crate) async fn message(
    State((app, route)): State<(App, Route)>,
    request: Request,
) -> Result<Response, Problem> {
    let (head, content) = request.into_parts();
    let HeldBody { bytes, room } = body::read(&app, &head.headers, content).await?;
    let response = route.0.handle(Request::from_parts(head, Body::from(bytes)));
    let response = response.await;
    drop(room);
    Ok(response.into_response())
}
