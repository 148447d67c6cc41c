//! The threads of a job.

use crate::config::{cores, most_threads};
use crate::error::{Error, Result};

/// Does a job on so many threads; 0 for one a core, never more than [`most_threads`]. A job within a job stays on its threads, if they
/// are as many: new ones stand on one core until the system gets around to spreading them.
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
