//! The memory of records in work: how much each takes, and how many may be in work at once.
//!
//! A record is counted by its decompressed size, times what work on it takes for each byte. Workers wait with a record until it fits beside
//! those of the other workers, or until there are none. One that does not fit alone is rejected, with the least memory that would do.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// What the program takes without records.
const PROGRAM: u64 = 32 << 20;
/// What records in work may take in the smallest run.
const LEAST: u64 = 32 << 20;

/// What work on a page's text takes for each byte of the record: the text as written, as it is seen and folded, its tokens and words.
const TEXTS: u64 = 8;

/// How much memory records in work may take; by default there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkLimit {
    /// The memory of the run in bytes.
    pub memory: u64,
    /// How many bytes work on a record takes for each byte of it.
    pub times: u64,
}

impl Default for WorkLimit {
    fn default() -> WorkLimit {
        WorkLimit {
            memory: u64::MAX,
            times: 1,
        }
    }
}

impl WorkLimit {
    /// The limit of a run with this much memory that works on the texts of pages.
    pub fn of_texts(memory: u64) -> WorkLimit {
        WorkLimit {
            memory,
            times: TEXTS,
        }
    }

    /// The limit for work that takes so many times more.
    pub(crate) fn times(self, more: u64) -> WorkLimit {
        WorkLimit {
            times: self.times * more,
            ..self
        }
    }

    /// What work on a record of this size takes.
    fn of(&self, size: u64) -> u64 {
        size.saturating_mul(self.times)
    }

    /// The reason for rejecting a record of this size, if it does not fit.
    fn excess(&self, size: u64) -> Option<String> {
        let least = self.of(size).saturating_add(PROGRAM);
        (least > self.memory).then(|| {
            format!(
                "too large for --memory ({} bytes): a record of {size} bytes needs at least {}M",
                self.memory,
                least.div_ceil(1 << 20)
            )
        })
    }
}

/// The memory that the records in work take, over all readers and workers.
#[derive(Clone, Debug)]
pub(crate) struct InWork {
    limit: WorkLimit,
    /// What all records in work may take together.
    together: u64,
    /// Whether records that do not fit are rejected. Those that were read before are worked on, each alone.
    rejects: bool,
    taken: Arc<(Mutex<u64>, Condvar)>,
}

impl InWork {
    pub(crate) fn new(limit: WorkLimit, rejects: bool) -> InWork {
        InWork {
            limit,
            // Data about pages may take three quarters.
            together: (limit.memory / 4).saturating_add(LEAST),
            rejects,
            taken: Arc::default(),
        }
    }

    /// See [`WorkLimit::excess`].
    pub(super) fn excess(&self, size: u64) -> Option<String> {
        self.limit.excess(size).filter(|_| self.rejects)
    }

    /// Waits until records of this size fit beside the others in work, or until there are no others.
    pub(crate) fn claim(&self, size: u64) -> Claim {
        let claim = Claim {
            of: self.clone(),
            size: AtomicU64::new(0),
        };
        claim.set(size);
        claim
    }
}

/// The memory of some records in work, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    of: InWork,
    size: AtomicU64,
}

impl Claim {
    /// Claims more for a record whose content is larger than the record was, because it was compressed. Meanwhile nothing is claimed, so that
    /// two who wait do not wait for each other. The error is the reason for a reject.
    pub(super) fn grow(&self, size: u64) -> Result<(), String> {
        if let Some(reason) = self.of.excess(size) {
            return Err(reason);
        }
        if size > self.size.load(Relaxed) {
            self.set(0);
            self.set(size);
        }
        Ok(())
    }

    fn set(&self, size: u64) {
        let InWork {
            limit, together, ..
        } = self.of;
        let before = limit.of(self.size.swap(size, Relaxed));
        let (taken, changed) = &*self.of.taken;
        let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken -= before;
        if before > 0 {
            changed.notify_all();
        }
        let wanted = limit.of(size);
        let is_full = |taken: &mut u64| *taken > 0 && taken.saturating_add(wanted) > together;
        if wanted > 0 {
            let free = changed.wait_while(taken, is_full);
            *free.unwrap_or_else(PoisonError::into_inner) += wanted;
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    use super::*;

    /// Records take twice their size, and 100 bytes together.
    fn small(memory: u64) -> InWork {
        InWork {
            together: 100,
            ..InWork::new(WorkLimit { memory, times: 2 }, true)
        }
    }

    fn taken(work: &InWork) -> u64 {
        *work.taken.0.lock().unwrap()
    }

    #[test]
    fn records_wait_until_they_fit_beside_the_others() {
        let work = small(u64::MAX);
        let (first, second) = (work.claim(20), work.claim(30));
        assert_eq!(taken(&work), 100);
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            for size in [1, 400] {
                let (work, sender) = (&work, sender.clone());
                scope.spawn(move || sender.send(work.claim(size)).unwrap());
            }
            let soon = Duration::from_millis(20);
            let waits = || receiver.recv_timeout(soon).err() == Some(RecvTimeoutError::Timeout);
            assert!(waits());
            drop(first);
            // The small one fits in the place of the first, the large one fits nowhere.
            let third = receiver.recv().unwrap();
            assert_eq!(taken(&work), 62);
            assert!(waits());
            drop(second);
            assert!(waits());
            drop(third);
            // It is alone.
            let fourth = receiver.recv().unwrap();
            assert_eq!(taken(&work), 800);
            drop(fourth);
        });
        assert_eq!(taken(&work), 0);
    }

    #[test]
    fn two_that_grow_do_not_wait_for_each_other() {
        let work = small(u64::MAX);
        let largest = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let claim = work.claim(6);
                        claim.grow(6).unwrap();
                        claim.grow(49).unwrap();
                        largest.fetch_max(taken(&work), Relaxed);
                    }
                });
            }
        });
        assert_eq!(taken(&work), 0);
        assert!((98..=100).contains(&largest.into_inner()));
    }

    #[test]
    fn what_does_not_fit_alone_is_rejected_with_the_least_that_would_do() {
        let work = small(PROGRAM + (2 << 20));
        assert_eq!(work.excess(1 << 20), None);
        let reason = work.excess((1 << 20) + 1).unwrap();
        assert!(
            reason.ends_with("a record of 1048577 bytes needs at least 35M"),
            "{reason}"
        );
        assert_eq!(work.claim(7).grow((1 << 20) + 1), Err(reason));
        assert_eq!(small(35 << 20).excess((1 << 20) + 1), None);
        let again = InWork {
            rejects: false,
            ..work
        };
        assert_eq!(again.excess(u64::MAX), None);
        let without_limit = InWork::new(WorkLimit::default(), true);
        assert_eq!(without_limit.excess(u64::MAX - PROGRAM), None);
    }
}
