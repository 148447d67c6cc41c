//! Options that say how pages become texts, shared by the commands that look at texts through a method.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use retold::text::synonyms::Synonyms;
use retold::text::tokenize::Tokenizer;
use retold::text::{Extract, TextOptions};
use retold::{Error, Result};

/// How pages become texts.
#[derive(clap::Args)]
pub struct TextArgs {
    /// What is folded before texts are compared
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        action = clap::ArgAction::Set,
        default_value = "nfkc,case,simplify",
        help_heading = "Method"
    )]
    fold: Vec<Fold>,

    /// What is compared of HTML pages; unless named, what the method wants (`retold methods`)
    #[arg(long, value_enum, help_heading = "Method")]
    extract: Option<Part>,
    /// Add the words of FILE, one a line, to the Chinese dictionary
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    user_dict: Option<PathBuf>,
    /// Take the words of each line of FILE, with tabs between them, as synonyms
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    synonyms: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fold {
    /// Unicode NFKC, which makes full-width letters narrow; invisible characters go
    Nfkc,
    /// Lower case
    Case,
    /// Traditional Chinese characters to simplified ones
    Simplify,
    /// Nothing
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// All visible text
    None,
    /// The main text; of pages without one, all
    Main,
    /// The main text, found by a slower extractor that leaves out more (cargo feature `precise`)
    Precise,
}

impl Part {
    pub(crate) fn extract(self) -> Extract {
        match self {
            Part::None => Extract::None,
            Part::Main => Extract::Main,
            Part::Precise => Extract::Precise,
        }
    }
}

impl TextArgs {
    /// The library's options.
    pub fn options(&self) -> Result<TextOptions> {
        let has = |fold| self.fold.contains(&fold) && !self.fold.contains(&Fold::None);
        let mut options = TextOptions {
            nfkc: has(Fold::Nfkc),
            case: has(Fold::Case),
            simplify: has(Fold::Simplify),
            extract: self.extract.map(Part::extract),
            ..TextOptions::default()
        };
        if let Some(path) = &self.user_dict {
            let at = |e: &dyn std::fmt::Display| {
                Error::usage(format!("--user-dict {}: {e}", path.display()))
            };
            let dictionary = std::fs::read_to_string(path).map_err(|e| at(&e))?;
            let tokenizer =
                Tokenizer::with_user_words(&dictionary, &options).map_err(|e| at(&e))?;
            options.tokenizer = Arc::new(tokenizer);
        }
        if let Some(path) = &self.synonyms {
            let at = |e: &dyn std::fmt::Display| {
                Error::usage(format!("--synonyms {}: {e}", path.display()))
            };
            let groups = std::fs::read_to_string(path).map_err(|e| at(&e))?;
            let synonyms = Synonyms::with_groups(&groups, &options).map_err(|e| at(&e))?;
            options.synonyms = Arc::new(synonyms);
        }
        Ok(options)
    }
}
