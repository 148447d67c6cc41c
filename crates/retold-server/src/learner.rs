//! Learns again as the index grows, on a separate thread, while pages are added and requests are answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use retold::internal::in_pool;
use retold::{Error, Result, RunConfig, Watch};
use retold_index::{Learning, Learnt, Writer};

/// How often an idle writing thread checks whether learning has finished.
const LOOK: Duration = Duration::from_millis(200);
/// Memory for learning: a base and an amount for each page. The rest goes to temporary files.
const MEMORY: (u64, u64) = (256 << 20, 512);

/// Learns when the index has grown enough, at most once at a time.
#[derive(Debug, Default)]
pub(crate) struct Learner {
    running: Option<JoinHandle<Result<Learnt>>>,
    stop: Arc<AtomicBool>,
    /// Learning failed, so the model stays until the service is restarted.
    has_failed: bool,
}

impl Learner {
    /// Waits for the next job, and starts or finishes learning meanwhile. `None` if no job will come.
    pub(crate) fn next<T>(&mut self, writer: &mut Writer, jobs: &Receiver<T>) -> Option<T> {
        loop {
            self.look(writer);
            if self.running.is_none() {
                return jobs.recv().ok();
            }
            match jobs.recv_timeout(LOOK) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Adopts a finished model, and starts to learn if it is due.
    fn look(&mut self, writer: &mut Writer) {
        if let Some(learning) = self.running.take_if(|learning| learning.is_finished()) {
            let learnt = learning.join().unwrap_or_else(|_| Err(ended()));
            if let Err(error) = learnt.and_then(|learnt| writer.adopt(learnt)) {
                self.fail(&error);
            }
        }
        if self.running.is_none() && !self.has_failed && writer.is_learning_due() {
            match self.begin(writer.begin_learning()) {
                Ok(learning) => self.running = Some(learning),
                Err(error) => self.fail(&error),
            }
        }
    }

    fn begin(&self, learning: Learning) -> Result<JoinHandle<Result<Learnt>>> {
        let resources = resources(learning.pages());
        let stop = Until(Arc::clone(&self.stop));
        let thread = std::thread::Builder::new().name("learner".into());
        let thread = thread.spawn(move || in_pool(1, || learning.run(&resources, &stop)));
        thread.map_err(|e| Error::usage(format!("cannot start a thread: {e}")))
    }

    fn fail(&mut self, error: &Error) {
        tracing::error!(error = %error, "cannot learn again; the model stays as it is");
        self.has_failed = true;
    }

    pub(crate) fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(learning) = self.running {
            // The unfinished model is lost; learning will be due again.
            drop(learning.join());
        }
    }
}

/// What learning from so many pages may take.
pub(crate) fn resources(pages: usize) -> RunConfig {
    let mut resources = RunConfig::default();
    // Requests have priority.
    resources.threads = 1;
    resources.memory = MEMORY.0 + MEMORY.1 * pages as u64;
    resources.temp_dir = Some(std::env::temp_dir());
    resources
}

fn ended() -> Error {
    Error::usage("the learning thread has failed; please report it")
}

struct Until(Arc<AtomicBool>);

impl Watch for Until {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
