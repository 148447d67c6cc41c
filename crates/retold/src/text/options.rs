//! The options of the text stage.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::extract::Extract;
use super::fold::{FoldOptions, Folder};
use super::synonyms::Synonyms;
use super::tokenize::Tokenizer;

/// What the text stage does to a page. Every switch is on by default.
#[derive(Clone, Debug, PartialEq)]
pub struct TextOptions {
    /// Unicode NFKC: full-width letters become narrow, invisible format characters are removed.
    pub nfkc: bool,
    /// Lower case.
    pub case: bool,
    /// Traditional Chinese and Japanese characters become simplified ones, character by character.
    pub simplify: bool,
    /// Which part of a page methods see; `None` leaves it to the method ([`crate::method::MethodInfo::extract`]), and
    /// is the whole page where there is no method.
    pub extract: Option<Extract>,
    /// Whether [`Text::sentences`](crate::method::Text::sentences) are searched for; methods that do not read them are faster without.
    pub sentences: bool,
    /// Segments text into words, for methods that use words.
    pub tokenizer: Arc<Tokenizer>,
    /// Synonyms, for methods that use concepts.
    pub synonyms: Arc<Synonyms>,
    /// Stop-words beside those of the page's language, folded.
    pub stop_words: Arc<FxHashSet<String>>,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            nfkc: true,
            case: true,
            simplify: true,
            extract: None,
            sentences: true,
            tokenizer: Arc::default(),
            synonyms: Arc::default(),
            stop_words: Arc::default(),
        }
    }
}

impl TextOptions {
    /// What folds text as these options say.
    pub fn folder(&self) -> Folder {
        Folder::new(FoldOptions {
            nfkc: self.nfkc,
            case: self.case,
            simplify: self.simplify,
        })
    }
}
