//! Helpers for tests of texts.

use super::{Text, TextOptions, text_of};
use crate::page::Page;

/// The text of a plain page.
pub(crate) fn text(content: &str) -> Text {
    text_with(content, &TextOptions::default())
}

/// As [`text`], with other options.
pub(crate) fn text_with(content: &str, options: &TextOptions) -> Text {
    text_of(&Page::text("", content), options).expect("short texts have no faults")
}
