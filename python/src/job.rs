//! Runs long jobs outside the interpreter's lock, with progress, and stops them on Ctrl-C.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use retold::{Result, RunConfig, Watch};

use crate::error::{InternalError, RetoldWarning, in_python, raise, usage};
use crate::plain;

/// How often signals are checked and progress is shown.
const TICK: Duration = Duration::from_millis(100);

#[derive(Default)]
struct Ticker {
    stop: AtomicBool,
    stage: Mutex<(String, u64)>,
    done: AtomicU64,
    warnings: Mutex<Vec<String>>,
}

impl Watch for Ticker {
    fn begin(&self, stage: &'static str, total: u64) {
        let mut shown = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        *shown = (stage.to_owned(), total);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, by: u64) {
        self.done.fetch_add(by, Ordering::Relaxed);
    }

    fn warn(&self, message: &str) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.push(in_python(message).into_owned());
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Ticker {
    /// Shows progress and warnings. Returns exceptions of the callable or of a signal handler.
    fn tick(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let warnings =
            std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        for warning in warnings {
            let warn = py.import(intern!(py, "warnings"))?;
            warn.call_method1(
                intern!(py, "warn"),
                (warning, py.get_type::<RetoldWarning>()),
            )?;
        }
        if let Some(progress) = progress {
            let (stage, total) = self
                .stage
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            progress.call1(py, (stage, self.done.load(Ordering::Relaxed), total))?;
        }
        Ok(())
    }
}

/// Runs `job` on another thread. The calling thread releases the interpreter's lock, and ten times a second checks signals and calls
/// `progress(stage, done, total)`. An exception there stops the job, and is raised once the job has stopped.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Bound<'_, PyAny>>,
    job: impl FnOnce(&dyn Watch) -> Result<T> + Send,
) -> PyResult<T> {
    let progress = progress.map(callable).transpose()?.flatten();
    let ticker = Ticker::default();
    let tick = |py: Python<'_>| ticker.tick(py, progress.as_ref());
    let (ended, raised) = py.detach(|| {
        std::thread::scope(|scope| {
            let (alive, ended) = channel::<()>();
            let worker = scope.spawn(|| {
                let made = job(&ticker);
                drop(alive);
                made
            });
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
                if raised.is_none()
                    && let Err(error) = Python::attach(tick)
                {
                    ticker.stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            (worker.join(), raised)
        })
    });
    if let Some(error) = raised {
        return Err(error);
    }
    let made = ended.map_err(|_| {
        InternalError::new_err("internal failure; please report it with the message above")
    })?;
    tick(py)?;
    made.map_err(raise)
}

/// The resources given as arguments.
pub fn resources(
    threads: usize,
    memory: Option<Bound<'_, PyAny>>,
    temp_dir: Option<PathBuf>,
    allow_empty: bool,
) -> PyResult<RunConfig> {
    let mut run = RunConfig::default();
    run.threads = threads;
    if let Some(memory) = memory {
        run.memory = plain::bytes("memory", &memory.str()?.extract::<String>()?)?;
    }
    run.temp_dir = temp_dir;
    run.allow_empty = allow_empty;
    Ok(run)
}

/// The callable for progress; `True` stands for a line or a bar.
fn callable(progress: Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let py = progress.py();
    if progress.is_none() || progress.is(PyBool::new(py, false)) {
        return Ok(None);
    }
    if progress.is(PyBool::new(py, true)) {
        let shown = py.import(intern!(py, "retold._progress"))?;
        return Ok(Some(shown.getattr(intern!(py, "shown"))?.call0()?.unbind()));
    }
    if !progress.is_callable() {
        return Err(usage(
            "progress: True, or a callable that takes (stage, done, total)",
        ));
    }
    Ok(Some(progress.unbind()))
}
