//! Stage 2, text: a page's bytes decoded, without tags, and folded.
//!
//! Methods see [`Text::folded`] and positions in it; people are shown [`Text::visible`].

#[cfg(feature = "precise")]
mod align;
pub mod atoms;
mod bits;
mod block;
pub mod charset;
pub mod extract;
pub mod fold;
mod folding;
mod garbled;
#[cfg(any(feature = "precise", fuzzing))]
#[doc(hidden)]
pub mod guard;
mod hints;
pub mod html;
pub mod language;
mod main_text;
mod meta;
mod outline;
pub mod plain;
mod sentence;
mod stored;
pub mod synonyms;
#[cfg(test)]
pub(crate) mod testing;
pub mod tokenize;
pub mod wordnet;
pub mod words;
#[cfg(test)]
mod words_tests;

use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use crate::page::{Content, Markup, Page};
pub(crate) use fold::Folder;
use folding::fold_blocks;
use synonyms::Synonyms;
use tokenize::Tokenizer;
use words::Derived;

pub use extract::{Extract, Extraction};
pub use language::Script;
pub use words::{Form, Interned, Word, Words};

/// What the text stage does to a page. Every switch is on by default.
#[derive(Clone, Debug, PartialEq)]
pub struct TextOptions {
    /// Unicode NFKC: full-width letters become narrow, invisible format characters are removed.
    pub nfkc: bool,
    /// Lower case.
    pub case: bool,
    /// Traditional Chinese characters become simplified ones, character by character.
    pub simplify: bool,
    /// Which part of a page methods see; `None` leaves it to the method ([`crate::method::MethodInfo::extract`]), and
    /// is the whole page where there is no method.
    pub extract: Option<Extract>,
    /// Whether [`Text::sentences`] are looked for; methods that do not read them are faster without.
    pub sentences: bool,
    /// Segments text into words, for methods that use words.
    pub tokenizer: Arc<Tokenizer>,
    /// Synonyms, for methods that use concepts.
    pub synonyms: Arc<Synonyms>,
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
        }
    }
}

/// The headline is one of so many blocks that methods see at the most.
const HEADLINE_BLOCKS: usize = 20;

/// A page's text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// The visible text, one line per block (blocks are separated by one `\n` and hold none; white space inside a
    /// block is collapsed to single spaces).
    pub visible: String,
    /// The visible text folded: the same blocks, also separated by one `\n`.
    pub folded: String,
    /// Byte ranges in [`Text::folded`] of the sentences that a full stop ends, in order, of the blocks that methods
    /// see, if they were asked for ([`TextOptions::sentences`]). A sentence begins after the previous full stop or the block's start and ends before its own full stop.
    pub sentences: Vec<Sentence>,
    /// For each block whether methods see it; empty if they see all.
    pub main: Vec<bool>,
    /// How the main text was found.
    pub extraction: Extraction,
    /// Characters of the visible text, white space left out, in blocks of which at least half is links.
    pub link_chars: u64,
    /// What the page says of itself.
    pub meta: Meta,
    derived: Derived,
}

impl Text {
    /// The blocks of [`Text::folded`] that methods see, each with the byte at which it begins.
    pub fn seen(&self) -> impl Iterator<Item = (usize, &str)> + Clone {
        let mut start = 0;
        let blocks = blocks(&self.folded).map(move |block| {
            let at = start;
            start += block.len() + 1;
            (at, block)
        });
        blocks.enumerate().filter_map(|(number, (at, block))| {
            (self.sees(number) && !block.is_empty()).then_some((at, block))
        })
    }

    /// The bytes of [`Text::folded`] that methods see, in stretches of as many blocks as follow each other.
    pub(crate) fn stretches(&self) -> Vec<Range<usize>> {
        let mut stretches: Vec<Range<usize>> = Vec::new();
        if self.main.is_empty() {
            stretches.push(0..self.folded.len());
            return stretches;
        }
        for (start, block) in self.seen() {
            let end = start + block.len();
            match stretches.last_mut() {
                Some(last) if last.end + 1 == start => last.end = end,
                _ => stretches.push(start..end),
            }
        }
        stretches
    }

    /// The blocks of [`Text::visible`] whose folded forms methods see: what people are shown of it.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        let blocks = blocks(&self.visible).enumerate();
        blocks.filter_map(|(number, block)| self.sees(number).then_some(block))
    }

    /// Whether methods see the block of that number.
    fn sees(&self, number: usize) -> bool {
        let seen = self.main.get(number).copied();
        seen.unwrap_or(self.main.is_empty())
    }

    /// The bytes of [`Text::folded`] that are the headline, as far as methods see it: of the first blocks the longest that the page's
    /// title holds; of a page without a title, the first block. Empty if there is none.
    pub fn headline(&self) -> Range<usize> {
        let title = self.meta.title.as_deref();
        let mut start = 0;
        let folded = blocks(&self.folded).map(|block| {
            let at = start;
            start += block.len() + 1;
            at..at + block.len()
        });
        let numbered = blocks(&self.visible).zip(folded).enumerate();
        let seen = numbered.filter(|&(number, _)| self.sees(number));
        let looked = match title {
            Some(_) => HEADLINE_BLOCKS,
            None => 1,
        };
        let first = seen.take(looked).map(|(_, block)| block);
        let held = first.filter(|(shown, _)| title.is_none_or(|title| title.contains(shown)));
        let longest = held.max_by_key(|(_, bytes)| bytes.len());
        longest.map_or(0..0, |(_, bytes)| bytes)
    }

    /// Two lengths in characters, white space left out: that of the folded text; and that of the page's own text,
    /// which is its main text, or all but its blocks of links (menus, lists of other pages) if methods see the whole page.
    pub fn lengths(&self) -> (u64, u64) {
        let seen = self.seen_chars();
        match self.main.is_empty() {
            true => (seen, seen.saturating_sub(self.link_chars)),
            false => (count_chars(&self.folded), seen),
        }
    }

    /// Characters that methods see, white space left out. Counted once.
    pub fn seen_chars(&self) -> u64 {
        *self.derived.seen_chars.get_or_init(|| {
            let stretches = self.stretches().into_iter();
            stretches.map(|seen| count_chars(&self.folded[seen])).sum()
        })
    }
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
    /// The encoding that the bytes were decoded with; `None` if they came as Unicode or the text is garbled.
    pub charset: Option<&'static str>,
    /// True if the bytes decode to characters that no writer puts side by side: the encoding is probably one that is
    /// not supported (Johab, EUC-TW). Copies of such a page still equal each other.
    pub garbled: bool,
}

