//! A remote file as it was when it was listed. Requests for its bytes are repeated until they succeed.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use retold::read::{RemoteError, RemoteFile};

use super::cache::Cache;
use super::network::wait;
use super::place::{Failure, Pace, Place, TRIES, pause};

/// See [`RemoteFile`].
#[derive(Debug)]
pub struct Pinned {
    place: Box<dyn Place>,
    cache: Option<Arc<Cache>>,
    number: u64,
}

impl Pinned {
    pub fn file(place: Box<dyn Place>, cache: Option<Arc<Cache>>) -> Arc<dyn RemoteFile> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Arc::new(Pinned {
            place,
            cache,
            number: COUNT.fetch_add(1, Relaxed),
        })
    }

    /// Fetches a range. If a connection breaks, the rest is requested.
    async fn fetch(&self, range: Range<u64>) -> Result<Bytes, RemoteError> {
        let wanted = (range.end - range.start) as usize;
        // Of a file that says it is large, more may be wanted than will ever come.
        let mut got = Vec::with_capacity(wanted.min(8 << 20));
        let (mut tries, mut pace) = (0, Pace::new());
        loop {
            let before = got.len();
            let rest = range.start + before as u64..range.end;
            let ended = self.place.more(rest, &mut got).await;
            if got.len() == wanted {
                return Ok(got.into());
            }
            if got.len() > wanted {
                return Err(RemoteError::Failed(
                    "more bytes came than were asked for".into(),
                ));
            }
            let ended = match got.len() - before {
                0 => ended,
                came => pace.came(came).and(ended),
            };
            let (reason, least) = match ended {
                Ok(()) => {
                    let end = range.start + got.len() as u64;
                    (format!("the bytes end at {end}"), Duration::ZERO)
                }
                Err(Failure::Changed) => return Err(RemoteError::Changed),
                Err(Failure::Final(reason)) => return Err(RemoteError::Failed(reason)),
                Err(Failure::Passing(reason, least)) => (reason, least),
            };
            tries = if got.len() > before { 1 } else { tries + 1 };
            if tries > TRIES {
                return Err(RemoteError::Failed(format!(
                    "{reason}; tried {TRIES} times. Run again when it can be reached; a run with --resume goes on where it was"
                )));
            }
            tokio::time::sleep(pause(tries).max(least)).await;
        }
    }
}

impl RemoteFile for Pinned {
    fn read(&self, range: Range<u64>) -> Result<Bytes, RemoteError> {
        if let Some(cache) = &self.cache
            && let Some(bytes) = cache.get(self.number, &range)
        {
            return Ok(bytes);
        }
        let fetched = wait(self.fetch(range.clone()));
        let bytes = fetched
            .map_err(|error| RemoteError::Failed(format!("cannot start the network: {error}")))??;
        if let Some(cache) = &self.cache {
            cache.put(self.number, &range, &bytes);
        }
        Ok(bytes)
    }
}
