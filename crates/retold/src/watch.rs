//! Progress, warnings and cancellation of a run.

/// Receives progress and warnings, and may cancel the run. The library itself prints nothing.
pub trait Watch: Sync {
    /// A stage begins; `total` is the sum of all [`Watch::advance`] calls, or 0 if unknown.
    fn begin(&self, _stage: &'static str, _total: u64) {}

    /// Names the current part of a long stage.
    fn part(&self, _name: &str) {}

    /// The stage has advanced by this amount.
    fn advance(&self, _by: u64) {}

    /// A warning of one line.
    fn warn(&self, _message: &str) {}

    /// True if the run should stop.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Ignores everything and never cancels.
impl Watch for () {}
