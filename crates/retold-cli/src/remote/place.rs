//! Where the bytes of a remote file are, and the reasons why they cannot be read.

use std::fmt::Debug;
use std::ops::Range;
use std::time::{Duration, Instant};

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

/// Watches that bytes keep coming: a server that sends one now and then would hold a run for ever.
#[derive(Debug)]
pub struct Pace {
    since: Instant,
    bytes: usize,
    patience: Duration,
}

impl Pace {
    /// What has to come while patience lasts: less is no connection.
    const LEAST: usize = 64 << 10;
    const PATIENCE: Duration = Duration::from_secs(300);

    pub fn new() -> Pace {
        Pace::with(Pace::PATIENCE)
    }

    fn with(patience: Duration) -> Pace {
        Pace {
            since: Instant::now(),
            bytes: 0,
            patience,
        }
    }

    /// So many bytes came.
    ///
    /// Errors: they come too slowly.
    pub fn came(&mut self, bytes: usize) -> Result<(), Failure> {
        self.bytes += bytes;
        if self.bytes >= Pace::LEAST {
            *self = Pace::with(self.patience);
        } else if self.since.elapsed() >= self.patience {
            return Err(Failure::Final(format!(
                "only {} bytes came in {} s",
                self.bytes,
                self.since.elapsed().as_secs()
            )));
        }
        Ok(())
    }
}

/// Where the bytes of a file are.
pub trait Place: Debug + Send + Sync {
    /// Adds the bytes of a range to `got`, as many as come; nothing is read behind one that is too many.
    fn more<'a>(
        &'a self,
        range: Range<u64>,
        got: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<(), Failure>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_to_keep_coming() {
        let mut pace = Pace::new();
        assert!((0..100).all(|_| pace.came(1).is_ok()));
        let mut impatient = Pace::with(Duration::ZERO);
        assert!(impatient.came(Pace::LEAST).is_ok());
        assert!(
            matches!(impatient.came(1), Err(Failure::Final(why)) if why.starts_with("only 1 bytes came"))
        );
    }
}
