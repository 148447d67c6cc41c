//! When the files of an index are rewritten.

/// When files grow out of what they are. Tests set them low.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Postings in memory at the most, two words counted as one; then they become a segment.
    pub(crate) postings: usize,
    /// Bytes of the log that opening reads at the most.
    pub(crate) tail: u64,
    /// Bytes of a log; then another one begins.
    pub(crate) log: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            postings: 1 << 21,
            tail: 64 << 20,
            log: 256 << 20,
        }
    }
}
