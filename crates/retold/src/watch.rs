//! Progress, warnings and cancellation of a run.

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
