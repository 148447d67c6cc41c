//! What counts as a block, and which blocks are cut.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::cluster::{Canonical, Prefer};
use crate::error::{Error, Result};
use crate::text::cut::BlockUnit;

/// What counts as a block, and which blocks are cut.
#[derive(Clone, Debug, Serialize)]
pub struct BlockOptions {
    /// The unit of text that counts as a block.
    pub unit: BlockUnit,
    /// Minimum words of a passage; in scripts without spaces, eight characters for five words.
    pub passage_words: u32,
    /// The pages among which blocks are counted.
    pub scope: BlockScope,
    /// Which occurrences of a block are kept.
    pub keep: BlockKeep,
    /// The order of preference among pages, if one occurrence is kept.
    pub canonical: Canonical,
    /// Blocks with fewer characters (without white space) are never cut.
    pub min_chars: u32,
    /// A page that is left with fewer words after a cut is dropped.
    pub min_words: u32,
}

impl Default for BlockOptions {
    fn default() -> BlockOptions {
        BlockOptions {
            unit: BlockUnit::default(),
            passage_words: 25,
            scope: BlockScope::default(),
            keep: BlockKeep::default(),
            canonical: Canonical::default_of_blocks(),
            min_chars: BlockScope::default().min_chars(),
            min_words: 5,
        }
    }
}

impl BlockOptions {
    /// Checks the values.
    ///
    /// Errors: a number out of range.
    pub fn check(&self) -> Result<()> {
        if self.min_words == 0 {
            // The next reader would not take a page without text for a page.
            return Err(Error::usage("--min-words 0: give 1 or more"));
        }
        if self.passage_words == 0 {
            return Err(Error::usage("--passage-words 0: give 1 or more"));
        }
        if self.canonical.rules().contains(&Prefer::Rank) {
            return Err(Error::usage(
                "--canonical rank: blocks has no --rank, which ranks sites; use the other rules",
            ));
        }
        Ok(())
    }
}

/// The pages among which blocks are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockScope {
    /// The pages of one site. Pages without a site are left alone.
    #[default]
    Site,
    /// All pages.
    Collection,
}

impl BlockScope {
    /// A good default for [`BlockOptions::min_chars`]: on one site repetition shows boilerplate however short it is, but two pages of a
    /// collection may share a short line by chance.
    pub fn min_chars(self) -> u32 {
        match self {
            BlockScope::Site => 2,
            BlockScope::Collection => 10,
        }
    }
}

/// Which occurrences of a block are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockKeep {
    /// The occurrence on the most preferred page ([`BlockOptions::canonical`]).
    #[default]
    One,
    /// None.
    None,
    /// All, if the block is on fewer pages than this, otherwise none.
    Under(u32),
}

/// ```
/// use retold::blocks::BlockKeep;
/// assert_eq!("under:3".parse(), Ok(BlockKeep::Under(3)));
/// assert_eq!(BlockKeep::Under(3).to_string(), "under:3");
/// assert!("under:1".parse::<BlockKeep>().is_err());
/// ```
impl FromStr for BlockKeep {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<BlockKeep, String> {
        let number = |text: &str| text.parse().ok().filter(|number| *number >= 2);
        match text {
            "one" => Ok(BlockKeep::One),
            "none" => Ok(BlockKeep::None),
            other => other
                .strip_prefix("under:")
                .and_then(number)
                .map(BlockKeep::Under)
                .ok_or_else(|| {
                    "give one, none, or under:N with N from 2, as in under:5".to_owned()
                }),
        }
    }
}

impl fmt::Display for BlockKeep {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            BlockKeep::One => to.write_str("one"),
            BlockKeep::None => to.write_str("none"),
            BlockKeep::Under(pages) => write!(to, "under:{pages}"),
        }
    }
}

impl Serialize for BlockKeep {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
