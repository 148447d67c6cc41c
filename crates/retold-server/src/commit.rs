//! The one thread that writes: what has come while the disk was busy becomes one commit.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use retold::{Error, Result};
use retold_index::{Added, Prepared, Writer};
use tokio::sync::oneshot;

use crate::metrics::Metrics;
use crate::problem::Problem;

/// Pages of a commit, but for those of the last request in it.
const PAGES: usize = 1000;
/// Requests that wait for the disk at the most.
const WAITING: usize = 1024;

type Reply<T> = oneshot::Sender<std::result::Result<T, Problem>>;

enum Job {
    Add(Vec<Prepared>, usize, Reply<Vec<(Prepared, Added)>>),
    Remove(Vec<String>, Reply<Vec<bool>>),
}

/// Hands work to the thread that writes.
#[derive(Debug)]
pub struct Committer {
    jobs: Mutex<Option<SyncSender<Job>>>,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
}

impl Committer {
    /// Starts the thread.
    pub(crate) fn start(writer: Writer, metrics: &Metrics) -> Result<Committer> {
        let (sender, jobs) = sync_channel(WAITING);
        let metrics = metrics.clone();
        let thread = std::thread::Builder::new().name("writer".into());
        let thread = thread.spawn(move || write(writer, &jobs, &metrics));
        let thread = thread.map_err(|e| Error::usage(format!("cannot start a thread: {e}")))?;
        Ok(Committer {
            jobs: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Adds pages in a commit; answers once they will survive a power cut, with at most `limit` matches each.
    pub(crate) async fn add(
        &self,
        pages: Vec<Prepared>,
        limit: usize,
    ) -> std::result::Result<Vec<(Prepared, Added)>, Problem> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Add(pages, limit, reply))?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Removes pages; says of each whether it was there.
    pub(crate) async fn remove(&self, ids: Vec<String>) -> std::result::Result<Vec<bool>, Problem> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Remove(ids, reply))?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    fn send(&self, job: Job) -> std::result::Result<(), Problem> {
        let jobs = self.jobs.lock().unwrap_or_else(|e| e.into_inner());
        let sender = jobs
            .as_ref()
            .ok_or_else(|| Problem::busy("the service is stopping"))?;
        sender.try_send(job).map_err(|e| match e {
            TrySendError::Full(_) => Problem::busy("as many requests as may be wait for the disk"),
            TrySendError::Disconnected(_) => ended(),
        })
    }

    /// False if the thread has ended.
    pub(crate) fn is_alive(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(|e| e.into_inner());
        thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Takes no more work, waits for what is under way, and closes the index.
    pub(crate) fn finish(&self) -> Result<()> {
        drop(self.jobs.lock().unwrap_or_else(|e| e.into_inner()).take());
        let thread = self.thread.lock().unwrap_or_else(|e| e.into_inner()).take();
        match thread.map(JoinHandle::join) {
            Some(Ok(closed)) => closed,
            Some(Err(_)) => Err(Error::usage(
                "the thread that writes has failed; please report it",
            )),
            None => Ok(()),
        }
    }
}

fn ended() -> Problem {
    Problem::internal("the thread that writes has ended; start the service again")
}

fn write(mut writer: Writer, jobs: &Receiver<Job>, metrics: &Metrics) -> Result<()> {
    let mut next = jobs.recv().ok();
    while let Some(job) = next.take() {
        match job {
            Job::Remove(ids, reply) => {
                let removed = writer.remove(&ids).map_err(Problem::from);
                // Whoever asked may have gone.
                let _ = reply.send(removed);
            }
            Job::Add(pages, limit, reply) => {
                let mut together = vec![(pages, limit, reply)];
                let mut count = together[0].0.len();
                while count < PAGES {
                    match jobs.try_recv() {
                        Ok(Job::Add(pages, limit, reply)) => {
                            count += pages.len();
                            together.push((pages, limit, reply));
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
            next = jobs.recv().ok();
        }
    }
    writer.close()
}

type Together = Vec<(Vec<Prepared>, usize, Reply<Vec<(Prepared, Added)>>)>;

/// Adds the pages of several requests in one commit.
fn add(writer: &mut Writer, together: Together, metrics: &Metrics) {
    let start = Instant::now();
    let limit = together.iter().map(|(_, limit, _)| *limit).max();
    let counts: Vec<usize> = together.iter().map(|(pages, ..)| pages.len()).collect();
    let mut replies = Vec::new();
    let mut all = Vec::new();
    for (pages, limit, reply) in together {
        all.extend(pages);
        replies.push((limit, reply));
    }
    let added = writer.add(&all, limit);
    // Before anybody is answered, so that who asks next sees it counted.
    metrics.committed(all.len(), start.elapsed());
    match added {
        Ok(added) => {
            let mut done = all.into_iter().zip(added);
            for ((limit, reply), count) in replies.into_iter().zip(counts) {
                let mut own: Vec<(Prepared, Added)> = done.by_ref().take(count).collect();
                own.iter_mut()
                    .for_each(|(_, added)| added.matches.truncate(limit));
                let _ = reply.send(Ok(own));
            }
        }
        Err(error) => {
            let problem = Problem::from(error);
            for (_, reply) in replies {
                let _ = reply.send(Err(problem.clone()));
            }
        }
    }
}
