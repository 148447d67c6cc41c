//! The stages of a run, and their times.

use std::time::{Duration, Instant};

use crate::system::cpu_time;

/// A stage of the main job, with the same name in progress, summary, `summary.json` and documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Inputs are hashed, so that a resumed run can check that they are the same.
    HashInputs,
    /// Document frequencies are counted, for methods that weigh words by rarity.
    CountWords,
    /// Files are read, their pages sketched.
    Read,
    /// Noise is learnt from the sketches.
    Learn,
    /// Noise is deleted, and pages that get the same verdicts become one exact group.
    Group,
    /// The prefix join finds pairs that share keys which few groups have.
    Join,
    /// Posting lists of heavy keys are probed for pairs that share nothing else.
    HeavyKeys,
    /// Full fingerprints of texts are made, for alignment.
    Fingerprint,
    /// Pairs of groups on short posting lists are verified on fingerprints, before pages are decided.
    Verify,
    /// Pages are decided in the order of preference: kept or dropped.
    Retain,
    /// Components become clusters, and their pairs are listed.
    Cluster,
    /// The words of pages are read again, for passages.
    Words,
    /// Seeds are chosen: runs of words by which pages that share a passage are found.
    Seeds,
    /// Pages are aligned where they share seeds.
    Align,
    /// The places of passages in the visible text are found.
    Places,
    /// Files are written.
    Write,
}

impl Stage {
    /// Its name, used everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Stage::HashInputs => "hash inputs",
            Stage::CountWords => "count words",
            Stage::Read => "read",
            Stage::Learn => "learn",
            Stage::Group => "group",
            Stage::Join => "join",
            Stage::HeavyKeys => "heavy keys",
            Stage::Fingerprint => "fingerprint",
            Stage::Verify => "verify",
            Stage::Retain => "retain",
            Stage::Cluster => "cluster",
            Stage::Words => "words",
            Stage::Seeds => "seeds",
            Stage::Align => "align",
            Stage::Places => "places",
            Stage::Write => "write",
        }
    }
}

/// A stage and its time.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StageTime {
    /// The stage.
    pub stage: Stage,
    /// Elapsed time.
    pub wall: Duration,
    /// CPU time of all threads, if the system reports it.
    pub cpu: Option<Duration>,
}

/// Measures consecutive stages. A stage that is entered again adds to its time.
#[derive(Default)]
pub(crate) struct StageClock {
    running: Option<(Stage, Instant, Option<Duration>)>,
    times: Vec<StageTime>,
}

impl StageClock {
    /// Ends the current stage and begins this one.
    pub(crate) fn begin(&mut self, stage: Stage) {
        let (now, cpu) = (Instant::now(), cpu_time());
        self.end(now, cpu);
        self.running = Some((stage, now, cpu));
    }

    fn end(&mut self, now: Instant, cpu: Option<Duration>) {
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

    /// Ends the last stage and returns the times of all, in order of their start.
    pub(crate) fn finish(mut self) -> Vec<StageTime> {
        self.end(Instant::now(), cpu_time());
        self.times
    }
}
