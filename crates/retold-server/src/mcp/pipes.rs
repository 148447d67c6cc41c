//! Standard input and output.

use retold::Result;
use rmcp::ServiceExt;
use rmcp::service::QuitReason;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;

use super::agents::Agents;
use crate::serve::{Stop, end, refresh_often};
use crate::state::App;

/// Answers an agent on standard input and output until it closes them, or until `stop` completes. `may_write`: it may add and remove pages.
///
/// Errors: the index cannot be closed.
pub async fn serve_pipes(
    app: App,
    may_write: bool,
    stop: impl Future<Output = ()>,
) -> Result<Stop> {
    let refreshing = app
        .committer
        .is_none()
        .then(|| tokio::spawn(refresh_often(app.clone())));
    let agents = Agents {
        app: app.clone(),
        may_write,
    };
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::new(input, output).with_max_line_length(app.options.max_body);
    let served = async {
        // An agent that goes before its first request has nothing to be told.
        if let Ok(running) = agents.serve(transport).await
            && let Ok(QuitReason::JoinError(e)) = running.waiting().await
        {
            tracing::error!(error = %e, "a request failed");
        }
    };
    tokio::select! {
        () = served => {}
        () = stop => {}
    }
    if let Some(refreshing) = refreshing {
        refreshing.abort();
    }
    end(&app, std::future::ready(true)).await
}
