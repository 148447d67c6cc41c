//! The stages of a run, and how long each takes.

use std::time::{Duration, Instant};

use crate::system::cpu_time;
use crate::watch::Stage;

/// A stage and the time that it took.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StageTime {
    /// The stage.
    pub stage: Stage,
    /// The time that passed.
    pub wall: Duration,
    /// The time for which all threads together were at work, if the system reports it.
    pub cpu: Option<Duration>,
}

/// Measures stages, one after the other. A stage that is entered again adds to its time.
#[derive(Default)]
pub(crate) struct Stopwatch {
    running: Option<(Stage, Instant, Option<Duration>)>,
    times: Vec<StageTime>,
}

impl Stopwatch {
    /// The stage before ends here, and this one begins.
    pub(crate) fn begin(&mut self, stage: Stage) {
        let now = (Instant::now(), cpu_time());
        self.end(now);
        self.running = Some((stage, now.0, now.1));
    }

    fn end(&mut self, (now, cpu): (Instant, Option<Duration>)) {
        let Some((stage, since, cpu_since)) = self.running.take() else {
            return;
        };
        let wall = now - since;
        let cpu = cpu.zip(cpu_since).map(|(now, since)| now - since);
        match self.times.iter_mut().find(|time| time.stage == stage) {
            Some(time) => {
                time.wall += wall;
                time.cpu = time.cpu.zip(cpu).map(|(before, now)| before + now);
            }
            None => self.times.push(StageTime { stage, wall, cpu }),
        }
    }

    /// The last stage ends: the times of all, in the order in which they began.
    pub(crate) fn finish(mut self) -> Vec<StageTime> {
        self.end((Instant::now(), cpu_time()));
        self.times
    }
}
