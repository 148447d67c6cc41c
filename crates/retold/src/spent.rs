//! Time by kind of work, over all threads.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// Time by kind of work, summed over all threads, so it may exceed the elapsed time.
///
/// For `agglomerate` these are the parts into which its paper splits its time: text and sketches are keyword extraction, candidates linear
/// comparison, verdicts multi-dimensional comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Reading files, decompressing them and splitting them into records.
    pub reading: Duration,
    /// Parsing records into pages.
    pub parsing: Duration,
    /// Making text: decoding, removing tags, folding.
    pub text: Duration,
    /// Sketching, including segmentation into words.
    pub sketches: Duration,
    /// Building the inverted index (wall time) and finding pairs that share enough keys.
    pub candidates: Duration,
    /// Verdicts on those pairs.
    pub verdicts: Duration,
}

impl Spent {
    /// The parts with their names, in order.
    pub fn parts(&self) -> [(&'static str, Duration); 6] {
        [
            ("reading", self.reading),
            ("parsing", self.parsing),
            ("text", self.text),
            ("sketches", self.sketches),
            ("candidates", self.candidates),
            ("verdicts", self.verdicts),
        ]
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.reading += other.reading;
        self.parsing += other.parsing;
        self.text += other.text;
        self.sketches += other.sketches;
        self.candidates += other.candidates;
        self.verdicts += other.verdicts;
    }
}

/// A stopwatch with laps.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// The time since the start or the last call.
    pub(crate) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.0, now)
    }
}
