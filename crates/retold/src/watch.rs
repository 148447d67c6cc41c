//! Progress, warnings and cancellation of a run.

/// A stage of the main job. Progress, the summary, `summary.json` and the documentation call it by the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Inputs are hashed, so that a run which goes on can tell that they are the same.
    HashInputs,
    /// Document frequencies are counted, for methods that weigh words by them.
    CountWords,
    /// Files are read, their pages sketched.
    Read,
    /// Noise is learnt from the sketches.
    Learn,
    /// Noise is deleted, and pages that are the same to every judge become one exact group.
    Group,
    /// The prefix join finds pairs that share keys which few groups have.
    Join,
    /// Posting lists of heavy keys are probed for pairs that share nothing else.
    HeavyKeys,
    /// Texts are made ready to be aligned: their full fingerprints.
    Fingerprint,
    /// Pairs of groups on short posting lists are verified on fingerprints, before pages are decided.
    Verify,
    /// Pages are decided in the order of preference: kept or dropped.
    Retain,
    /// Components become clusters, and their pairs are listed.
    Cluster,
    /// The words of pages are read again, for passages.
    Words,
    /// Runs of words are chosen by which pages with a passage in common are found.
    Seeds,
    /// Pages are aligned where they share such runs.
    Align,
    /// Words of passages are found in what is shown of pages.
    Places,
    /// Files are written.
    Write,
}

impl Stage {
    /// Its name, everywhere.
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

/// Shows progress, takes warnings, and may stop the run. The library itself prints nothing.
pub trait Watch: Sync {
    /// A stage begins; `total` is what [`Watch::advance`] will add up to, 0 if unknown.
    fn begin(&self, _stage: &'static str, _total: u64) {}

    /// Names the part of a long stage that is running now.
    fn part(&self, _name: &str) {}

    /// The stage has advanced by this amount.
    fn advance(&self, _by: u64) {}

    /// A warning, in one line.
    fn warn(&self, _message: &str) {}

    /// True once the run should stop.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Ignores everything and never cancels.
impl Watch for () {}
