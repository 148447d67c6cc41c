//! Main text: which blocks of a page methods use.
//!
//! [`Extract::Main`] uses a rule over the page's outline ([`super::main_text`]). [`Extract::Precise`] uses a port of trafilatura (cargo
//! feature `precise`), which builds a tree, so the document is limited first (`text/guard.rs`) and the result becomes a mask over the
//! page's blocks (`text/align.rs`). If nothing is found, all blocks count.

use serde::{Deserialize, Serialize};

use super::main_text;
use super::outline::Outline;
use crate::error::{Error, Result};

/// Which part of a page methods see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extract {
    /// All visible text.
    None,
    /// The main text; the whole page if there is none.
    Main,
    /// The main text by an extractor that leaves out more and is slower.
    Precise,
}

impl Extract {
    /// All variants.
    pub const ALL: [Extract; 3] = [Extract::None, Extract::Main, Extract::Precise];

    /// The name used in options, reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Extract::None => "none",
            Extract::Main => "main",
            Extract::Precise => "precise",
        }
    }

    /// Returns an error if this build lacks the extractor.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extraction {
    /// Not requested, or the page is plain text: methods see all of it.
    #[default]
    Whole,
    /// Methods see the main text.
    Main,
    /// No main text was found: methods see the whole page.
    Fallback,
    /// The page exceeds the limit of bytes or elements: methods see the whole page.
    OverBudget,
}

/// The mask of main blocks of a document, empty if all blocks count.
pub(super) fn main_blocks(
    html: &str,
    visible: &str,
    outline: &Outline,
    extract: Extract,
) -> (Vec<bool>, Extraction) {
    let mask = match extract {
        Extract::None => return (Vec::new(), Extraction::Whole),
        Extract::Main if outline.is_over() => return (Vec::new(), Extraction::OverBudget),
        Extract::Main => main_text::main_blocks(outline, visible),
        Extract::Precise => match precise(html, visible) {
            Some(mask) => Some(mask).filter(|mask| mask.contains(&true)),
            None => return (Vec::new(), Extraction::OverBudget),
        },
    };
    match mask {
        Some(mask) => (mask, Extraction::Main),
        None => (Vec::new(), Extraction::Fallback),
    }
}

/// trafilatura's mask, empty if it finds nothing; `None` if the page exceeds the limits of its tree.
#[cfg(feature = "precise")]
fn precise(html: &str, visible: &str) -> Option<Vec<bool>> {
    let tamed = super::guard::tame(html)?;
    // A panic in the extractor must not end a run over a whole crawl; the page is then used whole.
    let extracted = crate::quiet::caught(|| {
        let options = trafilatura::Options::default()
            .with_fallback(true)
            .with_exclude_comments(true);
        trafilatura::extract(&tamed, &options).ok()
    });
    Some(match extracted.flatten() {
        Some(extracted) => super::align::mask(visible, &extracted.content_text),
        None => Vec::new(),
    })
}

/// Without the feature; [`Extract::check`] reports that before any page is read.
#[cfg(not(feature = "precise"))]
fn precise(_: &str, _: &str) -> Option<Vec<bool>> {
    Some(Vec::new())
}
