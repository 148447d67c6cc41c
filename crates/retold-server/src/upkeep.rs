//! Routes that keep an index in shape: compaction, learning and snapshots.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use retold_index::{Index, Stats};
use serde::Serialize;
use utoipa::ToSchema;

use crate::commit::Upkeep;
use crate::pages::read_only;
use crate::problem::Problem;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

/// Rewrites the index without removed pages, and answers when that is done. Pages that come meanwhile wait.
#[utoipa::path(post, path = "/v1/compact", tag = "operation",
    responses((status = 200, description = "the index in numbers", body = Stats)))]
pub(crate) async fn compact(State(app): State<App>) -> Result<Json<Stats>> {
    done(&app, Upkeep::Compact).await
}

/// Counts again what is common in the pages, and answers when that is done. Pages that come meanwhile wait.
#[utoipa::path(post, path = "/v1/learn", tag = "operation",
    responses((status = 200, description = "the index in numbers", body = Stats)))]
pub(crate) async fn learn(State(app): State<App>) -> Result<Json<Stats>> {
    done(&app, Upkeep::Learn).await
}

async fn done(app: &App, upkeep: Upkeep) -> Result<Json<Stats>> {
    let committer = app.committer.as_ref().ok_or_else(read_only)?;
    committer.upkeep(upkeep).await?;
    let stats = app.work(|index| Ok(index.stats()?));
    Ok(Json(stats.await?))
}

/// A copy of the index.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Snapshot {
    /// The folder, on the machine of the service.
    folder: String,
    /// Its pages.
    pages: u64,
}

/// Copies the index, as it is at this moment, to a new folder below that of `--snapshots`, and reads every byte of the copy.
#[utoipa::path(post, path = "/v1/snapshots", tag = "operation",
    responses((status = 201, description = "the copy", body = Snapshot)))]
pub(crate) async fn snapshot(State(app): State<App>) -> Result<(StatusCode, Json<Snapshot>)> {
    let Some(folder) = app.options.snapshots.clone() else {
        let detail = "this service makes no snapshots: start it with --snapshots DIR";
        return Err(Problem::new(StatusCode::FORBIDDEN, detail));
    };
    let index = std::sync::Arc::clone(&app.index);
    // Not within the time for a request: it reads the whole index.
    let made = tokio::task::spawn_blocking(move || {
        let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
        let folder = folder.join(now.to_string());
        index.snapshot(&folder)?;
        Ok::<_, retold::Error>(Snapshot {
            pages: Index::open(&folder)?.len() as u64,
            folder: folder.display().to_string(),
        })
    });
    let made = made
        .await
        .map_err(|_| Problem::internal("the snapshot failed; please report it"))?;
    Ok((StatusCode::CREATED, Json(made?)))
}
