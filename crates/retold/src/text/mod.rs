//! Stage 2, text: decodes a page's bytes, removes tags and folds the text.
//!
//! Methods use [`Text::folded`] and positions in it; people see [`Text::visible`].

#[cfg(feature = "precise")]
mod align;
pub mod atoms;
mod bits;
mod block;
pub mod charset;
mod count;
pub(crate) mod cut;
mod derived;
mod disguise;
mod echo;
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
mod make;
mod meta;
mod options;
mod outline;
mod page_text;
mod parts;
pub mod plain;
pub(crate) mod runs;
pub(crate) mod sentence;
mod stored;
pub mod synonyms;
#[cfg(test)]
pub(crate) mod testing;
pub mod tokenize;
pub mod wordnet;
pub mod words;
#[cfg(test)]
mod words_tests;
mod written;

pub use count::{count_chars, shortened};
pub use cut::{BlockUnit, Cuts};
pub use derived::Word;
pub use extract::{Extract, Extraction};
pub use fold::{FoldOptions, Folder};
pub use language::Script;
pub(crate) use make::{check_length, take_text};
pub use make::{decodes, text_of};
pub use meta::PageMeta;
pub use options::TextOptions;
pub use page_text::{Sentence, Text, text_hash};
pub use words::{Interned, WordForm, Words};
pub(crate) use written::Written;
