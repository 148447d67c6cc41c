//! Parallel work whose results are consumed in order.

use std::collections::BTreeMap;
use std::iter::Enumerate;
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::error::Result;

/// The most batches per thread that are in work or wait to be taken.
const BATCHES_OPEN: usize = 8;

/// Runs `make` on each batch on all threads of the pool, and `take` on the results, in order, on the calling thread. What `take` leaves is
/// dropped by the thread that made it, because freeing memory of another thread makes both wait for the allocator.
///
/// Errors: those of `take`.
pub(crate) fn in_order<B, T: Send>(
    batches: impl Iterator<Item = B> + Send,
    make: impl Fn(B) -> T + Sync,
    take: impl FnMut(&mut T) -> Result<()>,
) -> Result<()> {
    let map = OrderedMap::new(batches, rayon::current_num_threads());
    rayon::in_place_scope(|scope| {
        let helper = || scope.spawn(|_| map.help(&make));
        map.take_all(helper, &make, take)
    })
}

/// Distributes batches to threads and collects their results in order.
struct OrderedMap<I, T> {
    batches: Mutex<Enumerate<I>>,
    state: Mutex<State<T>>,
    /// Wakes the thread that takes results.
    changed: Condvar,
    threads: usize,
}

struct State<T> {
    /// The result of each batch by number, with the thread that made it.
    made: BTreeMap<usize, (usize, T)>,
    /// Taken results, by the thread that made them.
    used: Vec<Vec<T>>,
    taken: usize,
    /// The number of batches that were started or queued and not yet taken.
    open: usize,
    /// How many other threads run `make`.
    helpers: usize,
    /// There are no more batches.
    is_ended: bool,
    /// The caller no longer waits for results.
    is_stopped: bool,
}

impl<B, I: Iterator<Item = B>, T> OrderedMap<I, T> {
    fn new(batches: I, threads: usize) -> OrderedMap<I, T> {
        let state = State {
            made: BTreeMap::new(),
            used: (0..threads).map(|_| Vec::new()).collect(),
            taken: 0,
            open: 0,
            helpers: 0,
            is_ended: false,
            is_stopped: false,
        };
        OrderedMap {
            batches: Mutex::new(batches.enumerate()),
            state: Mutex::new(state),
            changed: Condvar::new(),
            threads,
        }
    }

    /// Whether another batch may be started.
    fn has_room(&self, state: &State<T>) -> bool {
        !state.is_ended && !state.is_stopped && state.open < BATCHES_OPEN * self.threads
    }

    /// Runs `make` on batches as long as there is room; then the thread is free for other work on the results.
    fn help(&self, make: impl Fn(B) -> T) {
        let _stopping = Stopping(self);
        let thread = rayon::current_thread_index().unwrap_or_default();
        let mut state = self.state();
        while self.has_room(&state) {
            state = self.work(state, thread, &make);
        }
        state.helpers -= 1;
    }

    /// Takes results in order until all are done; also runs `make` if the thread belongs to the pool. `helper` makes another pool thread
    /// [help](OrderedMap::help).
    fn take_all(
        &self,
        helper: impl Fn(),
        make: impl Fn(B) -> T,
        mut take: impl FnMut(&mut T) -> Result<()>,
    ) -> Result<()> {
        let _stopping = Stopping(self);
        let thread = rayon::current_thread_index();
        let helpers = self.threads - usize::from(thread.is_some());
        let mut state = self.state();
        loop {
            while state.helpers < helpers && self.has_room(&state) {
                state.helpers += 1;
                helper();
            }
            let next = state.taken;
            if let Some((maker, mut made)) = state.made.remove(&next) {
                drop(state);
                if let Err(error) = take(&mut made) {
                    self.stop();
                    return Err(error);
                }
                state = self.state();
                state.used[maker].push(made);
                state.taken += 1;
                state.open -= 1;
            } else if state.is_ended && state.open == 0 || state.is_stopped {
                return Ok(());
            } else if let Some(thread) = thread
                && self.has_room(&state)
            {
                state = self.work(state, thread, &make);
            } else {
                state = self.changed.wait(state).unwrap_or_else(|e| e.into_inner());
            }
        }
    }

    /// Runs `make` on the next batch, if there is one.
    fn work<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<T>>,
        thread: usize,
        make: impl Fn(B) -> T,
    ) -> MutexGuard<'a, State<T>> {
        state.open += 1;
        let used = std::mem::take(&mut state.used[thread]);
        drop(state);
        drop(used);
        let next = self
            .batches
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .next();
        let made = next.map(|(number, batch)| (number, make(batch)));
        let mut state = self.state();
        match made {
            Some((number, made)) => {
                state.made.insert(number, (thread, made));
            }
            None => {
                state.open -= 1;
                state.is_ended = true;
            }
        }
        self.changed.notify_one();
        state
    }
}

impl<I, T> OrderedMap<I, T> {
    fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// If a thread panics, makes sure that the taking thread does not wait for its result.
struct Stopping<'a, I, T>(&'a OrderedMap<I, T>);

impl<I, T> Drop for Stopping<'_, I, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rayon::prelude::*;

    use super::*;
    use crate::error::Error;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn batches_are_taken_as_one_after_the_other(
            count in 0..300u64,
            threads in 1..9usize,
            stops_at in 0..400u64,
            in_pool in any::<bool>(),
        ) {
            // Both sides may use all threads as well.
            let sum = |number: u64| [number; 40].into_par_iter().sum::<u64>();
            let run = || {
                let mut taken = Vec::new();
                let ended = in_order(0..count, sum, |made| {
                    taken.push(*made + sum(0));
                    match taken.len() as u64 == stops_at {
                        true => Err(Error::Cancelled),
                        false => Ok(()),
                    }
                });
                (taken, ended.is_err())
            };
            let (taken, has_failed) = match in_pool {
                true => rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run),
                false => run(),
            };
            let stops = (1..=count).contains(&stops_at);
            let end = if stops { stops_at } else { count };
            prop_assert_eq!(taken, (0..end).map(|number| number * 40).collect::<Vec<_>>());
            prop_assert_eq!(has_failed, stops);
        }
    }
}
