//! Serves connections of a socket.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use retold::Result;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::linger::{self, Lent};
use crate::state::App;

/// How the service ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All accepted requests were answered.
    Whole,
    /// Some requests took too long and were cut off.
    CutOff,
}

/// How often a read-only service loads what others have committed.
const REFRESH: Duration = Duration::from_secs(1);
/// The answer to a connection beyond the limit.
const TOO_MANY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
/// How many connections beyond the limit get this answer at a time; others are closed without one.
const REFUSED_AT_A_TIME: usize = 256;

/// Answers on `listener` until `stop` completes, then finishes accepted requests and closes the index within
/// [`Options::grace`](crate::Options::grace). Requests that still wait for the disk after two thirds of that time are refused (503);
/// connections are cut after five sixths.
///
/// Errors: the index cannot be closed.
pub async fn serve(
    app: App,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> Result<Stop> {
    let options = app.options.clone();
    let connections = Arc::new(Semaphore::new(options.max_connections));
    let refusals = Arc::new(Semaphore::new(REFUSED_AT_A_TIME));
    let builder = Arc::new(protocols(options.read_timeout));
    let graceful = GracefulShutdown::new();
    let routes = crate::app::app(app.clone());
    let refreshing = app
        .committer
        .is_none()
        .then(|| tokio::spawn(refresh_often(app.clone())));
    // So that the first client need not wait until the columns of a large index are loaded.
    let index = Arc::clone(&app.index);
    tokio::task::spawn_blocking(move || {
        if let Err(e) = index.load_columns() {
            tracing::warn!(error = %e, "cannot read the index for its lists");
        }
    });
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(e) => {
                // Usually too many open files; wait until some are closed.
                tracing::warn!(error = %e, "cannot accept");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else {
            if let Ok(permit) = Arc::clone(&refusals).try_acquire_owned() {
                refuse(stream, permit);
            }
            continue;
        };
        // Answers are small, so waiting for more data would only delay them.
        let _ = stream.set_nodelay(true);
        let held = app.metrics.connected();
        let answered = answer(
            stream,
            routes.clone(),
            Arc::clone(&builder),
            graceful.watcher(),
            options.read_timeout,
        );
        tokio::spawn(async move {
            let _open = (permit, held);
            answered.await;
        });
    }
    drop(listener);
    let ended = end(&app, answered(graceful, options.grace * 5 / 6)).await;
    if let Some(refreshing) = refreshing {
        refreshing.abort();
    }
    ended
}

/// Answers the requests of a connection, and closes it.
async fn answer(
    stream: TcpStream,
    routes: Router,
    builder: Arc<Builder<TokioExecutor>>,
    watcher: Watcher,
    patience: Duration,
) {
    let said = tokio::time::timeout(patience, speaks(&stream)).await;
    if !said.unwrap_or(false) {
        return;
    }
    let (stream, given_back) = Lent::new(stream);
    let service = TowerToHyperService::new(routes);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    // Errors of a connection concern only its client.
    let _ = watcher.watch(connection.into_owned()).await;
    if let Ok(stream) = given_back.await {
        linger::close(stream, patience).await;
    }
}

/// Waits until all connections have ended; false if that takes longer than `limit`.
async fn answered(connections: GracefulShutdown, limit: Duration) -> bool {
    let ended = tokio::time::timeout(limit, connections.shutdown());
    ended.await.is_ok()
}

/// Accepts no more work, finishes what was accepted and closes the index. `answered` completes when all requests were answered, or were cut
/// off, which is false.
pub(crate) async fn end(app: &App, answered: impl Future<Output = bool>) -> Result<Stop> {
    let (told, grace) = (Instant::now(), app.options.grace);
    app.stop();
    if let Some(committer) = &app.committer {
        committer.end_by(told + grace * 2 / 3);
    }
    let mut whole = answered.await;
    if let Some(committer) = &app.committer {
        whole &= committer.finish(told + grace).await?;
    }
    Ok(if whole { Stop::Whole } else { Stop::CutOff })
}

fn protocols(patience: Duration) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(64 << 10);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(128)
        .max_header_list_size(64 << 10)
        .keep_alive_interval(Some(patience))
        .keep_alive_timeout(patience);
    builder
}

/// Waits until the client has sent enough to tell HTTP/1 from HTTP/2; hyper would wait without a limit. False if the client closed the
/// connection.
async fn speaks(stream: &TcpStream) -> bool {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const WAIT: Duration = Duration::from_millis(10);
    let mut said = [0; PREFACE.len()];
    loop {
        match stream.peek(&mut said).await {
            Err(_) | Ok(0) => return false,
            Ok(count) if count == PREFACE.len() || !PREFACE.starts_with(&said[..count]) => {
                return true;
            }
            Ok(_) => tokio::time::sleep(WAIT).await,
        }
    }
}

fn refuse(mut stream: TcpStream, permit: OwnedSemaphorePermit) {
    const PATIENCE: Duration = Duration::from_secs(1);
    tokio::spawn(async move {
        let _permit = permit;
        // A client that does not read has closed already.
        let write = stream.write_all(TOO_MANY);
        if let Ok(Ok(())) = tokio::time::timeout(PATIENCE, write).await {
            linger::close(stream, PATIENCE).await;
        }
    });
}

/// Loads new commits of the writer periodically.
pub(crate) async fn refresh_often(app: App) {
    loop {
        tokio::time::sleep(REFRESH).await;
        let index = Arc::clone(&app.index);
        let refreshed = tokio::task::spawn_blocking(move || index.refresh()).await;
        if let Ok(Err(e)) = refreshed {
            tracing::error!(error = %e, "cannot load new commits");
        }
    }
}
