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
    /// What a block is.
    pub unit: BlockUnit,
    /// How many words a passage has at least; in scripts without spaces, eight characters for five words.
    pub passage_words: u32,
    /// Among which pages blocks are counted.
    pub scope: BlockScope,
    /// Which places of a block are left.
    pub keep: BlockKeep,
    /// Which page is preferred, if one place of a block is left.
    pub canonical: Canonical,
    /// Blocks with fewer characters, white space not counted, are never cut.
    pub min_chars: u32,
    /// A page that something is cut from, and that has fewer words then, is dropped.
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
    /// Errors: a number out of range.
    pub fn check(&self) -> Result<()> {
        if self.min_words == 0 {
            // A page without text would be another kind of record to the next reader.
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

/// Among which pages blocks are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockScope {
    /// The pages of a site. Pages without one are left alone.
    #[default]
    Site,
    /// All pages.
    Collection,
}

impl BlockScope {
    /// The least characters of a block that are a good start: the pages of a site tell what is boilerplate, however short; two pages of a
    /// collection may have a short line by chance.
    pub fn min_chars(self) -> u32 {
        match self {
            BlockScope::Site => 2,
            BlockScope::Collection => 10,
        }
    }
}

/// Which places of a block are left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockKeep {
    /// The one on the page that is preferred ([`BlockOptions::canonical`]).
    #[default]
    One,
    /// None.
    None,
    /// All of blocks on fewer pages, none of the others.
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
