//! Who looks on while a run works.

/// Shows progress, takes warnings, and may stop the run. The library itself prints nothing.
pub trait Watch: Sync {
    /// A stage begins; `total` is what [`Watch::advance`] will add up to, 0 if unknown.
    fn begin(&self, _stage: &'static str, _total: u64) {}
    /// Which part of the stage is worked on now, where there are long ones.
    fn part(&self, _name: &str) {}
    /// That much more of the stage is done.
    fn advance(&self, _by: u64) {}
    /// Something that a person should know, in one line.
    fn warn(&self, _message: &str) {}
    /// True once the run should stop.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Looks away.
impl Watch for () {}
