//! Work in order on many threads.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::error::Result;

/// Batches for each thread that are worked on or wait to be taken, at the most.
const BATCHES_OPEN: usize = 8;

/// Where threads get batches and put down what they made of them, and one takes that in order.
pub(super) struct Lane<B, T> {
    batches: Mutex<Turns<B>>,
    state: Mutex<State<T>>,
    /// Tells the thread that takes.
    changed: Condvar,
    /// The threads of the pool.
    threads: usize,
}

struct State<T> {
    /// What was made of a batch, by its number, and by which thread.
    made: BTreeMap<usize, (usize, T)>,
    /// What was taken, by the thread that made it.
    used: Vec<Vec<T>>,
    taken: usize,
    /// Batches that were begun, or are to be, and are not taken.
    open: usize,
    /// Threads that make beside the one that takes.
    helpers: usize,
    /// There are no more.
    is_ended: bool,
    /// Nobody waits any longer.
    is_stopped: bool,
}

impl<B, T> Lane<B, T> {
    /// For so many threads of a pool. Batches come from readers, one of each in turn.
    pub(super) fn new(readers: Vec<Receiver<B>>, threads: usize) -> Lane<B, T> {
        let state = State {
            made: BTreeMap::new(),
            used: (0..threads).map(|_| Vec::new()).collect(),
            taken: 0,
            open: 0,
            helpers: 0,
            is_ended: false,
            is_stopped: false,
        };
        Lane {
            batches: Mutex::new(Turns {
                readers,
                next: 0,
                count: 0,
            }),
            state: Mutex::new(state),
            changed: Condvar::new(),
            threads,
        }
    }

    /// Whether one more batch may be begun.
    fn has_room(&self, state: &State<T>) -> bool {
        !state.is_ended && !state.is_stopped && state.open < BATCHES_OPEN * self.threads
    }

    /// Makes of one batch after the other, as long as there is room: then the thread may be wanted for what is done with them.
    pub(super) fn help(&self, make: impl Fn(B) -> T) {
        let _stopping = Stopping(self);
        let thread = rayon::current_thread_index().unwrap_or_default();
        let mut state = self.state();
        while self.has_room(&state) {
            state = self.work(state, thread, &make);
        }
        state.helpers -= 1;
    }

    /// Takes what was made in order, until all is; on a thread that makes as well, if it is one of the pool. `helper` has another
    /// one of the pool [help](Lane::help).
    pub(super) fn take_all(
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

    /// Makes of the next batch, if there is one.
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

    fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// When its thread panics who takes does not wait for what it was to make.
struct Stopping<'a, B, T>(&'a Lane<B, T>);

impl<B, T> Drop for Stopping<'_, B, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// Batches from several readers, one of each in turn, numbered.
struct Turns<B> {
    readers: Vec<Receiver<B>>,
    /// Whose turn it is.
    next: usize,
    count: usize,
}

impl<B> Turns<B> {
    fn next(&mut self) -> Option<(usize, B)> {
        while !self.readers.is_empty() {
            let turn = self.next % self.readers.len();
            if let Ok(batch) = self.readers[turn].recv() {
                self.next = turn + 1;
                self.count += 1;
                return Some((self.count - 1, batch));
            }
            self.readers.remove(turn);
            self.next = turn;
        }
        None
    }
}
