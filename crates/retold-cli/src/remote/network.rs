//! The threads of the network, and waiting for them.

use std::future::Future;
use std::sync::OnceLock;

use retold::{Error, Result};
use tokio::runtime::Runtime;

/// Waits for what the network does.
pub fn wait<F: Future>(work: F) -> std::io::Result<F::Output> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = match RUNTIME.get() {
        Some(runtime) => runtime,
        None => {
            let mut made = tokio::runtime::Builder::new_multi_thread();
            let made = made.worker_threads(2).enable_all().build()?;
            RUNTIME.get_or_init(|| made)
        }
    };
    Ok(runtime.block_on(work))
}

/// The same where a failure to start is an error of the command.
pub fn waited<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    wait(work).map_err(|error| Error::usage(format!("cannot start the network: {error}")))?
}
