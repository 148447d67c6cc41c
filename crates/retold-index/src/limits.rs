/// The most bytes of an id: percent-encoded, as in the path of a request, it is still an address that servers take.
pub const LONGEST_ID: usize = 16 << 10;

/// Sizes at which files are rewritten. Tests set them low.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Postings in memory before they are written as a segment; two words count as one posting.
    pub(crate) postings: usize,
    /// Bytes of the log that opening an index has to read at most.
    pub(crate) tail: u64,
    /// Bytes of a log before the next one is started.
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
