//! How long stages take.

use std::time::{Duration, Instant};

use crate::system::cpu_time;

/// A stage and the time it took.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Lap {
    /// Its name.
    pub stage: &'static str,
    /// The time that passed.
    pub wall: Duration,
    /// The time that all threads together were at work, where the system tells.
    pub cpu: Option<Duration>,
}

/// Measures stages.
pub(super) struct Clock {
    last: (Instant, Option<Duration>),
    laps: Vec<Lap>,
}

impl Default for Clock {
    fn default() -> Self {
        Clock {
            last: (Instant::now(), cpu_time()),
            laps: Vec::new(),
        }
    }
}

impl Clock {
    /// The stage that began with the last call, or with the clock, has ended.
    pub(super) fn lap(&mut self, stage: &'static str) {
        let (now, cpu) = (Instant::now(), cpu_time());
        self.laps.push(Lap {
            stage,
            wall: now - self.last.0,
            cpu: cpu.zip(self.last.1).map(|(now, last)| now - last),
        });
        self.last = (now, cpu);
    }

    pub(super) fn laps(self) -> Vec<Lap> {
        self.laps
    }
}
