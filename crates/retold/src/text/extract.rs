//! Main text: which blocks of a page are its article.
//!
//! The work is a readability-type extractor's (`dom_smoothie`) or, for [`Extract::Precise`], that of a port of
//! trafilatura (cargo feature `precise`). Both build a tree, so the document is [tamed](super::guard) first. What they
//! return becomes a mask over the page's blocks ([`super::align`]). Where nothing is found, all blocks count.

use serde::{Deserialize, Serialize};

use super::{align, guard};
use crate::error::{Error, Result};
use crate::quiet::caught;

/// Which part of a page methods see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extract {
    /// All visible text.
    None,
    /// The main text; the whole page where there is none.
    Main,
    /// The main text by an extractor that leaves out more and is slower.
    Precise,
}

impl Extract {
    /// All of them.
    pub const ALL: [Extract; 3] = [Extract::None, Extract::Main, Extract::Precise];

    /// The name, the same everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Extract::None => "none",
            Extract::Main => "main",
            Extract::Precise => "precise",
        }
    }

    /// An error if this build lacks it.
    pub fn check(self) -> Result<()> {
        if self == Extract::Precise && !cfg!(feature = "precise") {
            return Err(Error::usage(
                "--extract precise is not built in; build retold with `--features precise`, or use --extract main",
            ));
        }
        Ok(())
    }
}

/// Result of the main text extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extraction {
    /// Not requested, or the page is plain text: methods see all of it.
    #[default]
    Whole,
    /// Methods see the main text.
    Main,
    /// None was found: methods see the whole page.
    Fallback,
    /// The page exceeds the limit of bytes or nodes: methods see the whole page.
    OverBudget,
}

/// The main blocks of a document whose visible text is `visible`. The mask is empty if all blocks count.
pub fn main_blocks(html: &str, visible: &str, extract: Extract) -> (Vec<bool>, Extraction) {
    if extract == Extract::None {
        return (Vec::new(), Extraction::Whole);
    }
    let Some(tamed) = guard::tame(html) else {
        return (Vec::new(), Extraction::OverBudget);
    };
    // A panic in an extractor must not end a run over a whole crawl; the page is taken whole instead.
    let extracted = caught(|| match extract {
        Extract::Precise => precise(&tamed),
        _ => readable(tamed),
    });
    let mask = match extracted.flatten() {
        Some(extracted) => align::mask(visible, &extracted),
        None => Vec::new(),
    };
    if mask.contains(&true) {
        (mask, Extraction::Main)
    } else {
        (Vec::new(), Extraction::Fallback)
    }
}

fn readable(html: String) -> Option<String> {
    let config = dom_smoothie::Config {
        disable_json_ld: true,
        text_mode: dom_smoothie::TextMode::Formatted,
        ..dom_smoothie::Config::default()
    };
    let mut readability = dom_smoothie::Readability::new(html, None, Some(config)).ok()?;
    Some(readability.parse().ok()?.text_content.to_string())
}

#[cfg(feature = "precise")]
fn precise(html: &str) -> Option<String> {
    let options = trafilatura::Options::default()
        .with_fallback(true)
        .with_exclude_comments(true);
    let result = trafilatura::extract(html, &options).ok()?;
    Some(result.content_text)
}

#[cfg(not(feature = "precise"))]
fn precise(_: &str) -> Option<String> {
    None
}
