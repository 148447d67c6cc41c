//! Options that say how pages become texts, shared by the commands that use texts through a method.

use std::path::PathBuf;

use clap::ValueEnum;

use retold::internal::FileRef;
use retold::read::Extract;
use retold::{Error, Fold as Step, JudgeConfig, Result};

/// How pages become texts.
#[derive(clap::Args)]
pub struct TextArgs {
    /// How text is normalised before it is compared
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        action = clap::ArgAction::Set,
        default_value = "nfkc,case,simplify",
        help_heading = "Method", hide_short_help = true)]
    fold: Vec<Fold>,

    /// Which text of HTML pages is compared [default: depends on the method]
    #[arg(long, value_enum, help_heading = "Method", hide_short_help = true)]
    extract: Option<Part>,
    /// Add the words of FILE, one per line, to the Chinese dictionary
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Method",
        hide_short_help = true
    )]
    user_dict: Option<PathBuf>,
    /// Synonyms from FILE: one group per line, separated by tabs
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Method",
        hide_short_help = true
    )]
    synonyms: Option<PathBuf>,
    /// Stop words from FILE, one per line, in addition to those of the page's language
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Method",
        hide_short_help = true
    )]
    stop_words: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fold {
    /// Unicode NFKC: full-width letters become narrow, invisible characters are removed
    Nfkc,
    /// Lower case
    Case,
    /// Traditional Chinese and Japanese characters become simplified
    Simplify,
    /// Serbian Cyrillic becomes Latin; other Cyrillic texts should not be among the pages
    Serbian,
    /// Nothing
    None,
}

/// Which text of HTML pages is used.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// All visible text
    None,
    /// The main text; all text if none is found
    Main,
    /// The main text, by a slower and stricter extractor (cargo feature `precise`)
    Precise,
}

impl Part {
    /// The library's value.
    pub fn extract(self) -> Extract {
        match self {
            Part::None => Extract::None,
            Part::Main => Extract::Main,
            Part::Precise => Extract::Precise,
        }
    }
}

impl TextArgs {
    /// Sets these options in a configuration.
    ///
    /// Errors: `--fold none` together with others.
    pub fn set(&self, config: &mut JudgeConfig) -> Result<()> {
        if self.fold.len() > 1 && self.fold.contains(&Fold::None) {
            return Err(Error::usage(
                "--fold: `none` cannot be combined with others; leave out one or the other",
            ));
        }
        let step = |fold: &Fold| match fold {
            Fold::Nfkc => Some(Step::Nfkc),
            Fold::Case => Some(Step::Case),
            Fold::Simplify => Some(Step::Simplify),
            Fold::Serbian => Some(Step::Serbian),
            Fold::None => None,
        };
        config.fold = self.fold.iter().filter_map(step).collect();
        config.extract = self.extract.map(Part::extract);
        config.user_dict = self.user_dict.clone().map(FileRef::at);
        config.stop_words = self.stop_words.clone().map(FileRef::at);
        config.synonyms = self.synonyms.clone().map(FileRef::at);
        Ok(())
    }
}
