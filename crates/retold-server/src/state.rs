//! The state that all requests share.

use std::ops::Deref;
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
    /// Bytes of a request's body at the most.
    pub max_body: usize,
    /// Bytes of all bodies, and of what is made of them, that are held at one time at the most.
    pub max_bodies: usize,
    /// Requests that are worked on at one time at the most; more get 503.
    pub max_requests: usize,
    /// Connections that are open at one time at the most; more are closed.
    pub max_connections: usize,
    /// How long a client may take to send a request's head, and then its body.
    pub read_timeout: Duration,
    /// How long work on a request may take before the client is told that it takes too long.
    pub work_timeout: Duration,
    /// How long the service may take to end once it was told to stop.
    pub grace: Duration,
    /// Tokens, one of which every request must bring; none: all may ask.
    pub tokens: Vec<String>,
    /// Names besides `localhost` and loopback addresses by which a service without tokens may be asked.
    pub hosts: Vec<String>,
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
        }
    }
}

/// What all requests share. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App(Arc<Shared>);

/// What is behind an [`App`].
#[derive(Debug)]
pub struct Shared {
    pub(crate) index: Arc<Index>,
    /// `None` if the service only reads.
    pub(crate) committer: Option<Committer>,
    pub(crate) options: Options,
    pub(crate) metrics: Metrics,
    /// One for each request that may be worked on.
    work: Arc<Semaphore>,
    /// One for each KiB of bodies, and of what is made of them, that may be held.
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

    /// A service that reads an index which somebody else may write.
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

    /// Does work that reads the index on a thread of its own.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Index) -> std::result::Result<T, Problem> + Send + 'static,
    ) -> std::result::Result<T, Problem> {
        let permit = self.permit()?;
        let index = Arc::clone(&self.index);
        let work = tokio::task::spawn_blocking(move || {
            // Held until the work is done, even if nobody waits for it any more.
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

    /// Room for a request's body, and for what is made of it: none yet.
    pub(crate) fn room(&self) -> std::result::Result<Room, Problem> {
        Room::in_all(&self.bodies)
    }
}

impl Shared {
    /// From now on the service says that it is not ready.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_ready(&self) -> bool {
        let writes = self.committer.as_ref().is_none_or(Committer::is_alive);
        writes && !self.stopping.load(Ordering::Relaxed)
    }
}
