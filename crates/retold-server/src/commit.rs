//! The only thread that writes. Requests that arrive while it is busy are combined into one commit.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Instant;

use retold::{Error, Result};
use retold_index::{Added, Prepared, Writer};
use tokio::sync::oneshot;

use crate::learner::{self, Learner};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::room::Room;

/// Maximum number of pages in a commit, not counting those of its last request.
const PAGES: usize = 1000;
/// Maximum number of requests that wait for the disk.
const WAITING: usize = 1024;

type Reply<T> = oneshot::Sender<std::result::Result<T, Problem>>;

enum Job {
    Add(Addition),
    Remove(Vec<String>, Reply<Vec<bool>>),
    Upkeep(Upkeep, Reply<()>),
}

/// What is done to the whole index. Pages that come meanwhile wait.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Upkeep {
    Compact,
    Learn,
}

struct Addition {
    pages: Vec<Prepared>,
    limit: usize,
    reply: Reply<Vec<(Prepared, Added)>>,
    /// Reserved while the pages wait, even if the client has gone.
    room: Room,
}

impl Job {
    /// Replies that the job will not be done.
    fn refuse(self) {
        let problem = stopping();
        // The client may have gone.
        match self {
            Job::Add(addition) => drop(addition.reply.send(Err(problem))),
            Job::Remove(_, reply) => drop(reply.send(Err(problem))),
            Job::Upkeep(_, reply) => drop(reply.send(Err(problem))),
        }
    }
}

/// Sends jobs to the writing thread.
#[derive(Debug)]
pub struct Committer {
    jobs: Mutex<Option<SyncSender<Job>>>,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
    /// No commit begins after this time.
    until: Arc<OnceLock<Instant>>,
}

impl Committer {
    pub(crate) fn start(writer: Writer, metrics: &Metrics) -> Result<Committer> {
        let (sender, jobs) = sync_channel(WAITING);
        let metrics = metrics.clone();
        let until = Arc::new(OnceLock::new());
        let last = Arc::clone(&until);
        let thread = std::thread::Builder::new().name("writer".into());
        let thread = thread.spawn(move || write(writer, &jobs, &metrics, &last));
        let thread = thread.map_err(|e| Error::usage(format!("cannot start a thread: {e}")))?;
        Ok(Committer {
            jobs: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
            until,
        })
    }

    /// Adds pages in a commit. Returns once they will survive a power cut, with at most `limit` matches each. `room` is the memory they
    /// take.
    pub(crate) async fn add(
        &self,
        pages: Vec<Prepared>,
        limit: usize,
        room: Room,
    ) -> std::result::Result<Vec<(Prepared, Added)>, Problem> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Add(Addition {
            pages,
            limit,
            reply,
            room,
        }))?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Removes pages; returns for each whether it existed.
    pub(crate) async fn remove(&self, ids: Vec<String>) -> std::result::Result<Vec<bool>, Problem> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Remove(ids, reply))?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Compacts the index, or counts again what is common; returns when that is done.
    pub(crate) async fn upkeep(&self, upkeep: Upkeep) -> std::result::Result<(), Problem> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Upkeep(upkeep, reply))?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    fn send(&self, job: Job) -> std::result::Result<(), Problem> {
        let jobs = self.jobs.lock().unwrap_or_else(|e| e.into_inner());
        let sender = jobs.as_ref().ok_or_else(stopping)?;
        sender.try_send(job).map_err(|e| match e {
            TrySendError::Full(_) => {
                Problem::busy("the maximum number of requests is waiting for the disk")
            }
            TrySendError::Disconnected(_) => ended(),
        })
    }

    pub(crate) fn is_alive(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(|e| e.into_inner());
        thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Refuses jobs that have not begun by `until`.
    pub(crate) fn end_by(&self, until: Instant) {
        // The first call counts.
        let _ = self.until.set(until);
    }

    /// Accepts no more jobs, waits for the current ones, and closes the index. Returns false if that takes longer than `until`;
    /// acknowledged pages are then safe, and the next writer removes the rest.
    pub(crate) async fn finish(&self, until: Instant) -> Result<bool> {
        drop(self.jobs.lock().unwrap_or_else(|e| e.into_inner()).take());
        let thread = self.thread.lock().unwrap_or_else(|e| e.into_inner()).take();
        let Some(thread) = thread else {
            return Ok(true);
        };
        let joined = tokio::task::spawn_blocking(|| thread.join());
        match tokio::time::timeout_at(until.into(), joined).await {
            Ok(Ok(Ok(closed))) => closed.map(|()| true),
            Ok(_) => Err(Error::usage(
                "the writing thread has failed; please report it",
            )),
            Err(_) => Ok(false),
        }
    }
}

fn stopping() -> Problem {
    Problem::busy("the service is stopping")
}

fn ended() -> Problem {
    Problem::internal("the writing thread has ended; restart the service")
}

fn write(
    mut writer: Writer,
    jobs: &Receiver<Job>,
    metrics: &Metrics,
    until: &OnceLock<Instant>,
) -> Result<()> {
    let mut learner = Learner::default();
    let mut next = learner.next(&mut writer, jobs);
    while let Some(job) = next.take() {
        match job {
            job if until.get().is_some_and(|until| Instant::now() > *until) => job.refuse(),
            Job::Remove(ids, reply) => {
                let removed = writer.remove(&ids).map_err(Problem::from);
                // The client may have gone.
                let _ = reply.send(removed);
            }
            Job::Upkeep(upkeep, reply) => {
                let done = match upkeep {
                    Upkeep::Compact => writer.compact(&()),
                    Upkeep::Learn => writer.learn(&learner::resources(writer.index().len()), &()),
                };
                let _ = reply.send(done.map_err(Problem::from));
            }
            Job::Add(first) => {
                let mut count = first.pages.len();
                let mut together = vec![first];
                while count < PAGES {
                    match jobs.try_recv() {
                        Ok(Job::Add(addition)) => {
                            count += addition.pages.len();
                            together.push(addition);
                        }
                        Ok(other) => {
                            next = Some(other);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                add(&mut writer, together, metrics);
            }
        }
        if next.is_none() {
            next = learner.next(&mut writer, jobs);
        }
    }
    learner.stop();
    writer.close()
}

fn add(writer: &mut Writer, mut together: Vec<Addition>, metrics: &Metrics) {
    let start = Instant::now();
    let limit = together.iter().map(|addition| addition.limit).max();
    let counts: Vec<usize> = together
        .iter()
        .map(|addition| addition.pages.len())
        .collect();
    let all = together
        .iter_mut()
        .flat_map(|addition| std::mem::take(&mut addition.pages));
    let all: Vec<Prepared> = all.collect();
    let added = writer.add(&all, limit);
    // Before replying, so that a client that asks next sees the new count.
    metrics.committed(all.len(), start.elapsed());
    match added {
        Ok(added) => {
            let mut done = all.into_iter().zip(added);
            for (addition, count) in together.into_iter().zip(counts) {
                let mut own: Vec<(Prepared, Added)> = done.by_ref().take(count).collect();
                own.iter_mut()
                    .for_each(|(_, added)| added.matches.truncate(addition.limit));
                // Before replying, so that a client that asks next has the memory.
                drop(addition.room);
                let _ = addition.reply.send(Ok(own));
            }
        }
        Err(error) => {
            let problem = Problem::from(error);
            for addition in together {
                let _ = addition.reply.send(Err(problem.clone()));
            }
        }
    }
}
