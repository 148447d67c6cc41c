//! Limits the memory of requests: bodies while they are received and processed, and pages until they are on disk.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Memory reserved by a request until it is dropped: one permit per KiB.
#[derive(Debug)]
pub(crate) struct Room(OwnedSemaphorePermit);

impl Room {
    /// An empty reservation.
    pub(crate) fn in_all(all: &Arc<Semaphore>) -> Result<Room, Problem> {
        let room = Arc::clone(all).try_acquire_many_owned(0);
        room.map(Room).map_err(|_| no_room())
    }

    pub(crate) fn set(&mut self, bytes: usize) -> Result<(), Problem> {
        let (wanted, own) = (bytes.div_ceil(1 << 10), self.0.num_permits());
        if wanted <= own {
            drop(self.0.split(own - wanted));
            return Ok(());
        }
        let more = u32::try_from(wanted - own).unwrap_or(u32::MAX);
        let all = Arc::clone(self.0.semaphore());
        let more = all.try_acquire_many_owned(more).map_err(|_| no_room());
        more.map(|more| self.0.merge(more))
    }
}

fn no_room() -> Problem {
    Problem::busy("other requests use all the memory that bodies and pages may take")
}
