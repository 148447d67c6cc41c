//! The threads of a job.

use crate::config::{cores, most_threads};
use crate::error::{Error, Result};

/// Runs a job on this many threads (0: one per core), at most [`most_threads`]. A job inside a job with the same number uses the same
/// threads, since new threads stay on one core until the system spreads them.
/// number is the same: new threads stay on one core until the system spreads them.
pub fn in_pool<T: Send>(threads: usize, job: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let used = threads.min(most_threads());
    let wanted = match used {
        0 => cores(),
        used => used,
    };
    if rayon::current_thread_index().is_some() && rayon::current_num_threads() == wanted {
        return job();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(used).build();
    pool.map_err(|e| Error::Usage(format!("--threads {threads}: {e}")))?
        .install(job)
}
