//! Where the bytes of a remote file are, and the reasons why they cannot be read.

use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

use futures_util::future::BoxFuture;

/// How often it is tried again when nothing comes.
pub const TRIES: u32 = 8;

/// Why the bytes of a range did not all come.
#[derive(Debug)]
pub enum Failure {
    /// The file is another.
    Changed,
    /// It makes no sense to try again.
    Final(String),
    /// It may come the next time, which should not be before so long.
    Passing(String, Duration),
}

impl Failure {
    pub fn passing(reason: impl Into<String>) -> Failure {
        Failure::Passing(reason.into(), Duration::ZERO)
    }
}

/// How long to wait before the next try.
pub fn pause(tries: u32) -> Duration {
    Duration::from_millis(100 << tries.min(7)).min(Duration::from_secs(10))
}

/// Where the bytes of a file are.
pub trait Place: Debug + Send + Sync {
    /// Adds the bytes of a range to `got`, as many as come.
    fn more<'a>(
        &'a self,
        range: Range<u64>,
        got: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<(), Failure>>;
}
