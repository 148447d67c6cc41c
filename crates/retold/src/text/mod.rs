//! Stage 2, text: what is left of a page's bytes, decoded, freed of tags and folded.
//!
//! Methods see [`Text::folded`] and positions in it; people are shown [`Text::visible`].

use crate::page::Page;

/// What the text stage does to a page. Every switch is on by default.
#[derive(Clone, Debug, PartialEq)]
pub struct TextOptions {
    /// Unicode NFKC, which also makes full-width letters narrow; invisible format characters go.
    pub nfkc: bool,
    /// Lower case.
    pub case: bool,
    /// Traditional Chinese characters become simplified ones, character by character.
    pub simplify: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            nfkc: true,
            case: true,
            simplify: true,
        }
    }
}

/// A page's text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// The visible text, one line per block (blocks are separated by one `\n` and hold none; white space inside a
    /// block is collapsed to single spaces).
    pub visible: String,
    /// The visible text folded: the same blocks, also separated by one `\n`.
    pub folded: String,
    /// Byte ranges in [`Text::folded`] of the sentences that a full stop ends, in order. A sentence begins after the
    /// previous full stop or the block's start and ends before its own full stop.
    pub sentences: Vec<Sentence>,
    /// What the page says of itself.
    pub meta: Meta,
}

/// A sentence that ends with a full stop, as a byte range of [`Text::folded`], the mark not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// True if its unit of length is the word rather than the character: the mark was a `.`, `।`, `۔` or `።` after
    /// a script that writes words with spaces.
    pub words: bool,
}

/// Metadata kept beside the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// `<title>`.
    pub title: Option<String>,
    /// `<link rel=canonical>` or `og:url`.
    pub canonical: Option<String>,
    /// `<html lang>` or its `<meta>` equivalents.
    pub lang: Option<String>,
    /// The publication date that the page's metadata names, as written there.
    pub date: Option<String>,
    /// The encoding that the bytes were decoded with; `None` if they came as Unicode.
    pub charset: Option<&'static str>,
}

/// Makes a page's text. The error is the reason for a reject, for people.
pub fn text_of(_page: &Page, _options: &TextOptions) -> Result<Text, String> {
    Ok(Text::default())
}
