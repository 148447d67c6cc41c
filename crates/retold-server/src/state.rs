//! The state shared by all requests.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use retold::Result;
use retold_index::{Index, Writer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::commit::Committer;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::room::Room;

/// The limits of a service.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Maximum size of a request's body in bytes.
    pub max_body: usize,
    /// Maximum memory for all bodies, and for pages made of them, in bytes.
    pub max_bodies: usize,
    /// Maximum number of requests being processed; further ones get status 503.
    pub max_requests: usize,
    /// Maximum number of open connections; further ones are closed.
    pub max_connections: usize,
    /// Time limit for receiving the head of a request, and for its body.
    pub read_timeout: Duration,
    /// Time limit for processing a request; after that the client gets an error.
    pub work_timeout: Duration,
    /// Time limit for shutting down.
    pub grace: Duration,
    /// Accepted tokens. If there are none, no token is needed.
    pub tokens: Vec<String>,
    /// Host names, besides `localhost` and loopback addresses, under which a service without tokens may be used.
    pub hosts: Vec<String>,
    /// Where snapshots of the index go, if they may be asked for.
    pub snapshots: Option<PathBuf>,
    /// Whether agents may add and remove pages over `/mcp`, if the service writes.
    pub mcp_write: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_body: 16 << 20,
            max_bodies: 256 << 20,
            max_requests: 64,
            max_connections: 16_384,
            read_timeout: Duration::from_secs(10),
            work_timeout: Duration::from_secs(30),
            grace: Duration::from_secs(30),
            tokens: Vec::new(),
            hosts: Vec::new(),
            snapshots: None,
            mcp_write: false,
        }
    }
}

/// The state shared by all requests. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App(Arc<Shared>);

/// The contents of an [`App`].
#[derive(Debug)]
pub struct Shared {
    pub(crate) index: Arc<Index>,
    /// `None` if the service is read-only.
    pub(crate) committer: Option<Committer>,
    pub(crate) options: Options,
    pub(crate) metrics: Metrics,
    /// A permit for each request being processed.
    work: Arc<Semaphore>,
    /// A permit for each KiB of bodies, and of pages made of them.
    bodies: Arc<Semaphore>,
    stopping: AtomicBool,
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    /// A service that reads and writes.
    pub fn writing(writer: Writer, options: Options) -> Result<App> {
        let index = Arc::clone(writer.index());
        let metrics = Metrics::default();
        let committer = Committer::start(writer, &metrics)?;
        Ok(App::new(index, Some(committer), options, metrics))
    }

    /// A read-only service; another process may write the index.
    pub fn reading(index: Index, options: Options) -> App {
        App::new(Arc::new(index), None, options, Metrics::default())
    }

    fn new(
        index: Arc<Index>,
        committer: Option<Committer>,
        options: Options,
        metrics: Metrics,
    ) -> App {
        App(Arc::new(Shared {
            work: Arc::new(Semaphore::new(options.max_requests)),
            bodies: Arc::new(Semaphore::new(options.max_bodies.div_ceil(1 << 10))),
            stopping: AtomicBool::new(false),
            index,
            committer,
            options,
            metrics,
        }))
    }

    /// The index.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Runs a job that reads the index on a separate thread.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Index) -> std::result::Result<T, Problem> + Send + 'static,
    ) -> std::result::Result<T, Problem> {
        let permit = self.permit()?;
        let index = Arc::clone(&self.index);
        let work = tokio::task::spawn_blocking(move || {
            // Held until the job ends, even if the client has gone.
            let _permit = permit;
            job(&index)
        });
        match tokio::time::timeout(self.options.work_timeout, work).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(Problem::internal(
                "the work on this request failed; please report it",
            )),
            Err(_) => Err(Problem::slow(self.options.work_timeout)),
        }
    }

    fn permit(&self) -> std::result::Result<OwnedSemaphorePermit, Problem> {
        let permit = Arc::clone(&self.work).try_acquire_owned();
        permit.map_err(|_| Problem::busy("the maximum number of requests is being processed"))
    }

    pub(crate) fn room(&self) -> std::result::Result<Room, Problem> {
        Room::in_all(&self.bodies)
    }
}

impl Shared {
    /// From now on, reports that the service is not ready.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_ready(&self) -> bool {
        let writes = self.committer.as_ref().is_none_or(Committer::is_alive);
        writes && !self.stopping.load(Ordering::Relaxed)
    }
}
