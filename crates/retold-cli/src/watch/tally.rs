//! What a watch did, in numbers.

use std::fmt;

#[derive(Debug, Default)]
pub struct Tally {
    /// Feeds that came.
    pub feeds: u64,
    /// Feeds that had not changed.
    pub same_feeds: u64,
    /// Requests for feeds that failed.
    pub failed_feeds: u64,
    pub files: u64,
    /// Articles that were fetched.
    pub articles: u64,
    /// Articles that could not be had.
    pub given_up: u64,
    pub new: u64,
    pub replaced: u64,
    pub unchanged: u64,
    pub rejected: u64,
    /// New pages whose whole text is a notice or another frame.
    pub frames: u64,
    /// Notices that were delivered.
    pub told: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = match self.frames {
            0 => String::new(),
            frames => format!(", {frames} only a frame"),
        };
        write!(
            to,
            "feeds: {} came, {} unchanged, {} failed; articles: {} fetched, {} not available; files: {} read; pages: {} new, {} replaced, {} \
             unchanged, {} rejected{frames}; notices: {} delivered",
            self.feeds,
            self.same_feeds,
            self.failed_feeds,
            self.articles,
            self.given_up,
            self.files,
            self.new,
            self.replaced,
            self.unchanged,
            self.rejected,
            self.told
        )
    }
}