/// The blocks of a visible or folded text: what stands between line feeds.
fn blocks(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    ends.map(move |end| {
        let block = &text[start..end];
        start = end + 1;
        block
    })
}

/// The number of characters of a visible or folded text, or of a part of one, white space left out. Blocks hold no
/// other white space than single spaces and line feeds, so bytes can be counted.
pub fn count_chars(text: &str) -> u64 {
    bits::count(text.as_bytes(), |byte| {
        (byte & 0xC0 != 0x80) & (byte != b' ') & (byte != b'\n')
    })
}

/// What equal texts have in common; `None` for an empty one.
pub fn text_hash(text: &Text) -> Option<u128> {
    (!text.folded.is_empty()).then(|| xxh3_128(text.folded.as_bytes()))
}

/// Makes a page's text. The error is the reason for a reject, for people.
pub fn text_of(page: &Page, options: &TextOptions) -> Result<Text, String> {
    match &page.content {
        Content::Bytes {
            bytes,
            charset,
            markup,
        } => {
            check_length(bytes.len())?;
            let decoded = charset::decode(bytes, charset.as_deref())?;
            let mut text = text_of_str(&decoded.text, *markup, options)?;
            text.meta.charset = decoded.charset;
            text.meta.garbled = decoded.charset.is_none();
            Ok(text)
        }
        Content::Unicode { text, markup } => text_of_str(text, *markup, options),
    }
}

/// Whether [`text_of`] can make a text of the page, without making it.
pub fn decodes(page: &Page) -> Result<(), String> {
    check_length(page.content.len())?;
    match &page.content {
        Content::Bytes { bytes, charset, .. } => {
            charset::decode(bytes, charset.as_deref()).map(|_| ())
        }
        Content::Unicode { .. } => Ok(()),
    }
}

fn text_of_str(source: &str, markup: Markup, options: &TextOptions) -> Result<Text, String> {
    check_length(source.len())?;
    let mut text = match markup {
        Markup::Html => text_of_html(source, options),
        Markup::Plain => fold_blocks(plain::visible_text(source), Vec::new(), options),
    };
    check_length(text.folded.len())?;
    text.derived = Derived::new(options);
    Ok(text)
}

fn text_of_html(source: &str, options: &TextOptions) -> Text {
    let (visible, meta, outline) = html::visible_text(source);
    let extract = options.extract.unwrap_or(Extract::None);
    let (main, extraction) = extract::main_blocks(source, &visible, &outline, extract);
    Text {
        meta,
        extraction,
        link_chars: outline.link_chars(),
        ..fold_blocks(visible, main, options)
    }
}

/// Positions are 32 bits wide.
fn check_length(length: usize) -> Result<(), String> {
    if u32::try_from(length).is_ok() {
        Ok(())
    } else {
        Err(format!(
            "the page has {length} bytes; at most {} can be handled",
            u32::MAX
        ))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Extract, Markup, TextOptions, count_chars, text_of_str};

    #[test]
    fn the_headline_is_what_the_title_says() {
        let headline = |source: &str, markup, extract| {
            let options = TextOptions {
                extract,
                ..TextOptions::default()
            };
            let text = text_of_str(source, markup, &options).unwrap();
            text.folded[text.headline()].to_owned()
        };
        let page = |title: &str| {
            format!(
                "<title>{title}</title><p>News<p>The Bell Rang<p>Nobody knows why the bell rang, or for whom."
            )
        };
        let html = |title: &str| headline(&page(title), Markup::Html, None);
        assert_eq!(html("The Bell Rang - News"), "the bell rang");
        assert_eq!(html("News"), "news");
        assert_eq!(html("Sports"), "");
        // A block that methods do not see is no headline.
        let menu = format!(
            "<nav><a href=/>The Bell Rang - News</a></nav>{}",
            page("The Bell Rang - News")
        );
        assert_eq!(
            headline(&menu, Markup::Html, Some(Extract::Main)),
            "the bell rang"
        );
        assert_eq!(headline(&menu, Markup::Html, None), "the bell rang - news");
        let plain = |source| headline(source, Markup::Plain, None);
        assert_eq!(plain("The Bell\n\nNobody knows."), "the bell");
        assert_eq!(plain(""), "");
    }

    proptest! {
        #[test]
        fn characters_are_counted_as_one_by_one(text in "[a 在é\n𝄞]{0,600}") {
            let one_by_one = text.chars().filter(|c| !c.is_whitespace()).count() as u64;
            prop_assert_eq!(count_chars(&text), one_by_one);
        }
    }
}
